// Package golden opens data directories that earlier trees left behind, and has
// everything in them go on: answered, rewound, continued, exported.
package golden

import (
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/golang-jwt/jwt/v5"
	"golang.org/x/sys/unix"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/client"
	"github.com/clew-run/clew/internal/e2e/proc"
	"github.com/clew-run/clew/internal/llm/llmtest"
	"github.com/clew-run/clew/wire"
)

func TestMain(m *testing.M) { os.Exit(proc.Main(m)) }

// home is where every golden directory was made, and is opened: records name
// workspaces by their full paths, and records cannot be changed.
const home = "/tmp/clew-golden"

// within bounds every wait for the program.
const within = 90 * time.Second

// The sessions of a golden directory.
const (
	sealed   clew.SessionID = "sess_golden_sealed"   // at rest, and sealed
	waiting  clew.SessionID = "sess_golden_waiting"  // its turn waits for an approval
	review   clew.SessionID = "sess_golden_review"   // its run waits for the review of the plan
	deadline clew.SessionID = "sess_golden_deadline" // the same, and the review has a deadline
	rewound  clew.SessionID = "sess_golden_rewound"  // the server died while its files were taken back
	queued   clew.SessionID = "sess_golden_queued"   // its turn waits for an approval, and messages wait for the turn
)

// script answers from the history alone, so that any life of any server gets the
// same.
const script = proc.Shopping + `
- when: {last_user: Add plums}
  times: 0
  reply:
  - tool: {name: write_file, id: c3, input: {path: list.txt, content: "apples\npears\nplums\n"}}
- when: {last_user: Count it, tool_result: execute_command}
  times: 0
  reply: [{text: It is counted.}]
- when: {last_user: Count it}
  times: 0
  reply:
  - tool: {name: execute_command, id: c4, input: {command: "wc -l list.txt > count.txt"}}
- when: {has_tool: report_understanding}
  times: 0
  reply:
  - tool: {name: report_understanding, id: r1, input: {domain: lists, category: notes, confidence: 1, entities: [{type: file, value: note.txt, confidence: 1}]}}
- when: {has_tool: propose_plan}
  times: 0
  reply:
  - tool: {name: propose_plan, id: r2, input: {message: One step., todos: [{id: note, task: Write a note., tool: write_file, priority: 1, estimated_duration_sec: 1}]}}
- when: {has_tool: respond}
  times: 0
  reply:
  - tool: {name: respond, id: r3, input: {text: The note is written., summary: Done., next_actions: [Read it.]}}
- when: {has_tool: report_failure, last_user: 'Step note:', turn: 1}
  times: 0
  reply:
  - tool: {name: write_file, id: r4, input: {path: note.txt, content: "noted\n"}}
- when: {has_tool: report_failure, last_user: 'Step note:'}
  times: 0
  reply:
  - tool: {name: attempt_completion, id: r5, input: {result: There is a note.}}
`

const secret = "a-secret-of-the-tests-0123456789abcdef"

// A stage is a server on a golden directory, with the scripted model.
type stage struct {
	t     testing.TB
	dir   string
	srv   *proc.Proc
	vars  map[string]string
	base  map[string]any // settings
	token string
}

// newStage takes home for this test. Another one waits for it.
func newStage(t testing.TB, bin, name string) *stage {
	t.Helper()
	s := &stage{t: t, dir: filepath.Join(home, name)}
	s.lock()
	s.must(os.RemoveAll(s.dir))
	s.must(os.MkdirAll(filepath.Join(s.dir, "work"), 0o700))
	t.Cleanup(func() { _ = os.RemoveAll(s.dir) })
	model, err := llmtest.Start(llmtest.MustParse(script), llmtest.Options{Fast: true})
	s.must(err)
	t.Cleanup(func() { _ = model.Close() })
	s.base = map[string]any{
		"model_profile": "golden",
		"model_profiles": map[string]any{"golden": map[string]any{
			"provider": "anthropic", "model": "golden-1", "base_url": model.URL(), "key_name": "golden_key", "price_in": 3, "price_out": 15,
		}},
		"auto_approval_enabled": true, "always_allow_read_only": true, "always_allow_write": true, "command_sandbox": "none",
		"plan_review_timeout_sec": 0, "question_reminder_sec": 0,
	}
	outside := t.TempDir() // nothing of it belongs to the data
	s.must(os.WriteFile(filepath.Join(outside, "hmac"), []byte(secret), 0o600))
	s.vars = map[string]string{
		"CLEW_SETTINGS": filepath.Join(outside, "settings.json"), "CLEW_SECRET_GOLDEN_KEY": "sk-golden-0123456789",
		"CLEW_AUTH_HMAC_SECRET_FILE": filepath.Join(outside, "hmac"), "CLEW_WORKSPACES": filepath.Join(s.dir, "work"),
	}
	s.token, err = jwt.NewWithClaims(jwt.SigningMethodHS256, jwt.MapClaims{
		"sub": "alice", "clew_role": "owner", "exp": time.Now().Add(time.Hour).Unix(),
	}).SignedString([]byte(secret))
	s.must(err)
	s.srv = proc.New(t, bin, filepath.Join(s.dir, "data"), s.vars)
	s.settings(nil)
	return s
}

func (s *stage) lock() {
	s.t.Helper()
	s.must(os.MkdirAll(home, 0o700))
	f, err := os.OpenFile(filepath.Join(home, "lock"), os.O_CREATE|os.O_RDWR, 0o600)
	s.must(err)
	s.t.Cleanup(func() { _ = f.Close() })
	s.must(unix.Flock(int(f.Fd()), unix.LOCK_EX))
}

func (s *stage) must(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
}

// settings writes the server's settings for its next life.
func (s *stage) settings(more map[string]any) {
	s.t.Helper()
	all := maps.Clone(s.base)
	maps.Copy(all, more)
	b, err := json.Marshal(all)
	s.must(err)
	s.must(os.WriteFile(s.vars["CLEW_SETTINGS"], b, 0o600))
}

func (s *stage) start(env ...string) {
	s.t.Helper()
	s.must(s.srv.Start(env...))
}

func (s *stage) api() *client.API { return client.NewAPI(s.srv.URL(), s.token) }

func (s *stage) work(id clew.SessionID) string { return filepath.Join(s.dir, "work", string(id)) }

func (s *stage) file(id clew.SessionID, name string) string {
	s.t.Helper()
	b, err := os.ReadFile(filepath.Join(s.work(id), name))
	if err != nil && !os.IsNotExist(err) {
		s.t.Fatal(err)
	}
	return string(b)
}

func (s *stage) create(id clew.SessionID) {
	s.t.Helper()
	s.must(os.MkdirAll(s.work(id), 0o700))
	_, err := s.api().CreateSession(s.t.Context(), client.NewSession{SessionID: id, Title: string(id), Workspace: s.work(id)})
	s.must(err)
}

func (s *stage) send(id clew.SessionID, typ clew.CommandType, data any) client.Receipt {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.t.Context(), within)
	defer cancel()
	r, err := s.api().Command(ctx, id, "", typ, data)
	if err != nil {
		s.t.Fatalf("%s to %s: %v", typ, id, err)
	}
	return r
}

// say says something and waits until nothing is left to do but what people do.
func (s *stage) say(id clew.SessionID, text string, mode clew.MessageMode) clew.MessageID {
	s.t.Helper()
	r := s.send(id, clew.CommandUserMessage, clew.UserMessageData{Text: text, Mode: mode})
	s.await(id, func(st clew.SessionState) bool {
		return st.Status != clew.StatusExecuting && st.Status != clew.StatusPlanning
	})
	return r.Records[0]
}

// await waits for something that a session comes to by itself.
func (s *stage) await(id clew.SessionID, until func(clew.SessionState) bool) clew.SessionState {
	s.t.Helper()
	over := time.After(within)
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		st := s.state(id)
		if until(st) {
			return st
		}
		select {
		case <-tick.C:
		case <-over:
			_ = s.srv.Quit() // what it waits for is in its goroutines
			s.t.Fatalf("after %s session %s is %s, returning %+v, asks %+v\n%s", within, id, st.Status, st.Returning, st.HitlPending, s.srv.Out.Tail(200_000))
		}
	}
}

func (s *stage) idle(id clew.SessionID) clew.SessionState {
	s.t.Helper()
	return s.await(id, func(st clew.SessionState) bool { return st.Returning == nil && st.Status == clew.StatusIdle })
}

// state reads a session's state, and all its records on the way.
func (s *stage) state(id clew.SessionID) (st clew.SessionState) {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.t.Context(), within)
	defer cancel()
	ws, resp, err := websocket.Dial(ctx, s.srv.URL()+"/ws/"+string(id)+"?resume_from=start",
		&websocket.DialOptions{HTTPHeader: http.Header{"Authorization": {"Bearer " + s.token}}})
	if resp != nil && resp.Body != nil {
		_ = resp.Body.Close()
	}
	s.must(err)
	defer func() { _ = ws.CloseNow() }()
	ws.SetReadLimit(-1)
	next := uint64(1)
	for {
		_, b, err := ws.Read(ctx)
		s.must(err)
		var env wire.Envelope
		s.must(json.Unmarshal(b, &env))
		switch {
		case env.Seq() > 0:
			if env.Seq() != next {
				s.t.Fatalf("record %d comes after %d", env.Seq(), next-1)
			}
			next++
		case env.Type == string(clew.EventSessionState):
			s.must(json.Unmarshal(env.Data, &st))
		case env.Type == string(clew.EventSyncComplete):
			return st
		case env.Type == string(clew.EventError):
			s.t.Fatalf("the server said %s", b)
		}
	}
}

// answer answers the question that a session asks.
func (s *stage) answer(id clew.SessionID, action clew.Choice) {
	s.t.Helper()
	st := s.state(id)
	if st.HitlPending == nil {
		s.t.Fatalf("%s asks nothing; it is %s", id, st.Status)
	}
	_, err := s.api().AnswerQuestion(s.t.Context(), st.HitlPending.RequestID(), client.InboxAnswer{Action: action})
	s.must(err)
}

// doctor verifies the store of a stopped server.
func (s *stage) doctor() string {
	s.t.Helper()
	out, errs, code, err := s.srv.Run(s.t.Context(), "doctor", "--store", "--data", s.srv.Dir)
	s.must(err)
	if code != 0 {
		s.t.Errorf("the doctor ends with %d:\n%s%s", code, out, errs)
	}
	return out
}
