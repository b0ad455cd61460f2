package archive

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// A round is what one sync makes durable.
type round struct {
	files    map[string]string // key to file
	segments []string
	seals    []string
	folds    []string
	relied   []string
}

func (d *directory) nextRound() (r round, failed error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	r.files = make(map[string]string, len(d.pending))
	for key, file := range d.pending {
		r.files[key] = file
		switch {
		case isSealKey(key):
			r.seals = append(r.seals, key)
		case isFoldKey(key):
			r.folds = append(r.folds, key)
		default:
			r.segments = append(r.segments, key)
		}
	}
	r.relied, d.relied = d.relied, nil
	return r, d.failed
}

func (d *directory) sync(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	d.flush.Lock()
	defer d.flush.Unlock()
	r, failed := d.nextRound()
	if failed != nil || len(r.files)+len(r.relied) == 0 {
		return failed
	}
	err := d.publish(r)
	d.mu.Lock()
	defer d.mu.Unlock()
	for key := range r.files {
		delete(d.pending, key)
	}
	if err != nil {
		// A flush that failed once may succeed next time without having
		// written anything, so there is no second try.
		d.failed = err
	}
	return err
}

// publish flushes the files and then gives them their names. Segments come
// first: a seal must not be there before what it refers to.
func (d *directory) publish(r round) error {
	if err := d.flushFiles(r.files); err != nil {
		return err
	}
	for _, key := range r.segments {
		if err := d.rename(r.files[key], key, os.Rename); err != nil {
			return err
		}
	}
	if len(r.segments) > 0 {
		if err := d.flushNames(r.segments); err != nil {
			return err
		}
	}
	for _, key := range r.seals {
		err := d.rename(r.files[key], key, renameNew)
		if errors.Is(err, fs.ErrExist) {
			err = d.settle(r.files[key], key)
		}
		if err != nil {
			return err
		}
	}
	d.publishFolds(r)
	return d.flushNames(append(r.seals, r.relied...))
}

// publishFolds names the kept folds. Their content is on the disk; whether the
// names get there is of no weight, so one that fails is dropped.
func (d *directory) publishFolds(r round) {
	for _, key := range r.folds {
		if d.rename(r.files[key], key, os.Rename) != nil {
			_ = os.Remove(r.files[key])
		}
	}
}

// settle deals with a seal that another process wrote first.
func (d *directory) settle(file, key string) error {
	want, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	have, err := os.ReadFile(d.path(key))
	if err != nil {
		return err
	}
	if err := d.agree(key, have, want); err != nil {
		return err
	}
	return os.Remove(file)
}

// rename gives a file its name and makes the directory if need be.
func (d *directory) rename(file, key string, move func(from, to string) error) error {
	to := d.path(key)
	err := move(file, to)
	if errors.Is(err, fs.ErrNotExist) {
		if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
			return err
		}
		err = move(file, to)
	}
	return err
}

// linkNew gives a file a second name, which fails if it is taken, and drops
// the first.
func linkNew(from, to string) error {
	if err := os.Link(from, to); err != nil {
		return err
	}
	return os.Remove(from)
}
