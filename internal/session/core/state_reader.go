package core

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"sort"

	"github.com/clew-run/clew"
)

// A Span is a run of records, both ends included.
type Span struct {
	From uint64 `json:"from"`
	To   uint64 `json:"to"`
}

// Hidden reports whether a record lies in a part of the journal that the
// session was taken back from.
func (s *State) Hidden(seq uint64) bool { return IsHidden(s.Removed, seq) }

// IsHidden says whether a rewind has hidden a record.
func IsHidden(spans []Span, seq uint64) bool {
	_, ok := SpanOf(spans, seq)
	return ok
}

// SpanOf finds the span that holds seq.
func SpanOf(spans []Span, seq uint64) (Span, bool) {
	i := sort.Search(len(spans), func(i int) bool { return spans[i].To >= seq })
	if i < len(spans) && spans[i].From <= seq {
		return spans[i], true
	}
	return Span{}, false
}

// A Folder folds records into a state, one after the other. Records that take
// the session elsewhere in its history need the fold up to there, which Past
// gives in its encoded form.
type Folder struct {
	State *State
	Past  func(seq uint64) ([]byte, error)
	// Lenient passes over records whose types this program does not know. What it
	// makes is for looking at, and TooNew says why.
	Lenient bool
	TooNew  error
}

// Add folds one more record.
func (f *Folder) Add(r clew.Record) error {
	ev, err := clew.DecodeEvent(r.Type, r.Data())
	if f.Lenient && errors.Is(err, clew.ErrUnknownEvent) {
		f.State.Seq, f.State.TS = r.Seq, r.TS
		f.TooNew = cmp.Or(f.TooNew, tooNewRecord(f.State.ID, r, err))
		return nil
	}
	if err != nil {
		return err
	}
	if back := RewindOf(ev.Data); back != nil {
		if f.State.Pending, err = f.stateAt(r.Seq, back); err != nil {
			return err
		}
	}
	Translate(ev.Data)
	Apply(f.State, r, ev.Data)
	return nil
}

// RewindTarget gives the record that r takes its session back to, 0 if it does
// not.
func RewindTarget(r clew.Record) (uint64, error) {
	switch r.Type {
	case clew.EventHistoryRewound, clew.EventRewindUndone:
	default:
		return 0, nil
	}
	ev, err := clew.DecodeEvent(r.Type, r.Data())
	if err != nil {
		return 0, err
	}
	return RewindOf(ev.Data).To.Seq()
}

// RewindOf gives the rewind that an event begins or ends, nil if it does neither.
func RewindOf(data any) *clew.Return {
	switch d := data.(type) {
	case *clew.HistoryRewoundData:
		return &d.Return
	case *clew.RewindUndoneData:
		return &d.Return
	}
	return nil
}

func (f *Folder) stateAt(seq uint64, back *clew.Return) (*State, error) {
	to, err := back.To.Seq()
	if err != nil || to == 0 || to >= seq {
		return nil, fmt.Errorf("record %d goes back to %q", seq, back.To)
	}
	if f.Past == nil {
		return nil, fmt.Errorf("record %d goes back to %d, and nobody knows what was there", seq, to)
	}
	b, err := f.Past(to)
	if err != nil {
		return nil, err
	}
	return DecodeState(f.State.ID, b)
}

// DecodeState reads a fold. That of a parent is as good as the session's own.
func DecodeState(id clew.SessionID, b []byte) (*State, error) {
	if v := FoldOf(b); v != FoldVersion {
		return nil, fmt.Errorf("a fold of version %d is not one of this program, which has version %d", v, FoldVersion)
	}
	s := new(State)
	if err := json.Unmarshal(b, s); err != nil {
		return nil, err
	}
	s.ID = id
	return s, s.shareHistories()
}
