package session

import (
	"slices"
	"strings"
	"testing"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/run"
	"github.com/clew-run/clew/internal/session/core"
	"github.com/clew-run/clew/internal/session/decide"
)

// Covers: RUN-27, RUN-32, G-03, WS-068
func TestCancelInEachPhase(t *testing.T) {
	for _, m := range runMoments {
		if m.phase.Ended() {
			continue
		}
		b := newRunMoment(t, m.to, m.phase, false)
		b.askRun("r2") // it waits for the first one
		first := b.root()
		_, types, err := b.ann(&clew.ControlCancelData{Reason: "enough"})
		if err != nil {
			t.Fatal(err)
		}
		c := last[clew.CancelledData](b, 1)[0]
		if first.Run.Phase != run.Cancelled || c.Reason != "enough" || c.Status != clew.ResultCancelled || c.RunID != first.Run.ID || first.Turn != nil {
			t.Errorf("%s: cancelled %+v, the run is %s", m.name, c, first.Run.Phase)
		}
		if done := m.phase == run.Executing || m.name == "responding"; done && !slices.Equal(c.PartialResults.CompletedTodos, []string{"done"}) {
			t.Errorf("%s: the results are %+v", m.name, c.PartialResults)
		}
		if types[len(types)-1] != clew.EventLayerStart || b.root() == first || b.run().Phase != run.Understanding {
			t.Errorf("%s: the next run does not begin: %v", m.name, types)
		}
		b.verify(t)
		b.verifyRun(t)
		b.check(t)
	}
}

// Covers: RUN-25, RUN-26, WS-075, AGT-30
func TestInterruptAndResumeOfARun(t *testing.T) {
	b := newBench()
	b.executing("a", "b", "c<a")
	b.failTodo("a", true)
	was := b.carrier("a")
	ok(t, b, "interrupt", &clew.InterruptData{}, "hitl_paused todo_retried todo_retried execution_progress")
	b.want(t, run.Executing, "a:pending b:pending c:pending")
	if a := b.todo("a"); a.RetryCount != 1 || !was.Ended() || b.s.state.Busy() {
		t.Errorf("interrupted: %+v, its task is %s", a, was.Status)
	}
	ok(t, b, "resume", &clew.ControlResumeData{}, "hitl_resumed todo_started todo_started execution_progress")
	b.want(t, run.Executing, "a:in_progress b:in_progress c:pending")

	agent := string(b.carrier("a").AgentID)
	ok(t, b, "one agent", &clew.InterruptAgentData{Agent: agent}, "todo_failed execution_progress hitl_approval_request")
	b.want(t, run.Executing, "a:failed b:in_progress c:pending")
	if _, _, err := b.ann(&clew.InterruptAgentData{Agent: agent}); clew.CodeOf(err) != clew.TaskNotFound {
		t.Errorf("an agent that is gone: %v", err)
	}
	ok(t, b, "the main agent", &clew.InterruptAgentData{Agent: string(core.MainAgent)}, "hitl_paused")
	if p := last[clew.HitlPausedData](b, 1)[0]; p.PausedBy != "ann" {
		t.Errorf("paused %+v", p)
	}
	b.check(t)
}

// A run waits for the one before it.
func TestRunsOneAfterTheOther(t *testing.T) {
	b := newBench()
	b.executing("a")
	first := b.run()
	budget := &clew.Budget{USD: 2, TimeSec: 60}
	ok(t, b, "another", &clew.UserMessageData{Text: "and then", Mode: clew.ModeRun, Budget: budget}, "")
	b.finishTodo("a")
	expect(t, "the next one begins with the end of the first", b.respondRun(), "layer_complete complete layer_start")
	second := b.run()
	if second == first || second.Phase != run.Understanding || second.Request != "and then" || *second.Budget != *budget || second.ID == first.ID {
		t.Errorf("the second run is %+v", second)
	}
	b.understand()
	b.propose(steps("a")...)
	if second.PlanID == first.PlanID || second.Version != 1 {
		t.Errorf("its plan is %s, version %d", second.PlanID, second.Version)
	}
	if _, _, err := b.ann(&clew.ControlCancelData{TaskID: first.TaskID}); clew.CodeOf(err) != clew.SessionInvalidState || second.Phase != run.Review {
		t.Errorf("a cancel of the first run: %v, the second is %s", err, second.Phase)
	}
	b.approvePlan()
	b.finishTodo("a")
	b.respondRun()
	b.verify(t)
	if runs := b.s.sessionState().Runs; len(runs) != 2 || runs[0].Status != clew.StatusCompleted || len(runs[1].Todos) != 1 {
		t.Errorf("the state shows %+v", runs)
	}
	b.check(t)
}

// After a run its task can be talked to, and that work be cancelled like any.
func TestChatAfterARun(t *testing.T) {
	b := newBench()
	b.executing("a")
	b.finishTodo("a")
	b.respondRun()
	must(b.say("m1"))
	if b.task() != b.root() || b.task().Turn == nil || b.run().Phase != run.Completed || b.s.state.Status() != clew.StatusExecuting {
		t.Errorf("the task in focus is %+v, session %s", b.task(), b.s.state.Status())
	}
	b.think()
	b.verify(t)
	b.verifyRun(t)
	_, types, err := b.ann(&clew.ControlCancelData{})
	if err != nil || !slices.Contains(types, clew.EventTaskAborted) || slices.Contains(types, clew.EventCancelled) {
		t.Errorf("cancel of the chat: %v, %v", types, err)
	}
	b.verify(t)
	must(b.say("m2"))
	b.think()
	must(b.answer(0))
	b.verify(t)
	b.check(t)
}

// Words to a run under way reach all who work on it, and those who come later.
func TestWordsToARun(t *testing.T) {
	b := newBench()
	b.s.state.Rules = steering{}
	b.executing("a", "b", "c<a")
	ok(t, b, "words", &clew.UserMessageData{Text: "mind the cost"}, "")
	for _, x := range []*core.Task{b.root(), b.carrier("a"), b.carrier("b")} {
		if len(x.Inbox) != 1 || x.Inbox[0].Text != "mind the cost" {
			t.Errorf("task %s has heard %+v", x.TodoID, x.Inbox)
		}
	}
	b.finishTodo("a")
	if told := b.carrier("c").Turn.Prompt.Text; !strings.Contains(told, "mind the cost") {
		t.Errorf("the agent of c is told %q", told)
	}
	ok(t, b, "to one todo", &clew.UserMessageData{Text: "hurry", TaskID: b.carrier("b").TaskID}, "")
	if n := len(b.carrier("b").Inbox); n != 2 || len(b.root().Inbox) != 1 {
		t.Errorf("b has heard %d, the root %d", n, len(b.root().Inbox))
	}
	b.check(t)
}

// What was said to a todo's task waits for the run's task when the run ends.
func TestQueueAtTheEndOfARun(t *testing.T) {
	for name, end := range map[string]func(b *bench){
		"reject": func(b *bench) {
			must(b.ann(addTodo("b")))
			if _, err := b.review(clew.ChoiceReject, ""); err != nil {
				panic(err)
			}
		},
		"cancel": func(b *bench) { must(b.ann(&clew.ControlCancelData{})) },
		"fault": func(b *bench) {
			must(b.ann(addTodo("b")))
			if _, err := b.review(clew.ChoiceModify, "x"); err != nil {
				panic(err)
			}
			must(b.reportAs(b.root(), func(tx *decide.Tx, s *core.State, task *core.Task) {
				decide.FailRunTurn(tx, s, task, nil, decide.TurnEnd{Reason: "ended by a failure", Code: clew.EndFailed}, clew.Errorf(clew.ProviderError, "away"))
			}))
		},
	} {
		b := newBench()
		b.executing("a")
		root := b.root()
		must(b.ann(&clew.UserMessageData{Text: "faster", TaskID: b.carrier("a").TaskID}))
		end(b)
		b.verify(t)
		b.verifyRun(t)
		if root.Turn == nil || root.Turn.Prompt.Text != "faster" || len(b.s.state.Main().Queue) != 0 || len(last[clew.TaskCreatedData](b, 9)) != 2 {
			t.Errorf("%s: the root has the turn %+v, %d wait", name, root.Turn, len(b.s.state.Main().Queue))
		}
		b.check(t)
	}
}

// A fault of the root's agent ends the run; that of a todo's agent is a failure
// like any other.
//
// Covers: RUN-32
func TestFaults(t *testing.T) {
	b := newBench()
	b.executing("a")
	fault := func(task *core.Task) []clew.EventType {
		_, types, err := b.reportAs(task, func(tx *decide.Tx, s *core.State, task *core.Task) {
			decide.FailRunTurn(tx, s, task, nil, decide.TurnEnd{Reason: "ended by a failure", Code: clew.EndFailed}, clew.Errorf(clew.ProviderError, "away"))
		})
		if err != nil {
			t.Fatal(err)
		}
		return types
	}
	expect(t, "of a todo", fault(b.carrier("a")), "todo_failed todo_retried todo_started execution_progress")
	b.finishTodo("a")
	expect(t, "of the root", fault(b.root()), "failed")
	b.want(t, run.Failed, "a:completed")
	if f := last[clew.FailedData](b, 1)[0]; f.Error.Code != clew.ProviderError || f.Error.Recoverable || len(f.PartialResults.AvailableData) != 1 {
		t.Errorf("failed %+v", f)
	}
	b.check(t)
}

// Subtasks of a todo's agent do not take the focus from the run, and a no to
// their questions is a no to the todo.
func TestSubtasksOfATodo(t *testing.T) {
	b := newBench()
	b.executing("a", "b")
	root := b.root().TaskID
	spawn := func() *core.Task {
		b.as(b.carrier("a"), func() { b.spawn(b.call()) })
		b.verify(t)
		b.verifyRun(t)
		return b.s.state.Task(b.carrier("a").AwaitingChild)
	}
	sub := spawn()
	if b.s.state.Main().Current != root || sub.Depth != 1 {
		t.Errorf("in focus is %s, the subtask is %+v", b.s.state.Main().Current, sub)
	}
	b.as(sub, func() { b.call(); must(b.complete(b.pick(0))) })
	b.verify(t)
	if b.s.state.Main().Current != root || b.carrier("a").AwaitingChild != "" {
		t.Errorf("in focus is %s", b.s.state.Main().Current)
	}
	sub = spawn()
	b.as(sub, func() { b.approval(clew.AskMistakeLimitReached, "", core.LimitMistakes) })
	expect(t, "a no", b.answersOpen(clew.ChoiceReject), "hitl_resolved todo_failed execution_progress hitl_approval_request")
	b.want(t, run.Executing, "a:failed b:in_progress")
	if !sub.Ended() {
		t.Errorf("the subtask is %s", sub.Status)
	}
	b.check(t)
}

// answersOpen answers the only open question.
func (b *bench) answersOpen(action clew.Choice) []clew.EventType {
	_, types, err := b.ann(&clew.HitlApprovalResponseData{RequestID: b.open().RequestID, Action: action})
	if err != nil {
		panic(err)
	}
	return types
}
