package journal

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/archive"
	"github.com/clew-run/clew/internal/session"
	"github.com/clew-run/clew/internal/session/core"
)

// Read implements session.Journal: the archive first, the stream for what is
// not sealed. The tail is known to follow the seal, so readers do not notice
// the seam. It ends early, without an error, where the journal ends. What a
// fork has from another session is read there.
func (j *Journal) Read(ctx context.Context, id clew.SessionID, from, to uint64) iter.Seq2[clew.Record, error] {
	return func(yield func(clew.Record, error) bool) {
		list, err := j.stretches(ctx, id, max(from, 1), to)
		if err != nil {
			yield(clew.Record{}, err)
			return
		}
		for _, s := range slices.Backward(list) {
			if !s.read(ctx, j.archive, id, yield) {
				return
			}
		}
	}
}

// A byteRange is a part of a session's records that one session wrote: itself, or
// one that it goes back to.
type byteRange struct {
	writer   clew.SessionID
	seal     *archive.Seal // nil if none
	tail     []clew.Record // of the stream
	from, to uint64
	// end is the writer's record that the next stretch follows, zero in the last
	// one. It is compared when the stretch reaches it.
	end clew.Head
}

// maxDepth bounds how many forks may stand on each other, so that seals which
// refer to each other in a circle end in an error.
const maxDepth = 10_000

// stretches finds who wrote the records from..to, newest first.
func (j *Journal) stretches(ctx context.Context, id clew.SessionID, from, to uint64) ([]byteRange, error) {
	var list []byteRange
	s := byteRange{writer: id, from: from, to: to}
	for range maxDepth {
		base, err := j.locate(ctx, &s)
		if err != nil {
			return nil, inherited(id, s.writer, err)
		}
		if from > base.Head.Seq {
			return append(list, s), nil
		}
		if s.to > base.Head.Seq {
			s.from = base.Head.Seq + 1
			list = append(list, s)
		}
		s = byteRange{writer: base.Session, from: from, to: min(s.to, base.Head.Seq), end: base.Head}
	}
	return nil, session.DamagedError(id, errors.New("too many sessions stand on each other"))
}

// locate loads what holds the stretch and gives the writer's own base.
func (j *Journal) locate(ctx context.Context, s *byteRange) (base archive.Base, err error) {
	s.seal, err = j.seals.latest(ctx, j, s.writer)
	if err == nil && (s.seal == nil || s.seal.Head.Seq < s.to) {
		s.seal, s.tail, _, _, err = j.load(ctx, s.writer)
	}
	if err != nil || s.seal == nil {
		return base, err
	}
	return s.seal.Base, nil
}

// inherited reports damage in a session that another goes back to as damage of
// that one too.
func inherited(id, writer clew.SessionID, err error) error {
	if id == writer || clew.CodeOf(err) != clew.SessionDamaged {
		return err
	}
	return session.DamagedError(id, fmt.Errorf("its beginning is a part of session %s: %s", writer, plain(err)))
}

// read yields the stretch's records as those of session id; false means stop.
func (s *byteRange) read(ctx context.Context, a *archive.Archive, id clew.SessionID, yield func(clew.Record, error) bool) bool {
	fail := func(err error) bool {
		yield(clew.Record{}, inherited(id, s.writer, err))
		return false
	}
	next := s.from
	for r, err := range s.records(ctx, a) {
		if err != nil {
			return fail(err)
		}
		if r.Seq == s.end.Seq && r.After() != s.end {
			return fail(session.DamagedError(s.writer, fmt.Errorf("record %d is not the one that was forked", r.Seq)))
		}
		if !yield(r, nil) {
			return false
		}
		next = r.Seq + 1
	}
	if s.end.Seq > 0 && next <= s.to {
		return fail(session.DamagedError(s.writer, fmt.Errorf("record %d was forked, but is not there", next)))
	}
	return true
}

func (s *byteRange) records(ctx context.Context, a *archive.Archive) iter.Seq2[clew.Record, error] {
	return func(yield func(clew.Record, error) bool) {
		if s.seal != nil && s.from <= s.seal.Head.Seq {
			for r, err := range a.Read(ctx, s.seal, s.from, min(s.to, s.seal.Head.Seq)) {
				if !yield(r, archiveError(s.writer, err)) || err != nil {
					return
				}
			}
		}
		for _, r := range s.tail {
			if r.Seq >= s.from && r.Seq <= s.to && !yield(r, nil) {
				return
			}
		}
	}
}

// Past implements session.Journal. A kept fold counts only if it was made of
// the very record that the session has there, by this version of the fold.
func (j *Journal) Past(ctx context.Context, id clew.SessionID, seq uint64) ([]byte, uint64, error) {
	list, err := j.stretches(ctx, id, 1, seq)
	if err != nil {
		return nil, 0, err
	}
	for _, s := range list {
		for top := s.to; top >= s.from; {
			state, at, err := j.archive.StateBefore(ctx, s.writer, top)
			if err != nil {
				return nil, 0, archiveError(s.writer, err)
			}
			if state == nil || at.Seq+1 < s.from { // one at the seam was made when the fork was
				break
			}
			same := core.FoldOf(state) == core.FoldVersion
			if same {
				if same, err = s.has(ctx, j.archive, at); err != nil {
					return nil, 0, inherited(id, s.writer, err)
				}
			}
			if same {
				return state, at.Seq, nil
			}
			top = at.Seq - 1
		}
	}
	return nil, 0, nil
}

// has reports whether the stretch holds this very record, or follows it.
func (s byteRange) has(ctx context.Context, a *archive.Archive, head clew.Head) (bool, error) {
	if head.Seq < s.from {
		return s.seal != nil && s.seal.Base.Head == head, nil
	}
	s.from, s.to = head.Seq, head.Seq
	for r, err := range s.records(ctx, a) {
		return err == nil && r.After() == head, err
	}
	return false, nil
}
