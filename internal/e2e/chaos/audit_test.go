package chaos

import (
	"testing"

	"github.com/clew-run/clew"
)

// An audit goes through the records of one run and holds them against the
// rules, with a reckoning of its own.
type audit struct {
	t  testing.TB
	id clew.SessionID

	at, term uint64 // the record, and its owner's term
	todos    map[string]*reckoned
	count    map[clew.TodoStatus]int
	approved bool
	paused   bool
	ended    clew.EventType
	stats    *clew.Statistics

	done    map[string]clew.TaskID // todos that were completed, and by which attempt
	begun   map[clew.TaskID]uint64 // and the term in which the last one was
	intents map[clew.TaskID]int    // lines that were about to be written
	doubted map[clew.TaskID]bool   // attempts about which a person was asked
	tasks   map[clew.TaskID]bool   // attempts
	seen    map[clew.EventType]int // how many of each
	asked   map[clew.RequestID]int // questions
	settled map[clew.RequestID]int // and how often each ended
}

// reckoned is a todo as the records up to now have it.
type reckoned struct {
	status clew.TodoStatus
	deps   []string
	task   clew.TaskID
}

func newAudit(t testing.TB, id clew.SessionID) *audit {
	return &audit{
		t: t, id: id, todos: map[string]*reckoned{}, count: map[clew.TodoStatus]int{}, done: map[string]clew.TaskID{}, intents: map[clew.TaskID]int{}, begun: map[clew.TaskID]uint64{},
		doubted: map[clew.TaskID]bool{}, tasks: map[clew.TaskID]bool{}, seen: map[clew.EventType]int{},
		asked: map[clew.RequestID]int{}, settled: map[clew.RequestID]int{},
	}
}

func (a *audit) fault(format string, args ...any) {
	a.t.Helper()
	a.t.Errorf("run %s, record %d: "+format, append([]any{a.id, a.at}, args...)...)
}

// take checks one record.
func (a *audit) take(r clew.Record, data any) {
	a.at, a.term = r.Seq, r.Term
	a.seen[r.Type]++
	switch d := data.(type) {
	case *clew.PlanGeneratedData:
		a.plan(d.Todos)
	case *clew.PlanModifiedData:
		a.plan(d.UpdatedTodos)
		a.approved = false
	case *clew.PlanApprovedData:
		a.approved = true
	case *clew.HitlPausedData:
		a.paused = true
	case *clew.HitlResumedData:
		a.paused = false
	case *clew.ExecutionProgressData:
		a.progress(d)
	case *clew.CompleteData:
		a.end(r.Type)
		a.stats = &d.Statistics
	case *clew.FailedData, *clew.CancelledData:
		a.end(r.Type)
	case *clew.ToolProgressData:
		if d.Tool == toolLedger && d.Status == clew.ToolRunning && d.Effect != nil {
			a.intents[d.TaskID]++
			a.begun[d.TaskID] = r.Term
			if a.paused {
				a.fault("a step of %s began while the run was paused", d.TaskID)
			}
		}
	default:
		a.question(data)
		a.todo(data)
	}
}

// plan takes a new version. What is done or under way stays as it is.
func (a *audit) plan(todos []clew.Todo) {
	next := map[string]*reckoned{}
	a.count = map[clew.TodoStatus]int{}
	for _, t := range todos {
		next[t.ID] = &reckoned{t.Status, t.DependsOn, t.TaskID}
		a.count[t.Status]++
	}
	for id, old := range a.todos {
		t := next[id]
		if (old.status == clew.TodoCompleted || old.status == clew.TodoInProgress) && (t == nil || t.status != old.status) {
			a.fault("todo %s was %s, and the new plan has it otherwise", id, old.status)
		}
	}
	a.todos = next
}

func (a *audit) question(data any) {
	switch d := data.(type) {
	case *clew.HitlPlanReviewData:
		a.asked[d.RequestID]++
	case *clew.HitlInputRequestData:
		a.asked[d.RequestID]++
	case *clew.HitlApprovalRequestData:
		a.asked[d.RequestID]++
		if d.Ask == clew.AskResumeTask {
			a.doubted[d.TaskID] = true
			if a.term == a.begun[d.TaskID] {
				a.fault("attempt %s is in doubt, and its owner has not changed", d.TaskID)
			}
		}
	case *clew.HitlResolvedData:
		a.settled[d.RequestID]++
	}
}

func (a *audit) todo(data any) {
	switch d := data.(type) {
	case *clew.TodoStartedData:
		a.start(d)
	case *clew.TodoCompletedData:
		t := a.move(d.TodoID, clew.TodoCompleted, clew.TodoInProgress)
		if _, twice := a.done[d.TodoID]; twice {
			a.fault("todo %s was completed twice", d.TodoID)
		}
		a.done[d.TodoID] = t.task
	case *clew.TodoFailedData:
		a.move(d.TodoID, clew.TodoFailed, clew.TodoInProgress, clew.TodoPending) // pending: its cost was refused
	case *clew.TodoRetriedData:
		a.move(d.TodoID, clew.TodoPending, clew.TodoFailed, clew.TodoInProgress)
	case *clew.TodoSkippedData:
		a.move(d.TodoID, clew.TodoSkipped, clew.TodoPending, clew.TodoInProgress, clew.TodoFailed)
	}
}

func (a *audit) start(d *clew.TodoStartedData) {
	t := a.move(d.TodoID, clew.TodoInProgress, clew.TodoPending)
	t.task = d.TaskID
	if a.tasks[d.TaskID] {
		a.fault("task %s carries out a second attempt", d.TaskID)
	}
	a.tasks[d.TaskID] = true
	if a.paused || !a.approved {
		a.fault("todo %s began while the run was paused (%v) or its plan not approved (%v)", d.TodoID, a.paused, !a.approved)
	}
	for _, id := range t.deps {
		if dep := a.todos[id]; dep == nil || dep.status != clew.TodoCompleted && dep.status != clew.TodoSkipped {
			a.fault("todo %s began before %s, which it depends on", d.TodoID, id)
		}
	}
	if n := a.count[clew.TodoInProgress]; n > parallel {
		a.fault("%d todos are under way", n)
	}
}

// move changes a todo's state, which must be one of some before.
func (a *audit) move(id string, to clew.TodoStatus, from ...clew.TodoStatus) *reckoned {
	a.t.Helper()
	t := a.todos[id]
	if t == nil {
		a.fault("the plan has no todo %s", id)
		return &reckoned{}
	}
	if a.ended != "" {
		a.fault("todo %s became %s after the end of the run", id, to)
	}
	ok := false
	for _, s := range from {
		ok = ok || t.status == s
	}
	if !ok {
		a.fault("todo %s went from %s to %s", id, t.status, to)
	}
	a.count[t.status]--
	a.count[to]++
	t.status = to
	return t
}

func (a *audit) progress(d *clew.ExecutionProgressData) {
	got := [6]int{d.TotalTodos, d.Completed, d.InProgress, d.Pending, d.Failed, d.Skipped}
	want := [6]int{
		len(a.todos), a.count[clew.TodoCompleted], a.count[clew.TodoInProgress], a.count[clew.TodoPending],
		a.count[clew.TodoFailed], a.count[clew.TodoSkipped],
	}
	if got != want || got[0] != got[1]+got[2]+got[3]+got[4]+got[5] {
		a.fault("progress says %v, the records %v", got, want)
	}
}

func (a *audit) end(typ clew.EventType) {
	if a.ended != "" {
		a.fault("the run ended twice: %s after %s", typ, a.ended)
	}
	a.ended = typ
}

// finish checks the whole once all records were seen, with the run's lines of
// the ledger.
func (a *audit) finish(lines map[entry]int) {
	a.t.Helper()
	if a.ended == "" {
		a.fault("the run has not ended")
	}
	for id := range a.asked {
		if a.asked[id] != 1 || a.settled[id] != 1 {
			a.fault("question %s was asked %d times and settled %d times", id, a.asked[id], a.settled[id])
		}
	}
	if s := a.stats; s != nil {
		got := [4]int{s.TotalTodos, s.Completed, s.Failed, s.Skipped}
		want := [4]int{len(a.todos), a.count[clew.TodoCompleted], 0, a.count[clew.TodoSkipped]}
		if got != want || s.Completed+s.Skipped != s.TotalTodos {
			a.fault("the run is complete with %v, the records have %v", got, want)
		}
	}
	for id, task := range a.done {
		if a.todos[id] == nil || a.todos[id].status != clew.TodoCompleted {
			a.fault("todo %s was completed and is not in the end", id)
		}
		if n := lines[entry{a.id, task, "1"}]; n != 1 && !a.doubted[task] {
			a.fault("todo %s was completed, and its step was done %d times", id, n)
		}
	}
	per := map[clew.TaskID]int{}
	for line, n := range lines {
		if line.session != a.id {
			continue
		}
		per[line.task] += n
		if n > 1 {
			a.fault("step %s of attempt %s was done %d times", line.step, line.task, n)
		}
		if line.step != "1" && !a.doubted[line.task] {
			a.fault("attempt %s did a further step, and nobody was asked about the first", line.task)
		}
	}
	for task, n := range per {
		if n > a.intents[task] || !a.tasks[task] {
			a.fault("attempt %s did %d steps, %d of which are on record as begun", task, n, a.intents[task])
		}
	}
}
