//go:build linux

package firsthour

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/clew-run/clew/internal/e2e/proc"
	"github.com/clew-run/clew/internal/poll"
)

// A screen is the person's shell in a tmux of its own.
type screen struct {
	t      *testing.T
	socket string
	lines  int // that were typed at the shell
}

func (p *person) screen(width, height int) *screen {
	p.t.Helper()
	if _, err := exec.LookPath("tmux"); err != nil {
		proc.Missing(p.t, "tmux is not here")
	}
	s := &screen{t: p.t, socket: filepath.Join(p.home, "tmux")}
	s.socket = fmt.Sprintf("%s%dx%d", s.socket, width, height)
	p.t.Cleanup(s.close)
	args := []string{"-f", "/dev/null", "new-session", "-d", "-x", fmt.Sprint(width), "-y", fmt.Sprint(height), "-c", p.work}
	s.do(append(args, "env -i "+quoted(p.env)+" PS1='$ ' sh")...)
	s.see("$ ")
	return s
}

func quoted(env []string) string {
	var b strings.Builder
	for _, kv := range env {
		b.WriteString("'" + kv + "' ")
	}
	return b.String()
}

// close closes the terminal, as by its window.
func (s *screen) close() { _, _ = s.try("kill-server") } // it may be gone

func (s *screen) try(args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	out, err := exec.CommandContext(ctx, "tmux", append([]string{"-u", "-S", s.socket}, args...)...).CombinedOutput()
	return string(out), err
}

func (s *screen) do(args ...string) string {
	s.t.Helper()
	out, err := s.try(args...)
	if err != nil {
		s.t.Fatalf("tmux %v: %v\n%s", args, err, out)
	}
	return out
}

// gone waits until a text has left the screen.
func (s *screen) gone(text string) {
	s.t.Helper()
	proc.Eventually(s.t, "a screen without "+text, time.Minute, func() bool { return !strings.Contains(s.do("capture-pane", "-p"), text) })
}

// see waits until all of these stand on the screen; | parts what may stand there
// instead.
func (s *screen) see(want ...string) string {
	s.t.Helper()
	text, missing := "", ""
	found := poll.Within(time.Minute, func() bool {
		text, missing = s.do("capture-pane", "-p", "-J"), ""
		for _, w := range want {
			if !slices.ContainsFunc(strings.Split(w, "|"), func(part string) bool { return strings.Contains(text, part) }) {
				missing = w
			}
		}
		return missing == ""
	})
	if !found {
		s.t.Fatalf("%q did not show:\n%s", missing, text)
	}
	return text
}

// picture keeps the screen for somebody to look at.
func (s *screen) picture(name string) {
	s.t.Helper()
	if *pictures != "" {
		proc.Must(s.t, os.WriteFile(filepath.Join(*pictures, name+".txt"), []byte(s.do("capture-pane", "-p")), 0o644))
	}
}

func (s *screen) press(keys ...string) { s.t.Helper(); s.do(append([]string{"send-keys"}, keys...)...) }

// say types a text and enter.
func (s *screen) say(text string) {
	s.t.Helper()
	s.do("send-keys", "-l", text)
	s.press("Enter")
}

// line types a line at the shell.
func (s *screen) line(text string) { s.t.Helper(); s.lines++; s.say(text) }
