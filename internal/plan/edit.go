package plan

import (
	"slices"
	"strings"

	"github.com/clew-run/clew"
)

// Edit applies edits in order to a copy, all or none, and gives the changes
// that came of them. What is completed or in progress can be neither removed
// nor updated, what is skipped only removed; that is SESSION_INVALID_STATE.
// Whatever waited for a removed todo then waits for what that one waited for.
// The result passes Check.
func Edit(todos []clew.Todo, edits []clew.PlanEdit, max int) ([]clew.Todo, clew.List[clew.PlanChange], error) {
	d := newDraft(todos, edits)
	for i, e := range edits {
		if err := d.apply(e); err != nil {
			err.Message = prefixed(i, len(edits), err.Message)
			return nil, nil, err
		}
	}
	now, err := d.todos()
	if err != nil {
		return nil, nil, err
	}
	if err := Check(now, max); err != nil {
		return nil, nil, err
	}
	return now, Diff(todos, now), nil
}

// A draft is a plan while it is edited. Edges lead to nodes, not to ids: after
// a removal the id may come again for another todo, and only edges that were
// drawn then mean that one. Edges around removed nodes are mended once, at the
// end, so a long list of edits stays cheap.
type draft struct {
	nodes []node
	at    map[string]int // the node that has this id now
	names *nameMaker
	start int // number of the first id that is made
}

type node struct {
	todo clew.Todo
	deps []edge
	gone bool
}

// An edge says whom a todo waits for. to is -1 if nobody had the name when the
// edge was drawn: a later edit may add it.
type edge struct {
	name string
	to   int
}

func newDraft(todos []clew.Todo, edits []clew.PlanEdit) *draft {
	d := &draft{
		nodes: make([]node, 0, len(todos)+len(edits)),
		at:    index(todos),
		names: newNameMaker(len(todos)+len(edits), todos),
		start: len(todos) + 1,
	}
	for _, e := range edits { // an id made for one edit must not be in the way of a later one
		d.names.taken[e.TodoID] = true
	}
	for _, t := range clone(todos) {
		d.nodes = append(d.nodes, node{todo: t, deps: d.edges(t.DependsOn)})
	}
	return d
}

func (d *draft) edges(ids []string) []edge {
	out := make([]edge, len(ids))
	for i, id := range ids {
		to, known := d.at[id]
		if !known {
			to = -1
		}
		out[i] = edge{name: id, to: to}
	}
	return out
}

func (d *draft) apply(e clew.PlanEdit) *clew.Error {
	switch e.Action {
	case clew.PlanAdd:
		return d.add(e)
	case clew.PlanRemove:
		return d.remove(e)
	case clew.PlanUpdate:
		return d.update(e)
	default:
		return clew.Errorf(clew.InvalidMessage, "no such action: %s", quote(string(e.Action)))
	}
}

func (d *draft) add(e clew.PlanEdit) *clew.Error {
	if _, taken := d.at[e.TodoID]; taken {
		return clew.Errorf(clew.InvalidMessage, "there is a todo %s already", quote(e.TodoID))
	}
	if e.TodoID == "" {
		e.TodoID = d.names.make(d.start)
	}
	d.at[e.TodoID] = len(d.nodes)
	d.nodes = append(d.nodes, node{todo: clew.Todo{ID: e.TodoID, Status: clew.TodoPending}})
	d.set(&d.nodes[len(d.nodes)-1], e)
	return nil
}

func (d *draft) remove(e clew.PlanEdit) *clew.Error {
	i, err := d.find(e, clew.TodoPending, clew.TodoFailed, clew.TodoSkipped)
	if err != nil {
		return err
	}
	d.nodes[i].gone = true
	delete(d.at, e.TodoID)
	return nil
}

func (d *draft) update(e clew.PlanEdit) *clew.Error {
	i, err := d.find(e, clew.TodoPending, clew.TodoFailed)
	if err != nil {
		return err
	}
	d.set(&d.nodes[i], e)
	return nil
}

// find gives the todo that an edit names, if it is in one of the states in
// which that may be done.
func (d *draft) find(e clew.PlanEdit, may ...clew.TodoStatus) (int, *clew.Error) {
	i, known := d.at[e.TodoID]
	if !known {
		return 0, clew.Errorf(clew.InvalidMessage, "there is no todo %s", quote(e.TodoID))
	}
	status := d.nodes[i].todo.Status
	if pending(status) {
		status = clew.TodoPending
	}
	if !slices.Contains(may, status) {
		return 0, clew.Errorf(clew.SessionInvalidState, "todo %s is %s, %s is not possible", quote(e.TodoID), status, e.Action)
	}
	return i, nil
}

// set writes what the edit names.
func (d *draft) set(n *node, e clew.PlanEdit) {
	t := &n.todo
	if e.Task != "" {
		t.Task = strings.TrimSpace(e.Task)
	}
	if e.Tool != "" {
		t.Tool = strings.TrimSpace(e.Tool)
	}
	assign(&t.Priority, e.Priority)
	assign(&t.EstimatedDurationSec, e.EstimatedDurationSec)
	assign(&t.Mode, e.Mode)
	assign(&t.Profile, e.Profile)
	if e.EstimatedCostUSD != nil {
		t.EstimatedCostUSD = cloneCost(e.EstimatedCostUSD)
	}
	if e.DependsOn != nil {
		n.deps = d.edges(*e.DependsOn)
	}
}

func assign[T any](to, from *T) {
	if from != nil {
		*to = *from
	}
}

// todos gives the plan that the draft has become.
func (d *draft) todos() ([]clew.Todo, error) {
	m := rewire{d: d, done: make(map[int][]edge), busy: make(map[int]bool)}
	out := make([]clew.Todo, 0, len(d.nodes))
	for i := range d.nodes {
		if n := &d.nodes[i]; !n.gone {
			n.todo.DependsOn = m.dependencies(n)
			out = append(out, n.todo)
		}
	}
	if m.circle != "" {
		return nil, clew.Errorf(clew.InvalidMessage, "the edits remove todo %s, which depends on itself by way of others", quote(m.circle))
	}
	return out, nil
}
