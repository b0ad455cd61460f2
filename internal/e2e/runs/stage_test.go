// Package runs plays whole runs against the real program: over the socket and
// REST, with a scripted model behind the real providers.
package runs

import (
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/golang-jwt/jwt/v5"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/client"
	"github.com/clew-run/clew/internal/e2e/proc"
	"github.com/clew-run/clew/internal/llm/llmtest"
	"github.com/clew-run/clew/wire"
)

func TestMain(m *testing.M) { os.Exit(proc.Main(m)) }

// sessionID is the same in every run, so that all ids made from it are.
const sessionID clew.SessionID = "sess_run"

// within bounds one story.
const within = 90 * time.Second

var vendors = []llmtest.Vendor{llmtest.Anthropic, llmtest.OpenAI}

// A stage is a server with a scripted model, and a workspace.
type stage struct {
	t     testing.TB
	srv   *proc.Proc
	model *llmtest.Server
	work  string // the workspace
	owner string // the token of the session's owner
}

// plot is what a stage is set up for.
type plot struct {
	vendor   llmtest.Vendor
	tags     string // of the program
	script   string // a file of testdata
	files    map[string]string
	model    llmtest.Options
	settings map[string]any
}

func newStage(t testing.TB, p plot) *stage {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", p.script))
	if err != nil {
		t.Fatal(err)
	}
	model, err := llmtest.Start(llmtest.MustParse(string(text)), p.model)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = model.Close() })
	dir := t.TempDir()
	s := &stage{t: t, model: model, work: filepath.Join(dir, "work"), owner: signed(t, "alice", "owner")}
	for name, text := range p.files {
		writeFile(t, filepath.Join(s.work, name), text)
	}
	writeFile(t, filepath.Join(dir, "settings.json"), s.settings(p))
	writeFile(t, filepath.Join(dir, "hmac"), secret)
	s.srv = proc.New(t, proc.Program(t, p.tags), filepath.Join(dir, "data"), map[string]string{
		"CLEW_SETTINGS": filepath.Join(dir, "settings.json"), "CLEW_SECRET_STORY_KEY": "sk-story-0123456789",
		"CLEW_AUTH_HMAC_SECRET_FILE": filepath.Join(dir, "hmac"), "CLEW_AUTH_ALLOW_ADMIN": "true",
		// The owner of the session is no administrator of the server, and still
		// brings a workspace of its own.
		"CLEW_WORKSPACES": filepath.Join(dir, "work"),
	})
	return s
}

// begin starts the server and makes the session.
func (s *stage) begin(env ...string) {
	s.t.Helper()
	if err := s.srv.Start(env...); err != nil {
		s.t.Fatal(err)
	}
	if err := s.create(s.t.Context()); err != nil {
		s.t.Fatal(err)
	}
}

// create makes the session, unless an earlier life did.
func (s *stage) create(ctx context.Context) error {
	if _, err := s.api().GetSession(ctx, sessionID); err == nil {
		return nil
	}
	_, err := s.api().CreateSession(ctx, client.NewSession{SessionID: sessionID, Workspace: s.work})
	return err
}

func writeFile(t testing.TB, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

const secret = "a-secret-of-the-tests-0123456789abcdef"

// signed gives a user's token.
func signed(t testing.TB, user, role string) string {
	t.Helper()
	s, err := jwt.NewWithClaims(jwt.SigningMethodHS256, jwt.MapClaims{
		"sub": user, "clew_role": role, "exp": time.Now().Add(time.Hour).Unix(),
	}).SignedString([]byte(secret))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// settings allow reading and writing without a person, and nothing else. One
// todo runs at a time, so that there is one order of records. The prices are
// round.
func (s *stage) settings(p plot) string {
	base := s.model.URL()
	if p.vendor == llmtest.OpenAI {
		base += "/v1"
	}
	all := map[string]any{
		"model_profile": "story",
		"model_profiles": map[string]any{"story": map[string]any{
			"provider": string(p.vendor), "model": "story-1", "base_url": base, "key_name": "story_key", "max_tokens": 8192,
			"price_in": 3, "price_out": 15, "context_window": 200_000,
		}},
		"auto_approval_enabled": true, "always_allow_read_only": true, "always_allow_write": true, "command_sandbox": "none",
		"run_parallel_todos": 1, "question_reminder_sec": 0,
	}
	maps.Copy(all, p.settings)
	b, err := json.Marshal(all)
	if err != nil {
		s.t.Fatal(err)
	}
	return string(b)
}

func (s *stage) api() *client.API { return client.NewAPI(s.srv.URL(), s.owner) }

// command sends a command of the owner's under a fixed name: sent again, it has
// no second effect.
func (s *stage) command(ctx context.Context, id string, typ clew.CommandType, data any) error {
	_, err := s.api().Command(ctx, sessionID, clew.ClientMessageID(id), typ, data)
	return err
}

// do is command for a test that cannot go on without it.
func (s *stage) do(ctx context.Context, id string, typ clew.CommandType, data any) {
	s.t.Helper()
	if err := s.command(ctx, id, typ, data); err != nil {
		s.t.Fatalf("%s: %v", id, err)
	}
}

// A record as it came over the wire.
type record struct {
	frame string
	env   wire.Envelope
	event clew.Event
}

// replayed gives the session from its start, and the data of its state as the
// wire has it.
func (s *stage) replayed() (list []record, state json.RawMessage) {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), within)
	defer cancel()
	header := http.Header{"Authorization": {"Bearer " + s.owner}}
	ws, _, err := websocket.Dial(ctx, s.srv.URL()+"/ws/"+string(sessionID)+"?client_id=reader&resume_from=start", &websocket.DialOptions{HTTPHeader: header})
	if err != nil {
		s.t.Fatal(err)
	}
	defer func() { _ = ws.CloseNow() }()
	ws.SetReadLimit(-1)
	for {
		_, b, err := ws.Read(ctx)
		if err != nil {
			s.t.Fatal(err)
		}
		var env wire.Envelope
		decode(s.t, b, &env)
		switch {
		case env.Seq() > 0:
			ev, err := clew.DecodeEvent(clew.EventType(env.Type), env.Data)
			if err != nil {
				s.t.Fatal(err)
			}
			list = append(list, record{string(b), env, ev})
		case env.Type == string(clew.EventSessionState):
			var st clew.SessionState
			decode(s.t, env.Data, &st)
			st.Viewers = nil // who watches is no part of the session
			if state, err = json.Marshal(st); err != nil {
				s.t.Fatal(err)
			}
		case env.Type == string(clew.EventSyncComplete):
			return list, state
		case env.Type == string(clew.EventError):
			s.t.Fatalf("the server said %s", b)
		}
	}
}

func decode(t testing.TB, data []byte, into any) {
	t.Helper()
	if err := json.Unmarshal(data, into); err != nil {
		t.Fatalf("%v in %s", err, data)
	}
}

func frames(list []record) string {
	var b strings.Builder
	for _, r := range list {
		b.WriteString(r.frame + "\n")
	}
	return b.String()
}

// file reads a file of the workspace, "" if it is not there.
func (s *stage) file(name string) string {
	b, err := os.ReadFile(filepath.Join(s.work, name))
	if err != nil && !os.IsNotExist(err) {
		s.t.Error(err)
	}
	return string(b)
}

// answered checks that the scripted model never got a request it refused: a
// call without its result would be one.
func (s *stage) answered() {
	s.t.Helper()
	for _, r := range s.model.Unmatched() {
		s.t.Errorf("the model refused a call: %s", r.Problem)
	}
}

// examine stops the server and has the doctor look at its store.
func (s *stage) examine() {
	s.t.Helper()
	if err := s.srv.Stop(); err != nil {
		s.t.Error(err)
	}
	out, errs, code, err := s.srv.Run(context.Background(), "doctor", "--json", "--data", s.srv.Dir)
	if err != nil || code != 0 {
		s.t.Errorf("the doctor found something: %d %v\n%s\n%s", code, err, out, errs)
	}
}
