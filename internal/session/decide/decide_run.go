package decide

import (
	"encoding/json"
	"maps"
	"slices"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/plan"
	"github.com/clew-run/clew/internal/run"
	"github.com/clew-run/clew/internal/session/core"
)

// PlainJSON writes a value for a model to read.
func PlainJSON(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return ""
	}
	return string(b)
}

// streams is the text of growing messages, which the state knows only up to its
// last snapshot.
type streams = map[clew.MessageID]clew.OpenMessage

// decideRun takes the commands that people steer a run with.
func decideRun(tx *Tx, s *core.State, cmd clew.Command, streamed streams) error {
	root := s.CurrentRun(monitorOf(cmd.Data))
	if d, ok := cmd.Data.(*clew.ControlCancelData); ok && s.Task(d.TaskID) != nil {
		root = s.RootOf(s.Task(d.TaskID))
	}
	if root == nil || root.Run == nil {
		return clew.Errorf(clew.SessionInvalidState, "there is no run")
	}
	c := stepRun(tx, s, root)
	switch d := cmd.Data.(type) {
	case *clew.ControlPauseData:
		return c.pause(TurnEnd{Reason: d.Reason, by: cmd.By.User})
	case *clew.ControlResumeData:
		return c.resume(cmd.By.User, d.Modifications)
	case *clew.ControlCancelData:
		return c.cancelled(cmd.By.User, d.Reason, streamed)
	case *clew.ControlRetryData:
		return c.retried(cmd.By.User, d.TodoID)
	case *clew.ControlSkipData:
		return c.skipped(cmd.By.User, d, streamed)
	case *clew.EditPlanData:
		if d.Version != 0 && d.Version != c.run.Version {
			return clew.Errorf(clew.SessionInvalidState, "the plan has version %d by now", c.run.Version)
		}
		return c.edited(cmd.By.User, d.Modifications)
	}
	return clew.Errorf(clew.Internal, "%s is no command for a run", cmd.Type)
}

// monitorOf is the monitor whose run a command is about, "" if it names none.
func monitorOf(data any) clew.MonitorID {
	switch d := data.(type) {
	case *clew.ControlPauseData:
		return d.MonitorID
	case *clew.ControlResumeData:
		return d.MonitorID
	case *clew.ControlCancelData:
		return d.MonitorID
	case *clew.ControlRetryData:
		return d.MonitorID
	case *clew.ControlSkipData:
		return d.MonitorID
	case *clew.EditPlanData:
		return d.MonitorID
	}
	return ""
}

func (c *runStepper) pause(how TurnEnd) error {
	if err := c.run.Check(run.Pause); err != nil {
		return err
	}
	d := &clew.HitlPausedData{PausedBy: string(how.by), Reason: how.Reason, WhyCode: how.Code, CompletedTodos: c.run.Completed(), CanResume: true, Scope: c.run.Scope()}
	if t := c.run.CurrentTodo(); t != nil {
		d.CurrentTodo = t.ID
	}
	c.add(d)
	return nil
}

// interrupted stops what agents are doing: the run is paused, and attempts at
// todos that are under way begin anew when it goes on. An agent's name stops
// that one alone; its todo has failed then.
func (c *runStepper) interrupted(by clew.UserID, agent string, streamed streams) error {
	if agent != "" {
		return c.interruptedAgent(by, agent, streamed)
	}
	if !c.run.Paused {
		if err := c.pause(TurnEnd{Reason: "interrupted", Code: clew.EndInterrupted, by: by}); err != nil {
			return err
		}
	}
	for _, t := range slices.Clone(c.run.Todos) {
		if t.Status == clew.TodoInProgress {
			c.abort(t, streamed, TurnEnd{Reason: "interrupted by the user", Code: clew.EndInterrupted, by: by})
			c.retry(t, t.RetryCount, TurnEnd{Reason: "interrupted", Code: clew.EndInterrupted, by: by})
		}
	}
	c.reportProgress()
	return nil
}

func (c *runStepper) interruptedAgent(by clew.UserID, agent string, streamed streams) error {
	for _, t := range slices.Clone(c.run.Todos) {
		child := c.s.Task(t.TaskID)
		if t.Status != clew.TodoInProgress || child == nil || string(child.AgentID) != agent {
			continue
		}
		c.abort(t, streamed, TurnEnd{Reason: "interrupted by the user", Code: clew.EndInterrupted, by: by})
		c.failed(t, clew.Failure{Code: clew.ExecutionFailed, Message: "interrupted by the user"})
		c.advance()
		return nil
	}
	if agent == string(c.root.AgentID) {
		return c.pause(TurnEnd{Reason: "interrupted", Code: clew.EndInterrupted, by: by})
	}
	return clew.Errorf(clew.TaskNotFound, "no agent %s is at work on the run", agent)
}

func (c *runStepper) resume(by clew.UserID, edits []clew.PlanEdit) error {
	if err := c.run.Check(run.Resume); err != nil {
		return err
	}
	if len(edits) > 0 {
		if err := c.edit(by, edits); err != nil {
			return err
		}
	}
	d := &clew.HitlResumedData{ResumedBy: string(by), Scope: c.run.Scope()}
	if t := c.run.CurrentTodo(); t != nil {
		d.CurrentTodo = t.ID
	}
	c.add(d)
	if len(edits) > 0 {
		c.review("The plan was changed. It continues once the new version is approved.")
	}
	c.advance()
	return nil
}

// cancelled ends the run for a person.
func (c *runStepper) cancelled(by clew.UserID, reason string, streamed streams) error {
	if err := c.run.Check(run.Cancel); err != nil {
		return err
	}
	if reason == "" {
		reason = "by the user"
	}
	c.cancel(streamed, TurnEnd{Reason: reason, Code: clew.EndCancelled, by: by})
	startNext(c.tx, c.s, c.root.MonitorID, c.root.TaskID)
	return nil
}

func (c *runStepper) retried(by clew.UserID, id string) error {
	t, err := c.run.CheckTodo(run.Retry, id)
	if err != nil {
		return err
	}
	c.close(c.run.Asked[id].RequestID, clew.ResolvedApprove, by, "")
	c.retry(t, 0, TurnEnd{by: by})
	c.advance()
	return nil
}

func (c *runStepper) skipped(by clew.UserID, d *clew.ControlSkipData, streamed streams) error {
	t, err := c.run.CheckTodo(run.Skip, d.TodoID)
	if err != nil {
		return err
	}
	c.close(c.run.Asked[t.ID].RequestID, clew.ResolvedSkip, by, d.Reason)
	c.abort(t, streamed, TurnEnd{Reason: "skipped by the user", Code: clew.EndSkipped, by: by})
	c.skip(t, d.Reason)
	c.advance()
	return nil
}

// edited changes the plan as people say. An approval that was given before does
// not hold for the new version.
func (c *runStepper) edited(by clew.UserID, edits []clew.PlanEdit) error {
	if err := c.edit(by, edits); err != nil {
		return err
	}
	c.review("The plan was changed. It continues once the new version is approved.")
	return nil
}

func (c *runStepper) edit(by clew.UserID, edits []clew.PlanEdit) error {
	if err := c.run.Check(run.Edit); err != nil {
		return err
	}
	todos, changes, err := editPlan(c.s, c.run.Todos, edits)
	if err != nil {
		return err
	}
	c.close(c.run.Review, clew.ResolvedModify, by, "")
	c.modify(todos, changes, plan.Named(edits, changes))
	return nil
}

// editPlan applies a person's edits.
func editPlan(s *core.State, todos []clew.Todo, edits []clew.PlanEdit) ([]clew.Todo, clew.List[clew.PlanChange], error) {
	for _, e := range edits {
		if e.Mode != nil && *e.Mode != "" && s.Rules != nil {
			if err := s.Rules.CheckMode(s.Settings, *e.Mode); err != nil {
				return nil, nil, err
			}
		}
	}
	return plan.Edit(todos, edits, s.RunRules().MaxTodos)
}

// modify makes a new version. A todo that changed begins anew.
func (c *runStepper) modify(todos []clew.Todo, changes clew.List[clew.PlanChange], edits []clew.PlanEdit) {
	for i := range todos { // as in a plan that a model proposes
		if todos[i].Tool == "" {
			todos[i].Tool = AnyTool
		}
	}
	changed := map[string]bool{}
	for _, ch := range changes {
		changed[ch.TodoID] = true
		if t := plan.Find(todos, ch.TodoID); t != nil && t.Status == clew.TodoFailed {
			t.Status, t.RetryCount, t.Error = clew.TodoPending, 0, nil
		}
	}
	for _, id := range slices.Sorted(maps.Keys(c.run.Asked)) { // the question is about a todo that is no more what it was
		t := plan.Find(todos, id)
		if changed[id] || t == nil || c.run.Asked[id].Failed != (t.Status == clew.TodoFailed) {
			c.withdraw(c.run.Asked[id].RequestID, "the plan was changed", clew.EndPlanChanged)
		}
	}
	c.add(&clew.PlanModifiedData{
		PlanID: c.run.PlanID, OldVersion: c.run.Version, NewVersion: c.run.Version + 1, Changes: changes, UpdatedTodos: run.Lean(todos),
		Edits: edits, TaskID: c.root.TaskID, Scope: c.run.Scope(),
	})
}

// review asks people about the present version.
func (c *runStepper) review(message string) {
	q := clew.HitlPlanReviewData{
		PlanID: c.run.PlanID, Version: c.run.Version, Plan: plan.Of(run.Lean(c.run.Todos), c.rules.Parallel), Message: message,
		Options: clew.List[clew.Choice]{clew.ChoiceApprove, clew.ChoiceModify, clew.ChoiceReject},
	}
	q.ToolCallID, q.TimeoutSec, q.Scope = c.run.Call, c.rules.ReviewSec, c.run.Scope()
	c.run.Opened(clew.Question(clew.NewEvent(AskReview(c.tx, c.s, c.root, q))))
}

// approved lets the plan be carried out.
func (c *runStepper) approved(by clew.UserID) {
	c.add(&clew.PlanApprovedData{
		PlanID: c.run.PlanID, ApprovedBy: string(by), ExecutionStarting: !c.run.Paused, Scope: c.run.Scope(),
	})
	if c.run.Layer != clew.LayerExecution {
		c.leave(clew.LayerPlanning, clew.LayerExecution, &clew.LayerResult{
			PlanID: c.run.PlanID, Version: c.run.Version, TotalTodos: len(c.run.Todos),
		})
		c.enter(clew.LayerExecution)
	}
	c.advance()
}

// rejected ends the run: nothing is carried out.
func (c *runStepper) rejected(by clew.UserID, reason string) {
	c.add(&clew.PlanRejectedData{PlanID: c.run.PlanID, Reason: reason, RejectedBy: string(by), Scope: c.run.Scope()})
	c.cancel(nil, TurnEnd{Reason: "the plan was rejected", Code: clew.EndPlanRejected, by: by})
}
