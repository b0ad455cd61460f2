//go:build unix

package cli

import "syscall"

// noCores keeps the system from writing the server's memory, which holds
// secrets, to a file when it crashes. Commands inherit it.
func noCores() error {
	return syscall.Setrlimit(syscall.RLIMIT_CORE, &syscall.Rlimit{})
}
