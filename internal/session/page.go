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
	st, total, err := w.tail(ctx)
	if err != nil {
		return clew.MessagesPage{}, err
	}
	page := clew.MessagesPage{Total: total}
	page.Messages, err = w.messages(ctx, st, limit, max(offset, 0), before)
	if err != nil {
		return page, err
	}
	if n := len(page.Messages); n > 0 {
		if first, err := page.Messages[0].MessageID.Seq(); err == nil && (n == limit || before != "" || offset > 0) && first > 2 {
			page.Next = page.Messages[0].MessageID
		}
	}
	return page, nil
}

// tail gives the messages at hand and how many there are in all.
func (w *Watch) tail(ctx context.Context) ([]clew.Message, int, error) {
	if w.local != nil {
		var messages []clew.Message
		var total int
		err := w.local.look(ctx, func(s *Session) { messages, total = slices.Clone(s.state.Messages), s.state.Total })
		return messages, total, err
	}
	st, err := w.State(ctx)
	return st.Messages, len(st.Messages), err
}

// messages takes the page out of the tail if it lies there, else it reads back
// in the journal.
func (w *Watch) messages(ctx context.Context, tail []clew.Message, limit, offset int, before clew.MessageID) ([]clew.Message, error) {
	end := len(tail)
	if before != "" {
		seq, err := before.Seq()
		if err != nil {
			return nil, clew.Errorf(clew.MessageNotFound, "no message %q", before)
		}
		end, _ = slices.BinarySearchFunc(tail, before, func(m clew.Message, id clew.MessageID) int { return compareIDs(m.MessageID, id) })
		if end == 0 {
			return w.readBack(ctx, seq, limit, 0)
		}
	}
	end -= offset
	if end-limit >= 0 || len(tail) > 0 && tail[0].MessageID <= clew.MessageIDOf(2) {
		return tail[max(end-limit, 0):max(end, 0)], nil
	}
	first := clew.MessageIDOf(1)
	if len(tail) > 0 {
		first = tail[0].MessageID
	}
	seq, err := first.Seq()
	if err != nil {
		return nil, err
	}
	older, err := w.readBack(ctx, seq, limit-max(end, 0), max(-end, 0))
	if err != nil {
		return nil, err
	}
	return append(older, tail[:max(end, 0)]...), nil
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
// reading the journal backwards in steps. Whatever changed them later within
// the step is folded in.
func (w *Watch) readBack(ctx context.Context, seq uint64, limit, skip int) ([]clew.Message, error) {
	const step = 2000
	var found []clew.Message
	for end := seq; end > 1 && len(found) < limit+skip; {
		from := uint64(1)
		if end > step {
			from = end - step
		}
		part, err := w.fold(ctx, from, end, seq)
		if err != nil {
			return nil, err
		}
		found = append(part, found...)
		end = from
	}
	found = found[:max(len(found)-skip, 0)]
	return found[max(len(found)-limit, 0):], nil
}

// fold reads the messages created in [from, end), with the changes up to a
// little beyond end.
func (w *Watch) fold(ctx context.Context, from, end, limit uint64) ([]clew.Message, error) {
	const beyond = 500
	var messages []clew.Message
	at := map[clew.MessageID]int{}
	for r, err := range w.Read(ctx, from, min(end+beyond, limit+beyond)) {
		if err != nil {
			return nil, err
		}
		switch r.Type {
		case clew.EventMessageCreated, clew.EventMessageUpdated:
		default:
			continue
		}
		ev, err := clew.DecodeEvent(r.Type, r.Data())
		if err != nil {
			return nil, err
		}
		switch d := ev.Data.(type) {
		case *clew.MessageCreatedData:
			if r.Seq < end {
				at[d.Message.MessageID] = len(messages)
				messages = append(messages, d.Message)
			}
		case *clew.MessageUpdatedData:
			if i, ok := at[d.Message.MessageID]; ok {
				messages[i] = d.Message
			}
		}
	}
	return messages, nil
}
