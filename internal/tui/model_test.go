package tui

import (
	"fmt"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/client"
	"github.com/clew-run/clew/internal/ask"
	"github.com/clew-run/clew/internal/term"
	"github.com/clew-run/clew/internal/tui/paint"
)

// Letters are letters until somebody goes to the question.
func TestApproval(t *testing.T) {
	d := newDesk(t, 80, 24)
	d.opens(clew.SessionState{})
	d.asks(approval("q1", "make test"))
	d.sees("Run this command?", "$ make test", "in /work", "in a sandbox (bwrap), without network", "tab to answer")
	d.typed("yn")
	if len(d.sent) != 0 || d.m.write.String() != "yn" {
		t.Fatalf("sent %v, wrote %q", d.sent, d.m.write.String())
	}
	d.press("tab")
	d.sees("y yes · n no · a always · e edit")
	d.press("a", "a", "e")
	d.sees("Allow commands like this")
	d.press("backspace", "enter")
	d.sees("commands like make test", "Yes, and do not ask again about commands like make test, in this session.", "a just once · e edit the rule")
	d.press("y")
	want := map[string]any{"request_id": "q1", "action": "approve", "remember": map[string]any{"scope": "session", "pattern": "make test"}}
	if len(d.sent) != 1 || d.sent[0].Type != clew.CommandHitlApprovalResponse || !reflect.DeepEqual(d.sent[0].Data, want) {
		t.Fatalf("sent %v", d.sent)
	}
	d.press("x") // the focus is back where one writes
	if d.m.write.String() != "ynx" {
		t.Errorf("wrote %q", d.m.write.String())
	}
}

// A rule that covers tests and builds says that they are the project's own code, until
// somebody makes another rule of it.
func TestRuleThatRunsTheWorkspace(t *testing.T) {
	d := newDesk(t, 100, 24)
	d.opens(clew.SessionState{})
	q := approval("q1", "go test")
	q.Remember.RunsWorkspace = true
	d.asks(q)
	d.press("tab")
	d.seesNot(ask.RunsWorkspace)
	d.press("a")
	d.sees(ask.RunsWorkspace)
	d.press("e", "backspace", "enter")
	d.seesNot(ask.RunsWorkspace)
}

// Before a rule is made, the card has a command that it covers and one much like it that it
// does not. Both are about the rule as suggested.
func TestRuleShowsWhatItCovers(t *testing.T) {
	d := newDesk(t, 100, 24)
	d.opens(clew.SessionState{})
	q := approval("q1", "git log")
	q.Remember.Match, q.Remember.NearMiss = "git log something-else", "git log --output=x"
	d.asks(q)
	d.press("tab", "a")
	d.sees("covers git log something-else", "does not cover git log --output=x")
	d.press("e", "backspace", "enter")
	d.seesNot("does not cover")
}

func TestDenyWithReason(t *testing.T) {
	d := newDesk(t, 80, 24)
	d.opens(clew.SessionState{})
	d.asks(approval("q1", "rm x"))
	d.press("tab", "n")
	d.typed("not that")
	d.press("enter")
	if len(d.sent) != 1 || d.sent[0].Data["action"] != "reject" || d.sent[0].Data["comment"] != "not that" {
		t.Errorf("sent %v", d.sent)
	}
}

// What does not fit on the screen has to be looked at before a yes.
func TestLongCommandIsSeenFirst(t *testing.T) {
	d := newDesk(t, 80, 24)
	d.opens(clew.SessionState{})
	d.asks(approval("q1", strings.Repeat("echo fine\n", 30)+"rm -rf /"))
	d.seesNot("rm -rf /")
	d.press("tab", "y")
	d.sees("read it to its end first", "↓ 24 more")
	if len(d.sent) != 0 {
		t.Fatal("it was approved unseen")
	}
	d.press("end", "y") // what is between was not seen
	if len(d.sent) != 0 {
		t.Fatal("it was approved with a part of it unseen")
	}
	d.press("home")
	for range 20 {
		d.press("pgdown")
	}
	d.sees("rm -rf /")
	d.press("y")
	if len(d.sent) != 1 {
		t.Error("it was not approved")
	}
}

// A question that somebody else answered takes its keys along.
func TestAnsweredFirst(t *testing.T) {
	d := newDesk(t, 80, 24)
	d.opens(clew.SessionState{})
	d.asks(approval("q1", "one"))
	d.asks(approval("q2", "two"))
	d.sees("1 of 2")
	d.press("tab")
	d.settles("q1", clew.MessageAnswer{Action: clew.ResolvedApprove, By: "bob"})
	d.sees("answered elsewhere by bob: approved", "$ two")
	d.press("y")
	if len(d.sent) != 0 {
		t.Errorf("the next question got the answer: %v", d.sent)
	}
	d.m.write.Set("")
	d.press("ctrl+g", "y")
	if len(d.sent) != 1 || d.sent[0].Data["request_id"] != "q2" {
		t.Errorf("sent %v", d.sent)
	}
}

// The deadline is the server's, whatever the clock here says; its end is no no.
func TestCountdown(t *testing.T) {
	d := newDesk(t, 80, 24)
	d.m.now = time.UnixMilli(1_000_000).Add(5 * time.Minute) // fast by five minutes
	d.opens(clew.SessionState{})
	q := approval("q1", "one")
	q.DeadlineMS = 1_000_000 + 90_000
	d.asks(q)
	d.sees("expires in 1:30")
	d.m.now = d.m.now.Add(91 * time.Second)
	d.sees("expired")
	d.text()
	d.settles("q1", clew.MessageAnswer{Action: clew.ResolvedReject, ByTimeout: true})
	d.sees("nobody answered in time: denied")
}

func TestInputAndClarification(t *testing.T) {
	d := newDesk(t, 80, 24)
	d.opens(clew.SessionState{})
	d.asks(&clew.HitlInputRequestData{Asking: clew.Asking{RequestID: "q1", WordsEffect: clew.WordsAnswer}, Question: "Which?", InputType: clew.InputChoice, Options: []clew.InputOption{{Value: "a", Label: "First"}, {Value: "b", Label: "Second"}}})
	d.sees("Which?", "1  First", "2  Second")
	d.press("tab", "2")
	d.settles("q1", clew.MessageAnswer{Action: clew.ResolvedAnswer})
	d.asks(&clew.HitlClarificationData{Asking: clew.Asking{RequestID: "q2", WordsEffect: clew.WordsAnswer}, Question: "How much?", InputType: clew.InputText})
	d.press("tab", "e")
	d.typed("all")
	d.press("enter")
	if len(d.sent) != 2 || d.sent[0].Data["value"] != "b" || d.sent[1].Data["value"] != "all" {
		t.Errorf("sent %v", d.sent)
	}
}

// What could not be sent is there to be sent again.
func TestSayAndFail(t *testing.T) {
	d := newDesk(t, 80, 24)
	d.opens(clew.SessionState{})
	d.refuse = clew.Errorf(clew.QueueFull, "the queue is full")
	d.typed("hello")
	d.press("enter")
	d.sees("not sent: the queue is full", "› hello")
	d.refuse = nil
	d.press("enter")
	if len(d.sent) != 2 || d.m.write.String() != "" {
		t.Errorf("sent %v, left %q", d.sent, d.m.write.String())
	}
}

func TestSteerAndQueue(t *testing.T) {
	d := newDesk(t, 80, 24)
	d.opens(clew.SessionState{Status: clew.StatusExecuting})
	d.sees("working")
	d.typed("now")
	d.sees("enter steers", "ctrl+q queues")
	d.press("enter")
	d.typed("later")
	d.press("ctrl+q")
	if len(d.sent) != 2 || d.sent[0].Data["delivery"] != "steer" || d.sent[1].Data["delivery"] != "queue" {
		t.Errorf("sent %v", d.sent)
	}
}

// A paste presses no keys, and history comes back with the arrows.
func TestPasteAndHistory(t *testing.T) {
	d := newDesk(t, 80, 24)
	d.opens(clew.SessionState{Messages: clew.List[clew.Message]{
		{MessageID: clew.MessageIDOf(1), Type: clew.TypeSay, Say: clew.SayUserFeedback, Role: clew.SpeakerUser, Text: "first"},
		{MessageID: clew.MessageIDOf(2), Type: clew.TypeSay, Say: clew.SayUserFeedback, Role: clew.SpeakerUser, Text: "second"},
	}})
	d.m.Update(tea.PasteMsg{Content: "a\r\nb\x03\x1b[A\tc"})
	if got := d.m.write.String(); got != "a\nb[A\tc" || len(d.sent) != 0 {
		t.Errorf("pasted %q, sent %v", got, d.sent)
	}
	d.press("up", "up")
	if got := d.m.write.String(); got != "second" {
		t.Errorf("before: %q", got)
	}
	d.press("up")
	if got := d.m.write.String(); got != "first" {
		t.Errorf("before that: %q", got)
	}
	d.press("down", "down")
	if got := d.m.write.String(); got != "a\nb[A\tc" {
		t.Errorf("back: %q", got)
	}
}

func message(n int, text string) clew.Message {
	return clew.Message{MessageID: clew.MessageIDOf(uint64(n)), Type: clew.TypeSay, Say: clew.SayText, Role: clew.SpeakerAssistant, Text: text}
}

// Somebody who reads further up stays there, and what is new is counted.
func TestFollowAndHold(t *testing.T) {
	d := newDesk(t, 80, 24)
	s := clew.SessionState{}
	for n := 1; n <= 50; n++ {
		s.Messages = append(s.Messages, message(n, fmt.Sprintf("message %d.", n)))
	}
	s.LastMessageID = clew.MessageIDOf(50)
	d.seq = 50
	d.opens(s)
	d.sees("message 50.")
	d.press("pgup")
	d.sees("pgdn ↓")
	held := strings.Split(d.text(), "\n")[1:15]
	for n := 51; n <= 53; n++ {
		d.changes(clew.StatePut{Message: []clew.Message{message(n, fmt.Sprintf("message %d.", n))}})
	}
	if now := strings.Split(d.text(), "\n")[1:15]; !reflect.DeepEqual(now, held) {
		t.Errorf("it moved from\n%s\nto\n%s", strings.Join(held, "\n"), strings.Join(now, "\n"))
	}
	d.sees("3 new, pgdn ↓")
	d.press("pgdown", "pgdown")
	d.sees("message 53.")
	d.seesNot("pgdn ↓")
	d.changes(clew.StatePut{Message: []clew.Message{message(54, "message 54.")}})
	d.sees("message 54.")
}

func TestConnectionNeverLies(t *testing.T) {
	d := newDesk(t, 80, 24)
	d.opens(clew.SessionState{})
	for _, c := range []struct {
		state client.State
		want  string
	}{
		{client.Connecting, "connecting"}, {client.Connected, "connecting"}, {client.Active, "● live"},
		{client.Reconnecting, "no connection for 0 s"}, {client.Failed, "given up"},
	} {
		d.m.receive(batch{link: d.m.link, state: c.state})
		d.sees(c.want)
		if c.state != client.Active {
			d.seesNot("live")
		}
	}
}

func TestLeaving(t *testing.T) {
	d := newDesk(t, 80, 24)
	d.opens(clew.SessionState{})
	quits := func(k string) bool {
		_, cmd := d.m.Update(key(k))
		if cmd == nil {
			return false
		}
		_, quit := cmd().(tea.QuitMsg)
		return quit
	}
	if quits("q") || quits("ctrl+c") {
		t.Error("it left at once")
	}
	d.sees("ctrl+c again to leave")
	if quits("x") || quits("ctrl+c") { // something else in between
		t.Error("it left without a second ctrl+c")
	}
	if !quits("ctrl+c") {
		t.Error("it did not leave")
	}
	d.press("esc")
	if !quits("q") {
		t.Error("q did not leave")
	}
}

var colours = regexp.MustCompile("\x1b\\[[0-9;]*m")

const poison = "\x1b]0;x\x07\x1b[2J\u009b1;1H\u202e\r\b\t한\u200b👨\u200d👩\ufe0f\nz"

// Whatever stands in a session, nothing but colours leaves, and no line is wider
// than the screen.
func TestPoison(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {200, 50}, {31, 9}} {
		d := newDesk(t, size[0], size[1])
		var s clew.SessionState
		fill(reflect.ValueOf(&s).Elem(), 0)
		s.Messages = nil
		for i, say := range clew.SayText.Values() {
			m := clew.Message{}
			fill(reflect.ValueOf(&m).Elem(), 0)
			m.MessageID, m.Type, m.Say, m.Ask, m.Role = clew.MessageIDOf(uint64(i+1)), clew.TypeSay, clew.Say(say), "", clew.SpeakerAssistant
			s.Messages = append(s.Messages, m)
		}
		for i, ask := range clew.AskTool.Values() {
			m := clew.Message{}
			fill(reflect.ValueOf(&m).Elem(), 0)
			m.MessageID, m.Type, m.Ask, m.Say, m.Role = clew.MessageIDOf(uint64(i+100)), clew.TypeAsk, clew.Ask(ask), "", clew.SpeakerAssistant
			s.Messages = append(s.Messages, m)
		}
		s.HitlPending, s.HitlQueue = nil, nil
		d.holds(s)
		for _, r := range d.m.rows() {
			r.Open = true
		}
		for _, q := range questions() {
			d.m.state.Questions = []clew.Question{q}
			for _, f := range []focus{writing, reading, answering, planning} {
				d.m.focus = f
				d.m.tell(paint.Fail, poison)
				d.safe()
				d.m.note = ""
				for range 10 {
					d.do(d.m.scroll(-5))
					d.safe()
				}
				d.m.sight.follow = true
			}
		}
	}
}

func questions() []clew.Question {
	var list []clew.Question
	for _, data := range []any{&clew.HitlApprovalRequestData{}, &clew.HitlPlanReviewData{}, &clew.HitlInputRequestData{}, &clew.HitlClarificationData{}} {
		fill(reflect.ValueOf(data).Elem(), 0)
		list = append(list, clew.Question{Type: clew.EventHitlApprovalRequest, Data: data})
	}
	return list
}

func (d *desk) safe() {
	d.Helper()
	v := d.m.View()
	lines := strings.Split(v.Content, "\n")
	if len(lines) != d.m.h {
		d.Fatalf("%d lines on a screen of %d", len(lines), d.m.h)
	}
	for _, l := range lines {
		out := colours.ReplaceAllString(l, "")
		if out != term.CleanLine(out) || term.Width(out) > d.m.w {
			d.Fatalf("%q is on the screen, %d wide", l, term.Width(out))
		}
	}
}

// fill puts poison into every string of a value.
func fill(v reflect.Value, depth int) {
	switch v.Kind() {
	case reflect.String:
		v.SetString(poison)
	case reflect.Int, reflect.Int64:
		v.SetInt(3)
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Field(i).CanSet() {
				fill(v.Field(i), depth+1)
			}
		}
	case reflect.Pointer:
		if depth < 6 {
			v.Set(reflect.New(v.Type().Elem()))
			fill(v.Elem(), depth+1)
		}
	case reflect.Slice:
		if depth < 6 && v.Type().Elem().Kind() != reflect.Uint8 {
			v.Set(reflect.MakeSlice(v.Type(), 2, 2))
			fill(v.Index(0), depth+1)
			fill(v.Index(1), depth+1)
		}
	case reflect.Interface:
		if v.NumMethod() == 0 {
			v.Set(reflect.ValueOf(map[string]any{poison: poison}))
		}
	}
}

// BenchmarkStream: a long session, the last message of which grows.
func BenchmarkStream(b *testing.B) {
	d := newDesk(&testing.T{}, 200, 50)
	s := &clew.SessionState{Status: clew.StatusExecuting}
	for n := 1; n <= 10_000; n++ {
		s.Messages = append(s.Messages, message(n, fmt.Sprintf("message %d with **some** words\n\n- and a list\n", n)))
	}
	s.Messages[9999].Partial = true
	d.holds(*s)
	at := len(s.Messages[9999].Text)
	for b.Loop() {
		delta := &clew.TextData{MessageID: clew.MessageIDOf(10_000), Offset: at, Delta: "word "}
		d.m.state.Text(delta)
		d.m.feed.Grow(&d.m.state, delta)
		at += len(delta.Delta)
		d.m.View()
	}
}
