//go:build unix

package toolchain

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// Unlink gives a directory its own copies of all files that have another name
// elsewhere, and says how many. Each is replaced at once, so that one that is cut
// short leaves no half of a file; it can be run again.
func Unlink(dir string) (int, error) {
	n := 0
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		if st, ok := info.Sys().(*syscall.Stat_t); !ok || st.Nlink < 2 {
			return nil
		}
		n++
		return ownCopy(path, info)
	})
	return n, err
}

func ownCopy(path string, info fs.FileInfo) error {
	from, err := os.Open(path)
	if err != nil {
		return err
	}
	defer func() { _ = from.Close() }() // it was only read
	to, err := os.CreateTemp(filepath.Dir(path), ".unlink-*")
	if err != nil {
		return err
	}
	_, err = io.Copy(to, from)
	err = errors.Join(err, to.Chmod(info.Mode().Perm()), to.Close())
	if err == nil {
		err = os.Chtimes(to.Name(), info.ModTime(), info.ModTime())
	}
	if err == nil {
		err = os.Rename(to.Name(), path)
	}
	if err != nil {
		_ = os.Remove(to.Name())
	}
	return err
}
