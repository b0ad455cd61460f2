//go:build !(linux || darwin || freebsd || netbsd || openbsd)

package settings

// syncFolder does nothing where folders cannot be flushed.
func syncFolder(string) error { return nil }

// lockFile does nothing here: on these systems secrets are kept by one process.
func lockFile(string) (unlock func(), err error) { return func() {}, nil }
