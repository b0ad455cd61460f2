package plan

import (
	"slices"
	"strings"

	"github.com/clew-run/clew"
)

// Merge puts a newly proposed list over the present one. What has begun or is
// settled stays as it is: the proposal must name it with the same task, or
// leave it out if it is settled. Everything else is as proposed, and pending.
// Settled todos that the proposal leaves out come first.
func Merge(old, proposed []clew.Todo, max int) ([]clew.Todo, error) {
	at := index(proposed)
	keep := make(map[string]clew.Todo)
	var wrong []string
	var now []clew.Todo
	for _, t := range clone(old) {
		if !settled(t.Status) && t.Status != clew.TodoInProgress {
			continue
		}
		i, named := at[t.ID]
		switch {
		case named && strings.TrimSpace(proposed[i].Task) != strings.TrimSpace(t.Task),
			!named && t.Status == clew.TodoInProgress:
			wrong = append(wrong, quote(t.ID)+" ("+string(t.Status)+")")
		case !named:
			now = append(now, t)
		}
		keep[t.ID] = t
	}
	if len(wrong) > 0 {
		return nil, clew.Errorf(clew.SessionInvalidState,
			"the new plan changes todos that have begun or are settled: %s; keep them with their id and task", strings.Join(wrong, ", "))
	}
	for _, t := range proposed {
		if kept, ok := keep[t.ID]; ok {
			now = append(now, kept)
			continue
		}
		now = append(now, fresh(t))
	}
	release(now)
	if err := Check(now, max); err != nil {
		return nil, err
	}
	return now, nil
}

// release takes from kept todos the edges to what is not settled. Only a todo
// that was skipped early has such: it waits no more, and the new plan may have
// dropped what it waited for, or made that wait for it.
func release(todos []clew.Todo) {
	at := index(todos)
	for i := range todos {
		t := &todos[i]
		if !settled(t.Status) && t.Status != clew.TodoInProgress {
			continue
		}
		t.DependsOn = slices.DeleteFunc(cloneIDs(t.DependsOn), func(id string) bool {
			j, known := at[id]
			return !known || !settled(todos[j].Status)
		})
	}
}

// Diff lists what makes now out of old: added and updated todos in plan order,
// then the removed ones. Where todos stand in their execution is no difference.
func Diff(old, now []clew.Todo) clew.List[clew.PlanChange] {
	was, is := index(old), index(now)
	changes := clew.List[clew.PlanChange]{}
	for i := range now {
		t := &now[i]
		j, known := was[t.ID]
		switch {
		case !known:
			changes = append(changes, clew.PlanChange{Action: clew.PlanAdd, TodoID: t.ID, Task: t.Task})
		case !same(&old[j], t):
			changes = append(changes, clew.PlanChange{Action: clew.PlanUpdate, TodoID: t.ID, Task: t.Task})
		}
	}
	for i := range old {
		if _, stays := is[old[i].ID]; !stays {
			changes = append(changes, clew.PlanChange{Action: clew.PlanRemove, TodoID: old[i].ID})
		}
	}
	return changes
}

// same compares what a plan says about a todo.
func same(a, b *clew.Todo) bool {
	return a.Task == b.Task && a.Tool == b.Tool && a.Priority == b.Priority &&
		a.Mode == b.Mode && a.Profile == b.Profile &&
		a.EstimatedDurationSec == b.EstimatedDurationSec &&
		sameCost(a.EstimatedCostUSD, b.EstimatedCostUSD) &&
		sameIDs(a.DependsOn, b.DependsOn)
}

func sameCost(a, b *float64) bool {
	if a == nil || b == nil {
		return a == b
	}
	return *a == *b
}
