package session

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/session/core"
	"github.com/clew-run/clew/internal/session/decide"
)

// proposes has an agent hear what it was told and answer with a call.
func (b *bench) proposes(t *core.Task, id, tool string) core.Call {
	must(b.reportAs(t, func(tx *decide.Tx, _ *core.State, t *core.Task) {
		for _, in := range decide.Waiting(t) {
			tx.Add(&clew.ModelMessageData{TaskID: t.TaskID, AgentID: t.AgentID, Message: decide.Heard(in, tx.NextTS())})
		}
		tx.Add(&clew.ModelMessageData{TaskID: t.TaskID, AgentID: t.AgentID, Message: clew.ModelMessage{
			Role: clew.SpeakerAssistant, Content: clew.List[clew.Part]{{Type: clew.PartToolUse, ToolCallID: id, Tool: tool, Input: []byte(`{}`)}},
		}})
	}))
	return *t.Call(id)
}

// intends is intent with what came of a try for a slot.
func (b *bench) intends(t *core.Task, in decide.Intent, slot bool) []clew.EventType {
	_, types, err := b.do(clew.Command{By: by("agent"), Data: &decide.SlotCommand{
		Command: &decide.TurnReport{Task: t.TaskID, Turn: t.Turn.ID, LastRewindSeq: b.s.state.LastRewindSeq, Intent: in}, Slot: slot,
	}})
	if err != nil {
		panic(err)
	}
	return types
}

// delegates has a task's agent give away a part of the work.
func (b *bench) delegates(t *core.Task, id string, wait bool) *core.Task {
	c := b.proposes(t, id, "delegate")
	b.intends(t, decide.Delegate{Plan: decide.CallPlan{Call: c, Class: clew.ClassRepeatable}, Goal: "goal of " + id, Profile: clew.ProfileWeb, Mode: "web", Wait: wait}, true)
	return b.newest()
}

// completes has a task's agent reach its goal.
func (b *bench) completes(t *core.Task, text string) []clew.EventType {
	c := b.proposes(t, "done-"+string(t.TaskID), "attempt_completion")
	return b.intends(t, decide.CompleteTask{Call: c, Text: text}, false)
}

// A task that is delegated without waiting begins with the conversation and works beside
// the main agent, which is free. Its result wakes the main agent.
//
// Covers: AGT-16, AGT-19, AGT-22, C-53, TOOL-08
func TestDelegateWithoutWaiting(t *testing.T) {
	b := newBench()
	b.atWork()
	s, main := b.s.state, b.task()
	one := b.delegates(main, "d1", false)
	two := b.delegates(main, "d2", false)
	if one.AgentID != core.TaskAgent(one.TaskID) || one.Kind() != clew.AgentTask || !strings.HasPrefix(one.Role(), "task-"+string(one.Turn.ID)+"-") || one.Mode != "web" || s.Main().Current != main.TaskID || main.AwaitingChild != "" {
		t.Fatalf("the child is %+v", one)
	}
	if len(one.History) != 1 || len(two.History) != 3 || one.History[0].MessageID != main.History[0].MessageID || two.History[2].Content[0].ToolCallID != "d1" {
		t.Errorf("the children begin with %d and %d messages", len(one.History), len(two.History))
	}
	checkHistory(t, two.History)
	b.verify(t)
	must(b.reportAs(main, idle))
	if s.AtWorkOn("") || !s.AtWork() {
		t.Error("the main agent is not free")
	}
	must(b.say("next"))
	if main.Turn == nil || len(s.Main().Queue) != 0 {
		t.Errorf("the next message waits: %+v", s.Main().Queue)
	}
	if types := b.completes(one, "found it"); !slices.Contains(types, clew.EventMessageQueued) || !one.Ended() {
		t.Errorf("gives %v", types)
	}
	must(b.say("and then")) // comes first
	if q := queued(s.Main()); len(q) != 2 || q[0] != "hello" || !strings.Contains(q[1], "found it") {
		t.Errorf("waiting: %q", q)
	}
	b.verify(t)
	must(b.reportAs(main, idle))
	must(b.reportAs(main, idle))
	woken := s.Message(main.Turn.ID)
	if !strings.Contains(woken.Text, "found it") || woken.AgentID != one.AgentID || woken.AgentKind != clew.AgentTask || s.Main().Wakes != 1 {
		t.Errorf("woken by %+v, %d times", woken, s.Main().Wakes)
	}
	must(b.reportAs(main, idle))
	b.completes(two, "the other")
	if main.Turn == nil || !strings.Contains(s.Message(main.Turn.ID).Text, "the other") || s.Main().Wakes != 2 {
		t.Errorf("the main agent was free and has %+v", main.Turn)
	}
	must(b.reportAs(main, idle))
	must(b.say("thanks"))
	if s.Main().Wakes != 0 {
		t.Error("a person spoke, and the count goes on")
	}
	b.verify(t)
	b.check(t)
}

// Without a slot the model is told so; with wait the parent waits as for any subtask.
//
// Covers: G-07
func TestDelegateNeedsASlot(t *testing.T) {
	b := newBench()
	b.atWork()
	main := b.task()
	c := b.proposes(main, "d1", "delegate")
	b.intends(main, decide.Delegate{Plan: decide.CallPlan{Call: c}, Goal: "x"}, false)
	if n := len(b.s.state.Tasks); n != 1 || !strings.Contains(main.History[len(main.History)-1].Content[0].Text, "as many agents") {
		t.Errorf("%d tasks, the model hears %+v", n, main.History[len(main.History)-1])
	}
	child := b.delegates(main, "d2", true)
	if main.AwaitingChild != child.TaskID || len(child.History) == 0 || b.s.state.Main().Current != child.TaskID {
		t.Errorf("the parent is %+v", main)
	}
	b.completes(child, "done")
	if main.AwaitingChild != "" || main.Turn == nil || main.History[len(main.History)-1].Content[0].Text != "done" {
		t.Errorf("the parent has %+v", main.History[len(main.History)-1])
	}
	b.verify(t)
	b.check(t)
}

// Results that wake an agent again and again, while nobody says anything, end with a
// question.
func TestWakesWithoutAPerson(t *testing.T) {
	b := newBench()
	b.atWork()
	s, main := b.s.state, b.task()
	for i := range core.DefaultAgentRules.Wakes + 1 {
		child := b.delegates(main, fmt.Sprint("d", i), false)
		must(b.reportAs(main, idle))
		b.completes(child, "again")
		b.verify(t)
	}
	if len(s.Questions) != 1 || core.SubjectOfQuestion(s.Questions[0]).Limit != core.LimitWakes || s.Runnable(main) || main.Turn == nil {
		t.Fatalf("%d wakes, questions %+v", s.Main().Wakes, s.Questions)
	}
	must(b.ann(&clew.HitlApprovalResponseData{RequestID: s.Questions[0].RequestID(), Action: clew.ChoiceApprove}))
	if !s.Runnable(main) || s.Main().Wakes != 0 {
		t.Errorf("after the answer: %d wakes, %+v", s.Main().Wakes, main.Turn)
	}
	b.verify(t)
	b.check(t)
}

// Delegated tasks end with a stop of all agents, or of one, and where they were
// delegated one reads so. Those that fail wake their parent.
func TestDelegatedTasksEnd(t *testing.T) {
	for name, end := range map[string]func(b *bench, child *core.Task){
		"all":       func(b *bench, _ *core.Task) { must(b.ann(&clew.InterruptData{})) },
		"one":       func(b *bench, c *core.Task) { must(b.ann(&clew.InterruptAgentData{Agent: c.Role()})) },
		"cancelled": func(b *bench, c *core.Task) { must(b.ann(&clew.ControlCancelData{TaskID: c.TaskID})) },
		"failed": func(b *bench, c *core.Task) {
			b.intends(c, decide.TurnFailure{Err: clew.Errorf(clew.ExecutionFailed, "the disk is gone")}, false)
		},
	} {
		b := newBench()
		b.atWork()
		main := b.task()
		child := b.delegates(main, "d1", false)
		below := b.delegates(child, "d2", true)
		if name == "failed" {
			b.completes(below, "ok")
		}
		end(b, child)
		s := b.s.state
		if !child.Ended() || !below.Ended() || (main.Turn == nil) != (name == "all") {
			t.Errorf("%s: the child is %s, the one below %s, main %+v", name, child.Status, below.Status, main.Turn)
		}
		told := slices.ContainsFunc(s.Messages.Tail(), func(m clew.Message) bool {
			return m.Say == clew.SaySubtaskResult && m.TaskID == main.TaskID
		})
		if !told || len(s.Main().Queue) != map[bool]int{true: 1}[name == "failed"] {
			t.Errorf("%s: told: %v, waiting %v", name, told, queued(s.Main()))
		}
		b.verify(t)
		b.check(t)
	}
}

// A snapshot has what histories share once, and reads the same.
func TestForkedHistoriesAreWrittenOnce(t *testing.T) {
	b := newBench()
	b.create()
	must(b.ann(&clew.UserMessageData{Text: strings.Repeat("long ", 20_000)}))
	main := b.task()
	before, _ := b.s.state.Encode()
	for i := range 10 {
		b.delegates(main, fmt.Sprint("d", i), false)
	}
	after, _ := b.s.state.Encode()
	if len(after) > len(before)+200_000 { // the first message stands in the transcript and in the history
		t.Errorf("%d bytes became %d", len(before), len(after))
	}
	again, err := core.DecodeState("s", after)
	if err != nil {
		t.Fatal(err)
	}
	if n := len(again.Task(b.newest().TaskID).History); n != len(b.newest().History) || n < 19 {
		t.Errorf("%d messages, want %d", n, len(b.newest().History))
	}
	if twice, _ := again.Encode(); string(twice) != string(after) {
		t.Error("a second snapshot differs")
	}
	b.check(t)
}
