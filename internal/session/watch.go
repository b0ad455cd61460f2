package session

import (
	"context"
	"iter"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/session/feed"
	"github.com/clew-run/clew/internal/session/view"
)

// A Watch is one reader's hold on a session, wherever the session lives. While
// a Watch is open the session stays in memory.
type Watch struct {
	host    *Host
	id      clew.SessionID
	feed    *feed.Feed
	epoch   string
	local   *Session // nil if another node owns it
	remote  *remote  // nil if this one does
	release func()
	leave   func() // of those who watch the state, nil if it is not watched
}

// Watch attaches to a session. The caller closes the Watch.
func (h *Host) Watch(ctx context.Context, id clew.SessionID) (*Watch, error) {
	var w *Watch
	err := h.at(ctx, id, false, func(s *Session) error {
		if err := h.confirm(ctx, ShardOf(id)); err != nil {
			return err
		}
		s.holds.Add(1)
		w = &Watch{host: h, id: id, feed: s.feed, epoch: s.epoch, local: s, release: func() {
			s.lastUse.Store(h.elapsed())
			s.holds.Add(-1)
		}}
		return nil
	}, func(node string) error {
		r, err := h.remote(ctx, id, node)
		if err != nil {
			return err
		}
		w = &Watch{host: h, id: id, feed: r.feed, epoch: r.epoch, remote: r, release: func() { h.releaseRemote(r) }}
		return nil
	})
	return w, err
}

// Close gives the hold up.
func (w *Watch) Close() {
	if w.leave != nil {
		w.leave()
		w.leave = nil
	}
	if w.release != nil {
		w.release()
		w.release = nil
	}
}

// Feed is the session's live feed. After ErrFeedClosed the reader gets a new
// Watch.
func (w *Watch) Feed() *feed.Feed { return w.feed }

// Epoch is the journal's epoch.
func (w *Watch) Epoch() string { return w.epoch }

// State gives session_state's data as of the record that LastMessageID names.
func (w *Watch) State(ctx context.Context) (clew.SessionState, error) {
	var st clew.SessionState
	if w.local == nil {
		return st, w.host.at(ctx, w.id, false, func(s *Session) error {
			return s.read(ctx, func(s *Session) { st = s.sessionState() })
		}, func(node string) (err error) {
			st, err = w.host.callState(ctx, node, w.id)
			return err
		})
	}
	err := w.local.read(ctx, func(s *Session) { st = s.sessionState() })
	if err != nil && isTransient(err) {
		err = feed.ErrClosed
	}
	return st, err
}

// Since gives what changed of the state after a cursor, or the whole state (from
// 0, or if nobody knows), and the position from which the feed goes on. From then
// on the feed has changes.
func (w *Watch) Since(ctx context.Context, cursor uint64) (c *view.Change, pos uint64, err error) {
	if w.remote != nil {
		return w.sinceRemote(ctx, cursor)
	}
	if w.leave == nil {
		w.leave = w.local.watchState()
	}
	var failed error
	err = w.local.read(ctx, func(s *Session) { c, pos, failed = s.since(cursor) })
	if err != nil && isTransient(err) {
		err = feed.ErrClosed
	}
	if err == nil {
		err = failed
	}
	return c, pos, err
}

// Read yields the records from..to in order, from the journal.
func (w *Watch) Read(ctx context.Context, from, to uint64) iter.Seq2[clew.Record, error] {
	return func(yield func(clew.Record, error) bool) {
		for r, err := range w.host.cfg.Journal.Read(ctx, w.id, from, to) {
			if err == nil {
				r = r.In(w.id) // a fork's first ones are its parent's
			}
			if !yield(r, err) {
				return
			}
		}
	}
}
