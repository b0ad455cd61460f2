package session

import (
	"maps"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/plan"
	"github.com/clew-run/clew/internal/run"
)

// viewRun completes a view with what the task has to know of its tree and run.
// Only the root sees the todos: a copy of them all for each step of each todo's
// agent would be too much.
func (s *Session) viewRun(v *View, t *Task) {
	root := s.state.root(t)
	if t.TaskID == root.TaskID {
		v.Root = v.Task
	} else {
		v.Root = Task{TaskRef: root.TaskRef, Raised: root.Raised, Allowed: root.Allowed}
	}
	r := s.state.running(t)
	switch {
	case r == nil:
	case t.Run == r:
		v.Run = v.Task.Run
	default:
		light := *r
		light.Todos, light.Asked, light.Allowed, light.Decisions, light.Entities = nil, nil, nil, nil, nil
		v.Run = &light
		if todo := plan.Find(r.Todos, t.TodoID); todo != nil {
			c := *todo
			v.Todo = &c
		}
	}
}

// resultBytes bounds the data that a todo's result has beside its text.
const resultBytes = 8 << 10

// todoCompleted ends a todo well, and goes on with the run.
func todoCompleted(s *State, child *Task, b Batch, i int, text string, data map[string]any) []clew.Event {
	root := s.root(child)
	// The usual step of a run: its copy of the todos is made where the last one
	// was. No event refers to it.
	c := &conductor{s: s, root: root, run: root.Run.CloneInto(s.scratch), rules: s.RunRules(), tx: b.tx(i)}
	s.scratch = c.run.Todos
	t := plan.Find(c.run.Todos, child.TodoID)
	if t == nil || t.TaskID != child.TaskID {
		return nil
	}
	summary := map[string]any{}
	if len(plainJSON(data)) <= resultBytes { // more belongs into a file
		maps.Copy(summary, data)
	}
	summary["text"] = clip(text, resultRunes)
	c.completed(*t, summary)
	return c.onward()
}

// TodoFailed makes the events that end a todo badly, and with it its task. They
// stand after the end of the task's turn. Its first event is the i-th of the
// batch.
func TodoFailed(s *State, child *Task, b Batch, i int, f clew.Failure) []clew.Event {
	c := conduct(s, s.root(child), b, i)
	c.tx.Add(&clew.TaskAbortedData{TaskRef: child.TaskRef, Reason: "failed"})
	t := plan.Find(c.run.Todos, child.TodoID)
	if t == nil || t.TaskID != child.TaskID {
		return c.tx.events
	}
	c.failed(*t, f)
	return c.onward()
}

// TodoProgressed makes the event that says how far a todo has come.
func TodoProgressed(s *State, child *Task, d clew.TodoProgressData) []clew.Event {
	d.TodoID, d.Scope = child.TodoID, s.root(child).Run.Scope()
	return []clew.Event{{Type: clew.EventTodoProgress, Data: &d}}
}

// broken ends a turn of a run that failed inside: a todo's attempt, or the whole
// run if it was the root's. The error is in the batch already.
func broken(s *State, t *Task, streamed streams, b Batch, how closing, err *clew.Error) []clew.Event {
	how.ends = true
	f := clew.Failure{Code: err.Code, Message: err.Message, Recoverable: !t.Acted} // what it did would be done again
	if t.TodoID != "" {
		events := closeTurn(s, t, streamed, b, how)
		return append(events, TodoFailed(s, t, b, how.at+len(events), f)...)
	}
	root := s.root(t)
	c := conduct(s, root, b, how.at)
	f.Recoverable = false
	return c.fail(streamed, f)
}

// Understood makes the events that end the cognitive layer.
func Understood(s *State, root *Task, b Batch, i int, intent clew.Intent, entities []clew.Entity) []clew.Event {
	c := conduct(s, root, b, i)
	c.leave(clew.LayerCognitive, clew.LayerPlanning, &clew.LayerResult{Intent: &intent, Entities: append(clew.List[clew.Entity]{}, entities...)})
	c.enter(clew.LayerPlanning)
	return c.tx.events
}

// Planned makes the events that bring a plan, or a new version of it, before
// people. The todos were checked.
func Planned(s *State, root *Task, b Batch, i int, call string, todos []clew.Todo, message string) []clew.Event {
	c := conduct(s, root, b, i)
	c.run.Call = call
	if c.run.PlanID == "" {
		c.add(&clew.PlanGeneratedData{
			PlanID: run.PlanIDOf(root.TaskID), Version: 1, Status: clew.PlanPendingApproval, Plan: plan.Of(todos, c.rules.Parallel),
			TaskID: root.TaskID, Scope: c.run.Scope(),
		})
	} else {
		// Todos may have ended since the planner looked.
		now, err := plan.Merge(c.run.Todos, todos, c.rules.MaxTodos)
		if err != nil { // the planner hears it and proposes again
			if open := root.Call(call); open != nil {
				c.plain(result(root, open, clew.AsError(err).Message, "the plan has moved on", nil))
			}
			return c.tx.events
		}
		todos = plan.Again(now, c.run.Edits, c.rules.MaxTodos)
		c.modify(todos, plan.Diff(c.run.Todos, todos), nil)
	}
	c.review(message)
	return c.tx.events
}

// Responded makes the event that ends a run well.
func Responded(s *State, root *Task, b Batch, i int, response clew.Response, reports []clew.Report) []clew.Event {
	c := conduct(s, root, b, i)
	c.leave(clew.LayerResponse, "", &clew.LayerResult{Extra: map[string]any{"format": string(response.Format), "reports": len(reports)}})
	paths := clew.List[string]{}
	for _, r := range reports {
		paths = append(paths, ReportPath(s.ID, r.Name))
	}
	c.add(&clew.CompleteData{
		Status: clew.ResultSuccess, Response: response, Statistics: c.run.Statistics(c.tx.NextTS(), s.TreeUsage(root.TaskID)),
		ReportPaths: paths, Reports: reports, TaskID: root.TaskID, Scope: c.run.Scope(),
	})
	return c.tx.events
}

// ReportPath is where a report is served.
func ReportPath(id clew.SessionID, name string) string {
	return "/reports/" + string(id) + "/" + name
}

// MayBegin reports whether a task may begin something new: its run is not
// paused, and no question holds it up.
func (s *State) MayBegin(t *Task) bool { return !s.held(t) && s.blocking(t.TaskID) == nil }

// Raised is how often people raised the budget of the task's tree.
func (s *State) Raised(t *Task) int { return s.root(t).Raised }

// Extended is how often people raised the own budget of the task's run.
func (s *State) Extended(t *Task) int {
	if r := s.running(t); r != nil {
		return r.Extended
	}
	return 0
}

// OfRun marks a question as one of the task's run, if it works for one, with the
// run's time-out.
func OfRun(s *State, t *Task, a *clew.Asking, timeoutSec int) {
	if r := s.running(t); r != nil {
		a.TimeoutSec, a.TodoID, a.Scope = timeoutSec, t.TodoID, r.Scope()
	}
}

// FailTodo ends the turn of a task that carries out a todo, and the todo with
// it. The reason completes the sentence "This call was …".
func (d *Desk) FailTodo(reason string, f clew.Failure) error {
	_, err := d.RecordTask(func(b Batch, s *State, t *Task) []clew.Event {
		return failTodo(s, t, d.s.streamed(), b, reason, f)
	})
	return err
}

func failTodo(s *State, t *Task, streamed streams, b Batch, reason string, f clew.Failure) []clew.Event {
	events := closeTurn(s, t, streamed, b, closing{reason: reason, ends: true})
	return append(events, TodoFailed(s, t, b, len(events), f)...)
}
