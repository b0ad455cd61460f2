package search

import (
	"context"
	"slices"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/session/core"
	"github.com/clew-run/clew/internal/session/view"
)

// batchRecords is how many records are written together. The transcript has what they
// changed still at hand.
const batchRecords = 100

// A follower takes a session's records into the index, by the one fold of sessions.
type follower struct {
	x       *Index
	made    int // which index x was when this began
	journal view.Reader
	id      clew.SessionID

	state core.Folder
	head  clew.Head // the last record that is in the index
	fresh bool      // what the index has of the session does not count
}

// newFollower goes on where the index stands. If that is no record of the journal, which
// may have been restored from a backup, it begins anew.
func newFollower(ctx context.Context, x *Index, j view.Reader, id clew.SessionID) (*follower, error) {
	at, err := x.position(ctx, id)
	if err != nil {
		return nil, err
	}
	f := &follower{x: x, made: at.made, journal: j, id: id}
	s := &core.State{ID: id}
	if at.seq > 0 {
		same := false
		for r, err := range j.Read(ctx, id, at.seq, at.seq) {
			if err != nil {
				return nil, err
			}
			f.head = r.After()
			same = r.Hash().String() == at.hash
		}
		if same {
			if s, err = view.StateAt(ctx, j, id, at.seq); err != nil {
				return nil, err
			}
			s.Messages.Forget()
		} else {
			f.head, f.fresh = clew.Head{}, true
		}
	}
	f.state.State = s
	return f, nil
}

// advance takes in what the journal has beyond the index.
func (f *follower) advance(ctx context.Context) error {
	f.state = view.NewPast(f.journal, f.id).Folder(ctx, f.state.State)
	n, removed, rows := 0, slices.Clone(f.state.State.Removed), []row(nil)
	flush := func() error {
		b, err := f.batch(ctx, removed, rows)
		if err == nil {
			err = f.x.put(ctx, b)
		}
		n, removed, rows, f.fresh = 0, slices.Clone(f.state.State.Removed), nil, false
		return err
	}
	for r, err := range f.journal.Read(ctx, f.id, f.head.Seq+1, seqMax) {
		if err != nil {
			return err
		}
		if err := f.state.Add(r); err != nil {
			return err
		}
		f.head = r.After()
		rows = append(rows, recordRows(r)...)
		if n++; n >= batchRecords {
			if err := flush(); err != nil {
				return err
			}
		}
	}
	if n == 0 && !f.fresh {
		return nil
	}
	return flush()
}

// recordRows is what a record alone says.
func recordRows(r clew.Record) []row {
	if r.Type != clew.EventToolProgress {
		return nil
	}
	ev, err := clew.DecodeEvent(r.Type, r.Data())
	if err != nil {
		return nil
	}
	core.Translate(ev.Data)
	if d, ok := ev.Data.(*clew.ToolProgressData); ok {
		return callRows(r, d)
	}
	return nil
}

// batch is what changed since the last one. removed are the parts that were hidden then.
func (f *follower) batch(ctx context.Context, removed []core.Span, rows []row) (batch, error) {
	s := f.state.State
	b := batch{session: f.id, made: f.made, fresh: f.fresh, head: f.head}
	for _, h := range s.Removed {
		if !slices.Contains(removed, h) {
			b.removed = append(b.removed, span{h.From, h.To})
		}
	}
	for _, h := range removed {
		if !slices.Contains(s.Removed, h) { // perhaps it is to be seen again
			again, err := f.restored(ctx, h)
			if err != nil {
				return b, err
			}
			rows = append(rows, again...)
		}
	}
	messages, all := s.Messages.Changes()
	if all {
		messages = s.Messages.Tail()
	}
	for _, m := range messages {
		if r, ok := messageRow(m); ok && !m.Partial {
			rows = append(rows, r)
		}
	}
	for _, r := range rows {
		if !s.Hidden(r.seq) {
			b.rows = append(b.rows, r)
		}
	}
	b.rows = append(b.rows, row{slot: slotTitle, at: s.CreatedMS, text: clean(s.DisplayTitle(), textMax)})
	return b, nil
}

// restored gives the rows of a part that was hidden and may not be any more.
func (f *follower) restored(ctx context.Context, h core.Span) ([]row, error) {
	p := view.NewPager(f.state.State, f.journal)
	messages, err := p.Fold(ctx, h.From, h.To+1)
	if err != nil {
		return nil, err
	}
	var rows []row
	for _, m := range messages {
		if r, ok := messageRow(m); ok {
			rows = append(rows, r)
		}
	}
	for r, err := range f.journal.Read(ctx, f.id, h.From, h.To) {
		if err != nil {
			return nil, err
		}
		rows = append(rows, recordRows(r)...)
	}
	return rows, nil
}
