package ipc

import (
	"context"
	"io"
	"net"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/wire"
)

// A client gets an id of its own, starts a task, hears of it, speaks to it and
// leaves.
//
// Covers: IPC-01, IPC-02, IPC-03, IPC-04, IPC-05, IPC-06, IPC-07, IPC-08, IPC-09, IPC-10, IPC-12, G-06, C-33
func TestConversation(t *testing.T) {
	b := newBench(t)
	g := b.connect()
	if !regexp.MustCompile(`^[0-9a-f]{12}$`).MatchString(string(g.id)) {
		t.Errorf("client id %q", g.id)
	}
	g.command("start_new_task", `"client_message_id":"c-1","data":{"text":"hello","images":[],"mode":"chat","title":"T"}`)
	accepted := g.find("message_accepted")
	if accepted.Relay != g.id || accepted.with("client_message_id") != "c-1" || accepted.with("task_id") != "task_1" || accepted.with("message_id") != "msg_000000000002" {
		t.Errorf("%s", accepted.raw)
	}
	id := accepted.Data.Session
	g.command("send_message", `"data":{"text":"more"}`)
	g.command("send_message", `"data":{"images":["data:image/png;base64,"]}`)
	g.command("cancel_task", `"data":{"task_id":"task_1"}`)
	g.command("resume_task", `"data":{"task_id":"task_1"}`)
	g.command("close_task", ``)
	b.until("six commands", func() bool { return len(b.host.commands()) == 6 })
	var got []string
	for _, c := range b.host.commands() {
		if c.By != owner {
			t.Errorf("%s by %v", c.Type, c.By)
		}
		got = append(got, string(c.Type))
	}
	if want := "new_task user_message user_message control_cancel resume_task clear_task"; strings.Join(got, " ") != want {
		t.Errorf("%s", got)
	}
	if d := b.host.commands()[0].Data.(*clew.NewTaskData); d.Text != "hello" || d.Mode != "chat" {
		t.Errorf("%+v", d)
	}
	if len(b.host.made) != 1 || b.host.made[0].Title != "T" || b.host.made[0].ID != id {
		t.Errorf("%+v", b.host.made)
	}
	_ = g.conn.Close()
	b.until("it is gone", func() bool { return strings.Contains(b.noted(), "disconnect") })
	if want := "connect " + string(g.id) + "; disconnect " + string(g.id); b.noted() != want {
		t.Error(b.noted())
	}
	if b.Clients() != 0 {
		t.Error("a client is left on the list")
	}
}

// The records of a task come in the order of the journal, without gaps, from the
// session's beginning.
//
// Covers: IPC-06, EVT-15
func TestRecordsOfOwnTask(t *testing.T) {
	b := newBench(t)
	g := b.connect()
	g.command("start_new_task", `"client_message_id":"c-1","data":{"text":"hello"}`)
	seq := uint64(0)
	var types []string
	for seq < 3 {
		l := g.next()
		if l.Relay != "" {
			continue
		}
		n, err := clew.MessageID(l.Data.MessageID).Seq()
		if err != nil || n != seq+1 {
			t.Fatalf("after %d: %s", seq, l.raw)
		}
		seq = n
		types = append(types, l.Data.Type)
		if n > 1 && l.Data.Cause != string(g.id)+":c-1" {
			t.Errorf("%s", l.raw)
		}
	}
	if got := strings.Join(types, " "); got != "session_created task_created task_started" {
		t.Error(got)
	}
}

// A command that is sent again has no second effect, also on another connection
// and when it makes a session.
func TestRepeat(t *testing.T) {
	b := newBench(t)
	g := b.connect()
	g.command("start_new_task", `"client_message_id":"1","data":{"text":"once"}`)
	first := g.find("message_accepted")
	again := b.connect()
	again.id = g.id // the same line
	again.command("start_new_task", `"client_message_id":"1","data":{"text":"once"}`)
	second := again.find("message_accepted")
	if second.Data.Session != first.Data.Session || second.with("message_id") != first.with("message_id") || second.with("task_id") != "task_1" {
		t.Errorf("%s\n%s", first.raw, second.raw)
	}
	other := b.connect() // another program that counts from 1
	other.command("start_new_task", `"client_message_id":"1","data":{"text":"once"}`)
	if third := other.find("message_accepted"); third.Data.Session == first.Data.Session {
		t.Error("two programs share a session")
	}
	if n := len(b.host.commands()); n != 2 {
		t.Errorf("%d commands", n)
	}
}

// What a session refuses is told to the one client.
//
// Covers: IPC-13
func TestRefusal(t *testing.T) {
	b := newBench(t)
	b.host.add("s1", "owner")
	b.host.add("s2", "somebody")
	b.host.do = func(*fakeSession, clew.Command) error { return clew.Errorf(clew.QueueFull, "no room") }
	g, other := b.connect(), b.connect()
	g.command("send_message", `"session_id":"s1","client_message_id":"a","data":{"text":"x"}`)
	if l := g.find("error"); l.with("code") != "QUEUE_FULL" || l.Relay != g.id || !strings.Contains(l.with("context"), "command_type:user_message") {
		t.Errorf("%s", l.raw)
	}
	g.command("send_message", `"session_id":"s2","client_message_id":"b","data":{"text":"x"}`)
	if l := g.find("error"); l.with("code") != "FORBIDDEN" {
		t.Errorf("%s", l.raw)
	}
	b.host.do = func(*fakeSession, clew.Command) error { panic("a fault") }
	g.command("send_message", `"session_id":"s1","client_message_id":"c","data":{"text":"x"}`)
	if l := g.find("error"); l.with("code") != "INTERNAL" {
		t.Errorf("%s", l.raw)
	}
	b.Send("nobody", errorEnvelope("", clew.Errorf(clew.Internal, "x"), clew.ErrorContext{})) // no effect
	envelope, err := wire.Encode(clew.EventPing, "", "", 1, nil)
	if err != nil {
		t.Fatal(err)
	}
	b.Send(other.id, envelope)
	if l := other.next(); l.Data.Type != "ping" || l.Relay != other.id {
		t.Errorf("the other heard %s", l.raw)
	}
}

// Covers: IPC-14, EVT-16
func TestEverybodyHears(t *testing.T) {
	b := newBench(t)
	g, other, narrow := b.connect(), b.connect(), b.connect()
	narrow.narrow()
	g.command("start_new_task", `"data":{"text":"hello"}`)
	if l := other.find("task_started"); l.Relay != "" {
		t.Errorf("%s", l.raw)
	}
	s := b.host.add("elsewhere", "somebody") // moved by no client of the socket
	s.append(3, "")
	for range 3 {
		if l := other.find("todo_progress"); l.Data.Session != "elsewhere" {
			t.Errorf("%s", l.raw)
		}
	}
	envelope, err := wire.Encode(clew.EventPing, "", "", 1, nil)
	if err != nil {
		t.Fatal(err)
	}
	b.Broadcast(envelope)
	if l := narrow.next(); l.Data.Type != "ping" || l.Relay != "" {
		t.Errorf("the narrow one heard %s", l.raw)
	}
	other.find("ping")
}

// Too many clients are told so.
func TestClientLimit(t *testing.T) {
	b := newBench(t, func(o *Options) { o.Clients = 2 })
	b.connect()
	second := b.connect()
	conn, err := net.Dial("unix", b.o.Path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	_ = conn.SetReadDeadline(time.Now().Add(patience))
	all, err := io.ReadAll(conn)
	if err != nil || !strings.Contains(string(all), `"code":"UNAVAILABLE"`) {
		t.Errorf("%s %v", all, err)
	}
	_ = second.conn.Close()
	b.until("there is a place", func() bool { return b.Clients() == 1 })
	b.connect()
}

// At the end what clients were promised is written, and then, as the last line,
// why it is the last; the file is gone.
func TestShutdown(t *testing.T) {
	b := newBench(t)
	g, quiet := b.connect(), b.connect()
	entered, leave := make(chan struct{}), make(chan struct{})
	b.host.do = func(*fakeSession, clew.Command) error { close(entered); <-leave; return nil }
	g.command("start_new_task", `"client_message_id":"last","data":{"text":"hello"}`)
	<-entered
	stopped := make(chan struct{})
	go func() { b.Shutdown(context.Background()); close(stopped) }()
	quiet.last("UNAVAILABLE")
	close(leave)
	if l := g.find("message_accepted"); l.with("client_message_id") != "last" {
		t.Errorf("%s", l.raw)
	}
	g.last("UNAVAILABLE")
	<-stopped
	if _, err := net.Dial("unix", b.o.Path); err == nil {
		t.Error("somebody is there")
	}
}

// last reads to the end, whose last line must be an error.
func (g *guest) last(code string) {
	g.t.Helper()
	_ = g.conn.SetReadDeadline(time.Now().Add(patience))
	rest, err := io.ReadAll(g.in)
	if err != nil {
		g.t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSuffix(string(rest), "\n"), "\n")
	if last := lines[len(lines)-1]; !strings.Contains(last, `"type":"error"`) || !strings.Contains(last, `"code":"`+code+`"`) {
		g.t.Errorf("the last line is %s", last)
	}
	if n := strings.Count(string(rest), `"type":"error"`); n != 1 {
		g.t.Errorf("%d errors: %s", n, rest)
	}
}
