package rewind

import (
	"context"
	"slices"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/session/core"
	"github.com/clew-run/clew/internal/session/view"
)

// A Finder finds places in a session's history.
type Finder struct {
	ID      clew.SessionID
	Journal view.Reader
	Files   Files // nil if the server keeps no checkpoints
	At      Position
}

func (f *Finder) pager() *view.Pager {
	return &view.Pager{Journal: f.Journal, ID: f.ID, Tail: f.At.Tail, Total: f.At.Total, Removed: f.At.Removed, Queue: f.At.Queue, Last: f.At.Seq}
}

// locate gives the message that a target names, and the record of the first
// message that will go, 0 if none will.
func (f *Finder) locate(ctx context.Context, t clew.Target, keep bool) (clew.MessageID, uint64, error) {
	at, err := f.message(ctx, t)
	if err != nil || at == 0 {
		return "", 0, err
	}
	cut := at
	if keep {
		cut, err = f.next(ctx, at)
	}
	return clew.MessageIDOf(at), cut, err
}

// message gives the record of the message that a target names, 0 if it names
// the place after the last one. The record of an answer is as good: people answer
// by a button, too, and say nothing.
func (f *Finder) message(ctx context.Context, t clew.Target) (uint64, error) {
	switch {
	case t.Index != nil:
		return f.byIndex(ctx, *t.Index)
	case t.Time() != 0:
		return f.byTime(ctx, t.Time())
	}
	missing := clew.Errorf(clew.MessageNotFound, "no message %q in this session", t.MessageID)
	seq, err := t.MessageID.Seq()
	if err != nil || seq == 0 || seq > f.At.Seq {
		return 0, missing
	}
	if core.IsHidden(f.At.Removed, seq) {
		return 0, clew.Errorf(clew.MessageNotFound, "message %s was taken back; if that was a rewind, undo it first", t.MessageID)
	}
	if ok, err := f.isMessage(ctx, seq); ok || err != nil {
		return seq, err
	}
	at, err := f.answer(ctx, seq)
	if err == nil && at == 0 {
		err = missing
	}
	return at, err
}

// answer gives the first record of the answer whose hitl_resolved is at seq, 0 if
// there is none: the words that came with it, or itself.
func (f *Finder) answer(ctx context.Context, seq uint64) (uint64, error) {
	d, err := f.resolved(ctx, seq)
	if err != nil || d == nil || !core.IsAnswer(d) || seq == 1 {
		return 0, err
	}
	r, err := f.Record(ctx, seq-1)
	if err != nil || r.Type != clew.EventMessageCreated {
		return seq, err
	}
	ev, err := clew.DecodeEvent(r.Type, r.Data())
	if err != nil {
		return 0, err
	}
	if m := ev.Data.(*clew.MessageCreatedData).Message; m.RequestID == d.RequestID && m.Role == clew.SpeakerUser {
		return seq - 1, nil
	}
	return seq, nil
}

// resolved gives what the record at seq says of the end of a question, nil if it
// is about something else.
func (f *Finder) resolved(ctx context.Context, seq uint64) (*clew.HitlResolvedData, error) {
	r, err := f.Record(ctx, seq)
	if err != nil || r.Type != clew.EventHitlResolved {
		return nil, err
	}
	ev, err := clew.DecodeEvent(r.Type, r.Data())
	if err != nil {
		return nil, err
	}
	return ev.Data.(*clew.HitlResolvedData), nil
}

func (f *Finder) byIndex(ctx context.Context, n int) (uint64, error) {
	if n >= f.At.Total {
		return 0, nil
	}
	list, err := f.pager().Messages(ctx, 1, f.At.Total-1-n, "")
	if err != nil {
		return 0, err
	}
	if len(list) == 0 {
		return 0, clew.Errorf(clew.MessageNotFound, "no message with index %d", n)
	}
	return list[0].MessageID.Seq()
}

// byTime finds a message by its ts, which is that of its record: they rise.
func (f *Finder) byTime(ctx context.Context, ts int64) (uint64, error) {
	lo, hi := uint64(1), f.At.Seq
	for lo < hi {
		mid := lo + (hi-lo)/2
		r, err := f.Record(ctx, mid)
		if err != nil {
			return 0, err
		}
		if r.TS < ts {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	r, err := f.Record(ctx, lo)
	if err != nil {
		return 0, err
	}
	if r.TS != ts || r.Type != clew.EventMessageCreated || core.IsHidden(f.At.Removed, lo) {
		return 0, clew.Errorf(clew.MessageNotFound, "no message with ts %d in this session", ts)
	}
	return lo, nil
}

// Record reads one record.
func (f *Finder) Record(ctx context.Context, seq uint64) (clew.Record, error) {
	for r, err := range f.Journal.Read(ctx, f.ID, seq, seq) {
		return r, err
	}
	return clew.Record{}, clew.Errorf(clew.MessageNotFound, "no record %d in this session", seq)
}

func (f *Finder) inTail(seq uint64) (int, bool) {
	return slices.BinarySearchFunc(f.At.Tail, clew.MessageIDOf(seq), func(m clew.Message, id clew.MessageID) int { return core.CompareMessageIDs(m.MessageID, id) })
}

func (f *Finder) isMessage(ctx context.Context, seq uint64) (bool, error) {
	if _, ok := f.inTail(seq); ok {
		return true, nil
	}
	r, err := f.Record(ctx, seq)
	return err == nil && r.Type == clew.EventMessageCreated, err
}

// next gives the record of the message after the one at seq, 0 if there is
// none.
func (f *Finder) next(ctx context.Context, seq uint64) (uint64, error) {
	i, ok := f.inTail(seq)
	if !ok {
		for r, err := range f.Journal.Read(ctx, f.ID, seq+1, f.At.Seq) {
			if err != nil {
				return 0, err
			}
			if r.Type == clew.EventMessageCreated && !core.IsHidden(f.At.Removed, r.Seq) {
				return r.Seq, nil
			}
		}
		return 0, nil
	}
	if i+1 == len(f.At.Tail) {
		return 0, nil
	}
	return f.At.Tail[i+1].MessageID.Seq()
}
