package ipc

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/session/feed"
)

// pump sends what the feed brings until it ends or fails.
func (f *follower) pump() error {
	var items [batchItems]*feed.Item
	for {
		if f.ctx.Err() != nil {
			return errGone
		}
		if err := f.synced(); err != nil {
			return err
		}
		n, _, more, err := f.feed.Next(f.pos, items[:])
		switch {
		case errors.Is(err, feed.ErrBehind):
			pos, seq := f.feed.End()
			if err = f.fill(seq); err == nil {
				f.pos = pos
			}
		case err != nil:
			return err
		case n == 0:
			err = f.wait(more)
		default:
			err = f.sendItems(items[:n])
		}
		if err != nil {
			return err
		}
	}
}

// wait waits for more to come.
func (f *follower) wait(more <-chan struct{}) error {
	f.c.fmu.Lock()
	own := f.own
	f.c.fmu.Unlock()
	var quiet <-chan time.Time
	switch {
	case own && f.rests.Load() && !f.syncs:
		return errQuiet
	case !own:
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

// sendItems sends items as far as the client has room for them. It waits for
// room with nothing in its hands: the feed, or the journal, gives the rest again.
func (f *follower) sendItems(items []*feed.Item) error {
	defer f.c.wake()
	for _, it := range items {
		switch {
		case it.Seq == 0:
		case it.Seq <= f.last:
			f.pos++
			continue
		case it.Seq > f.last+1: // never a gap
			return f.fill(it.Seq)
		}
		if room := f.c.offer(it.Envelope); room != nil {
			clear(items)
			return f.await(room)
		}
		f.pos++
		if it.Seq > 0 {
			f.sent(it.Seq, it.Type, it.Envelope)
		}
		if err := f.synced(); err != nil {
			return err
		}
	}
	return nil
}

// await waits until the client has room.
func (f *follower) await(room <-chan struct{}) error {
	f.c.wake()
	select {
	case <-room:
		return nil
	case <-f.c.gone:
	case <-f.ctx.Done():
	}
	return errGone
}

// sent notes a record that is on its way.
func (f *follower) sent(seq uint64, typ clew.EventType, envelope []byte) {
	f.last = seq
	switch typ {
	case clew.EventTaskCreated, clew.EventTaskStarted, clew.EventTaskActive, clew.EventTaskUnpaused:
		f.rests.Store(false)
	case clew.EventTaskCompleted, clew.EventTaskAborted, clew.EventTaskIdle:
		if ofRoot(envelope) {
			f.rests.Store(true)
		}
	}
}

// ofRoot reports whether a task's event is about no other task's child.
func ofRoot(envelope []byte) bool {
	var e struct {
		Data clew.TaskRef `json:"data"`
	}
	return json.Unmarshal(envelope, &e) == nil && e.Data.ParentTaskID == ""
}

// synced says that the client has the present, once.
func (f *follower) synced() error {
	if !f.syncs || f.last < f.toSync {
		return nil
	}
	f.syncs = false
	f.c.tell(f.id, clew.EventSyncComplete, &clew.SyncComplete{LastMessageID: clew.MessageIDOf(f.toSync), Replayed: int(f.toSync - f.from)})
	return f.ctx.Err()
}

// fill sends the records up to one, read from the journal.
func (f *follower) fill(to uint64) error {
	for f.last < to {
		before := f.last
		room, err := f.readSpan(min(to, f.last+spanRecords))
		switch {
		case err != nil:
			return err
		case room != nil:
			err = f.await(room)
		case f.last == before:
			return clew.Errorf(clew.Unavailable, "the journal gave no records")
		}
		if err != nil {
			return err
		}
		if err := f.synced(); err != nil {
			return err
		}
	}
	return nil
}

// readSpan sends records as far as the client has room for them. When many
// clients come back at once, they take turns.
func (f *follower) readSpan(to uint64) (room <-chan struct{}, err error) {
	select {
	case f.c.s.places <- struct{}{}:
		defer func() { <-f.c.s.places }()
	case <-f.ctx.Done():
		return nil, errGone
	}
	if f.syncs && f.last < f.toSync {
		to = min(to, f.toSync) // sync_complete has its place
	}
	defer f.c.wake()
	ctx, cancel := context.WithTimeout(f.ctx, reattachWait)
	defer cancel()
	for r, err := range f.watch.Read(ctx, f.last+1, to) {
		if err != nil {
			return nil, err
		}
		if r.Seq != f.last+1 {
			return nil, clew.Errorf(clew.Internal, "the journal gave record %d after %d", r.Seq, f.last)
		}
		envelope := r.Envelope()
		if room := f.c.offer(envelope); room != nil {
			return room, nil
		}
		f.sent(r.Seq, r.Type, envelope)
	}
	return nil, nil
}
