//go:build unix

package disk

import (
	"io/fs"
	"syscall"

	"golang.org/x/sys/unix"
)

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

// add adds the blocks of a file.
func (c *counter) add(info fs.FileInfo) {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		c.sum += info.Size()
		return
	}
	if st.Nlink > 1 && !info.IsDir() {
		at := inode{uint64(st.Dev), st.Ino} //nolint:unconvert // signed on some systems
		if c.linked[at] {
			return
		}
		c.linked[at] = true
	}
	c.sum += st.Blocks * 512
}
