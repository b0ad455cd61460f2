package toolchain

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// Trim keeps the caches of a directory small: those whose workspace is gone are
// removed, and of one above the limit the oldest files, down to four fifths of it.
// Tools make again what they miss.
func Trim(dir string, limit int64) error {
	list, err := Caches(dir)
	for _, c := range list {
		if _, gone := os.Stat(c.Workspace); errors.Is(gone, fs.ErrNotExist) {
			err = errors.Join(err, c.Clear())
		} else if c.Bytes > limit {
			err = errors.Join(err, c.trim(limit/5*4))
		}
	}
	return err
}

type aged struct {
	path string
	size int64
	at   time.Time
}

func (c Cache) trim(to int64) error {
	var files []aged
	var total int64
	err := filepath.WalkDir(c.Dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil //nolint:nilerr // it is gone meanwhile
		}
		if info, err := d.Info(); err == nil && info.Mode().IsRegular() && path != filepath.Join(c.Dir, OwnerFile) {
			files = append(files, aged{path, info.Size(), info.ModTime()})
			total += info.Size()
		}
		return nil
	})
	slices.SortFunc(files, func(a, b aged) int { return a.at.Compare(b.at) })
	for _, f := range files {
		if total <= to {
			break
		}
		if e := os.Remove(f.path); e == nil || errors.Is(e, fs.ErrNotExist) {
			total -= f.size
		} else {
			err = errors.Join(err, e)
		}
	}
	return err
}
