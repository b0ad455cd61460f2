package ipc

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"time"

	"github.com/clew-run/clew"
)

// open makes the socket file, and keeps other servers from its path until unlock
// is called.
func open(path string) (l *net.UnixListener, file fs.FileInfo, unlock func(), err error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, nil, nil, err
	}
	if unlock, err = lock(beside(path, "lock")); err != nil {
		if errors.Is(err, errLocked) {
			err = errTaken(path)
		}
		return nil, nil, nil, err
	}
	if l, file, err = bind(path); err != nil {
		unlock()
		return nil, nil, nil, err
	}
	return l, file, unlock, nil
}

// errLocked says that another process has the lock.
var errLocked = errors.New("locked")

// beside names a file for what goes on around the socket.
func beside(path, what string) string {
	return filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+"."+what)
}

func errTaken(path string) error {
	return clew.Errorf(clew.SettingsInvalid, "a server runs already at the local socket %s; --socket chooses another one, or off", path)
}

// bind makes the socket file. It appears under its name only when it takes
// connections and is closed to others, and replaces what a server that died has
// left. A file that somebody answers at, or that is no socket, is left alone.
func bind(path string) (*net.UnixListener, fs.FileInfo, error) {
	if err := checkStale(path); err != nil {
		return nil, nil, err
	}
	room := beside(path, "new")
	if err := os.RemoveAll(room); err != nil { // of a server that died right here
		return nil, nil, err
	}
	if err := os.Mkdir(room, 0o700); err != nil {
		return nil, nil, err
	}
	defer func() { _ = os.RemoveAll(room) }()
	made := filepath.Join(room, "s")
	l, err := listen(made)
	if err != nil {
		return nil, nil, err
	}
	if err = os.Chmod(made, 0o600); err == nil || runtime.GOOS == "windows" {
		err = os.Rename(made, path)
	}
	var info fs.FileInfo
	if err == nil {
		info, err = os.Lstat(path)
	}
	if err != nil {
		_ = l.Close()
		return nil, nil, err
	}
	return l, info, nil
}

func listen(path string) (*net.UnixListener, error) {
	name, done, err := short(path)
	if err != nil {
		return nil, err
	}
	defer done()
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: name, Net: "unix"})
	if err != nil {
		return nil, err
	}
	l.SetUnlinkOnClose(false) // it will have another name
	return l, nil
}

// checkStale fails if path cannot be replaced.
func checkStale(path string) error {
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case info.Mode()&(fs.ModeSocket|fs.ModeIrregular) == 0:
		return clew.Errorf(clew.SettingsInvalid, "%s is in the way of the local socket, and is no socket", path)
	}
	name, done, err := short(path)
	if err != nil {
		return err
	}
	defer done()
	c, err := net.DialTimeout("unix", name, 2*time.Second)
	switch {
	case err == nil:
		_ = c.Close()
		return errTaken(path)
	case errors.Is(err, syscall.ECONNREFUSED), errors.Is(err, fs.ErrNotExist), runtime.GOOS == "windows":
		return nil
	}
	return fmt.Errorf("the local socket %s cannot be looked at: %w", path, err)
}

// unlink removes the file, unless another server has put its own there.
func (s *Socket) unlink() {
	if info, err := os.Lstat(s.o.Path); err == nil && os.SameFile(info, s.file) {
		_ = os.Remove(s.o.Path)
	}
}

// TooLongError says that a path does not fit into a socket address.
type TooLongError struct{ Path string }

func (e *TooLongError) Error() string {
	return fmt.Sprintf("the path %s is too long for a local socket; --socket chooses a shorter one, or off", e.Path)
}
