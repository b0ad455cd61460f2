package view

import (
	"bytes"
	"slices"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/session/core"
)

// A StepKind says what a part of the history is.
type StepKind string

// The kinds of steps.
const (
	StepRequest StepKind = "request" // a person asked for something
	StepPlanned StepKind = "step"    // a step of a plan, or of the agent's own list
	StepSubtask StepKind = "subtask" // the agent had another one do a part
)

// A StepStatus says how a part of the history stands.
type StepStatus string

// The statuses of steps, from what somebody has to look at to what nobody has.
const (
	StepAsking  StepStatus = "asking"
	StepFailed  StepStatus = "failed"
	StepRunning StepStatus = "running"
	StepStopped StepStatus = "stopped"
	StepDone    StepStatus = "done"
)

var stepWeights = []StepStatus{StepAsking, StepFailed, StepRunning, StepStopped, StepDone}

// A Step is a part of a session's history that has a name. It reaches to where the next
// one begins.
type Step struct {
	MessageID clew.MessageID `json:"message_id" doc:"The record that it begins with"`
	TS        int64          `json:"ts"`
	Kind      StepKind       `json:"kind" enum:"request,step,subtask"`
	Title     string         `json:"title"`
	Status    StepStatus     `json:"status" enum:"asking,failed,running,stopped,done"`
	Count     int            `json:"count,omitempty" doc:"How many are put together here, if there are too many for one each; title is that of the first, status the weightiest"`
}

const stepsMax = 40

// stepBuilder finds the steps in the records of a session, in order.
type stepBuilder struct {
	steps    []Step
	requests []int                  // that are under way
	tasks    map[clew.TaskID]int    // the step that a task carries out
	todos    map[string]int         // those of agents' own lists, by task and todo
	asked    map[clew.RequestID]int // steps with an open question
}

func (b *stepBuilder) begin(r clew.Record, kind StepKind, title string) int {
	b.steps = append(b.steps, Step{MessageID: r.MessageID(), TS: r.TS, Kind: kind, Title: core.PlainLine(title, markRunes), Status: StepRunning})
	return len(b.steps) - 1
}

// end settles a step that is under way.
func (b *stepBuilder) end(i int, status StepStatus) {
	if s := &b.steps[i]; s.Status == StepRunning || s.Status == StepAsking {
		s.Status = status
	}
}

// add takes in a record. Only what it is about is decoded.
func (b *stepBuilder) add(r clew.Record) error {
	switch r.Type {
	case clew.EventMessageCreated:
		if !bytes.Contains(r.Data(), []byte(`"role":"user"`)) {
			return nil
		}
	case clew.EventTaskCreated, clew.EventTaskIdle, clew.EventTaskCompleted, clew.EventTaskAborted, clew.EventPlanGenerated, clew.EventPlanModified,
		clew.EventHitlResolved, clew.EventComplete, clew.EventFailed, clew.EventCancelled:
	default:
		if !IsAsking(r.Type) {
			return nil
		}
	}
	ev, err := clew.DecodeEvent(r.Type, r.Data())
	if err != nil {
		return err
	}
	if IsAsking(r.Type) {
		b.question((&clew.Question{Type: r.Type, Data: ev.Data}).Asking())
		return nil
	}
	b.take(r, ev.Data)
	return nil
}

func (b *stepBuilder) take(r clew.Record, data any) {
	switch d := data.(type) {
	case *clew.MessageCreatedData:
		if d.Message.Role == clew.SpeakerUser && d.Message.AgentID == "" {
			b.requests = append(b.requests, b.begin(r, StepRequest, d.Message.Text))
		}
	case *clew.TaskCreatedData:
		b.task(r, d)
	case *clew.TaskIdleData:
		if d.ParentTaskID == "" && d.RequestID == "" {
			b.endRequests(statusOf(d.Outcome))
		}
	case *clew.TaskCompletedData:
		b.endTask(d.TaskID, StepDone)
	case *clew.TaskAbortedData:
		b.endTask(d.TaskID, statusOf(d.Outcome))
	case *clew.PlanGeneratedData:
		b.own(r, d.RunID, d.TaskID, d.Todos)
	case *clew.PlanModifiedData:
		b.own(r, d.RunID, d.TaskID, d.UpdatedTodos)
	case *clew.HitlResolvedData:
		if i, ok := b.asked[d.RequestID]; ok && b.steps[i].Status == StepAsking {
			b.steps[i].Status = StepRunning
		}
	case *clew.CompleteData:
		b.endRequests(StepDone)
	case *clew.FailedData:
		b.endRequests(StepFailed)
	case *clew.CancelledData:
		b.endRequests(StepStopped)
	}
}

// task begins the step that a new task carries out. The work of a request is no step of
// its own.
func (b *stepBuilder) task(r clew.Record, d *clew.TaskCreatedData) {
	if b.tasks == nil {
		b.tasks = map[clew.TaskID]int{}
	}
	switch {
	case d.TodoID != "":
		b.tasks[d.TaskID] = b.begin(r, StepPlanned, d.Task)
	case d.ParentTaskID != "":
		b.tasks[d.TaskID] = b.begin(r, StepSubtask, d.Task)
	}
}

// own follows the list that an agent keeps of its own steps.
func (b *stepBuilder) own(r clew.Record, runID string, task clew.TaskID, todos []clew.Todo) {
	if runID != "" {
		return // the steps of a run have tasks
	}
	if b.todos == nil {
		b.todos = map[string]int{}
	}
	for _, t := range todos {
		key := string(task) + "/" + t.ID
		i, begun := b.todos[key]
		switch {
		case !begun && t.Status == clew.TodoInProgress:
			b.todos[key] = b.begin(r, StepPlanned, t.Task)
		case begun && t.Status == clew.TodoCompleted:
			b.end(i, StepDone)
		case begun && t.Status == clew.TodoFailed:
			b.end(i, StepFailed)
		case begun && t.Status == clew.TodoSkipped:
			b.end(i, StepStopped)
		}
	}
}

// question has the step ask that its task carries out, or else the last one.
func (b *stepBuilder) question(a *clew.Asking) {
	if a == nil || len(b.steps) == 0 {
		return
	}
	i, ok := b.tasks[a.TaskID]
	if !ok {
		i = len(b.steps) - 1
	}
	if b.asked == nil {
		b.asked = map[clew.RequestID]int{}
	}
	b.asked[a.RequestID] = i
	if b.steps[i].Status == StepRunning {
		b.steps[i].Status = StepAsking
	}
}

func (b *stepBuilder) endTask(id clew.TaskID, status StepStatus) {
	if i, ok := b.tasks[id]; ok {
		b.end(i, status)
		return
	}
	b.endRequests(status)
}

// endRequests settles what people asked for, and the steps of agents' own lists, which
// nobody works on any more.
func (b *stepBuilder) endRequests(status StepStatus) {
	for _, i := range b.requests {
		b.end(i, status)
	}
	for _, i := range b.todos {
		b.end(i, status)
	}
	b.requests = b.requests[:0]
}

func statusOf(o *clew.Outcome) StepStatus {
	switch {
	case o == nil || o.Status == clew.OutcomeDone:
		return StepDone
	case o.Status == clew.OutcomeFailed:
		return StepFailed
	}
	return StepStopped
}

// merged gives the steps, neighbours put together where there are more than most.
func (b *stepBuilder) merged(most int) []Step {
	each := (len(b.steps) + most - 1) / most
	if each <= 1 {
		return append([]Step{}, b.steps...)
	}
	var out []Step
	for some := range slices.Chunk(b.steps, each) {
		first := some[0]
		first.Count = len(some)
		for _, s := range some {
			if slices.Index(stepWeights, s.Status) < slices.Index(stepWeights, first.Status) {
				first.Status = s.Status
			}
		}
		out = append(out, first)
	}
	return out
}
