// Package runs plays whole runs against the real program: over the socket and
// REST, with a scripted model behind the real providers.
package runs

import (
	"context"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/e2e/proc"
	"github.com/clew-run/clew/internal/llm/llmtest"
)

func TestMain(m *testing.M) { os.Exit(proc.Main(m)) }

// sessionID is the same in every run, so that all ids made from it are.
const sessionID clew.SessionID = "sess_run"

// within bounds one story.
const within = 90 * time.Second

var vendors = llmtest.Vendors()

type record = proc.Record

// A stage's Bearer is the owner of the session.
type stage struct {
	*proc.Stage
	skip bool // approvals are answered with skip
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

// newStage sets up a server. One todo runs at a time, so that there is one order
// of records. The prices are round. The owner of the session is no administrator
// of the server, and still brings a workspace of its own.
func newStage(t testing.TB, p plot) *stage {
	t.Helper()
	settings := proc.AllowFiles()
	maps.Copy(settings, map[string]any{"run_parallel_todos": 1, "question_reminder_sec": 0})
	maps.Copy(settings, p.settings)
	dir := t.TempDir()
	s := &stage{Stage: proc.NewStage(t, proc.Setup{
		Name: "story", Session: sessionID, Dir: dir, Program: proc.Program(t, p.tags), Vendor: p.vendor, Files: p.files, Settings: settings,
		Script: proc.ReadFile(t, "testdata", p.script), Model: p.model,
		Profile: map[string]any{"max_tokens": 8192, "price_in": 3, "price_out": 15, "context_window": 200_000},
		Env: map[string]string{
			"CLEW_AUTH_HMAC_SECRET_FILE": filepath.Join(dir, "hmac"), "CLEW_AUTH_ALLOW_ADMIN": "true",
			"CLEW_WORKSPACES": filepath.Join(dir, "work"),
		},
	})}
	s.Write("hmac", secret)
	s.Bearer = signed(t, "alice", "owner")
	return s
}

// begin starts the server and makes the session.
func (s *stage) begin(env ...string) {
	s.T.Helper()
	s.Start(env...)
	proc.Must(s.T, s.Create(s.T.Context()))
}

const secret = "a-secret-of-the-tests-0123456789abcdef"

// signed gives a user's token.
func signed(t testing.TB, user, role string) string {
	t.Helper()
	s, err := jwt.NewWithClaims(jwt.SigningMethodHS256, jwt.MapClaims{
		"sub": user, "clew_role": role, "exp": time.Now().Add(time.Hour).Unix(),
	}).SignedString([]byte(secret))
	proc.Must(t, err)
	return s
}

// do is Command for a test that cannot go on without it.
func (s *stage) do(ctx context.Context, id string, typ clew.CommandType, data any) {
	s.T.Helper()
	if err := s.Command(ctx, id, typ, data); err != nil {
		s.T.Fatalf("%s: %v", id, err)
	}
}

// replayed gives the session from its start, and its state as the wire has it.
func (s *stage) replayed() (list []record, state json.RawMessage) {
	s.T.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), within)
	defer cancel()
	list, is, err := s.Replay(ctx, sessionID)
	proc.Must(s.T, err)
	is.Viewers = nil // who watches is no part of the session
	state, err = json.Marshal(is)
	proc.Must(s.T, err)
	return list, state
}

func decode(t testing.TB, data []byte, into any) {
	t.Helper()
	if err := json.Unmarshal(data, into); err != nil {
		t.Fatalf("%v in %s", err, data)
	}
}

// examine stops the server and has the doctor look at its store.
func (s *stage) examine() {
	s.T.Helper()
	if err := s.Srv.Stop(); err != nil {
		s.T.Error(err)
	}
	s.Examine()
}
