package plan_test

import (
	"fmt"
	"slices"

	"pgregory.net/rapid"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/plan"
)

// drawDAG makes a plan whose todos stand in any order, not that of the edges.
func drawDAG(t *rapid.T, most int) []clew.Todo {
	n := rapid.IntRange(1, most).Draw(t, "todos")
	todos := make([]clew.Todo, n)
	for i := range todos {
		todos[i] = todo(fmt.Sprintf("t%d", i))
		todos[i].Priority = rapid.IntRange(-2, 2).Draw(t, "priority")
		todos[i].EstimatedDurationSec = rapid.IntRange(0, 4).Draw(t, "seconds")
		if rapid.Bool().Draw(t, "has a cost") {
			todos[i].EstimatedCostUSD = ptr(float64(rapid.IntRange(0, 100).Draw(t, "cents")) / 100)
		}
		if i > 0 {
			todos[i].DependsOn = drawIDs(t, todos[:i])
		}
	}
	return rapid.Permutation(todos).Draw(t, "order")
}

func drawIDs(t *rapid.T, from []clew.Todo) clew.List[string] {
	out := clew.List[string]{}
	for range rapid.IntRange(0, min(3, len(from))).Draw(t, "dependencies") {
		id := from[rapid.IntRange(0, len(from)-1).Draw(t, "dependency")].ID
		if !slices.Contains(out, id) {
			out = append(out, id)
		}
	}
	return out
}

// drawMidway makes a plan that is being carried out: statuses are such as an
// execution can bring about, early skips included.
func drawMidway(t *rapid.T, most int) []clew.Todo {
	todos := drawDAG(t, most)
	for range rapid.IntRange(0, 2*len(todos)).Draw(t, "steps") {
		if ready := plan.Ready(todos); len(ready) > 0 && rapid.IntRange(0, 5).Draw(t, "early") > 0 {
			plan.Find(todos, rapid.SampledFrom(ready).Draw(t, "start")).Status = rapid.SampledFrom([]clew.TodoStatus{
				clew.TodoInProgress, clew.TodoCompleted, clew.TodoCompleted, clew.TodoFailed, clew.TodoSkipped,
			}).Draw(t, "status")
			continue
		}
		x := &todos[rapid.IntRange(0, len(todos)-1).Draw(t, "skip")]
		if x.Status == clew.TodoPending {
			x.Status = clew.TodoSkipped
		}
	}
	return todos
}

func drawEdits(t *rapid.T, todos []clew.Todo) []clew.PlanEdit {
	ids := []string{"", "n1", "n2", "nobody"}
	for i := range todos {
		ids = append(ids, todos[i].ID)
	}
	anyID := rapid.SampledFrom(ids)
	edits := make([]clew.PlanEdit, rapid.IntRange(0, 5).Draw(t, "edits"))
	for i := range edits {
		e := clew.PlanEdit{
			Action: rapid.SampledFrom([]clew.PlanChangeAction{clew.PlanAdd, clew.PlanRemove, clew.PlanRemove, clew.PlanUpdate}).Draw(t, "action"),
			TodoID: anyID.Draw(t, "todo"),
			Task:   rapid.SampledFrom([]string{"", "x", "y"}).Draw(t, "task"),
		}
		if e.Action == clew.PlanAdd && rapid.IntRange(0, 3).Draw(t, "sound") > 0 {
			e.TodoID, e.Task = "", "new"
		}
		if rapid.Bool().Draw(t, "has dependencies") {
			deps := rapid.SliceOfNDistinct(anyID, 0, 2, rapid.ID[string]).Draw(t, "on")
			e.DependsOn = &deps
		}
		if rapid.Bool().Draw(t, "has a priority") {
			e.Priority = ptr(rapid.IntRange(-2, 2).Draw(t, "priority"))
		}
		edits[i] = e
	}
	return edits
}

// waitsFor tells by plain search whether from waits for to, however far back.
func waitsFor(todos []clew.Todo, from, to string) bool {
	seen := map[string]bool{}
	var walk func(id string) bool
	walk = func(id string) bool {
		t := plan.Find(todos, id)
		if t == nil || seen[id] {
			return false
		}
		seen[id] = true
		return slices.ContainsFunc(t.DependsOn, func(d string) bool { return d == to || walk(d) })
	}
	return walk(from)
}
