package search

import (
	"context"
	"database/sql"
	"errors"
	"math"
	"sync"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/session"
	"github.com/clew-run/clew/internal/session/core"
	"github.com/clew-run/clew/internal/session/view"
)

// Source is what the index is made of.
type Source struct {
	Journal view.Reader
	// List gives sessions as their owners' lists have them.
	List func(ctx context.Context, q session.ListQuery) ([]core.Summary, string, error)
	// Watch calls fn for lines of the lists that change, on any node, until ctx or the
	// watch ends. Before it is called first, ready is.
	Watch func(ctx context.Context, ready func(), fn func(core.Summary)) error
}

const (
	// waitingMax bounds the sessions that wait by name. Beyond, all are looked at again.
	waitingMax = 100_000
	// atHand is how many sessions are followed from memory.
	atHand = 32
	// listPage is how many sessions are looked at together.
	listPage = 1024
	// restEvery and restShare bound what indexing takes of the machine: a session is
	// not read more often than that, nor in more than this part of the time.
	restEvery = 100 * time.Millisecond
	restShare = 10
	restMax   = 5 * time.Second
	// watchAgain is how long to wait when the watch ended.
	watchAgain = time.Second
)

// A queue is what the index has yet to take in. Its zero value is not ready.
type queue struct {
	mu      *sync.Mutex
	waiting map[clew.SessionID]bool
	// scan says that every session has to be looked at, scanning that this is under way.
	scan, scanning bool
	busy           bool // somebody takes in what waited
	kick           chan struct{}
	settled        chan struct{} // closed when nothing waits
}

func newQueue() queue {
	return queue{mu: &sync.Mutex{}, waiting: map[clew.SessionID]bool{}, scan: true, kick: make(chan struct{}, 1), settled: make(chan struct{})}
}

func (q *queue) add(id clew.SessionID) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.waiting) >= waitingMax {
		q.scan = true
	} else {
		q.waiting[id] = true
	}
	q.wake()
}

func (q *queue) again() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.scan = true
	q.wake()
}

func (q *queue) wake() {
	select {
	case <-q.settled:
		q.settled = make(chan struct{})
	default:
	}
	select {
	case q.kick <- struct{}{}:
	default:
	}
}

// take gives what waits. The former is done.
func (q *queue) take() (ids []clew.SessionID, scan bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	scan = q.scan
	q.scan, q.scanning = false, scan
	ids = q.empty()
	q.busy = scan || len(ids) > 0
	if !q.busy {
		select {
		case <-q.settled:
		default:
			close(q.settled)
		}
	}
	return ids, scan
}

// takeIDs gives the sessions that wait.
func (q *queue) takeIDs() []clew.SessionID {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.empty()
}

func (q *queue) empty() (ids []clew.SessionID) {
	for id := range q.waiting {
		ids = append(ids, id)
	}
	clear(q.waiting)
	return ids
}

// Progress says how far the index is behind the journals.
type Progress struct {
	Indexing bool `json:"indexing" doc:"The index is behind: there may be more than what was found"`
	Waiting  int  `json:"waiting,omitempty" doc:"Sessions that are known to have something new"`
}

// Progress says how far the index is behind.
func (x *Index) Progress() Progress {
	q := &x.queue
	q.mu.Lock()
	defer q.mu.Unlock()
	return Progress{Indexing: q.scan || q.scanning || q.busy || len(q.waiting) > 0, Waiting: len(q.waiting)}
}

// Settled waits until everything is taken in that was said to be new.
func (x *Index) Settled(ctx context.Context) error {
	x.queue.mu.Lock()
	settled := x.queue.settled
	x.queue.mu.Unlock()
	select {
	case <-settled:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Notice says that a session has new records. It never waits.
func (x *Index) Notice(id clew.SessionID) { x.queue.add(id) }

// Follow keeps the index up to date until ctx ends. Only one may run.
func (x *Index) Follow(ctx context.Context, src Source) {
	var watch sync.WaitGroup
	defer watch.Wait()
	watch.Go(func() { x.watchLists(ctx, src) })
	known := newKnown()
	for ctx.Err() == nil {
		ids, scan := x.queue.take()
		if len(ids) == 0 && !scan {
			select {
			case <-x.queue.kick:
			case <-ctx.Done():
			}
			continue
		}
		began := time.Now()
		for _, id := range ids {
			x.follow(ctx, src, known, id)
		}
		rest(ctx, min(max(restEvery, restShare*time.Since(began)), restMax))
		if scan {
			x.scan(ctx, src, known)
		}
	}
}

func rest(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}

func (x *Index) watchLists(ctx context.Context, src Source) {
	for ctx.Err() == nil {
		err := src.Watch(ctx, x.queue.again, func(s core.Summary) { x.heard(ctx, s) })
		if ctx.Err() == nil {
			x.log.Warn("the search index cannot follow other nodes and tries again", "err", err)
		}
		rest(ctx, watchAgain)
	}
}

// erasedLine reports whether a line is what is left of an erased session.
func erasedLine(s core.Summary) bool { return s.Gone && s.LastSeq == math.MaxInt64 }

// heard takes in a line of a list.
func (x *Index) heard(ctx context.Context, s core.Summary) {
	if erasedLine(s) {
		if err := x.Forget(ctx, s.ID); err != nil && ctx.Err() == nil {
			x.log.Error("an erased session's words are still in the search index; it is tried again", "session", s.ID, "err", err)
		}
		return
	}
	if s.Gone || s.EraseMS > 0 {
		return
	}
	if seq, err := x.Indexed(ctx, s.ID); err != nil || seq < s.LastSeq {
		x.queue.add(s.ID)
	}
}

// scan takes in every session that has more than the index, and between them those
// that get something new. It leaves half of its time to others.
func (x *Index) scan(ctx context.Context, src Source, known *known) {
	q := session.ListQuery{Everyone: true, All: true, Limit: listPage}
	for {
		list, next, err := src.List(ctx, q)
		if err != nil {
			if ctx.Err() == nil {
				x.log.Warn("the search index could not look through the sessions and tries again", "err", err)
				x.queue.again()
			}
			return
		}
		for _, s := range list {
			if seq, err := x.Indexed(ctx, s.ID); s.EraseMS > 0 || err == nil && seq >= s.LastSeq {
				continue
			}
			began := time.Now()
			x.follow(ctx, src, nil, s.ID)
			for _, id := range x.queue.takeIDs() {
				x.follow(ctx, src, known, id)
			}
			rest(ctx, time.Since(began))
			if ctx.Err() != nil {
				return
			}
		}
		if q.Cursor = next; next == "" {
			return
		}
	}
}

// follow takes in what is new of a session. One that cannot be read stays as it is
// until it has something new again.
func (x *Index) follow(ctx context.Context, src Source, known *known, id clew.SessionID) {
	f := known.get(id)
	var err error
	if f == nil {
		f, err = newFollower(ctx, x, src.Journal, id)
	}
	if err == nil {
		err = f.advance(ctx)
	}
	switch {
	case err == nil:
		known.put(f)
		return
	case ctx.Err() != nil || errors.Is(err, errErased) || errors.Is(err, errMadeAnew) || x.repair(err):
	case clew.CodeOf(err) == clew.SessionNotFound:
	default:
		x.log.Warn("a session could not be taken into the search index", "session", id, "err", err)
	}
	known.drop(id)
}

// A position is where the index stands in a session.
type position struct {
	made int
	seq  uint64
	hash string // of that record
}

func (x *Index) position(ctx context.Context, id clew.SessionID) (at position, err error) {
	x.files.RLock()
	defer x.files.RUnlock()
	at.made = x.made
	erased := false
	err = x.read.QueryRowContext(ctx, "SELECT seq, hash, erased FROM sessions WHERE id = ?", string(id)).Scan(&at.seq, &at.hash, &erased)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return at, nil
	case erased:
		return at, errErased
	}
	return at, err
}

// known are the sessions that are followed from memory, the latest ones.
type known struct {
	byID  map[clew.SessionID]*follower
	order []clew.SessionID // the one that was used longest ago first
}

func newKnown() *known { return &known{byID: map[clew.SessionID]*follower{}} }

func (k *known) get(id clew.SessionID) *follower {
	if k == nil {
		return nil
	}
	return k.byID[id]
}

func (k *known) put(f *follower) {
	if k == nil {
		return
	}
	k.drop(f.id)
	if len(k.order) >= atHand {
		k.drop(k.order[0])
	}
	k.byID[f.id] = f
	k.order = append(k.order, f.id)
}

func (k *known) drop(id clew.SessionID) {
	if k == nil {
		return
	}
	delete(k.byID, id)
	for i, other := range k.order {
		if other == id {
			k.order = append(k.order[:i], k.order[i+1:]...)
			break
		}
	}
}
