package session

import (
	"fmt"
	"slices"
	"strings"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/plan"
	"github.com/clew-run/clew/internal/run"
)

// The limits of a run: their names in the limit field of a question.
const (
	LimitTime = run.LimitTime // its time is used up
	LimitCost = "cost"        // a todo is expected to cost something
)

// runTimedOut says what becomes of a run when nobody answered one of its
// questions in time. Most questions have a harmless answer that their askers
// hear; the run cannot go on without the others.
func runTimedOut(tx *Tx, c answerEffect) (over, ok bool) {
	root := c.s.rootOf(c.t)
	if c.s.activeRun(c.t) == nil {
		return false, false
	}
	d := &clew.HitlResolvedData{RequestID: c.q.RequestID(), Action: c.a.action, ByTimeout: true}
	co := stepRun(tx, c.s, root)
	co.cut = c.timeout.cut
	about := subjectOfQuestion(c.q)
	switch {
	case about.limit == run.LimitRetries:
		t := plan.Find(co.run.Todos, about.todo)
		f := clew.Failure{Code: clew.ExecutionFailed, Message: "nobody said what to do about the failed step", FailedTodo: about.todo}
		if t != nil && t.Error != nil {
			f.Code, f.Message = t.Error.Code, t.Error.Message
		}
		co.settle(c.q, d)
		co.fail(c.timeout.streamed, f)
		return true, true
	case c.a.action == clew.ResolvedCancelled:
		co.settle(c.q, d)
		co.cancel(c.timeout.streamed, turnEnd{reason: "nobody answered in time", code: clew.EndTimedOut})
		return true, true
	}
	return effectOnRun(tx, c)
}

// effectOnRun is what an answer means to a run, if it is the run that asked.
func effectOnRun(tx *Tx, c answerEffect) (over, ok bool) {
	root := c.s.rootOf(c.t)
	if c.s.activeRun(c.t) == nil {
		return false, false
	}
	about := subjectOfQuestion(c.q)
	co := stepRun(tx, c.s, root)
	co.settle(c.q, &clew.HitlResolvedData{
		RequestID: c.q.RequestID(), Action: c.a.action, ResolvedBy: c.by, Instruction: c.a.instruction, Value: c.a.value, Comment: c.a.comment,
	})
	switch {
	case c.q.Type == clew.EventHitlPlanReview:
		return c.reviewed(co), true
	case about.task == root.TaskID && about.todo != "":
		return c.ofTodo(co, about), true
	case about.call == "" && c.isDenial() && c.s.todoTaskOf(c.t) != nil && !about.holdsRun():
		c.stopTodo(tx, c.s.todoTaskOf(c.t))
		return false, true
	case about.call == "" && c.isDenial():
		co.cancel(nil, turnEnd{reason: "stopped by a person", code: clew.EndNotContinued, by: c.by})
		return true, true
	}
	return false, false
}

// stopTodo ends the attempt at a todo, whoever in its tree asked.
func (c answerEffect) stopTodo(tx *Tx, carrier *Task) {
	how := turnEnd{reason: "stopped by a person", code: clew.EndNotContinued, by: c.by, except: c.q.RequestID()}
	for _, x := range c.s.tasksOfTree(carrier.RootTaskID) {
		if x.ParentTaskID == carrier.TaskID && !x.Ended() {
			abort(tx, c.s, x, nil, how)
		}
	}
	how.ends = true
	endTurn(tx, c.s, carrier, nil, how)
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
			result(co.tx, c.t, call, "The user wants the plan changed: "+c.a.instruction+"\nThe plan as it stands: "+plainJSON(co.run.Todos)+
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
func (c answerEffect) ofTodo(co *runStepper, about subject) (over bool) {
	t := plan.Find(co.run.Todos, about.todo)
	if t == nil {
		co.advance()
		return false
	}
	failed := about.limit == run.LimitRetries
	switch c.a.action {
	case clew.ResolvedApprove:
		if failed {
			co.retry(*t, 0, turnEnd{by: c.by})
		}
	case clew.ResolvedSkip:
		co.skip(*t, c.a.comment)
	default:
		if failed {
			co.cancel(nil, turnEnd{reason: "stopped after a failed step", code: clew.EndNotContinued, by: c.by})
			return true
		}
		co.failed(*t, clew.Failure{Code: clew.ExecutionFailed, Message: "a person refused it"})
	}
	co.advance()
	return false
}

// endedRun is the root of the run that ended with an answer after which nobody
// goes on, "" if the task works for none.
func endedRun(s *State, t *Task) clew.TaskID {
	if s.activeRun(t) == nil {
		return ""
	}
	return t.RootTaskID
}

// todoOfQuestion is the todo whose agent asks, for people to see what it is about;
// nil if it is none's.
func (s *State) todoOfQuestion(t *Task, id string) *clew.ApprovalTodo {
	r := s.activeRun(t)
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
func AskReview(tx *Tx, s *State, t *Task, q clew.HitlPlanReviewData) *clew.HitlPlanReviewData {
	s.prepareAsking(&q.Asking, t, tx)
	tx.Say(askMessage(t, clew.AskFollowup, q.RequestID, q.ToolCallID, planText(q)))
	tx.Add(&q)
	if was, _ := s.taskState(t.TaskID); was != clew.TaskStateInteractive { // else it takes the place of a review
		taskStateEvent(tx, t.TaskRef, clew.TaskStateInteractive, q.RequestID)
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
		fmt.Fprintf(&b, "\n%d. %s", i+1, clip(t.Task, 200))
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
func AskClarification(tx *Tx, s *State, t *Task, q clew.HitlClarificationData) {
	s.prepareAsking(&q.Asking, t, tx)
	if r := s.activeRun(t); r != nil {
		q.Scope = r.Scope()
	}
	tx.Say(askMessage(t, clew.AskFollowup, q.RequestID, q.ToolCallID, q.Question))
	tx.Add(&q)
	taskStateEvent(tx, t.TaskRef, clew.TaskStateInteractive, q.RequestID)
}
