package decide

import (
	"slices"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/run"
	"github.com/clew-run/clew/internal/session/core"
)

// stopWork stops whoever would go on by themselves: turns end where they stand, a run
// is paused. What waits for a person goes on waiting. Where the session was taken
// back to the middle of a batch, somebody may wait for what was to come next in
// it; that ends, too.
func stopWork(tx *Tx, s *core.State, streamed streams, how TurnEnd) {
	for _, m := range s.AllMonitors() {
		if root := s.CurrentRun(m.ID); root != nil && s.ActiveRun(root) != nil {
			stepRun(tx, s, root).pauseForRewind(how)
		}
	}
	for _, t := range s.SortedTasks() {
		if s.ActiveRun(t) == nil && (s.HasWork(t) || s.WaitsForNothing(t) || t.AwaitsCell()) {
			CloseTurn(tx, s, t, streamed, how)
		}
	}
	closeCells(tx, s, streamed)
	for _, m := range s.AllMonitors() {
		if t := s.Focused(m.ID); t != nil { // what is said next is not for a child that ended
			focus(tx, s, s.ActiveAncestor(t).TaskRef)
		}
	}
}

// pauseForRewind pauses the run if it would go on by itself, or would not go on at all.
// Attempts at todos that nobody is at work on begin anew when it goes on.
func (c *runStepper) pauseForRewind(how TurnEnd) {
	var torn []clew.Todo
	for _, t := range c.run.Todos {
		if x := c.s.Task(t.TaskID); t.Status == clew.TodoInProgress && (x == nil || x.Ended() || c.s.WaitsForNothing(x)) {
			torn = append(torn, t)
		}
	}
	mark := c.tx.Len()
	again := c.reopenReview()
	asked := again || slices.ContainsFunc(c.s.Questions, func(q clew.Question) bool {
		t := c.s.Task(q.Asking().TaskID)
		return t != nil && t.RootTaskID == c.root.TaskID
	})
	if !c.run.Paused && (len(torn) > 0 || !asked || !again && c.hasNextStep() || slices.ContainsFunc(c.s.TasksOfTree(c.root.TaskID), func(t *core.Task) bool {
		return (c.s.HasWork(t) || t.AwaitsCell()) && (t != c.root || !again)
	})) {
		if err := c.pause(how); err != nil {
			c.tx.Truncate(mark)
			return
		}
	}
	for _, t := range torn {
		c.abort(t, nil, how)
		c.retry(t, t.RetryCount, how)
	}
	c.reportProgress()
}

// hasNextStep reports whether the plan has a next step that nobody has taken: what began
// it comes later in the batch.
func (c *runStepper) hasNextStep() bool {
	return c.run.Phase == run.Executing &&
		(c.run.Executed() || len(c.run.Start(c.rules))+len(c.run.AskCost(c.rules))+len(c.run.AskFailed()) > 0)
}

// reopenReview puts the plan before people if the session is back between a plan,
// or a change of it, and the question about it.
func (c *runStepper) reopenReview() bool {
	changed := c.run.Phase == run.Executing && c.run.Status != clew.PlanApproved
	if c.run.Phase != run.Review && !changed || c.run.Review != "" {
		return false
	}
	if open := slices.IndexFunc(c.root.Calls, func(x core.Call) bool { return x.Status != core.CallDone }); open >= 0 && c.root.Call(c.run.Call) == nil {
		c.run.Call = c.root.Calls[open].ID // the one that the plan came with
	}
	c.review("Please look at the plan.")
	return true
}
