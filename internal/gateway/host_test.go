package gateway

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/gobwas/ws"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/clock"
	"github.com/clew-run/clew/internal/journal/journaltest"
	"github.com/clew-run/clew/internal/session"
)

// Clients of a real host write, watch, drop and come back; each sees the whole
// journal once and in order.
// Covers: WS-001, WS-094, WS-097, WS-120, WS-121, WS-122, C-32, C-81, G-16, AGT-01
func TestRealHost(t *testing.T) {
	node := new(journaltest.Memory).Node("n1")
	host := session.NewHost(session.Config{Journal: node, Index: node, Encode: Frame, Log: slog.New(slog.DiscardHandler)})
	t.Cleanup(func() { host.Close(context.Background()) })
	r := newRig(t, func(o *Options) {
		o.Host, o.CreateOnConnect = HostOf(host), true
		o.Limits.MessagesPerMinute = 0
	})
	r.join("/ws/s1?client_id=first", "ann")
	const clients, each, total = 8, 40, 1 + 8*40 // with session_created
	var wg sync.WaitGroup
	for i := range clients {
		wg.Add(1)
		go func() {
			defer wg.Done()
			path := fmt.Sprintf("/ws/s1?client_id=c%d&resume_from=start", i)
			p := r.join(path, "ann")
			for n := range each {
				p.rename(i, n)
				if n%10 == 9 { // gone without a word, and some commands with it
					_ = p.conn.Close()
					p = r.connect(path, "ann")
				}
			}
			for n := range each { // whoever is not sure sends again
				p.rename(i, n)
			}
			follow(p, 0, total)
		}()
	}
	wg.Wait()
	p := r.connect("/ws/s1", "ann")
	if m := p.expect(clew.EventSessionState); m.field("last_message_id") != string(clew.MessageIDOf(total)) {
		t.Errorf("a repeat took effect: %s", m.raw)
	}
	p.expect(clew.EventSyncComplete)
	p.command(clew.CommandGetMessages, "page", `{"limit":5}`)
	p.expect(clew.EventMessagesPage)
}

// rename sends a command that makes one record.
func (p *peer) rename(i, n int) {
	name := fmt.Sprintf("%d-%d", i, n)
	p.command(clew.CommandRenameSession, name, `{"title":"`+name+`"}`)
}

// scriptConn gives what it was made with and takes everything.
type scriptConn struct {
	net.Conn
	in *bytes.Reader
}

func (s scriptConn) Read(p []byte) (int, error)       { return s.in.Read(p) }
func (s scriptConn) RemoteAddr() net.Addr             { return pipeAddr{} }
func (s scriptConn) SetDeadline(time.Time) error      { return nil }
func (s scriptConn) SetWriteDeadline(time.Time) error { return nil }

// Whatever bytes come in, the reader neither panics nor stores more than the
// limit.
func FuzzRead(f *testing.F) {
	add := func(frames ...ws.Frame) {
		var b bytes.Buffer
		for _, fr := range frames {
			_ = ws.WriteFrame(&b, ws.MaskFrame(fr))
		}
		f.Add(b.Bytes(), false)
		f.Add(b.Bytes(), true)
	}
	add(ws.NewTextFrame([]byte(`{"type":"get_state"}`)), ws.NewPingFrame([]byte("x")))
	add(ws.NewFrame(ws.OpText, false, []byte(`{"type":`)), ws.NewFrame(ws.OpContinuation, true, []byte(`"pong"}`)))
	add(ws.NewCloseFrame(ws.NewCloseFrameBody(1000, "bye")))
	add(ws.NewTextFrame([]byte(`{"type":"auth","data":{"token":"ann"}}`)), ws.NewTextFrame([]byte(`{"type":"user_message","data":{"text":"x"}}`)))
	f.Add([]byte{0x81, 0xff, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1, 2, 3, 4}, false)
	host := newFakeHost()
	host.add("s1", "ann")
	limits := DefaultLimits()
	limits.ConnectsPerMinute, limits.MessagesPerMinute, limits.HitlPerMinute = 0, 0, 0
	f.Fuzz(func(t *testing.T, b []byte, waiting bool) {
		g := &Gateway{
			o: Options{Host: host, Auth: newFakeAuth(), Clock: clock.System()}, limits: limits,
			log: slog.New(slog.DiscardHandler), ctx: t.Context(),
		}
		g.reg.init()
		c := &conn{g: g, session: "s1", role: clew.RoleOwner, signal: make(chan struct{}, 1)}
		c.sock = scriptConn{in: bytes.NewReader(b)}
		if waiting {
			c.want = &cursor{}
			c.authBy.Store(1)
		}
		_ = c.readAll(reader{&c.in, c.sock})
		if len(c.partial) > limits.Frame {
			t.Errorf("%d bytes kept", len(c.partial))
		}
		if g.Counters.Panics.Load() > 0 {
			t.Error("a command panicked")
		}
	})
}
