package plan_test

import (
	"fmt"
	"reflect"
	"slices"
	"testing"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/plan"
)

func add(id, task string, deps ...string) clew.PlanEdit {
	return clew.PlanEdit{Action: clew.PlanAdd, TodoID: id, Task: task, DependsOn: &deps}
}

func remove(id string) clew.PlanEdit { return clew.PlanEdit{Action: clew.PlanRemove, TodoID: id} }

func depend(id string, deps ...string) clew.PlanEdit {
	return clew.PlanEdit{Action: clew.PlanUpdate, TodoID: id, DependsOn: &deps}
}

// shape writes a plan as "a b<a c<a,b".
func shape(todos []clew.Todo) string {
	var out string
	for i, t := range todos {
		if i > 0 {
			out += " "
		}
		out += t.ID
		for j, d := range t.DependsOn {
			out += map[bool]string{true: "<", false: ","}[j == 0] + d
		}
	}
	return out
}

func TestEdit(t *testing.T) {
	base := []clew.Todo{todo("a"), todo("b", "a"), todo("c", "b"), todo("d", "a", "b")}
	cases := []struct {
		name    string
		edits   []clew.PlanEdit
		shape   string
		changes string
	}{
		{"none", nil, "a b<a c<b d<a,b", ""},
		{"add", []clew.PlanEdit{add("e", "do e", "c")}, "a b<a c<b d<a,b e<c", "add e:do e"},
		{"add without an id", []clew.PlanEdit{add("", "one"), add("", "two")}, "a b<a c<b d<a,b todo_005 todo_006", "add todo_005:one add todo_006:two"},
		{"a made id keeps clear of a later one", []clew.PlanEdit{add("", "one"), add("todo_005", "two")}, "a b<a c<b d<a,b todo_006 todo_005", "add todo_006:one add todo_005:two"},
		{"name one that comes later", []clew.PlanEdit{add("e", "do e", "f"), add("f", "do f")}, "a b<a c<b d<a,b e<f f", "add e:do e add f:do f"},
		{"remove the last", []clew.PlanEdit{remove("d")}, "a b<a c<b", "remove d"},
		{"remove one in the middle", []clew.PlanEdit{remove("b")}, "a c<a d<a", "update c:do c update d:do d remove b"},
		{"remove the first", []clew.PlanEdit{remove("a")}, "b c<b d<b", "update b:do b update d:do d remove a"},
		{"remove a chain", []clew.PlanEdit{remove("b"), remove("a")}, "c d", "update c:do c update d:do d remove a remove b"},
		{"remove a chain from its start", []clew.PlanEdit{remove("a"), remove("b")}, "c d", "update c:do c update d:do d remove a remove b"},
		{"update the dependencies", []clew.PlanEdit{depend("d", "c")}, "a b<a c<b d<c", "update d:do d"},
		{"the same in another order is no change", []clew.PlanEdit{depend("d", "b", "a")}, "a b<a c<b d<b,a", ""},
		{"turn an edge around in two steps", []clew.PlanEdit{depend("a", "b"), depend("b")}, "a<b b c<b d<a,b", "update a:do a update b:do b"},
		{"add and remove again", []clew.PlanEdit{add("e", "do e", "c"), remove("e")}, "a b<a c<b d<a,b", ""},
		{"an id comes again", []clew.PlanEdit{remove("b"), add("b", "new", "c"), depend("d", "b")}, "a c<a d<b b<c", "update c:do c update d:do d update b:new"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			got, changes, err := plan.Edit(base, c.edits, 10)
			if err != nil {
				t.Fatal(err)
			}
			if shape(got) != c.shape {
				t.Errorf("plan %s, want %s", shape(got), c.shape)
			}
			if said := say(changes); said != c.changes {
				t.Errorf("changes %q, want %q", said, c.changes)
			}
			if shape(base) != "a b<a c<b d<a,b" {
				t.Errorf("the given list has changed: %s", shape(base))
			}
		})
	}
}

func say(changes []clew.PlanChange) string {
	var out string
	for i, c := range changes {
		if i > 0 {
			out += " "
		}
		out += fmt.Sprintf("%s %s", c.Action, c.TodoID)
		if c.Task != "" {
			out += ":" + c.Task
		}
	}
	return out
}

func TestEditWritesWhatIsNamed(t *testing.T) {
	before := clew.Todo{ID: "a", Task: "old", Tool: "web", Status: clew.TodoFailed, Priority: 3, DependsOn: clew.List[string]{},
		EstimatedDurationSec: 5, EstimatedCostUSD: ptr(0.5), Mode: "code", Profile: "fast", RetryCount: 3, Error: &clew.Failure{Message: "no"}}
	all := clew.PlanEdit{Action: clew.PlanUpdate, TodoID: "a", Task: " new ", Tool: "shell", Priority: ptr(0),
		EstimatedDurationSec: ptr(0), EstimatedCostUSD: ptr(0.0), Mode: ptr(""), Profile: ptr("best")}
	got, _, err := plan.Edit([]clew.Todo{before}, []clew.PlanEdit{all}, 1)
	if err != nil {
		t.Fatal(err)
	}
	want := before
	want.Task, want.Tool, want.Priority, want.EstimatedDurationSec = "new", "shell", 0, 0
	want.EstimatedCostUSD, want.Mode, want.Profile = ptr(0.0), "", "best"
	if !reflect.DeepEqual(got[0], want) {
		t.Errorf("got  %+v\nwant %+v", got[0], want)
	}
	*got[0].EstimatedCostUSD = 7
	if *all.EstimatedCostUSD != 0 || *before.EstimatedCostUSD != 0.5 {
		t.Error("the result shares its cost with what was given")
	}
	same, changes, err := plan.Edit([]clew.Todo{before}, []clew.PlanEdit{{Action: clew.PlanUpdate, TodoID: "a"}}, 1)
	if err != nil || len(changes) != 0 || !reflect.DeepEqual(same[0], before) {
		t.Errorf("an update that names nothing: %+v, %v, %v", same, changes, err)
	}
	if same[0].EstimatedCostUSD == before.EstimatedCostUSD {
		t.Error("the result shares its cost with the given list")
	}
}

func TestEditRefused(t *testing.T) {
	base := []clew.Todo{
		in(clew.TodoCompleted, todo("done")), in(clew.TodoInProgress, todo("busy", "done")),
		in(clew.TodoSkipped, todo("skipped")), in(clew.TodoFailed, todo("failed")), todo("open", "busy"),
	}
	update := func(id string) clew.PlanEdit {
		return clew.PlanEdit{Action: clew.PlanUpdate, TodoID: id, Task: "other"}
	}
	cases := []struct {
		name  string
		edits []clew.PlanEdit
		code  clew.Code // "" is allowed
		want  string
	}{
		{"remove done", []clew.PlanEdit{remove("done")}, clew.SessionInvalidState, `todo "done" is completed, remove is not possible`},
		{"remove busy", []clew.PlanEdit{remove("busy")}, clew.SessionInvalidState, "in_progress"},
		{"remove skipped", []clew.PlanEdit{remove("skipped")}, "", ""},
		{"remove failed", []clew.PlanEdit{remove("failed")}, "", ""},
		{"remove open", []clew.PlanEdit{remove("open")}, "", ""},
		{"update done", []clew.PlanEdit{update("done")}, clew.SessionInvalidState, `todo "done" is completed, update is not possible`},
		{"update busy", []clew.PlanEdit{update("busy")}, clew.SessionInvalidState, "in_progress"},
		{"update skipped", []clew.PlanEdit{update("skipped")}, clew.SessionInvalidState, "skipped"},
		{"update failed", []clew.PlanEdit{update("failed")}, "", ""},
		{"update open", []clew.PlanEdit{update("open")}, "", ""},
		{"add a taken id", []clew.PlanEdit{add("done", "x")}, clew.InvalidMessage, `there is a todo "done" already`},
		{"add without a text", []clew.PlanEdit{add("e", "")}, clew.InvalidMessage, `todo "e" has no task text`},
		{"add with a bad id", []clew.PlanEdit{add("e f", "x")}, clew.InvalidMessage, `the id "e f"`},
		{"add one too many", []clew.PlanEdit{add("e", "x"), add("f", "x")}, clew.InvalidMessage, "7 todos, at most 6"},
		{"remove unknown", []clew.PlanEdit{remove("x")}, clew.InvalidMessage, `there is no todo "x"`},
		{"remove twice", []clew.PlanEdit{remove("open"), remove("open")}, clew.InvalidMessage, `edit 2 of 2: there is no todo "open"`},
		{"update unknown", []clew.PlanEdit{update("x")}, clew.InvalidMessage, `there is no todo "x"`},
		{"no action", []clew.PlanEdit{{TodoID: "open"}}, clew.InvalidMessage, "no such action"},
		{"make a circle", []clew.PlanEdit{depend("failed", "open"), depend("open", "failed")}, clew.InvalidMessage, "failed -> open -> failed"},
		{"name a removed one", []clew.PlanEdit{remove("failed"), depend("open", "failed")}, clew.InvalidMessage, `depends on "failed", which is no todo`},
		{"twice in depends_on", []clew.PlanEdit{depend("open", "done", "done")}, clew.InvalidMessage, "twice"},
		{"remove a circle that the edits drew",
			[]clew.PlanEdit{add("x", "x"), add("y", "y", "x", "failed"), depend("x", "y"), depend("open", "x"), remove("x"), remove("y")},
			clew.InvalidMessage, "depends on itself by way of others"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			got, changes, err := plan.Edit(base, c.edits, 6)
			if c.code == "" {
				if err != nil {
					t.Fatal(err)
				}
				return
			}
			wantError(t, err, c.code, c.want)
			if got != nil || changes != nil {
				t.Errorf("refused, and yet %v, %v", got, changes)
			}
		})
	}
}

// What has begun does not come to wait for what is still open.
func TestRemoveBeneathWhatHasBegun(t *testing.T) {
	base := []clew.Todo{
		todo("p"), in(clew.TodoSkipped, todo("x", "p")),
		in(clew.TodoCompleted, todo("done", "x")), in(clew.TodoInProgress, todo("busy", "x")), todo("open", "x"),
	}
	got, changes, err := plan.Edit(base, []clew.PlanEdit{remove("x")}, 9)
	if err != nil || shape(got) != "p done busy open<p" {
		t.Errorf("%s, %v, %v", shape(got), changes, err)
	}
}

func TestMerge(t *testing.T) {
	old := []clew.Todo{
		with(in(clew.TodoCompleted, todo("a")), func(t *clew.Todo) { t.ResultSummary = "found" }),
		in(clew.TodoSkipped, todo("b")), in(clew.TodoInProgress, todo("c", "a")),
		with(in(clew.TodoFailed, todo("d")), func(t *clew.Todo) { t.RetryCount = 3 }), todo("e", "c"),
	}
	got, err := plan.Merge(old, []clew.Todo{
		with(todo("c"), func(t *clew.Todo) { t.Priority = 9 }), todo("b"), todo("d", "a"),
		with(todo("f", "c"), func(t *clew.Todo) { t.Status = clew.TodoCompleted }),
	}, 9)
	if err != nil {
		t.Fatal(err)
	}
	want := []clew.Todo{old[0], old[2], old[1], todo("d", "a"), todo("f", "c")}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	if said := say(plan.Diff(old, got)); said != "update d:do d add f:do f remove e" {
		t.Errorf("diff %s", said)
	}
}

func TestMergeRefused(t *testing.T) {
	old := []clew.Todo{in(clew.TodoCompleted, todo("a")), in(clew.TodoInProgress, todo("b")), todo("c")}
	other := with(todo("a"), func(t *clew.Todo) { t.Task = "something else" })
	_, err := plan.Merge(old, []clew.Todo{other, todo("c")}, 9)
	wantError(t, err, clew.SessionInvalidState, `"a" (completed), "b" (in_progress)`)
	_, err = plan.Merge(old, []clew.Todo{todo("b"), todo("d", "c")}, 9)
	wantError(t, err, clew.InvalidMessage, `"c", which is no todo`)
	_, err = plan.Merge(old, []clew.Todo{todo("b"), todo("d")}, 2)
	wantError(t, err, clew.InvalidMessage, "3 todos, at most 2")
}

// A todo that was skipped while it still waited must not stand in the way of a
// plan that drops, or turns around, what it waited for.
func TestMergeAfterAnEarlySkip(t *testing.T) {
	old := []clew.Todo{todo("p"), todo("q"), in(clew.TodoSkipped, todo("s", "p", "q"))}
	got, err := plan.Merge(old, []clew.Todo{todo("p", "s")}, 9)
	if err != nil || shape(got) != "s p<s" {
		t.Errorf("%s, %v", shape(got), err)
	}
}

func TestDiffSeesEachField(t *testing.T) {
	base := todo("a")
	for name, change := range map[string]func(*clew.Todo){
		"task":       func(t *clew.Todo) { t.Task = "x" },
		"tool":       func(t *clew.Todo) { t.Tool = "x" },
		"priority":   func(t *clew.Todo) { t.Priority = 1 },
		"depends_on": func(t *clew.Todo) { t.DependsOn = clew.List[string]{"b"} },
		"duration":   func(t *clew.Todo) { t.EstimatedDurationSec = 1 },
		"cost":       func(t *clew.Todo) { t.EstimatedCostUSD = ptr(0.0) },
		"mode":       func(t *clew.Todo) { t.Mode = "x" },
		"profile":    func(t *clew.Todo) { t.Profile = "x" },
	} {
		got := plan.Diff([]clew.Todo{base}, []clew.Todo{with(base, change)})
		if len(got) != 1 || got[0].Action != clew.PlanUpdate {
			t.Errorf("%s: %v", name, got)
		}
	}
	ran := with(in(clew.TodoCompleted, base), func(t *clew.Todo) { t.TaskID, t.ResultSummary, t.DurationMS = "task", "r", 9 })
	if got := plan.Diff([]clew.Todo{base}, []clew.Todo{ran}); len(got) != 0 {
		t.Errorf("an execution is a change: %v", got)
	}
	if got := plan.Diff(nil, nil); got == nil || !slices.Equal(got, clew.List[clew.PlanChange]{}) {
		t.Errorf("no change: %v", got)
	}
}
