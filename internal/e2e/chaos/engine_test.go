package chaos

import (
	"context"
	"fmt"
	"log/slog"
	"path/filepath"
	"testing"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/auth"
	"github.com/clew-run/clew/internal/journal"
	"github.com/clew-run/clew/internal/llm"
	"github.com/clew-run/clew/internal/server"
	"github.com/clew-run/clew/internal/session"
)

// owner is who everything belongs to: with authentication off, callers from
// outside are the same user.
var owner = clew.Principal{User: auth.LocalUser, Role: clew.RoleAdmin}

// An engine is what the nodes share. It runs in the test's own process and is
// not killed.
type engine struct {
	*journal.Journal
	cfg journal.Config
	url string
}

// startEngine starts one. With an interval it does not flush before every
// acknowledgement: that is for tests in which only nodes die.
func startEngine(t testing.TB, interval time.Duration) *engine {
	t.Helper()
	dir := t.TempDir()
	port := freePort(t)
	e := &engine{url: fmt.Sprintf("nats://127.0.0.1:%d", port), cfg: journal.Config{
		Dir: dir, Listen: fmt.Sprintf("127.0.0.1:%d", port), Archive: "file://" + filepath.Join(dir, "shared"), Partitions: 4,
		SyncInterval: interval, Node: "engine",
	}}
	var err error
	if e.Journal, err = journal.Open(t.Context(), e.cfg, slog.New(slog.DiscardHandler)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.close() })
	return e
}

func (e *engine) close() {
	if e.Journal != nil {
		e.Close(context.Background())
		e.Journal = nil
	}
}

// records reads a whole session.
func (e *engine) records(t testing.TB, id clew.SessionID) []clew.Record {
	t.Helper()
	var list []clew.Record
	var head clew.Head
	for r, err := range e.Read(context.Background(), id, 1, 1<<40) {
		if err == nil {
			err = r.Follows(head)
		}
		if err != nil {
			t.Fatalf("session %s: %v", id, err)
		}
		head = r.After()
		list = append(list, r)
	}
	return list
}

// nodeConfig is that of a node on an engine, with the limits that protect it
// from strangers switched off.
func nodeConfig(dir, engine, archive string) server.Config {
	cfg := server.DefaultConfig()
	cfg.Listen, cfg.Data, cfg.Engine = "127.0.0.1:0", dir, engine
	cfg.Auth.Mode = "off"
	cfg.Environ = []string{"CLEW_SECRETS_BACKEND=file"}
	cfg.Limits = server.Limits{Frame: cfg.Limits.Frame, WriteTimeout: cfg.Limits.WriteTimeout}
	cfg.Journal.Archive, cfg.Journal.Partitions, cfg.Journal.Replicas = archive, 4, 1
	return cfg
}

// startNode starts a node in the test's own process.
func startNode(t testing.TB, e *engine, agent session.Agent, providers map[string]llm.Provider) *server.Server {
	t.Helper()
	cfg := nodeConfig(t.TempDir(), e.url, e.cfg.Archive)
	cfg.Providers = providers
	s, err := server.StartWith(t.Context(), cfg, slog.New(slog.DiscardHandler), agent)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		s.Stop(ctx)
	})
	return s
}
