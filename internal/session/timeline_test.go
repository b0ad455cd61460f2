package session_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/journal/journaltest"
	"github.com/clew-run/clew/internal/session"
	"github.com/clew-run/clew/internal/session/view"
)

// story is a session with one of everything that a timeline has marks for.
func story(s *scribe) {
	ask := func(m clew.Message) clew.MessageID {
		m.MessageID, m.TS, m.Type, m.Role, m.TaskID = clew.MessageIDOf(s.head.Seq+1), s.head.TS+1, clew.TypeAsk, clew.SpeakerAssistant, "task_1"
		s.write(clew.EventMessageCreated, &clew.MessageCreatedData{Message: m})
		return m.MessageID
	}
	person := clew.Message{
		MessageID: clew.MessageIDOf(s.head.Seq + 1), TS: s.head.TS + 1, Type: clew.TypeSay, Say: clew.SayUserFeedback, Role: clew.SpeakerUser,
		Text: "sweep\nthe   yard", TaskID: "task_1",
	}
	s.write(clew.EventMessageCreated, &clew.MessageCreatedData{Message: person})
	s.write(clew.EventModelMessage, &clew.ModelMessageData{TaskID: "task_1", Message: clew.ModelMessage{
		Role: clew.SpeakerAssistant, Content: clew.List[clew.Part]{{Type: clew.PartToolUse, ToolCallID: "c1", Tool: "run", Input: []byte(`{"exact":1}`)}},
	}})
	i := s.say("", true)
	s.finish(i, "I will sweep.")
	id := ask(clew.Message{Ask: clew.AskTool, Text: `{"tool":"run","input":{"n":1}}`, Summary: "with a broom", ToolCallID: "c1", IsAnswered: true})
	s.write(clew.EventToolProgress, &clew.ToolProgressData{
		ToolCallID: "c1", Tool: "run", Status: clew.ToolRunning, TaskID: "task_1", MessageID: id, Class: clew.ClassOnce,
		Effect: &clew.Effect{Summary: "it runs", Diff: "+swept"},
	})
	s.write(clew.EventToolProgress, &clew.ToolProgressData{
		ToolCallID: "c1", Tool: "run", Status: clew.ToolComplete, TaskID: "task_1", MessageID: id, Output: "swept", DurationMS: 7, Images: []string{"blob:x"},
	})
	s.write(clew.EventCheckpointSaved, &clew.CheckpointSavedData{ToHash: "h1", Reason: "after run"})
	q := ask(clew.Message{Ask: clew.AskCommand, Text: "May I burn the leaves?", RequestID: "req_1", ToolCallID: "c2"})
	s.write(clew.EventHitlApprovalRequest, &clew.HitlApprovalRequestData{
		Asking: clew.Asking{RequestID: "req_1", MessageID: q, TaskID: "task_1", ToolCallID: "c2"}, Tool: "burn", Input: json.RawMessage(`{"what":"leaves"}`),
		Effect: &clew.Effect{Summary: "it burns"},
	})
	s.write(clew.EventHitlResolved, &clew.HitlResolvedData{RequestID: "req_1", Action: clew.ResolvedReject, ResolvedBy: "ann", Comment: "no fire"})
	s.write(clew.EventToolProgress, &clew.ToolProgressData{ToolCallID: "c2", Tool: "burn", Status: clew.ToolError, TaskID: "task_1", MessageID: q, Error: "denied by a person"})
	s.write(clew.EventError, clew.NewErrorData(clew.Errorf(clew.ProviderError, "away"), clew.ErrorContext{}))
	s.write(clew.EventTaskCreated, &clew.TaskCreatedData{TaskRef: clew.TaskRef{TaskID: "task_2", RootTaskID: "task_2"}, Task: "a plan", RunID: "run_2"})
	brief := person
	brief.MessageID, brief.TS, brief.Say, brief.AgentID, brief.Text = clew.MessageIDOf(s.head.Seq+1), s.head.TS+1, clew.SayText, "main", "Do step one."
	s.write(clew.EventMessageCreated, &clew.MessageCreatedData{Message: brief})
	s.write(clew.EventSessionForked, &clew.SessionForkedData{SessionID: "other", FromMessageID: brief.MessageID})
}

func words(line view.Timeline) string {
	var b strings.Builder
	for _, m := range line.Marks {
		hidden := ""
		if m.Hidden {
			hidden = "-"
		}
		fmt.Fprintf(&b, "%s%s: %s\n", hidden, m.Kind, m.Label)
	}
	return b.String()
}

func TestTimeline(t *testing.T) {
	j := new(journaltest.Memory).Node("a")
	s := newScribe(t, j, "s")
	story(s)
	h := start(t, j, session.Config{})
	w := watch(t, h, "s")
	line, err := w.Timeline(t.Context(), view.TimelineQuery{})
	const told = `user: sweep the yard
assistant: I will sweep.
tool: run with a broom
checkpoint: after run
question: May I burn the leaves?
answer: reject: no fire
error: away
run: began: a plan
assistant: Do step one.
fork: forked to other
`
	if got := words(line); err != nil || got != told || line.Total != 10 || line.Marks[9].Session != "other" || line.Next != 0 {
		t.Fatalf("%v\n%s%+v", err, got, line)
	}
	var parts strings.Builder
	for _, m := range line.Marks {
		fmt.Fprintf(&parts, "%s|%s|%s|%s|%v", m.Kind, m.What, m.Subject, m.Words, m.Target)
		if m.Asked != nil {
			fmt.Fprintf(&parts, "|%+v", *m.Asked)
		}
		parts.WriteString("\n")
	}
	const fields = `user||||true
assistant||||true
tool|run|with a broom||true
checkpoint|after|run||false
question||||true|{Kind:tool Subject:{"what":"leaves"} Tool:burn}
answer|reject|May I burn the leaves?|no fire|true|{Kind:tool Subject:{"what":"leaves"} Tool:burn}
error||||false
run|began|a plan||false
assistant||||true
fork||||false
`
	if got := parts.String(); got != fields {
		t.Errorf("fields of the marks\n%s", got)
	}
	question := line.Marks[4]
	part, err := w.Timeline(t.Context(), view.TimelineQuery{FromTS: line.Marks[2].TS, ToTS: question.TS})
	if err != nil || len(part.Marks) != 3 || part.FromTS != line.Marks[2].TS || part.ToTS != question.TS {
		t.Errorf("%v\n%s%+v", err, words(part), part)
	}

	do(t, h, "s", clew.Command{Type: clew.CommandRewind, By: ann, Data: &clew.RewindData{Target: clew.Target{MessageID: question.MessageID}}})
	do(t, h, "s", say("c9", "rake instead"))
	line, err = w.Timeline(t.Context(), view.TimelineQuery{})
	if got := words(line); err != nil || !strings.HasSuffix(got, "checkpoint: after run\nrewind: back to before "+string(question.MessageID)+"\nuser: rake instead\n") {
		t.Errorf("%v\n%s", err, got)
	}
	if m := line.Marks[len(line.Marks)-2]; m.Removed != 2 || m.Restored != 0 || m.What != "before" || m.Subject != string(question.MessageID) || m.Target {
		t.Errorf("the rewind took back: %+v", m)
	}
	line, _ = w.Timeline(t.Context(), view.TimelineQuery{Hidden: true})
	if slices.ContainsFunc(line.Marks, func(m view.Mark) bool { return m.Hidden && m.Target }) {
		t.Errorf("what is hidden is no place to go back to: %+v", line.Marks)
	}
	if got := words(line); !strings.Contains(got, "-question: May I burn") || !strings.Contains(got, "\nrewind: ") || strings.Contains(got, "-user: sweep") {
		t.Errorf("%s", got)
	}

	// The transcript as it was knows the question and its answer; today's does not.
	page, err := w.Page(t.Context(), view.PageQuery{AsOf: question.MessageID})
	if err != nil || len(page.Messages) != 4 || page.Messages[3].MessageID != question.MessageID || page.Messages[3].Answer == nil || page.Messages[3].Tool == nil {
		t.Errorf("as of the question: %+v, %v", page.Messages, err)
	}
	page, err = w.Page(t.Context(), view.PageQuery{AsOf: line.Marks[0].MessageID})
	if err != nil || len(page.Messages) != 1 || page.Total != 1 {
		t.Errorf("as of the first message: %+v, %v", page, err)
	}
}

// The transcript as it was comes with its tasks as they stood then, and with those that
// started them.
func TestTasksAsTheyStoodThen(t *testing.T) {
	j := new(journaltest.Memory).Node("a")
	s := newScribe(t, j, "s")
	ref := func(id, parent clew.TaskID) clew.TaskRef {
		return clew.TaskRef{TaskID: id, ParentTaskID: parent, RootTaskID: "task_1"}
	}
	says := func(task clew.TaskID) clew.MessageID {
		id := clew.MessageIDOf(s.head.Seq + 1)
		s.write(clew.EventMessageCreated, &clew.MessageCreatedData{Message: clew.Message{
			MessageID: id, TS: s.head.TS + 1, Type: clew.TypeSay, Say: clew.SayText, Role: clew.SpeakerAssistant, Text: "words", TaskID: task,
		}})
		return id
	}
	s.write(clew.EventTaskCreated, &clew.TaskCreatedData{TaskRef: ref("task_1", ""), Task: "All"})
	s.write(clew.EventTaskCreated, &clew.TaskCreatedData{TaskRef: ref("task_2", "task_1"), Task: "A part"})
	s.write(clew.EventTaskCreated, &clew.TaskCreatedData{TaskRef: ref("task_3", "task_2"), Task: "A part of it"})
	s.write(clew.EventTaskCreated, &clew.TaskCreatedData{TaskRef: ref("task_4", "task_1"), Task: "Silent"})
	early := says("task_3")
	late := says("task_3")
	s.write(clew.EventTaskCompleted, &clew.TaskCompletedData{TaskRef: ref("task_3", "task_2"), ResultSummary: "found"})
	w := watch(t, start(t, j, session.Config{}), "s")
	for id, want := range map[clew.MessageID]string{early: "", late: "found"} {
		page, err := w.Page(t.Context(), view.PageQuery{AsOf: id})
		if err != nil || len(page.Tasks) != 3 {
			t.Fatalf("%v: %+v", err, page.Tasks)
		}
		if got := page.Tasks[2]; got.TaskID != "task_3" || got.ParentTaskID != "task_2" || got.Text != "A part of it" || got.Result != want || (got.EndedMS != 0) != (want != "") {
			t.Errorf("as of %s: %+v", id, got)
		}
	}
	if page, err := w.Page(t.Context(), view.PageQuery{}); err != nil || page.Tasks != nil {
		t.Errorf("today's tasks are in the state: %+v, %v", page.Tasks, err)
	}
}

// What a call was about is told without the form that its input has.
func TestSubjectOfACall(t *testing.T) {
	for summary, want := range map[string]string{
		`{"pattern":"a\\d+","path":"src"}`: `a\d+ src`, `{"command":"go test ./...","description":"tests"}`: "go test ./...",
		`{"n":1}`: `{"n":1}`, `{}`: "", "with a broom": "with a broom", `{"path":"a`: `{"path":"a`,
	} {
		j := new(journaltest.Memory).Node("a")
		s := newScribe(t, j, "s")
		s.write(clew.EventMessageCreated, &clew.MessageCreatedData{Message: clew.Message{
			MessageID: clew.MessageIDOf(s.head.Seq + 1), TS: s.head.TS + 1, Type: clew.TypeAsk, Ask: clew.AskTool, Role: clew.SpeakerAssistant,
			Text: `{"tool":"look"}`, Summary: summary, ToolCallID: "c1", IsAnswered: true,
		}})
		line, err := watch(t, start(t, j, session.Config{}), "s").Timeline(t.Context(), view.TimelineQuery{})
		if err != nil || len(line.Marks) != 1 || line.Marks[0].Subject != want || line.Marks[0].Label != strings.TrimSpace("look "+want) {
			t.Errorf("%s: %+v, %v", summary, line.Marks, err)
		}
	}
}

func TestToolCall(t *testing.T) {
	j := new(journaltest.Memory).Node("a")
	s := newScribe(t, j, "s")
	story(s)
	w := watch(t, start(t, j, session.Config{}), "s")
	line, err := w.Timeline(t.Context(), view.TimelineQuery{})
	if err != nil {
		t.Fatal(err)
	}
	ran, asked := line.Marks[2].MessageID, line.Marks[4].MessageID
	c, err := w.ToolCall(t.Context(), "c1", ran)
	if err != nil || c.Tool != "run" || string(c.Input) != `{"exact":1}` || c.Effect.Diff != "+swept" || c.Class != clew.ClassOnce ||
		c.Status != clew.ToolComplete || c.Output != "swept" || c.DurationMS != 7 || len(c.Images) != 1 || c.StartedMS == 0 || c.EndedMS <= c.StartedMS {
		t.Errorf("%+v, %v", c, err)
	}
	c, err = w.ToolCall(t.Context(), "c2", asked)
	if err != nil || c.Tool != "burn" || string(c.Input) != `{"what":"leaves"}` || c.Effect.Summary != "it burns" || c.Status != clew.ToolError ||
		c.Error != "denied by a person" || c.StartedMS != 0 || c.Answer == nil || c.Answer.By != "ann" || c.RequestID != "req_1" {
		t.Errorf("%+v, %v", c, err)
	}
	for id, message := range map[string]clew.MessageID{"c9": ran, "c1": asked, "c2": line.Marks[0].MessageID, "": ran, "c": clew.MessageIDOf(1 << 40)} {
		if c, err := w.ToolCall(t.Context(), id, message); clew.CodeOf(err) != clew.MessageNotFound {
			t.Errorf("%q of %s: %+v, %v", id, message, c, err)
		}
	}
}

// Pages around and after a message, from the tail and from the journal, are what
// the whole transcript has there.
func TestPagesAroundAndAfter(t *testing.T) {
	j := new(journaltest.Memory).Node("a")
	s := newScribe(t, j, "s")
	many(s, 300)
	s.other(50)
	many(s, 300)
	w := watch(t, start(t, j, session.Config{}), "s")
	n := len(s.messages)
	for _, i := range []int{0, 1, 150, 299, 300, 399, 400, 401, 597, n - 1} {
		for _, limit := range []int{1, 2, 9, 50} {
			id := s.messages[i].MessageID
			after, err := w.Page(t.Context(), view.PageQuery{After: id, Limit: limit})
			checkIDs(t, fmt.Sprintf("after %d, limit %d", i, limit), s.messages[i+1:min(i+1+limit, n)], after, err)
			around, err := w.Page(t.Context(), view.PageQuery{Around: id, Limit: limit})
			from := max(0, i-limit/2)
			checkIDs(t, fmt.Sprintf("around %d, limit %d", i, limit), s.messages[from:min(max(from+limit, i+1), n)], around, err)
			if newest := len(around.Messages) == 0 || around.Messages[len(around.Messages)-1].MessageID == s.messages[n-1].MessageID; newest != (around.Newer == "") || (from == 0) != (around.Next == "") {
				t.Errorf("around %d, limit %d: next %q, newer %q", i, limit, around.Next, around.Newer)
			}
		}
	}
	if _, err := w.Page(t.Context(), view.PageQuery{Around: clew.MessageIDOf(1 << 40)}); clew.CodeOf(err) != clew.MessageNotFound {
		t.Errorf("around what is not there: %v", err)
	}
	var all int
	for after := clew.MessageIDOf(1); after != ""; {
		page, err := w.Page(t.Context(), view.PageQuery{After: after, Limit: 77})
		if err != nil {
			t.Fatal(err)
		}
		all += len(page.Messages)
		after = page.Newer
	}
	if all != n {
		t.Errorf("a walk forward meets %d messages of %d", all, n)
	}
}

func checkIDs(t *testing.T, name string, want []clew.Message, got clew.MessagesPage, err error) {
	t.Helper()
	if err != nil || !slices.EqualFunc(got.Messages, want, func(a, b clew.Message) bool { return a.MessageID == b.MessageID }) {
		t.Errorf("%s: %d messages, want %d, %v", name, len(got.Messages), len(want), err)
	}
}
