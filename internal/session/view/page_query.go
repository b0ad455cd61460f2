package view

import (
	"context"
	"slices"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/session/core"
)

// PageQuery says which part of a transcript is wanted. At most one of Before, After
// and Around is given.
type PageQuery struct {
	Limit, Offset int
	Before        clew.MessageID // ends in front of this one
	After         clew.MessageID // begins behind this one
	Around        clew.MessageID // has this one in its middle
	// AsOf wants the transcript as it was right after this message, with what was
	// hidden since.
	AsOf clew.MessageID
}

// PageOf gives a page of the transcript.
func (t Pager) PageOf(ctx context.Context, q PageQuery) (clew.MessagesPage, error) {
	if q.Limit <= 0 {
		q.Limit = core.TailMessages
	}
	q.Limit = min(q.Limit, pageMax)
	if q.AsOf == "" {
		return t.part(ctx, q)
	}
	then, err := t.asOf(ctx, q.AsOf)
	if err != nil {
		return clew.MessagesPage{}, err
	}
	past := NewPager(then, t.Journal)
	page, err := past.part(ctx, q)
	page.Tasks = then.TaskInfos(page.Messages)
	return page, err
}

func (t *Pager) part(ctx context.Context, q PageQuery) (clew.MessagesPage, error) {
	switch {
	case q.After != "":
		return t.after(ctx, q.After, q.Limit)
	case q.Around != "":
		return t.around(ctx, q.Around, q.Limit)
	}
	return t.page(ctx, q.Limit, q.Offset, q.Before)
}

func (t *Pager) page(ctx context.Context, limit, offset int, before clew.MessageID) (clew.MessagesPage, error) {
	page := clew.MessagesPage{Total: t.Total}
	// One more than asked for tells whether there is a page before this one.
	list, err := t.Messages(ctx, limit+1, max(offset, 0), before)
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

// around has what is before a message and the message itself in its first half.
func (t *Pager) around(ctx context.Context, id clew.MessageID, limit int) (clew.MessagesPage, error) {
	seq, err := t.place(id)
	if err != nil {
		return clew.MessagesPage{}, err
	}
	page, err := t.page(ctx, limit/2+1, 0, clew.MessageIDOf(seq+1))
	if err != nil {
		return page, err
	}
	later, err := t.later(ctx, seq, limit-len(page.Messages))
	page.Messages = append(slices.Clip(page.Messages), later...)
	t.goesOn(&page)
	return page, err
}

func (t *Pager) after(ctx context.Context, id clew.MessageID, limit int) (clew.MessagesPage, error) {
	page := clew.MessagesPage{Total: t.Total}
	seq, err := t.place(id)
	if err != nil {
		return page, err
	}
	if page.Messages, err = t.later(ctx, seq, limit); err != nil {
		return page, err
	}
	if len(page.Messages) > 0 {
		page.Next = page.Messages[0].MessageID
	}
	t.goesOn(&page)
	return page, nil
}

// goesOn says how to get the page after this one.
func (t *Pager) goesOn(page *clew.MessagesPage) {
	if n, newest := len(page.Messages), len(t.Tail); n > 0 && newest > 0 && page.Messages[n-1].MessageID < t.Tail[newest-1].MessageID {
		page.Newer = page.Messages[n-1].MessageID
	}
}

// place gives the number of a record of the session.
func (t *Pager) place(id clew.MessageID) (uint64, error) {
	seq, err := id.Seq()
	if err != nil || seq == 0 || seq > t.Last {
		return 0, clew.Errorf(clew.MessageNotFound, "no message %q in this session", id)
	}
	return seq, nil
}

// later gives up to n messages behind the record at seq.
func (t *Pager) later(ctx context.Context, seq uint64, n int) ([]clew.Message, error) {
	if n <= 0 {
		return nil, nil
	}
	from := clew.MessageIDOf(seq + 1)
	i, _ := slices.BinarySearchFunc(t.Tail, from, func(m clew.Message, id clew.MessageID) int { return core.CompareMessageIDs(m.MessageID, id) })
	if i > 0 || len(t.Tail) == t.Total {
		return t.Tail[i:min(i+n, len(t.Tail))], nil
	}
	found, end := 0, t.Last+1
	for r, err := range t.Journal.Read(ctx, t.ID, seq+1, t.Last) {
		if err != nil {
			return nil, err
		}
		if r.Type == clew.EventMessageCreated && !core.IsHidden(t.Removed, r.Seq) {
			if found++; found > n {
				end = r.Seq
				break
			}
		}
	}
	return t.Messages(ctx, min(found, n), 0, clew.MessageIDOf(end))
}

// asOf is the session as it was when the message after this one was about to be
// said, or the session was about to be taken elsewhere.
func (t *Pager) asOf(ctx context.Context, id clew.MessageID) (*core.State, error) {
	seq, err := t.place(id)
	if err != nil {
		return nil, err
	}
	to := min(seq+settleReach, t.Last)
	for r, err := range t.Journal.Read(ctx, t.ID, seq+1, to) {
		if err != nil {
			return nil, err
		}
		if cuts(r.Type) {
			to = r.Seq - 1
			break
		}
	}
	return StateAt(ctx, t.Journal, t.ID, to)
}

// cuts reports whether a record begins another part of the transcript.
func cuts(typ clew.EventType) bool {
	switch typ {
	case clew.EventMessageCreated, clew.EventHistoryRewound, clew.EventRewindUndone, clew.EventSessionCreated, clew.EventSessionImported:
		return true
	}
	return false
}
