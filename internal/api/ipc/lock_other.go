//go:build !(linux || darwin || freebsd || netbsd || openbsd)

package ipc

// lock has nothing to lock with: who answers at the path is asked instead.
func lock(string) (unlock func(), err error) { return func() {}, nil }
