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
	root := s.state.rootOf(t)
	if t.TaskID == root.TaskID {
		v.Root = v.Task
	} else {
		v.Root = Task{TaskRef: root.TaskRef, Raised: root.Raised, Allowed: root.Allowed}
	}
	r := s.state.activeRun(t)
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
func todoCompleted(tx *Tx, s *State, child *Task, text string, data map[string]any) {
	c := stepRun(tx, s, s.rootOf(child))
	t := plan.Find(c.run.Todos, child.TodoID)
	if t == nil || t.TaskID != child.TaskID {
		return
	}
	summary := map[string]any{}
	if len(plainJSON(data)) <= resultBytes { // more belongs into a file
		maps.Copy(summary, data)
	}
	summary["text"] = clip(text, resultRunes)
	c.completed(*t, summary)
	c.advance()
}

// TodoFailed ends a todo badly, and with it its task. It comes after the end of
// the task's turn.
func TodoFailed(tx *Tx, s *State, child *Task, f clew.Failure) {
	c := stepRun(tx, s, s.rootOf(child))
	tx.Add(&clew.TaskAbortedData{TaskRef: child.TaskRef, Reason: "failed", Outcome: &clew.Outcome{WhyCode: clew.EndFailed, Message: f.Message}})
	t := plan.Find(c.run.Todos, child.TodoID)
	if t == nil || t.TaskID != child.TaskID {
		return
	}
	c.failed(*t, f)
	c.advance()
}

// TodoProgressed says how far a todo has come.
func TodoProgressed(tx *Tx, s *State, child *Task, d clew.TodoProgressData) {
	d.TodoID, d.Scope = child.TodoID, s.rootOf(child).Run.Scope()
	tx.Add(&d)
}

// failRunTurn ends a turn of a run that failed inside: a todo's attempt, or the whole
// run if it was the root's. The error is in the batch already.
func failRunTurn(tx *Tx, s *State, t *Task, streamed streams, how turnEnd, err *clew.Error) {
	how.ends = true
	f := clew.Failure{Code: err.Code, Message: err.Message, Recoverable: !t.Acted} // what it did would be done again
	if t.TodoID != "" {
		endTurn(tx, s, t, streamed, how)
		TodoFailed(tx, s, t, f)
		return
	}
	f.Recoverable = false
	stepRun(tx, s, s.rootOf(t)).fail(streamed, f)
}

// Understood ends the cognitive layer.
func Understood(tx *Tx, s *State, root *Task, intent clew.Intent, entities []clew.Entity) {
	c := stepRun(tx, s, root)
	c.leave(clew.LayerCognitive, clew.LayerPlanning, &clew.LayerResult{Intent: &intent, Entities: append(clew.List[clew.Entity]{}, entities...)})
	c.enter(clew.LayerPlanning)
}

// Planned brings a plan, or a new version of it, before people. The todos were
// checked.
func Planned(tx *Tx, s *State, root *Task, call string, todos []clew.Todo, message string) {
	c := stepRun(tx, s, root)
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
				ended(tx, root, open, clew.AsError(err).Message, turnEnd{reason: "the plan has moved on", code: clew.EndOutdated})
			}
			return
		}
		todos = plan.Again(now, c.run.Edits, c.rules.MaxTodos)
		c.modify(todos, plan.Diff(c.run.Todos, todos), nil)
	}
	c.review(message)
}

// Responded ends a run well.
func Responded(tx *Tx, s *State, root *Task, response clew.Response, reports []clew.Report) {
	c := stepRun(tx, s, root)
	c.leave(clew.LayerResponse, "", &clew.LayerResult{Extra: map[string]any{"format": string(response.Format), "reports": len(reports)}})
	paths := clew.List[string]{}
	for _, r := range reports {
		paths = append(paths, ReportPath(s.ID, r.Name))
	}
	c.add(&clew.CompleteData{
		Status: clew.ResultSuccess, Response: response, Statistics: c.run.Statistics(tx.NextTS(), s.TreeUsage(root.TaskID)),
		ReportPaths: paths, Reports: reports, TaskID: root.TaskID, Scope: c.run.Scope(),
	})
}

// ReportPath is where a report is served.
func ReportPath(id clew.SessionID, name string) string {
	return "/reports/" + string(id) + "/" + name
}

// MayBegin reports whether a task may begin something new: its run is not
// paused, and no question holds it up.
func (s *State) MayBegin(t *Task) bool { return !s.runPaused(t) && s.blockingQuestion(t.TaskID) == nil }

// ScopeToRun marks a question as one of the task's run, if it works for one, with the
// run's time-out.
func ScopeToRun(s *State, t *Task, a *clew.Asking, timeoutSec int) {
	if r := s.activeRun(t); r != nil {
		a.TimeoutSec, a.TodoID, a.Scope = timeoutSec, t.TodoID, r.Scope()
	}
}

// FailTodo ends the turn of a task that carries out a todo, and the todo with
// it. The reason completes the sentence "This call was …".
func (d *TurnContext) FailTodo(reason string, f clew.Failure) error {
	_, err := d.Do(todoFailure{reason: reason, failure: f})
	return err
}

func failTodo(tx *Tx, s *State, t *Task, streamed streams, reason string, f clew.Failure) {
	endTurn(tx, s, t, streamed, turnEnd{reason: reason, code: clew.EndFailed, ends: true})
	TodoFailed(tx, s, t, f)
}
