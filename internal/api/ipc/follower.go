package ipc

import (
	"context"
	"errors"
	"runtime/debug"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/session"
	"github.com/clew-run/clew/wire"
)

// A follower sends one session to one client: a position in the session's feed,
// and the journal where the feed does not reach back that far. Records go by
// seq, without gaps and repeats. It belongs to its goroutine, except for own and
// its place among the client's, which are under fmu.
type follower struct {
	c      *conn
	id     clew.SessionID
	own    bool // the client has asked for it
	ctx    context.Context
	cancel context.CancelFunc
	done   chan struct{}

	watch  Watch
	feed   *session.Feed
	pos    uint64 // next position in feed
	last   uint64 // seq of the last record sent
	toSync uint64 // sync_complete is due after this record
	syncs  bool
	from   uint64
	lines  []byte
}

const (
	batchItems   = 64
	spanRecords  = 256
	spanBytes    = 64 << 10
	reattachWait = 30 * time.Second
	maxTries     = 8 // in a row that brought nothing
)

func newFollower(c *conn, id clew.SessionID) *follower {
	f := &follower{c: c, id: id, done: make(chan struct{})}
	f.ctx, f.cancel = context.WithCancel(c.ctx)
	return f
}

// end gives up its place and its hold on the session.
func (f *follower) end() {
	f.cancel()
	f.c.fmu.Lock()
	if f.c.follows[f.id] == f {
		delete(f.c.follows, f.id)
	}
	f.c.fmu.Unlock()
	if f.watch != nil {
		f.watch.Close()
	}
	close(f.done)
}

// attach finds the position. With the state, the client gets that first.
func (f *follower) attach(ctx context.Context, at cursor, state bool) error {
	w, err := f.c.s.o.Host.Watch(ctx, f.id)
	if err != nil {
		return err
	}
	f.watch, f.feed = w, w.Feed()
	_, head := f.feed.End()
	if !state {
		from, _ := at.start(head, w.Epoch())
		f.seek(from)
		return nil
	}
	st, err := w.State(ctx)
	if err != nil {
		return err
	}
	if st.LastMessageID != "" {
		if head, err = st.LastMessageID.Seq(); err != nil {
			return err
		}
	}
	from, lost := at.start(head, w.Epoch())
	if lost != nil {
		f.c.s.Send(f.c.id, errorEnvelope(f.id, lost, clew.ErrorContext{}))
	}
	st.ClientID, st.Epoch = f.c.id, w.Epoch()
	envelope, err := wire.Encode(clew.EventSessionState, f.id, "snap_"+string(clew.NewClientID()), time.Now().UnixMilli(), &st)
	if err != nil {
		return err
	}
	f.c.s.Send(f.c.id, envelope)
	f.seek(from)
	f.syncs, f.toSync, f.from = true, head, from
	return nil
}

// attachAfter finds the position behind a record that was just written.
func (f *follower) attachAfter(seq uint64) error {
	ctx, cancel := context.WithTimeout(f.ctx, reattachWait)
	defer cancel()
	w, err := f.c.s.o.Host.Watch(ctx, f.id)
	if err != nil {
		return err
	}
	f.watch, f.feed = w, w.Feed()
	f.seek(seq)
	return nil
}

// seek sets the position behind a record. Position 0 is in no feed: then the
// journal has to help.
func (f *follower) seek(last uint64) {
	f.last, f.pos = last, 0
	if pos, ok := f.feed.Seek(last); ok {
		f.pos = pos
	}
}

// errQuiet says that nothing has happened for a while in a session that the
// client did not ask for.
var errQuiet = errors.New("quiet")

// run sends until the client is gone or has no more use for it.
func (f *follower) run() {
	defer func() {
		if p := recover(); p != nil {
			f.c.s.o.Log.Error("panic in a follower", "session", f.id, "panic", p, "stack", string(debug.Stack()))
		}
	}()
	for tries, last := 0, f.last; ; last = f.last {
		err := f.pump()
		if tries++; f.last != last {
			tries = 0
		}
		if moved(err) && tries < maxTries {
			err = f.reattach(tries)
		}
		switch {
		case err == nil:
		case f.ctx.Err() != nil || errors.Is(err, errGone):
			return
		case errors.Is(err, errQuiet):
			if f.quit() {
				return
			}
		default:
			f.c.s.o.Log.Warn("local socket: a session cannot be followed", "session", f.id, "err", err)
			f.c.s.Send(f.c.id, errorEnvelope(f.id, clew.WrapError(clew.Unavailable, err, "the session cannot be followed right now; follow it again with resume_from"), clew.ErrorContext{}))
			return
		}
	}
}

// quit lets a quiet session go, unless the client has asked for it meanwhile or
// something has happened after all.
func (f *follower) quit() bool {
	f.c.fmu.Lock()
	defer f.c.fmu.Unlock()
	if _, seq := f.feed.End(); f.own || seq > f.last {
		return false
	}
	if f.c.follows[f.id] == f {
		delete(f.c.follows, f.id) // the next record makes another follower
	}
	return true
}

// pump sends what the feed brings until it ends or fails.
func (f *follower) pump() error {
	var items [batchItems]*session.Item
	for {
		if err := f.synced(); err != nil {
			return err
		}
		n, _, wait, err := f.feed.Next(f.pos, items[:])
		switch {
		case errors.Is(err, session.ErrBehind):
			pos, seq := f.feed.End()
			if err := f.fill(seq); err != nil {
				return err
			}
			f.pos = pos
		case err != nil:
			return err
		case n == 0:
			if err := f.wait(wait); err != nil {
				return err
			}
		default:
			if err := f.sendItems(items[:n]); err != nil {
				return err
			}
		}
	}
}

func (f *follower) wait(more <-chan struct{}) error {
	f.c.fmu.Lock()
	own := f.own
	f.c.fmu.Unlock()
	var quiet <-chan time.Time
	if !own {
		t := time.NewTimer(f.c.s.o.QuietAfter)
		defer t.Stop()
		quiet = t.C
	}
	select {
	case <-more:
		return nil
	case <-quiet:
		return errQuiet
	case <-f.ctx.Done():
		return errGone
	}
}

func (f *follower) sendItems(items []*session.Item) error {
	for _, it := range items {
		f.pos++
		switch {
		case it.Seq == 0:
		case it.Seq <= f.last:
			continue
		case it.Seq > f.last+1: // never a gap
			if err := f.flush(); err != nil {
				return err
			}
			if err := f.fill(it.Seq); err != nil {
				return err
			}
			continue
		default:
			f.last = it.Seq
		}
		f.lines = wire.AppendTaskEvent(f.lines, "", it.Envelope)
		if f.syncs && f.last == f.toSync {
			if err := f.synced(); err != nil {
				return err
			}
		}
	}
	return f.flush()
}

func (f *follower) flush() error {
	if len(f.lines) == 0 {
		return nil
	}
	err := f.c.push(f.lines)
	if f.lines = f.lines[:0]; cap(f.lines) > spanBytes {
		f.lines = nil
	}
	return err
}

// synced says that the client has the present, once.
func (f *follower) synced() error {
	if !f.syncs || f.last < f.toSync {
		return nil
	}
	f.syncs = false
	if err := f.flush(); err != nil {
		return err
	}
	f.c.tell(f.id, clew.EventSyncComplete, &clew.SyncComplete{LastMessageID: clew.MessageIDOf(f.toSync), Replayed: int(f.toSync - f.from)})
	return nil
}

// fill sends the records up to one, read from the journal.
func (f *follower) fill(to uint64) error {
	for f.last < to {
		before := f.last
		if err := f.readSpan(min(to, f.last+spanRecords)); err != nil {
			return err
		}
		if f.last == before {
			return clew.Errorf(clew.Unavailable, "the journal gave no records")
		}
		if err := f.flush(); err != nil {
			return err
		}
		if err := f.synced(); err != nil {
			return err
		}
	}
	return nil
}

// readSpan gathers lines. When many clients come back at once, they take turns.
func (f *follower) readSpan(to uint64) error {
	select {
	case f.c.s.places <- struct{}{}:
		defer func() { <-f.c.s.places }()
	case <-f.ctx.Done():
		return errGone
	}
	if f.syncs && f.last < f.toSync {
		to = min(to, f.toSync) // sync_complete has its place
	}
	ctx, cancel := context.WithTimeout(f.ctx, reattachWait)
	defer cancel()
	for r, err := range f.watch.Read(ctx, f.last+1, to) {
		if err != nil {
			return err
		}
		if r.Seq != f.last+1 {
			return clew.Errorf(clew.Internal, "the journal gave record %d after %d", r.Seq, f.last)
		}
		f.last = r.Seq
		f.lines = wire.AppendTaskEvent(f.lines, "", r.Envelope())
		if len(f.lines) >= spanBytes {
			return nil
		}
	}
	return nil
}

// moved reports whether the session may be reached by another way.
func moved(err error) bool {
	return errors.Is(err, session.ErrFeedClosed) || errors.Is(err, context.DeadlineExceeded) ||
		clew.CodeOf(err) == clew.Unavailable || clew.CodeOf(err) == clew.StorageFailed
}

// reattach follows the session to where it lives now, the slower the more often
// that was in vain.
func (f *follower) reattach(tries int) error {
	epoch := f.watch.Epoch()
	f.watch.Close()
	f.watch = nil
	ctx, cancel := context.WithTimeout(f.ctx, reattachWait)
	defer cancel()
	for pause := 10 * time.Millisecond << tries; ; pause = min(2*pause, time.Second) {
		if tries > 0 && !f.pause(ctx, pause) {
			return ctx.Err()
		}
		tries++
		w, err := f.c.s.o.Host.Watch(ctx, f.id)
		if err == nil {
			f.watch, f.feed = w, w.Feed()
			break
		}
		if !moved(err) {
			return err
		}
	}
	if f.watch.Epoch() != epoch {
		f.c.s.Send(f.c.id, errorEnvelope(f.id, errCursorLost, clew.ErrorContext{}))
		_, f.last = f.feed.End()
	}
	f.seek(f.last)
	return nil
}

func (f *follower) pause(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}
