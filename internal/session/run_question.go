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
func runTimedOut(c consequence) (events []clew.Event, over, ok bool) {
	root := c.s.root(c.t)
	if c.s.running(c.t) == nil {
		return nil, false, false
	}
	d := &clew.HitlResolvedData{RequestID: c.q.RequestID(), Action: c.a.action, ByTimeout: true}
	co := conduct(c.s, root, c.b, c.at)
	co.cut = c.late.cut
	about := aboutOf(c.q)
	switch {
	case about.limit == run.LimitRetries:
		t := plan.Find(co.run.Todos, about.todo)
		f := clew.Failure{Code: clew.ExecutionFailed, Message: "nobody said what to do about the failed step", FailedTodo: about.todo}
		if t != nil && t.Error != nil {
			f.Code, f.Message = t.Error.Code, t.Error.Message
		}
		co.settle(c.q, d)
		return co.fail(c.late.streamed, f), true, true
	case c.a.action == clew.ResolvedCancelled:
		co.settle(c.q, d)
		return co.cancel(c.late.streamed, "nobody answered in time"), true, true
	}
	events, over, ok = ofRun(c)
	return events, over, ok
}

// ofRun is what an answer means to a run, if it is the run that asked.
func ofRun(c consequence) (events []clew.Event, over, ok bool) {
	root := c.s.root(c.t)
	if c.s.running(c.t) == nil {
		return nil, false, false
	}
	about := aboutOf(c.q)
	co := conduct(c.s, root, c.b, c.at)
	co.settle(c.q, &clew.HitlResolvedData{
		RequestID: c.q.RequestID(), Action: c.a.action, ResolvedBy: c.by, Instruction: c.a.instruction, Value: c.a.value, Comment: c.a.comment,
	})
	switch {
	case c.q.Type == clew.EventHitlPlanReview:
		return c.reviewed(co)
	case about.task == root.TaskID && about.todo != "":
		return c.ofTodo(co, about)
	case about.call == "" && c.no() && c.s.carrier(c.t) != nil && !about.shared():
		return c.stopTodo(c.s.carrier(c.t)), false, true
	case about.call == "" && c.no():
		return co.cancel(nil, "stopped by a person"), true, true
	}
	return nil, false, false
}

// stopTodo ends the attempt at a todo, whoever in its tree asked.
func (c consequence) stopTodo(carrier *Task) []clew.Event {
	how := closing{reason: "stopped by a person", except: c.q.RequestID(), at: c.at}
	var events []clew.Event
	for _, x := range c.s.tree(carrier.RootTaskID) {
		if x.ParentTaskID == carrier.TaskID && !x.Ended() {
			how.at = c.at + len(events)
			events = append(events, abort(c.s, x, nil, c.b, how)...)
		}
	}
	how.at, how.ends = c.at+len(events), true
	events = append(events, closeTurn(c.s, carrier, nil, c.b, how)...)
	return append(events, TodoFailed(c.s, carrier, c.b, c.at+len(events), clew.Failure{Code: clew.ExecutionFailed, Message: "stopped by a person"})...)
}

// reviewed is what the answer to a plan's review leads to.
func (c consequence) reviewed(co *conductor) (events []clew.Event, over, ok bool) {
	switch c.a.action {
	case clew.ResolvedApprove:
		co.plain(after(c.s, c.t, c.q.RequestID())...)
		return co.approved(c.by), false, true
	case clew.ResolvedModify:
		if len(c.a.edits) > 0 {
			co.modify(c.a.edited, c.a.changes, plan.Named(c.a.edits, c.a.changes))
		}
		if c.a.instruction == "" {
			co.review("The plan was changed as you said. Please look at it again.")
			return co.tx.events, false, true
		}
		if call := c.t.Call(co.run.Call); call != nil {
			co.plain(result(c.t, call, "The user wants the plan changed: "+c.a.instruction+"\nThe plan as it stands: "+plainJSON(co.run.Todos)+
				"\nPropose it again as a whole, with the same ids for steps that stay.", "", c.a.images))
		}
		co.plain(after(c.s, c.t, c.q.RequestID())...)
		return co.tx.events, false, true
	}
	return co.rejected(c.by, c.a.comment), true, true
}

// ofTodo is what an answer about a single todo leads to.
func (c consequence) ofTodo(co *conductor, about about) (events []clew.Event, over, ok bool) {
	t := plan.Find(co.run.Todos, about.todo)
	if t == nil {
		return co.onward(), false, true
	}
	failed := about.limit == run.LimitRetries
	switch c.a.action {
	case clew.ResolvedApprove:
		if failed {
			co.retry(*t, 0, c.by, "")
		}
	case clew.ResolvedSkip:
		co.skip(*t, c.a.comment)
	default:
		if failed {
			return co.cancel(nil, "stopped after a failed step"), true, true
		}
		co.failed(*t, clew.Failure{Code: clew.ExecutionFailed, Message: "a person refused it"})
	}
	return co.onward(), false, true
}

// endedRun is the root of the run that ended with an answer after which nobody
// goes on, "" if the task works for none.
func endedRun(s *State, t *Task) clew.TaskID {
	if s.running(t) == nil {
		return ""
	}
	return t.RootTaskID
}

// askingTodo is the todo whose agent asks, for people to see what it is about;
// nil if it is none's.
func (s *State) askingTodo(t *Task, id string) *clew.ApprovalTodo {
	r := s.running(t)
	if r == nil || id == "" {
		return nil
	}
	todo := plan.Find(r.Todos, id)
	if todo == nil {
		return nil
	}
	return &clew.ApprovalTodo{ID: todo.ID, Task: todo.Task, Tool: todo.Tool, EstimatedCostUSD: todo.EstimatedCostUSD}
}

// AskReview makes the events of a question about a plan. Its first event is the
// i-th of the batch.
func AskReview(s *State, t *Task, b Batch, i int, q clew.HitlPlanReviewData) []clew.Event {
	s.ask(&q.Asking, t, b, i)
	events := []clew.Event{
		{Type: clew.EventMessageCreated, Data: &clew.MessageCreatedData{Message: askMessage(t, b, i, clew.AskFollowup, q.RequestID, q.ToolCallID, planText(q))}},
		{Type: clew.EventHitlPlanReview, Data: &q},
	}
	if was, _ := s.stateOf(t.TaskID); was != clew.TaskStateInteractive { // else it takes the place of a review
		events = append(events, stateEvent(t.TaskRef, clew.TaskStateInteractive, q.RequestID))
	}
	return events
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

// AskClarification makes the events of a question about what was meant. Its
// first event is the i-th of the batch.
func AskClarification(s *State, t *Task, b Batch, i int, q clew.HitlClarificationData) []clew.Event {
	s.ask(&q.Asking, t, b, i)
	if r := s.running(t); r != nil {
		q.Scope = r.Scope()
	}
	return []clew.Event{
		{Type: clew.EventMessageCreated, Data: &clew.MessageCreatedData{Message: askMessage(t, b, i, clew.AskFollowup, q.RequestID, q.ToolCallID, q.Question)}},
		{Type: clew.EventHitlClarification, Data: &q},
		stateEvent(t.TaskRef, clew.TaskStateInteractive, q.RequestID),
	}
}
