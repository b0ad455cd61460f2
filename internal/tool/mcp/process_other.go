//go:build !linux

package mcp

import (
	"os"
	"syscall"
)

// ownGroup does nothing here: that a server dies with us is left to the end of
// its input.
func ownGroup() *syscall.SysProcAttr { return nil }

// awaitExit leaves the waiting to exec.
func awaitExit(int) {}

func killGroup(pid int, _ bool) {
	if p, err := os.FindProcess(pid); err == nil {
		_ = p.Kill()
	}
}
