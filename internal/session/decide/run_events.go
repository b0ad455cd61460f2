package decide

import (
	"maps"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/plan"
	"github.com/clew-run/clew/internal/run"
	"github.com/clew-run/clew/internal/session/core"
)

// resultBytes bounds the data that a todo's result has beside its text.
const resultBytes = 8 << 10

// todoCompleted ends a todo well, and goes on with the run.
func todoCompleted(tx *Tx, s *core.State, child *core.Task, text string, data map[string]any) {
	c := stepRun(tx, s, s.RootOf(child))
	t := plan.Find(c.run.Todos, child.TodoID)
	if t == nil || t.TaskID != child.TaskID {
		return
	}
	summary := map[string]any{}
	if len(PlainJSON(data)) <= resultBytes { // more belongs into a file
		maps.Copy(summary, data)
	}
	summary["text"] = clew.Clip(text, core.ResultRunes)
	c.completed(*t, summary)
	c.advance()
}

// TodoFailed ends a todo badly, and with it its task. It comes after the end of
// the task's turn.
func TodoFailed(tx *Tx, s *core.State, child *core.Task, f clew.Failure) {
	c := stepRun(tx, s, s.RootOf(child))
	tx.Add(&clew.TaskAbortedData{TaskRef: child.TaskRef, Reason: "failed", Outcome: &clew.Outcome{WhyCode: clew.EndFailed, Message: f.Message}})
	t := plan.Find(c.run.Todos, child.TodoID)
	if t == nil || t.TaskID != child.TaskID {
		return
	}
	c.failed(*t, f)
	c.advance()
}

// TodoProgressed says how far a todo has come.
func TodoProgressed(tx *Tx, s *core.State, child *core.Task, d clew.TodoProgressData) {
	d.TodoID, d.Scope = child.TodoID, s.RootOf(child).Run.Scope()
	tx.Add(&d)
}

// FailRunTurn ends a turn of a run that failed inside: a todo's attempt, or the whole
// run if it was the root's. The error is in the batch already.
func FailRunTurn(tx *Tx, s *core.State, t *core.Task, streamed streams, how TurnEnd, err *clew.Error) {
	how.Ends = true
	f := clew.Failure{Code: err.Code, Message: err.Message, Recoverable: !t.Acted} // what it did would be done again
	if t.TodoID != "" {
		CloseTurn(tx, s, t, streamed, how)
		TodoFailed(tx, s, t, f)
		return
	}
	f.Recoverable = false
	stepRun(tx, s, s.RootOf(t)).fail(streamed, f)
}

// Understood ends the cognitive layer.
func Understood(tx *Tx, s *core.State, root *core.Task, intent clew.Intent, entities []clew.Entity) {
	c := stepRun(tx, s, root)
	c.leave(clew.LayerCognitive, clew.LayerPlanning, &clew.LayerResult{Intent: &intent, Entities: append(clew.List[clew.Entity]{}, entities...)})
	c.enter(clew.LayerPlanning)
}

// Planned brings a plan, or a new version of it, before people. The todos were
// checked.
func Planned(tx *Tx, s *core.State, root *core.Task, call string, todos []clew.Todo, message string) {
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
				ended(tx, root, open, clew.AsError(err).Message, TurnEnd{Reason: "the plan has moved on", Code: clew.EndOutdated})
			}
			return
		}
		todos = plan.Again(now, c.run.Edits, c.rules.MaxTodos)
		c.modify(todos, plan.Diff(c.run.Todos, todos), nil)
	}
	c.review(message)
}

// Responded ends a run well.
func Responded(tx *Tx, s *core.State, root *core.Task, response clew.Response, reports []clew.Report) {
	c := stepRun(tx, s, root)
	c.leave(clew.LayerResponse, "", &clew.LayerResult{Format: response.Format, Reports: len(reports)})
	paths := clew.List[string]{}
	for _, r := range reports {
		paths = append(paths, core.ReportPath(s.ID, r.Name))
	}
	c.add(&clew.CompleteData{
		Status: clew.ResultSuccess, Response: response, Statistics: c.run.Statistics(tx.NextTS(), s.TreeUsage(root.TaskID)),
		ReportPaths: paths, Reports: reports, TaskID: root.TaskID, Scope: c.run.Scope(),
	})
}

// ScopeToRun marks a question as one of the task's run, if it works for one, with the
// run's time-out.
func ScopeToRun(s *core.State, t *core.Task, a *clew.Asking, timeoutSec int) {
	if r := s.ActiveRun(t); r != nil {
		a.TimeoutSec, a.TodoID, a.Scope = timeoutSec, t.TodoID, r.Scope()
	}
}

// FailTodo ends a todo, and its turn, with a failure.
func FailTodo(tx *Tx, s *core.State, t *core.Task, streamed streams, reason string, f clew.Failure) {
	CloseTurn(tx, s, t, streamed, TurnEnd{Reason: reason, Code: clew.EndFailed, Ends: true})
	TodoFailed(tx, s, t, f)
}
