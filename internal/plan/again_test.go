package plan

import (
	"fmt"
	"testing"

	"github.com/clew-run/clew"
)

func TestAgain(t *testing.T) {
	needs := func(ids ...string) *[]string { return &ids }
	proposed := []clew.Todo{{ID: "a", Task: "look", Status: clew.TodoPending}, {ID: "b", Task: "write", Status: clew.TodoPending}}
	tests := []struct {
		edits []clew.PlanEdit
		want  string
	}{
		{nil, "a:look b:write "},
		{[]clew.PlanEdit{{Action: clew.PlanUpdate, TodoID: "b", Task: "print"}}, "a:look b:print "},
		{[]clew.PlanEdit{{Action: clew.PlanRemove, TodoID: "a"}}, "b:write "},
		{[]clew.PlanEdit{{Action: clew.PlanAdd, TodoID: "c", Task: "check", DependsOn: needs("b")}}, "a:look b:write c:check[b] "},
		{[]clew.PlanEdit{{Action: clew.PlanAdd, TodoID: "c", Task: "check", DependsOn: needs("gone")}}, "a:look b:write c:check "},
		{[]clew.PlanEdit{{Action: clew.PlanAdd, TodoID: "a", Task: "look twice"}}, "a:look twice b:write "}, // the proposal took it over
		{[]clew.PlanEdit{{Action: clew.PlanRemove, TodoID: "x"}, {Action: clew.PlanUpdate, TodoID: "y", Task: "z"}}, "a:look b:write "},
		{[]clew.PlanEdit{{Action: clew.PlanAdd, TodoID: "c", Task: "check"}, {Action: clew.PlanRemove, TodoID: "c"}}, "a:look b:write "},
	}
	for i, tt := range tests {
		got := ""
		for _, todo := range Again(proposed, tt.edits, 10) {
			got += todo.ID + ":" + todo.Task
			if len(todo.DependsOn) > 0 {
				got += fmt.Sprint(todo.DependsOn)
			}
			got += " "
		}
		if got != tt.want {
			t.Errorf("%d: %q, want %q", i, got, tt.want)
		}
	}
}

func TestNamed(t *testing.T) {
	edits := []clew.PlanEdit{{Action: clew.PlanAdd, Task: "x"}, {Action: clew.PlanAdd, TodoID: "mine", Task: "y"}, {Action: clew.PlanAdd, Task: "z"}}
	_, changes, err := Edit(nil, edits, 10)
	if err != nil {
		t.Fatal(err)
	}
	for i, e := range Named(edits, changes) {
		if e.TodoID == "" || changes[i].TodoID != e.TodoID || changes[i].Task != e.Task {
			t.Errorf("%+v became of %+v", changes[i], e)
		}
	}
}
