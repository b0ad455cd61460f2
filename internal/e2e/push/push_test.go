package push

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/clew-run/clew/internal/e2e/proc"
	"github.com/clew-run/clew/internal/inbox/push/pushtest"
)

// A question reaches each browser of those who may answer it once, encrypted and
// without a word of what is asked; and so does its end. After that nothing more
// comes, also over restarts.
func TestPush(t *testing.T) {
	s := newStage(t, "")
	proc.Must(t, s.Srv.Start())
	_, bob := s.key("bob")
	_, eve := s.key("eve")
	mine, his, hers := s.browser(""), s.browser(bob), s.browser(eve)
	session := s.session()
	for user, role := range map[string]string{"bob": "approver", "eve": "viewer"} {
		s.good("", "PUT", "/api/v1/sessions/"+session+"/access/"+user, map[string]any{"role": role})
	}
	s.say(session)
	d := mine.Next()
	request := s.isQuestion(d, session)
	if d.Header.Get("Urgency") != "high" || len(d.Header.Get("Topic")) != 32 || strings.Contains(d.Header.Get("Topic"), request.(string)) {
		t.Errorf("headers %v", d.Header)
	}
	if s.isQuestion(his.Next(), session) != request {
		t.Error("bob hears of another question")
	}
	// A restart tells nobody again, and a rename neither.
	proc.Must(t, s.Srv.Stop())
	proc.Must(t, s.Srv.Start())
	s.good("", "POST", "/api/v1/sessions/"+session+"/commands", map[string]any{"type": "rename_session", "data": map[string]any{"title": "Release 1.5"}})
	s.answer(bob, request)
	for _, b := range []*pushtest.Browser{mine, his} {
		if d := b.Next(); d.Kind != "settled" || d.Body["request_id"] != request || d.Body["inbox"] != 0.0 {
			t.Errorf("after the answer came %s", d.Plain)
		}
	}
	proc.Must(t, s.Srv.Stop()) // waits for what is under way
	if mine.Waiting()+his.Waiting()+hers.Waiting() != 0 {
		t.Errorf("%d, %d and %d messages too many", mine.Waiting(), his.Waiting(), hers.Waiting())
	}
	s.quiet(mine.Auth(), his.P256dh())
}

// A browser that has ended is forgotten, one whose key is revoked too, and one
// whose push service is busy hears later.
func TestBrowsersComeAndGo(t *testing.T) {
	s := newStage(t, "")
	proc.Must(t, s.Srv.Start())
	fine, gone, busy := s.browser(""), s.browser(""), s.browser("")
	gone.Answer(http.StatusGone, nil)
	busy.Answer(http.StatusServiceUnavailable, nil)
	session := s.ask()
	request := s.isQuestion(fine.Next(), session)
	gone.Next()
	busy.Next()
	busy.Answer(http.StatusCreated, nil)
	for d := busy.Next(); d.Status != http.StatusCreated; d = busy.Next() {
	}
	if n := len(s.subscriptions("")); n != 2 {
		t.Errorf("%d subscriptions are left", n)
	}
	s.answer("", request)
	if fine.Next().Kind != "settled" || busy.Next().Kind != "settled" {
		t.Error("they do not hear of the end")
	}
	id, bob := s.key("bob")
	his := s.browser(bob)
	session = s.session()
	s.good("", "PUT", "/api/v1/sessions/"+session+"/access/bob", map[string]any{"role": "approver"})
	s.good("", "DELETE", "/api/v1/keys/"+id, nil)
	s.say(session)
	s.isQuestion(fine.Next(), session)
	s.isQuestion(busy.Next(), session)
	_, again := s.key("bob")
	if n := len(s.subscriptions(again)); n != 0 {
		t.Errorf("bob has %d subscriptions of a revoked key", n)
	}
	r := s.good("", "POST", "/api/v1/push/test", nil)
	if results := r.body["results"].([]any); len(results) != 2 || results[0].(map[string]any)["ok"] != true {
		t.Errorf("the test: %s", r.raw)
	}
	if fine.Next().Kind != "test" || busy.Next().Kind != "test" {
		t.Error("no test came")
	}
	first := s.subscriptions("")[0].(map[string]any)
	if first["last_ms"].(float64) == 0 || len(first) != 4 {
		t.Errorf("a subscription is shown as %v", first)
	}
	s.good("", "DELETE", "/api/v1/push/"+first["id"].(string), nil)
	if r := s.call("", "DELETE", "/api/v1/push/"+first["id"].(string), nil); r.status != http.StatusNotFound || len(s.subscriptions("")) != 1 {
		t.Errorf("removed twice: %s", r.raw)
	}
	metrics := s.good("", "GET", "/metrics", nil).raw
	if !strings.Contains(metrics, "clew_push_gone_total 1") || !strings.Contains(metrics, "clew_push_retried_total") || strings.Contains(metrics, "wpush") {
		t.Error("the metrics do not tell, or tell too much")
	}
	proc.Must(t, s.Srv.Stop())
	if his.Waiting()+gone.Waiting()+fine.Waiting()+busy.Waiting() != 0 {
		t.Errorf("%d messages by a revoked key, %d to one that is gone, %d and %d too many", his.Waiting(), gone.Waiting(), fine.Waiting(), busy.Waiting())
	}
	s.quiet()
}

// Endpoints that lead into the operator's network are refused.
func TestForeignEndpoints(t *testing.T) {
	s := newStage(t, "")
	proc.Must(t, s.Srv.Start())
	b := s.service.Browser()
	for _, endpoint := range []string{
		"http://push.example.org/CANARY", "https://127.0.0.1:9/CANARY", s.Srv.URL() + "/CANARY", "https://10.1.2.3/CANARY", "https://[::1]:443/CANARY",
	} {
		body := b.Subscription("x")
		body["endpoint"] = endpoint
		if r := s.call("", "POST", "/api/v1/push", body); r.status != http.StatusUnprocessableEntity || strings.Contains(r.raw, "CANARY") {
			t.Errorf("%s: %s", endpoint, r.raw)
		}
	}
	s.quiet()
}

// Wherever the program is killed on the way from the record to the browser, the
// browser hears, and once unless the kill came between the sending and the note.
func TestKilled(t *testing.T) {
	for place, times := range map[string]int{"append": 1, "push.before:1": 1, "push.sent:1": 2} {
		t.Run(place, func(t *testing.T) {
			t.Parallel() // each waits for its notice to be given anew
			if place == "append" {
				place = whereItAsks(t)
			}
			s := newStage(t, "crashpoints")
			proc.Must(t, s.Srv.Start())
			b := s.browser("")
			session := s.session()
			proc.Must(t, s.Srv.Stop())
			proc.Must(t, s.Srv.Start("CLEW_CRASH_AT="+place))
			s.say(session)
			s.exited()
			if before := b.Waiting(); before != times-1 {
				t.Errorf("%d messages before the kill", before)
			}
			proc.Must(t, s.Srv.Start())
			first := b.Next()
			request := s.isQuestion(first, session)
			for range times - 1 {
				if again := b.Next(); s.isQuestion(again, session) != request || again.Header.Get("Topic") != first.Header.Get("Topic") {
					t.Errorf("told again %s", again.Plain)
				}
			}
			s.answer("", request)
			if d := b.Next(); d.Kind != "settled" || d.Body["request_id"] != request {
				t.Errorf("after the answer came %s", d.Plain)
			}
			proc.Must(t, s.Srv.Stop())
			if b.Waiting() != 0 {
				t.Errorf("%d messages too many", b.Waiting())
			}
			s.quiet()
		})
	}
}

// whereItAsks finds the place right after the append of a question.
func whereItAsks(t *testing.T) string {
	t.Helper()
	s := newStage(t, "crashpoints")
	log := filepath.Join(t.TempDir(), "places")
	proc.Must(t, s.Srv.Start("CLEW_CRASH_LOG="+log))
	b := s.browser("")
	s.ask()
	b.Next()
	proc.Must(t, s.Srv.Stop())
	places, err := os.ReadFile(log)
	proc.Must(t, err)
	for place := range strings.FieldsSeq(string(places)) {
		if strings.HasPrefix(place, "append.after") && strings.Contains(place, "hitl_approval_request") {
			return place
		}
	}
	t.Fatalf("no place where it asks: %s", places)
	return ""
}
