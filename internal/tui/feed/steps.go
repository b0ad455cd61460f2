package feed

import (
	"slices"

	"github.com/clew-run/clew"
)

// steps are how the tasks stand that others were told to do: steps of a plan and
// subtasks.
type steps struct {
	task  map[string]clew.TaskID // which one carries a step out
	marks map[clew.TaskID]mark
}

func newSteps() steps {
	return steps{task: map[string]clew.TaskID{}, marks: map[clew.TaskID]mark{}}
}

// stepsOf takes them from a state.
func stepsOf(s *clew.SessionState) steps {
	all := newSteps()
	for _, t := range s.Todos {
		all.put(t)
	}
	for _, r := range s.Runs {
		for _, t := range r.Todos {
			all.put(t)
		}
	}
	return all
}

func (s steps) put(t clew.Todo) {
	if t.TaskID != "" {
		s.task[t.ID], s.marks[t.TaskID] = t.TaskID, stepMark(t.Status)
	}
}

// stepMark is the mark that the plan has.
func stepMark(status clew.TodoStatus) mark {
	switch status {
	case clew.TodoInProgress:
		return markRun
	case clew.TodoCompleted:
		return markDone
	case clew.TodoFailed:
		return markFail
	case clew.TodoSkipped:
		return markLeft
	}
	return markPast
}

// apply takes an event in, and reports whether a mark may be another now.
func (s steps) apply(ev clew.Event) bool {
	switch d := ev.Data.(type) {
	case *clew.TodoStartedData:
		s.put(clew.Todo{ID: d.TodoID, TaskID: d.TaskID, Status: clew.TodoInProgress})
	case *clew.TodoCompletedData:
		s.put(clew.Todo{ID: d.TodoID, TaskID: s.task[d.TodoID], Status: clew.TodoCompleted})
	case *clew.TodoFailedData:
		s.put(clew.Todo{ID: d.TodoID, TaskID: s.task[d.TodoID], Status: clew.TodoFailed})
	case *clew.TodoSkippedData:
		s.put(clew.Todo{ID: d.TodoID, TaskID: s.task[d.TodoID], Status: clew.TodoSkipped})
	default:
		return false
	}
	return true
}

// finish marks what a task was told as done, once its result is there: a subtask's
// stands under its own name, or under that of the call which began it.
func (b *builder) finish(e *entry) {
	for _, r := range slices.Backward(b.rows) {
		own := e.Say == clew.SayCompletionResult && r.first != nil && e.TaskID == r.first.TaskID
		called := e.Say == clew.SaySubtaskResult && r.first != nil && e.ToolCallID != "" && e.ToolCallID == r.first.ToolCallID
		if r.Kind == Brief && (own || called) {
			r.mark = markDone
			return
		}
	}
}
