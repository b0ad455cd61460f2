package gateway

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gobwas/ws"
	"go.uber.org/goleak"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/auth"
	"github.com/clew-run/clew/wire"
)

func TestMain(m *testing.M) {
	if runIdleClients() {
		return
	}
	goleak.VerifyTestMain(m)
}

// A rig is a gateway behind a real HTTP server.
type rig struct {
	t    testing.TB
	host *fakeHost
	auth *fakeAuth
	g    *Gateway
	dial func() (net.Conn, error)
	addr string
	log  *syncBuffer
	// source fills the connections of /listen.
	source Source
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

// newRig starts a gateway on loopback; change may alter its options.
func newRig(t testing.TB, change func(*Options)) *rig {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return rigOn(t, ln, func() (net.Conn, error) { return net.Dial("tcp", ln.Addr().String()) }, change)
}

// newPipeRig is newRig on pipes, for tests in a synctest bubble.
func newPipeRig(t testing.TB, change func(*Options)) *rig {
	t.Helper()
	ln := &pipeListener{conns: make(chan net.Conn), done: make(chan struct{})}
	return rigOn(t, ln, ln.dial, change)
}

func rigOn(t testing.TB, ln net.Listener, dial func() (net.Conn, error), change func(*Options)) *rig {
	t.Helper()
	r := &rig{t: t, host: newFakeHost(), auth: newFakeAuth(), dial: dial, addr: ln.Addr().String(), log: &syncBuffer{}}
	doors, err := auth.NewDoors(ln.Addr(), nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	limits := DefaultLimits()
	limits.ConnectsPerMinute = 0
	o := Options{
		Host: r.host, Auth: r.auth, Doors: doors, FirstMessageAuth: true, Limits: limits,
		Log: slog.New(slog.NewTextHandler(r.log, &slog.HandlerOptions{Level: slog.LevelDebug})),
	}
	if change != nil {
		change(&o)
	}
	r.g = New(o)
	mux := http.NewServeMux()
	mux.Handle("GET /ws/{session_id}", r.g)
	mux.Handle("GET /listen", r.g.TellFrom(func(ctx context.Context, by clew.Principal, send func(clew.EventType, any)) error {
		return r.source(ctx, by, send)
	}))
	srv := &http.Server{Handler: mux, ReadHeaderTimeout: time.Minute}
	served := make(chan struct{})
	go func() {
		defer close(served)
		_ = srv.Serve(ln)
	}()
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		if err := r.g.Shutdown(ctx); err != nil {
			t.Errorf("shutdown: %v", err)
		}
		_ = srv.Close()
		<-served
		if n := r.host.openWatches(); n != 0 {
			t.Errorf("%d watches left open", n)
		}
		if n := r.g.Counters.Connections.Load(); n != 0 {
			t.Errorf("%d connections left", n)
		}
	})
	return r
}

// pipeListener hands out net.Pipe connections.
type pipeListener struct {
	conns chan net.Conn
	done  chan struct{}
	once  sync.Once
}

type pipeAddr struct{}

func (pipeAddr) Network() string { return "tcp" }
func (pipeAddr) String() string  { return "127.0.0.1:80" }

type pipeConn struct{ net.Conn }

func (pipeConn) RemoteAddr() net.Addr { return pipeAddr{} }

func (l *pipeListener) Addr() net.Addr { return pipeAddr{} }
func (l *pipeListener) Close() error   { l.once.Do(func() { close(l.done) }); return nil }

func (l *pipeListener) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.done:
		return nil, net.ErrClosed
	}
}

func (l *pipeListener) dial() (net.Conn, error) {
	a, b := net.Pipe()
	select {
	case l.conns <- pipeConn{b}:
		return a, nil
	case <-l.done:
		return nil, net.ErrClosed
	}
}

// A peer is a test's end of a connection.
type peer struct {
	t    testing.TB
	conn net.Conn
	r    *bufio.Reader
}

// A refusal is an HTTP answer other than 101.
type refusal struct {
	status int
	header http.Header
	body   string
}

// request opens a socket and sends an upgrade request for path?query.
func (r *rig) request(path, token string, header http.Header) (*peer, *refusal) {
	r.t.Helper()
	conn, err := r.dial()
	if err != nil {
		r.t.Fatal(err)
	}
	req := &http.Request{Method: http.MethodGet, Host: r.addr, Header: http.Header{
		"Upgrade": {"websocket"}, "Connection": {"Upgrade"}, "Sec-Websocket-Version": {"13"},
		"Sec-Websocket-Key": {"dGhlIHNhbXBsZSBub25jZQ=="},
	}}
	req.URL, err = url.Parse("http://" + r.addr + path)
	if err != nil {
		r.t.Fatal(err)
	}
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	for k, v := range header {
		if req.Header[k] = v; v == nil {
			delete(req.Header, k)
		}
		if k == "Host" {
			req.Host = v[0]
			delete(req.Header, k)
		}
	}
	_ = conn.SetDeadline(time.Now().Add(10 * time.Minute))
	if err := req.Write(conn); err != nil {
		r.t.Fatal(err)
	}
	br := bufio.NewReader(conn)
	resp, err := http.ReadResponse(br, req)
	if err != nil {
		r.t.Fatal(err)
	}
	if resp.StatusCode != http.StatusSwitchingProtocols {
		body, _ := io.ReadAll(resp.Body)
		_ = conn.Close()
		return nil, &refusal{resp.StatusCode, resp.Header, string(body)}
	}
	p := &peer{t: r.t, conn: conn, r: br}
	r.t.Cleanup(func() { _ = conn.Close() })
	return p, nil
}

// connect opens a connection that must be upgraded.
func (r *rig) connect(path, token string) *peer {
	r.t.Helper()
	p, no := r.request(path, token, nil)
	if no != nil {
		r.t.Fatalf("refused: %d %s", no.status, no.body)
	}
	return p
}

// join connects and reads up to sync_complete.
func (r *rig) join(path, token string) *peer {
	r.t.Helper()
	p := r.connect(path, token)
	p.expect(clew.EventSessionState)
	p.until(clew.EventSyncComplete)
	return p
}

// closed is how the server ended a connection.
type closed struct {
	code   int
	reason string
}

func (c *closed) Error() string { return fmt.Sprintf("closed with %d %s", c.code, c.reason) }

// frame reads the next frame. A close frame is answered and comes as *closed.
func (p *peer) frame() (ws.Frame, error) {
	f, err := ws.ReadFrame(p.r)
	if err == nil && f.Header.OpCode == ws.OpClose {
		code, reason := ws.ParseCloseFrameData(f.Payload)
		_ = ws.WriteFrame(p.conn, ws.MaskFrame(ws.NewCloseFrame(f.Payload)))
		return f, &closed{int(code), reason}
	}
	return f, err
}

type message struct {
	wire.Envelope
	raw []byte
}

func (m message) field(name string) any {
	var data map[string]any
	_ = json.Unmarshal(m.Data, &data)
	return data[name]
}

// next reads the next envelope.
func (p *peer) next() (message, error) {
	f, err := p.frame()
	if err != nil {
		return message{}, err
	}
	m := message{raw: f.Payload}
	if f.Header.OpCode != ws.OpText {
		return m, fmt.Errorf("frame with op code %d", f.Header.OpCode)
	}
	return m, json.Unmarshal(f.Payload, &m.Envelope)
}

// expect reads the next envelope, which must have this type.
func (p *peer) expect(typ clew.EventType) message {
	p.t.Helper()
	m, err := p.next()
	if err != nil {
		p.t.Fatalf("waiting for %s: %v", typ, err)
	}
	if m.Type != string(typ) {
		p.t.Fatalf("got %s, want %s", m.raw, typ)
	}
	return m
}

// until reads envelopes up to one of this type and returns those before it.
func (p *peer) until(typ clew.EventType) []message {
	p.t.Helper()
	var before []message
	for {
		m, err := p.next()
		if err != nil {
			p.t.Fatalf("waiting for %s: %v", typ, err)
		}
		if m.Type == string(typ) {
			return before
		}
		before = append(before, m)
	}
}

// records reads records from..to, in order and without anything between them.
func (p *peer) records(from, to uint64) {
	p.t.Helper()
	for seq := from; seq <= to; seq++ {
		m, err := p.next()
		if err != nil {
			p.t.Fatalf("waiting for record %d: %v", seq, err)
		}
		if m.Seq() != seq {
			p.t.Fatalf("got %s, want record %d", m.raw, seq)
		}
	}
}

// expectError reads an error with this code.
func (p *peer) expectError(code clew.Code) message {
	p.t.Helper()
	m := p.expect(clew.EventError)
	if m.field("code") != string(code) {
		p.t.Fatalf("got %s, want %s", m.raw, code)
	}
	return m
}

// expectClose reads up to the close frame and checks it.
func (p *peer) expectClose(code wire.CloseCode, reason string) {
	p.t.Helper()
	for {
		_, err := p.next()
		if err == nil {
			continue
		}
		var c *closed
		if !errors.As(err, &c) || c.code != int(code) || c.reason != reason {
			p.t.Fatalf("got %v, want close %d %s", err, code, reason)
		}
		return
	}
}

// send writes a text message.
func (p *peer) send(text string) {
	p.t.Helper()
	p.write(ws.NewTextFrame([]byte(text)))
}

func (p *peer) write(f ws.Frame) {
	p.t.Helper()
	f.Payload = bytes.Clone(f.Payload)
	if err := ws.WriteFrame(p.conn, ws.MaskFrameInPlace(f)); err != nil {
		p.t.Fatal(err)
	}
}

// command sends a command with an id of its own.
func (p *peer) command(typ clew.CommandType, id, data string) {
	p.t.Helper()
	p.send(fmt.Sprintf(`{"type":%q,"message_id":%q,"data":%s}`, typ, id, data))
}

func (r *rig) noSecrets(tokens ...string) {
	r.t.Helper()
	for _, s := range tokens {
		if strings.Contains(r.log.String(), s) {
			r.t.Errorf("the log holds the token %q", s)
		}
	}
}

// newHTTPSkipper gives a reader behind the upgrade's answer.
func newHTTPSkipper(conn net.Conn) *bufio.Reader {
	_ = conn.SetDeadline(time.Now().Add(time.Minute))
	br := bufio.NewReader(conn)
	_, _ = http.ReadResponse(br, nil)
	return br
}

func readWhole(frame []byte) ([]byte, error) {
	f, err := ws.ReadFrame(bytes.NewReader(frame))
	return f.Payload, err
}

// nopConn is a socket that takes everything.
type nopConn struct{ net.Conn }

func (nopConn) SetWriteDeadline(time.Time) error { return nil }
