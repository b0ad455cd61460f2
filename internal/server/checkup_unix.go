//go:build unix

package server

import "golang.org/x/sys/unix"

// freeRoom gives the bytes that are free for us.
func freeRoom(dir string) (uint64, error) {
	var s unix.Statfs_t
	if err := unix.Statfs(dir, &s); err != nil {
		return 0, err
	}
	return uint64(s.Bavail) * uint64(s.Bsize), nil //nolint:gosec,unconvert // types differ by system, and none is negative
}

// openFiles gives how many files this process may have open. Go raises it to the
// hard limit by itself.
func openFiles() (uint64, error) {
	var l unix.Rlimit
	err := unix.Getrlimit(unix.RLIMIT_NOFILE, &l)
	return uint64(l.Cur), err //nolint:unconvert // signed on some systems
}
