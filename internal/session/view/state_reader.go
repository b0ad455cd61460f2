package view

import (
	"context"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/session/core"
)

// StateReader folds a session up to earlier records.
type StateReader struct {
	Journal Reader
	ID      clew.SessionID
	Cached  map[uint64][]byte // folds that were needed: a rewind goes where others went
	size    int               // of them
}

// NewPast reads earlier states of a session.
func NewPast(j Reader, id clew.SessionID) *StateReader {
	return &StateReader{Journal: j, ID: id, Cached: map[uint64][]byte{}}
}

// knownMax bounds the folds at hand, in bytes.
const knownMax = 64 << 20

// Encoded gives the encoded fold up to and including a record.
func (p *StateReader) Encoded(ctx context.Context, seq uint64) ([]byte, error) {
	if b, ok := p.Cached[seq]; ok {
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
	p.Know(seq, b)
	return b, nil
}

// Know keeps a fold at hand.
func (p *StateReader) Know(seq uint64, b []byte) {
	if p.size+len(b) > knownMax {
		clear(p.Cached)
		p.size = 0
	}
	p.Cached[seq] = b
	p.size += len(b)
}

// Folder goes on from a state. It is lenient: where a type is too new, the
// session is read-only, and its past is only looked at.
func (p *StateReader) Folder(ctx context.Context, s *core.State) core.Folder {
	return core.Folder{State: s, Lenient: true, Past: func(seq uint64) ([]byte, error) { return p.Encoded(ctx, seq) }}
}

// Nearest gives the newest kept fold at or before a record, an empty one if there
// is none.
func (p *StateReader) Nearest(ctx context.Context, seq uint64) (*core.State, error) {
	b, at, err := p.Journal.Past(ctx, p.ID, seq)
	if err != nil || b == nil {
		return &core.State{ID: p.ID}, err
	}
	s, err := core.DecodeState(p.ID, b)
	if err == nil && (s.Seq != at || at > seq) {
		err = clew.Errorf(clew.Internal, "the kept fold of %s at %d is of %d", p.ID, at, s.Seq)
	}
	return s, err
}

func (p *StateReader) state(ctx context.Context, seq uint64) (*core.State, error) {
	s, err := p.Nearest(ctx, seq)
	if err != nil {
		return nil, err
	}
	f := p.Folder(ctx, s)
	for r, err := range p.Journal.Read(ctx, p.ID, s.Seq+1, seq) {
		if err == nil {
			err = f.Add(r)
		}
		if err != nil {
			return nil, err
		}
	}
	if s.Seq != seq {
		return nil, clew.Errorf(clew.MessageNotFound, "the journal of %s ends at %d", p.ID, s.Seq)
	}
	return s, nil
}

// Follow folds the records after one and up to another, and shows each with the state that
// it led to.
func (p *StateReader) Follow(ctx context.Context, after, to uint64, see func(s *core.State, r clew.Record) error) error {
	s, err := p.state(ctx, after)
	if err != nil {
		return err
	}
	f := p.Folder(ctx, s)
	for r, err := range p.Journal.Read(ctx, p.ID, after+1, to) {
		if err == nil {
			err = f.Add(r)
		}
		if err == nil {
			err = see(f.State, r)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// StateAt folds a session up to and including a record.
func StateAt(ctx context.Context, j Reader, id clew.SessionID, seq uint64) (*core.State, error) {
	p := &StateReader{Journal: j, ID: id, Cached: map[uint64][]byte{}}
	return p.state(ctx, seq)
}
