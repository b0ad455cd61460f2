//go:build !linux

package beneath

import "golang.org/x/sys/unix"

func openStep(dir int, path string, flags int, mode uint32) (int, error) {
	return openNames(dir, path, flags, mode)
}

// SyncAll flushes all file systems: there is no call for one.
func SyncAll(int) error { return unix.Sync() }
