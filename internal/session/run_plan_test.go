package session

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/plan"
	"github.com/clew-run/clew/internal/run"
	"github.com/clew-run/clew/internal/session/core"
	"github.com/clew-run/clew/internal/session/decide"
)

// reviewed answers a review and checks what comes of it.
func (b *bench) reviewed(t *testing.T, want string, action clew.Choice, instruction string, edits ...clew.PlanEdit) {
	t.Helper()
	types, err := b.review(action, instruction, edits...)
	if err != nil {
		t.Errorf("%s: %v", action, err)
	}
	expect(t, string(action), types, want)
	b.verify(t)
	b.verifyRun(t)
}

// Covers: RUN-08, G-03, WS-062
func TestPlanRejected(t *testing.T) {
	b := newBench()
	b.reviewing("a")
	_, types, err := b.ann(&clew.HitlPlanResponseData{RequestID: b.run().Review, Action: clew.ChoiceReject, Comment: "too dear"})
	if err != nil {
		t.Fatal(err)
	}
	expect(t, "reject", types, "hitl_resolved plan_rejected cancelled")
	if d := last[clew.PlanRejectedData](b, 1)[0]; d.Reason != "too dear" || d.PlanID != b.run().PlanID || d.RejectedBy != "ann" {
		t.Errorf("rejected %+v", d)
	}
	b.want(t, run.Cancelled, "a:pending")
	if b.run().Status != clew.PlanRejected || b.s.state.Busy() {
		t.Errorf("the plan is %s", b.run().Status)
	}
}

// Covers: RUN-07, RUN-09, RUN-22, WS-062
func TestPlanModified(t *testing.T) {
	b := newBench()
	b.reviewing("a", "b<a")
	id := b.run().PlanID
	b.reviewed(t, "hitl_resolved plan_modified hitl_plan_review", clew.ChoiceModify, "", addEdit("c"), clew.PlanEdit{Action: clew.PlanRemove, TodoID: "a"})
	m := last[clew.PlanModifiedData](b, 1)[0]
	want := []clew.PlanChange{{Action: clew.PlanUpdate, TodoID: "b", Task: "do b"}, {Action: clew.PlanAdd, TodoID: "c", Task: "do c"}, {Action: clew.PlanRemove, TodoID: "a"}}
	if m.OldVersion != 1 || m.NewVersion != 2 || m.PlanID != id || !slices.Equal(m.Changes, want) || len(m.UpdatedTodos) != 2 {
		t.Errorf("modified %+v", m)
	}
	b.want(t, run.Review, "b:pending c:pending")
	if q := last[clew.HitlPlanReviewData](b, 1)[0]; q.Version != 2 || len(q.Plan.Todos) != 2 || q.RequestID != b.run().Review {
		t.Errorf("the new review is %+v", q)
	}

	b.reviewed(t, "hitl_resolved", clew.ChoiceModify, "add a check")
	b.want(t, run.Planning, "b:pending c:pending")
	h := b.root().History
	if heard := h[len(h)-1].Content[0].Text; !strings.Contains(heard, "add a check") {
		t.Errorf("the planner hears %q", heard)
	}
	expect(t, "proposed again", b.propose(steps("b", "c", "d<b")...), "plan_modified hitl_plan_review")
	if m := last[clew.PlanModifiedData](b, 1)[0]; m.NewVersion != 3 || m.PlanID != id {
		t.Errorf("modified %+v", m)
	}

	if _, err := b.review(clew.ChoiceModify, ""); clew.CodeOf(err) != clew.HitlInvalidResponse {
		t.Errorf("modify without a word: %v", err)
	}
	if _, err := b.review(clew.ChoiceModify, "", clew.PlanEdit{Action: clew.PlanRemove, TodoID: "x"}); clew.CodeOf(err) != clew.InvalidMessage {
		t.Errorf("an edit of what is not there: %v", err)
	}
	on := []string{"d"}
	if _, err := b.review(clew.ChoiceModify, "", clew.PlanEdit{Action: clew.PlanUpdate, TodoID: "b", DependsOn: &on}); clew.CodeOf(err) != clew.InvalidMessage {
		t.Errorf("an edit that makes a circle: %v", err)
	}
	expect(t, "approved", b.approvePlan(), "hitl_resolved plan_approved layer_complete layer_start todo_started todo_started execution_progress")
	b.check(t)
}

// An edit during the execution takes the approval back: what is under way goes
// on, and nothing begins until the new version is approved.
//
// Covers: RUN-09, C-72
func TestEditDuringExecution(t *testing.T) {
	b := newBench()
	b.executing("a", "b<a", "c")
	b.finishTodo("c")
	ok(t, b, "edit", addTodo("d"), "plan_modified hitl_plan_review")
	b.want(t, run.Review, "a:in_progress b:pending c:completed d:pending")
	expect(t, "a ends", b.finishTodo("a"), "todo_completed execution_progress")
	b.want(t, run.Review, "a:completed b:pending c:completed d:pending")
	if b.todo("c").ResultSummary == nil {
		t.Error("the result of c is lost with the new version")
	}
	ok(t, b, "edit again", addTodo("e"), "hitl_resolved plan_modified hitl_plan_review")
	if _, err := b.review(clew.ChoiceModify, "", clew.PlanEdit{Action: clew.PlanRemove, TodoID: "a"}); clew.CodeOf(err) != clew.SessionInvalidState {
		t.Errorf("an edit of what is done: %v", err)
	}
	expect(t, "approved", b.approvePlan(), "hitl_resolved plan_approved todo_started todo_started todo_started execution_progress")
	b.want(t, run.Executing, "a:completed b:in_progress c:completed d:in_progress e:in_progress")

	d := addTodo("f")
	d.Version = 2
	if _, _, err := b.ann(d); clew.CodeOf(err) != clew.SessionInvalidState {
		t.Errorf("an edit of a version that is gone: %v", err)
	}
	d.Version = b.run().Version
	ok(t, b, "edit of the present version", d, "plan_modified hitl_plan_review")
	b.check(t)
}

// A todo that failed and is changed begins anew; the question about it is moot.
func TestEditOfAFailedTodo(t *testing.T) {
	b := newBench()
	b.executing("a", "b<a")
	b.failTodo("a", false)
	ok(t, b, "edit", &clew.EditPlanData{Modifications: clew.List[clew.PlanEdit]{{Action: clew.PlanUpdate, TodoID: "a", Task: "do a otherwise"}}},
		"hitl_resolved plan_modified hitl_plan_review")
	if d := last[clew.HitlResolvedData](b, 1)[0]; d.Action != clew.ResolvedCancelled || d.ResolvedBy != "" {
		t.Errorf("the question ends with %+v", d)
	}
	b.want(t, run.Review, "a:pending b:pending")
	b.approvePlan()
	b.want(t, run.Executing, "a:in_progress b:pending")
}

// Covers: RUN-25, RUN-26, WS-066, WS-067, G-03
func TestPauseAndResume(t *testing.T) {
	b := newBench()
	b.executing("a", "b<a", "c<b")
	ok(t, b, "pause", &clew.ControlPauseData{Reason: "lunch"}, "hitl_paused")
	if p := last[clew.HitlPausedData](b, 1)[0]; p.PausedBy != "ann" || p.Reason != "lunch" || p.CurrentTodo != "a" || !p.CanResume || len(p.CompletedTodos) != 0 {
		t.Errorf("paused %+v", p)
	}
	if b.s.state.Busy() || b.s.state.Status() != clew.StatusPaused {
		t.Errorf("a paused run is %s", b.s.state.Status())
	}
	expect(t, "what was begun ends", b.finishTodo("a"), "todo_completed execution_progress")
	b.want(t, run.Executing, "a:completed b:pending c:pending")
	ok(t, b, "resume", &clew.ControlResumeData{}, "hitl_resumed todo_started execution_progress")
	if r := last[clew.HitlResumedData](b, 1)[0]; r.ResumedBy != "ann" {
		t.Errorf("resumed %+v", r)
	}
	ok(t, b, "pause", &clew.ControlPauseData{}, "hitl_paused")
	ok(t, b, "edit while paused", addTodo("d"), "plan_modified hitl_plan_review")
	expect(t, "approved while paused", b.approvePlan(), "hitl_resolved plan_approved")
	if a := last[clew.PlanApprovedData](b, 1)[0]; a.ExecutionStarting {
		t.Errorf("approved %+v", a)
	}
	ok(t, b, "resume with a change", &clew.ControlResumeData{Modifications: []clew.PlanEdit{addEdit("e")}}, "plan_modified hitl_resumed hitl_plan_review")
	b.want(t, run.Review, "a:completed b:in_progress c:pending d:pending e:pending")
	expect(t, "approved", b.approvePlan(), "hitl_resolved plan_approved todo_started todo_started execution_progress")
	b.want(t, run.Executing, "a:completed b:in_progress c:pending d:in_progress e:in_progress")

	ok(t, b, "pause", &clew.ControlPauseData{}, "hitl_paused")
	for _, id := range []string{"b", "d", "e"} {
		b.finishTodo(id)
	}
	ok(t, b, "skip while paused", &clew.ControlSkipData{TodoID: "c"}, "todo_skipped execution_progress")
	ok(t, b, "all is done at the resume", &clew.ControlResumeData{}, "hitl_resumed layer_complete layer_start")
	b.want(t, run.Responding, "a:completed b:completed c:skipped d:completed e:completed")
	b.check(t)
}

// People may say in words what shall change while todos are under way: those
// and the done ones stay, however the planner's look at them is out of date.
//
// Covers: RUN-07, RUN-09
func TestPlanningAnewDuringExecution(t *testing.T) {
	b := newBench()
	b.executing("a", "b", "c<a,b", "d<c")
	b.finishTodo("a")
	ok(t, b, "edit", addTodo("e"), "plan_modified hitl_plan_review")
	b.reviewed(t, "hitl_resolved", clew.ChoiceModify, "without d")
	b.want(t, run.Planning, "a:completed b:in_progress c:pending d:pending e:pending")

	proposed, err := plan.Merge(b.run().Todos, steps("a", "b", "c<a,b", "x<b"), 0)
	if err != nil {
		t.Fatal(err)
	}
	var call core.Call
	b.as(b.root(), func() { call = b.call() })
	expect(t, "b ends meanwhile", b.finishTodo("b"), "todo_completed execution_progress")
	_, types, err := b.reportAs(b.root(), func(tx *decide.Tx, s *core.State, task *core.Task) {
		decide.Planned(tx, s, task, call.ID, proposed, "Better?")
	})
	if err != nil {
		t.Fatal(err)
	}
	expect(t, "proposed", types, "plan_modified hitl_plan_review")
	b.want(t, run.Review, "a:completed b:completed c:pending x:pending e:pending") // the planner forgot what a person added
	expect(t, "approved", b.approvePlan(), "hitl_resolved plan_approved todo_started todo_started todo_started execution_progress")
	b.check(t)
}

// A new plan puts a failed todo back to pending, so the question about it goes.
func TestPlanningAnewAfterAFailure(t *testing.T) {
	b := newBench()
	b.executing("a", "b<a")
	b.failTodo("a", false)
	ok(t, b, "edit", addTodo("c"), "plan_modified hitl_plan_review")
	b.reviewed(t, "hitl_resolved", clew.ChoiceModify, "again")
	expect(t, "proposed", b.propose(steps("a", "b<a", "c")...), "hitl_resolved plan_modified hitl_plan_review")
	b.want(t, run.Review, "a:pending b:pending c:pending")
	b.approvePlan()
	b.want(t, run.Executing, "a:in_progress b:pending c:in_progress")
}

// Words to a plan that waits for review say what shall change.
//
// Covers: RUN-07, C-20
func TestWordsToAPlan(t *testing.T) {
	b := newBench()
	b.reviewing("a")
	ok(t, b, "words", &clew.UserMessageData{Text: "twice, please"}, "hitl_resolved")
	if d := last[clew.HitlResolvedData](b, 1)[0]; d.Action != clew.ResolvedModify || d.Instruction != "twice, please" {
		t.Errorf("resolved %+v", d)
	}
	b.want(t, run.Planning, "a:pending")
}

// Who joins later sees where the run stands, and what is asked.
//
// Covers: RUN-24, WS-020
func TestStateShowsTheRun(t *testing.T) {
	b := newBench()
	b.reviewing("a", "b<a")
	st := b.s.sessionState()
	if st.Status != clew.StatusAwaitingInput || st.CurrentLayer != clew.LayerPlanning || st.Plan == nil || st.Plan.ID != b.run().PlanID ||
		st.Plan.Status != clew.PlanPendingApproval || st.Plan.TotalTodos != 2 || len(st.Todos) != 2 || st.HitlPending == nil ||
		st.HitlPending.RequestID() != b.run().Review || st.LastMessageID != clew.MessageIDOf(b.s.state.Seq) {
		t.Errorf("in review the state is %+v", st)
	}
	must(b.ann(&clew.HitlPlanResponseData{RequestID: st.HitlPending.RequestID(), Action: clew.ChoiceApprove}))
	st = b.s.sessionState()
	if st.Status != clew.StatusExecuting || st.CurrentLayer != clew.LayerExecution || st.Plan.Status != clew.PlanApproved || st.HitlPending != nil ||
		st.Todos[0].Status != clew.TodoInProgress || len(st.Runs) != 1 || st.Runs[0].Phase != string(run.Executing) {
		t.Errorf("in execution the state is %+v", st)
	}
}

// A long plan with long results can be changed: new versions do not carry the
// results.
func TestLongPlansCanBeChanged(t *testing.T) {
	b := newBench()
	var words []string
	for i := range 500 {
		words = append(words, fmt.Sprint("t", i))
	}
	b.executing(words...)
	for i := range 490 {
		b.finishWith(fmt.Sprint("t", i), strings.Repeat("long ", 1000), nil)
	}
	b.verify(t)
	ok(t, b, "edit", &clew.EditPlanData{Modifications: clew.List[clew.PlanEdit]{{Action: clew.PlanRemove, TodoID: "t499"}}}, "plan_modified hitl_plan_review")
	if b.todo("t5").ResultSummary == nil || len(b.run().Todos) != 499 {
		t.Error("results are lost")
	}
}
