package client

import (
	"slices"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/wire"
)

// A View keeps a session's state up to date from the envelopes that Follow
// yields. The zero value is ready. It belongs to one goroutine.
//
// session_state replaces all of it. A replayed record that the snapshot holds
// already changes nothing: it would set the state back.
type View struct {
	State clew.SessionState
	Known bool // a session_state came

	seq uint64 // the newest record in State
}

// viewTail is how many messages a view holds, as many as a snapshot has.
const viewTail = 200

// Apply takes an envelope in and reports whether the view knows what to do
// with its type. Types without a meaning for the view are left to the caller.
func (v *View) Apply(env wire.Envelope) (handled bool) {
	ev, err := clew.DecodeEvent(clew.EventType(env.Type), env.Data)
	if err != nil {
		return false // newer than this client
	}
	if s, ok := ev.Data.(*clew.SessionState); ok {
		v.replace(s)
		return true
	}
	if seq := env.Seq(); seq > 0 {
		if seq <= v.seq {
			return true
		}
		v.seq = seq
		v.State.LastMessageID = clew.MessageIDOf(seq)
	}
	return v.queue(ev, msOf(env)) || v.session(ev) || v.run(ev) || v.question(ev)
}

// msOf is an envelope's time in Unix ms, 0 if it has none.
func msOf(env wire.Envelope) int64 {
	at, err := time.Parse(time.RFC3339, env.Timestamp)
	if err != nil {
		return 0
	}
	return at.UnixMilli()
}

func (v *View) replace(s *clew.SessionState) {
	v.State, v.Known = *s, true
	v.seq = 0
	if seq, err := s.LastMessageID.Seq(); err == nil {
		v.seq = seq
	}
}

func (v *View) session(ev clew.Event) bool {
	switch d := ev.Data.(type) {
	case *clew.SessionRenamedData:
		v.State.Title = d.Title
	case *clew.SessionArchivedData:
		v.State.Archived = d.Archived
	case *clew.MessageCreatedData:
		v.message(d.Message)
	case *clew.MessageUpdatedData:
		v.message(d.Message)
	case *clew.AgentResponseData:
		v.grow(d)
	default:
		return false
	}
	return true
}

// message adds a message or puts a newer form in its place.
func (v *View) message(m clew.Message) {
	same := func(o clew.Message) bool { return o.MessageID == m.MessageID }
	if i := slices.IndexFunc(v.State.Messages, same); i >= 0 {
		v.State.Messages[i] = m
	} else {
		v.State.Messages = append(v.State.Messages, m)
	}
	if extra := len(v.State.Messages) - viewTail; extra > 0 {
		v.State.Messages = slices.Delete(v.State.Messages, 0, extra)
	}
	open := func(o clew.OpenMessage) bool { return o.MessageID == m.MessageID }
	v.State.OpenMessages = slices.DeleteFunc(v.State.OpenMessages, open)
	if m.Partial {
		v.State.OpenMessages = append(v.State.OpenMessages, clew.OpenMessage{
			MessageID: m.MessageID, ReplyTo: m.ReplyTo, AgentID: m.AgentID, MonitorID: m.MonitorID,
			Text: m.Text, Reasoning: m.Reasoning,
		})
	}
}

// grow adds streamed text. A delta that does not fit the text so far is left
// out: message_updated will bring the whole of it.
func (v *View) grow(d *clew.AgentResponseData) {
	for i := range v.State.OpenMessages {
		if m := &v.State.OpenMessages[i]; m.MessageID == d.MessageID && d.Offset <= len(m.Text) {
			m.Text = m.Text[:d.Offset] + d.Delta
		}
	}
}

func (v *View) run(ev clew.Event) bool {
	switch d := ev.Data.(type) {
	case *clew.LayerStartData:
		v.State.CurrentLayer = d.Layer
	case *clew.PlanGeneratedData:
		v.State.Plan = &clew.PlanSummary{ID: d.PlanID, Status: d.Status, Version: d.Version, TotalTodos: len(d.Todos)}
		v.State.Todos = d.Todos
	case *clew.PlanModifiedData:
		v.modified(d)
	case *clew.PlanApprovedData:
		v.planStatus(clew.PlanApproved)
		v.State.Status = clew.StatusExecuting
	case *clew.PlanRejectedData:
		v.planStatus(clew.PlanRejected)
	case *clew.HitlPausedData:
		v.State.Status = clew.StatusPaused
	case *clew.HitlResumedData:
		v.State.Status = clew.StatusExecuting
	case *clew.CompleteData:
		v.ended(clew.StatusCompleted)
	case *clew.FailedData:
		v.ended(clew.StatusFailed)
	case *clew.CancelledData:
		v.ended(clew.StatusCancelled)
	default:
		return v.todos(ev)
	}
	return true
}

func (v *View) todos(ev clew.Event) bool {
	switch d := ev.Data.(type) {
	case *clew.TodoStartedData:
		v.todo(d.TodoID, func(t *clew.Todo) {
			t.Status, t.TaskID, t.Error, t.ProgressPercentage = clew.TodoInProgress, d.TaskID, nil, 0
		})
	case *clew.TodoProgressData:
		v.todo(d.TodoID, func(t *clew.Todo) {
			t.ProgressPercentage, t.CurrentStep = d.ProgressPercentage, d.CurrentStep
		})
	case *clew.TodoCompletedData:
		v.todo(d.TodoID, func(t *clew.Todo) {
			t.Status, t.ResultSummary, t.DurationMS, t.ProgressPercentage = clew.TodoCompleted, d.ResultSummary, d.DurationMS, 100
		})
	case *clew.TodoFailedData:
		v.todo(d.TodoID, func(t *clew.Todo) {
			failure := d.Error
			t.Status, t.RetryCount, t.Error = clew.TodoFailed, d.RetryCount, &failure
		})
	case *clew.TodoRetriedData:
		v.todo(d.TodoID, func(t *clew.Todo) { t.Status, t.RetryCount = clew.TodoPending, d.RetryCount })
	case *clew.TodoSkippedData:
		v.todo(d.TodoID, func(t *clew.Todo) { t.Status = clew.TodoSkipped })
	default:
		return false
	}
	return true
}

// modified takes a new version of the plan, which does not repeat the results.
func (v *View) modified(d *clew.PlanModifiedData) {
	results := map[string]any{}
	for _, t := range v.State.Todos {
		results[t.ID] = t.ResultSummary
	}
	v.State.Todos = d.UpdatedTodos
	for i := range v.State.Todos {
		if t := &v.State.Todos[i]; t.Status == clew.TodoCompleted && t.ResultSummary == nil {
			t.ResultSummary = results[t.ID]
		}
	}
	if v.State.Plan == nil {
		return
	}
	next := *v.State.Plan
	next.Version, next.TotalTodos = d.NewVersion, len(d.UpdatedTodos)
	if d.RunID != "" { // people look at it first
		next.Status = clew.PlanPendingApproval
	}
	v.State.Plan = &next
}

func (v *View) planStatus(s clew.PlanStatus) {
	if v.State.Plan != nil {
		next := *v.State.Plan
		next.Status = s
		v.State.Plan = &next
	}
}

func (v *View) todo(id string, change func(*clew.Todo)) {
	for i := range v.State.Todos {
		if v.State.Todos[i].ID == id {
			change(&v.State.Todos[i])
		}
	}
}

func (v *View) ended(s clew.SessionStatus) { v.State.Status, v.State.CurrentLayer = s, "" }

// question keeps the oldest open question in HitlPending, the others behind it.
func (v *View) question(ev clew.Event) bool {
	if d, ok := ev.Data.(*clew.HitlResolvedData); ok {
		v.settled(d.RequestID)
		return true
	}
	if !slices.Contains(clew.QuestionTypes, ev.Type) {
		return false
	}
	q := clew.Question(ev)
	if v.State.HitlPending == nil {
		v.State.HitlPending = &q
	} else {
		v.State.HitlQueue = append(v.State.HitlQueue, q)
	}
	return true
}

func (v *View) settled(id clew.RequestID) {
	v.State.HitlQueue = slices.DeleteFunc(v.State.HitlQueue, func(q clew.Question) bool { return q.RequestID() == id })
	if v.State.HitlPending == nil || v.State.HitlPending.RequestID() != id {
		return
	}
	v.State.HitlPending = nil
	if len(v.State.HitlQueue) > 0 {
		first := v.State.HitlQueue[0]
		v.State.HitlPending, v.State.HitlQueue = &first, v.State.HitlQueue[1:]
	}
}

// queue keeps what waits for the agent. The events that also concern the
// transcript are left to session.
func (v *View) queue(ev clew.Event, ts int64) bool {
	at := func(id clew.MessageID) int {
		return slices.IndexFunc(v.State.Queue, func(q clew.QueuedMessage) bool { return q.MessageID == id })
	}
	switch d := ev.Data.(type) {
	case *clew.MessageQueuedData:
		v.waits(d, ts)
		return true
	case *clew.MessageAcceptedData:
		if i := at(d.MessageID); i >= 0 {
			v.State.Queue = slices.Delete(v.State.Queue, i, i+1)
		}
		return true
	case *clew.MessageCreatedData:
		if i := at(d.Message.QueuedAs); i >= 0 {
			v.State.Queue = slices.Delete(v.State.Queue, i, i+1)
		}
	case *clew.MessageUpdatedData:
		if i := at(d.Message.MessageID); i >= 0 {
			v.State.Queue[i].Text, v.State.Queue[i].Images = d.Message.Text, d.Message.Images
		}
	case *clew.QueueChangedData:
		if e := d.Edited; e != nil {
			if i := at(e.MessageID); i >= 0 {
				v.State.Queue[i].Text, v.State.Queue[i].Images = e.Text, e.Images
			}
		}
		var next clew.List[clew.QueuedMessage]
		for _, id := range d.Queue {
			if i := at(id); i >= 0 {
				next = append(next, v.State.Queue[i])
			}
		}
		v.State.Queue = next
		v.State.Messages = slices.DeleteFunc(v.State.Messages, func(m clew.Message) bool { return m.MessageID == d.Removed })
		return true
	}
	return false
}

func (v *View) waits(d *clew.MessageQueuedData, ts int64) {
	q := clew.QueuedMessage{
		MessageID: d.MessageID, MonitorID: d.MonitorID, Mode: d.Mode, NewTask: d.NewTask, ClientMessageID: d.ClientMessageID,
		Text: d.Text, Images: d.Images, TaskID: d.TaskID, UserID: d.UserID, TS: ts,
	}
	for _, m := range v.State.Messages { // in older journals it is there already
		if m.MessageID == d.MessageID {
			q.Text, q.Images, q.TaskID, q.UserID, q.TS = m.Text, m.Images, m.TaskID, m.UserID, m.TS
		}
	}
	v.State.Queue = append(v.State.Queue, q)
}
