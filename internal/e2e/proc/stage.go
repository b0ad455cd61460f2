package proc

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/client"
	"github.com/clew-run/clew/internal/llm/llmtest"
	"github.com/clew-run/clew/internal/poll"
)

// A Setup says what a stage is made of. All of it may be left out.
type Setup struct {
	Name     string            // of the model's profile, "test" if there is none
	Session  clew.SessionID    // that Create makes: the same in every run, so that all ids made from it are
	Program  string            // the usual one
	Dir      string            // where everything is; one that goes with the test
	Script   string            // of the model; without one the echo answers
	Model    llmtest.Options   // how it plays
	Vendor   llmtest.Vendor    // as which it speaks, Anthropic
	Profile  map[string]any    // what the profile says beside how to reach the model
	Settings map[string]any    // beside the profile
	Files    map[string]string // of the workspace
	Env      map[string]string // variables of the server, by their full names
}

// AllowFiles are settings that allow reading and writing without a person, and
// nothing else.
func AllowFiles() map[string]any {
	return map[string]any{"auto_approval_enabled": true, "always_allow_read_only": true, "always_allow_write": true, "command_sandbox": "none"}
}

// A Stage is the program with a scripted model and a workspace. Suites put their
// own steps around it.
type Stage struct {
	T       testing.TB
	Srv     *Proc
	Model   *llmtest.Server // nil if the echo answers
	Dir     string
	Work    string // the workspace
	Session clew.SessionID
	Bearer  string // the token that is used, "" the owner's
}

// NewStage sets up a server that is not started yet.
func NewStage(t testing.TB, with Setup) *Stage {
	t.Helper()
	s := &Stage{T: t, Dir: with.Dir, Session: with.Session}
	if s.Dir == "" {
		s.Dir = t.TempDir()
	}
	s.Work = filepath.Join(s.Dir, "work")
	for name, text := range with.Files {
		s.Write(filepath.Join("work", name), text)
	}
	env := map[string]string{}
	if with.Script != "" {
		s.play(with, env)
	}
	maps.Copy(env, with.Env)
	if with.Program == "" {
		with.Program = Program(t, "")
	}
	s.Srv = New(t, with.Program, filepath.Join(s.Dir, "data"), env)
	return s
}

// play starts the model and tells the server of it.
func (s *Stage) play(with Setup, env map[string]string) {
	s.T.Helper()
	script, err := llmtest.Parse([]byte(with.Script))
	Must(s.T, err)
	s.Model, err = llmtest.Start(script, with.Model)
	Must(s.T, err)
	s.T.Cleanup(func() { _ = s.Model.Close() })
	if with.Name == "" {
		with.Name = "test"
	}
	profile := map[string]any{"provider": "anthropic", "model": with.Name + "-1", "base_url": s.Model.URL(), "key_name": with.Name + "_key"}
	switch with.Vendor {
	case llmtest.OpenAI, llmtest.Responses:
		profile["provider"], profile["base_url"] = "openai", s.Model.URL()+"/v1"
		if with.Vendor == llmtest.Responses {
			profile["api"] = "responses"
		}
	case llmtest.Gemini, llmtest.Bedrock, llmtest.Vertex:
		profile["provider"], profile["region"], profile["project"] = string(with.Vendor), "eu-west-1", "test"
	}
	maps.Copy(profile, with.Profile)
	settings := map[string]any{"model_profile": with.Name, "model_profiles": map[string]any{with.Name: profile}}
	maps.Copy(settings, with.Settings)
	b, err := json.Marshal(settings)
	Must(s.T, err)
	s.Write("settings.json", string(b))
	env["CLEW_SETTINGS"] = filepath.Join(s.Dir, "settings.json")
	env["CLEW_SECRET_"+strings.ToUpper(with.Name)+"_KEY"] = "sk-" + with.Name + "-0123456789"
}

// In is the stage for a part of its test.
func (s *Stage) In(t testing.TB) *Stage {
	part := *s
	part.T = t
	return &part
}

// Start starts the server, with further variables for this life alone.
func (s *Stage) Start(env ...string) {
	s.T.Helper()
	Must(s.T, s.Srv.Start(env...))
}

// Token is the one that is used.
func (s *Stage) Token() string {
	if s.Bearer != "" {
		return s.Bearer
	}
	token, err := s.Srv.Token()
	if err != nil {
		s.T.Error(err)
	}
	return token
}

// API talks to the server.
func (s *Stage) API() *client.API { return client.NewAPI(s.Srv.URL(), s.Token()) }

// Create makes the session, unless an earlier life did.
func (s *Stage) Create(ctx context.Context) error {
	if _, err := s.API().GetSession(ctx, s.Session); err == nil {
		return nil
	}
	_, err := s.API().CreateSession(ctx, client.NewSession{SessionID: s.Session, Workspace: s.Work})
	return err
}

// Command sends a command under a fixed name: sent again, it has no second
// effect.
func (s *Stage) Command(ctx context.Context, name string, typ clew.CommandType, data any) error {
	_, err := s.API().Command(ctx, s.Session, clew.ClientMessageID(name), typ, data)
	return err
}

// Call makes a request; token is somebody's, "" the stage's.
func (s *Stage) Call(token, method, path string, body any) (*http.Response, error) {
	if token == "" {
		token = s.Token()
	}
	b, err := json.Marshal(body)
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(s.T.Context(), method, s.Srv.URL()+path, strings.NewReader(string(b)))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Authorization", "Bearer "+token)
	return http.DefaultClient.Do(req)
}

// Write writes a file below the stage's directory.
func (s *Stage) Write(name, text string) {
	s.T.Helper()
	path := filepath.Join(s.Dir, name)
	Must(s.T, os.MkdirAll(filepath.Dir(path), 0o700))
	Must(s.T, os.WriteFile(path, []byte(text), 0o600))
}

// File reads a file of the workspace, "" if it is not there.
func (s *Stage) File(name string) string {
	b, err := os.ReadFile(filepath.Join(s.Work, name))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		s.T.Error(err)
	}
	return string(b)
}

// Answered checks that the scripted model never got a request it refused: a
// call without its result would be one.
func (s *Stage) Answered() {
	s.T.Helper()
	for _, r := range s.Model.Unmatched() {
		s.T.Errorf("the model refused a call: %s", r.Problem)
	}
}

// Examine has the doctor look at the stopped server's store.
func (s *Stage) Examine() {
	s.T.Helper()
	s.Run("doctor", "--json")
}

// Run runs another command of the program on the server's directory. It has to
// succeed.
func (s *Stage) Run(args ...string) string {
	s.T.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	out, errs, code, err := s.Srv.Run(ctx, append(args, "--data", s.Srv.Dir)...)
	if err != nil || code != 0 {
		s.T.Errorf("clew %v: exit %d, %v\n%s%s", args, code, err, out, errs)
	}
	return out
}

// Missing skips a test for which something is not here, except where all of it must be.
func Missing(t testing.TB, why string) {
	t.Helper()
	if os.Getenv("CLEW_TEST_TOOLCHAINS") == "required" {
		t.Fatalf("%s, and CLEW_TEST_TOOLCHAINS requires it", why)
	}
	t.Skip(why)
}

// Must ends a test that cannot go on.
func Must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Eventually waits for what other processes and their clocks bring about, and
// says how long it took.
func Eventually(t testing.TB, what string, limit time.Duration, ok func() bool) time.Duration {
	t.Helper()
	start := time.Now()
	if !poll.Within(limit, ok) {
		t.Fatalf("%s: not within %s", what, limit)
	}
	return time.Since(start)
}

// ReadFile reads a file of a test.
func ReadFile(t testing.TB, path ...string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(path...))
	Must(t, err)
	return string(b)
}
