package session

import (
	"cmp"
	"context"
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
func (s *State) Hidden(seq uint64) bool { return isHidden(s.Removed, seq) }

func isHidden(spans []Span, seq uint64) bool {
	_, ok := spanOf(spans, seq)
	return ok
}

// spanOf finds the span that holds seq.
func spanOf(spans []Span, seq uint64) (Span, bool) {
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
	if back := rewindOf(ev.Data); back != nil {
		if f.State.pending, err = f.stateAt(r.Seq, back); err != nil {
			return err
		}
	}
	translate(ev.Data)
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
	return rewindOf(ev.Data).To.Seq()
}

func rewindOf(data any) *clew.Return {
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
	return decodeState(f.State.ID, b)
}

// decodeState reads a fold. That of a parent is as good as the session's own.
func decodeState(id clew.SessionID, b []byte) (*State, error) {
	if v := FoldOf(b); v != FoldVersion {
		return nil, fmt.Errorf("a fold of version %d is not one of this program, which has version %d", v, FoldVersion)
	}
	s := new(State)
	if err := json.Unmarshal(b, s); err != nil {
		return nil, err
	}
	s.ID = id
	return s, nil
}

// stateReader folds a session up to earlier records.
type stateReader struct {
	journal Reader
	id      clew.SessionID
	cached  map[uint64][]byte // folds that were needed: a rewind goes where others went
	size    int               // of them
}

func (h *Host) past(id clew.SessionID) *stateReader { return newPast(h.cfg.Journal, id) }

func newPast(j Reader, id clew.SessionID) *stateReader {
	return &stateReader{journal: j, id: id, cached: map[uint64][]byte{}}
}

// knownMax bounds the folds at hand, in bytes.
const knownMax = 64 << 20

// encoded gives the encoded fold up to and including a record.
func (p *stateReader) encoded(ctx context.Context, seq uint64) ([]byte, error) {
	if b, ok := p.cached[seq]; ok {
		return b, nil
	}
	s, err := p.state(ctx, seq)
	if err != nil {
		return nil, err
	}
	b, err := s.Encode()
	if err != nil {
		return nil, err
	}
	p.know(seq, b)
	return b, nil
}

// know keeps a fold at hand.
func (p *stateReader) know(seq uint64, b []byte) {
	if p.size+len(b) > knownMax {
		clear(p.cached)
		p.size = 0
	}
	p.cached[seq] = b
	p.size += len(b)
}

// folder goes on from a state. It is lenient: where a type is too new, the
// session is read-only, and its past is only looked at.
func (p *stateReader) folder(ctx context.Context, s *State) Folder {
	return Folder{State: s, Lenient: true, Past: func(seq uint64) ([]byte, error) { return p.encoded(ctx, seq) }}
}

// nearest gives the newest kept fold at or before a record, an empty one if there
// is none.
func (p *stateReader) nearest(ctx context.Context, seq uint64) (*State, error) {
	b, at, err := p.journal.Past(ctx, p.id, seq)
	if err != nil || b == nil {
		return &State{ID: p.id}, err
	}
	s, err := decodeState(p.id, b)
	if err == nil && (s.Seq != at || at > seq) {
		err = clew.Errorf(clew.Internal, "the kept fold of %s at %d is of %d", p.id, at, s.Seq)
	}
	return s, err
}

func (p *stateReader) state(ctx context.Context, seq uint64) (*State, error) {
	s, err := p.nearest(ctx, seq)
	if err != nil {
		return nil, err
	}
	f := p.folder(ctx, s)
	for r, err := range p.journal.Read(ctx, p.id, s.Seq+1, seq) {
		if err == nil {
			err = f.Add(r)
		}
		if err != nil {
			return nil, err
		}
	}
	if s.Seq != seq {
		return nil, clew.Errorf(clew.MessageNotFound, "the journal of %s ends at %d", p.id, s.Seq)
	}
	return s, nil
}

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

// locateFolds finds out where in the journal the states are that leave noted, now
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

// keepFolds has the journal keep what leave noted, so that going there again is
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

// pastFrom is past with the folds at hand.
func (s *Session) pastFrom(l position) *stateReader {
	p := s.host.past(s.id)
	for _, f := range l.folds {
		p.cached[f.seq] = f.state
	}
	return p
}

// StateAt folds a session up to and including a record.
func StateAt(ctx context.Context, j Reader, id clew.SessionID, seq uint64) (*State, error) {
	p := &stateReader{journal: j, id: id, cached: map[uint64][]byte{}}
	return p.state(ctx, seq)
}
