package journal

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// ErrNoRow says that a table has no row of that name.
var ErrNoRow = errors.New("no such row")

// A Table is a small replicated map beside the sessions' journals, for what
// belongs to no session: API keys, the lists of sessions. Safe for concurrent
// use.
type Table struct{ kv jetstream.KeyValue }

// Table opens a table and makes it on first use.
func (j *Journal) Table(ctx context.Context, name string) (*Table, error) {
	cfg := jetstream.KeyValueConfig{
		Bucket:   strings.ToUpper(j.cfg.Prefix) + "_" + strings.ToUpper(name),
		History:  1,
		Storage:  jetstream.FileStorage,
		Replicas: j.cfg.Replicas,
	}
	kv, err := j.js.KeyValue(ctx, cfg.Bucket)
	if errors.Is(err, jetstream.ErrBucketNotFound) {
		kv, err = j.js.CreateKeyValue(ctx, cfg)
	}
	if err != nil {
		return nil, engineError(err)
	}
	return &Table{kv}, nil
}

// Get reads a row and its revision.
func (t *Table) Get(ctx context.Context, key string) ([]byte, uint64, error) {
	e, err := t.kv.Get(ctx, key)
	if errors.Is(err, jetstream.ErrKeyNotFound) {
		return nil, 0, ErrNoRow
	}
	if err != nil {
		return nil, 0, engineError(err)
	}
	return e.Value(), e.Revision(), nil
}

// Put writes a row.
func (t *Table) Put(ctx context.Context, key string, value []byte) error {
	_, err := t.kv.Put(ctx, key, value)
	return engineError(err)
}

// errRowChanged says that somebody else wrote the row meanwhile.
var errRowChanged = errors.New("row was changed by another node")

// update writes a row if its revision is still this one; 0 means that it must
// not exist yet.
func (t *Table) update(ctx context.Context, key string, value []byte, revision uint64) (uint64, error) {
	rev, err := t.kv.Update(ctx, key, value, revision)
	if isCode(err, codeWrongFence, codeFenceBusy) {
		return 0, errRowChanged
	}
	return rev, engineError(err)
}

// Change reads a row, has fn make the new one, and writes it if nobody else
// wrote meanwhile; otherwise it tries again. fn gets nil if there is no row.
func (t *Table) Change(ctx context.Context, key string, fn func(old []byte) ([]byte, error)) error {
	for {
		old, revision, err := t.Get(ctx, key)
		if err != nil && !errors.Is(err, ErrNoRow) {
			return err
		}
		value, err := fn(old)
		if err != nil {
			return err
		}
		if _, err = t.update(ctx, key, value, revision); !errors.Is(err, errRowChanged) {
			return err
		}
	}
}

// List gives all rows.
func (t *Table) List(ctx context.Context) (map[string][]byte, error) {
	rows := map[string][]byte{}
	err := t.follow(ctx, func(key string, value []byte, _ bool) { rows[key] = value }, true)
	return rows, err
}

// Watch calls fn for every row and then for each change until ctx ends.
func (t *Table) Watch(ctx context.Context, fn func(key string, value []byte)) error {
	return t.follow(ctx, func(key string, value []byte, deleted bool) {
		if !deleted {
			fn(key, value)
		}
	}, false)
}

// Follow calls fn for every row, returns, and from then on calls fn for each
// change (live) in the background until ctx ends. ended gets the error that
// ended it.
func (t *Table) Follow(ctx context.Context, fn func(key string, value []byte, live bool), ended func(error)) error {
	w, err := t.kv.WatchAll(ctx)
	if err != nil {
		return engineError(err)
	}
	next := func(live bool) (more, current bool) {
		select {
		case e, ok := <-w.Updates():
			if ok && e != nil && e.Operation() == jetstream.KeyValuePut {
				fn(e.Key(), e.Value(), live)
			}
			return ok, ok && e == nil
		case <-ctx.Done():
			return false, false
		}
	}
	for {
		more, current := next(false)
		if !more {
			_ = w.Stop()
			return errors.Join(ctx.Err(), errWatchEnded)
		}
		if current {
			break
		}
	}
	go func() {
		defer func() { _ = w.Stop() }()
		for {
			if more, _ := next(true); !more {
				if ctx.Err() == nil {
					ended(errWatchEnded)
				}
				return
			}
		}
	}()
	return nil
}

var errWatchEnded = errors.New("the engine ended the watch")

func (t *Table) follow(ctx context.Context, fn func(key string, value []byte, deleted bool), once bool) error {
	w, err := t.kv.WatchAll(ctx)
	if err != nil {
		return engineError(err)
	}
	defer func() { _ = w.Stop() }()
	for {
		select {
		case e, ok := <-w.Updates():
			switch {
			case !ok:
				return ctx.Err()
			case e == nil && once:
				return nil
			case e != nil:
				fn(e.Key(), e.Value(), e.Operation() != jetstream.KeyValuePut)
			}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// subjectTimeout bounds how long a listing of subjects may take.
const subjectTimeout = 30 * time.Second
