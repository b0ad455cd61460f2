// Package tui drives clew attach in a real terminal: the real program and a real
// server with a scripted model, on a screen that tmux keeps.
package tui

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/client"
	"github.com/clew-run/clew/internal/e2e/proc"
	"github.com/clew-run/clew/internal/llm/llmtest"
)

var (
	update = flag.Bool("update", false, "write the pictures anew")
	within = flag.Duration("within", time.Minute, "the longest wait for something to show")
)

func TestMain(m *testing.M) {
	flag.Parse()
	os.Exit(proc.Main(m))
}

// A stage is a server with a scripted model and a workspace.
type stage struct {
	t   *testing.T
	srv *proc.Proc
	dir string // short, as it shows on the screen
	bin string
}

func newStage(t *testing.T) *stage {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "story.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	model, err := llmtest.Start(llmtest.MustParse(string(text)), llmtest.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = model.Close() })
	dir, err := os.MkdirTemp("", "clew-tui-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	s := &stage{t: t, dir: dir, bin: proc.Program(t, "")}
	s.write("work/greet.sh", "#!/bin/sh\necho Hello\n")
	s.write("settings.json", settings(t, model.URL()))
	s.srv = proc.New(t, s.bin, filepath.Join(dir, "data"), map[string]string{
		"CLEW_SETTINGS": filepath.Join(dir, "settings.json"), "CLEW_SECRET_STORY_KEY": "sk-story-0123456789", "CLEW_SOCKET": "off",
	})
	if err := s.srv.Start(); err != nil {
		t.Fatal(err)
	}
	return s
}

func settings(t *testing.T, url string) string {
	t.Helper()
	b, err := json.Marshal(map[string]any{
		"model_profile": "story",
		"model_profiles": map[string]any{"story": map[string]any{
			"provider": "anthropic", "model": "story-1", "base_url": url, "key_name": "story_key", "thinking": "low", "max_tokens": 8192,
			"price_in": 3, "price_out": 15, "context_window": 200_000,
		}},
		"auto_approval_enabled": true, "always_allow_read_only": true, "always_allow_write": true, "command_sandbox": "none",
	})
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func (s *stage) write(name, text string) {
	s.t.Helper()
	path := filepath.Join(s.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		s.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		s.t.Fatal(err)
	}
}

func (s *stage) api() *client.API {
	s.t.Helper()
	token, err := s.srv.Token()
	if err != nil {
		s.t.Fatal(err)
	}
	return client.NewAPI(s.srv.URL(), token)
}

// session makes a session with a name that does not change.
func (s *stage) session(id clew.SessionID, title string) {
	s.t.Helper()
	if _, err := s.api().CreateSession(s.t.Context(), client.NewSession{SessionID: id, Title: title, Workspace: filepath.Join(s.dir, "work")}); err != nil {
		s.t.Fatal(err)
	}
}

func (s *stage) command(id clew.SessionID, typ clew.CommandType, data any) {
	s.t.Helper()
	if _, err := s.api().Command(s.t.Context(), id, "", typ, data); err != nil {
		s.t.Fatal(err)
	}
}

func (s *stage) say(id clew.SessionID, text string) {
	s.t.Helper()
	s.command(id, clew.CommandUserMessage, clew.UserMessageData{Text: text})
}

// attach opens a session on a screen of this size.
func (s *stage) attach(id clew.SessionID, width, height int, more ...string) *screen {
	s.t.Helper()
	args := append([]string{s.bin, "attach", string(id), "--server", s.srv.URL(), "--data", s.srv.Dir}, more...)
	return newScreen(s.t, width, height, strings.Join(args, " "))
}
