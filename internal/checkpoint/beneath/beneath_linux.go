package beneath

import (
	"errors"

	"golang.org/x/sys/unix"
)

// openStep opens a path below a directory and goes through no link. The kernel
// checks it in one call; kernels before 5.6 are asked name by name.
func openStep(dir int, path string, flags int, mode uint32) (int, error) {
	how := unix.OpenHow{
		Flags:   uint64(flags | unix.O_CLOEXEC),
		Mode:    uint64(mode),
		Resolve: unix.RESOLVE_BENEATH | unix.RESOLVE_NO_SYMLINKS | unix.RESOLVE_NO_MAGICLINKS,
	}
	for {
		fd, err := unix.Openat2(dir, path, &how)
		switch {
		case errors.Is(err, unix.EINTR) || errors.Is(err, unix.EAGAIN):
			continue // EAGAIN: a rename came between
		case errors.Is(err, unix.ENOSYS) || errors.Is(err, unix.EPERM):
			return openNames(dir, path, flags, mode)
		}
		return fd, err
	}
}

// SyncAll flushes the file system that a directory lies on.
func SyncAll(dir int) error { return unix.Syncfs(dir) }
