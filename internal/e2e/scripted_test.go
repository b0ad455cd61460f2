package e2e

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/clew-run/clew"
	procs "github.com/clew-run/clew/internal/e2e/proc"
	"github.com/clew-run/clew/internal/server"
	"github.com/clew-run/clew/internal/session"
	"github.com/clew-run/clew/internal/session/core"
	"github.com/clew-run/clew/internal/session/decide"
	"github.com/clew-run/clew/internal/session/sessiontest"
	"github.com/clew-run/clew/internal/transcript"
	"github.com/clew-run/clew/wire"
)

// scripted is an agent that brings about what the message says: the names of
// events, which it records as the protocol's samples have them; "hold", which
// waits for a "release" in any session; "stream", which holds in mid-sentence.
type scripted struct {
	samples map[clew.EventType][]json.RawMessage
	release chan struct{}
}

func newScripted(t testing.TB) *scripted {
	t.Helper()
	f, err := os.Open(filepath.Join(procs.Root(), "wire", "testdata", "events.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	s := &scripted{samples: map[clew.EventType][]json.RawMessage{}, release: make(chan struct{})}
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var env wire.Envelope
		if err := json.Unmarshal(lines.Bytes(), &env); err != nil {
			t.Fatal(err)
		}
		if strings.HasPrefix(env.MessageID, "msg_") {
			typ := clew.EventType(env.Type)
			s.samples[typ] = append(s.samples[typ], env.Data)
		}
	}
	return s
}

// Work implements session.Agent.
func (s *scripted) Work(ctx context.Context, _ core.Turn, prompt clew.Message, desk *session.TurnContext) error {
	if err := desk.Begin(); err != nil {
		return err
	}
	for word := range strings.FieldsSeq(prompt.Text) {
		if err := s.word(ctx, word, desk); err != nil {
			return err
		}
	}
	return desk.End()
}

func (s *scripted) word(ctx context.Context, word string, desk *session.TurnContext) error {
	switch word {
	case "hold":
		return s.hold(ctx)
	case "release":
		select {
		case s.release <- struct{}{}:
		case <-ctx.Done():
		}
		return nil
	case "stream":
		if err := desk.Write("grüße "); err != nil {
			return err
		}
		if err := s.hold(ctx); err != nil {
			return err
		}
		return desk.Write("an alle")
	}
	list := s.samples[clew.EventType(word)]
	if len(list) == 0 {
		return fmt.Errorf("no sample of %q", word)
	}
	for _, data := range list {
		ev, err := clew.DecodeEvent(clew.EventType(word), data)
		if err != nil {
			return err
		}
		if _, err := sessiontest.Record(desk, func(tx *decide.Tx, _ *core.State, _ *core.Task) { tx.Add(ev.Data) }); err != nil {
			return err
		}
	}
	return nil
}

func (s *scripted) hold(ctx context.Context) error {
	select {
	case <-s.release:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// inside is a server in the test's own process, with the scripted agent. It is
// the server of transcripts, which use it from one goroutine.
type inside struct {
	t     testing.TB
	cfg   server.Config
	agent session.Agent
	srv   *server.Server
	log   procs.Output
}

func startInside(t testing.TB, agent session.Agent) *inside {
	t.Helper()
	return startInsideWith(t, insideConfig(t), agent)
}

func insideConfig(t testing.TB) server.Config {
	t.Helper()
	path, err := secretFile()
	if err != nil {
		t.Fatal(err)
	}
	cfg := server.DefaultConfig()
	cfg.Data, cfg.Listen = t.TempDir(), fmt.Sprintf("127.0.0.1:%d", freePort(t))
	cfg.Auth.HMACSecretFile = path
	cfg.Limits.ConnectsPerMinute, cfg.Limits.MessagesPerMinute, cfg.Limits.RequestsPerMinute = 0, 0, 0
	return cfg
}

func startInsideWith(t testing.TB, cfg server.Config, agent session.Agent) *inside {
	t.Helper()
	in := &inside{t: t, cfg: cfg, agent: agent}
	if err := in.start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		in.stop()
		if t.Failed() {
			t.Logf("what the server said:\n%s", in.log.Tail(3000))
		}
	})
	return in
}

func (in *inside) start() (err error) {
	log := slog.New(slog.NewTextHandler(&in.log, &slog.HandlerOptions{Level: slog.LevelWarn}))
	in.srv, err = server.StartWith(in.t.Context(), in.cfg, log, in.agent)
	return err
}

func (in *inside) stop() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	in.srv.Stop(ctx)
}

func (in *inside) URL() string              { return "http://" + in.cfg.Listen }
func (in *inside) Token(user string) string { return userToken(in.t, user) }
func (in *inside) Kill() error              { return fmt.Errorf("this server cannot be killed") }
func (in *inside) Restart() error           { in.stop(); return in.start() }

// Events that no agent brings about yet pass journal, session and gateway
// unchanged, live and after a restart. Each file of testdata/scripted names what
// it covers.
func TestScriptedTranscripts(t *testing.T) {
	srv := startInside(t, newScripted(t))
	transcript.RunDir(t, "testdata/scripted", func(*testing.T) transcript.Server { return srv })
}

// Every record type of the catalogue can be recorded, and comes out as it went
// in: a new feature is new event types, and nothing else.
//
// Covers: WS-008, C-29
func TestEveryRecordTypePasses(t *testing.T) {
	agent := newScripted(t)
	srv := startInside(t, agent)
	for _, info := range clew.Events {
		switch info.Type {
		case clew.EventSessionCreated, clew.EventMessageCreated, clew.EventMessageUpdated, clew.EventMessageAccepted, clew.EventMessageQueued,
			clew.EventAccessChanged, clew.EventSessionRenamed, clew.EventSessionArchived, clew.EventSessionImported, clew.EventRewindStarted:
			continue // the session itself brings these about; other tests show them
		}
		if info.Kind.Journaled() {
			t.Run(string(info.Type), func(t *testing.T) { passes(t, srv, agent, info.Type) })
		}
	}
}
