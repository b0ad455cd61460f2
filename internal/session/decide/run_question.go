package decide

import (
	"fmt"
	"slices"
	"strings"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/plan"
	"github.com/clew-run/clew/internal/run"
	"github.com/clew-run/clew/internal/session/core"
)

// runTimedOut says what becomes of a run when nobody answered one of its
// questions in time. Most questions have a harmless answer that their askers
// hear; the run cannot go on without the others.
func runTimedOut(tx *Tx, c answerEffect) (over, ok bool) {
	root := c.s.RootOf(c.t)
	if c.s.ActiveRun(c.t) == nil {
		return false, false
	}
	d := &clew.HitlResolvedData{RequestID: c.q.RequestID(), Action: c.a.action, ByTimeout: true}
	co := stepRun(tx, c.s, root)
	co.cut = c.timeout.Cut
	about := core.SubjectOfQuestion(c.q)
	switch {
	case about.Limit == run.LimitRetries:
		t := plan.Find(co.run.Todos, about.Todo)
		f := clew.Failure{Code: clew.ExecutionFailed, Message: "nobody said what to do about the failed step", FailedTodo: about.Todo}
		if t != nil && t.Error != nil {
			f.Code, f.Message = t.Error.Code, t.Error.Message
		}
		co.settle(c.q, d)
		co.fail(c.timeout.Streamed, f)
		return true, true
	case c.a.action == clew.ResolvedCancelled:
		co.settle(c.q, d)
		co.cancel(c.timeout.Streamed, TurnEnd{Reason: "nobody answered in time", Code: clew.EndTimedOut})
		return true, true
	}
	return effectOnRun(tx, c)
}

// effectOnRun is what an answer means to a run, if it is the run that asked.
func effectOnRun(tx *Tx, c answerEffect) (over, ok bool) {
	root := c.s.RootOf(c.t)
	if c.s.ActiveRun(c.t) == nil {
		return false, false
	}
	about := core.SubjectOfQuestion(c.q)
	co := stepRun(tx, c.s, root)
	co.settle(c.q, &clew.HitlResolvedData{
		RequestID: c.q.RequestID(), Action: c.a.action, ResolvedBy: c.by, Instruction: c.a.instruction, Value: c.a.value, Comment: c.a.comment,
	})
	switch {
	case c.q.Type == clew.EventHitlPlanReview:
		return c.reviewed(co), true
	case about.Task == root.TaskID && about.Todo != "":
		return c.ofTodo(co, about), true
	case about.Call == "" && c.isDenial() && c.s.TodoTaskOf(c.t) != nil && !about.HoldsRun():
		c.stopTodo(tx, c.s.TodoTaskOf(c.t))
		return false, true
	case about.Call == "" && c.isDenial():
		co.cancel(nil, TurnEnd{Reason: "stopped by a person", Code: clew.EndNotContinued, by: c.by})
		return true, true
	}
	return false, false
}

// stopTodo ends the attempt at a todo, whoever in its tree asked.
func (c answerEffect) stopTodo(tx *Tx, carrier *core.Task) {
	how := TurnEnd{Reason: "stopped by a person", Code: clew.EndNotContinued, by: c.by, except: c.q.RequestID()}
	for _, x := range c.s.TasksOfTree(carrier.RootTaskID) {
		if x.ParentTaskID == carrier.TaskID && !x.Ended() {
			abort(tx, c.s, x, nil, how)
		}
	}
	how.Ends = true
	CloseTurn(tx, c.s, carrier, nil, how)
	TodoFailed(tx, c.s, carrier, clew.Failure{Code: clew.ExecutionFailed, Message: "stopped by a person"})
}

// reviewed is what the answer to a plan's review leads to. It reports whether the
// run is over.
func (c answerEffect) reviewed(co *runStepper) (over bool) {
	switch c.a.action {
	case clew.ResolvedApprove:
		stateAfter(co.tx, c.s, c.t, c.q.RequestID())
		co.approved(c.by)
		return false
	case clew.ResolvedModify:
		if len(c.a.edits) > 0 {
			co.modify(c.a.edited, c.a.changes, plan.Named(c.a.edits, c.a.changes))
		}
		if c.a.instruction == "" {
			co.review("The plan was changed as you said. Please look at it again.")
			return false
		}
		if call := c.t.Call(co.run.Call); call != nil {
			EndCall(co.tx, c.t, call, "The user wants the plan changed: "+c.a.instruction+"\nThe plan as it stands: "+PlainJSON(co.run.Todos)+
				"\nPropose it again as a whole, with the same ids for steps that stay.", "", c.a.images)
		}
		stateAfter(co.tx, c.s, c.t, c.q.RequestID())
		return false
	}
	co.rejected(c.by, c.a.comment)
	return true
}

// ofTodo is what an answer about a single todo leads to. It reports whether the
// run is over.
func (c answerEffect) ofTodo(co *runStepper, about core.Subject) (over bool) {
	t := plan.Find(co.run.Todos, about.Todo)
	if t == nil {
		co.advance()
		return false
	}
	failed := about.Limit == run.LimitRetries
	switch c.a.action {
	case clew.ResolvedApprove:
		if failed {
			co.retry(*t, 0, TurnEnd{by: c.by})
		}
	case clew.ResolvedSkip:
		co.skip(*t, c.a.comment)
	default:
		if failed {
			co.cancel(nil, TurnEnd{Reason: "stopped after a failed step", Code: clew.EndNotContinued, by: c.by})
			return true
		}
		co.failed(*t, clew.Failure{Code: clew.ExecutionFailed, Message: "a person refused it"})
	}
	co.advance()
	return false
}

// endedRun is the root of the run that ended with an answer after which nobody
// goes on, "" if the task works for none.
func endedRun(s *core.State, t *core.Task) clew.TaskID {
	if s.ActiveRun(t) == nil {
		return ""
	}
	return t.RootTaskID
}

// todoOfQuestion is the todo whose agent asks, for people to see what it is about;
// nil if it is none's.
func todoOfQuestion(s *core.State, t *core.Task, id string) *clew.ApprovalTodo {
	r := s.ActiveRun(t)
	if r == nil || id == "" {
		return nil
	}
	todo := plan.Find(r.Todos, id)
	if todo == nil {
		return nil
	}
	return &clew.ApprovalTodo{ID: todo.ID, Task: todo.Task, Tool: todo.Tool, EstimatedCostUSD: todo.EstimatedCostUSD}
}

// AskReview asks people about a plan.
func AskReview(tx *Tx, s *core.State, t *core.Task, q clew.HitlPlanReviewData) *clew.HitlPlanReviewData {
	prepareAsking(s, &q.Asking, t, tx)
	tx.Say(AskMessage(t, clew.AskFollowup, q.RequestID, q.ToolCallID, planText(q)))
	tx.Add(&q)
	if was, _ := s.TaskState(t.TaskID); was != clew.TaskStateInteractive { // else it takes the place of a review
		TaskStateEvent(tx, t.TaskRef, clew.TaskStateInteractive, q.RequestID)
	}
	return &q
}

// planText is a plan as the transcript shows it.
func planText(q clew.HitlPlanReviewData) string {
	const shown = 50
	var b strings.Builder
	b.WriteString(q.Message + "\n")
	for i, t := range q.Plan.Todos {
		if i == shown {
			fmt.Fprintf(&b, "\n… and %d more", len(q.Plan.Todos)-shown)
			break
		}
		fmt.Fprintf(&b, "\n%d. %s", i+1, clew.Clip(t.Task, 200))
		if len(t.DependsOn) > 0 {
			fmt.Fprintf(&b, " (after %s)", strings.Join(numbers(q.Plan.Todos, t.DependsOn), ", "))
		}
		if t.Status != clew.TodoPending {
			fmt.Fprintf(&b, " [%s]", strings.ReplaceAll(string(t.Status), "_", " "))
		}
	}
	return b.String()
}

// numbers gives the places of todos in the list that people read: their ids are
// the planner's own words.
func numbers(todos []clew.Todo, ids []string) []string {
	list := make([]string, 0, len(ids))
	for _, id := range ids {
		if i := slices.IndexFunc(todos, func(t clew.Todo) bool { return t.ID == id }); i >= 0 {
			id = fmt.Sprint(i + 1)
		}
		list = append(list, id)
	}
	return list
}

// AskClarification asks people what was meant.
func AskClarification(tx *Tx, s *core.State, t *core.Task, q clew.HitlClarificationData) {
	prepareAsking(s, &q.Asking, t, tx)
	if r := s.ActiveRun(t); r != nil {
		q.Scope = r.Scope()
	}
	tx.Say(AskMessage(t, clew.AskFollowup, q.RequestID, q.ToolCallID, q.Question))
	tx.Add(&q)
	TaskStateEvent(tx, t.TaskRef, clew.TaskStateInteractive, q.RequestID)
}
