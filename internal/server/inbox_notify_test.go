package server_test

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"
)

// receiver is a webhook of somebody.
type receiver struct {
	*httptest.Server
	got chan delivery

	mu     sync.Mutex
	status int
}

type delivery struct {
	header http.Header
	raw    string
	body   struct {
		Type       string         `json:"type"`
		SessionID  string         `json:"session_id"`
		Title      string         `json:"title"`
		User       string         `json:"user"`
		Question   map[string]any `json:"question"`
		AnswerURL  string         `json:"answer_url"`
		DeadlineMS int64          `json:"deadline_ms"`
	}
}

func newReceiver(t *testing.T) *receiver {
	r := &receiver{got: make(chan delivery, 100), status: http.StatusNoContent}
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		b, _ := io.ReadAll(req.Body)
		d := delivery{header: req.Header, raw: string(b)}
		_ = json.Unmarshal(b, &d.body)
		r.mu.Lock()
		status := r.status
		r.mu.Unlock()
		w.WriteHeader(status)
		r.got <- d
	}))
	t.Cleanup(r.Close)
	return r
}

func (r *receiver) answer(status int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.status = status
}

func (r *receiver) next(t *testing.T) delivery {
	t.Helper()
	select {
	case d := <-r.got:
		return d
	case <-time.After(time.Minute):
		t.Fatal("the webhook heard nothing")
		return delivery{}
	}
}

const hookKey = "a key of the test, thirty bytes"

// signed checks a delivery as a receiver does.
func (d delivery) signed(t *testing.T) {
	t.Helper()
	m := hmac.New(sha256.New, []byte(hookKey))
	_, _ = io.WriteString(m, d.header.Get("Webhook-Id")+"."+d.header.Get("Webhook-Timestamp")+"."+d.raw)
	if want := "v1," + base64.StdEncoding.EncodeToString(m.Sum(nil)); d.header.Get("Webhook-Signature") != want {
		t.Errorf("signature %q, want %q", d.header.Get("Webhook-Signature"), want)
	}
}

func (d delivery) token() string {
	_, token, _ := strings.Cut(d.body.AnswerURL, "#")
	return token
}

func notified(t *testing.T) (*stage, *receiver) {
	hook := newReceiver(t)
	st := newStage(t, "CLEW_SET_NOTIFY_WEBHOOK="+hook.URL,
		"CLEW_SECRET_WEBHOOK_SECRET=whsec_"+base64.StdEncoding.EncodeToString([]byte(hookKey)))
	return st, hook
}

// Each person who may answer is told once, with a signed notice; one that was
// not taken comes again after a restart, with the same id.
func TestNotifications(t *testing.T) {
	st, hook := notified(t)
	id := st.session()
	st.share(id, "bob", "approver")
	st.share(id, "eve", "viewer")
	st.say(id, "Deploy?")
	users := map[string]delivery{}
	for range 2 {
		d := hook.next(t)
		d.signed(t)
		if d.body.Type != "question" || d.body.SessionID != id || d.body.Title != "Release 1.4" || d.body.Question["reason"] != "Deploy?" ||
			!strings.HasPrefix(d.body.AnswerURL, st.s.URL()+"/answer#") {
			t.Errorf("notice %s", d.raw)
		}
		users[d.body.User] = d
	}
	if users["owner"].raw == "" || users["bob"].raw == "" || users["bob"].header.Get("Webhook-Id") == users["owner"].header.Get("Webhook-Id") {
		t.Errorf("told %v", users)
	}
	hook.answer(http.StatusInternalServerError)
	second := st.session()
	st.say(second, "Again?")
	refused := hook.next(t)
	st.s.Stop(context.Background())
	hook.answer(http.StatusOK)
	st.start()
	if d := hook.next(t); d.body.SessionID != second || d.header.Get("Webhook-Id") != refused.header.Get("Webhook-Id") {
		t.Fatalf("after the restart came %s", d.raw)
	}
	st.s.Stop(context.Background()) // waits for what is under way
	if len(hook.got) != 0 {
		t.Errorf("%d notices too many, such as %s", len(hook.got), (<-hook.got).raw)
	}
	st.start()
	for _, d := range append([]delivery{refused}, users["bob"], users["owner"]) {
		if out := st.log.String(); strings.Contains(out, d.token()) || strings.Contains(out, hookKey) {
			t.Error("a token or the key is in the log")
		}
	}
}

// A webhook that is set while the server runs hears of what is still open, and
// one that is taken away hears no more.
func TestWebhookIsSwitched(t *testing.T) {
	hook := newReceiver(t)
	st := newStage(t)
	set := func(url string) {
		t.Helper()
		if r := st.call(st.token, "PATCH", "/api/v1/settings", map[string]any{"settings": map[string]any{"notify_webhook": url, "public_url": "https://clew.example.org/base/"}}); r.status != 200 {
			t.Fatal(r.raw)
		}
	}
	f := st.feed(st.token)
	f.next("inbox_state")
	st.say(st.session(), "Before?")
	f.added()
	set(hook.URL)
	if d := hook.next(t); d.body.Question["reason"] != "Before?" || d.header.Get("Webhook-Signature") != "" ||
		!strings.HasPrefix(d.body.AnswerURL, "https://clew.example.org/base/answer#") {
		t.Errorf("notice %s", d.raw)
	}
	set("")
	st.say(st.session(), "Meanwhile?")
	f.added()
	set(hook.URL)
	if d := hook.next(t); d.body.Question["reason"] != "Meanwhile?" {
		t.Errorf("notice %s", d.raw)
	}
}

// A link shows its question and answers it once, as its person and no longer
// than that one may.
//
// Covers: RUN-22, RUN-23
func TestAnswerLink(t *testing.T) {
	st, hook := notified(t)
	id := st.session()
	st.share(id, "bob", "approver")
	st.say(id, "Deploy?")
	tokens := map[string]string{}
	for range 2 {
		d := hook.next(t)
		tokens[d.body.User] = d.token()
	}
	look := func(token string) reply {
		return st.call("", "POST", "/api/v1/answer/look", map[string]any{"token": token})
	}
	answer := func(token string) reply {
		return st.call("", "POST", "/api/v1/answer", map[string]any{"token": token, "action": "approve", "comment": "by link"})
	}
	r := look(tokens["bob"])
	if r.status != 200 || r.body["title"] != "Release 1.4" || r.body["user"] != "bob" || r.body["now_ms"].(float64) == 0 ||
		r.body["question"].(map[string]any)["reason"] != "Deploy?" {
		t.Errorf("look: %s", r.raw)
	}
	st.share(id, "bob", "viewer")
	refused := answer(tokens["bob"])
	if refused.code != "AUTH_FAILED" || refused.status != 401 || look(tokens["bob"]).raw != refused.raw {
		t.Errorf("after the right was taken away: %s", refused.raw)
	}
	for _, token := range []string{"", "x", ".", tokens["bob"] + "A", strings.ToUpper(tokens["owner"])} {
		if r := answer(token); r.raw != refused.raw {
			t.Errorf("token %q: %s", token, r.raw)
		}
	}
	st.share(id, "bob", "approver")
	if r := answer(tokens["bob"]); r.status != 200 || len(r.body["records"].([]any)) == 0 {
		t.Errorf("answer: %s", r.raw)
	}
	for user, token := range tokens {
		if r := answer(token); r.code != "HITL_REQUEST_EXPIRED" || r.body["error"].(map[string]any)["number"] != 5003.0 {
			t.Errorf("the second use, by %s: %s", user, r.raw)
		}
	}
	messages := st.call(st.token, "GET", "/api/v1/sessions/"+id+"/messages", nil)
	if !strings.Contains(messages.raw, `"by link"`) {
		t.Errorf("the answer is not in the transcript: %s", messages.raw)
	}
	for _, token := range tokens {
		if strings.Contains(st.log.String(), token) || strings.Contains(st.log.String(), token[:40]) {
			t.Error("a token is in the log")
		}
	}
	for range 40 {
		if r = look("x"); r.status == http.StatusTooManyRequests {
			break
		}
	}
	if r.code != "RATE_LIMITED" {
		t.Errorf("tokens can be tried without end: %s", r.raw)
	}
}
