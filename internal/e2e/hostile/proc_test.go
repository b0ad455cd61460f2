package hostile

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/clew-run/clew/internal/e2e/proc"
)

func mkfifo(t testing.TB, path string) {
	t.Helper()
	proc.Must(t, syscall.Mkfifo(path, 0o600))
}

func quoted(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // the tests' own values
	}
	return string(b)
}

// readProc reads a file of /proc; a process that is gone has nothing in it.
func readProc(pid int, name string) string {
	b, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), name))
	if err != nil {
		return ""
	}
	return strings.ReplaceAll(string(b), "\x00", " ")
}

// descendants finds all processes below one.
func descendants(t testing.TB, pid int) []int {
	t.Helper()
	entries, err := os.ReadDir("/proc")
	proc.Must(t, err)
	parent := map[int]int{}
	for _, e := range entries {
		child, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		stat := readProc(child, "stat")
		if fields := strings.Fields(stat[strings.LastIndexByte(stat, ')')+1:]); len(fields) > 1 {
			parent[child], _ = strconv.Atoi(fields[1])
		}
	}
	var all []int
	for child := range parent {
		for at := parent[child]; at > 1; at = parent[at] {
			if at == pid {
				all = append(all, child)
				break
			}
		}
	}
	return all
}

var coreLimit = regexp.MustCompile(`Max core file size\s+0\s`)

func coresOff(limits string) bool { return coreLimit.MatchString(limits) }
