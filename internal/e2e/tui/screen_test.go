package tui

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/clew-run/clew/internal/e2e/proc"
)

// A screen is a terminal of its own in a tmux of its own.
type screen struct {
	t      testing.TB
	socket string
}

// configuration lets programs do what hostile text would like to do.
const configuration = `
set -g escape-time 0
set -g set-clipboard on
set -g allow-rename on
set -g automatic-rename off
set -g default-terminal screen-256color
`

func newScreen(t testing.TB, width, height int, command string, env ...string) *screen {
	t.Helper()
	if _, err := exec.LookPath("tmux"); err != nil {
		proc.Missing(t, "tmux is not here")
	}
	dir, err := os.MkdirTemp("", "clew-tmux-") // a socket's path has to be short
	if err != nil {
		t.Fatal(err)
	}
	s := &screen{t: t, socket: filepath.Join(dir, "s")}
	t.Cleanup(func() {
		_, _ = s.try("kill-server") // it may be gone
		_ = os.RemoveAll(dir)
	})
	conf := filepath.Join(dir, "conf")
	if err := os.WriteFile(conf, []byte(configuration), 0o600); err != nil {
		t.Fatal(err)
	}
	args := []string{"-f", conf, "new-session", "-d", "-x", fmt.Sprint(width), "-y", fmt.Sprint(height)}
	for _, kv := range append([]string{"NO_COLOR=", "COLORTERM=", "COLORFGBG=", "LC_ALL=C.UTF-8"}, env...) {
		args = append(args, "-e", kv)
	}
	s.do(append(args, command+`; echo "left with $?"; exec cat`)...) // the screen stays
	return s
}

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

// text is what stands on the screen.
func (s *screen) text() string { s.t.Helper(); return s.do("capture-pane", "-p") }

// printed is text with what has left the screen at its top.
func (s *screen) printed() string { s.t.Helper(); return s.do("capture-pane", "-p", "-J", "-S", "-50") }

// styled is text with its colours.
func (s *screen) styled() string { s.t.Helper(); return s.do("capture-pane", "-p", "-e") }

// until waits for a screen that is as wanted.
func (s *screen) until(what string, good func(text string) bool) string {
	s.t.Helper()
	text, ok := s.wait(good)
	if !ok {
		s.t.Fatalf("%s did not show:\n%s", what, text)
	}
	return text
}

// wait gives the screen that is as wanted, or the last one.
func (s *screen) wait(good func(text string) bool) (text string, ok bool) {
	s.t.Helper()
	end := time.After(*within)
	for {
		text := s.text()
		if good(text) {
			return text, true
		}
		select {
		case <-end:
			return text, false
		case <-time.After(50 * time.Millisecond): // tmux has no way to wait for a screen
		}
	}
}

// see waits until all of these stand on the screen.
func (s *screen) see(want ...string) string {
	s.t.Helper()
	return s.until(fmt.Sprintf("%q", want), func(text string) bool {
		for _, w := range want {
			if !strings.Contains(text, w) {
				return false
			}
		}
		return true
	})
}

// alone waits until nobody else is there any more: those who left are forgotten
// a moment later.
func (s *screen) alone() {
	s.t.Helper()
	s.until("a first line with one viewer", func(text string) bool {
		first, _, _ := strings.Cut(text, "\n")
		return strings.HasSuffix(strings.TrimRight(first, " "), "· owner")
	})
}

// gone waits until a text is no longer there.
func (s *screen) gone(text string) {
	s.t.Helper()
	s.until("a screen without "+text, func(now string) bool { return !strings.Contains(now, text) })
}

// press presses keys by their names.
func (s *screen) press(keys ...string) { s.t.Helper(); s.do(append([]string{"send-keys"}, keys...)...) }

// typed types a text.
func (s *screen) typed(text string) { s.t.Helper(); s.do("send-keys", "-l", text) }

var left = regexp.MustCompile(`left with (\d+)`)

// over waits until the program has ended, and gives its exit code.
func (s *screen) over() string {
	s.t.Helper()
	return left.FindStringSubmatch(s.until("the end of the program", left.MatchString))[1]
}
