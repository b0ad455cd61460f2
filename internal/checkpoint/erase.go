package checkpoint

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"github.com/clew-run/clew/internal/checkpoint/object"
)

// Erase drops the checkpoints that keep says no to, for good: what is known of the
// files from the last save, which no checkpoint need have, goes as well, and so does
// the whole repository when no checkpoint is left. It gives how many were dropped.
func (p *Place) Erase(ctx context.Context, keep func(Checkpoint) bool) (dropped int, err error) {
	release, err := p.begin(ctx)
	if err != nil {
		return 0, failed(err, "the checkpoints could not be erased")
	}
	defer release()
	d := p.repository
	d.freeLocks()
	before := len(d.list)
	if err := d.drop(ctx, keep); err != nil {
		return 0, failed(err, "the checkpoints could not be erased")
	}
	dropped = before - len(d.list)
	d.tree, d.changes = nil, 0
	err = os.Remove(d.indexFile())
	switch {
	case err != nil && !errors.Is(err, os.ErrNotExist):
	case len(d.list) == 0:
		err = d.clear()
	default:
		err = p.collect(ctx)
	}
	return dropped, failed(err, "the checkpoints could not be erased")
}

// clear removes everything but the lock, which is held. The repository is made anew
// when it is needed.
func (d *repository) clear() error {
	defer d.store.usage.forget()
	if d.objects != nil {
		d.objects.Release()
		d.objects = nil
	}
	entries, err := os.ReadDir(d.dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if e.Name() != "lock" {
			err = errors.Join(err, os.RemoveAll(filepath.Join(d.dir, e.Name())))
		}
	}
	d.gen, d.list, d.noted = "", nil, ""
	clear(d.used)
	return errors.Join(err, object.SyncDir(d.dir))
}
