package api_test

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/api"
	"github.com/clew-run/clew/internal/inbox"
	"github.com/clew-run/clew/internal/session"
	"github.com/clew-run/clew/internal/session/core"
)

// mailbox is an inbox and its links in memory.
type mailbox struct {
	by       clew.Principal
	cursor   string
	limit    int
	id       clew.RequestID
	ids      []clew.RequestID
	response inbox.Response
	token    string
	fail     error
}

func aQuestion() inbox.Item {
	q := clew.Question{Type: clew.EventHitlApprovalRequest, Data: &clew.HitlApprovalRequestData{Asking: clew.Asking{RequestID: "q1"}, Reason: "may it?"}}
	return inbox.Item{InboxItem: core.InboxItem{SessionID: "s1", Title: "Work", Owner: "ann", Question: q, AskedMS: 7, Seq: 3}, Kind: "k"}
}

func (m *mailbox) List(_ context.Context, by clew.Principal, cursor string, limit int) (inbox.Page, error) {
	m.by, m.cursor, m.limit = by, cursor, limit
	return inbox.Page{Items: []inbox.Item{aQuestion()}, Counts: inbox.Counts{Total: 3, ByKind: map[string]int{"k": 3}, DueSoon: 1}, Next: "more"}, m.fail
}

func (m *mailbox) Counts(context.Context, clew.Principal) (inbox.Counts, error) {
	return inbox.Counts{Total: 3, ByKind: map[string]int{"k": 3}}, m.fail
}

func (m *mailbox) Answer(_ context.Context, by clew.Principal, id clew.RequestID, r inbox.Response) (session.Receipt, error) {
	m.by, m.id, m.response = by, id, r
	return session.Receipt{ClientMessageID: r.ClientMessageID, Records: []clew.MessageID{clew.MessageIDOf(7)}}, m.fail
}

func (m *mailbox) Batch(_ context.Context, by clew.Principal, ids []clew.RequestID, action clew.Choice, comment string) ([]inbox.BatchItem, error) {
	m.by, m.ids, m.response = by, ids, inbox.Response{Action: action, Comment: comment}
	return []inbox.BatchItem{
		{RequestID: "q1", SessionID: "s1", Records: []clew.MessageID{clew.MessageIDOf(7)}},
		{RequestID: "q2", Error: clew.Errorf(clew.HitlRequestExpired, "settled")},
	}, m.fail
}

// links is the same mailbox by link.
type links struct{ *mailbox }

func (l links) Look(_ context.Context, token string) (inbox.Look, error) {
	l.token = token
	return inbox.Look{Title: "Work", User: "bob", Question: aQuestion().Question}, l.fail
}

func (l links) Answer(_ context.Context, token string, r inbox.Response) (session.Receipt, error) {
	l.token, l.response = token, r
	return session.Receipt{Records: []clew.MessageID{clew.MessageIDOf(7)}}, l.fail
}

func newMailbox(t *testing.T) (*bench, *mailbox) {
	m := &mailbox{}
	b := newBench(t, func(o *api.Options) {
		o.Inbox, o.Links = m, links{m}
		o.InboxFeed = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("Authorization") == "" {
				w.WriteHeader(http.StatusUnauthorized)
			}
		})
	})
	return b, m
}

func TestInboxRoutes(t *testing.T) {
	b, m := newMailbox(t)
	a := b.call(ownerToken, "GET", "/api/v1/inbox?limit=7&cursor=here", "").is(http.StatusOK, "")
	want := `{"items":[{"session_id":"s1","title":"Work","owner":"ann","question":{"type":"hitl_approval_request","request_id":"q1",`
	if !strings.HasPrefix(a.raw, want) || !strings.HasSuffix(strings.TrimSpace(a.raw), `"kind":"k","asked_ms":7,"seq":3}],"counts":{"total":3,"by_kind":{"k":3},"due_soon":1},"next":"more"}`) {
		t.Error(a.raw)
	}
	if m.limit != 7 || m.cursor != "here" || m.by.User != "owner" {
		t.Errorf("asked with %+v", m)
	}
	b.call(ownerToken, "GET", "/api/v1/inbox?limit=1000", "").is(http.StatusUnprocessableEntity, clew.InvalidMessage)
	if a := b.call(ownerToken, "GET", "/api/v1/inbox/counts", "").is(http.StatusOK, ""); a.body["total"] != 3.0 {
		t.Error(a.raw)
	}
	a = b.call(ownerToken, "POST", "/api/v1/inbox/q1", `{"action":"modify","instruction":"less","modifications":[{"action":"remove","todo_id":"t1"}],"client_message_id":"c1"}`).is(http.StatusOK, "")
	if a.body["client_message_id"] != "c1" || m.id != "q1" || m.response.Instruction != "less" || len(m.response.Modifications) != 1 || m.response.Modifications[0].TodoID != "t1" {
		t.Errorf("%s, %+v", a.raw, m.response)
	}
	for _, value := range []string{`"x"`, `1.5`, `true`, `{"a":[1]}`, `null`} {
		b.call(ownerToken, "POST", "/api/v1/inbox/q1", `{"value":`+value+`}`).is(http.StatusOK, "")
		if got, _ := json.Marshal(m.response.Value); string(got) != value {
			t.Errorf("value %s came as %s", value, got)
		}
	}
	for _, body := range []string{`{"action":"perhaps"}`, `{"unknown":1}`, `[]`, `{`} {
		b.call(ownerToken, "POST", "/api/v1/inbox/q1", body).is(http.StatusUnprocessableEntity, clew.InvalidMessage)
	}
	a = b.call(ownerToken, "POST", "/api/v1/inbox/batch", `{"request_ids":["q1","q2"],"action":"approve","comment":"fine"}`).is(http.StatusOK, "")
	if !strings.Contains(a.raw, `{"request_id":"q1","session_id":"s1","ok":true,"records":["msg_000000000007"]}`) ||
		!strings.Contains(a.raw, `{"request_id":"q2","ok":false,"error":{"code":"HITL_REQUEST_EXPIRED","number":5003,`) || len(m.ids) != 2 {
		t.Error(a.raw)
	}
	for _, body := range []string{`{"request_ids":[],"action":"approve"}`, `{"request_ids":["q"],"action":"modify"}`, `{"action":"approve"}`} {
		b.call(ownerToken, "POST", "/api/v1/inbox/batch", body).is(http.StatusUnprocessableEntity, clew.InvalidMessage)
	}
	m.fail = clew.Errorf(clew.HitlRequestExpired, "settled")
	b.call(ownerToken, "POST", "/api/v1/inbox/q1", `{"action":"approve"}`).is(http.StatusConflict, clew.HitlRequestExpired)
	b.call(ownerToken, "GET", "/api/v1/inbox", "").is(http.StatusConflict, clew.HitlRequestExpired)
}

// Of the routes of the inbox, only those of a link are open, and all of them
// check the doors.
func TestInboxDoors(t *testing.T) {
	b, _ := newMailbox(t)
	open := map[string]bool{"/answer": true, "/answer/page.js": true, "/answer/page.css": true, "/api/v1/answer": true, "/api/v1/answer/look": true}
	n := 0
	for _, r := range b.api.Routes() {
		if r.Page || !strings.Contains(r.Path, "inbox") && !strings.Contains(r.Path, "answer") {
			continue
		}
		n++
		path := strings.ReplaceAll(r.Path, "{request_id}", "q1")
		if r.Open != open[r.Path] {
			t.Errorf("%s %s: open is %v", r.Method, r.Path, r.Open)
		}
		if !r.Open {
			if a := b.call("", r.Method, path, ""); a.status != http.StatusUnauthorized {
				t.Errorf("%s %s: %d", r.Method, r.Path, a.status)
			}
		}
		for _, header := range []string{"Origin", "Host"} {
			req := b.request(ownerToken, r.Method, path, "")
			if header == "Host" {
				req.Host = "evil.test"
			} else {
				req.Header.Set(header, "https://evil.test")
			}
			b.serve(req).is(http.StatusForbidden, clew.Forbidden)
		}
	}
	if n != 10 {
		t.Errorf("%d routes; is the walk complete?", n)
	}
}

func TestLinkRoutes(t *testing.T) {
	b, m := newMailbox(t)
	a := b.call("", "POST", "/api/v1/answer/look", `{"token":"CANARY-token"}`).is(http.StatusOK, "")
	if m.token != "CANARY-token" || a.body["title"] != "Work" || a.body["now_ms"] != float64(b.now.UnixMilli()) || a.header.Get("Cache-Control") != "no-store" {
		t.Errorf("%s %v", a.raw, a.header)
	}
	b.call("", "POST", "/api/v1/answer", `{"token":"CANARY-token","action":"approve","comment":"fine"}`).is(http.StatusOK, "")
	if m.response.Action != clew.ChoiceApprove || m.response.Comment != "fine" {
		t.Errorf("%+v", m.response)
	}
	for _, body := range []string{`{"token":CANARY}`, `CANARY`, ``, `[]`, `{"token":{"x":"CANARY"}}`} {
		if a := b.call("", "POST", "/api/v1/answer", body).is(http.StatusUnprocessableEntity, clew.InvalidMessage); strings.Contains(a.raw, "CANARY") {
			t.Error(a.raw)
		}
	}
	b.call("", "POST", "/api/v1/answer", `{"token":"`+strings.Repeat("x", 200<<10)+`"}`).is(http.StatusRequestEntityTooLarge, clew.MessageTooLarge)
	for range 50 {
		a = b.call("", "POST", "/api/v1/answer/look", `{"token":"CANARY-token"}`)
	}
	a.is(http.StatusTooManyRequests, clew.RateLimited)
	other := b.request("", "POST", "/api/v1/answer/look", `{"token":"CANARY-token"}`)
	other.RemoteAddr = "192.0.2.99:1"
	b.serve(other).is(http.StatusOK, "")
	if strings.Contains(b.log.String(), "CANARY") {
		t.Errorf("a token is in the log:\n%s", b.log.String())
	}
}

// The page brings its own script and nothing inline, and no other page may
// frame it.
func TestAnswerPage(t *testing.T) {
	b, _ := newMailbox(t)
	page := b.call("", "GET", "/answer", "").is(http.StatusOK, "")
	policy := page.header.Get("Content-Security-Policy")
	if !strings.Contains(policy, "default-src 'none'; script-src 'self'") || strings.Contains(policy, "unsafe") ||
		!strings.Contains(policy, "frame-ancestors 'none'") || page.header.Get("Referrer-Policy") != "no-referrer" {
		t.Error(page.header)
	}
	for _, inline := range []string{"<style", " style=", "onclick", "javascript:", "<script>"} {
		if strings.Contains(page.raw, inline) {
			t.Errorf("the page has %s", inline)
		}
	}
	script := b.call("", "GET", "/answer/page.js", "").is(http.StatusOK, "")
	for _, markup := range []string{"innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "Function("} {
		if strings.Contains(script.raw, markup) {
			t.Errorf("the script has %s", markup)
		}
	}
	b.call("", "GET", "/answer/page.css", "").is(http.StatusOK, "")
}

func TestInboxIsInTheDocument(t *testing.T) {
	b, _ := newMailbox(t)
	doc := b.call("", "GET", "/openapi.json", "").body
	paths := doc["paths"].(map[string]any)
	for _, want := range []string{
		"get /api/v1/inbox", "get /api/v1/inbox/counts", "post /api/v1/inbox/{request_id}", "post /api/v1/inbox/batch",
		"get /api/v1/inbox/feed", "get /answer", "post /api/v1/answer", "post /api/v1/answer/look",
	} {
		method, path, _ := strings.Cut(want, " ")
		if ops, ok := paths[path].(map[string]any); !ok || ops[method] == nil {
			t.Errorf("%s is not in the document", want)
		}
	}
}
