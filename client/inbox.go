package client

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"net/http"
	"net/url"
	"strconv"

	"github.com/coder/websocket"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/wire"
)

// An InboxItem is an open question that the caller may answer.
type InboxItem struct {
	SessionID  clew.SessionID `json:"session_id"`
	Title      string         `json:"title"` // of the session
	Owner      clew.UserID    `json:"owner"` // of the session
	Question   clew.Question  `json:"question"`
	Kind       string         `json:"kind"`
	AskedMS    int64          `json:"asked_ms"`
	RemindedMS int64          `json:"reminded_ms,omitempty"`
	Seq        uint64         `json:"seq"`
}

// An Inbox is a page of the caller's open questions over all sessions: the
// nearest deadline first, then the oldest. Next is the cursor of the page after
// it, "" at the end.
type Inbox struct {
	Items  []InboxItem `json:"items"`
	Counts InboxCounts `json:"counts"`
	Next   string      `json:"next,omitempty"`
}

// InboxCounts are those of the whole inbox.
type InboxCounts struct {
	Total   int            `json:"total"`
	ByKind  map[string]int `json:"by_kind"`
	DueSoon int            `json:"due_soon"`
}

// An InboxChange is what changed in an inbox. The first one of a connection is
// all of it.
type InboxChange struct {
	All     bool             // what was there before is gone
	Added   []InboxItem      // new, or in place of an old one
	Removed []clew.RequestID // settled, or not the caller's any more
	Counts  InboxCounts
}

// An InboxAnswer answers a question by its id. Action is for approvals and
// plans; reject declines any question.
type InboxAnswer struct {
	Action      clew.Choice    `json:"action,omitempty"`
	Value       any            `json:"value,omitempty"`
	Comment     string         `json:"comment,omitempty"`
	Remember    *clew.Remember `json:"remember,omitempty"`
	Instruction string         `json:"instruction,omitempty"`
}

// Inbox lists the open questions that the caller may answer. limit 0 leaves the
// number to the server.
func (a *API) Inbox(ctx context.Context, cursor string, limit int) (Inbox, error) {
	v := url.Values{}
	setIf(v, "cursor", cursor)
	if limit > 0 {
		v.Set("limit", strconv.Itoa(limit))
	}
	var in Inbox
	err := a.call(ctx, http.MethodGet, "/inbox", v, nil, &in)
	return in, err
}

// AnswerQuestion answers an open question of any session.
func (a *API) AnswerQuestion(ctx context.Context, id clew.RequestID, answer InboxAnswer) (Receipt, error) {
	var r Receipt
	err := a.call(ctx, http.MethodPost, "/inbox/"+url.PathEscape(string(id)), nil, answer, &r)
	return r, err
}

// FollowInbox yields the caller's inbox and then each change of it. A connection
// that breaks is opened again as Dial does it; the first change after that is
// the whole inbox. It ends with an error when ctx ends, or when there is no
// point in trying again. Of the options Session, ClientID, ResumeFrom and
// NoFollow have no meaning here.
func FollowInbox(ctx context.Context, opts Options) iter.Seq2[InboxChange, error] {
	return func(yield func(InboxChange, error) bool) {
		base, err := parseBase(opts.URL)
		if err != nil {
			yield(InboxChange{}, err)
			return
		}
		f := &inboxFeed{Client: Client{opts: opts.withDefaults(), base: base}, yield: yield}
		f.soft, f.hard = ctx, ctx
		for retries := 0; ; retries++ {
			heard, err := f.once()
			switch {
			case f.stopped:
				return
			case ctx.Err() != nil:
				yield(InboxChange{}, ctx.Err())
				return
			case heard:
				retries = 0
			}
			var e *ending
			if errors.As(err, &e) && (e.final || e.normal) || retries >= f.opts.Retry.MaxRetries {
				f.state(Failed, err)
				yield(InboxChange{}, err)
				return
			}
			f.state(Reconnecting, err)
			if f.opts.Sleep(ctx, max(jitter(f.opts.Retry.Delay(retries), f.opts.Random()), retryAfter(err))) != nil {
				yield(InboxChange{}, ctx.Err())
				return
			}
		}
	}
}

// An inboxFeed reads one inbox, by the ways of a Client.
type inboxFeed struct {
	Client
	yield   func(InboxChange, error) bool
	stopped bool // nobody wants more
}

func (f *inboxFeed) state(s State, why error) {
	if f.opts.OnState != nil {
		f.opts.OnState(s, why)
	}
}

// once reads a connection to its end. heard says that it was of use.
func (f *inboxFeed) once() (heard bool, err error) {
	u := *f.base
	u.Path += "/api/v1/inbox/feed"
	ws, err := f.openAt(u.String())
	if err != nil {
		return false, err
	}
	defer func() { _ = ws.CloseNow() }()
	var last *clew.Error
	for {
		env, _, err := f.read(ws)
		if err != nil {
			return heard, closing(err, last)
		}
		last = saidError(env)
		if clew.EventType(env.Type) == clew.EventPing {
			err = f.write(f.hard, ws, f.pong())
		} else if change, ok := inboxChange(env); ok {
			heard = true
			f.state(Active, nil)
			if !f.yield(change, nil) {
				f.stopped = true
				_ = ws.Close(websocket.StatusNormalClosure, "")
				return heard, nil
			}
		}
		if err != nil {
			return heard, err
		}
	}
}

func inboxChange(env wire.Envelope) (InboxChange, bool) {
	var d struct {
		Items   []InboxItem      `json:"items"`
		Added   []InboxItem      `json:"added"`
		Removed []clew.RequestID `json:"removed"`
		Counts  InboxCounts      `json:"counts"`
	}
	if env.Type != "inbox_state" && env.Type != "inbox_changed" || json.Unmarshal(env.Data, &d) != nil {
		return InboxChange{}, false
	}
	all := env.Type == "inbox_state"
	return InboxChange{All: all, Added: append(d.Items, d.Added...), Removed: d.Removed, Counts: d.Counts}, true
}
