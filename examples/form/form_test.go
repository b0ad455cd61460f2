package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/e2e/proc"
)

func TestMain(m *testing.M) { os.Exit(proc.Main(m)) }

// script opens the window as it is asked to, and answers in it.
const script = `
- when: {last_user: 'component_action window="lunch"', turn: 1}
  times: 0
  reply: [{text: Thank you.}]
- when: {last_user: 'component_action window="lunch"'}
  times: 0
  reply: [{text: And thank you.}]
- when: {last_user: Open this window, tool_result: window}
  times: 0
  reply: [{text: It is open.}]
- when: {last_user: {regexp: '(?s)Open this window.*?(\{"action".*\}\})'}, has_tool: window}
  times: 0
  reply: [{tool: {name: window, raw: RAW}}]
- times: 0
  reply: [{text: No.}]
`

// A screen is what the program writes, for others to read meanwhile.
type screen struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (s *screen) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(p)
}

func (s *screen) shows(text string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return strings.Contains(s.text.String(), text)
}

// The program against a real server: the window opens, presses are written down once,
// those too that come while the program is away.
func TestForm(t *testing.T) {
	i := strings.Index(ask, "{")
	raw := strings.ReplaceAll(ask[i:strings.LastIndex(ask, "}")+1], "\n", " ")
	s := proc.NewStage(t, proc.Setup{Session: "sess_form", Files: map[string]string{"README.md": "# Lunch\n"}, Script: strings.Replace(script, "RAW", "'"+raw+"'", 1)})
	s.Start()
	proc.Must(t, s.Create(t.Context()))
	file := filepath.Join(t.TempDir(), "lunch.csv")
	begin := func() (*screen, func()) {
		ctx, cancel := context.WithCancel(t.Context())
		out, ended := new(screen), make(chan error, 1)
		go func() {
			ended <- run(ctx, []string{"--server", s.Srv.URL(), "--session", string(s.Session), "--token-file", filepath.Join(s.Srv.Dir, "token"), "--out", file}, out)
		}()
		return out, func() {
			cancel()
			proc.Must(t, <-ended)
		}
	}
	press := func(name, dish string) {
		proc.Must(t, s.Command(t.Context(), name, clew.CommandComponentAction, clew.ComponentActionData{WindowID: windowID, Action: "order", FormData: map[string]any{"name": name, "dish": dish}}))
	}
	awaits := func(out *screen, text string) {
		t.Helper()
		proc.Eventually(t, text, time.Minute, func() bool { return out.shows(text) })
	}
	out, end := begin()
	awaits(out, "the form is open")
	press("Ada", "soup")
	awaits(out, "Ada wants soup")
	end()
	press("Grace", "pasta")
	out, end = begin()
	awaits(out, "Grace wants pasta")
	end()
	if out.shows("Ada") {
		t.Error("a press was taken twice")
	}
	if got := proc.ReadFile(t, file); strings.Count(got, "\n") != 2 || !strings.Contains(got, ",Ada,soup\n") || !strings.Contains(got, ",Grace,pasta\n") {
		t.Errorf("written down:\n%s", got)
	}
	if n := len(s.Model.Unmatched()); n != 0 {
		t.Errorf("%d requests without an answer", n)
	}
}

// An agent that does not open the window is an error.
func TestNoWindow(t *testing.T) {
	s := proc.NewStage(t, proc.Setup{Session: "sess_form", Script: "- times: 0\n  reply: [{text: No.}]\n"})
	s.Start()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	err := run(ctx, []string{"--server", s.Srv.URL(), "--token-file", filepath.Join(s.Srv.Dir, "token"), "--out", filepath.Join(t.TempDir(), "x.csv")}, new(screen))
	if err == nil || !strings.Contains(err.Error(), "did not open") {
		t.Errorf("it ended with %v", err)
	}
}
