//go:build !unix

package cli

import "syscall"

// detached changes nothing where programs outlive the one that started them.
func detached() *syscall.SysProcAttr { return nil }
