// Package inbox is a person's open questions over all sessions: to list, to
// follow, to answer, alone or many alike, and to be told of.
//
// It decides nothing by itself. The rows come from a table that the owners of
// the sessions keep; an answer is a command to the session like any other, with
// the same checks.
package inbox

import (
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"slices"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/session"
	"github.com/clew-run/clew/internal/session/core"
)

// Rows is the table of open questions.
type Rows interface {
	// List gives a person's rows in no order.
	List(ctx context.Context, user clew.UserID) ([]core.InboxItem, error)
	// Find gives one row of a person.
	Find(ctx context.Context, user clew.UserID, id clew.RequestID) (core.InboxItem, bool, error)
	// Has reports whether a row is there.
	Has(ctx context.Context, user clew.UserID, id clew.SessionID, request clew.RequestID) (bool, error)
	// Watch calls fn for each row, then once with Current, then for each change
	// until ctx ends.
	Watch(ctx context.Context, user clew.UserID, fn func(session.InboxChange)) error
}

// Sessions carries answers out.
type Sessions interface {
	Access(ctx context.Context, id clew.SessionID, p clew.Principal) (clew.Role, error)
	Do(ctx context.Context, id clew.SessionID, cmd clew.Command) (session.Receipt, error)
	// State gives the session as it is now. Of makes it from a host.
	State(ctx context.Context, id clew.SessionID) (clew.SessionState, error)
	// InboxWritten returns when the rows have followed the sessions of this node.
	InboxWritten(ctx context.Context)
}

// Of lets a session host carry answers out.
func Of(h *session.Host) Sessions { return hostSessions{h} }

type hostSessions struct{ *session.Host }

// State looks at the session once.
func (h hostSessions) State(ctx context.Context, id clew.SessionID) (clew.SessionState, error) {
	w, err := h.Watch(ctx, id)
	if err != nil {
		return clew.SessionState{}, err
	}
	defer w.Close()
	return w.State(ctx)
}

// An Inbox serves everybody's questions. Safe for concurrent use.
type Inbox struct {
	rows     Rows
	sessions Sessions
	now      func() int64 // Unix ms
}

// New makes an Inbox. now is the clock in Unix ms.
func New(rows Rows, sessions Sessions, now func() int64) *Inbox {
	return &Inbox{rows: rows, sessions: sessions, now: now}
}

// An Item is a question as its person sees it.
type Item struct {
	core.InboxItem
	// Kind is what questions must have in common to be answered together.
	Kind string `json:"kind"`
}

// Counts sums an inbox up.
type Counts struct {
	Total  int            `json:"total"`
	ByKind map[string]int `json:"by_kind"`
	// DueSoon counts those whose deadline is near or past.
	DueSoon int `json:"due_soon"`
}

// A Page is a part of an inbox. Counts are of all of it.
type Page struct {
	Items  []Item
	Counts Counts
	Next   string // the cursor of the next page, "" on the last
}

// soonMS is how near a deadline is soon.
const soonMS = 5 * 60_000

// KindOf names the kind of a question: its type, what kind of act it is about
// and, if there is one, the limit that was reached.
func KindOf(q clew.Question) string {
	kind := string(q.Type)
	var ask clew.Ask
	limit := ""
	switch d := q.Data.(type) {
	case *clew.HitlApprovalRequestData:
		ask, limit = d.Ask, d.Limit
	case *clew.HitlInputRequestData:
		ask = d.Ask
	}
	if ask != "" {
		kind += ":" + string(ask)
	}
	if limit != "" {
		kind += ":" + limit
	}
	return kind
}

// Reads reports whether credentials are good for an inbox: it shows what may be
// answered, and who comes with a viewer's key may answer nothing.
func Reads(by clew.Principal) bool {
	return by.User != "" && (by.Role == clew.RoleApprover || by.Role == clew.RoleOwner || by.Role == clew.RoleAdmin)
}

// all gives a person's questions in order.
func (b *Inbox) all(ctx context.Context, by clew.Principal) ([]Item, error) {
	if !Reads(by) {
		return nil, nil
	}
	b.sessions.InboxWritten(ctx)
	rows, err := b.rows.List(ctx, by.User)
	if err != nil {
		return nil, err
	}
	items := make([]Item, len(rows))
	for i, row := range rows {
		items[i] = Item{row, KindOf(row.Question)}
	}
	slices.SortFunc(items, func(x, y Item) int { return placeOf(x).compare(placeOf(y)) })
	return items, nil
}

// List gives a page of a person's questions: the nearest deadline first, then
// the oldest. cursor is "" or Next of the page before.
func (b *Inbox) List(ctx context.Context, by clew.Principal, cursor string, limit int) (Page, error) {
	after, err := readCursor(cursor)
	if err != nil {
		return Page{}, err
	}
	items, err := b.all(ctx, by)
	if err != nil {
		return Page{}, err
	}
	page := Page{Counts: b.count(items), Items: []Item{}}
	for _, it := range items {
		if cursor != "" && placeOf(it).compare(after) <= 0 {
			continue
		}
		if len(page.Items) == limit {
			page.Next = placeOf(page.Items[limit-1]).cursor()
			break
		}
		page.Items = append(page.Items, it)
	}
	return page, nil
}

// Counts sums a person's inbox up.
func (b *Inbox) Counts(ctx context.Context, by clew.Principal) (Counts, error) {
	items, err := b.all(ctx, by)
	return b.count(items), err
}

func (b *Inbox) count(items []Item) Counts {
	c := Counts{Total: len(items), ByKind: map[string]int{}}
	for _, it := range items {
		c.ByKind[it.Kind]++
		if d := it.Question.Asking().DeadlineMS; d > 0 && d-b.now() <= soonMS {
			c.DueSoon++
		}
	}
	return c
}

// A place is where a question stands in its inbox. It does not depend on the
// others, so pages stay whole while questions come and go.
type place struct {
	Deadline int64          `json:"d,omitempty"`
	Asked    int64          `json:"a"`
	Request  clew.RequestID `json:"r"`
}

func placeOf(it Item) place {
	a := it.Question.Asking()
	return place{a.DeadlineMS, it.AskedMS, a.RequestID}
}

func (p place) compare(q place) int {
	if (p.Deadline == 0) != (q.Deadline == 0) { // without one comes last
		return -cmp.Compare(p.Deadline, q.Deadline)
	}
	return cmp.Or(cmp.Compare(p.Deadline, q.Deadline), cmp.Compare(p.Asked, q.Asked), cmp.Compare(p.Request, q.Request))
}

func (p place) cursor() string {
	b, err := json.Marshal(p)
	if err != nil { // strings and numbers always encode
		panic(err)
	}
	return base64.RawURLEncoding.EncodeToString(b)
}

func readCursor(s string) (p place, err error) {
	if s == "" {
		return p, nil
	}
	b, err := base64.RawURLEncoding.DecodeString(s)
	if err == nil {
		err = json.Unmarshal(b, &p)
	}
	if err != nil {
		return p, clew.Errorf(clew.InvalidMessage, "cursor is not one that a listing returned")
	}
	return p, nil
}
