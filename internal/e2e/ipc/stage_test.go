// Package ipc talks to the real program through its local socket.
package ipc

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/client"
	"github.com/clew-run/clew/internal/e2e/proc"
)

func TestMain(m *testing.M) { os.Exit(proc.Main(m)) }

// patience is how long a test waits for what must come.
const patience = 90 * time.Second

type stage struct {
	*proc.Stage
	api *client.API // after start
}

// newStage makes a server that is not started yet. With a script a scripted model
// thinks, without one the echo answers. The directory has a short name, as a
// socket's may not be long.
func newStage(t testing.TB, script string, env map[string]string) *stage {
	t.Helper()
	dir, err := os.MkdirTemp("", "ipc")
	proc.Must(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return &stage{Stage: proc.NewStage(t, proc.Setup{
		Dir: dir, Script: script, Profile: map[string]any{"context_window": 200_000}, Env: env,
	})}
}

func (s *stage) start() *stage {
	s.T.Helper()
	s.Start()
	s.api = s.API().WithHTTPClient(&http.Client{Timeout: patience})
	return s
}

func (s *stage) socket() string { return filepath.Join(s.Srv.Dir, client.LocalSocket) }

// A listener is a client with all that it has heard.
type listener struct {
	*client.Local
	t      testing.TB
	events chan client.LocalEvent
}

func (s *stage) listen(scope clew.FollowScope) *listener {
	s.T.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	l := &listener{Local: client.NewLocal(s.socket()), t: s.T, events: make(chan client.LocalEvent, 10_000)}
	l.Events.On(func(ev client.LocalEvent) { l.events <- ev })
	if err := l.Connect(ctx); err != nil {
		s.T.Fatal(err)
	}
	s.T.Cleanup(l.Close)
	if scope != "" {
		if err := l.Follow(ctx, "", clew.FollowData{Scope: scope}); err != nil {
			s.T.Fatal(err)
		}
	}
	return l
}

// until takes events up to one of a type, and gives the types on the way.
func (l *listener) until(typ clew.EventType) (client.LocalEvent, []string) {
	l.t.Helper()
	limit := time.After(patience)
	var seen []string
	for {
		select {
		case ev := <-l.events:
			seen = append(seen, ev.Type)
			if ev.Type == string(typ) && ev.RelayClientID == "" {
				return ev, seen
			}
		case <-limit:
			l.t.Fatalf("no %s; there were %s", typ, strings.Join(seen, " "))
		}
	}
}

func (l *listener) do(cmd clew.TaskCommandData) client.LocalAnswer {
	l.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	answer, err := l.Do(ctx, cmd)
	if err != nil {
		l.t.Fatal(err)
	}
	return answer
}

// metric reads one number of /metrics.
func (s *stage) metric(name string) float64 {
	s.T.Helper()
	resp, err := s.Call("", http.MethodGet, "/metrics", nil)
	proc.Must(s.T, err)
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(resp.Body)
	proc.Must(s.T, err)
	for line := range strings.Lines(string(body)) {
		if rest, ok := strings.CutPrefix(line, name+" "); ok {
			n, err := strconv.ParseFloat(strings.TrimSpace(rest), 64)
			if err != nil {
				s.T.Fatal(err)
			}
			return n
		}
	}
	s.T.Fatalf("no metric %s", name)
	return 0
}

// eventually waits for a condition.
func eventually(t testing.TB, what string, ok func() bool) {
	t.Helper()
	proc.Eventually(t, what, patience, ok)
}

// files is how many file descriptors the server has open.
func (s *stage) files() int {
	s.T.Helper()
	list, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", s.Srv.Pid()))
	if err != nil {
		s.T.Fatal(err)
	}
	return len(list)
}
