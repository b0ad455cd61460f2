package gateway

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/gobwas/ws"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/session"
	"github.com/clew-run/clew/wire"
)

// Covers: WS-008, WS-011, WS-012, WS-101
func TestInvalidMessagesAreAnswered(t *testing.T) {
	r := newRig(t, nil)
	r.host.add("s1", "ann")
	p := r.join("/ws/s1", "ann")
	for _, text := range []string{
		`{`, `[]`, `{}`, `{"type":"nonsense"}`, `{"type":5}`, `{"type":"user_message"}`,
		`{"type":"get_state","session_id":"s2"}`, strings.Repeat("[", 1000),
	} {
		p.send(text)
		if m := p.expectError(clew.InvalidMessage); m.field("number") != 1003.0 {
			t.Errorf("%s: %s", text, m.raw)
		}
	}
	p.command(clew.CommandUserMessage, "m1", `{"text":"hi"}`)
	p.command(clew.CommandGetState, "m2", `{}`)
	p.expect(clew.EventSessionState)
	if got := r.host.commands(); len(got) != 1 || got[0].ClientMessageID != "m1" || got[0].By.User != "ann" {
		t.Errorf("commands %+v", got)
	}
}

// Covers: WS-008, WS-101, G-16
func TestCommandsKeepTheirOrderAndErrors(t *testing.T) {
	r := newRig(t, nil)
	r.host.add("s1", "ann")
	r.host.do = func(_ context.Context, _ clew.SessionID, cmd clew.Command) (session.Receipt, error) {
		if cmd.ClientMessageID == "m3" {
			return session.Receipt{}, clew.WrapError(clew.QueueFull, errors.New("inner cause"), "no room")
		}
		return session.Receipt{Records: []clew.MessageID{clew.MessageIDOf(1)}}, nil
	}
	p := r.join("/ws/s1", "ann")
	for i := range 6 {
		p.command(clew.CommandUserMessage, fmt.Sprintf("m%d", i), `{"text":"hi"}`)
	}
	m := p.expectError(clew.QueueFull)
	if !bytes.Contains(m.raw, []byte(`"client_message_id":"m3"`)) || bytes.Contains(m.raw, []byte("inner cause")) {
		t.Errorf("error %s", m.raw)
	}
	p.command(clew.CommandGetState, "end", `{}`)
	p.expect(clew.EventSessionState)
	for i, cmd := range r.host.commands() {
		if string(cmd.ClientMessageID) != fmt.Sprintf("m%d", i) {
			t.Errorf("command %d is %s", i, cmd.ClientMessageID)
		}
	}
}

// A command that makes no record is acknowledged to its client alone.
// Covers: WS-009, G-16
func TestRepeatIsAcknowledged(t *testing.T) {
	r := newRig(t, nil)
	r.host.add("s1", "ann")
	r.host.do = func(context.Context, clew.SessionID, clew.Command) (session.Receipt, error) {
		return session.Receipt{Records: []clew.MessageID{clew.MessageIDOf(7)}, Repeat: true}, nil
	}
	p := r.join("/ws/s1", "ann")
	p.command(clew.CommandUserMessage, "m1", `{"text":"hi"}`)
	m := p.expect(clew.EventMessageAccepted)
	if m.field("client_message_id") != "m1" || m.field("message_id") != string(clew.MessageIDOf(7)) || m.MessageID != "" {
		t.Errorf("answer %s", m.raw)
	}
}

// Covers: WS-013, WS-121, WS-123
func TestPanicStaysInsideItsCommand(t *testing.T) {
	r := newRig(t, nil)
	s := r.host.add("s1", "ann")
	r.host.do = func(context.Context, clew.SessionID, clew.Command) (session.Receipt, error) { panic("boom") }
	p := r.join("/ws/s1?client_id=a", "ann")
	q := r.join("/ws/s1?client_id=b", "ann")
	p.command(clew.CommandUserMessage, "m1", `{"text":"hi"}`)
	p.expectError(clew.Internal)
	s.append(1)
	p.records(1, 1)
	q.records(1, 1)
	_ = p.conn.Close()
	s.append(1)
	q.records(2, 2)
	if r.g.Counters.Panics.Load() != 1 {
		t.Error("the panic was not counted")
	}
}

// A state that a client asks for must not run ahead of its records.
// Covers: C-24, C-59, C-81
func TestGetStateComesAfterItsRecords(t *testing.T) {
	r := newRig(t, nil)
	s := r.host.add("s1", "ann")
	p := r.join("/ws/s1", "ann")
	for range 20 {
		last := s.append(100)
		p.command(clew.CommandGetState, "", `{}`)
		got := p.until(clew.EventSessionState)
		if n := len(got); n != 100 || got[n-1].Seq() != last {
			t.Fatalf("%d records before the state of %d", n, last)
		}
	}
}

func TestGetMessages(t *testing.T) {
	r := newRig(t, nil)
	r.host.add("s1", "ann")
	p := r.join("/ws/s1", "ann")
	p.command(clew.CommandGetMessages, "m1", `{"limit":7}`)
	m := p.expect(clew.EventMessagesPage)
	if m.field("total") != 7.0 || m.field("client_message_id") != "m1" || m.Seq() != 0 {
		t.Errorf("page %s", m.raw)
	}
}

// Covers: WS-085
func TestMonitorFilter(t *testing.T) {
	r := newRig(t, nil)
	s := r.host.add("s1", "ann")
	all := r.join("/ws/s1?client_id=a", "ann")
	some := r.join("/ws/s1?client_id=b", "ann")
	for _, id := range []string{"monitor-1", "monitor-2", "monitor-1"} {
		some.command(clew.CommandSubscribeMonitor, "", `{"monitor_id":"`+id+`"}`)
	}
	some.command(clew.CommandGetState, "", `{}`)
	some.expect(clew.EventSessionState)
	s.appendData(1, `{"monitor_id":"monitor-0"}`)
	s.appendData(1, `{"monitor_id":"monitor-1"}`)
	s.appendData(1, `{"todo_id":"x"}`)
	s.appendData(1, `{"monitor_id":"monitor-3","x":{"monitor_id":"monitor-1"}}`)
	s.appendData(1, `{"monitor_id":"monitor-2"}`)
	all.records(1, 5)
	for _, seq := range []uint64{2, 3, 5} {
		some.records(seq, seq)
	}
	s.move() // and the same from the journal
	s.appendData(1, `{"monitor_id":"monitor-0"}`)
	s.appendData(1, `{}`)
	some.records(7, 7)
}

// Covers: WS-114
func TestMessageRate(t *testing.T) {
	r := newRig(t, func(o *Options) { o.Limits.MessagesPerMinute = 5 })
	r.host.add("s1", "ann")
	p := r.join("/ws/s1", "ann")
	for range 50 {
		p.send(`{"type":"pong"}`)
	}
	for range 5 {
		p.command(clew.CommandGetState, "", `{}`)
		p.expect(clew.EventSessionState)
	}
	for range 3 {
		p.command(clew.CommandUserMessage, "m1", `{"text":"hi"}`)
		m := p.expectError(clew.RateLimited)
		if ms, _ := m.field("retry_after_ms").(float64); ms < 1 || ms > 60_000 {
			t.Errorf("error %s", m.raw)
		}
	}
	p.expectClose(wire.ClosePolicy, string(clew.RateLimited))
	if len(r.host.commands()) != 0 {
		t.Error("a message over the limit was carried out")
	}
}

// Covers: WS-114
func TestAnswerRateIsPerSession(t *testing.T) {
	r := newRig(t, func(o *Options) { o.Limits.HitlPerMinute = 3 })
	r.host.add("s1", "ann")
	a, b := r.join("/ws/s1?client_id=a", "ann"), r.join("/ws/s1?client_id=b", "ann")
	for range 2 {
		a.command(clew.CommandHitlInputResponse, "", `{"request_id":"q1","value":"x"}`)
	}
	a.command(clew.CommandGetState, "", `{}`)
	a.expect(clew.EventSessionState)
	b.command(clew.CommandHitlInputResponse, "", `{"request_id":"q1","value":"x"}`)
	b.command(clew.CommandHitlInputResponse, "", `{"request_id":"q1","value":"x"}`)
	b.expectError(clew.RateLimited)
	b.command(clew.CommandUserMessage, "", `{"text":"hi"}`) // other messages are free
	b.command(clew.CommandGetState, "", `{}`)
	b.expect(clew.EventSessionState)
}

// Covers: WS-120, C-25
func TestTakeOver(t *testing.T) {
	r := newRig(t, nil)
	s := r.host.add("s1", "ann")
	s.roles["bob"] = clew.RoleViewer
	old := r.join("/ws/s1?client_id=tab", "ann")
	other := r.join("/ws/s1?client_id=tab2", "ann")
	bob := r.connect("/ws/s1?client_id=tab", "bob")
	if m := bob.expect(clew.EventSessionState); m.field("client_id") == "tab" {
		t.Error("another user got the same client_id")
	}
	bob.expect(clew.EventSyncComplete)
	fresh := r.join("/ws/s1?client_id=tab", "ann")
	old.expectClose(wire.CloseNormal, wire.ReasonTakenOver)
	for _, p := range []*peer{other, bob, fresh} {
		s.append(1)
		_ = p
	}
	other.records(1, 3)
	bob.records(1, 3)
	fresh.records(1, 3)

	envelope := []byte(`{"type":"invoke","session_id":"s1"}`)
	if !r.g.SendTo("s1", "tab", envelope) || r.g.SendTo("s1", "nobody", envelope) || r.g.SendTo("s2", "tab", envelope) {
		t.Error("SendTo reached the wrong ones")
	}
	fresh.expect(clew.EventInvoke)
}

// A connection that its client gave up and that gets in late does not take the
// place of the one that the client has by now.
func TestTakeOverByTheNewestRequest(t *testing.T) {
	r := newRig(t, nil)
	s := r.host.add("s1", "ann")
	late := r.connect("/ws/s1?client_id=tab", "") // before the other, but it waits for auth
	fresh := r.join("/ws/s1?client_id=tab", "ann")
	late.send(`{"type":"auth","data":{"token":"ann"}}`)
	late.expect(clew.EventAuthResult)
	late.expectClose(wire.CloseNormal, wire.ReasonTakenOver)
	s.append(1)
	fresh.records(1, 1)
}

// Covers: G-17, C-60
func TestFrames(t *testing.T) {
	long := []byte(`{"type":"get_state","timestamp":"` + strings.Repeat("x", 70_000) + `"}`)
	half := len(long) / 2
	text := ws.NewFrame
	for _, tc := range []struct {
		name   string
		frames []ws.Frame
		code   wire.CloseCode // 0 = answered with session_state
		reason clew.Code
	}{
		{"long", []ws.Frame{text(ws.OpText, true, long)}, 0, ""},
		{"fragments", []ws.Frame{
			text(ws.OpText, false, long[:half]), ws.NewPongFrame(nil),
			text(ws.OpContinuation, false, nil), text(ws.OpContinuation, true, long[half:]),
		}, 0, ""},
		{"too large", []ws.Frame{text(ws.OpText, true, make([]byte, 1<<20+1))}, wire.CloseTooLarge, clew.MessageTooLarge},
		{"too large in fragments", []ws.Frame{
			text(ws.OpText, false, make([]byte, 1<<19)), text(ws.OpContinuation, true, make([]byte, 1<<19+1)),
		}, wire.CloseTooLarge, clew.MessageTooLarge},
		{"binary", []ws.Frame{ws.NewBinaryFrame([]byte("x"))}, 1003, clew.InvalidMessage},
		{"not UTF-8", []ws.Frame{text(ws.OpText, true, []byte{0xff})}, 1007, clew.InvalidMessage},
		{"stray continuation", []ws.Frame{text(ws.OpContinuation, true, []byte("x"))}, 1002, clew.InvalidMessage},
		{"text within text", []ws.Frame{text(ws.OpText, false, []byte("x")), text(ws.OpText, true, nil)}, 1002, clew.InvalidMessage},
		{"reserved op code", []ws.Frame{text(5, true, nil)}, 1002, clew.InvalidMessage},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r := newRig(t, nil)
			r.host.add("s1", "ann")
			p := r.join("/ws/s1", "ann")
			for _, f := range tc.frames {
				p.write(f)
			}
			if tc.code == 0 {
				p.expect(clew.EventSessionState)
				return
			}
			p.expectClose(tc.code, string(tc.reason))
		})
	}
}

// Frames that are no messages are limited too: pings, and pieces of a message
// without end, which may be empty (T11).
func TestTooManyFrames(t *testing.T) {
	for name, frame := range map[string]func(i int) ws.Frame{
		"pings": func(int) ws.Frame { return ws.NewPingFrame(nil) },
		"pongs": func(int) ws.Frame { return ws.NewPongFrame(nil) },
		"empty pieces": func(i int) ws.Frame {
			if i == 0 {
				return ws.NewFrame(ws.OpText, false, nil)
			}
			return ws.NewFrame(ws.OpContinuation, false, nil)
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, func(o *Options) { o.Limits.ControlPerMinute, o.Limits.Pieces = 50, 50 })
			r.host.add("s1", "ann")
			p := r.join("/ws/s1", "ann")
			for i := range 51 { // one too many
				p.write(frame(i))
			}
			answered := 0
			for {
				f, err := p.frame()
				if err == nil && f.Header.OpCode == ws.OpPong {
					answered++
					continue
				}
				var end *closed
				if !errors.As(err, &end) || end.code != int(wire.ClosePolicy) || end.reason != string(clew.RateLimited) {
					t.Fatalf("got %v after %d answers", err, answered)
				}
				break
			}
			if name == "pings" && answered != 50 {
				t.Errorf("%d pings were answered", answered)
			}
		})
	}
}

// Covers: C-60, WS-121
func TestControlFrames(t *testing.T) {
	r := newRig(t, nil)
	r.host.add("s1", "ann")
	p := r.join("/ws/s1", "ann")
	p.write(ws.NewPingFrame([]byte("abc")))
	if f, err := p.frame(); err != nil || f.Header.OpCode != ws.OpPong || string(f.Payload) != "abc" {
		t.Errorf("ping was answered with %+v, %v", f, err)
	}
	p.write(ws.NewCloseFrame(ws.NewCloseFrameBody(1000, "bye")))
	p.expectClose(wire.CloseNormal, "")

	unmasked := r.join("/ws/s1", "ann")
	if err := ws.WriteFrame(unmasked.conn, ws.NewTextFrame([]byte("{}"))); err != nil {
		t.Fatal(err)
	}
	unmasked.expectClose(1002, string(clew.InvalidMessage))
}

// A client may send its first frame before it has the answer to its request.
func TestFrameWithTheRequest(t *testing.T) {
	r := newRig(t, nil)
	r.host.add("s1", "ann")
	conn, err := r.dial()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	var b bytes.Buffer
	fmt.Fprintf(&b, "GET /ws/s1 HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer ann\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"+
		"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n", r.addr)
	text := `{"type":"user_message","message_id":"m1","data":{"text":"` + strings.Repeat("y", 300) + `"}}`
	_ = ws.WriteFrame(&b, ws.MaskFrame(ws.NewTextFrame([]byte(text))))
	_ = ws.WriteFrame(&b, ws.MaskFrame(ws.NewTextFrame([]byte(`{"type":"get_messages"}`))))
	if _, err := conn.Write(b.Bytes()); err != nil {
		t.Fatal(err)
	}
	p := &peer{t: t, conn: conn, r: newHTTPSkipper(conn)}
	p.until(clew.EventMessagesPage)
	if got := r.host.commands(); len(got) != 1 || got[0].ClientMessageID != "m1" {
		t.Errorf("commands %+v", got)
	}
}
