package limit

import (
	"fmt"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/sys/unix"

	"github.com/clew-run/clew/internal/planted"
)

// Apply sets the limits of a process, which whatever it starts inherits. What
// a control group holds is left out. Contained says that the process is in a user
// namespace of its own.
func Apply(pid int, l Limits, held Held, contained bool) error {
	for _, r := range rlimits(l, held, contained) {
		if err := setRlimit(pid, r); err != nil {
			return err
		}
	}
	return nil
}

type rlimit struct {
	resource int
	value    uint64
}

func rlimits(l Limits, held Held, contained bool) []rlimit {
	list := []rlimit{{unix.RLIMIT_CORE, 0}}
	if planted.Bug("commands without limits") {
		return list
	}
	add := func(resource int, value int64) {
		if value > 0 {
			list = append(list, rlimit{resource, uint64(value)})
		}
	}
	add(unix.RLIMIT_FSIZE, l.FileSize)
	add(unix.RLIMIT_NOFILE, int64(l.OpenFiles))
	// Of each process, not of all together. Not the address space: Go, Java and
	// node reserve far more of it than they use.
	if !held.Memory {
		add(unix.RLIMIT_DATA, l.Memory)
	}
	// The kernel counts processes by user: in a namespace of its own those of the
	// command, else all that the server's user has, which is no limit for one
	// command. Root's are not held by it.
	if !held.Processes && contained && countsByNamespace() {
		add(unix.RLIMIT_NPROC, int64(l.Processes))
	}
	return list
}

// setRlimit never gives a process more than it may have already.
func setRlimit(pid int, r rlimit) error {
	var has unix.Rlimit
	if err := unix.Prlimit(pid, r.resource, nil, &has); err != nil {
		return fmt.Errorf("read limit %d: %w", r.resource, err)
	}
	value := min(r.value, has.Max)
	if err := unix.Prlimit(pid, r.resource, &unix.Rlimit{Cur: value, Max: value}, nil); err != nil {
		return fmt.Errorf("set limit %d to %d: %w", r.resource, value, err)
	}
	return nil
}

// countsByNamespace reports whether the kernel counts processes in each user
// namespace by itself: since 5.14.
var countsByNamespace = sync.OnceValue(func() bool {
	var name unix.Utsname
	if unix.Uname(&name) != nil {
		return false
	}
	major, rest, _ := strings.Cut(unix.ByteSliceToString(name.Release[:]), ".")
	a, err := strconv.Atoi(major)
	b, _ := strconv.Atoi(rest[:len(rest)-len(strings.TrimLeft(rest, "0123456789"))])
	return err == nil && (a > 5 || a == 5 && b >= 14)
})

// machineMemory gives the bytes of memory that this machine has, 0 if it does not say.
func machineMemory() int64 {
	var info unix.Sysinfo_t
	if unix.Sysinfo(&info) != nil {
		return 0
	}
	return int64(info.Totalram) * int64(info.Unit) //nolint:gosec // types differ by architecture, and none is so large
}
