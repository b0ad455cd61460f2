package ipc

import (
	"context"
	"errors"
	"runtime/debug"
	"sync/atomic"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/session/feed"
	"github.com/clew-run/clew/wire"
)

// A follower sends one session to one client: a position in the session's feed,
// and the journal where the feed does not reach back that far. Records go by
// seq, without gaps and repeats. It belongs to its goroutine, except for own,
// whole and its place among the client's, which are under fmu. It holds nothing
// that waits to be sent: what the client has no room for stays where it is.
type follower struct {
	c      *conn
	id     clew.SessionID
	own    bool // the client has asked for it
	whole  bool // it began at the session's first record
	ctx    context.Context
	cancel context.CancelFunc
	done   chan struct{}
	rests  atomic.Bool // no task is at work in the session; others may look

	// after is where the client stopped hearing of the session on this
	// connection, nil if it begins only now.
	after *place
	left  *place // where another follower left it; the word of a record may come late
	begun bool   // the reader's: it has its goroutine

	watch  Watch
	feed   *feed.Feed
	pos    uint64 // next position in feed
	last   uint64 // seq of the last record sent
	toSync uint64 // sync_complete is due after this record
	syncs  bool
	from   uint64
}

// A place is a position in a session's journal.
type place struct {
	seq   uint64
	epoch string
	whole bool // the client has all before it
}

const (
	batchItems   = 64
	spanRecords  = 256
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
	f.hold(w)
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
		f.tell(lost)
	}
	st.ClientID, st.Epoch = f.c.id, w.Epoch()
	envelope, err := wire.Encode(clew.EventSessionState, f.id, "snap_"+string(clew.NewClientID()), time.Now().UnixMilli(), &st)
	if err != nil {
		return err
	}
	f.c.s.Send(f.c.id, envelope)
	f.seek(from)
	f.syncs, f.toSync, f.from = true, head, from
	f.rests.Store(st.Status == clew.StatusIdle)
	return nil
}

// attachAfter finds the position behind a record that was just written, or where
// the client stopped hearing of the session.
func (f *follower) attachAfter(seq uint64) error {
	ctx, cancel := context.WithTimeout(f.ctx, reattachWait)
	defer cancel()
	if err := f.open(ctx, 0); err != nil {
		return err
	}
	if f.after != nil {
		f.goOn(*f.after)
		return nil
	}
	if f.left != nil && f.left.epoch == f.watch.Epoch() {
		seq = max(seq, f.left.seq)
	}
	f.seek(seq)
	return nil
}

// goOn sets the position behind what the client has. In another journal that
// means nothing, and the client is told.
func (f *follower) goOn(at place) {
	if at.epoch != f.watch.Epoch() {
		f.tell(errCursorLost)
		_, at.seq = f.feed.End()
	}
	f.seek(at.seq)
}

func (f *follower) hold(w Watch) { f.watch, f.feed = w, w.Feed() }

// seek sets the position behind a record. Position 0 is in no feed: then the
// journal has to help.
func (f *follower) seek(last uint64) {
	f.last, f.pos = last, 0
	if pos, ok := f.feed.Seek(last); ok {
		f.pos = pos
	}
}

// errQuiet says that nothing is to be expected in a session: its task has ended,
// or nothing has happened for a while and the client did not ask for it.
var errQuiet = errors.New("quiet")

// run sends until the client is gone or has no more use for it. What went wrong
// the client is told: it has a gap then.
func (f *follower) run() {
	defer func() {
		if p := recover(); p != nil {
			f.c.s.o.Log.Error("panic in a follower", "session", f.id, "panic", p, "stack", string(debug.Stack()))
			f.broken(clew.Errorf(clew.Internal, "internal error"))
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
		case errors.Is(err, errQuiet):
			if f.quit() {
				return
			}
		default:
			f.broken(err)
			return
		}
	}
}

// broken tells the client that the session is not followed any more.
func (f *follower) broken(err error) {
	if f.ctx.Err() != nil || errors.Is(err, errGone) {
		return
	}
	f.c.s.o.Log.Warn("local socket: a session cannot be followed", "session", f.id, "err", err)
	if clew.CodeOf(err) != clew.SessionNotFound {
		err = clew.WrapError(clew.Unavailable, err, "the session cannot be followed right now; follow it again with resume_from")
	}
	f.tell(err)
}

func (f *follower) tell(err error) {
	f.c.s.Send(f.c.id, errorEnvelope(f.id, err, clew.ErrorContext{}))
}

// quit lets the session go, unless there is a reason to stay after all. The next
// record makes another follower: one that the client asked for goes on here.
func (f *follower) quit() bool {
	f.c.fmu.Lock()
	defer f.c.fmu.Unlock()
	if f.c.follows[f.id] != f {
		return true
	}
	if f.own && !f.rests.Load() {
		return false
	}
	if f.own { // before the look at the feed: what comes after that look is heard of
		f.c.resting[f.id] = place{f.last, f.watch.Epoch(), f.whole}
		f.c.recount()
	}
	if f.stirs() {
		delete(f.c.resting, f.id)
		f.c.recount()
		return false
	}
	if !f.own {
		if len(f.c.left) >= maxLeft {
			clear(f.c.left)
		}
		f.c.left[f.id] = place{f.last, f.watch.Epoch(), f.whole}
	}
	delete(f.c.follows, f.id)
	return true
}

// maxLeft is of how many sessions that a client let go of lately their ends are
// remembered.
const maxLeft = 1024

// stirs reports whether there is something to send after all, or the session has
// got another feed, which this one does not know of.
func (f *follower) stirs() bool {
	_, seq := f.feed.End()
	_, _, _, err := f.feed.Next(f.pos, nil)
	return seq > f.last || err != nil
}

// moved reports whether the session may be reached by another way.
func moved(err error) bool {
	return errors.Is(err, feed.ErrClosed) || errors.Is(err, context.DeadlineExceeded) ||
		clew.CodeOf(err) == clew.Unavailable || clew.CodeOf(err) == clew.StorageFailed
}

// reattach follows the session to where it lives now.
func (f *follower) reattach(tries int) error {
	at := place{seq: f.last, epoch: f.watch.Epoch()}
	f.watch.Close()
	f.watch = nil
	ctx, cancel := context.WithTimeout(f.ctx, reattachWait)
	defer cancel()
	if err := f.open(ctx, tries); err != nil {
		return err
	}
	f.goOn(at)
	return nil
}

// open gets hold of the session, the slower the more often that was in vain.
func (f *follower) open(ctx context.Context, tries int) error {
	for pause := 10 * time.Millisecond << tries; ; pause = min(2*pause, time.Second) {
		if tries > 0 && !f.pause(ctx, pause) {
			return ctx.Err()
		}
		tries++
		w, err := f.c.s.o.Host.Watch(ctx, f.id)
		if err == nil {
			f.hold(w)
			return nil
		}
		if !moved(err) {
			return err
		}
	}
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
