package plan_test

import (
	"math"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/nightly"
	"github.com/clew-run/clew/internal/plan"
)

// Covers: RUN-12
func TestDAGsPassAndCirclesDoNot(t *testing.T) {
	nightly.Check(t, func(t *rapid.T) {
		todos := drawDAG(t, 20)
		if err := plan.Check(todos, 20); err != nil {
			t.Fatal(err)
		}
		x := &todos[rapid.IntRange(0, len(todos)-1).Draw(t, "from")]
		y := todos[rapid.IntRange(0, len(todos)-1).Draw(t, "to")].ID
		if slices.Contains(x.DependsOn, y) {
			return
		}
		circle := x.ID == y || waitsFor(todos, y, x.ID)
		x.DependsOn = append(x.DependsOn, y)
		if err := plan.Check(todos, 20); (err != nil) != circle {
			t.Fatalf("%s: %v, a circle: %v", shape(todos), err, circle)
		}
	})
}

// A whole execution with failures, retries, skips and edits on the way.
//
// Covers: RUN-12, RUN-13, RUN-15, G-14
func TestExecution(t *testing.T) {
	nightly.Check(t, func(t *rapid.T) {
		x := execution{todos: drawDAG(t, 15), edits: 5}
		for !plan.Count(x.todos).Settled() {
			before := slices.Clone(x.todos)
			x.step(t)
			x.check(t, before)
		}
		if len(plan.Ready(x.todos)) != 0 || len(plan.Blocked(x.todos)) != 0 {
			t.Fatal("settled, and yet something to do")
		}
	})
}

type execution struct {
	todos []clew.Todo
	edits int // still to be made; without an end to them no run ends
	fails int
}

func (x *execution) step(t *rapid.T) {
	ready, running, failed := plan.Ready(x.todos), x.in(clew.TodoInProgress), x.in(clew.TodoFailed)
	if len(ready)+len(running)+len(failed) == 0 {
		t.Fatalf("stuck: %s", shape(x.todos))
	}
	if x.edits > 0 && rapid.IntRange(0, 4).Draw(t, "edit") == 0 {
		x.edits--
		if now, _, err := plan.Edit(x.todos, drawEdits(t, x.todos), 40); err == nil {
			x.todos = now
		}
		return
	}
	id := rapid.SampledFrom(slices.Concat(ready, running, failed)).Draw(t, "todo")
	todo := plan.Find(x.todos, id)
	switch todo.Status {
	case clew.TodoPending:
		for _, d := range todo.DependsOn {
			if s := plan.Find(x.todos, d).Status; s != clew.TodoCompleted && s != clew.TodoSkipped {
				t.Fatalf("%s starts before %s, which is %s", id, d, s)
			}
		}
		todo.Status = clew.TodoInProgress
	case clew.TodoInProgress:
		todo.Status = clew.TodoCompleted
		if x.fails < 20 && rapid.IntRange(0, 2).Draw(t, "fails") == 0 {
			x.fails++
			todo.Status = clew.TodoFailed
		}
	case clew.TodoFailed:
		todo.Status = rapid.SampledFrom([]clew.TodoStatus{clew.TodoPending, clew.TodoSkipped}).Draw(t, "then")
	default:
		t.Fatalf("%s is %s", id, todo.Status)
	}
}

func (x *execution) in(status clew.TodoStatus) (ids []string) {
	for i := range x.todos {
		if x.todos[i].Status == status {
			ids = append(ids, x.todos[i].ID)
		}
	}
	return ids
}

func (x *execution) check(t *rapid.T, before []clew.Todo) {
	if err := plan.Check(x.todos, 40); err != nil {
		t.Fatal(err)
	}
	c := plan.Count(x.todos)
	if c.Completed+c.InProgress+c.Pending+c.Failed+c.Skipped != c.Total || c.Total != len(x.todos) {
		t.Fatalf("counts do not add up: %+v", c)
	}
	if p := c.Percent(); p < 0 || p > 100 || (p == 100) != (c.Completed == c.Total) {
		t.Fatalf("percent %d of %+v", p, c)
	}
	was := plan.Ready(before)
	var freed []string
	for _, id := range plan.Ready(x.todos) {
		if !slices.Contains(was, id) {
			freed = append(freed, id)
		}
	}
	if id := settledSince(before, x.todos); id != "" {
		if got := plan.Freed(x.todos, id); !slices.Equal(got, freed) {
			t.Fatalf("the end of %s freed %v, want %v", id, got, freed)
		}
	}
}

// settledSince is the one todo that was settled between two states of a plan, ""
// if none was, or if the plan itself is another.
func settledSince(before, now []clew.Todo) (id string) {
	done := func(t clew.Todo) bool { return t.Status == clew.TodoCompleted || t.Status == clew.TodoSkipped }
	if len(plan.Diff(before, now)) > 0 {
		return ""
	}
	for i := range now {
		if done(now[i]) != done(before[i]) {
			if id != "" || done(before[i]) {
				return ""
			}
			id = now[i].ID
		}
	}
	return id
}

// Covers: G-14
func TestReadyAndBlockedAgainstPlainSearch(t *testing.T) {
	nightly.Check(t, func(t *rapid.T) {
		todos := drawMidway(t, 15)
		var ready, blocked []string
		for _, x := range todos {
			if x.Status != clew.TodoPending {
				continue
			}
			if !slices.ContainsFunc(x.DependsOn, func(d string) bool {
				s := plan.Find(todos, d).Status
				return s != clew.TodoCompleted && s != clew.TodoSkipped
			}) {
				ready = append(ready, x.ID)
			}
			if holds(todos, x) {
				blocked = append(blocked, x.ID)
			}
		}
		got := plan.Ready(todos)
		for i := 1; i < len(got); i++ {
			if plan.Find(todos, got[i-1]).Priority < plan.Find(todos, got[i]).Priority {
				t.Fatalf("order %v", got)
			}
		}
		if !slices.Equal(slices.Sorted(slices.Values(got)), slices.Sorted(slices.Values(ready))) {
			t.Fatalf("ready %v, want %v", got, ready)
		}
		if got := plan.Blocked(todos); !slices.Equal(got, blocked) {
			t.Fatalf("blocked %v, want %v", got, blocked)
		}
	})
}

// holds looks for a failed todo behind x, through pending ones only: what is
// settled or under way lets x go on whatever is behind it.
func holds(todos []clew.Todo, x clew.Todo) bool {
	return slices.ContainsFunc(x.DependsOn, func(id string) bool {
		d := plan.Find(todos, id)
		return d.Status == clew.TodoFailed || d.Status == clew.TodoPending && holds(todos, *d)
	})
}

// Covers: RUN-12, RUN-33
func TestOfAgainstPlainSchedule(t *testing.T) {
	nightly.Check(t, func(t *rapid.T) {
		todos := drawMidway(t, 15)
		parallel := rapid.IntRange(1, 4).Draw(t, "parallel")
		p := plan.Of(todos, parallel)
		if len(p.DependencyGraph) != len(todos) {
			t.Fatalf("graph %v", p.DependencyGraph)
		}
		var sum float64
		costs := false
		for _, x := range todos {
			if !slices.Equal(p.DependencyGraph[x.ID], x.DependsOn) {
				t.Fatalf("graph of %s: %v", x.ID, p.DependencyGraph[x.ID])
			}
			if x.EstimatedCostUSD != nil {
				sum, costs = sum+*x.EstimatedCostUSD, true
			}
		}
		if costs != (p.EstimatedCostUSD != nil) || costs && math.Abs(sum-*p.EstimatedCostUSD) > 1e-6 {
			t.Fatalf("cost %v, want %v", p.EstimatedCostUSD, sum)
		}
		if want := schedule(todos, parallel); p.EstimatedDurationSec != want {
			t.Fatalf("duration %d, want %d", p.EstimatedDurationSec, want)
		}
	})
}

// schedule lets a clock tick second by second over what Ready gives.
func schedule(given []clew.Todo, parallel int) int {
	todos := slices.Clone(given)
	for i := range todos {
		todos[i].Status = clew.TodoPending
	}
	left := map[string]int{}
	for second := 0; ; second++ {
		for moved := true; moved; {
			moved = false
			for _, id := range plan.Ready(todos) {
				if len(left) < parallel {
					x := plan.Find(todos, id)
					x.Status, left[id], moved = clew.TodoInProgress, x.EstimatedDurationSec, true
				}
			}
			for id, sec := range left {
				if sec == 0 {
					plan.Find(todos, id).Status, moved = clew.TodoCompleted, true
					delete(left, id)
				}
			}
		}
		if len(left) == 0 {
			return second
		}
		for id := range left {
			left[id]--
		}
	}
}

// Edits are taken all or none, keep a sound plan, and leave alone what has begun.
func TestEditProperties(t *testing.T) {
	nightly.Check(t, func(t *rapid.T) {
		todos := drawMidway(t, 12)
		kept := slices.Clone(todos)
		edits := drawEdits(t, todos)
		now, changes, err := plan.Edit(todos, edits, 14)
		if !reflect.DeepEqual(todos, kept) {
			t.Fatal("the given list has changed")
		}
		if err != nil {
			if code := clew.CodeOf(err); now != nil || changes != nil || code != clew.InvalidMessage && code != clew.SessionInvalidState {
				t.Fatalf("refused with %v, %v, %v", now, changes, err)
			}
			return
		}
		if err := plan.Check(now, 14); err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(changes, plan.Diff(todos, now)) {
			t.Fatalf("changes %v", changes)
		}
		for _, x := range todos {
			y := plan.Find(now, x.ID)
			if x.Status != clew.TodoCompleted && x.Status != clew.TodoInProgress {
				continue
			}
			if y == nil || y.Task != x.Task || y.Status != x.Status || y.Priority != x.Priority {
				t.Fatalf("%s has begun and became %+v", x.ID, y)
			}
		}
	})
}

// Removing todos keeps who waits for whom among the rest, and adds nothing.
func TestRemovalsKeepTheOrder(t *testing.T) {
	nightly.Check(t, func(t *rapid.T) {
		todos := drawDAG(t, 12)
		var edits []clew.PlanEdit
		for _, x := range todos[1:] {
			if rapid.Bool().Draw(t, "goes") {
				edits = append(edits, remove(x.ID))
			}
		}
		edits = rapid.Permutation(edits).Draw(t, "edits")
		now, _, err := plan.Edit(todos, edits, 12)
		if err != nil {
			t.Fatal(err)
		}
		for _, a := range now {
			for _, b := range now {
				if waitsFor(todos, a.ID, b.ID) != waitsFor(now, a.ID, b.ID) {
					t.Fatalf("%s and %s in %s, before %s", a.ID, b.ID, shape(now), shape(todos))
				}
			}
		}
	})
}

// The changes of Diff, carried out on the old list with the new one's todos,
// give the new list.
func TestDiffApplied(t *testing.T) {
	nightly.Check(t, func(t *rapid.T) {
		old, now := drawDAG(t, 10), drawDAG(t, 10)
		got := map[string]clew.Todo{}
		for _, x := range old {
			got[x.ID] = x
		}
		for _, c := range plan.Diff(old, now) {
			_, known := got[c.TodoID]
			if known == (c.Action == clew.PlanAdd) {
				t.Fatalf("%s of %s", c.Action, c.TodoID)
			}
			if c.Action == clew.PlanRemove {
				delete(got, c.TodoID)
				continue
			}
			got[c.TodoID] = *plan.Find(now, c.TodoID)
		}
		if len(got) != len(now) {
			t.Fatalf("%d todos, want %d", len(got), len(now))
		}
		for _, x := range now {
			if rest := plan.Diff([]clew.Todo{got[x.ID]}, []clew.Todo{x}); len(rest) != 0 {
				t.Fatalf("still to do: %v", rest)
			}
		}
	})
}

func TestMergeProperties(t *testing.T) {
	nightly.Check(t, func(t *rapid.T) {
		old, proposed := drawMidway(t, 8), drawDAG(t, 8)
		now, err := plan.Merge(old, proposed, 16)
		if err != nil {
			if code := clew.CodeOf(err); code != clew.SessionInvalidState && code != clew.InvalidMessage {
				t.Fatal(err)
			}
			return
		}
		if err := plan.Check(now, 16); err != nil {
			t.Fatal(err)
		}
		for _, x := range now {
			was := plan.Find(old, x.ID)
			begun := was != nil && was.Status != clew.TodoPending && was.Status != clew.TodoFailed
			if begun && x.Status != was.Status || !begun && x.Status != clew.TodoPending {
				t.Fatalf("%s was %+v, is %+v", x.ID, was, x)
			}
		}
		for _, x := range old {
			if c := plan.Find(now, x.ID); c == nil && x.Status != clew.TodoPending && x.Status != clew.TodoFailed {
				t.Fatalf("%s, %s, is lost", x.ID, x.Status)
			}
		}
	})
}
