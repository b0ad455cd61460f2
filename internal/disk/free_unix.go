//go:build unix

package disk

import "golang.org/x/sys/unix"

// Free gives the room that is left for this user, and the size, of the file
// system of a directory.
func Free(dir string) (free, total uint64, err error) {
	var s unix.Statfs_t
	if err := unix.Statfs(dir, &s); err != nil {
		return 0, 0, err
	}
	return s.Bavail * uint64(s.Bsize), s.Blocks * uint64(s.Bsize), nil //nolint:gosec // sizes of blocks are positive
}

// sameDisk reports whether two directories are on one file system. What cannot be
// known counts as the same.
func sameDisk(a, b string) bool {
	var x, y unix.Stat_t
	return unix.Stat(a, &x) != nil || unix.Stat(b, &y) != nil || x.Dev == y.Dev
}
