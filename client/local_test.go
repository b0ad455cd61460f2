package client_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/client"
	"github.com/clew-run/clew/wire"
)

// A localServer is the other end of a local socket, in the hands of the test.
type localServer struct {
	t    testing.TB
	path string
	l    net.Listener
}

func newLocalServer(t testing.TB) *localServer {
	t.Helper()
	dir, err := os.MkdirTemp("", "local")
	if err != nil {
		t.Fatal(err)
	}
	s := &localServer{t: t, path: filepath.Join(dir, "s")}
	if s.l, err = net.Listen("unix", s.path); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.l.Close(); _ = os.RemoveAll(dir) })
	return s
}

// A localPeer is one connection, seen from the server.
type localPeer struct {
	t  testing.TB
	c  net.Conn
	in *bufio.Reader
}

func (s *localServer) accept() *localPeer {
	c, err := s.l.Accept()
	if err != nil {
		s.t.Error(err)
		return nil
	}
	s.t.Cleanup(func() { _ = c.Close() })
	return &localPeer{s.t, c, bufio.NewReader(c)}
}

func (p *localPeer) say(lines ...string) {
	for _, line := range lines {
		if _, err := fmt.Fprintln(p.c, line); err != nil {
			p.t.Error(err)
		}
	}
}

func (p *localPeer) hear() wire.LocalCommand {
	line, err := p.in.ReadBytes('\n')
	if err != nil {
		p.t.Error(err)
		return wire.LocalCommand{}
	}
	cmd, err := wire.DecodeLocalCommand(line[:len(line)-1])
	if err != nil {
		p.t.Errorf("%s: %v", line, err)
	}
	return cmd
}

const localAck = `{"type":"ack","origin":"server","data":{"client_id":"%s","pid":7,"ppid":1,"url":"http://127.0.0.1:9"}}`

// The client keeps what the ack says, drops what is no frame of a server, and
// sends nothing before the ack.
//
// Covers: IPC-15, IPC-16, IPC-17
func TestLocalClient(t *testing.T) {
	s := newLocalServer(t)
	l := client.NewLocal(s.path)
	if err := l.SendTaskMessage("too early"); clew.CodeOf(err) != clew.ConnectionFailed {
		t.Errorf("before it is connected: %v", err)
	}
	var acks []clew.AckData
	l.Acks.On(func(a clew.AckData) { acks = append(acks, a) })
	events := make(chan client.LocalEvent, 10)
	l.Events.On(func(ev client.LocalEvent) { events <- ev })
	gone := make(chan error, 1)
	l.Disconnects.On(func(err error) { gone <- err })
	connected := make(chan error, 1)
	go func() { connected <- l.Connect(context.Background()) }()
	p := s.accept()
	p.say(`hello`, `{"type":"ack","origin":"client","data":{"client_id":"liar"}}`, `{"type":"ack","data":{}}`)
	if err := l.SendTaskMessage("still too early"); err == nil {
		t.Error("it was sent before the ack")
	}
	p.say(fmt.Sprintf(localAck, "first"))
	if err := <-connected; err != nil {
		t.Fatal(err)
	}
	if a, ok := l.Ack(); !ok || a.ClientID != "first" || a.PID != 7 || len(acks) != 1 || acks[0] != a {
		t.Errorf("%+v %+v", a, acks)
	}
	p.say(`{"type":"task_event","origin":"client","data":{"type":"task_started"}}`, `rubbish`, `{"type":"task_event","origin":"server","data":{}}`,
		`{"type":"task_event","origin":"server","data":{"type":"task_started","session_id":"s1","message_id":"msg_000000000005","data":{}},"new":1}`)
	if ev := <-events; ev.Type != "task_started" || ev.SessionID != "s1" || ev.Seq() != 5 {
		t.Errorf("%+v", ev)
	}
	if err := l.SendTaskMessage("hello", "data:x"); err != nil {
		t.Fatal(err)
	}
	if cmd := p.hear(); cmd.Name != clew.TaskCommandSendMessage || cmd.ClientID != "first" || string(cmd.Data) != `{"text":"hello","images":["data:x"]}` {
		t.Errorf("%+v %s", cmd, cmd.Data)
	}
	_ = p.c.Close()
	if err := <-gone; err == nil {
		t.Error("it does not say why")
	}
	if err := l.SendCommand(clew.TaskCommandData{CommandName: clew.TaskCommandCloseTask}); clew.CodeOf(err) != clew.ConnectionFailed {
		t.Errorf("after the end: %v", err)
	}
	l.Close()
}

// Do waits for the answer to its own command, and a command that is done again
// after a reconnect says that it is the same.
func TestLocalDo(t *testing.T) {
	s := newLocalServer(t)
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	first := make(chan *localPeer, 1)
	go func() {
		p := s.accept()
		p.say(fmt.Sprintf(localAck, "first"))
		p.hear()
		p.say(`{"type":"task_event","relay_client_id":"first","data":{"type":"message_accepted","session_id":"s0","data":{"client_message_id":"other"}}}`,
			`{"type":"task_event","data":{"type":"message_accepted","session_id":"s0","data":{"client_message_id":"a"}}}`,
			`{"type":"task_event","relay_client_id":"first","data":{"type":"message_accepted","session_id":"s1","data":{"client_message_id":"a","task_id":"t1","message_id":"msg_000000000002"}}}`)
		p.hear()
		p.say(`{"type":"task_event","relay_client_id":"first","data":{"type":"error","data":{"code":"QUEUE_FULL","message":"no room","context":{"client_message_id":"b"}}}}`)
		p.hear()
		_ = p.c.Close()
		first <- p
	}()
	l, err := client.DialLocal(ctx, s.path)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	start := clew.TaskCommandData{CommandName: clew.TaskCommandStartNewTask, ClientMessageID: "a", Data: clew.StartNewTaskData{Text: "x"}}
	if answer, err := l.Do(ctx, start); err != nil || answer != (client.LocalAnswer{SessionID: "s1", TaskID: "t1", MessageID: "msg_000000000002", ClientMessageID: "a"}) {
		t.Errorf("%+v %v", answer, err)
	}
	start.ClientMessageID = "b"
	if _, err := l.Do(ctx, start); clew.CodeOf(err) != clew.QueueFull || !strings.Contains(err.Error(), "no room") {
		t.Error(err)
	}
	start.ClientMessageID = "c"
	if _, err := l.Do(ctx, start); clew.CodeOf(err) != clew.ConnectionFailed {
		t.Error(err)
	}
	<-first
	second := make(chan wire.LocalCommand, 1)
	go func() {
		p := s.accept()
		p.say(fmt.Sprintf(localAck, "second"))
		second <- p.hear()
	}()
	if err := l.Connect(ctx); err != nil {
		t.Fatal(err)
	}
	short, stop := context.WithCancel(ctx)
	go func() {
		if cmd := <-second; cmd.ClientID != "first" || cmd.ClientMessageID != "c" {
			t.Errorf("%+v", cmd)
		}
		stop()
	}()
	if _, err := l.Do(short, start); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// What is no server is said so at once.
func TestFindLocal(t *testing.T) {
	s := newLocalServer(t)
	go func() { s.accept().say(fmt.Sprintf(localAck, "x")) }()
	if a, err := client.FindLocal(context.Background(), s.path); err != nil || a.URL != "http://127.0.0.1:9" {
		t.Errorf("%+v %v", a, err)
	}
	go func() {
		s.accept().say(`{"type":"task_event","data":{"type":"error","data":{"code":"UNAVAILABLE","message":"no place"}}}`)
	}()
	if _, err := client.FindLocal(context.Background(), s.path); clew.CodeOf(err) != clew.Unavailable {
		t.Error(err)
	}
	_ = s.l.Close()
	if _, err := client.FindLocal(context.Background(), s.path); clew.CodeOf(err) != clew.ConnectionFailed {
		t.Error(err)
	}
}

// A client that has a name says it.
func TestLocalNamed(t *testing.T) {
	s := newLocalServer(t)
	heard := make(chan wire.LocalCommand, 1)
	go func() {
		p := s.accept()
		p.say(fmt.Sprintf(localAck, "first"))
		heard <- p.hear()
	}()
	l := client.NewLocal(s.path).Named("nightly-build")
	if err := l.Connect(context.Background()); err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if err := l.SendTaskMessage("hello"); err != nil {
		t.Fatal(err)
	}
	if cmd := <-heard; cmd.ClientID != "nightly-build" {
		t.Errorf("%+v", cmd)
	}
}
