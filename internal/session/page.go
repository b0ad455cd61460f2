package session

import (
	"context"
	"iter"
	"slices"

	"github.com/clew-run/clew"
)

// pageMax bounds one page of messages.
const pageMax = 1000

// Messages gives a page of the transcript in order of time. offset counts from
// the newest message; before, if given, names the message that the page ends
// in front of.
func (w *Watch) Messages(ctx context.Context, limit, offset int, before clew.MessageID) (clew.MessagesPage, error) {
	return w.Page(ctx, PageQuery{Limit: limit, Offset: offset, Before: before})
}

// pager gives the messages at hand and a way to the others.
func (w *Watch) pager(ctx context.Context) (pager, error) {
	t := pager{journal: w.host.cfg.Journal, id: w.id}
	err := w.host.at(ctx, w.id, false, func(s *Session) error {
		return s.read(ctx, func(s *Session) { t = s.state.pager(t.journal) })
	}, func(node string) (err error) {
		return w.host.callTail(ctx, node, &t)
	})
	return t, err
}

// pager is that of the state's session, as of now.
func (s *State) pager(j Reader) pager {
	return pager{
		journal: j, id: s.ID, tail: slices.Clone(s.Messages.Tail()), total: s.Total, removed: slices.Clone(s.Removed),
		queue: s.queuedMessages(), open: s.unsettledMessages(), last: s.Seq,
	}
}

// Reader is the part of the journal that is read to show a session.
type Reader interface {
	// Read yields the records from seq `from` up to and including `to`.
	Read(ctx context.Context, id clew.SessionID, from, to uint64) iter.Seq2[clew.Record, error]
	// Past gives a kept fold at or before seq, and its seq; nil if there is none.
	Past(ctx context.Context, id clew.SessionID, seq uint64) (state []byte, at uint64, err error)
}

// A pager reads a session's messages: the newest ones at hand, the others in
// the journal, but for what lies in the removed parts of it.
type pager struct {
	journal Reader
	id      clew.SessionID
	tail    []clew.Message
	total   int
	removed []Span
	queue   []clew.QueuedMessage // what waits now
	open    []clew.MessageID     // messages that are not settled now
	last    uint64               // the record that all this is as of
}

// messages takes a page out of the tail if it lies there, else it reads back in
// the journal.
func (t *pager) messages(ctx context.Context, limit, offset int, before clew.MessageID) ([]clew.Message, error) {
	if offset >= t.total {
		return nil, nil
	}
	end, whole := len(t.tail), len(t.tail) == t.total
	if before != "" {
		seq, err := before.Seq()
		if err != nil {
			return nil, clew.Errorf(clew.MessageNotFound, "no message %q", before)
		}
		end, _ = slices.BinarySearchFunc(t.tail, before, func(m clew.Message, id clew.MessageID) int { return compareMessageIDs(m.MessageID, id) })
		if end == 0 && !whole {
			return t.readBack(ctx, seq, limit, offset)
		}
	}
	end -= offset
	if end-limit >= 0 || whole {
		return t.tail[max(end-limit, 0):max(end, 0)], nil
	}
	seq, err := t.tail[0].MessageID.Seq()
	if err != nil {
		return nil, err
	}
	older, err := t.readBack(ctx, seq, limit-max(end, 0), max(-end, 0))
	if err != nil {
		return nil, err
	}
	return append(older, t.tail[:max(end, 0)]...), nil
}

func compareMessageIDs(a, b clew.MessageID) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// readBack collects the limit messages created before seq, after skipping some,
// reading the journal backwards in steps.
func (t *pager) readBack(ctx context.Context, seq uint64, limit, skip int) ([]clew.Message, error) {
	const step = 2000
	var found []clew.Message
	for end := seq; end > 1 && len(found) < limit; {
		if span, ok := spanOf(t.removed, end-1); ok {
			end = span.From
			continue
		}
		from := max(end, step+1) - step
		part, err := t.fold(ctx, from, end)
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

// fold gives the messages created in [from, end) as they are now: it reads on
// beyond end as long as one of them is still growing, or waits and may change, or
// shows a call or a question that came to its end later.
func (t *pager) fold(ctx context.Context, from, end uint64) ([]clew.Message, error) {
	const beyond = 500
	f := pageFold{end: end, at: map[clew.MessageID]int{}, waiting: map[clew.MessageID]bool{}, outcomes: newOutcomes(t.open)}
	for _, q := range t.queue { // these are known as they are
		f.waiting[q.MessageID] = false
	}
	for to := min(end, t.last); ; from, to = to+1, min(to+beyond, t.last) { // the record at end may be about the one before it
		for r, err := range t.journal.Read(ctx, t.id, from, to) {
			if err == nil && !isHidden(t.removed, r.Seq) {
				err = f.add(r)
			}
			if err != nil {
				return nil, err
			}
		}
		if to == t.last || !f.waits(to) {
			for _, q := range t.queue {
				if i, ok := f.at[q.MessageID]; ok {
					f.messages[i].Text, f.messages[i].Images = q.Text, q.Images
				}
			}
			return f.messages, nil
		}
	}
}

// pageFold is a part of the transcript in the making.
type pageFold struct {
	end      uint64 // messages created from here on are left out
	messages []clew.Message
	at       map[clew.MessageID]int
	growing  int
	outcomes
	waiting map[clew.MessageID]bool // whether it is looked for when a message leaves the queue
}

func (f *pageFold) add(r clew.Record) error {
	switch r.Type {
	case clew.EventMessageCreated, clew.EventMessageUpdated, clew.EventMessageQueued, clew.EventMessageAccepted:
	default:
		return f.settles(r)
	}
	ev, err := clew.DecodeEvent(r.Type, r.Data())
	if err != nil {
		return err
	}
	translate(ev.Data)
	switch d := ev.Data.(type) {
	case *clew.MessageCreatedData:
		if d.Message.Say == clew.SayAPIReqStarted {
			f.over[d.Message.TaskID] = r.MessageID()
		}
		if r.Seq < f.end {
			f.at[d.Message.MessageID] = len(f.messages)
			f.messages = append(f.messages, created(d.Message))
			f.grow(false, d.Message.Partial)
		}
	case *clew.MessageUpdatedData:
		if i, ok := f.at[d.Message.MessageID]; ok {
			f.grow(f.messages[i].Partial, d.Message.Partial)
			replaceMessage(&f.messages[i], d.Message)
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
			f.messages[i].NoteDelivery(d)
		}
	}
	return nil
}

func (f *pageFold) grow(before, after bool) {
	if before {
		f.growing--
	}
	if after {
		f.growing++
	}
}
