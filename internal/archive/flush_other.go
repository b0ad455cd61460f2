//go:build !linux

package archive

import (
	"errors"
	"os"
	"path/filepath"
)

func (d *directory) flushFiles(files map[string]string) error {
	for _, file := range files {
		f, err := os.Open(file)
		if err != nil {
			return err
		}
		if err := errors.Join(f.Sync(), f.Close()); err != nil {
			return err
		}
	}
	return nil
}

// flushNames flushes each directory on the way to the names once.
func (d *directory) flushNames(keys []string) error {
	done := map[string]bool{}
	for _, key := range keys {
		for dir := filepath.Dir(d.path(key)); !done[dir]; dir = filepath.Dir(dir) {
			if err := syncDir(dir); err != nil {
				return err
			}
			done[dir] = true
			if dir == d.root {
				break
			}
		}
	}
	return nil
}

func renameNew(from, to string) error { return linkNew(from, to) }
