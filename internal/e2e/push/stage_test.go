// Package push has the real program tell browsers of questions, over crashes.
package push

import (
	"encoding/json"
	"io"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/clew-run/clew/internal/e2e/proc"
	"github.com/clew-run/clew/internal/inbox/push/pushtest"
	"github.com/clew-run/clew/internal/llm/llmtest"
)

func TestMain(m *testing.M) { os.Exit(proc.Main(m)) }

// canary stands for all that a model says and wants to do.
const canary = "CANARY-6b1e"

const script = `
- when: {last_user: Deploy, tool_result: execute_command}
  times: 0
  reply: [{text: ` + canary + ` is done.}]
- when: {last_user: Deploy}
  times: 0
  reply:
  - text: I will run ` + canary + ` now.
  - tool: {name: execute_command, id: c1, input: {command: "echo ` + canary + ` > ` + canary + `.txt"}}
`

// A stage is the program with a push service.
type stage struct {
	*proc.Stage
	service *pushtest.Service
}

func newStage(t *testing.T, tags string) *stage {
	t.Helper()
	service := pushtest.New(t)
	return &stage{service: service, Stage: proc.NewStage(t, proc.Setup{
		Name: "play", Program: proc.Program(t, tags), Script: script, Model: llmtest.Options{Fast: true},
		Profile:  map[string]any{"price_in": 3, "price_out": 15},
		Settings: map[string]any{"model_crash_retry": "auto", "push_allow": []string{service.Address()}},
		Env:      map[string]string{"SSL_CERT_FILE": service.CertFile(), "CLEW_LOG_LEVEL": "debug"},
	})}
}

type reply struct {
	status int
	raw    string
	body   map[string]any
}

// call makes a request as somebody, "" the owner.
func (s *stage) call(token, method, path string, body any) reply {
	s.T.Helper()
	resp, err := s.Call(token, method, path, body)
	proc.Must(s.T, err)
	defer func() { _ = resp.Body.Close() }()
	b, err := io.ReadAll(resp.Body)
	proc.Must(s.T, err)
	r := reply{status: resp.StatusCode, raw: string(b)}
	_ = json.Unmarshal(b, &r.body)
	return r
}

// good is call for what has to succeed.
func (s *stage) good(token, method, path string, body any) reply {
	s.T.Helper()
	r := s.call(token, method, path, body)
	if r.status > 299 {
		s.T.Fatalf("%s %s: %s", method, path, r.raw)
	}
	return r
}

// browser subscribes a new browser for somebody.
func (s *stage) browser(token string) *pushtest.Browser {
	s.T.Helper()
	public, _ := s.good(token, "GET", "/api/v1/push", nil).body["public_key"].(string)
	s.service.Expect(public)
	b := s.service.Browser()
	s.good(token, "POST", "/api/v1/push", b.Subscription("a phone"))
	return b
}

func (s *stage) subscriptions(token string) []any {
	s.T.Helper()
	return s.good(token, "GET", "/api/v1/push", nil).body["subscriptions"].([]any)
}

// key makes an API key for somebody and gives its id and token.
func (s *stage) key(user string) (id, token string) {
	s.T.Helper()
	r := s.good("", "POST", "/api/v1/keys", map[string]any{"user": user})
	return r.body["id"].(string), r.body["token"].(string)
}

// ask has a session's model ask to run a command.
func (s *stage) ask() (session string) {
	s.T.Helper()
	session = s.session()
	s.say(session)
	return session
}

func (s *stage) session() string {
	s.T.Helper()
	return s.good("", "POST", "/api/v1/sessions", map[string]any{"title": "Release 1.4"}).body["session_id"].(string)
}

func (s *stage) say(session string) {
	s.T.Helper()
	s.good("", "POST", "/api/v1/sessions/"+session+"/commands", map[string]any{"type": "user_message", "data": map[string]any{"text": "Deploy"}})
}

func (s *stage) answer(token string, request any) {
	s.T.Helper()
	s.good(token, "POST", "/api/v1/inbox/"+request.(string), map[string]any{"action": "reject"})
}

// isQuestion checks a message of a question: it has no word of the model.
func (s *stage) isQuestion(d pushtest.Delivery, session string) (request any) {
	s.T.Helper()
	if d.Kind != "question" || d.Body["session_id"] != session || d.Body["title"] != "Release 1.4" || d.Body["asks"] != "command" || d.Body["request_id"] == "" {
		s.T.Errorf("told %s", d.Plain)
	}
	for key := range d.Body {
		if !slices.Contains([]string{"kind", "request_id", "session_id", "title", "asks", "deadline_ms", "inbox"}, key) {
			s.T.Errorf("the message has %s: %s", key, d.Plain)
		}
	}
	if strings.Contains(d.Plain, "CANARY") || strings.Contains(d.Plain, "echo") {
		s.T.Errorf("the message says what is asked: %s", d.Plain)
	}
	return d.Body["request_id"]
}

// quiet checks that the log has no endpoint, no word of the model and none of these.
func (s *stage) quiet(words ...string) {
	s.T.Helper()
	for _, word := range append(words, "CANARY", "/wpush/") {
		if at := strings.Index(s.Srv.Out.String(), word); at >= 0 {
			s.T.Errorf("the log has %q: …%.300s", word, s.Srv.Out.String()[max(0, at-200):])
		}
	}
}

// exited waits for the program to die where a crash point killed it.
func (s *stage) exited() {
	s.T.Helper()
	select {
	case <-s.Srv.Exited():
	case <-time.After(time.Minute):
		s.T.Fatal("the program did not come to the place where it dies")
	}
}
