//go:build unix

package cli

import "syscall"

// detached has a program outlive this one and its terminal.
func detached() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }
