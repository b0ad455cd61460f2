package agent

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/session"
	"github.com/clew-run/clew/internal/tool/summary"
)

// recorder puts the events of one batch together.
type recorder struct {
	w     *worker
	tx    *session.Tx
	s     *session.State
	t     *session.Task
	asked bool
	total *clew.Usage // the task's usage, if this batch changes it
}

var yesNo = clew.List[clew.Choice]{clew.ChoiceApprove, clew.ChoiceReject}

// say puts a message into the transcript.
func (r *recorder) say(m clew.Message) clew.MessageID {
	if m.Type == "" {
		m.Type = clew.TypeSay
	}
	if m.Role == "" {
		m.Role = clew.SpeakerAssistant
	}
	m.AgentID, m.MonitorID = r.t.AgentID, clew.MainMonitor
	if m.TaskID == "" {
		m.TaskID = r.t.TaskID
	}
	return r.tx.Say(m)
}

// update puts messages of the transcript on record as they are now.
func (r *recorder) update(list []clew.Message) {
	for _, m := range list {
		r.tx.Update(m)
	}
}

// ask puts a question to people. A task changes its state once for a batch.
func (r *recorder) ask(q clew.HitlApprovalRequestData) {
	q.Reason = visible(q.Reason)
	session.OfRun(r.s, r.t, &q.Asking, r.s.RunRules().ApprovalSec)
	n := r.tx.Len()
	session.Ask(r.tx, r.s, r.t, q)
	r.once(n)
}

// once drops what a question that began at event n says of the task's state, if
// one before it in this batch has said it.
func (r *recorder) once(n int) {
	if r.asked {
		r.tx.Truncate(n + 2)
	}
	r.asked = true
}

// followup puts the model's own question to people.
func (r *recorder) followup(c session.Call, in controlInput) {
	q := clew.HitlInputRequestData{
		Ask: clew.AskFollowup, Field: "answer", Question: in.Question, Asking: clew.Asking{ToolCallID: c.ID}, InputType: clew.InputText, Required: true,
	}
	session.OfRun(r.s, r.t, &q.Asking, r.s.RunRules().InputSec)
	for _, o := range in.Options {
		q.InputType = clew.InputChoice
		q.Options = append(q.Options, clew.InputOption{Value: o, Label: o})
	}
	n := r.tx.Len()
	session.AskInput(r.tx, r.s, r.t, q)
	r.once(n)
}

// begin records that a call is about to run, with the approval it uses up or the
// rule that stands for one.
func (r *recorder) begin(p *planned, by clew.AllowedBy) {
	c, id := p.call, p.call.MessageID
	var effect *clew.Effect
	if p.action != nil {
		effect = &p.action.Effect
	}
	if id == "" && effect != nil {
		id = r.say(clew.Message{
			Type: clew.TypeAsk, Ask: r.w.askMessage(c.ID), Text: callText(c), Summary: summary.Input(c.Tool, c.Input),
			ToolCallID: c.ID, IsAnswered: true,
		})
	}
	d := &clew.ToolProgressData{
		ToolCallID: c.ID, Tool: c.Tool, Status: clew.ToolRunning, AgentID: r.t.AgentID, TaskID: r.t.TaskID,
		MonitorID: clew.MainMonitor, MessageID: id, Summary: summary.Input(c.Tool, c.Input), Class: p.spec.Class, Effect: effect,
		Title: visible(clipLine(p.title, 200)), RequestID: c.RequestID,
	}
	if by != (clew.AllowedBy{}) {
		d.AllowedBy = &by
	}
	r.tx.Add(d)
}

// callText is a call as the transcript shows it.
func callText(c session.Call) string {
	b, err := json.Marshal(struct {
		Tool  string          `json:"tool"`
		Input json.RawMessage `json:"input,omitempty"`
	}{c.Tool, c.Input})
	if err != nil {
		return c.Tool
	}
	return visible(string(b))
}

// result ends a call of the agent's own.
func (r *recorder) result(c session.Call, text string, mistake bool) {
	d := &clew.ToolProgressData{
		ToolCallID: c.ID, Tool: c.Tool, Status: clew.ToolComplete, AgentID: r.t.AgentID, TaskID: r.t.TaskID,
		MonitorID: clew.MainMonitor, MessageID: c.MessageID, Output: text, Summary: summary.Output(text), Mistake: mistake,
	}
	if mistake {
		d.Status, d.Error = clew.ToolError, text
	}
	r.tx.Add(d)
	if mistake {
		r.tx.Add(&clew.TaskToolFailedData{TaskRef: r.t.TaskRef, Tool: c.Tool, Error: text, ToolCallID: c.ID})
	}
}

// complete ends the task well, unless somebody spoke meanwhile: then the model
// hears that first.
func (r *recorder) complete(c session.Call, text string, data map[string]any) {
	if len(r.t.Inbox) > 0 {
		r.result(c, "Not yet: the user said something meanwhile. Take it into account.", false)
		return
	}
	for _, other := range r.t.Calls { // a second end: nothing outlives the first
		if other.ID != c.ID && other.Status != session.CallDone {
			r.result(other, "Not done: the task is complete.", false)
		}
	}
	r.result(c, "The task is complete.", false)
	r.say(clew.Message{Say: clew.SayCompletionResult, Text: text, ToolCallID: c.ID})
	r.end(text, data, counted(r.t, c.Tool))
}

// end ends the task with its answer. A parent that waits gets it.
func (r *recorder) end(text string, data map[string]any, usage map[string]clew.ToolUsage) {
	if r.t.ParentTaskID == "" {
		tree := r.s.TreeUsage(r.t.RootTaskID)
		r.tx.Add(&clew.CompleteData{
			Status: clew.ResultSuccess, Response: clew.Response{Text: text, Format: clew.FormatMarkdown},
			Statistics: clew.Statistics{
				TotalTodos: len(r.t.Todos), Completed: done(r.t.Todos, clew.TodoCompleted), Failed: done(r.t.Todos, clew.TodoFailed),
				Skipped: done(r.t.Todos, clew.TodoSkipped), ExecutionTimeMS: r.tx.NextTS() - r.t.CreatedMS,
				TokensUsed: tokens(tree), CostUSD: tree.CostUSD,
			},
			TaskID: r.t.TaskID,
		})
	}
	used := r.t.Usage
	if r.total != nil {
		used = *r.total
	}
	r.tx.Add(&clew.TaskCompletedData{TaskRef: r.t.TaskRef, TokenUsage: used, ToolUsage: usage, ResultSummary: text})
	if r.t.ParentTaskID == "" {
		return
	}
	if r.t.TodoID == "" { // a todo's result is in todo_completed
		r.say(clew.Message{Say: clew.SaySubtaskResult, Text: text, TaskID: r.t.ParentTaskID, ToolCallID: r.t.ToolCallID})
	}
	session.Return(r.tx, r.s, r.t, text, data)
}

func done(todos []clew.Todo, status clew.TodoStatus) (n int) {
	for _, t := range todos {
		if t.Status == status {
			n++
		}
	}
	return n
}

// counted is the task's use of tools with one more call that went well.
func counted(t *session.Task, name string) map[string]clew.ToolUsage {
	usage := map[string]clew.ToolUsage{}
	for k, v := range t.ToolUsage {
		usage[k] = v
	}
	u := usage[name]
	u.Attempts++
	usage[name] = u
	return usage
}

// todos writes the list of steps down: a plan that nobody has to review.
func (r *recorder) todos(c session.Call, in controlInput) {
	var todos clew.List[clew.Todo]
	for i, t := range in.Todos {
		if t.ID == "" {
			t.ID = fmt.Sprint(i + 1)
		}
		if !slices.Contains(clew.TodoStatus("").Values(), string(t.Status)) {
			t.Status = clew.TodoPending
		}
		todos = append(todos, clew.Todo{ID: t.ID, Task: t.Task, Status: t.Status, Priority: len(in.Todos) - i})
	}
	if r.t.PlanID == "" {
		r.tx.Add(&clew.PlanGeneratedData{
			PlanID: "plan_" + string(r.t.TaskID), Version: 1, Status: clew.PlanApproved, TaskID: r.t.TaskID,
			Plan: clew.Plan{Todos: todos, DependencyGraph: map[string]clew.List[string]{}},
		})
	} else {
		r.tx.Add(&clew.PlanModifiedData{
			PlanID: r.t.PlanID, OldVersion: r.t.PlanVersion, NewVersion: r.t.PlanVersion + 1, TaskID: r.t.TaskID,
			Changes: changes(r.t.Todos, todos), UpdatedTodos: todos,
		})
	}
	r.result(c, fmt.Sprintf("%d of %d steps are done.", done(todos, clew.TodoCompleted), len(todos)), false)
}

func changes(old, now []clew.Todo) clew.List[clew.PlanChange] {
	var list clew.List[clew.PlanChange]
	before := map[string]clew.Todo{}
	for _, t := range old {
		before[t.ID] = t
	}
	for _, t := range now {
		was, ok := before[t.ID]
		delete(before, t.ID)
		switch {
		case !ok:
			list = append(list, clew.PlanChange{Action: clew.PlanAdd, TodoID: t.ID, Task: t.Task})
		case was.Task != t.Task || was.Status != t.Status:
			list = append(list, clew.PlanChange{Action: clew.PlanUpdate, TodoID: t.ID, Task: t.Task})
		}
	}
	for _, t := range old {
		if _, gone := before[t.ID]; gone {
			list = append(list, clew.PlanChange{Action: clew.PlanRemove, TodoID: t.ID, Task: t.Task})
		}
	}
	return list
}
