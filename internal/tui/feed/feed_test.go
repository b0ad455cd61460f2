package feed

import (
	"fmt"
	"strings"
	"testing"

	"github.com/clew-run/clew"
)

func said(n uint64, text string) clew.Message {
	return clew.Message{MessageID: clew.MessageIDOf(n), Type: clew.TypeSay, Say: clew.SayText, Role: clew.SpeakerAssistant, Text: text}
}

func call(n uint64, id string) clew.Message {
	return clew.Message{
		MessageID: clew.MessageIDOf(n), Type: clew.TypeAsk, Ask: clew.AskTool, Role: clew.SpeakerAssistant, ToolCallID: id, TaskID: "t",
		Text: `{"tool":"read_file","input":{"path":"a.txt"}}`,
	}
}

func apply(f *Feed, seq uint64, data any) {
	for _, info := range clew.Events {
		if fmt.Sprintf("%T", info.Data) == strings.TrimPrefix(fmt.Sprintf("%T", data), "*") {
			f.Apply(clew.Event{Type: info.Type, Data: data}, seq, 1000)
			return
		}
	}
	panic(fmt.Sprintf("%T is no event", data))
}

func shown(f *Feed, width int) string {
	var b strings.Builder
	for _, r := range f.Rows(nil) {
		for _, l := range r.Lines(width) {
			b.WriteString(strings.TrimRight(l.String(), " ") + "\n")
		}
	}
	return b.String()
}

func expect(t *testing.T, f *Feed, want ...string) {
	t.Helper()
	text := shown(f, 60)
	for _, w := range want {
		if !strings.Contains(text, w) {
			t.Errorf("no %q in:\n%s", w, text)
		}
	}
}

func TestStreamedText(t *testing.T) {
	f := New()
	m := said(1, "")
	m.Partial = true
	apply(f, 1, &clew.MessageCreatedData{Message: m})
	apply(f, 0, &clew.AgentResponseData{MessageID: m.MessageID, Offset: 0, Delta: "Hi "})
	apply(f, 0, &clew.AgentResponseData{MessageID: m.MessageID, Offset: 0, Delta: "Hi "})     // again
	apply(f, 0, &clew.AgentResponseData{MessageID: m.MessageID, Offset: 9, Delta: "missing"}) // a gap
	apply(f, 0, &clew.AgentResponseData{MessageID: m.MessageID, Offset: 1, Delta: "i there"}) // an overlap
	expect(t, f, "◐ Hi there\n")
	apply(f, 2, &clew.MessageUpdatedData{Message: said(1, "Hi there, all.")})
	apply(f, 0, &clew.AgentResponseData{MessageID: m.MessageID, Offset: 14, Delta: " late"})
	expect(t, f, "● Hi there, all.\n")
}

func TestToolCall(t *testing.T) {
	f := New()
	apply(f, 1, &clew.MessageCreatedData{Message: call(1, "c")})
	expect(t, f, "○ ▸ Read  a.txt", "waiting")
	running := &clew.ToolProgressData{ToolCallID: "c", TaskID: "t", Tool: "read_file", Status: clew.ToolRunning, MessageID: clew.MessageIDOf(1)}
	apply(f, 2, running)
	expect(t, f, "◐ ▸ Read  a.txt", "running")
	other := *running
	other.TaskID, other.Status = "other", clew.ToolError // models use the same names over and over
	apply(f, 3, &other)
	expect(t, f, "◐ ▸ Read")
	over := *running
	over.Status, over.DurationMS, over.Output = clew.ToolComplete, 2500, "the words"
	apply(f, 4, &over)
	expect(t, f, "● ▸ Read  a.txt", "2.5 s")
	apply(f, 5, &clew.MessageUpdatedData{Message: call(1, "c")}) // has no word of the outcome
	expect(t, f, "● ▸ Read")
	f.Rows(nil)[0].Open = true
	expect(t, f, "▾ Read", `path: "a.txt"`, "the words")
	over.Status = clew.ToolError
	apply(f, 6, &over)
	expect(t, f, "● ▾ Read") // a call ends once
}

func TestTurnIsOver(t *testing.T) {
	f := New()
	apply(f, 1, &clew.MessageCreatedData{Message: call(1, "c")})
	apply(f, 2, &clew.ToolProgressData{ToolCallID: "c", TaskID: "t", Tool: "read_file", Status: clew.ToolRunning, MessageID: clew.MessageIDOf(1)})
	apply(f, 3, &clew.TaskIdleData{TaskRef: clew.TaskRef{TaskID: "t"}, RequestID: "q"})
	expect(t, f, "running")
	apply(f, 4, &clew.TaskIdleData{TaskRef: clew.TaskRef{TaskID: "t"}})
	expect(t, f, "✕ ▸ Read", "failed", "the turn was over")
}

func TestQuestionSettled(t *testing.T) {
	for _, c := range []struct {
		end  clew.HitlResolvedData
		mark string
		want string
	}{
		{clew.HitlResolvedData{Action: clew.ResolvedReject, ResolvedBy: "ann", Comment: "no"}, "⊘", "denied by ann: no"},
		{clew.HitlResolvedData{Action: clew.ResolvedSkip, ByTimeout: true}, "○", "expired: nobody answered in time"},
		{clew.HitlResolvedData{Action: clew.ResolvedAnswer, ResolvedBy: "ann", Value: "blue"}, "●", "answered by ann: blue"},
	} {
		f := New()
		ask := clew.Message{MessageID: clew.MessageIDOf(1), Type: clew.TypeAsk, Ask: clew.AskFollowup, Role: clew.SpeakerAssistant, Text: "Which?"}
		apply(f, 1, &clew.MessageCreatedData{Message: ask})
		apply(f, 2, &clew.HitlInputRequestData{Asking: clew.Asking{RequestID: "q", MessageID: ask.MessageID}, Question: "Which?"})
		expect(t, f, "◇ Which?")
		c.end.RequestID = "q"
		apply(f, 3, &c.end)
		expect(t, f, c.mark+" Which?", "→ "+c.want)
	}
}

// A snapshot keeps what was paged in before it, and a replay adds nothing twice.
func TestSnapshotAndReplay(t *testing.T) {
	f := New()
	tail := func(from, to uint64) *clew.SessionState {
		s := &clew.SessionState{LastMessageID: clew.MessageIDOf(to)}
		for n := from; n <= to; n++ {
			s.Messages = append(s.Messages, said(n, fmt.Sprintf("m%d.", n)))
		}
		return s
	}
	f.Snapshot(tail(201, 400))
	if !f.HasOlder {
		t.Error("a full tail has something before it")
	}
	f.Prepend(clew.MessagesPage{Messages: tail(101, 200).Messages})
	f.Snapshot(tail(211, 410))
	if n := len(f.Rows(nil)); n != 310 || f.HasOlder {
		t.Errorf("%d rows, older %v", n, f.HasOlder)
	}
	apply(f, 405, &clew.MessageCreatedData{Message: said(405, "an older form of it")})
	apply(f, 406, &clew.HistoryRewoundData{FromMessageID: clew.MessageIDOf(300)})
	apply(f, 411, &clew.MessageCreatedData{Message: said(411, "m411.")})
	if text := shown(f, 40); strings.Count(text, "m405.") != 1 || strings.Count(text, "m411.") != 1 {
		t.Error("a message is missing or there twice")
	}
	f.Snapshot(tail(900, 1099)) // so much was missed that there is a gap
	if n := len(f.Rows(nil)); n != 200 || !f.HasOlder {
		t.Errorf("after a gap: %d rows, older %v", n, f.HasOlder)
	}
}

func TestRewind(t *testing.T) {
	f := New()
	for n := uint64(1); n <= 5; n++ {
		apply(f, n, &clew.MessageCreatedData{Message: said(n, fmt.Sprintf("m%d.", n))})
	}
	apply(f, 6, &clew.HistoryRewoundData{FromMessageID: clew.MessageIDOf(4), RemovedCount: 2})
	text := shown(f, 40)
	if strings.Contains(text, "m4.") || !strings.Contains(text, "m3.") || !strings.Contains(text, "taken back: 2 messages") {
		t.Errorf("after the rewind:\n%s", text)
	}
}

// What waits is shown elsewhere; output belongs to its call; a step of a run is
// told what no person said.
func TestRows(t *testing.T) {
	f := New()
	apply(f, 1, &clew.MessageCreatedData{Message: call(1, "c")})
	out := said(2, "line one\nline two")
	out.Say, out.ToolCallID = clew.SayCommandOutput, "c"
	apply(f, 2, &clew.MessageCreatedData{Message: out})
	brief := said(3, "You carry out a step.")
	brief.Role, brief.AgentID = clew.SpeakerUser, "task-1"
	apply(f, 3, &clew.MessageCreatedData{Message: brief})
	waits := said(4, "later")
	waits.Role, waits.Say = clew.SpeakerUser, clew.SayUserFeedback
	apply(f, 4, &clew.MessageCreatedData{Message: waits})
	rows := f.Rows([]clew.QueuedMessage{{MessageID: clew.MessageIDOf(4)}})
	if len(rows) != 2 || rows[0].Kind != Tool || rows[1].Kind != Brief {
		t.Errorf("%d rows", len(rows))
	}
	expect(t, f, "▸ told  You carry out a step.")
	f.Stale()
	if len(f.Rows(nil)) != 3 || len(f.Said()) != 1 {
		t.Error("what waited is not there")
	}
}

// A step of a plan goes by its title; what a person stopped says so.
func TestStepAndStop(t *testing.T) {
	f := New()
	brief := said(1, "You carry out one step of a plan.\n\nStep a: List the words.")
	brief.Role, brief.AgentID, brief.Summary = clew.SpeakerUser, "run", "List the words."
	apply(f, 1, &clew.MessageCreatedData{Message: brief})
	end := said(2, "The model call was interrupted by the user.")
	end.Say, end.Role = clew.SayAPIReqDeleted, clew.SpeakerSystem
	apply(f, 2, &clew.MessageCreatedData{Message: end})
	end.MessageID, end.Text = clew.MessageIDOf(3), "The summary is put off."
	apply(f, 3, &clew.MessageCreatedData{Message: end})
	expect(t, f, "▸ step  List the words.\n", "┊ stopped\n")
	if n := len(f.Rows(nil)); n != 2 {
		t.Errorf("%d rows", n)
	}
	f.Rows(nil)[0].Open = true
	expect(t, f, "▾ step", "You carry out one step")
}

// A row is drawn once, however often it is looked at.
func TestDrawnOnce(t *testing.T) {
	f := New()
	apply(f, 1, &clew.MessageCreatedData{Message: said(1, "words")})
	a := f.Rows(nil)[0].Lines(40)
	apply(f, 2, &clew.MessageCreatedData{Message: said(2, "more")})
	if b := f.Rows(nil)[0].Lines(40); &a[0] != &b[0] {
		t.Error("it was drawn again")
	}
	if b := f.Rows(nil)[0].Lines(50); &a[0] == &b[0] {
		t.Error("it was not drawn for the new width")
	}
}

// What was denied did not fail.
func TestDeniedCall(t *testing.T) {
	f := New()
	apply(f, 1, &clew.MessageCreatedData{Message: call(1, "c")})
	apply(f, 2, approvalOf(1))
	apply(f, 3, &clew.HitlResolvedData{RequestID: "q", Action: clew.ResolvedReject, ResolvedBy: "ann"})
	apply(f, 4, &clew.ToolProgressData{ToolCallID: "c", TaskID: "t", Tool: "read_file", Status: clew.ToolError, Error: "The user denied it.", MessageID: clew.MessageIDOf(1)})
	expect(t, f, "⊘ ▸ Read  a.txt", "denied by ann\n")
	if text := shown(f, 60); strings.Contains(text, "failed") || strings.Contains(text, "✕") {
		t.Errorf("it is said to have failed:\n%s", text)
	}
}

func approvalOf(n uint64) *clew.HitlApprovalRequestData {
	return &clew.HitlApprovalRequestData{Asking: clew.Asking{RequestID: "q", MessageID: clew.MessageIDOf(n)}, Ask: clew.AskTool, Tool: "read_file"}
}

// A step has the mark that it has in the plan, whether one followed it or came
// later.
func TestStepMarks(t *testing.T) {
	brief := func(n uint64, task clew.TaskID) clew.Message {
		m := said(n, "Do it.")
		m.Role, m.AgentID, m.Summary, m.TaskID = clew.SpeakerUser, "run", "Do it.", task
		return m
	}
	for _, c := range []struct {
		mark   string
		status clew.TodoStatus
		end    any
	}{
		{"◐", clew.TodoInProgress, nil},
		{"●", clew.TodoCompleted, &clew.TodoCompletedData{TodoID: "a"}},
		{"✕", clew.TodoFailed, &clew.TodoFailedData{TodoID: "a"}},
		{"⊘", clew.TodoSkipped, &clew.TodoSkippedData{TodoID: "a"}},
	} {
		f := New()
		apply(f, 1, &clew.TodoStartedData{TodoID: "a", TaskID: "t1"})
		apply(f, 2, &clew.MessageCreatedData{Message: brief(2, "t1")})
		expect(t, f, "◐ ▸ step  Do it.")
		if c.end != nil {
			apply(f, 3, c.end)
		}
		expect(t, f, c.mark+" ▸ step  Do it.")
		late := New()
		late.Snapshot(&clew.SessionState{Messages: clew.List[clew.Message]{brief(2, "t1")}, Todos: clew.List[clew.Todo]{{ID: "a", TaskID: "t1", Status: c.status}}})
		expect(t, late, c.mark+" ▸ step  Do it.")
	}
}

// A subtask that gave its result is done, by its own words or by its parent's.
func TestSubtaskMark(t *testing.T) {
	told := said(1, "Look it up.")
	told.Role, told.AgentID, told.TaskID, told.ToolCallID = clew.SpeakerUser, "main", "child", "c1"
	own, given := said(2, "Found."), said(2, "Found.")
	own.Say, own.TaskID = clew.SayCompletionResult, "child"
	given.Say, given.TaskID, given.ToolCallID = clew.SaySubtaskResult, "parent", "c1"
	other := given
	other.ToolCallID = "c2"
	for _, c := range []struct {
		mark string
		end  clew.Message
	}{{"●", own}, {"●", given}, {"○", other}} {
		f := New()
		apply(f, 1, &clew.MessageCreatedData{Message: told})
		expect(t, f, "○ ▸ told  Look it up.")
		apply(f, 2, &clew.MessageCreatedData{Message: c.end})
		expect(t, f, c.mark+" ▸ told  Look it up.")
	}
}
