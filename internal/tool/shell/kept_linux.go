package shell

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/clew-run/clew/internal/tool/limit"
)

// An Inside is a sandbox from outside, for whoever started a Kept program. It is for one
// goroutine.
type Inside struct{ inner *inner } // nil once it was ended

// Enter waits until the sandbox of a Kept program stands, sets its limits and lets the
// program begin. It closes info and gate. The limits of processes are set beside those of
// the control group: when a service is restarted, the groups may lose theirs.
func Enter(info, gate *os.File, l limit.Limits, g limit.Group) (*Inside, error) {
	h := held{info: info, gate: gate}
	defer h.release()
	in := readInner(info)
	if in == nil {
		return nil, errors.New("bwrap does not start")
	}
	err := limit.Apply(in.pid, l, limit.Held{}, true)
	if err == nil && g != nil {
		err = g.Join(in.pid)
	}
	if err != nil {
		in.End(killLimit)
		return nil, fmt.Errorf("the limits could not be set: %w", err)
	}
	h.begin()
	return &Inside{in}, nil
}

// Signal sends a signal to the program: the one process that the sandbox's first
// process, which is bwrap, has started itself. By a handle, since numbers are used again.
func (i *Inside) Signal(sig syscall.Signal) error {
	if i.inner == nil {
		return syscall.ESRCH
	}
	for _, pid := range children(i.inner.pid) {
		fd, err := unix.PidfdOpen(pid, 0)
		if err != nil {
			continue
		}
		if above, _, ok := parent(pid); ok && above == i.inner.pid {
			err = unix.PidfdSendSignal(fd, sig, nil, 0)
			_ = unix.Close(fd)
			return err
		}
		_ = unix.Close(fd)
	}
	return syscall.ESRCH
}

// End kills all that is in the sandbox and reports whether it is gone in time.
func (i *Inside) End(limit time.Duration) bool {
	if i.inner == nil {
		return true
	}
	in := i.inner
	i.inner = nil
	return in.End(limit)
}

// children lists those of a process, oldest first.
func children(pid int) []int {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/children", pid, pid))
	if err != nil { // a kernel without them
		return firstGeneration(pid)
	}
	var list []int
	for _, f := range strings.Fields(string(b)) {
		if n, err := strconv.Atoi(f); err == nil {
			list = append(list, n)
		}
	}
	return list
}

func firstGeneration(pid int) []int {
	var list []int
	for _, other := range pids() {
		if above, _, ok := parent(other); ok && above == pid {
			list = append(list, other)
		}
	}
	return list
}

// KillBelow kills the descendants of a process.
func KillBelow(pid int) { signalBelow(pid, 0, syscall.SIGKILL) }
