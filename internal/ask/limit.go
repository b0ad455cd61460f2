package ask

import (
	"fmt"
	"strings"

	"github.com/clew-run/clew"
)

// Limits says which limits of a command are not the usual ones, "" if all are.
func Limits(l *clew.CommandLimits) string {
	if l == nil {
		return ""
	}
	var list []string
	add := func(format string, n int64) {
		if n > 0 {
			list = append(list, fmt.Sprintf(format, n))
		}
	}
	add("%d MB of memory", l.MemoryMB)
	add("%d processes", int64(l.Processes))
	add("processor weight %d", int64(l.CPUWeight))
	add("files up to %d MB", l.FileMB)
	add("%d open files", int64(l.OpenFiles))
	return strings.Join(list, ", ")
}

// LimitReached names the limit that a command met, "" if none is known.
func LimitReached(l clew.CommandLimit) string {
	switch l {
	case "":
		return ""
	case clew.LimitDisk:
		return "disk nearly full"
	case clew.LimitFileSize:
		return "file size limit"
	case clew.LimitProcesses:
		return "process limit"
	case clew.LimitWorkspace:
		return "workspace quota"
	}
	return string(l) + " limit"
}
