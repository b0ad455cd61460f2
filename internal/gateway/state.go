package gateway

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/session/feed"
	"github.com/clew-run/clew/internal/session/view"
)

// The view `state`: a connection is told what changed of the state, and no
// records. c.last is the position that the client has, the To of a change.

// synchroniseState brings a new connection to the present: who it is, what
// changed since its cursor or all of it, and sync_complete.
func (c *conn) synchroniseState(at cursor) error {
	var change *view.Change
	var lost bool
	err := c.retry(func(ctx context.Context) error {
		w, err := c.g.o.Host.Watch(ctx, c.session)
		if err != nil {
			return err
		}
		var seq uint64
		if seq, lost = at.position(w.Epoch()); seq > 0 {
			c.last = seq
		}
		var pos uint64
		if change, pos, err = w.Since(ctx, seq); err != nil {
			w.Close()
			return err
		}
		lost = lost || seq > change.Head
		c.watch, c.feed, c.pos = w, w.Feed(), pos
		return nil
	})
	if err != nil {
		return err
	}
	// Access may have changed between the connect and the feed's position; from
	// here on a record tells.
	if err := c.checkAccess(); err != nil {
		return err
	}
	if err := c.writeBytes(c.connectedFrame(), 1); err != nil {
		return err
	}
	if err := c.sendChange(change, true); err != nil {
		return err
	}
	if lost {
		if err := c.writeBytes(c.errorFrame(errCursorLost, clew.ErrorContext{}), 1); err != nil {
			return err
		}
	}
	done := &clew.SyncComplete{LastMessageID: clew.MessageIDOf(change.To)}
	return c.writeBytes(c.answerFrame(clew.EventSyncComplete, done), 1)
}

var errCursorLost = clew.Errorf(clew.CursorLost, "the session has no such position, as after a restore from a backup; this is what it has")

// position is what a client has, 0 for nothing. lost says that it has something
// else than this journal.
func (at cursor) position(epoch string) (seq uint64, lost bool) {
	if at.resumeFrom == "" || at.resumeFrom == "start" {
		return 0, false
	}
	seq, err := clew.MessageID(at.resumeFrom).Seq()
	if err != nil || at.epoch != "" && at.epoch != epoch {
		return 0, true
	}
	return seq, false
}

// sendChange sends a change to this client alone.
func (c *conn) sendChange(change *view.Change, always bool) error {
	it := feed.NewChangeItem(c.g.now(), change, Frame)
	frame := it.StateFrame(c.filter.Load().shows())
	if frame != nil {
		c.g.told(it)
	}
	c.last = change.To
	if frame == nil && always { // nothing changed: the client is told where it stands
		data, _ := change.Data(func(clew.MonitorID) bool { return false })
		frame = c.answerFrame(clew.EventStateChanged, json.RawMessage(data))
	}
	return c.writeBytes(frame, 1)
}

// collectState picks what to send of the n items in b and moves the position
// past them. It stops before a change that does not go on from what the client
// has, and after a record that takes access back: what comes next is for those
// who still may.
func (c *conn) collectState(b *batch, n int) (gap bool) {
	wanted, shows := c.filter.Load().shows()
	for _, it := range b.items[:n] {
		change := it.Change
		switch {
		case it.Seq > 0:
			c.pos++
			if it.Type == clew.EventAccessChanged {
				c.recheck = true
				return false
			}
			continue
		case change == nil:
		case change.To < c.last:
			c.pos++
			continue
		case change.From != c.last && (change.From == 0 || change.From > c.last || len(change.Del) > 0):
			return true
		case change.From != c.last: // it has some of it already, and gets it once more
			c.pos++
			if frame := it.FrameFrom(c.last, shows); frame != nil {
				c.g.told(it)
				b.add(frame)
			}
			c.last = change.To
			continue
		default:
			c.last = change.To
		}
		c.pos++
		if frame := it.StateFrame(wanted, shows); frame != nil {
			c.g.told(it)
			b.add(frame)
		}
	}
	return false
}

// resync sends all that changed since what the client has, in one.
func (c *conn) resync() error {
	ctx, cancel := context.WithTimeout(c.g.ctx, c.g.limits.ReattachWait)
	err := c.goOn(ctx)
	cancel()
	if err != nil && recoverable(err) {
		return c.reattach()
	}
	return err
}

// goOn has the connection go on from what the client has, with the Watch at
// hand. Records are skipped, so access is looked up first.
func (c *conn) goOn(ctx context.Context) error {
	change, pos, err := c.watch.Since(ctx, c.last)
	if err != nil {
		return err
	}
	c.recheck = false
	if err := c.checkAccess(); err != nil {
		return err
	}
	c.pos = pos
	return c.sendChange(change, false)
}

// shows gives the filter as changes take it, with a name for the set.
func (f *filter) shows() (wanted string, shows func(clew.MonitorID) bool) {
	if f == nil {
		return "", nil
	}
	names := make([]string, 0, len(*f))
	for _, m := range *f {
		names = append(names, string(m))
	}
	slices.Sort(names)
	return strings.Join(names, ","), func(m clew.MonitorID) bool { return !f.hides([]byte(m)) }
}
