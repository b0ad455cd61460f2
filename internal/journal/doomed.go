package journal

import (
	"context"
	"errors"
	"sync"
)

// doomed are the blobs that are about to be removed because nobody seems to name
// them. Whoever stores or reads one of them meanwhile spares it. Safe for concurrent
// use.
type doomed struct {
	// using is held by those who store and read, and kept from them while one is
	// removed.
	using sync.RWMutex
	mu    sync.Mutex
	refs  map[string]bool
	used  bool // somebody used one of them
}

// errBlobUsed says that a blob may be named by a record that nobody looked at.
var errBlobUsed = errors.New("a blob was used meanwhile; the next round looks again who names it")

func (d *doomed) add(refs map[string]bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.refs, d.used = refs, false
}

func (d *doomed) clear() { d.add(nil) }

func (d *doomed) spare(ref string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.refs, ref)
}

// use spares one that somebody stores or reads.
func (d *doomed) use(ref string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.refs[ref] {
		d.used = true
		delete(d.refs, ref)
	}
}

// remove calls fn with each that was not spared.
func (d *doomed) remove(fn func(ref string) error) error {
	d.using.Lock()
	defer d.using.Unlock()
	d.mu.Lock()
	defer d.mu.Unlock()
	for ref := range d.refs {
		if err := fn(ref); err != nil {
			return err
		}
	}
	if d.used {
		return errBlobUsed
	}
	return nil
}

// PutBlob stores bytes once by hash, durably, and returns their address.
func (j *Journal) PutBlob(ctx context.Context, data []byte) (string, error) {
	j.doomed.using.RLock()
	defer j.doomed.using.RUnlock()
	ref, err := j.archive.PutBlob(ctx, data)
	j.doomed.use(ref)
	return ref, err
}

// Blob reads bytes by address.
func (j *Journal) Blob(ctx context.Context, ref string) ([]byte, error) {
	j.doomed.using.RLock()
	defer j.doomed.using.RUnlock()
	j.doomed.use(ref)
	return j.archive.Blob(ctx, ref)
}
