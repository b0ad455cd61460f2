package push

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/crash"
	"github.com/clew-run/clew/internal/inbox"
	"github.com/clew-run/clew/internal/journal"
	"github.com/clew-run/clew/internal/session/core"
)

// A message is what a browser gets. It has no word of what is asked.
type message struct {
	Kind       string         `json:"kind"` // question, settled or test
	RequestID  clew.RequestID `json:"request_id,omitempty"`
	SessionID  clew.SessionID `json:"session_id,omitempty"`
	Title      string         `json:"title,omitempty"` // of the session
	Asks       string         `json:"asks,omitempty"`  // what for: command, plan, …
	DeadlineMS int64          `json:"deadline_ms,omitempty"`
	Inbox      int            `json:"inbox"` // how many questions wait for the person
}

// told is the row that notes which subscriptions heard of a question. It goes
// when they have heard that it is settled.
type told struct {
	User          clew.UserID    `json:"user"`
	RequestID     clew.RequestID `json:"request_id"`
	Subscriptions []string       `json:"subscriptions"`
	// Refused lists those whose push service will never take it.
	Refused []string `json:"refused,omitempty"`
}

const (
	toldRows = "told"
	// openFor is how long a push service keeps word of a question without a
	// deadline, and of one that is settled.
	openFor = 7 * 24 * time.Hour
	// longestTTL is what the large push services take at most.
	longestTTL = 28 * 24 * time.Hour
)

func toldRow(row string) string { return toldRows + "." + row }

// topic is a request's name as push services see it: 32 letters that say
// nothing.
func topic(request string) string {
	h := sha256.Sum256([]byte("clew push topic\n" + request))
	return base64.RawURLEncoding.EncodeToString(h[:24])
}

// take tells a person's subscriptions of a change in their inbox. Whom it has
// told is noted after they have taken it: a crash in between makes them hear it
// again, under the same topic.
func (p *Push) take(ctx context.Context, c journal.Change) (again time.Duration, err error) {
	if c.Item == nil {
		again, err = p.settle(ctx, c.Row, c.Attempt)
	} else {
		again, err = p.ask(ctx, c)
	}
	if err != nil && ctx.Err() == nil {
		p.o.Log.Warn("a push was not taken", "attempt", c.Attempt, "again_in", again, "err", err)
	}
	return again, err
}

func (p *Push) ask(ctx context.Context, c journal.Change) (time.Duration, error) {
	subs, err := p.inForce(ctx, c.User)
	if err != nil || len(subs) == 0 {
		return time.Second, err
	}
	heard, err := p.toldOf(ctx, c.Row)
	if err != nil {
		return time.Second, err
	}
	subs = slices.DeleteFunc(subs, func(s Subscription) bool {
		return slices.Contains(heard.Subscriptions, s.ID) || slices.Contains(heard.Refused, s.ID)
	})
	if len(subs) == 0 {
		return 0, nil
	}
	m, err := p.question(ctx, c.User, *c.Item)
	if err != nil {
		return time.Second, err
	}
	ttl := openFor
	if m.DeadlineMS > 0 {
		if ttl = min(time.Duration(m.DeadlineMS-p.now())*time.Millisecond, longestTTL); ttl <= 0 {
			return 0, nil // it settles itself in a moment
		}
	}
	if open, err := p.o.Rows.HasRow(ctx, c.Row); err != nil || !open {
		return time.Second, err
	}
	crash.At("push.before")
	r := p.postAll(ctx, c.User, subs, m, ttl)
	crash.At("push.sent")
	heard.User, heard.RequestID = c.User, m.RequestID
	heard.Subscriptions, heard.Refused = append(heard.Subscriptions, r.sent...), append(heard.Refused, r.refused...)
	p.keep(ctx, c.Row, heard, r.sent)
	// Another node may have seen the question settled while this one told of it.
	if open, err := p.o.Rows.HasRow(ctx, c.Row); err == nil && !open {
		return p.settle(ctx, c.Row, c.Attempt)
	}
	return p.another(c.Attempt, r)
}

func (p *Push) question(ctx context.Context, user clew.UserID, item core.InboxItem) (message, error) {
	asking := item.Question.Asking()
	n, err := p.count(ctx, user)
	return message{
		Kind: "question", RequestID: asking.RequestID, SessionID: item.SessionID, Title: cut(item.Title),
		Asks: asks(item.Question), DeadlineMS: asking.DeadlineMS, Inbox: n,
	}, err
}

// asks names what a question is for, in a word of the vocabulary.
func asks(q clew.Question) string {
	kind := strings.Split(inbox.KindOf(q), ":")
	if len(kind) > 1 {
		return kind[1]
	}
	switch q.Type {
	case clew.EventHitlPlanReview:
		return "plan"
	case clew.EventHitlInputRequest:
		return "input"
	case clew.EventHitlClarification:
		return "clarification"
	}
	return "approval"
}

const maxTitle = 200 // runes; a session's title may be long, a notice is one line

func cut(title string) string {
	if r := []rune(title); len(r) > maxTitle {
		return string(r[:maxTitle-1]) + "…"
	}
	return title
}

func (p *Push) count(ctx context.Context, user clew.UserID) (int, error) {
	rows, err := p.o.Rows.List(ctx, user)
	return len(rows), err
}

// settle tells who heard of a question that it needs no answer any more.
func (p *Push) settle(ctx context.Context, row string, attempt int) (time.Duration, error) {
	heard, err := p.toldOf(ctx, row)
	if err != nil {
		return time.Second, err
	}
	if len(heard.Subscriptions) == 0 {
		return 0, p.forget(ctx, row)
	}
	subs, err := p.inForce(ctx, heard.User)
	if err != nil {
		return time.Second, err
	}
	subs = slices.DeleteFunc(subs, func(s Subscription) bool { return !slices.Contains(heard.Subscriptions, s.ID) })
	n, err := p.count(ctx, heard.User)
	if err != nil {
		return time.Second, err
	}
	r := p.postAll(ctx, heard.User, subs, message{Kind: "settled", RequestID: heard.RequestID, Inbox: n}, openFor)
	again, err := p.another(attempt, r)
	if err == nil || again == 0 {
		return again, errors.Join(err, p.forget(ctx, row))
	}
	heard.Subscriptions = r.later
	p.keep(ctx, row, heard, r.sent)
	return again, err
}

// settleMissed settles what went while no node was there to see it: the mark of
// a row that is gone does not stay for ever.
func (p *Push) settleMissed(ctx context.Context) error {
	rows, err := p.o.Table.Below(ctx, toldRows)
	if err != nil {
		return err
	}
	for key := range rows {
		row := strings.TrimPrefix(key, toldRows+".")
		if open, err := p.o.Rows.HasRow(ctx, row); err != nil {
			return err
		} else if open {
			continue
		}
		if _, err := p.settle(ctx, row, len(p.o.Again)); err != nil { // the next start tries again
			p.o.Log.Warn("a push was not taken", "err", err)
		}
	}
	return nil
}

// results is what became of one message, by subscription.
type results struct {
	sent    []string
	refused []string // those that will never take it
	later   []string // those that may take it another time
	wait    time.Duration
	// failed says why, for those that did not take it.
	failed map[string]outcome
}

// postAll sends a message to subscriptions, at the same time, as each may take
// long. Those that have ended are removed.
func (p *Push) postAll(ctx context.Context, user clew.UserID, subs []Subscription, m message, ttl time.Duration) (r results) {
	outcomes := make([]outcome, len(subs))
	var posts sync.WaitGroup
	for i, s := range subs {
		posts.Go(func() { outcomes[i] = p.post(ctx, s, m, ttl) })
	}
	posts.Wait()
	r.failed = map[string]outcome{}
	for i, o := range outcomes {
		if !o.sent() {
			r.failed[subs[i].ID] = o
		}
		switch s := subs[i]; {
		case o.sent():
			p.Counters.Sent.Add(1)
			r.sent = append(r.sent, s.ID)
		case o.gone():
			p.Counters.Gone.Add(1)
			if err := p.remove(ctx, user, s); err != nil {
				p.o.Log.Warn("a subscription that has ended is still kept", "subscription", s.ID, "err", err)
			}
		case o.passing():
			r.later, r.wait = append(r.later, s.ID), max(r.wait, o.wait)
		default:
			p.Counters.GivenUp.Add(1)
			r.refused = append(r.refused, s.ID)
			p.o.Log.Error("a push is given up", "subscription", s.ID, "reason", o.String())
		}
	}
	return r
}

// another says when to try again those that may take it another time.
func (p *Push) another(attempt int, r results) (time.Duration, error) {
	if len(r.later) == 0 {
		return 0, nil
	}
	why := r.failed[r.later[0]].String()
	if attempt > len(p.o.Again) {
		p.Counters.GivenUp.Add(int64(len(r.later)))
		return 0, errors.New(why + "; it is given up")
	}
	p.Counters.Retried.Add(int64(len(r.later)))
	return max(p.o.Again[max(0, attempt-1)], r.wait), errors.New(why)
}

func (p *Push) toldOf(ctx context.Context, row string) (t told, err error) {
	b, _, err := p.o.Table.Get(ctx, toldRow(row))
	if errors.Is(err, journal.ErrNoRow) {
		return t, nil
	}
	if err == nil {
		err = json.Unmarshal(b, &t)
	}
	return t, err
}

// lasting is for the notes of what was sent. They do not end with the work: the
// messages are out.
func lasting(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
}

// keep notes who has heard of a question, and when.
func (p *Push) keep(ctx context.Context, row string, t told, sent []string) {
	ctx, cancel := lasting(ctx)
	defer cancel()
	b, err := json.Marshal(t)
	if err == nil && len(t.Subscriptions)+len(t.Refused) > 0 {
		err = p.o.Table.Put(ctx, toldRow(row), b)
	}
	if err != nil {
		p.o.Log.Warn("a push may be sent twice", "err", err)
	}
	if err := p.note(ctx, t.User, sent); err != nil {
		p.o.Log.Warn("when a subscription was told is not noted", "err", err)
	}
}

func (p *Push) forget(ctx context.Context, row string) error {
	ctx, cancel := lasting(ctx)
	defer cancel()
	return p.o.Table.Change(ctx, toldRow(row), func([]byte) ([]byte, error) { return nil, nil })
}
