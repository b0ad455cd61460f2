package view

import (
	"context"
	"iter"
	"slices"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/session/core"
)

// pageMax bounds one page of messages.
const pageMax = 1000

// NewPager is that of the state's session, as of now.
func NewPager(s *core.State, j Reader) Pager {
	return Pager{
		Journal: j, ID: s.ID, Tail: slices.Clone(s.Messages.Tail()), Total: s.Total, Removed: slices.Clone(s.Removed),
		Queue: s.QueuedMessages(), Open: s.UnsettledMessages(), Last: s.Seq,
	}
}

// Reader is the part of the journal that is read to show a session.
type Reader interface {
	// Read yields the records from seq `from` up to and including `to`.
	Read(ctx context.Context, id clew.SessionID, from, to uint64) iter.Seq2[clew.Record, error]
	// Past gives a kept fold at or before seq, and its seq; nil if there is none.
	Past(ctx context.Context, id clew.SessionID, seq uint64) (state []byte, at uint64, err error)
}

// A Pager reads a session's messages: the newest ones at hand, the others in
// the journal, but for what lies in the removed parts of it.
type Pager struct {
	Journal Reader
	ID      clew.SessionID
	Tail    []clew.Message
	Total   int
	Removed []core.Span
	Queue   []clew.QueuedMessage // what waits now
	Open    []clew.MessageID     // messages that are not settled now
	Last    uint64               // the record that all this is as of
}

// Messages takes a page out of the tail if it lies there, else it reads back in
// the journal.
func (t *Pager) Messages(ctx context.Context, limit, offset int, before clew.MessageID) ([]clew.Message, error) {
	if offset >= t.Total {
		return nil, nil
	}
	end, whole := len(t.Tail), len(t.Tail) == t.Total
	if before != "" {
		seq, err := before.Seq()
		if err != nil {
			return nil, clew.Errorf(clew.MessageNotFound, "no message %q", before)
		}
		end, _ = slices.BinarySearchFunc(t.Tail, before, func(m clew.Message, id clew.MessageID) int { return core.CompareMessageIDs(m.MessageID, id) })
		if end == 0 && !whole {
			return t.ReadBack(ctx, seq, limit, offset)
		}
	}
	end -= offset
	if end-limit >= 0 || whole {
		return t.Tail[max(end-limit, 0):max(end, 0)], nil
	}
	seq, err := t.Tail[0].MessageID.Seq()
	if err != nil {
		return nil, err
	}
	older, err := t.ReadBack(ctx, seq, limit-max(end, 0), max(-end, 0))
	if err != nil {
		return nil, err
	}
	return append(older, t.Tail[:max(end, 0)]...), nil
}

// ReadBack collects the limit messages created before seq, after skipping some,
// reading the journal backwards in steps.
func (t *Pager) ReadBack(ctx context.Context, seq uint64, limit, skip int) ([]clew.Message, error) {
	const step = 2000
	var found []clew.Message
	for end := seq; end > 1 && len(found) < limit; {
		if span, ok := core.SpanOf(t.Removed, end-1); ok {
			end = span.From
			continue
		}
		from := max(end, step+1) - step
		part, err := t.Fold(ctx, from, end)
		if err != nil {
			return nil, err
		}
		n := min(skip, len(part))
		skip -= n
		found = append(part[:len(part)-n], found...)
		end = from
	}
	return found[max(len(found)-limit, 0):], nil
}

// Fold gives the messages created in [from, end) as they are now: it reads on
// beyond end as long as one of them is still growing, or waits and may change, or
// shows a call or a question that came to its end later.
func (t *Pager) Fold(ctx context.Context, from, end uint64) ([]clew.Message, error) {
	const beyond = 500
	f := PageFold{End: end, at: map[clew.MessageID]int{}, waiting: map[clew.MessageID]bool{}, Outcomes: NewOutcomes(t.Open)}
	for _, q := range t.Queue { // these are known as they are
		f.waiting[q.MessageID] = false
	}
	for to := min(end, t.Last); ; from, to = to+1, min(to+beyond, t.Last) { // the record at end may be about the one before it
		for r, err := range t.Journal.Read(ctx, t.ID, from, to) {
			if err == nil && !core.IsHidden(t.Removed, r.Seq) {
				err = f.add(r)
			}
			if err != nil {
				return nil, err
			}
		}
		if to == t.Last || !f.Waits(to) {
			for _, q := range t.Queue {
				if i, ok := f.at[q.MessageID]; ok {
					f.Messages[i].Text, f.Messages[i].Images = q.Text, q.Images
				}
			}
			return f.Messages, nil
		}
	}
}

// PageFold is a part of the transcript in the making.
type PageFold struct {
	End      uint64 // messages created from here on are left out
	Messages []clew.Message
	at       map[clew.MessageID]int
	growing  int
	Outcomes
	waiting map[clew.MessageID]bool // whether it is looked for when a message leaves the queue
}

func (f *PageFold) add(r clew.Record) error {
	switch r.Type {
	case clew.EventMessageCreated, clew.EventMessageUpdated, clew.EventMessageQueued, clew.EventMessageAccepted:
	default:
		return f.settles(r)
	}
	ev, err := clew.DecodeEvent(r.Type, r.Data())
	if err != nil {
		return err
	}
	core.Translate(ev.Data)
	switch d := ev.Data.(type) {
	case *clew.MessageCreatedData:
		if d.Message.Say == clew.SayAPIReqStarted {
			f.over[d.Message.TaskID] = r.MessageID()
		}
		if r.Seq < f.End {
			f.at[d.Message.MessageID] = len(f.Messages)
			f.Messages = append(f.Messages, core.Created(d.Message))
			f.grow(false, d.Message.Partial)
		}
	case *clew.MessageUpdatedData:
		if i, ok := f.at[d.Message.MessageID]; ok {
			f.grow(f.Messages[i].Partial, d.Message.Partial)
			core.ReplaceMessage(&f.Messages[i], d.Message)
		}
	case *clew.MessageQueuedData:
		if _, ok := f.at[d.MessageID]; !ok {
			break
		}
		if _, known := f.waiting[d.MessageID]; !known {
			f.waiting[d.MessageID] = true
			f.growing++
		}
	case *clew.MessageAcceptedData:
		if f.waiting[d.MessageID] {
			f.waiting[d.MessageID] = false
			f.growing--
		}
		if i, ok := f.at[d.MessageID]; ok {
			f.Messages[i].NoteDelivery(d)
		}
	}
	return nil
}

func (f *PageFold) grow(before, after bool) {
	if before {
		f.growing--
	}
	if after {
		f.growing++
	}
}
