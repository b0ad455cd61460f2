package session

import (
	"slices"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/plan"
	"github.com/clew-run/clew/internal/session/core"
)

// An oracle follows one run by its records alone, knows nothing of the state
// machine, and complains about records that must not be.
type oracle struct {
	t        tester
	parallel int

	planID   string
	version  int
	approved bool
	paused   bool
	ended    clew.EventType
	todos    []clew.Todo
	results  map[string]bool
	layers   []clew.Layer
	open     clew.Layer // the layer under way
	started  map[string]int
}

// oracles follow all runs of a session.
type oracles struct {
	t        tester
	parallel int
	seen     int
	of       map[string]*oracle
}

func newOracles(t tester, parallel int) *oracles {
	return &oracles{t: t, parallel: parallel, of: map[string]*oracle{}}
}

// hear takes the records since the last time.
func (o *oracles) hear(b *bench) {
	o.t.Helper()
	fresh := b.records[o.seen:]
	if slices.ContainsFunc(fresh, func(r clew.Record) bool {
		return r.Type == clew.EventHistoryRewound || r.Type == clew.EventRewindUndone
	}) {
		clear(o.of) // what is hidden did not happen
		fresh = b.records
	}
	for _, r := range fresh {
		if b.s.state.Hidden(r.Seq) {
			continue
		}
		if len(ofRunOnly([]clew.EventType{r.Type})) == 0 {
			continue
		}
		data := b.decoded(r)
		id := core.RunIDOf(data)
		if d, ok := data.(*clew.ExecutionProgressData); ok {
			id = d.RunID
		}
		if id == "" {
			continue
		}
		if o.of[id] == nil {
			o.of[id] = &oracle{t: o.t, parallel: o.parallel, results: map[string]bool{}, started: map[string]int{}}
		}
		o.of[id].hear(r.Type, data)
	}
	o.seen = len(b.records)
}

func (o *oracle) hear(typ clew.EventType, data any) {
	o.t.Helper()
	if o.ended != "" {
		o.t.Fatalf("%s after %s: %+v", typ, o.ended, data)
	}
	switch d := data.(type) {
	case *clew.LayerStartData:
		if o.open != "" {
			o.t.Fatalf("layer %s begins in %s", d.Layer, o.open)
		}
		o.layers, o.open = append(o.layers, d.Layer), d.Layer
	case *clew.LayerCompleteData:
		if o.open != d.Layer {
			o.t.Fatalf("layer %s ends in %s", d.Layer, o.open)
		}
		o.open = ""
	case *clew.HitlPausedData:
		if o.paused || !slices.Equal(d.CompletedTodos, o.ids(clew.TodoCompleted)) {
			o.t.Fatalf("paused before: %v, %+v", o.paused, d)
		}
		o.paused = true
	case *clew.HitlResumedData:
		if !o.paused {
			o.t.Fatalf("resumed, and was not paused")
		}
		o.paused = false
	case *clew.CompleteData, *clew.FailedData, *clew.CancelledData:
		o.end(typ, data)
	default:
		o.hearPlan(data)
		o.hearTodo(data)
	}
}

func (o *oracle) hearPlan(data any) {
	o.t.Helper()
	switch d := data.(type) {
	case *clew.PlanGeneratedData:
		if o.planID != "" || d.Version != 1 || d.Status != clew.PlanPendingApproval {
			o.t.Fatalf("plan %s after %s: version %d, %s", d.PlanID, o.planID, d.Version, d.Status)
		}
		o.planID, o.version, o.todos = d.PlanID, 1, slices.Clone(d.Todos)
		for _, t := range d.Todos {
			if !slices.Equal(d.DependencyGraph[t.ID], t.DependsOn) {
				o.t.Fatalf("todo %s depends on %v, the graph says %v", t.ID, t.DependsOn, d.DependencyGraph[t.ID])
			}
		}
	case *clew.PlanModifiedData:
		if d.PlanID != o.planID || d.OldVersion != o.version || d.NewVersion != o.version+1 {
			o.t.Fatalf("plan %s version %d becomes %s %d → %d", o.planID, o.version, d.PlanID, d.OldVersion, d.NewVersion)
		}
		o.version, o.approved = d.NewVersion, false
		for _, t := range o.todos { // what was begun or done stays as it is
			now := plan.Find(d.UpdatedTodos, t.ID)
			if t.Status == clew.TodoInProgress || t.Status == clew.TodoCompleted {
				if now == nil || now.Status != t.Status || now.Task != t.Task || now.TaskID != t.TaskID {
					o.t.Fatalf("todo %+v becomes %+v", t, now)
				}
			}
		}
		o.todos = slices.Clone(d.UpdatedTodos)
	case *clew.PlanApprovedData:
		if d.PlanID != o.planID || d.ExecutionStarting == o.paused {
			o.t.Fatalf("approved %+v, the plan is %s, paused %v", d, o.planID, o.paused)
		}
		o.approved = true
	}
}

func (o *oracle) hearTodo(data any) {
	o.t.Helper()
	switch d := data.(type) {
	case *clew.TodoStartedData:
		o.starts(d)
	case *clew.TodoProgressData:
		if o.find(d.TodoID).Status != clew.TodoInProgress {
			o.t.Fatalf("progress of %+v", o.find(d.TodoID))
		}
	case *clew.TodoCompletedData:
		o.becomes(d.TodoID, clew.TodoCompleted, d.NextTodos, clew.TodoInProgress)
		o.results[d.TodoID] = true
	case *clew.TodoSkippedData:
		o.becomes(d.TodoID, clew.TodoSkipped, d.NextTodos, clew.TodoPending, clew.TodoInProgress, clew.TodoFailed)
	case *clew.TodoFailedData:
		o.becomes(d.TodoID, clew.TodoFailed, nil, clew.TodoPending, clew.TodoInProgress)
		if d.RetryCount > d.MaxRetries {
			o.t.Fatalf("retry %d of %d", d.RetryCount, d.MaxRetries)
		}
	case *clew.TodoRetriedData: // of an attempt that failed, or was interrupted
		o.becomes(d.TodoID, clew.TodoPending, nil, clew.TodoFailed, clew.TodoInProgress)
	case *clew.ExecutionProgressData:
		c := plan.Count(o.todos)
		got := plan.Counts{Total: d.TotalTodos, Completed: d.Completed, InProgress: d.InProgress, Pending: d.Pending, Failed: d.Failed, Skipped: d.Skipped}
		if got != c || d.ProgressPercentage != c.Completed*100/c.Total || (d.CurrentTodo != nil) != (c.InProgress > 0) {
			o.t.Fatalf("progress %+v, counted %+v", d, c)
		}
	}
}

// starts checks that a todo may begin.
func (o *oracle) starts(d *clew.TodoStartedData) {
	o.t.Helper()
	t := o.find(d.TodoID)
	for _, id := range t.DependsOn {
		if st := o.find(id).Status; st != clew.TodoCompleted && st != clew.TodoSkipped {
			o.t.Fatalf("%s begins, and %s is %s", d.TodoID, id, st)
		}
	}
	if o.paused || !o.approved || plan.Count(o.todos).InProgress >= o.parallel || o.open != clew.LayerExecution {
		o.t.Fatalf("%s begins: paused %v, approved %v, beside %d, in %s", d.TodoID, o.paused, o.approved, plan.Count(o.todos).InProgress, o.open)
	}
	o.becomes(d.TodoID, clew.TodoInProgress, nil, clew.TodoPending)
	t.TaskID = d.TaskID
	o.started[d.TodoID]++
}

// becomes changes a todo's status, from one of those that lead there. next is
// what became ready by it.
func (o *oracle) becomes(id string, to clew.TodoStatus, next []string, from ...clew.TodoStatus) {
	o.t.Helper()
	t := o.find(id)
	if !slices.Contains(from, t.Status) {
		o.t.Fatalf("todo %s is %s and becomes %s", id, t.Status, to)
	}
	before := plan.Ready(o.todos)
	t.Status = to
	if next == nil {
		return
	}
	freed := slices.DeleteFunc(plan.Ready(o.todos), func(x string) bool { return slices.Contains(before, x) })
	if !slices.Equal(freed, next) {
		o.t.Fatalf("the end of %s frees %v, and is said to free %v", id, freed, next)
	}
}

func (o *oracle) find(id string) *clew.Todo {
	o.t.Helper()
	t := plan.Find(o.todos, id)
	if t == nil {
		o.t.Fatalf("there is no todo %s", id)
	}
	return t
}

func (o *oracle) ids(status clew.TodoStatus) []string {
	var list []string
	for _, t := range o.todos {
		if t.Status == status {
			list = append(list, t.ID)
		}
	}
	return list
}

// end checks what a run says at its end.
func (o *oracle) end(typ clew.EventType, data any) {
	o.t.Helper()
	o.ended = typ
	c := plan.Count(o.todos)
	var partial clew.PartialResults
	switch d := data.(type) {
	case *clew.CompleteData:
		want := []clew.Layer{clew.LayerCognitive, clew.LayerPlanning, clew.LayerExecution, clew.LayerResponse}
		st := d.Statistics
		if !c.Settled() || st.TotalTodos != c.Total || st.Completed != c.Completed || st.Skipped != c.Skipped || st.Failed != 0 || !slices.Equal(o.layers, want) {
			o.t.Fatalf("complete with %+v, counted %+v, layers %v", st, c, o.layers)
		}
		return
	case *clew.FailedData:
		partial = d.PartialResults
	case *clew.CancelledData:
		partial = d.PartialResults
	}
	if !slices.Equal(partial.CompletedTodos, o.ids(clew.TodoCompleted)) || len(partial.AvailableData) != c.Completed {
		o.t.Fatalf("%s with the results %v and %d values, completed are %v", typ, partial.CompletedTodos, len(partial.AvailableData), o.ids(clew.TodoCompleted))
	}
}
