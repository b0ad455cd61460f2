package session

import (
	"fmt"
	"testing"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/nightly"
	"github.com/clew-run/clew/internal/run"
	"github.com/clew-run/clew/internal/session/core"
	"github.com/clew-run/clew/internal/session/decide"
)

// limits has an agent of the run ask whether to go on past a limit.
func (b *bench) limits(t *core.Task, limit string) {
	must(b.reportAs(t, func(tx *decide.Tx, s *core.State, task *core.Task) {
		q := clew.HitlApprovalRequestData{Ask: clew.AskAutoApprovalMaxReqReached, Limit: limit, Reason: "go on?", Options: yesNo}
		decide.ScopeToRun(s, task, &q.Asking, b.s.state.RunRules().ApprovalSec)
		decide.AskApproval(tx, s, task, q)
	}))
}

// A budget is the whole run's: one question holds up all of it.
func TestBudgetsHoldUpTheRun(t *testing.T) {
	for _, limit := range []string{core.LimitBudget, core.LimitTime} {
		b := newBench()
		b.executing("a", "b", "c<a")
		b.limits(b.carrier("a"), limit)
		b.verify(t)
		b.verifyRun(t)
		s := b.s.state
		if s.Busy() || s.MayBegin(b.carrier("b")) || s.MayBegin(b.root()) || len(s.Questions) != 1 || s.Status() != clew.StatusAwaitingInput {
			t.Errorf("%s: busy %v, session %s", limit, s.Busy(), s.Status())
		}
		expect(t, "what was begun ends", b.finishTodo("b"), "todo_completed execution_progress")
		expect(t, "yes", b.answersOpen(clew.ChoiceApprove), "hitl_resolved")
		if raised, more := b.root().Raised, b.run().Extended; raised+more != 1 || more != 0 {
			t.Errorf("%s: money raised %d times, time %d", limit, raised, more)
		}
		if !s.Runnable(b.carrier("a")) {
			t.Errorf("%s: nobody goes on", limit)
		}
		b.limits(b.carrier("a"), limit)
		expect(t, "no", b.answersOpen(clew.ChoiceReject), "hitl_resolved cancelled")
		b.want(t, run.Cancelled, "a:pending b:completed c:pending")
		b.check(t)
	}
}

// Other limits are those of one agent: a no fails its todo, or ends the run if
// it is the root's.
func TestLimitsOfOneAgent(t *testing.T) {
	b := newBench()
	b.executing("a", "b")
	b.limits(b.carrier("a"), core.LimitSteps)
	if !b.s.state.Busy() {
		t.Error("all wait for one agent's question")
	}
	expect(t, "no to a todo", b.answersOpen(clew.ChoiceReject), "hitl_resolved todo_failed execution_progress hitl_approval_request")
	b.want(t, run.Executing, "a:failed b:in_progress")
	b.decideTodo("a", clew.ChoiceSkip)
	b.finishTodo("b")
	b.limits(b.root(), core.LimitMistakes)
	expect(t, "no to the root", b.answersOpen(clew.ChoiceReject), "hitl_resolved cancelled")
	b.want(t, run.Cancelled, "a:skipped b:completed")
	b.check(t)
}

// What silence means to each question of a run.
//
// Covers: RUN-20, RUN-21
func TestSilenceInARun(t *testing.T) {
	clarify := func(b *bench) {
		b.startRun()
		b.as(b.root(), func() {
			c := b.call()
			must(b.report(func(tx *decide.Tx, s *core.State, task *core.Task) {
				q := clew.HitlClarificationData{OriginalInput: task.Run.Request, Ambiguity: "two of what", Question: "which?", InputType: clew.InputText, Required: true}
				q.ToolCallID, q.TimeoutSec = c.ID, b.s.state.RunRules().ClarifySec
				decide.AskClarification(tx, s, task, q)
			}))
		})
	}
	input := func(required bool, value any) func(b *bench) {
		return func(b *bench) {
			b.executing("a")
			b.as(b.carrier("a"), func() {
				c := b.call()
				must(b.report(func(tx *decide.Tx, s *core.State, task *core.Task) {
					q := clew.HitlInputRequestData{Question: "which?", InputType: clew.InputText, Required: required, DefaultValue: value}
					q.ToolCallID = c.ID
					decide.ScopeToRun(s, task, &q.Asking, b.s.state.RunRules().InputSec)
					decide.AskInput(tx, s, task, q)
				}))
			})
		}
	}
	for _, tt := range []struct {
		name    string
		to      func(b *bench)
		timeout int
		want    string
		phase   run.Phase
	}{
		{"plan review", func(b *bench) { b.reviewing("a") }, 300, "hitl_resolved error cancelled", run.Cancelled},
		{"review of a change", func(b *bench) { b.executing("a"); must(b.ann(addTodo("b"))) }, 300, "hitl_resolved error cancelled", run.Cancelled},
		{"cost", func(b *bench) { b.executing("a$1", "b<a") }, 600, "hitl_resolved error todo_skipped todo_started execution_progress", run.Executing},
		{"failure", func(b *bench) { b.executing("a"); b.failTodo("a", false) }, 600, "hitl_resolved error failed", run.Failed},
		{"clarification", clarify, 300, "hitl_resolved error cancelled", run.Cancelled},
		{"required input", input(true, nil), 300, "hitl_resolved error cancelled", run.Cancelled},
		{"input with a default", input(true, "blue"), 300, "hitl_resolved error", run.Executing},
		{"input that is not required", input(false, nil), 300, "hitl_resolved error", run.Executing},
		{"steps", func(b *bench) { b.executing("a"); b.limits(b.carrier("a"), core.LimitSteps) }, 600, "hitl_resolved error todo_failed execution_progress hitl_approval_request", run.Executing},
		{"budget", func(b *bench) { b.executing("a"); b.limits(b.carrier("a"), core.LimitBudget) }, 600, "hitl_resolved error cancelled", run.Cancelled},
		{"time", func(b *bench) { b.executing("a"); b.limits(b.root(), core.LimitTime) }, 600, "hitl_resolved error cancelled", run.Cancelled},
	} {
		b := newBench()
		tt.to(b)
		b.verify(t)
		b.verifyRun(t)
		a := b.open()
		if a.TimeoutSec != tt.timeout || a.RunID != b.run().ID {
			t.Errorf("%s: asked %+v", tt.name, a)
		}
		must(b.ann(&clew.ControlPauseData{})) // a deadline holds in a pause too
		must(b.ann(&clew.ControlResumeData{}))
		b.now = a.DeadlineMS - 1
		b.settleAll() // the reminder
		b.now++
		_, types, err := b.due()
		if err != nil {
			t.Fatal(err)
		}
		expect(t, tt.name, types, tt.want)
		if b.run().Phase != tt.phase {
			t.Errorf("%s: the run is %s", tt.name, b.run().Phase)
		}
		b.verify(t)
		b.verifyRun(t)
		if _, _, err := b.ann(&clew.HitlApprovalResponseData{RequestID: a.RequestID, Action: clew.ChoiceApprove}); clew.CodeOf(err) != clew.HitlRequestExpired {
			t.Errorf("%s: an answer after the deadline: %v", tt.name, err)
		}
		b.check(t)
	}
}

// The answer to what was unclear counts as part of the request.
//
// Covers: RUN-04, WS-065
func TestClarificationJoinsTheRequest(t *testing.T) {
	b := newBench()
	b.startRun()
	b.as(b.root(), func() {
		c := b.call()
		must(b.report(func(tx *decide.Tx, s *core.State, task *core.Task) {
			q := clew.HitlClarificationData{Question: "which two?", InputType: clew.InputText, Required: true}
			q.ToolCallID = c.ID
			decide.AskClarification(tx, s, task, q)
		}))
	})
	ok(t, b, "answer", &clew.HitlClarificationResponseData{RequestID: b.open().RequestID, Value: "the red ones"}, "hitl_resolved")
	if r := b.run(); r.Request != "compare the two\n\nwhich two?\nthe red ones" || r.Phase != run.Understanding || !b.s.state.Runnable(b.root()) {
		t.Errorf("the request is %q in %s", r.Request, r.Phase)
	}
	b.understand()
	b.want(t, run.Planning, "")
	b.check(t)
}

// The state of a session with many runs stays small: the tasks of todos leave
// it, and old runs keep their names only.
func TestRunsAreForgotten(t *testing.T) {
	alone(t)
	b := newBench()
	b.create()
	size := 0
	for i := range nightly.Size(16, 30) {
		b.askRun(fmt.Sprint("r", i))
		b.understand()
		var words []string
		for j := range 100 {
			words = append(words, fmt.Sprint("t", j))
		}
		b.propose(steps(words...)...)
		b.approvePlan()
		for j := range 100 {
			b.finishTodo(fmt.Sprint("t", j))
		}
		b.respondRun()
		if len(b.s.state.Tasks) > core.TasksKept+1 {
			t.Fatalf("%d tasks after run %d", len(b.s.state.Tasks), i)
		}
		text, err := b.s.state.Encode()
		if err != nil {
			t.Fatal(err)
		}
		if i == 9 {
			size = len(text)
		}
		if i > 9 && len(text) > size*5/4 {
			t.Fatalf("the state has %d bytes after run %d, %d after the tenth", len(text), i, size)
		}
	}
	kept := 0
	for _, task := range b.s.state.SortedTasks() {
		if task.Run != nil && len(task.Run.Todos) > 0 {
			kept++
		}
	}
	if kept > core.HistoriesKept+1 || size > 1<<20 {
		t.Errorf("%d runs with their todos, %d bytes", kept, size)
	}
	if runs := b.s.sessionState().Runs; len(runs) != kept {
		t.Errorf("%d runs are shown", len(runs))
	}
	b.verify(t)
	b.check(t)
}

// The tasks below a todo's leave the state with it, however deep they are.
func TestSubtasksAreForgotten(t *testing.T) {
	b := newBench()
	var words []string
	for i := range 120 {
		words = append(words, fmt.Sprint("t", i))
	}
	b.executing(words...)
	for _, id := range words {
		b.as(b.carrier(id), func() { b.spawn(b.call()) })
		sub := b.s.state.Task(b.carrier(id).AwaitingChild)
		b.as(sub, func() { b.spawn(b.call()) })
		deep := b.s.state.Task(sub.AwaitingChild)
		for _, x := range []*core.Task{deep, sub} {
			b.as(x, func() { b.call(); must(b.complete(b.pick(0))) })
		}
		b.finishTodo(id)
	}
	for _, x := range b.s.state.SortedTasks() {
		if x.ParentTaskID != "" && b.s.state.Task(x.ParentTaskID) == nil {
			t.Fatalf("task %d stays behind its parent", x.Number)
		}
	}
	if n := len(b.s.state.Tasks); n > core.TasksKept+1 {
		t.Errorf("%d tasks", n)
	}
}
