package session

import (
	"context"
	"slices"

	"github.com/clew-run/clew"
)

// pageMax bounds one page of messages.
const pageMax = 1000

// Messages gives a page of the transcript in order of time. offset counts from
// the newest message; before, if given, names the message that the page ends
// in front of.
func (w *Watch) Messages(ctx context.Context, limit, offset int, before clew.MessageID) (clew.MessagesPage, error) {
	if limit <= 0 {
		limit = tailMessages
	}
	limit = min(limit, pageMax)
	t, err := w.transcript(ctx)
	if err != nil {
		return clew.MessagesPage{}, err
	}
	page := clew.MessagesPage{Total: t.total}
	// One more than asked for tells whether there is a page before this one.
	list, err := t.messages(ctx, limit+1, max(offset, 0), before)
	if err != nil {
		return page, err
	}
	if len(list) > limit {
		list = list[1:]
		page.Next = list[0].MessageID
	}
	page.Messages = list
	return page, nil
}

// transcript gives the messages at hand and a way to the others.
func (w *Watch) transcript(ctx context.Context) (transcript, error) {
	t := transcript{journal: w.host.cfg.Journal, id: w.id}
	err := w.host.at(ctx, w.id, false, func(s *Session) error {
		return s.look(ctx, func(s *Session) {
			t.tail, t.total, t.removed = slices.Clone(s.state.Messages), s.state.Total, slices.Clone(s.state.Removed)
		})
	}, func(node string) (err error) {
		t.tail, t.total, t.removed, err = w.host.callTail(ctx, node, w.id)
		return err
	})
	return t, err
}

// A transcript is a session's messages: the newest ones at hand, the others in
// the journal, but for what lies in the removed parts of it.
type transcript struct {
	journal Journal
	id      clew.SessionID
	tail    []clew.Message
	total   int
	removed []Span
}

// messages takes a page out of the tail if it lies there, else it reads back in
// the journal.
func (t *transcript) messages(ctx context.Context, limit, offset int, before clew.MessageID) ([]clew.Message, error) {
	if offset >= t.total {
		return nil, nil
	}
	end, whole := len(t.tail), len(t.tail) == t.total
	if before != "" {
		seq, err := before.Seq()
		if err != nil {
			return nil, clew.Errorf(clew.MessageNotFound, "no message %q", before)
		}
		end, _ = slices.BinarySearchFunc(t.tail, before, func(m clew.Message, id clew.MessageID) int { return compareIDs(m.MessageID, id) })
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

func compareIDs(a, b clew.MessageID) int {
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
func (t *transcript) readBack(ctx context.Context, seq uint64, limit, skip int) ([]clew.Message, error) {
	const step = 2000
	var found []clew.Message
	for end := seq; end > 1 && len(found) < limit; {
		if span, ok := spanWith(t.removed, end-1); ok {
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
// beyond end as long as one of them is still growing.
func (t *transcript) fold(ctx context.Context, from, end uint64) ([]clew.Message, error) {
	const beyond = 500
	f := folding{end: end, at: map[clew.MessageID]int{}}
	for to := end - 1; ; from, to = to+1, to+beyond {
		n := uint64(0)
		for r, err := range t.journal.Read(ctx, t.id, from, to) {
			if err == nil && !hidden(t.removed, r.Seq) {
				err = f.add(r)
			}
			if err != nil {
				return nil, err
			}
			n++
		}
		if f.growing == 0 || n <= to-from { // or the journal ends here
			return f.messages, nil
		}
	}
}

// folding is a part of the transcript in the making.
type folding struct {
	end      uint64 // messages created from here on are left out
	messages []clew.Message
	at       map[clew.MessageID]int
	growing  int
}

func (f *folding) add(r clew.Record) error {
	if r.Type != clew.EventMessageCreated && r.Type != clew.EventMessageUpdated {
		return nil
	}
	ev, err := clew.DecodeEvent(r.Type, r.Data())
	if err != nil {
		return err
	}
	switch d := ev.Data.(type) {
	case *clew.MessageCreatedData:
		if r.Seq < f.end {
			f.at[d.Message.MessageID] = len(f.messages)
			f.messages = append(f.messages, d.Message)
			f.grow(false, d.Message.Partial)
		}
	case *clew.MessageUpdatedData:
		if i, ok := f.at[d.Message.MessageID]; ok {
			f.grow(f.messages[i].Partial, d.Message.Partial)
			f.messages[i] = d.Message
		}
	}
	return nil
}

func (f *folding) grow(before, after bool) {
	if before {
		f.growing--
	}
	if after {
		f.growing++
	}
}
