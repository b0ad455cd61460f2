package plan_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/plan"
)

func TestNormalise(t *testing.T) {
	step := func(id, task string, deps ...string) clew.Todo { return clew.Todo{ID: id, Task: task, DependsOn: deps} }
	cases := []struct {
		name    string
		in      []clew.Todo
		shape   string
		repairs []string // a part of each
	}{
		{"nothing to do", []clew.Todo{step("a", "x"), step("b", "y", "a")}, "a b<a", nil},
		{"no ids", []clew.Todo{step("", "x"), step("", "y")}, "todo_001 todo_002", []string{`now "todo_001"`, `now "todo_002"`}},
		{"ids that are taken", []clew.Todo{step("todo_002", "x"), step("", "y"), step("", "z")}, "todo_002 todo_003 todo_004", []string{"todo_003", "todo_004"}},
		{"by place", []clew.Todo{step("", "x"), step("", "y", "1"), step("", "z", "#1", "2")}, "todo_001 todo_002<todo_001 todo_003<todo_001,todo_002",
			[]string{"no id", "no id", "no id", `"1" read as`, `"#1" read as`, `"2" read as`}},
		{"an id that is a number", []clew.Todo{step("2", "x"), step("1", "y", "2")}, "2 1<2", nil},
		{"counted from zero", []clew.Todo{step("a", "x"), step("b", "y", "0"), step("c", "z", "1")}, "a b<0 c<1", nil},
		{"a place that is its own", []clew.Todo{step("a", "x"), step("b", "y", "2"), step("c", "z", "1")}, "a b<2 c<1", nil},
		{"a place that is none", []clew.Todo{step("a", "x"), step("b", "y", "3")}, "a b<3", nil},
		{"by text", []clew.Todo{step("a", "Read the file"), step("b", "y", " Read the file")}, "a b<a", []string{`read as "a"`}},
		{"by a text that two have", []clew.Todo{step("a", "x"), step("b", "x"), step("c", "y", "x")}, "a b c<x", nil},
		{"by a text that is a number", []clew.Todo{step("a", "x"), step("b", "1"), step("c", "y", "1")}, "a b c<1", nil},
		{"twice", []clew.Todo{step("a", "x"), step("b", "y", "a", "1", "a", "")}, "a b<a", []string{"second mention", "second mention", "empty dependency"}},
		{"unknown stays", []clew.Todo{step("a", "x", "nobody")}, "a<nobody", nil},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			got, repairs := plan.Normalise(c.in)
			if shape(got) != c.shape {
				t.Errorf("plan %s, want %s", shape(got), c.shape)
			}
			if !slices.EqualFunc(repairs, c.repairs, strings.Contains) {
				t.Errorf("repairs %q, want %q", repairs, c.repairs)
			}
		})
	}
}

func TestNormaliseTakesNothingAsDone(t *testing.T) {
	given := clew.Todo{ID: " a ", Task: " x\n", Tool: " web ", Status: clew.TodoCompleted, Priority: 4, EstimatedDurationSec: 5, EstimatedCostUSD: ptr(0.5),
		Mode: " code", Profile: "fast ", TaskID: "t", ProgressPercentage: 5, CurrentStep: "s", ResultSummary: "r", Error: &clew.Failure{}, RetryCount: 1, StartedMS: 1, DurationMS: 1}
	got, repairs := plan.Normalise([]clew.Todo{given})
	want := clew.Todo{ID: "a", Task: "x", Tool: "web", Status: clew.TodoPending, Priority: 4, DependsOn: clew.List[string]{},
		EstimatedDurationSec: 5, EstimatedCostUSD: ptr(0.5), Mode: "code", Profile: "fast"}
	if !reflect.DeepEqual(got[0], want) {
		t.Errorf("got %+v", got[0])
	}
	if len(repairs) != 7 || given.Task != " x\n" {
		t.Errorf("repairs %q of %+v", repairs, given)
	}
}

func TestNormaliseOver(t *testing.T) {
	old := []clew.Todo{in(clew.TodoCompleted, todo("todo_001")), in(clew.TodoSkipped, todo("todo_002")), todo("todo_003")}
	got, repairs := plan.NormaliseOver(old, []clew.Todo{
		{Task: "something new", DependsOn: clew.List[string]{"todo_001", "2"}},
		{Task: "do todo_002"},
	})
	if shape(got) != "todo_004<todo_001,todo_002 todo_002" || len(repairs) != 3 {
		t.Errorf("%s, %q", shape(got), repairs)
	}
	merged, err := plan.Merge(old, got, 9)
	if err != nil || shape(merged) != "todo_001 todo_004<todo_001,todo_002 todo_002" {
		t.Errorf("%s, %v", shape(merged), err)
	}
}
