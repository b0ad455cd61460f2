// Package run is the state machine of a run: a request that goes through four
// layers (understand, plan, execute, respond) with a plan that people review
// and steer. It is pure. A Run is the fold of the run's records; its methods say
// what may happen next. Who carries the todos out is not known here.
package run

import (
	"slices"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/plan"
)

// A Phase is where a run stands.
type Phase string

// The phases.
const (
	Understanding Phase = "understanding"
	Planning      Phase = "planning"
	Review        Phase = "review"
	Executing     Phase = "executing"
	Responding    Phase = "responding"
	Completed     Phase = "completed"
	Failed        Phase = "failed"
	Cancelled     Phase = "cancelled"
)

// Phases lists them in the order of a run's life.
var Phases = []Phase{Understanding, Planning, Review, Executing, Responding, Completed, Failed, Cancelled}

// Ended reports whether nothing follows.
func (p Phase) Ended() bool { return p == Completed || p == Failed || p == Cancelled }

// A Run is the fold of one run's records. Whoever keeps one beside the fold
// clones it.
type Run struct {
	ID     string      `json:"id"`
	TaskID clew.TaskID `json:"task_id"`
	// MonitorID is the monitor that its task is on.
	MonitorID clew.MonitorID `json:"monitor_id,omitempty"`
	Request   string         `json:"request"` // what was asked for, with what was clarified
	Phase     Phase          `json:"phase"`
	Paused    bool           `json:"paused,omitempty"`
	// PausedMS is when it was paused, 0 if it is not.
	PausedMS int64 `json:"paused_ms,omitempty"`
	// PausedWhy is what was said to it.
	PausedWhy string `json:"paused_why,omitempty"`

	Layer    clew.Layer    `json:"layer"`
	LayerMS  int64         `json:"layer_ms"` // when it began
	Intent   *clew.Intent  `json:"intent,omitempty"`
	Entities []clew.Entity `json:"entities,omitempty"`

	PlanID  string          `json:"plan_id,omitempty"`
	Version int             `json:"version,omitempty"`
	Status  clew.PlanStatus `json:"plan_status,omitempty"`
	Todos   []clew.Todo     `json:"todos,omitempty"`
	// Edits are what people changed in the plan since it was last approved.
	Edits []clew.PlanEdit `json:"edits,omitempty"`
	// Call is the planner's call that the plan came with. It gets the outcome.
	Call string `json:"call,omitempty"`
	// Review is the open question about the plan, "" if none.
	Review clew.RequestID `json:"review,omitempty"`
	// Asked holds the open questions about single todos.
	Asked map[string]Asked `json:"asked,omitempty"`
	// Allowed holds the todos whose cost somebody approved.
	Allowed map[string]bool `json:"allowed,omitempty"`

	Budget    *clew.Budget  `json:"budget,omitempty"`
	StartedMS int64         `json:"started_ms"`
	EndedMS   int64         `json:"ended_ms,omitempty"`
	Ended     *clew.Outcome `json:"ended,omitempty"`    // how it ended, nil as long as it goes on
	SpentMS   int64         `json:"spent_ms,omitempty"` // of work, up to SinceMS
	SinceMS   int64         `json:"since_ms,omitempty"` // when work was last taken up, 0 if it waits
	Extended  int           `json:"extended,omitempty"` // how often people allowed as much of its own budget again
	Decisions []Decision    `json:"decisions,omitempty"`
	Reports   []clew.Report `json:"reports,omitempty"`

	places map[string]int // of the todos, shared by copies; nil until the next step after a load
}

// Asked is an open question about a todo.
type Asked struct {
	RequestID clew.RequestID `json:"request_id"`
	Failed    bool           `json:"failed,omitempty"` // what to do about its failure; else whether it may cost
}

// A Decision is what people decided about a run.
type Decision struct {
	AtMS      int64           `json:"at_ms"`
	Question  string          `json:"question"`
	Action    clew.Resolution `json:"action"`
	By        clew.UserID     `json:"by,omitempty"`
	Comment   string          `json:"comment,omitempty"`
	ByTimeout bool            `json:"by_timeout,omitempty"`
}

const decisionsKept = 100

// IDOf names the run that a task carries.
func IDOf(task clew.TaskID) string { return "run_" + trim(string(task)) }

// PlanIDOf names its plan.
func PlanIDOf(task clew.TaskID) string { return "plan_" + trim(string(task)) }

func trim(id string) string {
	if len(id) > 5 && id[:5] == "task_" {
		return id[5:]
	}
	return id
}

// Clone copies all that Apply changes.
func (r *Run) Clone() *Run {
	c := *r
	c.Todos = slices.Clone(r.Todos)
	c.Asked = cloneMap(r.Asked)
	c.Allowed = cloneMap(r.Allowed)
	c.Decisions = slices.Clip(r.Decisions)
	return &c
}

func cloneMap[K comparable, V any](m map[K]V) map[K]V {
	if m == nil {
		return nil
	}
	c := make(map[K]V, len(m))
	for k, v := range m {
		c[k] = v
	}
	return c
}

// Apply folds one record of the run. It is total.
func (r *Run) Apply(data any, ts int64) {
	switch d := data.(type) {
	case *clew.LayerStartData:
		r.Layer, r.LayerMS = d.Layer, ts
		r.Phase = map[clew.Layer]Phase{
			clew.LayerCognitive: Understanding, clew.LayerPlanning: Planning, clew.LayerExecution: Executing, clew.LayerResponse: Responding,
		}[d.Layer]
	case *clew.LayerCompleteData:
		if d.Result != nil && d.Layer == clew.LayerCognitive {
			r.Intent, r.Entities = d.Result.Intent, d.Result.Entities
		}
	case *clew.PlanGeneratedData:
		r.PlanID, r.Version, r.Status, r.Todos = d.PlanID, d.Version, d.Status, slices.Clone(d.Todos)
		r.places = plan.Places(r.Todos)
	case *clew.PlanModifiedData:
		r.modified(d)
	case *clew.PlanApprovedData:
		r.Status, r.Phase, r.Edits = clew.PlanApproved, Executing, nil
	case *clew.PlanRejectedData:
		r.Status = clew.PlanRejected
	case *clew.HitlPausedData:
		if !r.Paused {
			r.PausedMS = ts
		}
		r.Paused, r.PausedWhy = true, d.Reason
	case *clew.HitlResumedData:
		r.Paused, r.PausedMS, r.PausedWhy = false, 0, ""
	case *clew.CompleteData:
		r.end(Completed, ts)
		r.Reports, r.Ended = d.Reports, &clew.Outcome{Status: clew.OutcomeDone}
	case *clew.FailedData:
		r.end(Failed, ts)
		if r.Ended = d.Outcome; r.Ended == nil { // of an old record
			r.Ended = &clew.Outcome{Status: clew.OutcomeFailed, WhyCode: clew.EndFailed, Message: d.Error.Message}
		}
	case *clew.CancelledData:
		r.end(Cancelled, ts)
		if r.Ended = d.Outcome; r.Ended == nil {
			r.Ended = &clew.Outcome{Status: clew.OutcomeCancelled, WhyCode: clew.EndCancelled, Message: d.Reason}
		}
	default:
		if r.places == nil {
			r.places = plan.Places(r.Todos)
		}
		r.applyTodo(data, ts)
	}
}

// editsKept bounds what is remembered of people's edits.
const editsKept = 200

// modified takes a new version. A todo that changed has no approval any more.
func (r *Run) modified(d *clew.PlanModifiedData) {
	todos := slices.Clone(d.UpdatedTodos)
	for i := range todos {
		if old := plan.Find(r.Todos, todos[i].ID); old != nil && todos[i].Status == clew.TodoCompleted {
			todos[i].ResultSummary = old.ResultSummary
		}
	}
	r.Version, r.Todos, r.Status, r.places = d.NewVersion, todos, clew.PlanPendingApproval, plan.Places(todos)
	if len(d.Edits) > 0 {
		r.Edits = append(slices.Clip(r.Edits), d.Edits...)
		r.Edits = r.Edits[max(0, len(r.Edits)-editsKept):]
	}
	for _, c := range d.Changes {
		delete(r.Allowed, c.TodoID)
	}
}

// Lean gives the todos without their results, as new versions of a plan carry
// them: those of a long plan would not fit one record.
func Lean(todos []clew.Todo) []clew.Todo {
	lean := slices.Clone(todos)
	for i := range lean {
		lean[i].ResultSummary = nil
	}
	return lean
}

func (r *Run) end(p Phase, ts int64) {
	r.Tick(ts, false)
	r.Phase, r.Paused, r.PausedMS, r.PausedWhy, r.EndedMS, r.Review, r.Asked = p, false, 0, "", ts, "", nil
	for i := range r.Todos { // nobody is at work on them any more
		if t := &r.Todos[i]; t.Status == clew.TodoInProgress {
			t.Status, t.CurrentStep, t.ProgressPercentage = clew.TodoPending, "", 0
		}
	}
}

func (r *Run) applyTodo(data any, ts int64) {
	switch d := data.(type) {
	case *clew.TodoStartedData:
		r.change(d.TodoID, func(t *clew.Todo) {
			t.Status, t.TaskID, t.StartedMS, t.ProgressPercentage, t.CurrentStep, t.Error = clew.TodoInProgress, d.TaskID, ts, 0, "", nil
		})
	case *clew.TodoProgressData:
		r.change(d.TodoID, func(t *clew.Todo) {
			t.ProgressPercentage, t.CurrentStep = d.ProgressPercentage, d.CurrentStep
		})
	case *clew.TodoCompletedData:
		r.change(d.TodoID, func(t *clew.Todo) {
			t.Status, t.ResultSummary, t.DurationMS, t.ProgressPercentage, t.CurrentStep = clew.TodoCompleted, d.ResultSummary, d.DurationMS, 100, ""
		})
	case *clew.TodoFailedData:
		r.change(d.TodoID, func(t *clew.Todo) {
			failure := d.Error
			t.Status, t.Error, t.DurationMS, t.CurrentStep = clew.TodoFailed, &failure, 0, ""
			if t.StartedMS > 0 { // else it was refused before it began
				t.DurationMS = max(0, ts-t.StartedMS)
			}
		})
	case *clew.TodoRetriedData:
		r.change(d.TodoID, func(t *clew.Todo) {
			t.Status, t.RetryCount, t.TaskID, t.ProgressPercentage = clew.TodoPending, d.RetryCount, "", 0
		})
	case *clew.TodoSkippedData:
		r.change(d.TodoID, func(t *clew.Todo) { t.Status, t.CurrentStep = clew.TodoSkipped, "" })
	}
}

func (r *Run) change(id string, fn func(*clew.Todo)) {
	if t := plan.Find(r.Todos, id); t != nil {
		fn(t)
	}
}

// Opened folds a question of the run, or of one of its todos' agents.
func (r *Run) Opened(q clew.Question) {
	a := q.Asking()
	if a.TaskID != r.TaskID {
		return
	}
	switch d := q.Data.(type) {
	case *clew.HitlPlanReviewData:
		r.Review, r.Phase, r.Status, r.Call = a.RequestID, Review, clew.PlanPendingApproval, a.ToolCallID
	case *clew.HitlApprovalRequestData:
		if a.TodoID != "" {
			if r.Asked == nil {
				r.Asked = map[string]Asked{}
			}
			r.Asked[a.TodoID] = Asked{RequestID: a.RequestID, Failed: d.Limit == LimitRetries}
		}
	}
}

// The limits of a run, as the limit field of its questions names them.
const (
	LimitRetries = "retries" // a todo failed for good
	LimitTime    = "time"    // the run's time is used up
)

// Settled folds the end of a question.
func (r *Run) Settled(q clew.Question, d *clew.HitlResolvedData, ts int64) {
	a := q.Asking()
	r.decided(q, d, ts)
	if ap, ok := q.Data.(*clew.HitlApprovalRequestData); ok && ap.OwnLimit && d.Action == clew.ResolvedApprove {
		r.Extended += max(ap.Raise, 1)
	}
	if r.Phase.Ended() || a.TaskID != r.TaskID {
		return
	}
	switch {
	case a.RequestID == r.Review:
		r.Review = ""
		if d.Action == clew.ResolvedModify && d.Instruction != "" {
			r.Phase = Planning
		}
	case q.Type == clew.EventHitlClarification && d.Action == clew.ResolvedAnswer:
		if text, ok := d.Value.(string); ok && text != "" {
			r.Request += "\n\n" + q.Data.(*clew.HitlClarificationData).Question + "\n" + text
		}
	case a.TodoID != "" && r.Asked[a.TodoID].RequestID == a.RequestID:
		if !r.Asked[a.TodoID].Failed && d.Action == clew.ResolvedApprove {
			if r.Allowed == nil {
				r.Allowed = map[string]bool{}
			}
			r.Allowed[a.TodoID] = true
		}
		delete(r.Asked, a.TodoID)
	}
}

// decided keeps what people said, for the report.
func (r *Run) decided(q clew.Question, d *clew.HitlResolvedData, ts int64) {
	if d.Action == clew.ResolvedCancelled && !d.ByTimeout || len(r.Decisions) >= decisionsKept {
		return
	}
	comment := d.Comment
	if d.Instruction != "" {
		comment = d.Instruction
	}
	if text, ok := d.Value.(string); ok && text != "" {
		comment = text
	}
	r.Decisions = append(slices.Clip(r.Decisions), Decision{
		AtMS: ts, Question: clew.Clip(words(q), 300), Action: d.Action, By: d.ResolvedBy, Comment: clew.Clip(comment, 300), ByTimeout: d.ByTimeout,
	})
}

func words(q clew.Question) string {
	switch d := q.Data.(type) {
	case *clew.HitlPlanReviewData:
		return d.Message
	case *clew.HitlApprovalRequestData:
		return d.Reason
	case *clew.HitlInputRequestData:
		return d.Question
	case *clew.HitlClarificationData:
		return d.Question
	}
	return ""
}

// Tick counts the time of work: from now on it goes on, or waits.
func (r *Run) Tick(ts int64, working bool) {
	switch {
	case working && r.SinceMS == 0:
		r.SinceMS = ts
	case !working && r.SinceMS > 0:
		r.SpentMS, r.SinceMS = r.SpentMS+max(0, ts-r.SinceMS), 0
	}
}

// Skip leaves out a time in which the run's clocks stood still: its session was
// taken back to before it.
func (r *Run) Skip(ms int64) {
	for _, at := range []*int64{&r.StartedMS, &r.LayerMS, &r.SinceMS, &r.PausedMS} {
		if *at > 0 {
			*at += ms
		}
	}
	for i := range r.Todos {
		if t := &r.Todos[i]; t.Status == clew.TodoInProgress && t.StartedMS > 0 {
			t.StartedMS += ms
		}
	}
}

// Worked is how long the run has worked, in ms.
func (r *Run) Worked(now int64) int64 {
	if r.SinceMS == 0 {
		return r.SpentMS
	}
	return r.SpentMS + max(0, now-r.SinceMS)
}
