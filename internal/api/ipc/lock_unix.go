//go:build linux || darwin || freebsd || netbsd || openbsd

package ipc

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// lock makes this process the only one that serves a path. The kernel lets go of
// it when the process dies, however it dies; the file stays. A file system that
// knows no locks has none.
func lock(name string) (unlock func(), err error) {
	f, err := os.OpenFile(name, os.O_CREATE|os.O_RDWR|unix.O_NOFOLLOW, 0o600)
	if err != nil {
		return nil, err
	}
	for {
		err = unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		if !errors.Is(err, unix.EINTR) {
			break
		}
	}
	if errors.Is(err, unix.EWOULDBLOCK) {
		_ = f.Close()
		return nil, errLocked
	}
	return func() { _ = f.Close() }, nil
}
