// Package story plays whole tasks with the real program: the scripted model
// thinks, the real providers carry it over HTTP, and a person answers.
package story

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/coder/websocket"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/client"
	"github.com/clew-run/clew/internal/e2e/proc"
	"github.com/clew-run/clew/internal/llm/llmtest"
	"github.com/clew-run/clew/wire"
)

func TestMain(m *testing.M) { os.Exit(proc.Main(m)) }

// sessionID is the same in every run, so that all ids made from it are.
const sessionID clew.SessionID = "sess_story"

// A stage is a server with a scripted model and a workspace.
type stage struct {
	t     testing.TB
	srv   *proc.Proc
	model *llmtest.Server
	work  string // the workspace
}

// plot is what a stage is set up for.
type plot struct {
	vendor llmtest.Vendor
	bin    string
	script string            // a file of testdata
	files  map[string]string // of the workspace
	model  llmtest.Options
	// settings beside the usual ones
	settings map[string]any
	pings    string // how often the server pings, "" for as usual
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
	s := &stage{t: t, model: model, work: filepath.Join(dir, "work")}
	for name, text := range p.files {
		writeFile(t, filepath.Join(s.work, name), text)
	}
	settings := filepath.Join(dir, "settings.json")
	writeFile(t, settings, s.settings(p))
	env := map[string]string{"CLEW_SETTINGS": settings, "CLEW_SECRET_STORY_KEY": "sk-story-0123456789"}
	if p.pings != "" {
		env["CLEW_LIMITS_PING_EVERY"] = p.pings
	}
	s.srv = proc.New(t, p.bin, filepath.Join(dir, "data"), env)
	return s
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

// settings allow reading and writing without a person, and nothing else. The
// prices are round, so that the cost of a story can be added up by hand.
func (s *stage) settings(p plot) string {
	base := s.model.URL()
	if p.vendor == llmtest.OpenAI {
		base += "/v1"
	}
	all := map[string]any{
		"model_profile": "story",
		"model_profiles": map[string]any{"story": map[string]any{
			"provider": string(p.vendor), "model": "story-1", "base_url": base, "key_name": "story_key", "thinking": "low", "max_tokens": 8192,
			"price_in": 3, "price_out": 15, "price_cache_write": 3.75, "price_cache_read": 0.3, "context_window": 200_000,
		}},
		"auto_approval_enabled": true, "always_allow_read_only": true, "always_allow_write": true, "command_sandbox": "none",
	}
	maps.Copy(all, p.settings)
	b, err := json.Marshal(all)
	if err != nil {
		s.t.Fatal(err)
	}
	return string(b)
}

func (s *stage) token() string {
	token, err := s.srv.Token()
	if err != nil {
		s.t.Error(err)
	}
	return token
}

func (s *stage) api() *client.API { return client.NewAPI(s.srv.URL(), s.token()) }

// file reads a file of the workspace, "" if it is not there.
func (s *stage) file(name string) string {
	b, err := os.ReadFile(filepath.Join(s.work, name))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		s.t.Error(err)
	}
	return string(b)
}

// command sends a command under a fixed name: sent again, it has no second
// effect.
func (s *stage) command(ctx context.Context, id string, typ clew.CommandType, data any) error {
	_, err := s.api().Command(ctx, sessionID, clew.ClientMessageID(id), typ, data)
	return err
}

// create makes the session, unless an earlier try did.
func (s *stage) create(ctx context.Context) error {
	if _, err := s.api().GetSession(ctx, sessionID); err == nil {
		return nil
	}
	_, err := s.api().CreateSession(ctx, client.NewSession{SessionID: sessionID, Workspace: s.work})
	return err
}

// A record as it came over the wire.
type record struct {
	frame string
	env   wire.Envelope
	event clew.Event
}

// records replays the session from its start, with the state it begins with.
func (s *stage) records(ctx context.Context) (list []record, state clew.SessionState, err error) {
	header := http.Header{"Authorization": {"Bearer " + s.token()}}
	ws, _, err := websocket.Dial(ctx, s.srv.URL()+"/ws/"+string(sessionID)+"?resume_from=start", &websocket.DialOptions{HTTPHeader: header})
	if err != nil {
		return nil, state, err
	}
	defer func() { _ = ws.CloseNow() }()
	ws.SetReadLimit(-1)
	for {
		_, b, err := ws.Read(ctx)
		if err != nil {
			return list, state, err
		}
		var env wire.Envelope
		if err := json.Unmarshal(b, &env); err != nil {
			return list, state, err
		}
		switch {
		case env.Seq() > 0:
			ev, err := clew.DecodeEvent(clew.EventType(env.Type), env.Data)
			if err != nil {
				return list, state, err
			}
			list = append(list, record{string(b), env, ev})
		case env.Type == string(clew.EventSessionState):
			if err := json.Unmarshal(env.Data, &state); err != nil {
				return list, state, err
			}
		case env.Type == string(clew.EventSyncComplete):
			return list, state, nil
		case env.Type == string(clew.EventError):
			return list, state, fmt.Errorf("the server said %s", b)
		}
	}
}

// replayed is records for a test that cannot go on without them.
func (s *stage) replayed() ([]record, clew.SessionState) {
	s.t.Helper()
	list, state, err := s.records(context.Background())
	if err != nil {
		s.t.Fatal(err)
	}
	return list, state
}

func frames(list []record) string {
	var b strings.Builder
	for _, r := range list {
		b.WriteString(r.frame + "\n")
	}
	return b.String()
}

// examine has the doctor look at the stopped server's store.
func (s *stage) examine(ctx context.Context) {
	s.t.Helper()
	out, errs, code, err := s.srv.Run(ctx, "doctor", "--json", "--data", s.srv.Dir)
	if err != nil || code != 0 {
		s.t.Errorf("the doctor found something: %d %v\n%s\n%s", code, err, out, errs)
	}
}

// answered checks that the scripted model never got a request it refused: a
// call without its result would be one.
func (s *stage) answered() {
	s.t.Helper()
	for _, r := range s.model.Unmatched() {
		s.t.Errorf("the model refused a call: %s", r.Problem)
	}
}
