package agent_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/clew-run/clew"
)

// A run can be cancelled however much it has found out: its end fits a record.
//
// Covers: RUN-27, RUN-32
func TestLargeRunIsCancelled(t *testing.T) {
	rest := new(gate)
	n := 300
	c := &cast{plan: wide(n)}
	large := fmt.Sprintf(`{"result":%q,"data":{"all":%q}}`, strings.Repeat("😀", 2000), strings.Repeat("x", 8000))
	c.todo = func(id string) step {
		if id == fmt.Sprint("t", n-1) {
			return waits(rest, completes("late"))
		}
		return calls(call("c", "attempt_completion", large))
	}
	plays(t, allowed(map[string]any{"run_parallel_todos": 32, "run_max_todos": 1000}), c, func(w *world) {
		w.approve()
		w.in("executing")
		w.do(&clew.ControlCancelData{Reason: "enough"})
		w.in("cancelled")
		d := events[clew.CancelledData](w)
		if len(d) != 1 || len(d[0].PartialResults.CompletedTodos) != n-1 || len(d[0].PartialResults.AvailableData) == 0 {
			t.Errorf("%d ends, %d todos", len(d), len(d[0].PartialResults.CompletedTodos))
		}
	})
}

// The planner is asked again while todos are at work: what has begun or is done
// stays, and a plan that says otherwise is refused.
//
// Covers: RUN-07, RUN-26
func TestWishDuringExecution(t *testing.T) {
	rest := new(gate)
	c := &cast{
		plan: inTurn(plans(`[{"id":"a","task":"x"},{"id":"b","task":"y","depends_on":["a"]},{"id":"c","task":"z","depends_on":["b"]}]`),
			plans(`[{"id":"c","task":"z"}]`), plans(`[{"id":"a","task":"other"},{"id":"b","task":"y","depends_on":["a"]}]`),
			plans(`[{"id":"b","task":"y","depends_on":["a"],"status":"completed"},{"id":"d","task":"new","depends_on":["b"]}]`)),
		todo: only("b", waits(rest, completes("did b"))),
	}
	plays(t, allowed(), c, func(w *world) {
		w.approve()
		w.do(&clew.EditPlanData{Modifications: []clew.PlanEdit{{Action: clew.PlanUpdate, TodoID: "c", Task: "zz"}}})
		w.in("review")
		w.reviewed(clew.ChoiceModify, "something new")
		q := w.underReview()
		if q.Version != 3 {
			t.Fatalf("version %d", q.Version)
		}
		got := ""
		for _, td := range q.Plan.Todos {
			got += fmt.Sprintf("%s:%s:%s ", td.ID, td.Task, td.Status)
		}
		if got != "a:x:completed b:y:in_progress d:new:pending " {
			t.Errorf("the plan is %s", got)
		}
		if n := len(events[clew.TaskToolFailedData](w)); n != 2 {
			t.Errorf("%d plans were refused", n)
		}
		rest.open()
		w.in("review") // what is under way ends, nothing new begins
		if w.todoOf("b").Status != clew.TodoCompleted || len(c.of("todo d")) != 0 {
			t.Errorf("todos %+v", w.state().Todos)
		}
		w.reviewed(clew.ChoiceApprove)
		w.in("completed")
		if len(c.of("todo a")) != 1 || len(c.of("todo b")) != 1 || len(c.of("todo c")) != 0 {
			t.Error("something was done twice, or that was taken out")
		}
	})
	if got := heardText(c.of("respond")[0]); !strings.Contains(got, "did d") || !strings.Contains(got, "did b") {
		t.Errorf("the last layer knows %.500s", got)
	}
}
