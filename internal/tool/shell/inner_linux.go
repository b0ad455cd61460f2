package shell

import (
	"encoding/json"
	"fmt"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// startLimit is how long a sandbox may take to be made, on a busy machine.
const startLimit = 30 * time.Second

// inner is the first process of a sandbox. When it ends the kernel ends all
// others in there, and only then says that it has ended. bwrap itself is gone
// earlier, so its end proves nothing.
type inner struct{ pid, fd int }

// readInner waits until bwrap has set up the sandbox. It gives nil if it never
// does.
func readInner(info *os.File) *inner {
	_ = info.SetReadDeadline(time.Now().Add(startLimit))
	var told struct {
		PID int `json:"child-pid"`
	}
	if err := json.NewDecoder(info).Decode(&told); err != nil || told.PID == 0 {
		return nil
	}
	fd, err := unix.PidfdOpen(told.PID, 0)
	if err != nil {
		return nil
	}
	// It may have ended already, and its number be another's by now.
	if name, err := os.ReadFile(fmt.Sprintf("/proc/%d/comm", told.PID)); err != nil || string(name) != "bwrap\n" {
		_ = unix.Close(fd)
		return nil
	}
	return &inner{told.PID, fd}
}

// End kills the sandbox and reports whether all of it is gone in time.
func (i *inner) End(limit time.Duration) bool {
	defer func() { _ = unix.Close(i.fd) }()
	_ = unix.PidfdSendSignal(i.fd, unix.SIGKILL, nil, 0)
	for deadline := time.Now().Add(limit); ; {
		left := time.Until(deadline)
		if left <= 0 {
			return false
		}
		n, err := unix.Poll([]unix.PollFd{{Fd: int32(i.fd), Events: unix.POLLIN}}, int(left.Milliseconds())+1)
		if n > 0 {
			return true
		}
		if err != nil && err != unix.EINTR {
			return false
		}
	}
}
