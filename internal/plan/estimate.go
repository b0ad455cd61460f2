package plan

import (
	"cmp"
	"container/heap"
	"math"

	"github.com/clew-run/clew"
)

// Of makes the wire form of a plan. The estimates are those of the whole plan,
// as if nothing had begun yet, so they do not move while it is carried out:
// the duration is that of the schedule which Ready gives with at most parallel
// todos at once, the cost is the sum, nil if no todo has one.
func Of(todos []clew.Todo, parallel int) clew.Plan {
	list := clone(todos)
	graph := make(map[string]clew.List[string], len(list))
	for i := range list {
		graph[list[i].ID] = cloneIDs(list[i].DependsOn)
	}
	return clew.Plan{
		Todos:                list,
		DependencyGraph:      graph,
		EstimatedDurationSec: duration(list, parallel),
		EstimatedCostUSD:     cost(list),
		MermaidDiagram:       Mermaid(list),
	}
}

// cost adds up to a billionth of a dollar, so that 0.1 and 0.2 show as 0.3.
func cost(todos []clew.Todo) *float64 {
	var sum float64
	found := false
	for i := range todos {
		usd := todos[i].EstimatedCostUSD
		if usd == nil || !(*usd >= 0) { // NaN is not
			continue
		}
		found = true
		sum += min(*usd, MaxCostUSD)
	}
	if !found {
		return nil
	}
	sum = math.Round(sum*1e9) / 1e9
	return &sum
}

// duration plays the plan through: start what is ready while there is room,
// go on to the moment when the next ends, let go all that end then.
func duration(todos []clew.Todo, parallel int) int {
	parallel = max(parallel, 1)
	waits, dependents := edges(todos)
	ready := &slots{less: func(a, b slot) int {
		return cmp.Or(cmp.Compare(todos[b.todo].Priority, todos[a.todo].Priority), cmp.Compare(a.todo, b.todo))
	}}
	running := &slots{less: func(a, b slot) int { return cmp.Compare(a.end, b.end) }}
	for i := range todos {
		if waits[i] == 0 {
			heap.Push(ready, slot{todo: i})
		}
	}
	now := 0
	for ready.Len() > 0 || running.Len() > 0 {
		for ready.Len() > 0 && running.Len() < parallel {
			i := heap.Pop(ready).(slot).todo
			heap.Push(running, slot{todo: i, end: now + min(max(todos[i].EstimatedDurationSec, 0), MaxDurationSec)})
		}
		now = running.list[0].end
		for running.Len() > 0 && running.list[0].end == now {
			for _, j := range dependents[heap.Pop(running).(slot).todo] {
				if waits[j]--; waits[j] == 0 {
					heap.Push(ready, slot{todo: j})
				}
			}
		}
	}
	return now
}

// edges counts what each todo waits for and lists who waits for it. A todo that
// waits for an unknown id never starts, as in Ready.
func edges(todos []clew.Todo) (waits []int, dependents [][]int) {
	at := index(todos)
	waits = make([]int, len(todos))
	dependents = make([][]int, len(todos))
	for i := range todos {
		waits[i] = len(todos[i].DependsOn)
		for _, id := range todos[i].DependsOn {
			if j, known := at[id]; known {
				dependents[j] = append(dependents[j], i)
			}
		}
	}
	return waits, dependents
}

// A slot is a todo in the schedule, and when it ends.
type slot struct{ todo, end int }

type slots struct {
	list []slot
	less func(a, b slot) int
}

func (s *slots) Len() int           { return len(s.list) }
func (s *slots) Less(i, j int) bool { return s.less(s.list[i], s.list[j]) < 0 }
func (s *slots) Swap(i, j int)      { s.list[i], s.list[j] = s.list[j], s.list[i] }
func (s *slots) Push(x any)         { s.list = append(s.list, x.(slot)) }
func (s *slots) Pop() any {
	last := len(s.list) - 1
	x := s.list[last]
	s.list = s.list[:last]
	return x
}
