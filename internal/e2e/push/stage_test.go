// Package push has the real program tell browsers of questions, over crashes.
package push

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
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

// A stage is the program with a scripted model, and a push service.
type stage struct {
	t       *testing.T
	srv     *proc.Proc
	service *pushtest.Service
}

func newStage(t *testing.T, tags string) *stage {
	t.Helper()
	model, err := llmtest.Start(llmtest.MustParse(script), llmtest.Options{Fast: true})
	must(t, err)
	t.Cleanup(func() { _ = model.Close() })
	s := &stage{t: t, service: pushtest.New(t)}
	settings, err := json.Marshal(map[string]any{
		"model_profile": "play",
		"model_profiles": map[string]any{"play": map[string]any{
			"provider": "anthropic", "model": "play-1", "base_url": model.URL(), "key_name": "play_key", "price_in": 3, "price_out": 15,
		}},
		"model_crash_retry": "auto", "push_allow": []string{s.service.Address()},
	})
	must(t, err)
	dir := t.TempDir()
	must(t, os.WriteFile(filepath.Join(dir, "settings.json"), settings, 0o600))
	s.srv = proc.New(t, proc.Program(t, tags), filepath.Join(dir, "data"), map[string]string{
		"CLEW_SETTINGS": filepath.Join(dir, "settings.json"), "CLEW_SECRET_PLAY_KEY": "sk-play-0123456789",
		"SSL_CERT_FILE": s.service.CertFile(), "CLEW_LOG_LEVEL": "debug",
	})
	return s
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

type reply struct {
	status int
	raw    string
	body   map[string]any
}

// call makes a request as somebody, "" the owner.
func (s *stage) call(token, method, path string, body any) reply {
	s.t.Helper()
	if token == "" {
		var err error
		token, err = s.srv.Token()
		must(s.t, err)
	}
	b, err := json.Marshal(body)
	must(s.t, err)
	req, err := http.NewRequestWithContext(s.t.Context(), method, s.srv.URL()+path, bytes.NewReader(b))
	must(s.t, err)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Authorization", "Bearer "+token)
	resp, err := http.DefaultClient.Do(req)
	must(s.t, err)
	defer func() { _ = resp.Body.Close() }()
	b, err = io.ReadAll(resp.Body)
	must(s.t, err)
	r := reply{status: resp.StatusCode, raw: string(b)}
	_ = json.Unmarshal(b, &r.body)
	return r
}

// good is call for what has to succeed.
func (s *stage) good(token, method, path string, body any) reply {
	s.t.Helper()
	r := s.call(token, method, path, body)
	if r.status > 299 {
		s.t.Fatalf("%s %s: %s", method, path, r.raw)
	}
	return r
}

// browser subscribes a new browser for somebody.
func (s *stage) browser(token string) *pushtest.Browser {
	s.t.Helper()
	public, _ := s.good(token, "GET", "/api/v1/push", nil).body["public_key"].(string)
	s.service.Expect(public)
	b := s.service.Browser()
	s.good(token, "POST", "/api/v1/push", b.Subscription("a phone"))
	return b
}

func (s *stage) subscriptions(token string) []any {
	s.t.Helper()
	return s.good(token, "GET", "/api/v1/push", nil).body["subscriptions"].([]any)
}

// key makes an API key for somebody and gives its id and token.
func (s *stage) key(user string) (id, token string) {
	s.t.Helper()
	r := s.good("", "POST", "/api/v1/keys", map[string]any{"user": user})
	return r.body["id"].(string), r.body["token"].(string)
}

// ask has a session's model ask to run a command.
func (s *stage) ask() (session string) {
	s.t.Helper()
	session = s.session()
	s.say(session)
	return session
}

func (s *stage) session() string {
	s.t.Helper()
	return s.good("", "POST", "/api/v1/sessions", map[string]any{"title": "Release 1.4"}).body["session_id"].(string)
}

func (s *stage) say(session string) {
	s.t.Helper()
	s.good("", "POST", "/api/v1/sessions/"+session+"/commands", map[string]any{"type": "user_message", "data": map[string]any{"text": "Deploy"}})
}

func (s *stage) answer(token string, request any) {
	s.t.Helper()
	s.good(token, "POST", "/api/v1/inbox/"+request.(string), map[string]any{"action": "reject"})
}

// isQuestion checks a message of a question: it has no word of the model.
func (s *stage) isQuestion(d pushtest.Delivery, session string) (request any) {
	s.t.Helper()
	if d.Kind != "question" || d.Body["session_id"] != session || d.Body["title"] != "Release 1.4" || d.Body["asks"] != "command" || d.Body["request_id"] == "" {
		s.t.Errorf("told %s", d.Plain)
	}
	for key := range d.Body {
		if !slices.Contains([]string{"kind", "request_id", "session_id", "title", "asks", "deadline_ms", "inbox"}, key) {
			s.t.Errorf("the message has %s: %s", key, d.Plain)
		}
	}
	if strings.Contains(d.Plain, "CANARY") || strings.Contains(d.Plain, "echo") {
		s.t.Errorf("the message says what is asked: %s", d.Plain)
	}
	return d.Body["request_id"]
}

// quiet checks that the log has no endpoint, no word of the model and none of these.
func (s *stage) quiet(words ...string) {
	s.t.Helper()
	for _, word := range append(words, "CANARY", "/wpush/") {
		if at := strings.Index(s.srv.Out.String(), word); at >= 0 {
			s.t.Errorf("the log has %q: …%.300s", word, s.srv.Out.String()[max(0, at-200):])
		}
	}
}

// exited waits for the program to die where a crash point killed it.
func (s *stage) exited() {
	s.t.Helper()
	select {
	case <-s.srv.Exited():
	case <-time.After(time.Minute):
		s.t.Fatal("the program did not come to the place where it dies")
	}
}
