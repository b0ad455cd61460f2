package client

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/clew-run/clew"
)

// An API is the server's REST side. Errors are *clew.Error. It may be used by
// several goroutines at once.
type API struct {
	base   string
	token  string
	client *http.Client
}

const apiTimeout = 30 * time.Second

// NewAPI makes an API for the server at baseURL. The token goes into the
// Authorization header; "" sends none.
func NewAPI(baseURL, token string) *API {
	return &API{base: baseURL, token: token, client: &http.Client{Timeout: apiTimeout}}
}

// WithHTTPClient gives an API that uses h, for a local socket or a test.
func (a *API) WithHTTPClient(h *http.Client) *API {
	b := *a
	b.client = h
	return &b
}

// NewSession is what a session is made with; all of it is optional.
type NewSession struct {
	SessionID clew.SessionID `json:"session_id,omitempty"`
	Title     string         `json:"title,omitempty"`
	Workspace string         `json:"workspace,omitempty"`
	// Environment is PATH and the variables of toolchains in the caller's terminal,
	// for commands. The server takes it from whoever runs it, and from nobody else.
	Environment map[string]string `json:"environment,omitempty"`
	// Worktree says whether the session gets a git work tree and a branch of its own;
	// nil leaves it to the server's setting worktree.
	Worktree *bool `json:"worktree,omitempty"`
}

// A Session is a session as REST shows it. Raw is all that the server said.
type Session struct {
	ID        clew.SessionID     `json:"session_id"`
	Title     string             `json:"title"`
	Status    clew.SessionStatus `json:"status"`
	Owner     clew.UserID        `json:"owner"`
	Workspace string             `json:"workspace"`
	// Outcome says how the work ended that came last, "" while something is under
	// way. It is in lists only.
	Outcome   clew.OutcomeStatus `json:"outcome,omitempty"`
	CreatedMS int64              `json:"created_ms"`
	UpdatedMS int64              `json:"updated_ms"`
	// LastUsedMS is when a person last did something in it. It is in lists only.
	LastUsedMS int64           `json:"last_used_ms,omitempty"`
	LastSeq    uint64          `json:"last_seq"`
	EraseMS    int64           `json:"erase_ms,omitempty"` // deleted, and erased then
	Raw        json.RawMessage `json:"-"`
}

// UnmarshalJSON keeps the raw form beside the fields.
func (s *Session) UnmarshalJSON(b []byte) error {
	type plain Session
	if err := json.Unmarshal(b, (*plain)(s)); err != nil {
		return err
	}
	s.Raw = bytes.Clone(b)
	return nil
}

// CreateSession makes a session and returns its id.
func (a *API) CreateSession(ctx context.Context, s NewSession) (clew.SessionID, error) {
	var made struct {
		SessionID clew.SessionID `json:"session_id"`
	}
	err := a.call(ctx, http.MethodPost, "/sessions", nil, s, &made)
	return made.SessionID, err
}

// A Page of the session list. Next is the cursor of the page after it, "" at
// the end.
type Page struct {
	Sessions []Session `json:"sessions"`
	Next     string    `json:"next"`
}

// ListSessions gives the caller's sessions, newest first. limit 0 leaves the
// number to the server; q filters by title or id.
func (a *API) ListSessions(ctx context.Context, q, cursor string, limit int) (Page, error) {
	return a.list(ctx, url.Values{}, q, cursor, limit)
}

// SessionsIn gives those of the caller's sessions that work in exactly this
// directory, the latest activity first; "" is anywhere.
func (a *API) SessionsIn(ctx context.Context, dir, cursor string, limit int) (Page, error) {
	v := url.Values{}
	setIf(v, "workspace", dir)
	return a.list(ctx, v, "", cursor, limit)
}

func (a *API) list(ctx context.Context, v url.Values, q, cursor string, limit int) (Page, error) {
	setIf(v, "q", q)
	setIf(v, "cursor", cursor)
	if limit > 0 {
		v.Set("limit", strconv.Itoa(limit))
	}
	var p Page
	err := a.call(ctx, http.MethodGet, "/sessions", v, nil, &p)
	return p, err
}

// GetSession reads one session.
func (a *API) GetSession(ctx context.Context, id clew.SessionID) (Session, error) {
	var s Session
	err := a.call(ctx, http.MethodGet, sessionPath(id), nil, nil, &s)
	return s, err
}

// PageOf says which part of a transcript is wanted. Offset counts from the
// newest message; Before names the message that the page ends before.
type PageOf struct {
	Limit  int
	Offset int
	Before clew.MessageID
}

// Messages reads a page of a session's transcript, in order of time.
func (a *API) Messages(ctx context.Context, id clew.SessionID, p PageOf) (clew.MessagesPage, error) {
	v := url.Values{}
	if p.Limit > 0 {
		v.Set("limit", strconv.Itoa(p.Limit))
	}
	if p.Offset > 0 {
		v.Set("offset", strconv.Itoa(p.Offset))
	}
	setIf(v, "before", string(p.Before))
	var page clew.MessagesPage
	err := a.call(ctx, http.MethodGet, sessionPath(id)+"/messages", v, nil, &page)
	return page, err
}

// Windows is what agents show beside the transcript.
type Windows struct {
	Windows []clew.WindowState `json:"windows"` // the front one last
	Notices []clew.NoticeState `json:"notices"` // that nobody has dismissed, oldest first
}

// Windows reads the open windows of a session.
func (a *API) Windows(ctx context.Context, id clew.SessionID) (Windows, error) {
	var out Windows
	err := a.call(ctx, http.MethodGet, sessionPath(id)+"/windows", nil, nil, &out)
	return out, err
}

// A Receipt says what became of a command.
type Receipt struct {
	ClientMessageID clew.ClientMessageID `json:"client_message_id"`
	Records         []clew.MessageID     `json:"records"`
}

// Command carries out any command of the catalogue. Under an id that the
// server has seen before it takes no second effect; "" lets Command make one.
func (a *API) Command(ctx context.Context, session clew.SessionID, id clew.ClientMessageID, typ clew.CommandType, data any) (Receipt, error) {
	if id == "" {
		id = newID()
	}
	var r Receipt
	err := a.call(ctx, http.MethodPost, sessionPath(session)+"/commands", nil, command{typ, session, id, data}, &r)
	return r, err
}

// Call makes any request of the REST side. path is what follows /api/v1; in and
// out are written and read as JSON, nil for none.
func (a *API) Call(ctx context.Context, method, path string, query url.Values, in, out any) error {
	return a.call(ctx, method, path, query, in, out)
}

func sessionPath(id clew.SessionID) string { return "/sessions/" + url.PathEscape(string(id)) }

func setIf(v url.Values, key, value string) {
	if value != "" {
		v.Set(key, value)
	}
}

func (a *API) call(ctx context.Context, method, path string, query url.Values, in, out any) error {
	req, err := a.request(ctx, method, path, query, in)
	if err != nil {
		return err
	}
	resp, err := a.client.Do(req)
	if err != nil {
		return clew.WrapError(clew.ConnectionFailed, err, "the server cannot be reached")
	}
	defer func() { _ = resp.Body.Close() }() // it was only read
	body, err := io.ReadAll(io.LimitReader(resp.Body, defaultReadLimit))
	if err != nil {
		return clew.WrapError(clew.ConnectionFailed, err, "the answer broke off")
	}
	if resp.StatusCode/100 != 2 {
		return errorOf(resp, body)
	}
	if out == nil {
		return nil
	}
	if err := json.Unmarshal(body, out); err != nil {
		return clew.WrapError(clew.Internal, err, "the server's answer is not readable")
	}
	return nil
}

func (a *API) request(ctx context.Context, method, path string, query url.Values, in any) (*http.Request, error) {
	base, err := parseBase(a.base)
	if err != nil {
		return nil, err
	}
	var body io.Reader
	if in != nil {
		b, err := json.Marshal(in)
		if err != nil {
			return nil, clew.WrapError(clew.InvalidMessage, err, "the request cannot be encoded")
		}
		body = bytes.NewReader(b)
	}
	target := base.String() + "/api/v1" + path
	if len(query) > 0 {
		target += "?" + query.Encode()
	}
	req, err := http.NewRequestWithContext(ctx, method, target, body)
	if err != nil {
		return nil, clew.WrapError(clew.InvalidMessage, err, "the request cannot be made")
	}
	if in != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if a.token != "" {
		req.Header.Set("Authorization", "Bearer "+a.token)
	}
	return req, nil
}

// errorOf makes the error of an HTTP answer: the one in its body, else one
// that fits the status.
func errorOf(resp *http.Response, body []byte) *clew.Error {
	var d struct {
		clew.ErrorData
		Error *clew.ErrorData `json:"error"`
	}
	if json.Unmarshal(body, &d) == nil {
		if d.Error != nil && d.Error.Code != "" {
			return d.Error.Err()
		}
		if d.Code != "" {
			return d.Err()
		}
	}
	e := clew.Errorf(codeOfStatus(resp.StatusCode), "the server answered %s", resp.Status)
	if s, err := strconv.Atoi(resp.Header.Get("Retry-After")); err == nil {
		e.RetryAfterMS = int64(s) * 1000
	}
	return e
}

func codeOfStatus(status int) clew.Code {
	switch status {
	case http.StatusUnauthorized:
		return clew.AuthFailed
	case http.StatusForbidden:
		return clew.Forbidden
	case http.StatusNotFound:
		return clew.SessionNotFound
	case http.StatusTooManyRequests:
		return clew.RateLimited
	case http.StatusRequestEntityTooLarge:
		return clew.MessageTooLarge
	case http.StatusServiceUnavailable:
		return clew.Unavailable
	}
	if status >= 500 {
		return clew.Internal
	}
	return clew.InvalidMessage
}
