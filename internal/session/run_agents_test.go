package session

import (
	"slices"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/plan"
	"github.com/clew-run/clew/internal/run"
	"github.com/clew-run/clew/internal/session/core"
	"github.com/clew-run/clew/internal/session/decide"
)

// agent has one of the agents that have something to do take its next step, or
// one that was at work when its run was paused end what it began.
func (c *crowd) agent(kindly bool) {
	var able []*core.Task
	for _, t := range c.s.state.SortedTasks() {
		begun := t.TodoID != "" && t.Turn != nil && t.AwaitingChild == "" && !c.hasAsked(t)
		if c.s.state.Runnable(t) || begun && c.s.state.RunPaused(t) && c.in(3) {
			able = append(able, t)
		}
	}
	if len(able) == 0 {
		return
	}
	t := able[c.r.IntN(len(able))]
	switch {
	case t.TodoID != "":
		c.todoStep(t, kindly)
	case t.Run == nil: // a todo's own child
		c.as(t, func() {
			if len(t.Calls) == 0 {
				c.call()
			}
			must(c.complete(t.Calls[0]))
		})
	case t.Run.Phase.Ended():
		c.as(t, func() { c.think(); must(c.answer(0)) })
	case !kindly && c.rarely():
		c.breaks(t)
	case kindly || !c.in(25):
		c.layerStep(t, kindly)
	default:
		c.limit(t)
	}
}

// hasAsked reports whether a task's agent has left it to wait for an answer.
func (c *crowd) hasAsked(t *core.Task) bool {
	return slices.ContainsFunc(c.s.state.Questions, func(q clew.Question) bool { return q.Asking().TaskID == t.TaskID })
}

func (c *crowd) layerStep(t *core.Task, kindly bool) {
	if len(t.Calls) > 0 { // somebody spoke before it was done
		must(c.reportAs(t, func(tx *decide.Tx, s *core.State, t *core.Task) {
			decide.CloseUnfinished(tx, t, decide.TurnEnd{Reason: "given up"})
		}))
	}
	switch t.Run.Phase {
	case run.Understanding:
		if !kindly && c.in(3) {
			c.as(t, c.clarifies)
			return
		}
		c.understand()
	case run.Planning:
		c.plans(t)
	case run.Responding:
		c.respondRun()
	}
}

// clarifies has the cognitive layer ask what was meant.
func (c *crowd) clarifies() {
	call := c.call()
	must(c.report(func(tx *decide.Tx, s *core.State, t *core.Task) {
		q := clew.HitlClarificationData{Question: "which?", InputType: clew.InputText, Required: true}
		q.ToolCallID, q.TimeoutSec = call.ID, c.rules.run.ClarifySec
		decide.AskClarification(tx, s, t, q)
	}))
}

// plans proposes a plan, or changes the one there is; todos may end between the
// look at it and the proposal.
func (c *crowd) plans(t *core.Task) {
	if t.Run.Version == 0 {
		n := 1 + c.r.IntN(25)
		if c.big {
			n = 500
		}
		c.propose(c.dag(n)...)
		return
	}
	var list []clew.Todo
	var kept []string
	for _, todo := range t.Run.Todos {
		if todo.Status == clew.TodoInProgress || todo.Status == clew.TodoCompleted || !c.in(3) && !c.big || c.big && !c.in(50) {
			list, kept = append(list, todo), append(kept, todo.ID)
		}
	}
	for i := range list {
		list[i].DependsOn = slices.DeleteFunc(slices.Clone(list[i].DependsOn), func(id string) bool { return !slices.Contains(kept, id) })
	}
	list = append(list, c.dag(1+c.r.IntN(5), kept...)...)
	merged, err := plan.Merge(t.Run.Todos, list, 0)
	if err != nil {
		c.t.Fatalf("merge: %v", err)
	}
	c.as(t, func() {
		call := c.call()
		for _, x := range c.s.state.SortedTasks() { // meanwhile
			if x.TodoID != "" && c.s.state.Runnable(x) && c.in(2) {
				c.todoStep(x, true)
			}
		}
		must(c.report(func(tx *decide.Tx, s *core.State, t *core.Task) { decide.Planned(tx, s, t, call.ID, merged, "again") }))
	})
}

// todoStep is what the agent of a todo does next.
func (c *crowd) todoStep(t *core.Task, kindly bool) {
	id := t.TodoID
	fault := 100
	if !kindly {
		fault = c.r.IntN(100)
	}
	switch {
	case c.s.state.RunPaused(t), c.s.state.BlockingQuestion(t.TaskID) != nil:
	case fault < 20:
		c.progressTodo(id, c.r.IntN(101))
		return
	case fault < 26:
		c.limit(t)
		return
	case fault < 29 && len(t.Calls) == 0:
		c.asks(t)
		return
	case fault < 32 && len(t.Calls) == 0:
		c.as(t, func() { c.spawn(c.call()) })
		return
	}
	switch {
	case fault >= 85 && fault < 94:
		c.failTodo(id, true)
		return
	case fault >= 94 && fault < 97:
		c.failTodo(id, false)
		return
	case fault == 97:
		c.breaks(t)
		return
	}
	if len(t.Calls) == 0 && (len(t.Inbox) > 0 || c.in(5)) {
		c.as(t, func() { c.call() })
	}
	c.finishTodo(id)
}

// breaks ends a turn by a fault inside, as TurnContext.fail does.
func (c *crowd) breaks(t *core.Task) {
	must(c.reportAs(t, func(tx *decide.Tx, s *core.State, t *core.Task) {
		decide.FailRunTurn(tx, s, t, nil, decide.TurnEnd{Reason: "ended by a failure", Code: clew.EndFailed}, clew.Errorf(clew.ProviderError, "away"))
	}))
}

// limit has an agent ask whether to go on; some limits are the whole run's.
func (c *crowd) limit(t *core.Task) {
	limit := one(c, core.LimitMistakes, core.LimitSteps, core.LimitBudget, core.LimitTime)
	must(c.reportAs(t, func(tx *decide.Tx, s *core.State, t *core.Task) {
		q := clew.HitlApprovalRequestData{Ask: clew.AskAutoApprovalMaxReqReached, Limit: limit, Reason: "go on?", Options: append(slices.Clone(yesNo), clew.ChoiceSkip)}
		decide.ScopeToRun(s, t, &q.Asking, c.rules.run.ApprovalSec)
		decide.AskApproval(tx, s, t, q)
	}))
}

// asks has the agent of a todo ask whether a call may run, or for a value.
func (c *crowd) asks(t *core.Task) {
	c.as(t, func() {
		call := c.call()
		value := c.in(2)
		required := value && c.in(2)
		must(c.report(func(tx *decide.Tx, s *core.State, t *core.Task) {
			if value {
				q := clew.HitlInputRequestData{Question: "which?", InputType: clew.InputText, Required: required, DefaultValue: "x"}
				q.ToolCallID = call.ID
				decide.ScopeToRun(s, t, &q.Asking, c.rules.run.InputSec)
				decide.AskInput(tx, s, t, q)
				return
			}
			q := clew.HitlApprovalRequestData{Ask: clew.AskCommand, Reason: "may it?", Options: append(slices.Clone(yesNo), clew.ChoiceSkip)}
			q.ToolCallID = call.ID
			decide.ScopeToRun(s, t, &q.Asking, c.rules.run.ApprovalSec)
			decide.AskApproval(tx, s, t, q)
		}))
	})
}
