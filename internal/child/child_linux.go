// Package child ties the life of a process to that of the one that started it, so that
// a test that is killed leaves no server behind.
package child

import (
	"os/exec"
	"syscall"
)

// EndWithParent has the kernel kill the command when the thread that starts it ends.
// Other systems than Linux cannot, and leave the command running.
func EndWithParent(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
}
