package inbox

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"strings"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/session"
	"github.com/clew-run/clew/internal/session/core"
)

// A Claim is what an answer link says: this person may answer this question
// until then.
type Claim struct {
	RequestID clew.RequestID `json:"request_id"`
	SessionID clew.SessionID `json:"session_id"`
	User      clew.UserID    `json:"user"`
	ExpMS     int64          `json:"exp"` // Unix ms
}

// Links makes and reads the tokens of answer links. All nodes have the same
// key.
type Links struct {
	inbox *Inbox
	key   []byte
}

// NewLinks makes links to the questions of an inbox.
func NewLinks(b *Inbox, key []byte) *Links { return &Links{b, key} }

const maxToken = 2048

// errLink is the one answer to every token that does not hold, so that nobody
// learns why.
var errLink = clew.Errorf(clew.AuthFailed, "this link does not hold, or holds no more")

// Token makes the token of a claim.
func (l *Links) Token(c Claim) (string, error) {
	b, err := json.Marshal(c)
	if err != nil {
		return "", err
	}
	payload := base64.RawURLEncoding.EncodeToString(b)
	return payload + "." + l.sign(payload), nil
}

// sign covers the payload as it is written, so no other spelling of the same
// bytes passes.
func (l *Links) sign(payload string) string {
	m := hmac.New(sha256.New, l.key)
	_, _ = m.Write([]byte("clew answer link 1\n" + payload)) // never fails
	return base64.RawURLEncoding.EncodeToString(m.Sum(nil))
}

func (l *Links) read(token string) (Claim, error) {
	var c Claim
	payload, sum, ok := strings.Cut(token, ".")
	if !ok || len(token) > maxToken || !hmac.Equal([]byte(sum), []byte(l.sign(payload))) {
		return c, errLink
	}
	b, err := base64.RawURLEncoding.DecodeString(payload)
	if err == nil {
		err = json.Unmarshal(b, &c)
	}
	if err != nil || l.inbox.now() >= c.ExpMS {
		return c, errLink
	}
	return c, nil
}

// open finds the question of a token and who answers it: the link's person, with
// no more rights than to answer, and only if they still have that one.
func (l *Links) open(ctx context.Context, token string) (clew.Principal, core.InboxItem, error) {
	c, err := l.read(token)
	if err != nil {
		return clew.Principal{}, core.InboxItem{}, err
	}
	by := clew.Principal{User: c.User, Role: clew.RoleApprover}
	role, err := l.inbox.sessions.Access(ctx, c.SessionID, by)
	switch code := clew.CodeOf(err); {
	case code == clew.SessionNotFound, err == nil && role != clew.RoleApprover:
		return by, core.InboxItem{}, errLink
	case err != nil:
		return by, core.InboxItem{}, err
	}
	item, err := l.question(ctx, c)
	return by, item, err
}

// question asks the session itself. The table of rows would do, but for the
// moments by which it is late.
func (l *Links) question(ctx context.Context, c Claim) (core.InboxItem, error) {
	st, err := l.inbox.sessions.State(ctx, c.SessionID)
	if err != nil {
		return core.InboxItem{}, err
	}
	open := st.HitlQueue
	if st.HitlPending != nil {
		open = append([]clew.Question{*st.HitlPending}, open...)
	}
	for _, q := range open {
		if q.RequestID() != c.RequestID {
			continue
		}
		if a := q.Asking().Assignee; a != "" && a != c.User && st.Owner != c.User {
			return core.InboxItem{}, errLink // it is meant for somebody else by now
		}
		return core.InboxItem{SessionID: c.SessionID, Title: st.Title, Owner: st.Owner, Question: q}, nil
	}
	return core.InboxItem{}, errNotOpen
}

// A Look is what a link shows before it is used.
type Look struct {
	Title    string        `json:"title"`
	User     clew.UserID   `json:"user"`
	Question clew.Question `json:"question"`
}

// Look shows the question of a link.
func (l *Links) Look(ctx context.Context, token string) (Look, error) {
	by, item, err := l.open(ctx, token)
	if err != nil {
		return Look{}, err
	}
	return Look{Title: item.Title, User: by.User, Question: item.Question}, nil
}

// Answer answers the question of a link. The first answer settles it, so a link
// is of use once.
func (l *Links) Answer(ctx context.Context, token string, r Response) (session.Receipt, error) {
	by, item, err := l.open(ctx, token)
	if err == nil && r.Remember != nil { // a link may be forwarded; it is good for one question
		err = clew.Errorf(clew.HitlInvalidResponse, "a link answers one question: nothing is remembered by it")
	}
	if err != nil {
		return session.Receipt{}, err
	}
	return l.inbox.answer(ctx, by, item, r)
}
