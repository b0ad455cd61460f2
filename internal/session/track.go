package session

import (
	"slices"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/session/feed"
	"github.com/clew-run/clew/internal/session/view"
)

// trackedFor is how long changes are found after the last one who watched the
// state has left: who comes back in time gets what changed, not everything.
const trackedFor = 2 * time.Minute

// watchState counts one more who watches the state, until leave is called.
func (s *Session) watchState() (leave func()) {
	s.stateWatchers.Add(1)
	return func() {
		s.stateLeft.Store(s.host.elapsed())
		s.stateWatchers.Add(-1)
	}
}

func (s *Session) stateWatched() bool {
	left := s.stateLeft.Load()
	return s.stateWatchers.Load() > 0 || left > 0 && s.host.elapsed() < left+trackedFor.Milliseconds()
}

// feedBatch gives durable records to those who watch, with what they changed.
func (s *Session) feedBatch(records []clew.Record) {
	s.openMu.Lock()
	defer s.openMu.Unlock()
	var item *feed.Item
	if c := s.change(records); c != nil {
		item = feed.NewChangeItem(s.host.now(), c, s.host.cfg.Encode)
	}
	s.feed.AppendWith(records, item)
}

// change finds out what durable records changed, for those who watch the state;
// nil if nobody does or if nothing changed. A state that is ahead of what is
// durable is not shown: the next change covers both. Guarded by openMu, so that
// the text in it and the text that is streamed next fit.
func (s *Session) change(records []clew.Record) *view.Change {
	t := s.tracker
	if t != nil && !s.stateWatched() {
		s.tracker, t = nil, nil
	}
	if t == nil {
		s.state.Messages.Forget()
		return nil
	}
	for _, r := range records {
		if r.Cause != "" && !slices.Contains(t.Commands, r.Cause) {
			t.Commands = append(t.Commands, r.Cause)
		}
	}
	if s.state.Seq != records[len(records)-1].Seq {
		return nil
	}
	c, err := t.Step(s.state, s.overlay)
	if err != nil { // whoever watches finds a gap, and gets all of it
		s.host.cfg.Log.Error("a change is not told", "session", s.id, "err", err)
		s.tracker = nil
	}
	return c
}

// overlay gives a growing message its text as far as it was streamed. Guarded
// by openMu.
func (s *Session) overlay(m *clew.Message) {
	if o := s.open[m.MessageID]; o != nil {
		m.Text, m.Reasoning = o.Text, o.Reasoning
	}
}

// since gives what changed after a cursor, or the whole state, and the position
// in the feed from which it goes on. It runs in the session's goroutine.
func (s *Session) since(cursor uint64) (*view.Change, uint64, error) {
	if s.tracker == nil {
		s.tracker = view.NewTracker(s.state)
	}
	viewers := s.viewers(s.host.elapsed())
	s.openMu.Lock()
	defer s.openMu.Unlock()
	found, err := s.tracker.Since(s.state, cursor, s.overlay)
	if err != nil {
		return nil, 0, err
	}
	c := *found // who watches is no fact about the session, and not part of what is shared
	c.Head = s.state.Seq
	c.Put = slices.Clone(c.Put)
	if err := c.AddPut(clew.EntityViewers, "", viewers); err != nil {
		return nil, 0, err
	}
	c.Sort()
	pos, _ := s.feed.End()
	return &c, pos, nil
}
