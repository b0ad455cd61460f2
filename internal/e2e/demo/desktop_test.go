//go:build linux

// Package demo plays clew demo desktop, with the server that it kills, and looks at it
// as another client does.
package demo

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/client"
	"github.com/clew-run/clew/internal/e2e/proc"
)

func TestMain(m *testing.M) { os.Exit(proc.Main(m)) }

// within bounds a story without pauses; machines are busy.
const within = 2 * time.Minute

// A story is clew demo desktop as a process.
type story struct {
	t         *testing.T
	cmd       *exec.Cmd
	lines     *bufio.Scanner
	URL       string `json:"url"`
	TokenFile string `json:"token_file"`
	Data      string `json:"data"`
	scenes    []string
	told      map[string]string
	kept      []string // what was said beside the scenes
}

func start(t *testing.T, args ...string) *story {
	t.Helper()
	s := &story{t: t, told: map[string]string{}}
	s.cmd = exec.Command(proc.Program(t, ""), append([]string{"demo", "desktop", "--fast", "--no-open", "--json", "--listen", "127.0.0.1:0"}, args...)...)
	s.cmd.Env = append(slices.DeleteFunc(os.Environ(), func(kv string) bool { return strings.HasPrefix(kv, "CLEW_") }), "ANTHROPIC_API_KEY=canary-key-of-the-person")
	stdout, err := s.cmd.StdoutPipe()
	proc.Must(t, err)
	stderr, err := s.cmd.StderrPipe()
	proc.Must(t, err)
	proc.Must(t, s.cmd.Start())
	t.Cleanup(func() { _ = s.cmd.Process.Kill() })
	limit := time.AfterFunc(within, func() { _ = s.cmd.Process.Kill() })
	t.Cleanup(func() { limit.Stop() })
	ready, _ := bufio.NewReader(stdout).ReadString('\n')
	s.lines = bufio.NewScanner(stderr)
	if !s.lines.Scan() || json.Unmarshal(s.lines.Bytes(), s) != nil || ready != "clew: ready "+s.URL+"\n" {
		t.Fatalf("ready line %q, then %q", ready, s.lines.Text())
	}
	return s
}

// until reads what the story tells up to a scene.
func (s *story) until(scene string) {
	s.t.Helper()
	for s.lines.Scan() {
		var line struct{ Scene, Text string }
		if json.Unmarshal(s.lines.Bytes(), &line) != nil || line.Scene == "" {
			s.kept = append(s.kept, s.lines.Text())
			continue
		}
		s.scenes = append(s.scenes, line.Scene)
		s.told[line.Scene] = line.Text
		if line.Scene == scene {
			return
		}
	}
	s.t.Fatalf("the story ended after %v, before %q:\n%s", s.scenes, scene, strings.Join(s.kept, "\n"))
}

// end ends the command. Nothing of it is left, its server neither.
func (s *story) end(sig syscall.Signal) {
	s.t.Helper()
	_ = s.cmd.Process.Signal(sig)
	for s.lines.Scan() { // ends when the server has ended as well: it has the same stderr
		s.kept = append(s.kept, s.lines.Text())
	}
	if err := s.cmd.Wait(); sig == syscall.SIGTERM && err != nil {
		s.t.Errorf("it ended with %v:\n%s", err, strings.Join(s.kept, "\n"))
	}
	if strings.Contains(strings.Join(s.kept, "\n"), "canary") {
		s.t.Error("a key of the person's is in the log")
	}
}

func (s *story) token() string {
	s.t.Helper()
	return strings.TrimSpace(proc.ReadFile(s.t, s.TokenFile))
}

func (s *story) api() *client.API { return client.NewAPI(s.URL, s.token()) }

// records are all of the session so far.
func (s *story) records() (list []clew.Event) {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.t.Context(), within)
	defer cancel()
	c, err := client.Dial(ctx, client.Options{URL: s.URL, Session: "demo", Token: s.token(), ResumeFrom: client.FromStart})
	proc.Must(s.t, err)
	defer c.Close()
	last := uint64(math.MaxUint64)
	for env, err := range c.Follow(ctx) {
		proc.Must(s.t, err)
		ev, err := clew.DecodeEvent(clew.EventType(env.Type), env.Data)
		proc.Must(s.t, err)
		if state, first := ev.Data.(*clew.SessionState); first {
			last, _ = state.LastMessageID.Seq()
		}
		if env.Seq() > 0 {
			list = append(list, ev)
		}
		if env.Seq() >= last {
			return list
		}
	}
	return list
}

// windows is what the windows are, without what differs from one run to the next.
func (s *story) windows() string {
	s.t.Helper()
	list, err := s.api().Windows(s.t.Context(), "demo")
	proc.Must(s.t, err)
	var out []string
	for _, w := range list.Windows {
		content, err := json.Marshal(w.Content)
		proc.Must(s.t, err)
		agent, _, _ := strings.Cut(string(w.AgentID), "-task_")
		out = append(out, fmt.Sprintf("%s on %s, version %d, agent %q %s: %s", w.WindowID, w.MonitorID, w.Version, agent, w.Status, content))
	}
	slices.Sort(out)
	return strings.Join(out, "\n")
}
