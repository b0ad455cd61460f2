package ipc

import (
	"fmt"
	"net"
	"strings"
	"testing"

	"github.com/clew-run/clew"
)

// What cannot be taken is logged with what is wrong, has no effect, and is
// answered: with the client's name for it, where that can be read. The connection
// stays.
//
// Covers: IPC-11, IPC-12
func TestInvalidFrames(t *testing.T) {
	b := newBench(t, func(o *Options) { o.Frame = 4096 })
	g := b.connect()
	g.narrow()
	long := strings.Repeat("x", 9000)
	for _, bad := range []struct{ line, issue, id string }{
		{`hello`, "frame is not a JSON object", ""},
		{`[]`, "frame is not a JSON object", ""},
		{`{"type":"task_command","origin":"clien","data":{"command_name":"send_message","client_message_id":"i1"}}`, `origin "clien" is not client`, "i1"},
		{`{"type":"task_comand","data":{"client_message_id":"i2","command_name":"send_message"}}`, `type "task_comand" is not task_command`, "i2"},
		{`{"type":"task_command","data":{"client_message_id":"i3"}}`, "data.command_name is missing", "i3"},
		{`{"type":"task_command"}`, "data is missing", ""},
		{`{"type":"task_command","data":{"command_name":7,"client_message_id":"i4"}}`, "data: json", "i4"},
		{`{"type":"task_command","data":{"command_name":"close_task","client_message_id":"i5"},"more":1}`, "unknown field", "i5"},
		{`{"type":"task_command","type":"task_command","data":{"command_name":"close_task","client_message_id":"i6"}}`, "given twice", "i6"},
		{`{"type":"task_command","data":{"command_name":"close_task","client_message_id":"i7","data":"` + "\xff" + `"}}`, "not UTF-8", "i7"},
		{`{"type":"task_command","data":{"client_message_id":"i8","data":` + strings.Repeat(`{"data":`, 70) + `1` + strings.Repeat(`}`, 72), "nested deeper", "i8"},
		{`{"type":"task_command","data":{"command_name":"send_message","client_message_id":"i9","data":{"text":"` + long + `"}}}`, "longer than 4096 bytes", "i9"},
		{`{"type":"task_command","data":{"command_name":"send_message","data":{"text":"` + long + `"},"client_message_id":"i\u0031\"0"}}`, "longer than 4096 bytes", `i1"0`},
		{`{"type":"task_command","data":{"command_name":"close_task","client_message_id":"` + long[:200] + `"}}`, "longer than 128 characters", ""},
	} {
		g.say(bad.line)
		l := g.next()
		if l.Data.Type != "error" || l.Relay != g.id || !strings.Contains(l.with("message"), bad.issue) {
			t.Errorf("%.200s: %s", bad.line, l.raw)
		}
		if id := aboutOf(l); id != bad.id {
			t.Errorf("%.200s: it is about %q", bad.line, id)
		}
		if !strings.Contains(b.log.String(), strings.ReplaceAll(bad.issue, `"`, `\\\"`)) && !strings.Contains(b.log.String(), strings.ReplaceAll(bad.issue, `"`, `\"`)) {
			t.Errorf("%s is not in the log", bad.issue)
		}
	}
	// A server's frame is no command and may be an echo: it is not answered.
	g.say(`{"type":"ack","origin":"server","data":{}}`)
	g.say(`{"type":"task_event","origin":"server","data":{"type":"error"}}`)
	for _, bad := range []struct{ rest, code string }{
		{`"command_name":"dance","client_message_id":"x"`, "INVALID_MESSAGE"},
		{`"command_name":"send_message","client_message_id":"x","data":{"text":"?"}`, "INVALID_MESSAGE"}, // no session
		{`"command_name":"send_message","client_message_id":"x","session_id":"nope","data":{"text":"?"}`, "SESSION_NOT_FOUND"},
		{`"command_name":"start_new_task","client_message_id":"x","data":{"txt":"?"}`, "INVALID_MESSAGE"},
		{`"command_name":"start_new_task","client_message_id":"x","session_id":"s","data":{"title":"?"}`, "INVALID_MESSAGE"},
		{`"command_name":"resume_task","client_message_id":"x","session_id":"s"`, "INVALID_MESSAGE"},
		{`"command_name":"follow","client_message_id":"x","data":{"scope":"some"}`, "INVALID_MESSAGE"},
		{`"command_name":"follow","client_message_id":"x","data":{"scope":"all","resume_from":"start"}`, "INVALID_MESSAGE"},
		{`"command_name":"follow","client_message_id":"x"`, "INVALID_MESSAGE"},
		{`"command_name":"send_message","client_message_id":"x","session_id":"no good"`, "INVALID_MESSAGE"},
	} {
		g.say(`{"type":"task_command","data":{` + bad.rest + `}}`)
		l := g.next()
		if l.Data.Type != "error" || l.Relay != g.id || l.with("code") != bad.code || aboutOf(l) != "x" {
			t.Errorf("%s: %s", bad.rest, l.raw)
		}
	}
	if n := len(b.host.commands()); n != 0 {
		t.Errorf("%d commands were carried out", n)
	}
	g.command("start_new_task", `"data":{"text":"still here"}`)
	g.find("message_accepted")
	for range 100 {
		g.say("nonsense")
		g.find("error")
	}
	_ = g.conn.Close()
	b.until("a sum of what was dropped", func() bool { return strings.Contains(b.log.String(), "lines were dropped") })
	if n := strings.Count(b.log.String(), "a line was dropped"); n != maxLogged {
		t.Errorf("%d lines in the log", n)
	}
}

// aboutOf is which of the client's commands an error is about.
func aboutOf(l line) string {
	var context struct {
		Context clew.ErrorContext `json:"context"`
	}
	l.into(&context)
	return string(context.Context.ClientMessageID)
}

// A line without its end is not carried out, and who still listens is told.
func TestHalfLine(t *testing.T) {
	b := newBench(t)
	g := b.connect()
	if _, err := fmt.Fprint(g.conn, `{"type":"task_command","data":{"command_name":"start_new_task","client_message_id":"half","data":{"text":"x"}}}`); err != nil {
		t.Fatal(err)
	}
	if err := g.conn.(*net.UnixConn).CloseWrite(); err != nil {
		t.Fatal(err)
	}
	if l := g.find("error"); aboutOf(l) != "half" || !strings.Contains(l.with("message"), "has no end") {
		t.Errorf("%s", l.raw)
	}
	if n := len(b.host.commands()); n != 0 {
		t.Errorf("%d commands were carried out", n)
	}
}

// After a start that failed, or a command about another session, the next words
// go nowhere instead of to the session before.
func TestFailedStartLeavesNone(t *testing.T) {
	b := newBench(t)
	g := b.connect()
	refused := func(what string) {
		t.Helper()
		if l := g.find("error"); aboutOf(l) != "bad" {
			t.Fatalf("%s: %s", what, l.raw)
		}
		g.command("send_message", `"client_message_id":"lost","data":{"text":"to whom?"}`)
		if l := g.find("error"); aboutOf(l) != "lost" || l.with("code") != "INVALID_MESSAGE" {
			t.Fatalf("%s: %s", what, l.raw)
		}
	}
	n := 0
	for _, bad := range []string{
		`{"type":"task_command","data":{"command_name":"start_new_task","client_message_id":"bad","data":{"txt":"?"}}}`,
		`{"type":"task_command","data":{"command_name":"start_new_task","client_message_id":"bad","data":{"text":"?"}},"more":1}`,
		`{"type":"task_command","data":{"client_message_id":"bad","data":{"text":"?"}}}`,
		`{"type":"task_command","data":{"command_name":"send_message","client_message_id":"bad","session_id":"nope","data":{"text":"?"}}}`,
		`{"type":"task_command","data":{"command_name":"follow","client_message_id":"bad","session_id":"nope"}}`,
	} {
		g.command("start_new_task", `"data":{"text":"first"}`)
		g.find("message_accepted")
		n++
		g.say(bad)
		refused(bad)
	}
	if got := len(b.host.commands()); got != n {
		t.Errorf("%d commands for %d tasks", got, n)
	}
	g.command("start_new_task", `"data":{"text":"first"}`)
	g.find("message_accepted")
	g.command("dance", `"client_message_id":"bad"`) // about no session
	g.find("error")
	g.command("send_message", `"data":{"text":"more"}`)
	g.find("message_accepted")
}
