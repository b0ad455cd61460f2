package git

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/clew-run/clew"
)

// git reads files again when it writes an index, through the filters of the
// repository. So the index is written in the shadow, and put in its place here.

// lockIndex keeps others off the index of a work tree, as git does. A lock of ours
// that a crash left behind is known by a second name of it, and taken over.
func (r *Repository) lockIndex() (release func() error, err error) {
	lock, mark := filepath.Join(r.gitDir, "index.lock"), filepath.Join(r.gitDir, "clew-index.lock")
	if sameFile(lock, mark) {
		if err := os.Remove(lock); err != nil {
			return nil, err
		}
	}
	if err := os.Remove(mark); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	f, err := os.OpenFile(mark, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	if err = errors.Join(f.Close(), os.Link(mark, lock)); err != nil {
		if errors.Is(err, fs.ErrExist) {
			err = clew.Errorf(clew.SessionInvalidState, "another git works in %s (index.lock is there); try again when it is done", r.Root)
		}
		return nil, errors.Join(err, os.Remove(mark))
	}
	return func() error { return errors.Join(os.Remove(lock), os.Remove(mark)) }, nil
}

// writeIndex changes entries of the work tree's index, which is locked.
func (s *shadow) writeIndex(ctx context.Context, list []entry) error {
	const index = "next"
	if err := s.copyIndex(ctx, index); err != nil {
		return err
	}
	if err := s.run(ctx, index, indexInfo(list), nil, "-c", "core.splitIndex=false", "update-index", "-z", "--index-info"); err != nil {
		return err
	}
	text, err := os.ReadFile(filepath.Join(s.dir, index))
	if err != nil {
		return err
	}
	at := filepath.Join(s.repo.gitDir, "index")
	if old, err := os.ReadFile(at); err == nil && bytes.Equal(old, text) {
		return nil
	}
	return writeFile(at, text, 0o644)
}
