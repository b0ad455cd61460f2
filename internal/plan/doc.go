// Package plan is the graph of todos that a run works through: what is wrong
// with a proposed list, which todos may start, which can start no more, what an
// edit makes of them, how two versions differ, how long it may take, and how it
// is drawn.
//
// Everything here is a function of its arguments. Nothing knows the time, a
// session or a task, and no list that is given is ever changed.
//
// Two words run through the package. A todo is settled when it is completed or
// skipped: what depends on it may go on. A todo is under way or done when it is
// in progress or completed: it can be changed no more. A status that is empty
// or unknown counts as pending.
package plan

import (
	"slices"

	"github.com/clew-run/clew"
)

// The limits of a plan. They keep one plan within what a record, a screen and a
// person can take.
const (
	MaxTodos       = 2_000      // when the caller sets no limit of its own
	MaxEdges       = 20_000     // dependencies of all todos together
	MaxID          = 64         // characters of an id
	MaxTask        = 4_000      // characters of a task's text
	MaxName        = 200        // characters of a tool, mode or profile
	MaxDurationSec = 31_536_000 // estimate of one todo: a year
	MaxCostUSD     = 1_000_000  // estimate of one todo
)

// Find gives a pointer into todos, or nil.
func Find(todos []clew.Todo, id string) *clew.Todo {
	for i := range todos {
		if todos[i].ID == id {
			return &todos[i]
		}
	}
	return nil
}

func settled(s clew.TodoStatus) bool {
	return s == clew.TodoCompleted || s == clew.TodoSkipped
}

func pending(s clew.TodoStatus) bool {
	return !settled(s) && s != clew.TodoInProgress && s != clew.TodoFailed
}

// index maps ids to positions. Of several todos with one id the first counts.
func index(todos []clew.Todo) map[string]int {
	at := make(map[string]int, len(todos))
	for i := range todos {
		if _, taken := at[todos[i].ID]; !taken {
			at[todos[i].ID] = i
		}
	}
	return at
}

// clone copies what this package may change later: the list, the dependencies
// and the cost. Results and errors are never written to and stay shared.
func clone(todos []clew.Todo) []clew.Todo {
	out := make([]clew.Todo, len(todos))
	for i, t := range todos {
		t.DependsOn = cloneIDs(t.DependsOn)
		t.EstimatedCostUSD = cloneCost(t.EstimatedCostUSD)
		out[i] = t
	}
	return out
}

// cloneIDs never gives nil, so that two copies of a list compare equal.
func cloneIDs(ids []string) clew.List[string] {
	return append(clew.List[string]{}, ids...)
}

func cloneCost(usd *float64) *float64 {
	if usd == nil {
		return nil
	}
	v := *usd
	return &v
}

// fresh takes from t everything that an execution left on it.
func fresh(t clew.Todo) clew.Todo {
	return clew.Todo{
		ID: t.ID, Task: t.Task, Tool: t.Tool, Status: clew.TodoPending, Priority: t.Priority,
		DependsOn:            cloneIDs(t.DependsOn),
		EstimatedDurationSec: t.EstimatedDurationSec, EstimatedCostUSD: cloneCost(t.EstimatedCostUSD),
		Mode: t.Mode, Profile: t.Profile,
	}
}

// sameIDs compares two lists of dependencies; their order means nothing.
func sameIDs(a, b []string) bool {
	if slices.Equal(a, b) {
		return true
	}
	if len(a) != len(b) {
		return false
	}
	return slices.Equal(slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b)))
}
