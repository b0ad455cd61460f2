package plan

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/clew-run/clew"
)

// Normalise makes the usual small mistakes of a model good, where there is no
// doubt what was meant, and says in words what it did. What it leaves is for
// Check. Ids are made where there are none, dependencies given by place ("2",
// "#2") or by a task's exact text become ids, and nothing of a proposal is
// begun or done yet.
func Normalise(todos []clew.Todo) (fixed []clew.Todo, repairs []string) {
	return NormaliseOver(nil, todos)
}

// NormaliseOver is Normalise for a list that is to be merged over a present
// one: a todo without an id that has the text of a present one is that one, and
// no other is given an id of the present list.
func NormaliseOver(old, todos []clew.Todo) (fixed []clew.Todo, repairs []string) {
	n := normaliser{old: old, todos: clone(todos)}
	for i := range n.todos {
		n.trim(i)
		n.reset(i)
	}
	n.ids()
	n.dependencies()
	return n.todos, n.repairs
}

type normaliser struct {
	old, todos []clew.Todo
	repairs    []string

	known     map[string]bool // ids of both lists
	byText    map[string]int  // place of the todo with this text; -1 if several have it
	positions bool            // a number may be taken for a place
}

func (n *normaliser) did(i int, format string, args ...any) {
	name := fmt.Sprintf("todo %d", i+1)
	if id := n.todos[i].ID; id != "" {
		name = "todo " + quote(id)
	}
	n.repairs = append(n.repairs, name+": "+fmt.Sprintf(format, args...))
}

func (n *normaliser) trim(i int) {
	t := &n.todos[i]
	for _, f := range []struct {
		what string
		text *string
	}{{"id", &t.ID}, {"task", &t.Task}, {"tool", &t.Tool}, {"mode", &t.Mode}, {"profile", &t.Profile}} {
		if s := strings.TrimSpace(*f.text); s != *f.text {
			*f.text = s
			n.did(i, "spaces around its %s removed", f.what)
		}
	}
}

func (n *normaliser) reset(i int) {
	t := &n.todos[i]
	if t.Status != "" && t.Status != clew.TodoPending {
		n.did(i, "status %s set to pending", quote(string(t.Status)))
	}
	if t.ResultSummary != nil || t.Error != nil || t.TaskID != "" || t.CurrentStep != "" ||
		t.ProgressPercentage != 0 || t.RetryCount != 0 || t.StartedMS != 0 || t.DurationMS != 0 {
		n.did(i, "result and progress removed, it has not begun")
	}
	*t = fresh(*t)
}

func (n *normaliser) ids() {
	taken := newNameMaker(len(n.old)+len(n.todos), n.old, n.todos)
	present := texts(n.old)
	given := make(map[string]bool, len(n.todos))
	for i := range n.todos {
		given[n.todos[i].ID] = true
	}
	for i := range n.todos {
		t := &n.todos[i]
		if t.ID != "" {
			continue
		}
		if j, found := present[t.Task]; found && j >= 0 && t.Task != "" && !given[n.old[j].ID] {
			n.did(i, "is the present %s", quote(n.old[j].ID))
			t.ID = n.old[j].ID
			given[t.ID] = true
			continue
		}
		id := taken.make(i + 1)
		n.did(i, "had no id, is now %q", id)
		t.ID = id
	}
}

func (n *normaliser) dependencies() {
	n.known = make(map[string]bool, len(n.old)+len(n.todos))
	for _, list := range [][]clew.Todo{n.old, n.todos} {
		for i := range list {
			n.known[list[i].ID] = true
		}
	}
	n.byText = texts(n.todos)
	n.positions = n.countsFromOne()
	for i := range n.todos {
		n.todos[i].DependsOn = n.resolve(i)
	}
}

func (n *normaliser) resolve(i int) clew.List[string] {
	out := clew.List[string]{}
	seen := make(map[string]bool)
	for _, name := range n.todos[i].DependsOn {
		id := n.meant(strings.TrimSpace(name))
		switch {
		case id == "":
			n.did(i, "empty dependency removed")
			continue
		case seen[id]:
			n.did(i, "second mention of dependency %s removed", quote(id))
			continue
		case id != name:
			n.did(i, "dependency %s read as %s", quote(name), quote(id))
		}
		seen[id] = true
		out = append(out, id)
	}
	return out
}

// meant gives the id that a name in depends_on stands for, or the name itself
// if that is open.
func (n *normaliser) meant(name string) string {
	if name == "" || n.known[name] {
		return name
	}
	place, isPlace := n.place(name)
	text, isText := n.byText[name]
	isText = isText && text >= 0
	switch {
	case isPlace && isText && n.todos[place].ID != n.todos[text].ID:
		return name
	case isPlace && n.positions:
		return n.todos[place].ID
	case isText:
		return n.todos[text].ID
	default:
		return name
	}
}

// place reads "3" or "#3" as the third todo.
func (n *normaliser) place(name string) (int, bool) {
	k, err := strconv.Atoi(strings.TrimPrefix(name, "#"))
	if err != nil || k < 1 || k > len(n.todos) {
		return 0, false
	}
	return k - 1, true
}

// countsFromOne reports whether numbers in depends_on can only be places that
// are counted from one. A 0, or a todo that would wait for itself, hints at
// counting from zero, and then every number is in doubt.
func (n *normaliser) countsFromOne() bool {
	for i := range n.todos {
		for _, name := range n.todos[i].DependsOn {
			name = strings.TrimSpace(name)
			if n.known[name] {
				continue
			}
			if k, ok := n.place(name); ok && k == i || strings.TrimPrefix(name, "#") == "0" {
				return false
			}
		}
	}
	return true
}

// texts maps task texts to places, -1 for a text that several todos have.
func texts(todos []clew.Todo) map[string]int {
	at := make(map[string]int, len(todos))
	for i := range todos {
		if _, twice := at[todos[i].Task]; twice {
			at[todos[i].Task] = -1
			continue
		}
		at[todos[i].Task] = i
	}
	return at
}

// A nameMaker makes ids that nobody has: todo_001, todo_002 and so on. The number
// only goes up, so making n of them takes n steps and those it passes.
type nameMaker struct {
	taken map[string]bool
	last  int
}

func newNameMaker(size int, lists ...[]clew.Todo) *nameMaker {
	m := &nameMaker{taken: make(map[string]bool, size)}
	for _, list := range lists {
		for i := range list {
			m.taken[list[i].ID] = true
		}
	}
	return m
}

// make gives an id with the number from or a larger one.
func (m *nameMaker) make(from int) string {
	for m.last = max(m.last+1, from); ; m.last++ {
		if id := fmt.Sprintf("todo_%03d", m.last); !m.taken[id] {
			m.taken[id] = true
			return id
		}
	}
}
