package session

import (
	"context"
	"slices"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/session/core"
	"github.com/clew-run/clew/internal/session/view"
)

// historySearch finds places in a session's history.
type historySearch struct {
	s *Session
	l position
}

func (w *historySearch) pager() *view.Pager {
	return &view.Pager{Journal: w.s.host.cfg.Journal, ID: w.s.id, Tail: w.l.tail, Total: w.l.total, Removed: w.l.removed, Queue: w.l.queue, Last: w.l.seq}
}

// locate gives the message that a target names, and the record of the first
// message that will go, 0 if none will.
func (w *historySearch) locate(ctx context.Context, t clew.Target, keep bool) (clew.MessageID, uint64, error) {
	at, err := w.message(ctx, t)
	if err != nil || at == 0 {
		return "", 0, err
	}
	cut := at
	if keep {
		cut, err = w.next(ctx, at)
	}
	return clew.MessageIDOf(at), cut, err
}

// message gives the record of the message that a target names, 0 if it names
// the place after the last one. The record of an answer is as good: people answer
// by a button, too, and say nothing.
func (w *historySearch) message(ctx context.Context, t clew.Target) (uint64, error) {
	switch {
	case t.Index != nil:
		return w.byIndex(ctx, *t.Index)
	case t.Time() != 0:
		return w.byTime(ctx, t.Time())
	}
	missing := clew.Errorf(clew.MessageNotFound, "no message %q in this session", t.MessageID)
	seq, err := t.MessageID.Seq()
	if err != nil || seq == 0 || seq > w.l.seq {
		return 0, missing
	}
	if core.IsHidden(w.l.removed, seq) {
		return 0, clew.Errorf(clew.MessageNotFound, "message %s was taken back; if that was a rewind, undo it first", t.MessageID)
	}
	if ok, err := w.isMessage(ctx, seq); ok || err != nil {
		return seq, err
	}
	at, err := w.answer(ctx, seq)
	if err == nil && at == 0 {
		err = missing
	}
	return at, err
}

// answer gives the first record of the answer whose hitl_resolved is at seq, 0 if
// there is none: the words that came with it, or itself.
func (w *historySearch) answer(ctx context.Context, seq uint64) (uint64, error) {
	d, err := w.resolved(ctx, seq)
	if err != nil || d == nil || !core.IsAnswer(d) || seq == 1 {
		return 0, err
	}
	r, err := w.record(ctx, seq-1)
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
func (w *historySearch) resolved(ctx context.Context, seq uint64) (*clew.HitlResolvedData, error) {
	r, err := w.record(ctx, seq)
	if err != nil || r.Type != clew.EventHitlResolved {
		return nil, err
	}
	ev, err := clew.DecodeEvent(r.Type, r.Data())
	if err != nil {
		return nil, err
	}
	return ev.Data.(*clew.HitlResolvedData), nil
}

func (w *historySearch) byIndex(ctx context.Context, n int) (uint64, error) {
	if n >= w.l.total {
		return 0, nil
	}
	list, err := w.pager().Messages(ctx, 1, w.l.total-1-n, "")
	if err != nil {
		return 0, err
	}
	if len(list) == 0 {
		return 0, clew.Errorf(clew.MessageNotFound, "no message with index %d", n)
	}
	return list[0].MessageID.Seq()
}

// byTime finds a message by its ts, which is that of its record: they rise.
func (w *historySearch) byTime(ctx context.Context, ts int64) (uint64, error) {
	lo, hi := uint64(1), w.l.seq
	for lo < hi {
		mid := lo + (hi-lo)/2
		r, err := w.record(ctx, mid)
		if err != nil {
			return 0, err
		}
		if r.TS < ts {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	r, err := w.record(ctx, lo)
	if err != nil {
		return 0, err
	}
	if r.TS != ts || r.Type != clew.EventMessageCreated || core.IsHidden(w.l.removed, lo) {
		return 0, clew.Errorf(clew.MessageNotFound, "no message with ts %d in this session", ts)
	}
	return lo, nil
}

func (w *historySearch) record(ctx context.Context, seq uint64) (clew.Record, error) {
	for r, err := range w.s.host.cfg.Journal.Read(ctx, w.s.id, seq, seq) {
		return r, err
	}
	return clew.Record{}, clew.Errorf(clew.MessageNotFound, "no record %d in this session", seq)
}

func (w *historySearch) inTail(seq uint64) (int, bool) {
	return slices.BinarySearchFunc(w.l.tail, clew.MessageIDOf(seq), func(m clew.Message, id clew.MessageID) int { return core.CompareMessageIDs(m.MessageID, id) })
}

func (w *historySearch) isMessage(ctx context.Context, seq uint64) (bool, error) {
	if _, ok := w.inTail(seq); ok {
		return true, nil
	}
	r, err := w.record(ctx, seq)
	return err == nil && r.Type == clew.EventMessageCreated, err
}

// next gives the record of the message after the one at seq, 0 if there is
// none.
func (w *historySearch) next(ctx context.Context, seq uint64) (uint64, error) {
	i, ok := w.inTail(seq)
	if !ok {
		for r, err := range w.s.host.cfg.Journal.Read(ctx, w.s.id, seq+1, w.l.seq) {
			if err != nil {
				return 0, err
			}
			if r.Type == clew.EventMessageCreated && !core.IsHidden(w.l.removed, r.Seq) {
				return r.Seq, nil
			}
		}
		return 0, nil
	}
	if i+1 == len(w.l.tail) {
		return 0, nil
	}
	return w.l.tail[i+1].MessageID.Seq()
}
