package run

import (
	"encoding/json"
	"slices"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/plan"
)

// Rules is what the settings say about runs.
type Rules struct {
	Parallel    int     // todos at once
	MaxTodos    int     // in a plan
	MaxRetries  int     // of each todo
	ApprovalUSD float64 // a todo that is expected to cost more asks first
	// The timeouts of questions, in seconds; 0 is none.
	ReviewSec, ApprovalSec, InputSec, ClarifySec int
}

// DefaultRules hold where nobody says otherwise.
var DefaultRules = Rules{
	Parallel: 3, MaxTodos: 500, MaxRetries: 3,
	ReviewSec: 300, ApprovalSec: 600, InputSec: 300, ClarifySec: 300,
}

// Start lists the todos that begin now, in the order of their priority.
func (r *Run) Start(rules Rules) []clew.Todo {
	if r.Phase != Executing || r.Paused {
		return nil
	}
	free := max(rules.Parallel, 1) - plan.Count(r.Todos).InProgress
	if free <= 0 {
		return nil
	}
	var list []clew.Todo
	for _, t := range r.ready() {
		if len(list) >= free {
			break
		}
		if !r.costly(t, rules) {
			list = append(list, *t)
		}
	}
	return list
}

// ready gives the todos that nothing holds up but people, in the order in which
// they begin.
func (r *Run) ready() []*clew.Todo {
	places := r.places
	if places == nil { // just loaded
		places = plan.Places(r.Todos)
	}
	at := plan.ReadyAt(r.Todos, places)
	list := make([]*clew.Todo, len(at))
	for i, n := range at {
		list[i] = &r.Todos[n]
	}
	return list
}

// costly reports whether a todo needs a person's yes before it begins.
func (r *Run) costly(t *clew.Todo, rules Rules) bool {
	return t.EstimatedCostUSD != nil && *t.EstimatedCostUSD > rules.ApprovalUSD && !r.Allowed[t.ID]
}

// AskCost lists the todos that are ready but for a person's yes to their cost,
// and that nobody was asked about yet.
func (r *Run) AskCost(rules Rules) []clew.Todo {
	if r.Phase != Executing || r.Paused {
		return nil
	}
	dear := func(t clew.Todo) bool { return t.Status == clew.TodoPending && r.costly(&t, rules) }
	if !slices.ContainsFunc(r.Todos, dear) { // most plans: no need to look who is ready
		return nil
	}
	var list []clew.Todo
	for _, t := range r.ready() {
		if _, asked := r.Asked[t.ID]; !asked && r.costly(t, rules) {
			list = append(list, *t)
		}
	}
	return list
}

// AskFailed lists the todos that failed for good and that nobody was asked about
// yet.
func (r *Run) AskFailed() []clew.Todo {
	if r.Phase != Executing || r.Paused {
		return nil
	}
	var list []clew.Todo
	for _, t := range r.Todos {
		if _, asked := r.Asked[t.ID]; !asked && t.Status == clew.TodoFailed {
			list = append(list, t)
		}
	}
	return list
}

// Executed reports whether all todos are completed or skipped.
func (r *Run) Executed() bool {
	return r.Phase == Executing && !r.Paused && plan.Count(r.Todos).Settled()
}

// Retries reports whether a todo that fails now is tried again by itself.
func (r *Run) Retries(t clew.Todo, f clew.Failure, rules Rules) bool {
	return f.Recoverable && t.RetryCount < rules.MaxRetries
}

// Progress is how far the plan has come.
func (r *Run) Progress() *clew.ExecutionProgressData {
	c := plan.Count(r.Todos)
	d := &clew.ExecutionProgressData{
		TotalTodos: c.Total, Completed: c.Completed, InProgress: c.InProgress, Pending: c.Pending, Failed: c.Failed, Skipped: c.Skipped,
		ProgressPercentage: c.Percent(), Scope: r.Scope(),
	}
	if t := r.CurrentTodo(); t != nil {
		d.CurrentTodo = &clew.TodoRef{ID: t.ID, Task: t.Task}
	}
	return d
}

// CurrentTodo is the todo under way that began first, nil if there is none.
func (r *Run) CurrentTodo() *clew.Todo {
	var first *clew.Todo
	for i := range r.Todos {
		if t := &r.Todos[i]; t.Status == clew.TodoInProgress && (first == nil || t.StartedMS < first.StartedMS) {
			first = t
		}
	}
	return first
}

// Completed lists the ids of the todos that are done.
func (r *Run) Completed() clew.List[string] {
	ids := clew.List[string]{}
	for _, t := range r.Todos {
		if t.Status == clew.TodoCompleted {
			ids = append(ids, t.ID)
		}
	}
	return ids
}

// partialBytes bounds the results in the record that ends a run early. Each is
// in a record of its own as well.
const partialBytes = 1 << 20

// Partial is what a run that ends early has: its results in the order of the
// plan, as many as fit.
func (r *Run) Partial() clew.PartialResults {
	p := clew.PartialResults{CompletedTodos: r.Completed(), AvailableData: map[string]any{}}
	size := 0
	for _, t := range r.Todos {
		if t.Status != clew.TodoCompleted || t.ResultSummary == nil {
			continue
		}
		b, err := json.Marshal(t.ResultSummary)
		if size += len(b); err != nil || size > partialBytes {
			break
		}
		p.AvailableData[t.ID] = t.ResultSummary
	}
	return p
}

// Statistics sums the run up, with what its tasks used.
func (r *Run) Statistics(now int64, used clew.Usage) clew.Statistics {
	c := plan.Count(r.Todos)
	return clew.Statistics{
		TotalTodos: c.Total, Completed: c.Completed, Failed: c.Failed, Skipped: c.Skipped, ExecutionTimeMS: r.Worked(now),
		TokensUsed: used.TokensIn + used.TokensOut + used.CacheReads + used.CacheWrites, CostUSD: used.CostUSD,
	}
}

// Scope is what the run's events carry.
func (r *Run) Scope() clew.Scope { return clew.Scope{RunID: r.ID, MonitorID: r.MonitorID} }

// SessionStatus is the run in one word of the wire.
func (r *Run) SessionStatus() clew.SessionStatus {
	switch {
	case r.Phase == Completed:
		return clew.StatusCompleted
	case r.Phase == Failed:
		return clew.StatusFailed
	case r.Phase == Cancelled:
		return clew.StatusCancelled
	case r.Paused:
		return clew.StatusPaused
	case r.Phase == Review:
		return clew.StatusAwaitingInput
	case r.Phase == Understanding, r.Phase == Planning:
		return clew.StatusPlanning
	}
	return clew.StatusExecuting
}

// Summary is the plan as session_state shows it, nil if there is none.
func (r *Run) Summary() *clew.PlanSummary {
	if r.PlanID == "" {
		return nil
	}
	return &clew.PlanSummary{ID: r.PlanID, Status: r.Status, Version: r.Version, TotalTodos: len(r.Todos)}
}
