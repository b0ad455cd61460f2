package gateway

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/gobwas/ws"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/planted"
	"github.com/clew-run/clew/internal/session/feed"
)

// synchronise brings a new connection to the present: session_state, then the
// records after its cursor, or CURSOR_LOST if the journal does not have it, then
// sync_complete. Records go by seq, so replay
// and live meet without a gap or a repeat.
//
// The text of messages that are still growing is in session_state's
// open_messages and is not sent again. Streamed text that comes after the
// snapshot was begun is sent live; where it overlaps with open_messages, its
// offset says so.
func (c *conn) synchronise() error {
	c.mu.Lock()
	at := *c.sync
	c.sync = nil
	early := c.cutOut(c.early)
	c.mu.Unlock()
	for _, o := range early {
		if err := c.writeBytes(o.frame, 1); err != nil {
			return err
		}
	}
	if c.view == clew.ViewState {
		return c.synchroniseState(at)
	}
	st, err := c.attach()
	if err != nil {
		return err
	}
	// Access may have changed between the connect and the feed's position; from
	// here on a record tells.
	if err := c.checkAccess(); err != nil {
		return err
	}
	head, err := headOf(st)
	if err != nil {
		return err
	}
	from, lost := at.start(head, c.watch.Epoch())
	if err := c.writeBytes(c.stateFrame(st, c.watch.Epoch()), 1); err != nil {
		return err
	}
	if lost != nil {
		if err := c.writeBytes(c.errorFrame(lost, clew.ErrorContext{}), 1); err != nil {
			return err
		}
	}
	c.last = from
	if err := c.replay(head); err != nil {
		return err
	}
	c.g.Counters.Replayed.Add(int64(head - from))
	done := &clew.SyncComplete{LastMessageID: st.LastMessageID, Replayed: int(head - from)}
	return c.writeBytes(c.answerFrame(clew.EventSyncComplete, done), 1)
}

// start says after which record a client goes on, given the journal's head. A
// cursor that the journal does not have gives CURSOR_LOST and head.
func (at cursor) start(head uint64, epoch string) (uint64, error) {
	switch at.resumeFrom {
	case "":
		return head, nil
	case "start":
		return 0, nil
	}
	seq, err := clew.MessageID(at.resumeFrom).Seq()
	switch { // each is a bug of the campaign's
	case planted.Bug("cursor off by one"):
		seq = min(seq+1, head)
	case planted.Bug("record sent again"):
		seq = max(seq, 1) - 1
	case planted.Bug("epoch not compared"):
		epoch = at.epoch
	case planted.Bug("cursor beyond the end taken"):
		seq = min(seq, head)
	}
	if err != nil || seq > head || at.epoch != "" && at.epoch != epoch {
		return head, clew.Errorf(clew.CursorLost, "the session has no such position, as after a restore from a backup; this is what it has")
	}
	return seq, nil
}

// headOf gives the seq of the newest record in a state.
func headOf(st clew.SessionState) (uint64, error) {
	if st.LastMessageID == "" {
		return 0, nil
	}
	return st.LastMessageID.Seq()
}

// attach gets a Watch and a snapshot, and sets the position from which the
// feed is followed. The position is taken before the snapshot, so that nothing
// falls between the two.
func (c *conn) attach() (st clew.SessionState, err error) {
	err = c.retry(func(ctx context.Context) error {
		w, err := c.g.o.Host.Watch(ctx, c.session)
		if err != nil {
			return err
		}
		feed := w.Feed()
		pos, seq := feed.End()
		if st, err = w.State(ctx); err != nil {
			w.Close()
			return err
		}
		head, err := headOf(st)
		if err != nil {
			w.Close()
			return err
		}
		c.watch, c.feed, c.pos, c.gate = w, feed, pos, 0
		if seq < head {
			c.gate = head
		}
		return nil
	})
	return st, err
}

// replay sends the records after c.last up to head, from the feed as long as
// it holds them, else from the journal.
func (c *conn) replay(head uint64) error {
	for c.last < head {
		if err := c.recheckAccess(); err != nil {
			return err
		}
		pos, ok := c.feed.Seek(c.last)
		if !ok {
			return c.fill(head)
		}
		sent, err := c.replayBatch(pos, head)
		if err != nil {
			return err
		}
		if !sent { // the feed moved on meanwhile
			return c.fill(head)
		}
	}
	return nil
}

// replayBatch sends records from a position of the feed, leaving out streamed
// text: what of it still matters is in the snapshot.
func (c *conn) replayBatch(pos, head uint64) (sent bool, err error) {
	b := batches.Get().(*batch)
	defer b.free()
	before := c.last
	for c.last == before {
		n, _, _, err := c.feed.Next(pos, b.items[:])
		if err != nil || n == 0 {
			return false, nil
		}
		f := c.filter.Load()
		for _, it := range b.items[:n] {
			pos++
			if it.Seq != c.last+1 || it.Seq > head {
				continue
			}
			c.last = it.Seq
			c.recheck = c.recheck || it.Type == clew.EventAccessChanged
			if !f.hides(monitorOf(it.Frame())) {
				b.add(it.Frame())
			}
			if c.recheck { // who lost access hears nothing more
				break
			}
		}
	}
	if err := c.write(b); err != nil {
		return false, err
	}
	return true, c.flush()
}

const (
	fillSpan  = 4096     // records asked of the journal at once
	fillBytes = 32 << 10 // gathered before a write
	fillStall = 15 * time.Second
	// fillers is how many connections read the journal at the same time. When
	// thousands come back at once, more would only make all of them slower.
	fillers = 64
)

var fillBuffers = sync.Pool{New: func() any { b := make([]byte, 0, fillBytes+4<<10); return &b }}

// fill sends the records after c.last up to to, read from the journal. Memory
// stays bounded however many there are.
func (c *conn) fill(to uint64) error {
	buf := fillBuffers.Get().(*[]byte)
	defer func() {
		if cap(*buf) <= 2*fillBytes {
			fillBuffers.Put(buf)
		}
	}()
	for c.last < to {
		before := c.last
		err := c.fillSpan(buf, min(to, c.last+fillSpan))
		if err == nil && c.last == before {
			err = clew.Errorf(clew.Unavailable, "the journal gave no records")
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (c *conn) fillSpan(buf *[]byte, to uint64) error {
	ctx, cancel := context.WithCancel(c.g.ctx)
	defer cancel()
	stall := time.AfterFunc(fillStall, cancel)
	defer stall.Stop()
	b, frames := (*buf)[:0], 0
	defer func() { *buf = b[:0] }()
	c.g.fillers <- struct{}{}
	defer func() { <-c.g.fillers }()
	for r, err := range c.watch.Read(ctx, c.last+1, to) {
		if err == nil && r.Seq != c.last+1 {
			err = fmt.Errorf("journal gave record %d after %d", r.Seq, c.last)
		}
		if err != nil {
			if werr := c.writeBytes(b, frames); werr != nil {
				return werr
			}
			return err
		}
		c.last = r.Seq
		c.recheck = c.recheck || r.Type == clew.EventAccessChanged
		c.g.Counters.CaughtUp.Add(1)
		if f := c.filter.Load(); f == nil || !f.hides([]byte(monitorIn(r.Envelope()))) {
			b = appendFrame(b, ws.OpText, r.Envelope())
			frames++
		}
		if len(b) >= fillBytes || c.recheck {
			if err := c.sendFill(b, frames); err != nil {
				return err
			}
			b, frames = b[:0], 0
			stall.Reset(fillStall)
		}
	}
	return c.sendFill(b, frames)
}

// sendFill sends what was read, and the answers that are due. Meanwhile another
// connection may read: a slow client must not keep the others waiting.
func (c *conn) sendFill(b []byte, frames int) error {
	<-c.g.fillers
	defer func() { c.g.fillers <- struct{}{} }()
	if err := c.writeBytes(b, frames); err != nil {
		return err
	}
	if err := c.recheckAccess(); err != nil {
		return err
	}
	return c.flush()
}

// catchUp brings a writer whose position the feed no longer holds back to the
// present, from the journal. Streamed text in between is lost to it; the next
// message_updated makes up for that.
func (c *conn) catchUp() error {
	if c.view == clew.ViewState {
		return c.resync()
	}
	pos, seq := c.feed.End()
	c.gate = 0
	if err := c.fill(max(seq, c.last)); err != nil {
		if recoverable(err) {
			return c.reattach()
		}
		return err
	}
	c.pos = pos
	return nil
}

// reattach follows the session to where it lives now, without the client
// noticing.
func (c *conn) reattach() error {
	c.g.Counters.Reattached.Add(1)
	epoch := c.watch.Epoch()
	c.watch.Close()
	c.watch = nil
	c.g.reg.moved(c.session) // whoever owns it now has to be told
	return c.retry(func(ctx context.Context) error {
		w, err := c.g.o.Host.Watch(ctx, c.session)
		if err != nil {
			return err
		}
		if w.Epoch() != epoch {
			w.Close()
			return errNewEpoch
		}
		c.watch, c.feed, c.gate = w, w.Feed(), 0
		if c.view == clew.ViewState {
			return c.goOn(ctx)
		}
		pos, seq := c.feed.End()
		if err := c.replay(max(seq, c.last)); err != nil {
			c.watch = nil
			w.Close()
			return err
		}
		c.pos = pos
		return nil
	})
}

// errNewEpoch ends a connection whose session was restored from an older
// state: what the client has seen is not the past any more.
var errNewEpoch = clew.Errorf(clew.CursorLost, "the server was restored from a backup; connect again for the session as it is there")

// recoverable reports whether trying again can help.
func recoverable(err error) bool {
	var broken *socketError
	switch {
	case errors.As(err, &broken), errors.Is(err, errClosing):
		return false
	case errors.Is(err, feed.ErrClosed): // it moved between two steps
		return true
	}
	var e *clew.Error
	if !errors.As(err, &e) {
		return errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled)
	}
	return e.Code == clew.Unavailable || e.Code == clew.StorageFailed
}

// retry calls fn until it succeeds, fails for good, or the time for it is
// over. Between the calls the client still gets its answers.
func (c *conn) retry(fn func(context.Context) error) error {
	whole, cancel := context.WithTimeout(c.g.ctx, c.g.limits.ReattachWait)
	defer cancel()
	deadline := c.g.o.Clock.Elapsed() + c.g.limits.ReattachWait
	for pause := 20 * time.Millisecond; ; pause = min(2*pause, time.Second) {
		err := fn(whole)
		if err == nil || !recoverable(err) || c.g.o.Clock.Elapsed()+pause >= deadline {
			return unavailable(err)
		}
		if err := c.pause(pause); err != nil {
			return err
		}
	}
}

// unavailable gives a bare time-out, or a session that keeps moving, the code
// it stands for.
func unavailable(err error) error {
	var e *clew.Error
	if err == nil || errors.As(err, &e) {
		return err
	}
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) || errors.Is(err, feed.ErrClosed) {
		return clew.WrapError(clew.Unavailable, err, "the session cannot be reached right now")
	}
	return err
}

// pause waits unless the connection ends.
func (c *conn) pause(d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	for {
		if err := c.closing(); err != nil {
			return err
		}
		select {
		case <-t.C:
			return nil
		case <-c.signal:
		}
	}
}
