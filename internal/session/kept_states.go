package session

import (
	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/session/view"
)

func (h *Host) past(id clew.SessionID) *view.StateReader { return view.NewPast(h.cfg.Journal, id) }

// savedState is a state at hand.
type savedState struct {
	seq   uint64
	ts    int64
	state []byte
	head  clew.Head // set once it is durable
	kept  bool
}

// foldsMax bounds the folds that a session has at hand.
const foldsMax = 4

// rememberState notes the state that the session is about to be taken away from.
func (s *Session) rememberState() {
	b, err := s.state.Encode()
	if err != nil {
		return
	}
	s.folds = append(s.folds[max(0, len(s.folds)-foldsMax+1):], savedState{seq: s.state.Seq, ts: s.state.TS, state: b})
	s.wentBack = true
}

// locateFolds finds out where in the journal the states are that rememberState noted, now
// that the records are durable.
func (s *Session) locateFolds(records []clew.Record) {
	for i := range s.folds {
		f := &s.folds[i]
		if f.head.Seq > 0 {
			continue
		}
		for _, r := range records {
			switch {
			case r.Seq == f.seq:
				f.head = r.After()
			case r.Seq == f.seq+1 && f.head.Seq == 0:
				f.head = clew.Head{Seq: f.seq, TS: f.ts, Hash: r.Prev}
			}
		}
	}
}

// keepFolds has the journal keep what rememberState noted, so that going there again is
// quick, and seals the session, so that opening it does not have to find out
// where it went. Nobody waits for either.
func (s *Session) keepFolds() {
	if !s.wentBack {
		return
	}
	s.wentBack = false
	for i := range s.folds {
		f := &s.folds[i]
		if f.kept || f.head.Seq == 0 {
			continue
		}
		f.kept = true
		if err := s.log.Keep(s.host.ctx, f.head, f.state); err != nil {
			s.host.cfg.Log.Warn("a fold is not kept", "session", s.id, "seq", f.seq, "err", err)
		}
	}
	s.seal()
}
