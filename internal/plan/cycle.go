package plan

import "strings"

// cycles names the circles among the dependencies. It walks the graph once.
// There can be more circles than anyone can read, so after one is named only
// those are named that begin and end elsewhere.
func (c *checker) cycles() {
	w := cycleWalk{c: c, state: make([]walkState, len(c.todos)), named: make([]bool, len(c.todos))}
	for i := range c.todos {
		if w.state[i] == unseen {
			w.visit(i)
		}
	}
}

type walkState uint8

const (
	unseen walkState = iota
	onPath
	left
)

type cycleWalk struct {
	c     *checker
	state []walkState
	named []bool
	path  []int
}

// visit goes as deep as the longest chain of the plan; Go's stack grows with it.
func (w *cycleWalk) visit(i int) {
	w.state[i] = onPath
	w.path = append(w.path, i)
	for _, id := range w.c.todos[i].DependsOn {
		j, known := w.c.at[id]
		if !known || j == i {
			continue // reported with the todo
		}
		switch w.state[j] {
		case unseen:
			w.visit(j)
		case onPath:
			w.report(i, j)
		case left:
		}
	}
	w.path = w.path[:len(w.path)-1]
	w.state[i] = left
}

func (w *cycleWalk) report(from, to int) {
	if w.named[from] || w.named[to] {
		return
	}
	start := len(w.path) - 1
	for w.path[start] != to {
		start--
	}
	var ids []string
	for _, i := range w.path[start:] {
		w.named[i] = true
		ids = append(ids, clip(w.c.todos[i].ID, MaxID))
	}
	if len(ids) > maxCycleIDs {
		ids = append(ids[:maxCycleIDs-1:maxCycleIDs-1], "...", ids[len(ids)-1])
	}
	ids = append(ids, ids[0])
	w.c.add("the dependencies go in a circle: %s", strings.Join(ids, " -> "))
}
