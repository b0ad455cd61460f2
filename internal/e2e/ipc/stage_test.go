// Package ipc talks to the real program through its local socket.
package ipc

import (
	"context"
	"encoding/json"
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
	"github.com/clew-run/clew/internal/llm/llmtest"
)

func TestMain(m *testing.M) { os.Exit(proc.Main(m)) }

// patience is how long a test waits for what must come.
const patience = 90 * time.Second

// A stage is a server on a data directory of its own.
type stage struct {
	t   testing.TB
	srv *proc.Proc
	api *client.API // after start
}

// newStage makes a server that is not started yet. With a script a scripted model
// thinks, without one the echo answers.
func newStage(t testing.TB, script string, env map[string]string) *stage {
	t.Helper()
	dir, err := os.MkdirTemp("", "ipc")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	all := map[string]string{}
	for k, v := range env {
		all[k] = v
	}
	if script != "" {
		model, err := llmtest.Start(llmtest.MustParse(script), llmtest.Options{})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = model.Close() })
		settings, err := json.Marshal(map[string]any{
			"model_profile": "test",
			"model_profiles": map[string]any{"test": map[string]any{
				"provider": "anthropic", "model": "test-1", "base_url": model.URL(), "key_name": "test_key", "context_window": 200_000,
			}},
		})
		if err != nil {
			t.Fatal(err)
		}
		all["CLEW_SETTINGS"] = filepath.Join(dir, "settings.json")
		all["CLEW_SECRET_TEST_KEY"] = "sk-test-0123456789"
		if err := os.WriteFile(all["CLEW_SETTINGS"], settings, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return &stage{t: t, srv: proc.New(t, proc.Program(t, ""), filepath.Join(dir, "data"), all)}
}

func (s *stage) start() *stage {
	s.t.Helper()
	if err := s.srv.Start(); err != nil {
		s.t.Fatal(err)
	}
	token, err := s.srv.Token()
	if err != nil {
		s.t.Fatal(err)
	}
	s.api = client.NewAPI(s.srv.URL(), token).WithHTTPClient(&http.Client{Timeout: patience})
	return s
}

func (s *stage) socket() string { return filepath.Join(s.srv.Dir, client.LocalSocket) }

// A listener is a client with all that it has heard.
type listener struct {
	*client.Local
	t      testing.TB
	events chan client.LocalEvent
}

func (s *stage) listen(scope clew.FollowScope) *listener {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	l := &listener{Local: client.NewLocal(s.socket()), t: s.t, events: make(chan client.LocalEvent, 10_000)}
	l.Events.On(func(ev client.LocalEvent) { l.events <- ev })
	if err := l.Connect(ctx); err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(l.Close)
	if scope != "" {
		if err := l.Follow(ctx, "", clew.FollowData{Scope: scope}); err != nil {
			s.t.Fatal(err)
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
	s.t.Helper()
	token, err := s.srv.Token()
	if err != nil {
		s.t.Fatal(err)
	}
	req, err := http.NewRequest(http.MethodGet, s.srv.URL()+"/metrics", nil)
	if err != nil {
		s.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+token)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		s.t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	for line := range strings.Lines(string(body)) {
		if rest, ok := strings.CutPrefix(line, name+" "); ok {
			n, err := strconv.ParseFloat(strings.TrimSpace(rest), 64)
			if err != nil {
				s.t.Fatal(err)
			}
			return n
		}
	}
	s.t.Fatalf("no metric %s", name)
	return 0
}

// eventually waits for a condition.
func eventually(t testing.TB, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); !ok(); {
		if time.Now().After(end) {
			t.Fatalf("not in time: %s", what)
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// files is how many file descriptors the server has open.
func (s *stage) files() int {
	s.t.Helper()
	list, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", s.srv.Pid()))
	if err != nil {
		s.t.Fatal(err)
	}
	return len(list)
}
