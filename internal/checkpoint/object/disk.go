package object

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
)

// InParallel runs the functions side by side: flushes to disk then share one
// commit of the file system's journal.
func InParallel(fs ...func() error) error {
	errs := make([]error, len(fs))
	var wait sync.WaitGroup
	for i, f := range fs[1:] {
		wait.Go(func() { errs[i+1] = f() })
	}
	errs[0] = fs[0]()
	wait.Wait()
	return errors.Join(errs...)
}

// WriteSynced writes a new file and flushes it.
func WriteSynced(name string, parts ...[]byte) error {
	return writeNew(name, true, parts...)
}

func writeNew(name string, sync bool, parts ...[]byte) error {
	f, err := os.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	for _, b := range parts {
		if _, err = f.Write(b); err != nil {
			break
		}
	}
	if err == nil && sync {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// Replace puts a file in the place of another, whole or not at all.
func Replace(name string, sync bool, data ...[]byte) error {
	tmp := name + ".tmp"
	_ = os.Remove(tmp) // of a process that died
	if err := writeNew(tmp, sync, data...); err != nil {
		return err
	}
	if err := os.Rename(tmp, name); err != nil {
		return err
	}
	if sync {
		return SyncDir(filepath.Dir(name))
	}
	return nil
}

// SyncDir flushes the names in a directory.
func SyncDir(name string) error {
	d, err := os.Open(name)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// SyncTree flushes a directory and everything in it.
func SyncTree(dir string) error {
	return filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() && !e.IsDir() {
			return err
		}
		return SyncDir(path) // a file is flushed in the same way
	})
}
