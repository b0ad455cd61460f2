package session

import (
	"slices"
	"strings"
	"testing"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/run"
	"github.com/clew-run/clew/internal/session/core"
)

// expect compares the records of a step that are about runs and questions with
// what is wanted, in short.
func expect(t *testing.T, step string, types []clew.EventType, want string) {
	t.Helper()
	var names []string
	for _, typ := range ofRunOnly(types) {
		names = append(names, string(typ))
	}
	if got := strings.Join(names, " "); got != want {
		t.Errorf("%s:\n got %s\nwant %s", step, got, want)
	}
}

// ok is for steps that must be taken.
func ok(t *testing.T, b *bench, step string, data any, want string) {
	t.Helper()
	_, types, err := b.ann(data)
	if err != nil {
		t.Errorf("%s: %v", step, err)
	}
	expect(t, step, types, want)
	b.verify(t)
	b.verifyRun(t)
}

func (b *bench) want(t *testing.T, phase run.Phase, statuses string) {
	t.Helper()
	b.verify(t)
	b.verifyRun(t)
	if got := b.statuses(); b.run().Phase != phase || got != statuses {
		t.Errorf("the run is %s with %s, want %s with %s", b.run().Phase, got, phase, statuses)
	}
}

// A run from the request to the answer.
//
// Covers: RUN-01, RUN-02, RUN-03, RUN-05, RUN-06, RUN-10, RUN-11, RUN-13, RUN-14, RUN-15, RUN-29, RUN-30
func TestRunFromRequestToAnswer(t *testing.T) {
	b := newBench()
	b.create()
	expect(t, "request", b.askRun("r1"), "layer_start")
	b.want(t, run.Understanding, "")
	expect(t, "understood", b.understand(), "layer_complete layer_start")
	if i := b.run().Intent; i == nil || i.Domain != "data" || len(b.run().Entities) != 1 {
		t.Errorf("understood %+v, %+v", i, b.run().Entities)
	}
	expect(t, "planned", b.propose(steps("a", "b<a", "c<a", "d<b,c")...), "plan_generated hitl_plan_review")
	b.want(t, run.Review, "a:pending b:pending c:pending d:pending")
	if r := b.run(); r.Version != 1 || r.Status != clew.PlanPendingApproval || b.s.state.Status() != clew.StatusAwaitingInput {
		t.Errorf("version %d, %s, session %s", r.Version, r.Status, b.s.state.Status())
	}
	expect(t, "approved", b.approvePlan(), "hitl_resolved plan_approved layer_complete layer_start todo_started execution_progress")
	b.want(t, run.Executing, "a:in_progress b:pending c:pending d:pending")
	expect(t, "progress", b.progressTodo("a", 40), "todo_progress")
	if a := b.todo("a"); a.ProgressPercentage != 40 || a.CurrentStep != "counting" {
		t.Errorf("progress %+v", a)
	}
	expect(t, "a done", b.finishTodo("a"), "todo_completed todo_started todo_started execution_progress")
	if next := last[clew.TodoCompletedData](b, 1)[0].NextTodos; !slices.Equal(next, []string{"b", "c"}) {
		t.Errorf("next are %v", next)
	}
	expect(t, "c done", b.finishTodo("c"), "todo_completed execution_progress")
	if p := last[clew.ExecutionProgressData](b, 1)[0]; p.TotalTodos != 4 || p.Completed != 2 || p.ProgressPercentage != 50 || p.CurrentTodo == nil || p.CurrentTodo.ID != "b" {
		t.Errorf("progress %+v", p)
	}
	expect(t, "b done", b.finishTodo("b"), "todo_completed todo_started execution_progress")
	expect(t, "d done", b.finishTodo("d"), "todo_completed execution_progress layer_complete layer_start")
	b.want(t, run.Responding, "a:completed b:completed c:completed d:completed")
	expect(t, "answer", b.respondRun(), "layer_complete complete")
	b.want(t, run.Completed, "a:completed b:completed c:completed d:completed")
	if c := last[clew.CompleteData](b, 1)[0]; c.Statistics.Completed != 4 || c.Statistics.TokensUsed != 36 || c.Statistics.ExecutionTimeMS <= 0 ||
		!slices.Equal(c.ReportPaths, []string{"/reports/s/" + b.run().ID + "/report.md"}) {
		t.Errorf("complete with %+v", c)
	}
	if l := last[clew.LayerCompleteData](b, 1)[0]; l.NextLayer != "" || l.Layer != clew.LayerResponse {
		t.Errorf("the last layer ends with %+v", l)
	}
	b.check(t)
}

// What the model of a todo is told, and what the planner hears in the end.
func TestTodosAreTold(t *testing.T) {
	b := newBench()
	b.executing("a", "b<a")
	b.finishWith("a", "forty-two", nil)
	told := b.carrier("b").Turn.Prompt.Text
	for _, want := range []string{"Step b: do b", "compare the two", "Step a before it (do a): completed. forty-two"} {
		if !strings.Contains(told, want) {
			t.Errorf("the agent of b is told %q, without %q", told, want)
		}
	}
	b.failTodo("b", true)
	if told := b.carrier("b").Turn.Prompt.Text; !strings.Contains(told, "no luck") {
		t.Errorf("the second attempt is told %q", told)
	}
	b.finishTodo("b")
	h := b.root().History
	if heard := h[len(h)-1].Content[0]; heard.Type != clew.PartToolResult || !strings.Contains(heard.Text, "forty-two") || !strings.Contains(heard.Text, "did b") {
		t.Errorf("the planner hears %+v", heard)
	}
}

// Covers: RUN-16, RUN-17, G-14, WS-069
func TestRetries(t *testing.T) {
	b := newBench()
	b.executing("a", "b<a")
	tasks := map[clew.TaskID]bool{}
	for i := range 3 {
		tasks[b.carrier("a").TaskID] = true
		expect(t, "a recoverable failure", b.failTodo("a", true), "todo_failed todo_retried todo_started execution_progress")
		if f, r := last[clew.TodoFailedData](b, 1)[0], last[clew.TodoRetriedData](b, 1)[0]; f.RetryCount != i || r.RetryCount != i+1 || f.MaxRetries != 3 || !f.Error.Recoverable || r.RetriedBy != "" {
			t.Errorf("attempt %d: %+v, %+v", i, f, r)
		}
	}
	tasks[b.carrier("a").TaskID] = true
	if len(tasks) != 4 {
		t.Errorf("%d tasks for four attempts", len(tasks))
	}
	expect(t, "the last one", b.failTodo("a", true), "todo_failed execution_progress hitl_approval_request")
	b.want(t, run.Executing, "a:failed b:pending")
	q := last[clew.HitlApprovalRequestData](b, 1)[0]
	if q.Limit != run.LimitRetries || q.TodoID != "a" || q.TimeoutSec != 600 || !slices.Equal(q.Options, []clew.Choice{clew.ChoiceApprove, clew.ChoiceSkip, clew.ChoiceReject}) {
		t.Errorf("the question is %+v", q)
	}
	ok(t, b, "retry", &clew.ControlRetryData{TodoID: "a"}, "hitl_resolved todo_retried todo_started execution_progress")
	if r := last[clew.TodoRetriedData](b, 1)[0]; r.RetriedBy != "ann" || r.RetryCount != 0 || b.todo("a").RetryCount != 0 {
		t.Errorf("retried %+v", r)
	}
	expect(t, "it has all retries again", b.failTodo("a", true), "todo_failed todo_retried todo_started execution_progress")
	expect(t, "a failure that is not recoverable", b.failTodo("a", false), "todo_failed execution_progress hitl_approval_request")
	expect(t, "a yes to the question", b.decideTodo("a", clew.ChoiceApprove), "hitl_resolved todo_retried todo_started execution_progress")
	b.finishTodo("a")
	b.want(t, run.Executing, "a:completed b:in_progress")
	b.check(t)
}

// Covers: RUN-17, RUN-32, G-14
func TestAnswersAboutAFailedTodo(t *testing.T) {
	b := newBench()
	b.executing("a", "b<a", "c")
	b.failTodo("a", false)
	expect(t, "skip", b.decideTodo("a", clew.ChoiceSkip), "hitl_resolved todo_skipped todo_started execution_progress")
	b.want(t, run.Executing, "a:skipped b:in_progress c:in_progress")

	b = newBench()
	b.executing("a", "b<a", "c")
	b.finishTodo("c")
	b.failTodo("a", false)
	expect(t, "reject", b.decideTodo("a", clew.ChoiceReject), "hitl_resolved cancelled")
	b.want(t, run.Cancelled, "a:failed b:pending c:completed")

	b = newBench()
	b.executing("a", "b<a", "c")
	b.finishTodo("c")
	b.failTodo("a", false)
	b.verify(t)
	b.now += 601_000
	_, types, err := b.due()
	if err != nil {
		t.Fatal(err)
	}
	expect(t, "nobody answers", types, "hitl_resolved error failed")
	b.want(t, run.Failed, "a:failed b:pending c:completed")
	f := last[clew.FailedData](b, 1)[0]
	if f.Error.FailedTodo != "a" || f.Error.Message != "no luck" || !slices.Equal(f.PartialResults.CompletedTodos, []string{"c"}) || f.PartialResults.AvailableData["c"] == nil {
		t.Errorf("failed with %+v", f)
	}
}

// Covers: RUN-11, RUN-17, G-03, G-14, WS-070
func TestSkips(t *testing.T) {
	b := newBench()
	b.executing("a", "b<a", "c<b", "d")
	ok(t, b, "pending", &clew.ControlSkipData{TodoID: "b", Reason: "no need"}, "todo_skipped todo_started execution_progress")
	if s := last[clew.TodoSkippedData](b, 1)[0]; s.Reason != "no need" || !slices.Equal(s.NextTodos, []string{"c"}) {
		t.Errorf("skipped %+v", s)
	}
	b.want(t, run.Executing, "a:in_progress b:skipped c:in_progress d:in_progress") // skipped counts as done
}

// Skipping frees what waited, and stops who was at work.
//
// Covers: RUN-17, G-03, G-14
func TestSkipOfTodosUnderWay(t *testing.T) {
	b := newBench()
	b.executing("a", "b<a", "c")
	at := b.carrier("a")
	ok(t, b, "in progress", &clew.ControlSkipData{TodoID: "a"}, "todo_skipped todo_started execution_progress")
	if !at.Ended() || at.Turn != nil {
		t.Errorf("the task of a is %s", at.Status)
	}
	b.failTodo("c", false)
	ok(t, b, "failed", &clew.ControlSkipData{TodoID: "c"}, "hitl_resolved todo_skipped execution_progress")
	expect(t, "the rest", b.finishTodo("b"), "todo_completed execution_progress layer_complete layer_start")
	b.respondRun()
	if st := last[clew.CompleteData](b, 1)[0].Statistics; st.Completed != 1 || st.Skipped != 2 || st.Failed != 0 || st.TotalTodos != 3 {
		t.Errorf("statistics %+v", st)
	}
	b.check(t)
}

// Covers: RUN-18, WS-063, C-20
func TestCostApproval(t *testing.T) {
	for action, want := range map[clew.Choice]string{
		clew.ChoiceApprove: "hitl_resolved todo_started execution_progress",
		clew.ChoiceSkip:    "hitl_resolved todo_skipped todo_started execution_progress",
		clew.ChoiceReject:  "hitl_resolved todo_failed execution_progress hitl_approval_request",
	} {
		b := newBench()
		b.reviewing("a$1.5", "b<a", "c$0")
		expect(t, "approved", b.approvePlan(), "hitl_resolved plan_approved layer_complete layer_start todo_started execution_progress hitl_approval_request")
		q := last[clew.HitlApprovalRequestData](b, 1)[0]
		if q.Todo == nil || q.Todo.ID != "a" || *q.Todo.EstimatedCostUSD != 1.5 || q.Limit != core.LimitCost || !strings.Contains(q.Reason, "1.50 USD") {
			t.Errorf("the question is %+v", q)
		}
		b.want(t, run.Executing, "a:pending b:pending c:in_progress")
		expect(t, string(action), b.decideTodo("a", action), want)
		switch action {
		case clew.ChoiceApprove:
			b.failTodo("a", true) // what was approved once needs no second yes
			b.want(t, run.Executing, "a:in_progress b:pending c:in_progress")
		case clew.ChoiceSkip:
			b.want(t, run.Executing, "a:skipped b:in_progress c:in_progress")
		case clew.ChoiceReject:
			b.want(t, run.Executing, "a:failed b:pending c:in_progress")
			if a := b.todo("a"); a.DurationMS != 0 || a.Error.Recoverable {
				t.Errorf("refused before it began: %+v", a)
			}
		}
		b.check(t)
	}
}

// Why a person leaves a step out is on record, with the answer and with the step.
//
// Covers: RUN-18
func TestReasonOfASkipIsOnRecord(t *testing.T) {
	for said, d := range map[string]clew.HitlApprovalResponseData{
		"not this time":           {Reason: "not this time"},
		"too dear\nnot this time": {Comment: "too dear", Reason: "not this time"},
		"too dear":                {Comment: "too dear", Reason: "too dear"},
	} {
		b := newBench()
		b.executing("a$1.5", "b")
		d.RequestID, d.TodoID, d.Action = b.run().Asked["a"].RequestID, "a", clew.ChoiceSkip
		ok(t, b, "skip", &d, "hitl_resolved todo_skipped execution_progress")
		if got := last[clew.HitlResolvedData](b, 1)[0].Comment; got != said {
			t.Errorf("the answer on record says %q, want %q", got, said)
		}
		if got := last[clew.TodoSkippedData](b, 1)[0].Reason; got != said {
			t.Errorf("the step on record says %q, want %q", got, said)
		}
	}
}

// An edit takes an approval of cost back; silence means that it is left out.
//
// Covers: RUN-18, RUN-20, RUN-21
func TestCostApprovalAfterEditAndSilence(t *testing.T) {
	b := newBench()
	b.executing("a$1.5", "b")
	cost := 9.0
	ok(t, b, "edit", &clew.EditPlanData{Modifications: clew.List[clew.PlanEdit]{{Action: clew.PlanUpdate, TodoID: "a", EstimatedCostUSD: &cost}}},
		"hitl_resolved plan_modified hitl_plan_review")
	expect(t, "approved", b.approvePlan(), "hitl_resolved plan_approved hitl_approval_request")
	if q := last[clew.HitlApprovalRequestData](b, 1)[0]; *q.Todo.EstimatedCostUSD != 9 || q.TimeoutSec != 600 {
		t.Errorf("asked %+v", q)
	}
	b.verify(t)
	b.now += 601_000
	_, types, err := b.due()
	if err != nil {
		t.Fatal(err)
	}
	expect(t, "silence", types, "hitl_resolved error todo_skipped execution_progress")
	if e := last[clew.ErrorData](b, 1)[0]; e.Code != clew.HitlTimeout || e.Number != 5001 || e.Context.TodoID != "a" {
		t.Errorf("error %+v", e)
	}
	b.want(t, run.Executing, "a:skipped b:in_progress")
}
