package plan

import (
	"fmt"

	"github.com/clew-run/clew"
)

// A rewire leads edges past removed nodes.
type rewire struct {
	d      *draft
	done   map[int][]edge // what each removed node leads to
	busy   map[int]bool
	circle string // a removed todo that waited for itself
}

// dependencies lists whom a node waits for now. A removed todo is replaced in
// place by what it waited for. What has begun already waits for nobody: it
// would look as if it had run too early, so there the edge simply goes.
func (m *rewire) dependencies(n *node) clew.List[string] {
	out := make(clew.List[string], 0, len(n.deps))
	have := make(map[string]bool, len(n.deps))
	for _, e := range n.deps {
		if !m.removed(e) {
			have[e.name] = true
		}
	}
	begun := n.todo.Status == clew.TodoCompleted || n.todo.Status == clew.TodoInProgress
	for _, e := range n.deps {
		if !m.removed(e) {
			out = append(out, e.name) // even twice: that is for Check to refuse
			continue
		}
		if begun {
			continue
		}
		for _, next := range m.past(e.to) {
			if !have[next.name] {
				have[next.name] = true
				out = append(out, next.name)
			}
		}
	}
	return out
}

func (m *rewire) removed(e edge) bool { return e.to >= 0 && m.d.nodes[e.to].gone }

// past lists the edges to remaining nodes behind a removed one. Edits may have
// drawn a circle through removed nodes. Nobody can say what is behind that, so
// it is noted and the edits are refused.
func (m *rewire) past(i int) []edge {
	if known, ok := m.done[i]; ok {
		return known
	}
	if m.busy[i] {
		m.circle = m.d.nodes[i].todo.ID
		return nil
	}
	m.busy[i] = true
	var out []edge
	have := make(map[string]bool)
	for _, e := range m.d.nodes[i].deps {
		next := []edge{e}
		if m.removed(e) {
			next = m.past(e.to)
		}
		for _, e := range next {
			if !have[e.name] {
				have[e.name] = true
				out = append(out, e)
			}
		}
	}
	m.done[i] = out
	return out
}

// prefixed says which of several edits an error is about.
func prefixed(i, of int, message string) string {
	if of == 1 {
		return message
	}
	return fmt.Sprintf("edit %d of %d: %s", i+1, of, message)
}
