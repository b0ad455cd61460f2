package agent_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/clew-run/clew"
)

// A subtask works on its own, with a history of its own; its result comes back
// as the result of the call, and its parent waits meanwhile.
//
// Covers: TSK-05, TSK-06, TSK-07, EVT-06, EVT-07
func TestSubtask(t *testing.T) {
	rest := new(gate)
	run(t, allowed(), func(w *world) {
		w.say("the whole")
		tasks := w.tasks()
		if len(tasks) != 2 {
			t.Fatalf("%d tasks", len(tasks))
		}
		child, root := tasks[0], tasks[1]
		if root.Status != clew.TaskStatusDelegated || root.AwaitingChildID != child.ID || root.DelegatedToID != child.ID || !slices.Contains(root.ChildIDs, child.ID) {
			t.Errorf("the parent is %+v", root)
		}
		if child.ParentTaskID != root.ID || child.RootTaskID != root.ID {
			t.Errorf("the child is %+v", child)
		}
		if m := w.model.last().Messages; len(m) != 1 || m[0].Content[0].Text != "a part" {
			t.Errorf("the child knows %+v", m)
		}
		if !strings.Contains(w.model.last().System, "subtask") {
			t.Error("the child is not told that it is one")
		}
		rest.open()
		w.idle()
		child, root = w.tasks()[0], w.tasks()[1]
		if child.Status != clew.TaskStatusCompleted || child.CompletionResultSummary != "the part is done" {
			t.Errorf("the child is %+v", child)
		}
		if root.Status != clew.TaskStatusActive || root.AwaitingChildID != "" || root.CompletedByChildID != child.ID {
			t.Errorf("the parent is %+v", root)
		}
		if w.said(clew.SaySubtaskResult) != "the part is done" || !strings.Contains(lastText(w.model.last()), "the part is done") {
			t.Errorf("transcript:\n%s", w.story())
		}
		un := events[clew.TaskUnpausedData](w)
		if len(events[clew.TaskPausedData](w)) != 1 || len(un) != 1 || un[0].CompletionResultSummary != "the part is done" {
			t.Errorf("unpaused %+v", un)
		}
	}, calls(call("s1", "new_task", `{"message":"a part"}`)), waits(rest, completes("the part is done")), says("All done."))
}

// Several subtasks in one answer run one after the other.
func TestSeveralSubtasks(t *testing.T) {
	run(t, allowed(), func(w *world) {
		w.say("go")
		w.idle()
		m := w.model.last().Messages
		parts := m[len(m)-1].Content
		if len(parts) != 2 || parts[0].Text != "first" || parts[1].Text != "second" {
			t.Errorf("results %+v", parts)
		}
		if n := len(w.messages("subtask_result")); n != 2 {
			t.Errorf("%d results are shown", n)
		}
	}, calls(call("s1", "new_task", `{"message":"one"}`), call("s2", "new_task", `{"message":"two"}`)),
		completes("first"), completes("second"), says("Both."))
}

// Subtasks go so deep and no deeper.
func TestSubtaskDepth(t *testing.T) {
	deeper := calls(call("s", "new_task", `{"message":"deeper"}`))
	run(t, allowed(map[string]any{"max_subtask_depth": 2}), func(w *world) {
		w.say("go")
		w.idle()
		if n := len(w.tasks()); n != 3 {
			t.Errorf("%d tasks", n)
		}
		failed := events[clew.TaskToolFailedData](w)
		if len(failed) != 1 || !strings.Contains(failed[0].Error, "2 deep") {
			t.Errorf("failures %+v", failed)
		}
	}, deeper, deeper, deeper, completes("c"), completes("b"), says("a"))
}

// A tree has so many subtasks and no more.
func TestSubtaskCount(t *testing.T) {
	more := calls(call("s", "new_task", `{"message":"more"}`))
	run(t, allowed(map[string]any{"max_subtasks": 2}), func(w *world) {
		w.say("go")
		w.idle()
		if n := len(w.tasks()); n != 3 {
			t.Errorf("%d tasks", n)
		}
		if d := events[clew.TaskToolFailedData](w); len(d) != 1 || !strings.Contains(d[0].Error, "no more") {
			t.Errorf("failures %+v", d)
		}
	}, more, completes("a"), more, completes("b"), more, says("Enough."))
}

// A subtask that just answers is done too: nobody else would ever answer it, and
// its parent would wait for ever.
//
// Covers: TSK-07
func TestSubtaskThatJustAnswers(t *testing.T) {
	run(t, allowed(), func(w *world) {
		w.say("go")
		w.idle()
		if got := lastText(w.model.last()); !strings.Contains(got, "Here it is.") {
			t.Errorf("the parent heard %q", got)
		}
		if w.tasks()[0].Status != clew.TaskStatusCompleted {
			t.Errorf("tasks %+v", w.tasks())
		}
	}, calls(call("s", "new_task", `{"message":"a part"}`)), says("Here it is."), says("Done."))
}

// What a person says during a subtask that is meant for the parent is heard when
// the parent goes on.
func TestSubtaskQuestion(t *testing.T) {
	run(t, nil, func(w *world) {
		w.say("go")
		q := w.asked(clew.AskTool)
		if q.TaskID != w.tasks()[0].ID {
			t.Errorf("the question is of task %s", q.TaskID)
		}
		w.yes()
		w.idle()
		if w.read("a.txt") != "x" {
			t.Error("the subtask's call did not run")
		}
	}, calls(call("s", "new_task", `{"message":"a part"}`)), calls(call("c", "write_file", `{"path":"a.txt","content":"x"}`)),
		completes("written"), says("Done."))
}

// A subtask that is cancelled gives its parent a result that says so.
func TestSubtaskCancelled(t *testing.T) {
	run(t, allowed(), func(w *world) {
		w.say("go")
		w.do(&clew.ControlCancelData{TaskID: w.tasks()[0].ID})
		w.idle()
		if got := lastText(w.model.last()); !strings.Contains(got, "cancelled") {
			t.Errorf("the parent heard %q", got)
		}
		if d := w.result("s"); d.Status != clew.ToolStopped || d.WhyCode != clew.EndCancelled {
			t.Errorf("result %+v", fmt.Sprint(d))
		}
	}, calls(call("s", "new_task", `{"message":"a part"}`)), hangs("I beg"), says("Then not."))
}
