package feed

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/client"
)

func said(n uint64, text string) clew.Message {
	return clew.Message{MessageID: clew.MessageIDOf(n), Type: clew.TypeSay, Say: clew.SayText, Role: clew.SpeakerAssistant, Text: text}
}

func call(n uint64, id string) clew.Message {
	return clew.Message{
		MessageID: clew.MessageIDOf(n), Type: clew.TypeAsk, Ask: clew.AskTool, Role: clew.SpeakerAssistant, ToolCallID: id, TaskID: "t",
		Tool: &clew.MessageTool{Name: "read_file", Status: clew.ToolWaiting, Target: "a.txt"},
	}
}

// A session is a feed with the replica that it shows.
type session struct {
	*testing.T
	*Feed
	client.Replica
}

func open(t *testing.T) *session {
	s := &session{T: t, Feed: New()}
	s.change(clew.StateChangedData{})
	return s
}

// change goes on from the last one; the first is the whole state.
func (s *session) change(c clew.StateChangedData) {
	s.Helper()
	c.From, c.To, c.Total = s.Cursor, clew.MessageIDOf(uint64(s.Total)+1000), max(c.Total, s.Total)
	if err := s.Apply(&c); err != nil {
		s.Fatal(err)
	}
	s.Feed.Take(&s.Replica, &c)
}

func (s *session) says(list ...clew.Message) {
	s.Helper()
	s.change(clew.StateChangedData{Put: clew.StatePut{Message: list}})
}

func (s *session) grows(id clew.MessageID, offset int, delta string) {
	d := &clew.TextData{MessageID: id, Offset: offset, Delta: delta}
	s.Text(d)
	s.Grow(&s.Replica, d)
}

// stands is a call with its tool as it stands now.
func stands(n uint64, id string, t clew.MessageTool) clew.Message {
	m := call(n, id)
	t.Name, t.Target = m.Tool.Name, m.Tool.Target
	m.Tool = &t
	return m
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

func (s *session) sees(want ...string) {
	s.Helper()
	text := shown(s.Feed, 60)
	for _, w := range want {
		if !strings.Contains(text, w) {
			s.Errorf("no %q in:\n%s", w, text)
		}
	}
}

func TestStreamedText(t *testing.T) {
	s := open(t)
	m := said(1, "")
	m.Partial = true
	s.says(m)
	s.grows(m.MessageID, 0, "Hi ")
	s.grows(m.MessageID, 0, "Hi ")     // again
	s.grows(m.MessageID, 9, "missing") // a gap
	s.grows(m.MessageID, 1, "i there") // an overlap
	s.sees("◐ Hi there\n")
	s.says(said(1, "Hi there, all."))
	s.sees("● Hi there, all.\n")
}

func TestToolCall(t *testing.T) {
	s := open(t)
	s.says(call(1, "c"))
	s.sees("○ ▸ Read  a.txt", "waiting")
	s.says(stands(1, "c", clew.MessageTool{Status: clew.ToolRunning}))
	s.sees("◐ ▸ Read  a.txt", "running")
	s.says(stands(1, "c", clew.MessageTool{Status: clew.ToolComplete, DurationMS: 2500}))
	s.sees("● ▸ Read  a.txt", "2.5 s")
	code := 3
	s.says(stands(1, "c", clew.MessageTool{Status: clew.ToolError, ExitCode: &code, Error: "a sentence"}))
	s.sees("✕ ▸ Read", "exit 3\n")
	s.says(stands(1, "c", clew.MessageTool{Status: clew.ToolError, ExitCode: &code, LimitReached: clew.LimitMemory, Error: "a sentence"}))
	s.sees("✕ ▸ Read", "exit 3, memory limit\n")
	s.says(stands(1, "c", clew.MessageTool{Status: clew.ToolError, WhyCode: clew.EndTurnOver, Error: "why it failed"}))
	s.sees("✕ ▸ Read", "failed", "why it failed")
	s.says(stands(1, "c", clew.MessageTool{Status: clew.ToolStopped, StoppedBy: "ann", Error: "why it ended"}))
	s.sees("⊘ ▸ Read", "stopped\n")
}

// What a call was made with and what it brought is asked for when somebody unfolds
// it, and again when it went on since.
func TestCallDetails(t *testing.T) {
	s := open(t)
	s.says(stands(1, "c", clew.MessageTool{Status: clew.ToolRunning}))
	s.sees("Read")
	if n := len(s.Outdated()); n != 0 {
		t.Errorf("%d calls to ask for, all are folded", n)
	}
	s.Rows(nil)[0].Open = true
	s.SetCall(clew.MessageIDOf(1), Call{Input: []byte(`{"path":"a.txt"}`), Status: clew.ToolRunning})
	s.sees("▾ Read", `path: "a.txt"`)
	if s.Rows(nil)[0].Known() {
		t.Error("a call that runs is not known whole")
	}
	s.says(stands(1, "c", clew.MessageTool{Status: clew.ToolComplete}))
	if list := s.Outdated(); !slices.Equal(list, s.Rows(nil)) || len(s.Outdated()) != 0 {
		t.Errorf("%d calls to ask for", len(list))
	}
	s.SetCall(clew.MessageIDOf(1), Call{Output: "the words", Status: clew.ToolComplete})
	s.sees("▾ Read", "the words")
	if !s.Rows(nil)[0].Known() {
		t.Error("a call that ended is known whole")
	}
}

func TestQuestionSettled(t *testing.T) {
	for _, c := range []struct {
		end  clew.MessageAnswer
		mark string
		want string
	}{
		{clew.MessageAnswer{Action: clew.ResolvedReject, By: "ann", Comment: "no"}, "⊘", "denied by ann: no"},
		{clew.MessageAnswer{Action: clew.ResolvedSkip, ByTimeout: true}, "○", "expired: nobody answered in time"},
		{clew.MessageAnswer{Action: clew.ResolvedAnswer, By: "ann", Value: "blue"}, "●", "answered by ann: blue"},
	} {
		s := open(t)
		ask := clew.Message{MessageID: clew.MessageIDOf(1), Type: clew.TypeAsk, Ask: clew.AskFollowup, Role: clew.SpeakerAssistant, Text: "Which?"}
		q := clew.Question(clew.NewEvent(&clew.HitlInputRequestData{Asking: clew.Asking{RequestID: "q", MessageID: ask.MessageID}, Question: "Which?"}))
		s.change(clew.StateChangedData{Put: clew.StatePut{Message: []clew.Message{ask}, Question: []clew.Question{q}}})
		s.sees("◇ Which?")
		ask.IsAnswered, ask.Answer = true, &c.end
		s.change(clew.StateChangedData{Del: map[clew.EntityKind][]string{clew.EntityQuestion: {"q"}}, Put: clew.StatePut{Message: []clew.Message{ask}}})
		s.sees(c.mark+" Which?", "→ "+c.want)
	}
}

// Older pages stand before the rest, and stay when the rest comes anew.
func TestOlderPages(t *testing.T) {
	list := func(from, to uint64) (list []clew.Message) {
		for n := from; n <= to; n++ {
			list = append(list, said(n, fmt.Sprintf("m%d.", n)))
		}
		return list
	}
	s := open(t)
	s.change(clew.StateChangedData{Total: 30, Put: clew.StatePut{Message: list(11, 30)}})
	if !s.HasOlder {
		t.Error("fewer than there are has something before it")
	}
	if !s.Older(&clew.MessagesPage{Messages: list(1, 10)}) {
		t.Fatal("the page was not taken")
	}
	s.Load(&s.Replica)
	s.change(clew.StateChangedData{Reset: []clew.EntityKind{clew.EntityMessage}, Put: clew.StatePut{Message: list(15, 30)}})
	if n := len(s.Rows(nil)); n != 30 || s.HasOlder {
		t.Errorf("%d rows, older %v", n, s.HasOlder)
	}
	s.says(said(30, "another form of it"))
	if text := shown(s.Feed, 40); strings.Contains(text, "m30.") || strings.Count(text, "another form") != 1 {
		t.Error("a message is missing or there twice")
	}
}

// What went is gone, and a note stands where the session was taken elsewhere. A
// move from before somebody looked is none.
func TestMoves(t *testing.T) {
	s := &session{T: t, Feed: New()}
	moved := func(n uint64, m clew.LastMove) *clew.StatusInfo {
		m.MessageID = clew.MessageIDOf(n)
		return &clew.StatusInfo{LastMove: &m}
	}
	s.change(clew.StateChangedData{Put: clew.StatePut{
		Message: []clew.Message{said(1, "one"), said(3, "three")}, Status: moved(2, clew.LastMove{Kind: clew.KindRewind, Removed: 7}),
	}})
	if text := shown(s.Feed, 60); strings.Contains(text, "taken back") {
		t.Errorf("a move of the past is told:\n%s", text)
	}
	s.change(clew.StateChangedData{Reset: []clew.EntityKind{clew.EntityMessage}, Put: clew.StatePut{
		Message: []clew.Message{said(1, "one")}, Status: moved(5, clew.LastMove{Kind: clew.KindRewind, Removed: 1}),
	}})
	s.change(clew.StateChangedData{Put: clew.StatePut{Status: moved(5, clew.LastMove{Kind: clew.KindRewind, Removed: 1})}})
	s.change(clew.StateChangedData{Put: clew.StatePut{Status: moved(6, clew.LastMove{Kind: clew.KindUndo, Restored: 2})}})
	s.change(clew.StateChangedData{Put: clew.StatePut{Status: moved(7, clew.LastMove{Kind: clew.KindFiles})}})
	s.change(clew.StateChangedData{Put: clew.StatePut{Status: moved(8, clew.LastMove{Kind: clew.KindRewind, Failed: "no room"})}})
	s.sees("┊ taken back: 1 message\n", "┊ undone: 2 messages back\n", "┊ the rewind failed, everything is as it was: no room\n")
	if text := shown(s.Feed, 60); strings.Contains(text, "three") || strings.Count(text, "┊") != 3 {
		t.Errorf("it shows\n%s", text)
	}
}

// What waits is shown elsewhere; output belongs to its call; a step of a run is
// told what no person said.
func TestRows(t *testing.T) {
	s := open(t)
	out := said(2, "line one\nline two")
	out.Say, out.ToolCallID = clew.SayCommandOutput, "c"
	brief := said(3, "You carry out a step.")
	brief.Role, brief.AgentID = clew.SpeakerUser, "run"
	waits := said(4, "later")
	waits.Role, waits.Say = clew.SpeakerUser, clew.SayUserFeedback
	s.says(call(1, "c"), out, brief, waits)
	rows := s.Rows([]clew.QueuedMessage{{MessageID: clew.MessageIDOf(4)}})
	if len(rows) != 2 || rows[0].Kind != Tool || rows[1].Kind != Brief {
		t.Errorf("%d rows", len(rows))
	}
	s.sees("▸ told  You carry out a step.")
	s.change(clew.StateChangedData{Put: clew.StatePut{Queue: &clew.List[clew.QueuedMessage]{}}})
	if len(s.Rows(nil)) != 3 || len(s.Said()) != 1 {
		t.Error("what waited is not there")
	}
}

// A step of a plan goes by its title; what a person stopped says so, whatever the
// sentence is.
func TestStepAndStop(t *testing.T) {
	s := open(t)
	brief := said(1, "You carry out one step of a plan.\n\nStep a: List the words.")
	brief.Role, brief.AgentID, brief.Summary = clew.SpeakerUser, "run", "List the words."
	end := said(2, "any sentence")
	end.Say, end.Role, end.WhyCode = clew.SayAPIReqDeleted, clew.SpeakerSystem, clew.EndInterrupted
	other := end
	other.MessageID, other.WhyCode, other.Text = clew.MessageIDOf(3), "", "interrupted by the user"
	s.says(brief, end, other)
	s.sees("▸ step  List the words.\n", "┊ stopped\n")
	if n := len(s.Rows(nil)); n != 2 {
		t.Errorf("%d rows", n)
	}
	s.Rows(nil)[0].Open = true
	s.sees("▾ step", "You carry out one step")
}

// A row is drawn once, however often it is looked at.
func TestDrawnOnce(t *testing.T) {
	s := open(t)
	s.says(said(1, "words"))
	a := s.Rows(nil)[0].Lines(40)
	s.says(said(2, "more"))
	if b := s.Rows(nil)[0].Lines(40); &a[0] != &b[0] {
		t.Error("it was drawn again")
	}
	if b := s.Rows(nil)[0].Lines(50); &a[0] == &b[0] {
		t.Error("it was not drawn for the new width")
	}
}

// What was denied did not fail.
func TestDeniedCall(t *testing.T) {
	s := open(t)
	m := stands(1, "c", clew.MessageTool{Status: clew.ToolError, Error: "a sentence", WhyCode: clew.EndDenied})
	m.IsAnswered, m.Answer = true, &clew.MessageAnswer{Action: clew.ResolvedReject, By: "ann"}
	s.says(m)
	s.sees("⊘ ▸ Read  a.txt", "denied by ann\n")
	if text := shown(s.Feed, 60); strings.Contains(text, "failed") || strings.Contains(text, "✕") {
		t.Errorf("it is said to have failed:\n%s", text)
	}
}

// A step has the mark that it has in the plan.
func TestStepMarks(t *testing.T) {
	brief := said(2, "Do it.")
	brief.Role, brief.AgentID, brief.Summary, brief.TaskID = clew.SpeakerUser, "run", "Do it.", "t1"
	for mark, status := range map[string]clew.TodoStatus{
		"○": clew.TodoPending, "◐": clew.TodoInProgress, "●": clew.TodoCompleted, "✕": clew.TodoFailed, "⊘": clew.TodoSkipped,
	} {
		s := open(t)
		s.says(brief)
		s.sees("○ ▸ step  Do it.")
		s.change(clew.StateChangedData{Put: clew.StatePut{Todo: []clew.TodoInfo{{Of: "r", Todo: clew.Todo{ID: "a", TaskID: "t1", Status: status}}}}})
		s.sees(mark + " ▸ step  Do it.")
	}
}

// A subtask that is completed is done.
func TestSubtaskMark(t *testing.T) {
	told := said(1, "Look it up.")
	told.Role, told.AgentID, told.TaskID = clew.SpeakerUser, "main", "child"
	s := open(t)
	s.says(told)
	child := clew.TaskInfo{TaskRef: clew.TaskRef{TaskID: "child"}, Status: clew.TaskStatusActive}
	s.change(clew.StateChangedData{Put: clew.StatePut{Task: []clew.TaskInfo{child}}})
	s.sees("○ ▸ told  Look it up.")
	child.Status = clew.TaskStatusCompleted
	s.change(clew.StateChangedData{Put: clew.StatePut{Task: []clew.TaskInfo{child}}})
	s.sees("● ▸ told  Look it up.")
}

// What an ephemeral agent says is marked, and with a monitor only its messages are shown.
//
// Covers: AGT-10
func TestRowsOfOtherAgents(t *testing.T) {
	s := open(t)
	beside, other := said(2, "It is noon."), said(3, "Elsewhere.")
	beside.AgentKind, beside.MonitorID, other.MonitorID = clew.AgentEphemeral, "monitor-0", "monitor-1"
	s.says(said(1, "Hello."), beside, other)
	if got := shown(s.Feed, 60); strings.Count(got, "Answered without the conversation") != 1 || !strings.Contains(got, "Elsewhere.") {
		t.Errorf("shown:\n%s", got)
	}
	back := clew.Message{MessageID: clew.MessageIDOf(4), Type: clew.TypeSay, Say: clew.SayUserFeedback, Role: clew.SpeakerUser, Text: "And here?", MonitorID: "monitor-0"}
	answer := said(5, "Here as well.")
	answer.MonitorID = "monitor-0"
	s.says(back, answer)
	if got := shown(s.Feed, 60); strings.Count(got, "On monitor 2") != 1 || strings.Count(got, "you · on monitor 1") != 1 || strings.Count(got, "monitor ") != 2 {
		t.Errorf("where it was said:\n%s", got)
	}
	s = open(t)
	s.Monitor = "monitor-1"
	s.says(beside, other)
	if got := shown(s.Feed, 60); strings.Contains(got, "noon") || !strings.Contains(got, "Elsewhere.") || strings.Contains(got, "monitor 2") {
		t.Errorf("on one monitor:\n%s", got)
	}
}
