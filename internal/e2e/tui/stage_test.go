// Package tui drives clew attach in a real terminal: the real program and a real
// server with a scripted model, on a screen that tmux keeps.
package tui

import (
	"flag"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/client"
	"github.com/clew-run/clew/internal/e2e/proc"
)

var (
	update = flag.Bool("update", false, "write the pictures anew")
	within = flag.Duration("within", time.Minute, "the longest wait for something to show")
)

func TestMain(m *testing.M) {
	flag.Parse()
	os.Exit(proc.Main(m))
}

// A stage's directory is short, as it shows on the screen.
type stage struct{ *proc.Stage }

func newStage(t *testing.T) *stage {
	t.Helper()
	dir, err := os.MkdirTemp("", "clew-tui-")
	proc.Must(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	s := &stage{proc.NewStage(t, proc.Setup{
		Name: "story", Dir: dir, Script: proc.ReadFile(t, "testdata", "story.yaml"), Settings: proc.AllowFiles(),
		Profile: map[string]any{"thinking": "low", "max_tokens": 8192, "price_in": 3, "price_out": 15, "context_window": 200_000},
		Files:   map[string]string{"greet.sh": "#!/bin/sh\necho Hello\n"},
		Env:     map[string]string{"CLEW_SOCKET": "off"},
	})}
	s.Start()
	return s
}

// session makes a session with a name that does not change.
func (s *stage) session(id clew.SessionID, title string) {
	s.T.Helper()
	if _, err := s.API().CreateSession(s.T.Context(), client.NewSession{SessionID: id, Title: title, Workspace: s.Work}); err != nil {
		s.T.Fatal(err)
	}
}

func (s *stage) command(id clew.SessionID, typ clew.CommandType, data any) {
	s.T.Helper()
	if _, err := s.API().Command(s.T.Context(), id, "", typ, data); err != nil {
		s.T.Fatal(err)
	}
}

func (s *stage) say(id clew.SessionID, text string) {
	s.T.Helper()
	s.command(id, clew.CommandUserMessage, clew.UserMessageData{Text: text})
}

// attach opens a session on a screen of this size.
func (s *stage) attach(id clew.SessionID, width, height int, more ...string) *screen {
	s.T.Helper()
	args := append([]string{s.Srv.Path(), "attach", string(id), "--server", s.Srv.URL(), "--data", s.Srv.Dir}, more...)
	return newScreen(s.T, width, height, strings.Join(args, " "))
}
