package server

import (
	"bytes"
	"context"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/auth"
	"github.com/clew-run/clew/internal/clock/clocktest"
	"github.com/clew-run/clew/internal/poll"
	"github.com/clew-run/clew/internal/session"
	"github.com/clew-run/clew/internal/session/core"
	"github.com/clew-run/clew/internal/session/decide"
	"github.com/clew-run/clew/internal/session/sessiontest"
)

// inBackground starts a server in the background whose time the test holds.
func inBackground(t *testing.T, worker ...session.Agent) (*Server, *clocktest.Clock) {
	t.Helper()
	c := clocktest.New(time.Now())
	cfg := DefaultConfig()
	cfg.Listen, cfg.Data, cfg.Clock, cfg.Background = "127.0.0.1:0", t.TempDir(), c, true
	s, err := StartWith(t.Context(), cfg, slog.New(slog.DiscardHandler), append(worker, nil)[0])
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Stop(context.WithoutCancel(t.Context())) })
	return s, c
}

// A server in the background leaves once nobody has needed it for idle_exit, and not
// before; who comes to the door then is sent away.
func TestLeavesWhenNobodyNeedsIt(t *testing.T) {
	s, c := inBackground(t)
	s.touch()
	c.Advance(29 * time.Minute)
	if s.leaves(t.Context()) {
		t.Fatal("it left before its time")
	}
	resp, err := http.Get(s.URL() + "/healthz") // somebody asks
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	c.Advance(29 * time.Minute)
	if s.leaves(t.Context()) {
		t.Fatal("it left 29 minutes after a request")
	}
	c.Advance(time.Minute)
	if !s.leaves(t.Context()) {
		t.Fatal("it stays, and nobody needs it")
	}
	if resp, err = http.Get(s.URL() + "/api/v1/me"); err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	if resp.StatusCode != http.StatusServiceUnavailable {
		t.Errorf("behind the closed door: %d", resp.StatusCode)
	}
}

// Whoever is connected, and a request that takes long, hold it.
func TestStaysForWhoIsThere(t *testing.T) {
	s, c := inBackground(t)
	conn, err := net.Dial("unix", filepath.Join(s.cfg.Data, socketFile))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := conn.Read(make([]byte, 1)); err != nil { // the ack: it is counted
		t.Fatal(err)
	}
	c.Advance(time.Hour)
	if s.leaves(t.Context()) {
		t.Fatal("it left its client alone")
	}
	_ = conn.Close()
	if !s.idle.enter() {
		t.Fatal("the door is closed")
	}
	poll.Until(t, "it notices the end by itself", func() bool { return s.socket.Load().Clients() == 0 })
	c.Advance(time.Hour)
	if s.leaves(t.Context()) {
		t.Fatal("it left a request alone")
	}
	s.leaveRequest()
	c.Advance(time.Hour)
	if !s.leaves(t.Context()) {
		t.Fatal("it stays")
	}
}

// An asker works until it may go on, and then asks something.
type asker struct {
	begun, goOn chan struct{}
	timeout     int
}

func (a asker) Work(ctx context.Context, _ core.Turn, _ clew.Message, desk *session.TurnContext) error {
	select {
	case a.begun <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	select {
	case <-a.goOn:
	case <-ctx.Done():
		return ctx.Err()
	}
	_, err := sessiontest.Record(desk, func(tx *decide.Tx, s *core.State, t *core.Task) {
		decide.AskInput(tx, s, t, clew.HitlInputRequestData{
			Asking: clew.Asking{TimeoutSec: a.timeout}, Field: "x", Question: "Which?", InputType: clew.InputText, Required: true,
		})
	})
	return err
}

// Work under way holds it. A question does so if it has a deadline, as what happens
// then is for a server to do; without one it waits on disk.
func TestStaysForWork(t *testing.T) {
	for name, timeout := range map[string]int{"no deadline": 0, "a deadline": 7 * 86400} {
		t.Run(name, func(t *testing.T) {
			agent := asker{make(chan struct{}), make(chan struct{}), timeout}
			s, c := inBackground(t, agent)
			by := clew.Principal{User: auth.OwnerUser, Role: clew.RoleAdmin}
			id, err := s.host.Create(t.Context(), by, session.NewSession{})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := s.host.Do(t.Context(), id, clew.Command{Type: clew.CommandUserMessage, By: by, ClientMessageID: "m1", Data: &clew.UserMessageData{Text: "hello"}}); err != nil {
				t.Fatal(err)
			}
			<-agent.begun
			c.Advance(time.Hour)
			if s.leaves(t.Context()) {
				t.Fatal("it left its work")
			}
			close(agent.goOn)
			poll.Until(t, "the turn ends by itself", func() bool { return s.host.AtWork() == 0 })
			c.Advance(time.Hour)
			if left := s.leaves(t.Context()); left != (timeout == 0) {
				t.Errorf("it left: %v", left)
			}
		})
	}
}

// It ends by itself, as after a signal.
func TestEndsByItself(t *testing.T) {
	s, c := inBackground(t)
	ended := make(chan error, 1)
	go func() { ended <- s.serve(t.Context(), &bytes.Buffer{}, nil) }()
	for {
		select {
		case err := <-ended:
			if err != nil {
				t.Fatal(err)
			}
			return
		case <-time.After(time.Millisecond): // the clock goes on until it has noticed
			c.Advance(time.Minute)
		}
	}
}

// A server in the background keeps its port, and takes another one if that is in use.
func TestListensWhereItDid(t *testing.T) {
	cfg := DefaultConfig()
	cfg.Data, cfg.Background = t.TempDir(), true
	other, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	remember := func(address string) {
		if err := os.WriteFile(filepath.Join(cfg.Data, listenFile), []byte(address+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	listens := func() string {
		l, err := cfg.listen()
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = l.Close() }()
		b, err := os.ReadFile(filepath.Join(cfg.Data, listenFile))
		if err != nil || strings.TrimSpace(string(b)) != l.Addr().String() {
			t.Errorf("remembered %q %v", b, err)
		}
		return l.Addr().String()
	}
	remember(other.Addr().String())
	first := listens()
	if first == other.Addr().String() {
		t.Error("two at one address")
	}
	if first != DefaultConfig().Listen && listens() != first {
		t.Error("it did not keep its port")
	}
	remember("0.0.0.0:0")
	if got := listens(); !strings.HasPrefix(got, "127.0.0.1:") {
		t.Errorf("a file opened it to others: %s", got)
	}
	_ = other.Close()
}
