package archive

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// flushFiles and flushNames flush the whole file system, so that a thousand
// objects cost as much as one.
func (d *directory) flushFiles(map[string]string) error { return d.syncfs() }

func (d *directory) flushNames([]string) error { return d.syncfs() }

func (d *directory) syncfs() error {
	f, err := os.Open(d.root)
	if err != nil {
		return err
	}
	return errors.Join(os.NewSyscallError("syncfs", unix.Syncfs(int(f.Fd()))), f.Close())
}

// renameNew renames unless the new name is taken.
func renameNew(from, to string) error {
	err := unix.Renameat2(unix.AT_FDCWD, from, unix.AT_FDCWD, to, unix.RENAME_NOREPLACE)
	if errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ENOSYS) { // not on every file system
		return linkNew(from, to)
	}
	if err != nil {
		return &os.LinkError{Op: "rename", Old: from, New: to, Err: err}
	}
	return nil
}
