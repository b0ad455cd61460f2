package run_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/plan"
	"github.com/clew-run/clew/internal/run"
)

func usd(v float64) *float64 { return &v }

func executing(todos ...clew.Todo) *run.Run {
	for i := range todos {
		if todos[i].Status == "" {
			todos[i].Status = clew.TodoPending
		}
	}
	return &run.Run{ID: "run_1", TaskID: "task_1", Phase: run.Executing, Status: clew.PlanApproved, Todos: todos}
}

func ids(todos []clew.Todo) string {
	var list []string
	for _, t := range todos {
		list = append(list, t.ID)
	}
	return fmt.Sprint(list)
}

// Covers: RUN-10, RUN-12, RUN-18
func TestStart(t *testing.T) {
	rules := run.Rules{Parallel: 2, ApprovalUSD: 0.1}
	r := executing(
		clew.Todo{ID: "a", Priority: 1}, clew.Todo{ID: "b", Priority: 8}, clew.Todo{ID: "c", Priority: 10, DependsOn: clew.List[string]{"a"}},
		clew.Todo{ID: "dear", Priority: 20, EstimatedCostUSD: usd(0.2)}, clew.Todo{ID: "cheap", Priority: 9, EstimatedCostUSD: usd(0.1)},
	)
	if got := ids(r.Start(rules)); got != "[cheap b]" {
		t.Errorf("first begin %s", got)
	}
	if got := ids(r.AskCost(rules)); got != "[dear]" {
		t.Errorf("asked about are %s", got)
	}
	r.Apply(&clew.TodoStartedData{TodoID: "cheap", TaskID: "task_2"}, 5)
	if got := ids(r.Start(rules)); got != "[b]" {
		t.Errorf("then begin %s", got)
	}
	r.Allowed = map[string]bool{"dear": true}
	if got := ids(r.Start(rules)); got != "[dear]" {
		t.Errorf("with a yes begin %s", got)
	}
	for name, change := range map[string]func(r *run.Run){
		"paused": func(r *run.Run) { r.Paused = true },
		"review": func(r *run.Run) { r.Phase = run.Review },
	} {
		c := r.Clone()
		change(c)
		if len(c.Start(rules)) != 0 || len(c.AskCost(rules)) != 0 || len(c.AskFailed()) != 0 || c.Executed() {
			t.Errorf("%s: something begins", name)
		}
	}
}

// Covers: RUN-16
func TestRetriesOfATodo(t *testing.T) {
	r := executing(clew.Todo{ID: "a"})
	rules := run.Rules{MaxRetries: 3}
	for count := range 5 {
		for _, recoverable := range []bool{true, false} {
			got := r.Retries(clew.Todo{RetryCount: count}, clew.Failure{Recoverable: recoverable}, rules)
			if want := recoverable && count < 3; got != want {
				t.Errorf("retry %d, recoverable %v: %v", count, recoverable, got)
			}
		}
	}
}

// Covers: RUN-11, RUN-15, RUN-32
func TestProgressAndResults(t *testing.T) {
	r := executing(
		clew.Todo{ID: "a", Task: "x", Status: clew.TodoCompleted, ResultSummary: map[string]any{"text": "one"}}, clew.Todo{ID: "b", Status: clew.TodoSkipped},
		clew.Todo{ID: "c", Task: "y", Status: clew.TodoInProgress, StartedMS: 9}, clew.Todo{ID: "d", Task: "z", Status: clew.TodoInProgress, StartedMS: 7},
		clew.Todo{ID: "e", Status: clew.TodoFailed, Error: &clew.Failure{}}, clew.Todo{ID: "f"}, clew.Todo{ID: "g", Status: clew.TodoCompleted},
	)
	p := r.Progress()
	if p.TotalTodos != 7 || p.Completed != 2 || p.Skipped != 1 || p.InProgress != 2 || p.Failed != 1 || p.Pending != 1 || p.ProgressPercentage != 28 ||
		p.CurrentTodo == nil || *p.CurrentTodo != (clew.TodoRef{ID: "d", Task: "z"}) || p.RunID != "run_1" {
		t.Errorf("progress %+v", p)
	}
	if part := r.Partial(); !slices.Equal(part.CompletedTodos, []string{"a", "g"}) || len(part.AvailableData) != 1 {
		t.Errorf("results %+v", part)
	}
	if got := ids(r.AskFailed()); got != "[e]" {
		t.Errorf("asked about are %s", got)
	}
	r.Apply(&clew.CancelledData{}, 50)
	if r.Phase != run.Cancelled || r.EndedMS != 50 || plan.Count(r.Todos).InProgress != 0 {
		t.Errorf("at the end %+v", r)
	}
}

// A new version keeps the results of what is done, and no approval of cost for
// what changed.
//
// Covers: RUN-09
func TestModified(t *testing.T) {
	r := executing(clew.Todo{ID: "a", Status: clew.TodoCompleted, ResultSummary: "one"}, clew.Todo{ID: "b"}, clew.Todo{ID: "c"})
	r.PlanID, r.Version, r.Allowed = "plan_1", 1, map[string]bool{"b": true, "c": true}
	lean := run.Lean(r.Todos)
	if lean[0].ResultSummary != nil || r.Todos[0].ResultSummary == nil {
		t.Errorf("lean %+v of %+v", lean[0], r.Todos[0])
	}
	before := r.Clone()
	r.Apply(&clew.PlanModifiedData{PlanID: "plan_1", OldVersion: 1, NewVersion: 2, Changes: clew.List[clew.PlanChange]{{Action: clew.PlanUpdate, TodoID: "b"}}, UpdatedTodos: lean}, 9)
	if r.Version != 2 || r.Status != clew.PlanPendingApproval || r.Todos[0].ResultSummary != "one" || r.Allowed["b"] || !r.Allowed["c"] {
		t.Errorf("modified %+v", r)
	}
	if before.Version != 1 || !before.Allowed["b"] || lean[0].ResultSummary != nil {
		t.Errorf("a copy changed: %+v", before)
	}
}

func TestTimeOfWork(t *testing.T) {
	var r run.Run
	for _, x := range []struct {
		at      int64
		working bool
		want    int64
	}{{1000, true, 0}, {1500, true, 500}, {2000, false, 1000}, {9000, false, 1000}, {9000, true, 1000}, {8000, true, 1000}, {9500, false, 1500}} {
		r.Tick(x.at, x.working)
		if got := r.Worked(x.at); got != x.want {
			t.Errorf("worked %d at %d, want %d", got, x.at, x.want)
		}
	}
}

// What people decided is kept for the report, but not without end.
func TestDecisions(t *testing.T) {
	r := executing(clew.Todo{ID: "a"})
	q := clew.Question{Type: clew.EventHitlApprovalRequest, Data: &clew.HitlApprovalRequestData{
		Asking: clew.Asking{RequestID: "req_1", TaskID: "task_1", TodoID: "a"}, Reason: "may it?",
	}}
	r.Opened(q)
	if r.Asked["a"].RequestID != "req_1" || r.Asked["a"].Failed {
		t.Errorf("asked %+v", r.Asked)
	}
	r.Settled(q, &clew.HitlResolvedData{RequestID: "req_1", Action: clew.ResolvedApprove, ResolvedBy: "ann", Comment: "fine"}, 7)
	if len(r.Asked) != 0 || !r.Allowed["a"] || len(r.Decisions) != 1 || r.Decisions[0].Question != "may it?" || r.Decisions[0].Comment != "fine" || r.Decisions[0].By != "ann" {
		t.Errorf("settled %+v", r)
	}
	r.Settled(q, &clew.HitlResolvedData{RequestID: "req_1", Action: clew.ResolvedCancelled}, 8) // its work ended: nobody decided
	for range 500 {
		r.Settled(q, &clew.HitlResolvedData{RequestID: "req_1", Action: clew.ResolvedReject}, 9)
	}
	if n := len(r.Decisions); n != 100 || r.Decisions[1].Action != clew.ResolvedReject {
		t.Errorf("%d decisions", n)
	}
}

func TestStatusOfTheSession(t *testing.T) {
	for phase, want := range map[run.Phase]clew.SessionStatus{
		run.Understanding: clew.StatusPlanning, run.Planning: clew.StatusPlanning, run.Review: clew.StatusAwaitingInput,
		run.Executing: clew.StatusExecuting, run.Responding: clew.StatusExecuting, run.Completed: clew.StatusCompleted,
		run.Failed: clew.StatusFailed, run.Cancelled: clew.StatusCancelled,
	} {
		r := run.Run{Phase: phase}
		if got := r.SessionStatus(); got != want {
			t.Errorf("%s is shown as %s", phase, got)
		}
		if r.Paused = true; !phase.Ended() && r.SessionStatus() != clew.StatusPaused {
			t.Errorf("%s, paused is shown as %s", phase, r.SessionStatus())
		}
	}
}
