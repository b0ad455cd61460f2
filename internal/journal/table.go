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
type Table struct {
	j      *Journal
	kv     jetstream.KeyValue
	fading bool
}

// Table opens a table and makes it on first use.
func (j *Journal) Table(ctx context.Context, name string) (*Table, error) {
	return j.openTable(ctx, name, jetstream.KeyValueConfig{})
}

// FadingTable is Table for one whose deleted rows leave nothing for ever. Its
// rows go by themselves when nobody has written them for so long; 0 keeps them.
func (j *Journal) FadingTable(ctx context.Context, name string, keep time.Duration) (*Table, error) {
	return j.openTable(ctx, name, jetstream.KeyValueConfig{LimitMarkerTTL: markerTTL, TTL: keep})
}

func (j *Journal) openTable(ctx context.Context, name string, cfg jetstream.KeyValueConfig) (*Table, error) {
	cfg.Bucket = strings.ToUpper(j.cfg.Prefix + "_" + name)
	cfg.History, cfg.Storage, cfg.Replicas = 1, jetstream.FileStorage, j.cfg.Replicas
	kv, err := patiently(ctx, j.waiter, func() (jetstream.KeyValue, error) {
		kv, err := j.js.KeyValue(ctx, cfg.Bucket)
		if errors.Is(err, jetstream.ErrBucketNotFound) {
			kv, err = j.js.CreateKeyValue(ctx, cfg)
		}
		return kv, err
	})
	if err != nil {
		return nil, engineError(err)
	}
	return &Table{j, kv, cfg.LimitMarkerTTL > 0}, nil
}

// markerTTL is how long the mark of a deleted row stays. It outlives every
// write of a former owner that may still be under way.
const markerTTL = time.Hour

// Get reads a row and its revision.
func (t *Table) Get(ctx context.Context, key string) ([]byte, uint64, error) {
	e, err := t.get(ctx, key)
	if errors.Is(err, jetstream.ErrKeyNotFound) {
		return nil, 0, ErrNoRow
	}
	if err != nil {
		return nil, 0, engineError(err)
	}
	return e.Value(), e.Revision(), nil
}

// get asks again while nobody answers: a table that was just made, or whose leader
// is gone, has nobody for a moment.
func (t *Table) get(ctx context.Context, key string) (e jetstream.KeyValueEntry, err error) {
	err = t.j.askAgain(ctx, func(ctx context.Context) (err error) {
		e, err = t.kv.Get(ctx, key)
		return err
	})
	return e, err
}

// Once gives a row that the first node makes that ever asks for it. It waits for
// the engine, as opening the table does.
func (t *Table) Once(ctx context.Context, key string, first func() ([]byte, error)) ([]byte, error) {
	return patiently(ctx, t.j.waiter, func() ([]byte, error) {
		value, _, err := t.Get(ctx, key)
		if !errors.Is(err, ErrNoRow) {
			return value, err
		}
		if value, err = first(); err != nil {
			return nil, err
		}
		if _, err = t.create(ctx, key, value); errors.Is(err, errRowChanged) { // another node was first
			return t.getMade(ctx, key)
		}
		return value, err
	})
}

// getMade gets a row that is known to be there. The replica that answers may not have
// it yet.
func (t *Table) getMade(ctx context.Context, key string) ([]byte, error) {
	for {
		value, _, err := t.Get(ctx, key)
		if !errors.Is(err, ErrNoRow) || pause(ctx, replicaPause) != nil {
			return value, err
		}
	}
}

// replicaPause is how long a replica is given to catch up before it is asked again.
const replicaPause = 10 * time.Millisecond

// Put writes a row.
func (t *Table) Put(ctx context.Context, key string, value []byte) error {
	_, err := t.write(ctx, func(ctx context.Context) (uint64, error) { return t.kv.Put(ctx, key, value) })
	return engineError(err)
}

// Drop takes a row away. Watchers are not told.
func (t *Table) Drop(ctx context.Context, key string) error {
	return engineError(t.purge(ctx, key))
}

// write has fn write unless the store takes nothing. An answer that is lost is not
// waited for as long as the caller has time.
func (t *Table) write(ctx context.Context, fn func(context.Context) (uint64, error)) (rev uint64, err error) {
	ctx, cancel := context.WithTimeout(ctx, t.j.requestTimeout())
	defer cancel()
	err = t.j.health.write(ctx, func(ctx context.Context) error {
		rev, err = fn(ctx)
		return err
	})
	return rev, err
}

func (t *Table) purge(ctx context.Context, key string, opts ...jetstream.KVDeleteOpt) error {
	ctx, cancel := context.WithTimeout(ctx, t.j.requestTimeout())
	defer cancel()
	return t.j.health.write(ctx, func(ctx context.Context) error { return t.kv.Purge(ctx, key, opts...) })
}

// errRowChanged says that somebody else wrote the row meanwhile.
var errRowChanged = errors.New("row was changed by another node")

// update writes a row if its revision is still this one; 0 means that it must
// not exist yet.
func (t *Table) update(ctx context.Context, key string, value []byte, revision uint64) (uint64, error) {
	rev, err := t.write(ctx, func(ctx context.Context) (uint64, error) { return t.kv.Update(ctx, key, value, revision) })
	if isCode(err, codeWrongFence, codeFenceBusy) {
		return 0, errRowChanged
	}
	return rev, engineError(err)
}

// create writes a row that must not exist. A deleted one does not.
func (t *Table) create(ctx context.Context, key string, value []byte) (uint64, error) {
	rev, err := t.write(ctx, func(ctx context.Context) (uint64, error) { return t.kv.Create(ctx, key, value) })
	if errors.Is(err, jetstream.ErrKeyExists) || isCode(err, codeWrongFence, codeFenceBusy) {
		return 0, errRowChanged
	}
	return rev, engineError(err)
}

// remove deletes a row of a fading table if its revision is still this one.
func (t *Table) remove(ctx context.Context, key string, revision uint64) error {
	err := t.purge(ctx, key, jetstream.LastRevision(revision), jetstream.PurgeTTL(markerTTL))
	if isCode(err, codeWrongFence, codeFenceBusy) {
		return errRowChanged
	}
	return engineError(err)
}

// Change reads a row, has fn make the new one, and writes it if nobody else
// wrote meanwhile; otherwise it tries again. fn gets nil if there is no row. In
// a fading table it may give nil, which deletes the row.
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
		switch {
		case value == nil && revision == 0:
			return nil
		case value == nil:
			err = t.remove(ctx, key, revision)
		case revision == 0:
			_, err = t.create(ctx, key, value)
		default:
			_, err = t.update(ctx, key, value, revision)
		}
		if !errors.Is(err, errRowChanged) {
			return err
		}
	}
}

// List gives all rows.
func (t *Table) List(ctx context.Context) (map[string][]byte, error) {
	rows := map[string][]byte{}
	err := t.j.health.read(ctx, func(ctx context.Context) error {
		clear(rows)
		return t.follow(ctx, func(key string, value []byte, deleted bool) {
			if !deleted {
				rows[key] = value
			}
		}, true)
	})
	return rows, err
}

// Below gives the rows whose keys begin with the prefix and a dot.
func (t *Table) Below(ctx context.Context, prefix string) (map[string][]byte, error) {
	w, err := t.kv.Watch(ctx, prefix+".>", jetstream.IgnoreDeletes())
	if err != nil {
		return nil, engineError(err)
	}
	defer func() { _ = w.Stop() }()
	rows := map[string][]byte{}
	for {
		select {
		case e, ok := <-w.Updates():
			if !ok {
				return nil, errors.Join(ctx.Err(), errWatchEnded)
			}
			if e == nil {
				return rows, nil
			}
			rows[e.Key()] = e.Value()
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// keys lists the rows whose names fit a pattern of the engine's.
func (t *Table) keys(ctx context.Context, pattern string) ([]string, error) {
	l, err := t.kv.ListKeysFiltered(ctx, pattern)
	if err != nil {
		return nil, engineError(err)
	}
	defer func() { _ = l.Stop() }()
	var keys []string
	for key := range l.Keys() {
		keys = append(keys, key)
	}
	return keys, ctx.Err()
}

// watch follows all rows until it is stopped or the engine in this process is
// started anew. The client would notice that only after ten seconds without a
// sign of life, and who hears nothing of a revoked key for so long trusts it.
func (t *Table) watch(ctx context.Context, opts ...jetstream.WatchOpt) (jetstream.KeyWatcher, error) {
	life := t.j.health.lifetime()
	w, err := t.kv.WatchAll(ctx, opts...)
	if err != nil {
		return nil, err
	}
	return livingWatch{w, context.AfterFunc(life, func() { _ = w.Stop() })}, nil
}

type livingWatch struct {
	jetstream.KeyWatcher
	stopped func() bool
}

func (w livingWatch) Stop() error {
	w.stopped()
	return w.KeyWatcher.Stop()
}

// Watch calls fn for every row and then for each change until ctx ends, or with
// an error until the engine ends the watch.
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
	w, err := patiently(ctx, t.j.waiter, func() (jetstream.KeyWatcher, error) { return t.watch(ctx) })
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
	w, err := t.watch(ctx)
	if err != nil {
		return engineError(err)
	}
	defer func() { _ = w.Stop() }()
	for {
		select {
		case e, ok := <-w.Updates():
			switch {
			case !ok:
				return errors.Join(ctx.Err(), errWatchEnded)
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
