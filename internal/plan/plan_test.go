package plan_test

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/plan"
)

// todo makes a pending todo with a text of its own.
func todo(id string, deps ...string) clew.Todo {
	return clew.Todo{ID: id, Task: "do " + id, Status: clew.TodoPending, DependsOn: append(clew.List[string]{}, deps...)}
}

func with(t clew.Todo, change func(*clew.Todo)) clew.Todo {
	change(&t)
	return t
}

func in(status clew.TodoStatus, t clew.Todo) clew.Todo {
	t.Status = status
	return t
}

func ptr[T any](v T) *T { return &v }

// wantError checks the code and that every part is in the message.
func wantError(t *testing.T, err error, code clew.Code, parts ...string) {
	t.Helper()
	if clew.CodeOf(err) != code {
		t.Fatalf("error %v, want code %s", err, code)
	}
	for _, p := range parts {
		if !strings.Contains(clew.AsError(err).Message, p) {
			t.Errorf("message %q does not have %q", clew.AsError(err).Message, p)
		}
	}
}

// Covers: RUN-12
func TestCheck(t *testing.T) {
	cases := []struct {
		name  string
		todos []clew.Todo
		want  string // "" is accepted
	}{
		{"one", []clew.Todo{todo("a")}, ""},
		{"diamond", []clew.Todo{todo("a"), todo("b", "a"), todo("c", "a"), todo("d", "b", "c")}, ""},
		{"later ones may be named", []clew.Todo{todo("a", "b"), todo("b")}, ""},
		{"none", nil, "it has no todos"},
		{"too many", []clew.Todo{todo("a"), todo("b"), todo("c"), todo("d"), todo("e")}, "5 todos, at most 4"},
		{"no id", []clew.Todo{todo("a"), todo("")}, "todo 2 of the list has no id"},
		{"id with a space", []clew.Todo{todo("a b")}, `todo 1 of the list has the id "a b"`},
		{"long id", []clew.Todo{todo(strings.Repeat("x", 65))}, "1 to 64 characters"},
		{"longest id", []clew.Todo{todo(strings.Repeat("x", 64))}, ""},
		{"same id", []clew.Todo{todo("a"), todo("a")}, `todo 2 of the list has the id "a", which todo 1 has already`},
		{"no text", []clew.Todo{with(todo("a"), func(t *clew.Todo) { t.Task = " \n" })}, `todo "a" has no task text`},
		{"long text", []clew.Todo{with(todo("a"), func(t *clew.Todo) { t.Task = strings.Repeat("é", 4001) })}, "task text of 4001 characters"},
		{"longest text", []clew.Todo{with(todo("a"), func(t *clew.Todo) { t.Task = strings.Repeat("é", 4000) })}, ""},
		{"long tool", []clew.Todo{with(todo("a"), func(t *clew.Todo) { t.Tool = strings.Repeat("x", 201) })}, "tool of 201 characters"},
		{"unknown", []clew.Todo{todo("a", "x")}, `todo "a" depends on "x", which is no todo of the plan`},
		{"itself", []clew.Todo{todo("a", "a")}, `todo "a" depends on itself`},
		{"twice", []clew.Todo{todo("a"), todo("b", "a", "a")}, `todo "b" names "a" twice`},
		{"circle", []clew.Todo{todo("a", "b"), todo("b", "a")}, "a -> b -> a"},
		{"circle behind a tail", []clew.Todo{todo("t", "a"), todo("a", "b"), todo("b", "c"), todo("c", "a")}, "circle: a -> b -> c -> a"},
		{"negative duration", []clew.Todo{with(todo("a"), func(t *clew.Todo) { t.EstimatedDurationSec = -1 })}, "negative estimated_duration_sec"},
		{"endless duration", []clew.Todo{with(todo("a"), func(t *clew.Todo) { t.EstimatedDurationSec = math.MaxInt })}, "estimated_duration_sec over"},
		{"negative cost", []clew.Todo{with(todo("a"), func(t *clew.Todo) { t.EstimatedCostUSD = ptr(-0.5) })}, "negative estimated_cost_usd"},
		{"cost NaN", []clew.Todo{with(todo("a"), func(t *clew.Todo) { t.EstimatedCostUSD = ptr(math.NaN()) })}, "not a number"},
		{"cost Inf", []clew.Todo{with(todo("a"), func(t *clew.Todo) { t.EstimatedCostUSD = ptr(math.Inf(1)) })}, "not a number"},
		{"huge cost", []clew.Todo{with(todo("a"), func(t *clew.Todo) { t.EstimatedCostUSD = ptr(1e300) })}, "estimated_cost_usd over"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			err := plan.Check(c.todos, 4)
			if c.want == "" {
				if err != nil {
					t.Fatal(err)
				}
				return
			}
			wantError(t, err, clew.InvalidMessage, c.want)
		})
	}
}

func TestCheckNamesAllInOrder(t *testing.T) {
	err := plan.Check([]clew.Todo{
		todo("a", "x"),
		with(todo("b", "b"), func(t *clew.Todo) { t.Task = "" }),
		todo("c", "d"), todo("d", "c"),
		todo("e", "f"), todo("f", "e"),
	}, 5)
	want := `the plan has 6 problems: it has 6 todos, at most 5 are allowed; ` +
		`todo "a" depends on "x", which is no todo of the plan; ` +
		`todo "b" has no task text; todo "b" depends on itself; ` +
		`the dependencies go in a circle: c -> d -> c; the dependencies go in a circle: e -> f -> e`
	if clew.AsError(err).Message != want {
		t.Errorf("got  %s\nwant %s", clew.AsError(err).Message, want)
	}
}

func TestCheckLimits(t *testing.T) {
	var many []clew.Todo
	for i := range plan.MaxTodos + 1 {
		many = append(many, todo(fmt.Sprint("t", i)))
	}
	wantError(t, plan.Check(many, 0), clew.InvalidMessage, "2001 todos, at most 2000")
	if err := plan.Check(many[:plan.MaxTodos], 0); err != nil {
		t.Error(err)
	}

	var dense []clew.Todo
	var ids []string
	for i := range 250 {
		dense = append(dense, todo(fmt.Sprint("t", i), ids...))
		ids = append(ids, fmt.Sprint("t", i))
	}
	wantError(t, plan.Check(dense, 0), clew.InvalidMessage, "31125 dependencies, at most 20000")

	bad := make([]clew.Todo, 150)
	for i := range bad {
		bad[i] = todo(fmt.Sprint("t", i), "nobody")
	}
	wantError(t, plan.Check(bad, 0), clew.InvalidMessage, "150 problems", "and 50 more")

	ring := make([]clew.Todo, 1000)
	for i := range ring {
		ring[i] = todo(fmt.Sprint("t", i), fmt.Sprint("t", (i+1)%1000))
	}
	wantError(t, plan.Check(ring, 0), clew.InvalidMessage, "t0 -> t1 ->", "... -> t999 -> t0")
}

// Covers: RUN-10, RUN-12
func TestReady(t *testing.T) {
	high := func(t *clew.Todo) { t.Priority = 10 }
	low := func(t *clew.Todo) { t.Priority = 8 }
	cases := []struct {
		name  string
		todos []clew.Todo
		want  []string
	}{
		{"larger priority first, then plan order",
			[]clew.Todo{todo("a"), with(todo("b"), low), with(todo("c"), high), with(todo("d"), low)}, []string{"c", "b", "d", "a"}},
		{"waits for what is pending", []clew.Todo{todo("a"), todo("b", "a")}, []string{"a"}},
		{"waits for what is under way", []clew.Todo{in(clew.TodoInProgress, todo("a")), todo("b", "a")}, nil},
		{"goes on after completed and skipped",
			[]clew.Todo{in(clew.TodoCompleted, todo("a")), in(clew.TodoSkipped, todo("b")), todo("c", "a", "b")}, []string{"c"}},
		{"one of two is not enough", []clew.Todo{in(clew.TodoCompleted, todo("a")), todo("b"), todo("c", "a", "b")}, []string{"b"}},
		{"failed holds back", []clew.Todo{in(clew.TodoFailed, todo("a")), todo("b", "a")}, nil},
		{"unknown holds back", []clew.Todo{todo("b", "x")}, nil},
		{"no status is pending", []clew.Todo{in("", todo("a"))}, []string{"a"}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if got := plan.Ready(c.todos); !slices.Equal(got, c.want) {
				t.Errorf("ready %v, want %v", got, c.want)
			}
		})
	}
}

// Covers: RUN-13
func TestFreed(t *testing.T) {
	before := []clew.Todo{in(clew.TodoInProgress, todo("a")), todo("b", "a"), todo("c"), with(todo("d", "a"), func(t *clew.Todo) { t.Priority = 1 })}
	after := slices.Clone(before)
	after[0].Status = clew.TodoCompleted
	if got := plan.Freed(after, "a"); !slices.Equal(got, []string{"d", "b"}) {
		t.Errorf("freed %v", got)
	}
	if got := plan.Freed(after, "c"); len(got) != 0 {
		t.Errorf("freed by one that nobody waits for: %v", got)
	}
	if got := plan.Freed(before, "a"); len(got) != 0 {
		t.Errorf("freed by one that is not done: %v", got)
	}
}

// Covers: G-14
func TestBlocked(t *testing.T) {
	todos := []clew.Todo{
		in(clew.TodoFailed, todo("a")), todo("b", "a"), todo("c", "b"),
		in(clew.TodoSkipped, todo("d")), todo("e", "d"),
		in(clew.TodoInProgress, todo("f")), todo("g", "f"), todo("h", "g", "c"),
	}
	if got := plan.Blocked(todos); !slices.Equal(got, []string{"b", "c", "h"}) {
		t.Errorf("blocked %v", got)
	}
	todos[0].Status = clew.TodoSkipped // the person lets it go
	if got := plan.Blocked(todos); len(got) != 0 {
		t.Errorf("blocked after the skip: %v", got)
	}
	if got := plan.Ready(todos); !slices.Equal(got, []string{"b", "e"}) {
		t.Errorf("ready after the skip: %v", got)
	}
}

// Covers: RUN-15
func TestCount(t *testing.T) {
	todos := []clew.Todo{
		in(clew.TodoCompleted, todo("a")), in(clew.TodoCompleted, todo("b")),
		in(clew.TodoInProgress, todo("c")), todo("d"), in(clew.TodoFailed, todo("e")),
	}
	c := plan.Count(todos)
	if want := (plan.Counts{Total: 5, Completed: 2, InProgress: 1, Pending: 1, Failed: 1}); c != want {
		t.Errorf("counts %+v", c)
	}
	if c.Percent() != 40 || c.Settled() {
		t.Errorf("percent %d, settled %v", c.Percent(), c.Settled())
	}
	last := plan.Counts{Total: 3, Completed: 2, Skipped: 1}
	if last.Percent() != 66 || !last.Settled() {
		t.Errorf("percent %d, settled %v", last.Percent(), last.Settled())
	}
	if (plan.Counts{}).Percent() != 0 {
		t.Error("percent of nothing")
	}
}

// Covers: RUN-12, RUN-33, C-64
func TestOf(t *testing.T) {
	est := func(sec int, usd *float64) func(*clew.Todo) {
		return func(t *clew.Todo) { t.EstimatedDurationSec, t.EstimatedCostUSD = sec, usd }
	}
	todos := []clew.Todo{
		with(todo("a"), est(10, ptr(0.1))), with(todo("b", "a"), est(20, nil)),
		with(todo("c", "a"), est(5, ptr(0.2))), with(todo("d", "b", "c"), est(1, nil)),
	}
	p := plan.Of(todos, 2)
	graph := map[string]clew.List[string]{"a": {}, "b": {"a"}, "c": {"a"}, "d": {"b", "c"}}
	if !reflect.DeepEqual(p.DependencyGraph, graph) || !reflect.DeepEqual([]clew.Todo(p.Todos), todos) {
		t.Errorf("plan %+v", p)
	}
	if p.EstimatedDurationSec != 31 || p.EstimatedCostUSD == nil || *p.EstimatedCostUSD != 0.3 {
		t.Errorf("estimates %d, %v", p.EstimatedDurationSec, p.EstimatedCostUSD)
	}
	if p.MermaidDiagram != plan.Mermaid(todos) {
		t.Errorf("diagram %s", p.MermaidDiagram)
	}
	if one := plan.Of(todos, 1); one.EstimatedDurationSec != 36 {
		t.Errorf("one at a time: %d", one.EstimatedDurationSec)
	}
	if none := plan.Of([]clew.Todo{todo("a")}, 0); none.EstimatedCostUSD != nil {
		t.Errorf("a cost without any: %v", *none.EstimatedCostUSD)
	}
	for i := range todos {
		todos[i].Status = clew.TodoCompleted
	}
	if done := plan.Of(todos, 2); done.EstimatedDurationSec != 31 {
		t.Errorf("the estimate moves with the execution: %d", done.EstimatedDurationSec)
	}
}

func TestFind(t *testing.T) {
	todos := []clew.Todo{todo("a"), todo("b")}
	if got := plan.Find(todos, "b"); got != &todos[1] {
		t.Errorf("found %v", got)
	}
	if got := plan.Find(todos, "x"); got != nil {
		t.Errorf("found %v", got)
	}
}
