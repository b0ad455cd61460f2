package plan

import (
	"cmp"
	"slices"

	"github.com/clew-run/clew"
)

// Ready lists the pending todos that wait for nothing: all they depend on is
// completed or skipped. Larger priority first, then plan order.
func Ready(todos []clew.Todo) []string { return names(todos, ReadyAt(todos, index(todos))) }

// Places says where each todo stands in the list, for ReadyAt. It holds for as
// long as no todo comes, goes or changes its place.
func Places(todos []clew.Todo) map[string]int { return index(todos) }

// ReadyAt is Ready for whoever keeps the places of the todos: it gives theirs.
func ReadyAt(todos []clew.Todo, at map[string]int) []int {
	var ready []int
	for i := range todos {
		if pending(todos[i].Status) && free(todos, at, i) {
			ready = append(ready, i)
		}
	}
	slices.SortStableFunc(ready, func(a, b int) int {
		return cmp.Compare(todos[b].Priority, todos[a].Priority)
	})
	return ready
}

func free(todos []clew.Todo, at map[string]int, i int) bool {
	for _, id := range todos[i].DependsOn {
		j, known := at[id]
		if !known || !settled(todos[j].Status) {
			return false
		}
	}
	return true
}

func names(todos []clew.Todo, list []int) []string {
	out := make([]string, len(list))
	for n, i := range list {
		out[n] = todos[i].ID
	}
	return out
}

// Freed lists what the end of one todo made ready, in the order of Ready: its
// next_todos.
func Freed(todos []clew.Todo, id string) []string {
	ready := []int{}
	for i := range todos {
		if !pending(todos[i].Status) || !slices.Contains(todos[i].DependsOn, id) {
			continue
		}
		waits := slices.ContainsFunc(todos[i].DependsOn, func(d string) bool {
			t := Find(todos, d)
			return t == nil || !settled(t.Status)
		})
		if !waits {
			ready = append(ready, i)
		}
	}
	slices.SortStableFunc(ready, func(a, b int) int { return cmp.Compare(todos[b].Priority, todos[a].Priority) })
	return names(todos, ready)
}

// Blocked lists, in plan order, the pending todos that can never become ready
// while the failed ones stay failed. A todo in progress may still complete and
// blocks nothing. In a list that Check refuses, a circle or an unknown id
// blocks as well.
func Blocked(todos []clew.Todo) []string {
	reach := reachable(todos)
	var blocked []int
	for i := range todos {
		if pending(todos[i].Status) && !reach[i] {
			blocked = append(blocked, i)
		}
	}
	return names(todos, blocked)
}

// reachable marks the todos that are settled, or can be: nothing they wait for
// has failed, however far back.
func reachable(todos []clew.Todo) []bool {
	at := index(todos)
	reach := make([]bool, len(todos))
	waits := make([]int, len(todos)) // dependencies not known to be reachable
	dependents := make([][]int, len(todos))
	var queue []int
	for i := range todos {
		if !pending(todos[i].Status) {
			if todos[i].Status != clew.TodoFailed {
				queue = append(queue, i)
			}
			continue
		}
		waits[i] = len(todos[i].DependsOn)
		for _, id := range todos[i].DependsOn {
			if j, known := at[id]; known {
				dependents[j] = append(dependents[j], i)
			}
		}
		if waits[i] == 0 {
			queue = append(queue, i)
		}
	}
	for len(queue) > 0 {
		i := queue[0]
		queue = queue[1:]
		reach[i] = true
		for _, j := range dependents[i] {
			if waits[j]--; waits[j] == 0 {
				queue = append(queue, j)
			}
		}
	}
	return reach
}

// Counts says how many todos stand where. The parts add up to Total.
type Counts struct{ Total, Completed, InProgress, Pending, Failed, Skipped int }

// Count counts todos by status.
func Count(todos []clew.Todo) Counts {
	c := Counts{Total: len(todos)}
	for i := range todos {
		switch todos[i].Status {
		case clew.TodoCompleted:
			c.Completed++
		case clew.TodoInProgress:
			c.InProgress++
		case clew.TodoFailed:
			c.Failed++
		case clew.TodoSkipped:
			c.Skipped++
		default:
			c.Pending++
		}
	}
	return c
}

// Percent is the share of completed todos, rounded down. What was skipped is
// not completed, so a run that skipped something ends below 100.
func (c Counts) Percent() int {
	if c.Total == 0 {
		return 0
	}
	return c.Completed * 100 / c.Total
}

// Settled reports whether nothing is left to do: all is completed or skipped.
func (c Counts) Settled() bool { return c.Completed+c.Skipped == c.Total }
