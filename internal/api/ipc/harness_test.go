package ipc

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/poll"
)

// patience is how long a test waits for what must come.
const patience = time.Minute

var owner = clew.Principal{User: "owner", Role: clew.RoleAdmin}

// A bench is a socket over a fake host.
type bench struct {
	*Socket
	t    testing.TB
	host *fakeHost
	log  *syncBuffer

	mu    sync.Mutex
	heard []string // the local events connect and disconnect
}

func newBench(t testing.TB, change ...func(*Options)) *bench {
	t.Helper()
	b := &bench{t: t, host: newFakeHost(), log: &syncBuffer{}}
	o := Options{
		Path: filepath.Join(shortDir(t), "clew.sock"), Host: b.host, By: owner, URL: "http://127.0.0.1:1",
		Log:          slog.New(slog.NewTextHandler(b.log, nil)),
		Connected:    func(id clew.ClientID) { b.note("connect " + string(id)) },
		Disconnected: func(id clew.ClientID) { b.note("disconnect " + string(id)) },
	}
	for _, fn := range change {
		fn(&o)
	}
	s, err := Listen(o)
	if err != nil {
		t.Fatal(err)
	}
	b.Socket = s
	b.host.mu.Lock()
	b.host.appended = s.Moved
	b.host.mu.Unlock()
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		s.Shutdown(ctx)
		if n := b.host.openWatches(); n != 0 {
			t.Errorf("%d watches are left", n)
		}
	})
	return b
}

// shortDir is a directory whose name leaves room for a socket's.
func shortDir(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "ipc")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

func (b *bench) note(s string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.heard = append(b.heard, s)
}

func (b *bench) noted() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return strings.Join(b.heard, "; ")
}

// until waits for a condition.
func (b *bench) until(what string, ok func() bool) {
	b.t.Helper()
	poll.Until(b.t, what, ok)
}

// A guest is a client that speaks in lines.
type guest struct {
	t    testing.TB
	conn net.Conn
	in   *bufio.Reader
	id   clew.ClientID
}

// A line is a frame of the server.
type line struct {
	Type  string        `json:"type"`
	From  string        `json:"origin"`
	Relay clew.ClientID `json:"relay_client_id"`
	Data  struct {
		Type      string          `json:"type"`
		Session   clew.SessionID  `json:"session_id"`
		MessageID string          `json:"message_id"`
		Cause     string          `json:"client_message_id"`
		Data      json.RawMessage `json:"data"`
	} `json:"data"`
	raw []byte
}

// with gives a field of the envelope's data.
func (l line) with(field string) string {
	m := map[string]any{}
	_ = json.Unmarshal(l.Data.Data, &m)
	if m[field] == nil {
		return ""
	}
	return fmt.Sprint(m[field])
}

// into reads the envelope's data.
func (l line) into(out any) { _ = json.Unmarshal(l.Data.Data, out) }

// connect connects and takes the ack.
func (b *bench) connect() *guest {
	b.t.Helper()
	conn, err := net.Dial("unix", b.o.Path)
	if err != nil {
		b.t.Fatal(err)
	}
	b.t.Cleanup(func() { _ = conn.Close() })
	g := &guest{t: b.t, conn: conn, in: bufio.NewReader(conn)}
	var ack struct {
		Type string       `json:"type"`
		From string       `json:"origin"`
		Data clew.AckData `json:"data"`
	}
	raw := g.line()
	if err := json.Unmarshal(raw, &ack); err != nil || ack.Type != "ack" || ack.From != "server" {
		b.t.Fatalf("the first line is no ack: %s", raw)
	}
	if ack.Data.PID != os.Getpid() || ack.Data.PPID != os.Getppid() || ack.Data.URL != b.o.URL {
		b.t.Fatalf("ack: %s", raw)
	}
	g.id = ack.Data.ClientID
	return g
}

func (g *guest) line() []byte {
	g.t.Helper()
	_ = g.conn.SetReadDeadline(time.Now().Add(patience))
	raw, err := g.in.ReadBytes('\n')
	if err != nil {
		g.t.Fatalf("no line: %v", err)
	}
	return raw
}

func (g *guest) next() line {
	g.t.Helper()
	raw := g.line()
	l := line{raw: raw}
	if err := json.Unmarshal(raw, &l); err != nil || l.Type != "task_event" || l.From != "server" {
		g.t.Fatalf("no task_event: %s", raw)
	}
	return l
}

// find skips lines up to one of a type.
func (g *guest) find(typ string) line {
	g.t.Helper()
	for {
		if l := g.next(); l.Data.Type == typ {
			return l
		}
	}
}

func (g *guest) say(text string) {
	g.t.Helper()
	if _, err := g.conn.Write([]byte(text + "\n")); err != nil {
		g.t.Fatal(err)
	}
}

// command sends a task_command; rest is the inside of its data after the name.
func (g *guest) command(name, rest string) {
	g.t.Helper()
	if rest != "" {
		rest = "," + rest
	}
	g.say(fmt.Sprintf(`{"type":"task_command","origin":"client","client_id":%q,"data":{"command_name":%q%s}}`, g.id, name, rest))
}

// narrow leaves the client with its own sessions.
func (g *guest) narrow() {
	g.t.Helper()
	g.command("follow", `"client_message_id":"narrow","data":{"scope":"own"}`)
	for {
		if l := g.find("message_accepted"); l.with("client_message_id") == "narrow" {
			return
		}
	}
}

type syncBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *syncBuffer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *syncBuffer) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}
