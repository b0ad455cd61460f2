package journal

import (
	"context"
	"strings"
	"sync"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/session"
)

// A rowWatch is this node's one watch of the inbox table. Everybody who follows
// an inbox here is told by it: a watch for each of them would cost the engine a
// consumer, and it has room for about a thousand.
type rowWatch struct {
	mu      sync.Mutex
	running bool
	people  map[string]map[*followedRows]bool // by the first part of the key
}

// followedRows is what somebody has not been told yet: of each row the newest.
type followedRows struct {
	mu      sync.Mutex
	changed map[string]tableRow
	order   []string
	ended   bool
	kick    chan struct{}
}

// Watch calls fn for each of a person's rows, then once with Current, and then
// for each change on any node, until ctx ends or the engine ends the watch.
func (x *Inbox) Watch(ctx context.Context, user clew.UserID, fn func(session.InboxChange)) error {
	owner := ownerKey(user)
	f := &followedRows{changed: map[string]tableRow{}, kick: make(chan struct{}, 1)}
	if err := x.addFollower(ctx, owner, f); err != nil {
		return err
	}
	defer x.removeFollower(owner, f)
	told := map[string]uint64{}
	err := x.rows(ctx, owner+".*.*", func(r tableRow) {
		told[r.key] = r.revision
		if c, ok := changeOf(user, r); ok && r.live {
			fn(c)
		}
	})
	if err != nil {
		return err
	}
	fn(session.InboxChange{Current: true})
	for {
		select {
		case <-f.kick:
		case <-ctx.Done():
			return ctx.Err()
		}
		rows, ended := f.take()
		for _, r := range rows {
			if r.revision <= told[r.key] {
				continue
			}
			delete(told, r.key) // what follows comes in order
			if c, ok := changeOf(user, r); ok {
				fn(c)
			}
		}
		if ended {
			return errWatchEnded
		}
	}
}

func changeOf(user clew.UserID, r tableRow) (session.InboxChange, bool) {
	part := strings.Split(r.key, ".")
	if len(part) != 3 {
		return session.InboxChange{}, false
	}
	c := session.InboxChange{SessionID: clew.SessionID(part[1]), RequestID: clew.RequestID(part[2])}
	if r.live {
		row, err := decodeRow(r.value)
		if err != nil || row.User != user {
			return session.InboxChange{}, false
		}
		c.Item = &row.InboxItem
	}
	return c, true
}

// addFollower has f told of a person's rows from now on.
func (x *Inbox) addFollower(ctx context.Context, owner string, f *followedRows) error {
	w := &x.watch
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.running {
		updates, err := x.table.watch(context.WithoutCancel(ctx), jetstream.UpdatesOnly())
		if err != nil {
			return engineError(err)
		}
		w.running = true
		go w.run(updates)
	}
	if w.people[owner] == nil {
		w.people[owner] = map[*followedRows]bool{}
	}
	w.people[owner][f] = true
	return nil
}

func (x *Inbox) removeFollower(owner string, f *followedRows) {
	w := &x.watch
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.people[owner], f)
	if len(w.people[owner]) == 0 {
		delete(w.people, owner)
	}
}

// run tells followers of changes until the engine ends the watch, at the latest
// when the connection to it is closed.
func (w *rowWatch) run(updates jetstream.KeyWatcher) {
	defer w.end()
	defer func() { _ = updates.Stop() }()
	for e := range updates.Updates() {
		if e != nil {
			w.tell(tableRow{e.Key(), e.Revision(), e.Value(), e.Operation() == jetstream.KeyValuePut})
		}
	}
}

func (w *rowWatch) tell(r tableRow) {
	owner, _, _ := strings.Cut(r.key, ".")
	w.mu.Lock()
	defer w.mu.Unlock()
	for f := range w.people[owner] {
		f.put(r)
	}
}

// end lets everybody know that they hear no more. The next one who comes begins
// a new watch.
func (w *rowWatch) end() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.running = false
	for _, followers := range w.people {
		for f := range followers {
			f.end()
		}
	}
}

func (f *followedRows) put(r tableRow) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if _, waiting := f.changed[r.key]; !waiting {
		f.order = append(f.order, r.key)
	}
	f.changed[r.key] = r
	f.wake()
}

func (f *followedRows) end() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.ended = true
	f.wake()
}

func (f *followedRows) wake() {
	select {
	case f.kick <- struct{}{}:
	default:
	}
}

func (f *followedRows) take() (rows []tableRow, ended bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, key := range f.order {
		rows = append(rows, f.changed[key])
	}
	clear(f.changed)
	f.order = f.order[:0]
	return rows, f.ended
}
