package decide

import (
	"fmt"
	"slices"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/session/core"
)

// AskConsent asks a person before one of the agent's own calls is carried out.
type AskConsent struct{ Question clew.HitlApprovalRequestData }

func (a AskConsent) decide(tx *Tx, s *core.State, t *core.Task) (Result, error) {
	r := recorder{tx: tx, s: s, t: t}
	r.ask(a.Question)
	return Result{}, nil
}

// AskValue puts the model's own question to people.
type AskValue struct{ Question clew.HitlInputRequestData }

func (a AskValue) decide(tx *Tx, s *core.State, t *core.Task) (Result, error) {
	ScopeToRun(s, t, &a.Question.Asking, s.RunRules().InputSec)
	return Result{Question: AskInput(tx, s, t, a.Question)}, nil
}

// CompleteTask ends the task well, unless somebody spoke meanwhile: then the model
// hears that first.
type CompleteTask struct {
	Call core.Call
	Text string
	Data map[string]any
}

const notYet = "Not yet: the user said something meanwhile. Take it into account."

func (c CompleteTask) decide(tx *Tx, s *core.State, t *core.Task) (Result, error) {
	r := recorder{tx: tx, s: s, t: t}
	if len(t.Inbox) > 0 {
		r.result(c.Call, notYet)
		return Result{}, nil
	}
	r.complete(c.Call, c.Text, "task")
	r.end(c.Text, c.Data, counted(t, c.Call.Tool))
	return Result{}, nil
}

// complete ends the call by which a task or a run is said to be done, and those
// beside it: nothing outlives it.
func (r *recorder) complete(c core.Call, text, what string) {
	for _, other := range r.t.Calls {
		if other.ID != c.ID && other.Status != core.CallDone {
			r.result(other, "Not done: the "+what+" is complete.")
		}
	}
	r.result(c, "The "+what+" is complete.")
	r.say(clew.Message{Say: clew.SayCompletionResult, Text: text, ToolCallID: c.ID})
}

// SetTodos writes the list of steps down: a plan that nobody has to review.
type SetTodos struct {
	Call  core.Call
	Todos clew.List[clew.Todo]
}

func (l SetTodos) decide(tx *Tx, s *core.State, t *core.Task) (Result, error) {
	r := recorder{tx: tx, s: s, t: t}
	if t.PlanID == "" {
		tx.Add(&clew.PlanGeneratedData{
			PlanID: "plan_" + string(t.TaskID), Version: 1, Status: clew.PlanApproved, TaskID: t.TaskID,
			Plan: clew.Plan{Todos: l.Todos, DependencyGraph: map[string]clew.List[string]{}},
		})
	} else {
		tx.Add(&clew.PlanModifiedData{
			PlanID: t.PlanID, OldVersion: t.PlanVersion, NewVersion: t.PlanVersion + 1, TaskID: t.TaskID,
			Changes: todoChanges(t.Todos, l.Todos), UpdatedTodos: l.Todos,
		})
	}
	r.result(l.Call, fmt.Sprintf("%d of %d steps are done.", countTodos(l.Todos, clew.TodoCompleted), len(l.Todos)))
	return Result{}, nil
}

func todoChanges(old, now []clew.Todo) clew.List[clew.PlanChange] {
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

// SwitchMode changes the mode that the task is worked on in.
type SwitchMode struct {
	Call core.Call
	Mode string
}

func (m SwitchMode) decide(tx *Tx, s *core.State, t *core.Task) (Result, error) {
	r := recorder{tx: tx, s: s, t: t}
	tx.Add(&clew.TaskModeSwitchedData{TaskRef: t.TaskRef, Mode: m.Mode})
	r.result(m.Call, "You are now in mode "+m.Mode+".")
	return Result{}, nil
}

// StartChild gives a call to a task of its own.
type StartChild struct {
	Plan CallPlan
	Text string
	Mode string
}

func (c StartChild) decide(tx *Tx, s *core.State, t *core.Task) (Result, error) {
	r := recorder{tx: tx, s: s, t: t}
	r.begin(c.Plan, clew.AllowedBy{})
	AddChild(tx, s, t, c.Plan.Call, c.Text, c.Mode)
	return Result{}, nil
}

// ChangeWindow does something about a window, or tells the model why it cannot be.
type ChangeWindow struct {
	Call core.Call
	Wish WindowWish
	Done string // what the model hears

	streamed streams
}

// With implements StreamedIntent: closing a window may end another agent's turn.
func (c ChangeWindow) With(texts streams) Intent {
	c.streamed = texts
	return c
}

func (c ChangeWindow) decide(tx *Tx, s *core.State, t *core.Task) (Result, error) {
	r := recorder{tx: tx, s: s, t: t}
	version, err := 0, s.ActionsRefused(t, tx.NextTS())
	if err == nil {
		version, err = ShowWindow(tx, s, t, c.Wish)
	}
	if err != nil {
		r.refuseFor(c.Call, err)
		return Result{}, nil
	}
	if c.Wish.Type == clew.ActionWindowClose {
		windowsClosed(tx, s, []string{c.Wish.ID}, t, c.streamed)
	}
	if version > 0 {
		c.Done += fmt.Sprintf(" It is at version %d.", version)
	}
	r.result(c.Call, c.Done)
	return Result{}, nil
}

// Notify shows a notice, or tells the model why it cannot be.
type Notify struct {
	Call        core.Call
	Title, Text string
}

func (n Notify) decide(tx *Tx, s *core.State, t *core.Task) (Result, error) {
	r := recorder{tx: tx, s: s, t: t}
	if err := ShowNotice(tx, t, n.Title, n.Text); err != nil {
		r.refuseFor(n.Call, err)
		return Result{}, nil
	}
	r.result(n.Call, "The notice is shown.")
	return Result{}, nil
}

// AnswerCall ends one of the agent's own calls with a text for the model.
type AnswerCall struct {
	Call          core.Call
	Text, Summary string
}

func (a AnswerCall) decide(tx *Tx, _ *core.State, t *core.Task) (Result, error) {
	tx.Add(&clew.ToolProgressData{
		ToolCallID: a.Call.ID, Tool: a.Call.Tool, Status: clew.ToolComplete, AgentID: t.AgentID, TaskID: t.TaskID,
		MonitorID: t.MonitorID, MessageID: a.Call.MessageID, Output: a.Text, Summary: a.Summary,
	})
	return Result{}, nil
}

// EndUnderstanding ends the cognitive layer of a run.
type EndUnderstanding struct {
	Call     core.Call
	Intent   clew.Intent
	Entities []clew.Entity
}

func (u EndUnderstanding) decide(tx *Tx, s *core.State, t *core.Task) (Result, error) {
	r := recorder{tx: tx, s: s, t: t}
	Understood(tx, s, t, u.Intent, u.Entities)
	r.result(u.Call, "Noted. Now make the plan.")
	return Result{}, nil
}

// Clarify asks what was meant.
type Clarify struct{ Question clew.HitlClarificationData }

func (c Clarify) decide(tx *Tx, s *core.State, t *core.Task) (Result, error) {
	c.Question.TimeoutSec = s.RunRules().ClarifySec
	AskClarification(tx, s, t, c.Question)
	return Result{}, nil
}

// TodoProgress says how far the todo has come that the task carries out.
type TodoProgress struct {
	Call     core.Call
	Progress clew.TodoProgressData
}

func (p TodoProgress) decide(tx *Tx, s *core.State, t *core.Task) (Result, error) {
	r := recorder{tx: tx, s: s, t: t}
	TodoProgressed(tx, s, t, p.Progress)
	r.result(p.Call, "Noted.")
	return Result{}, nil
}

// ProposePlan brings a plan before people. The todos were checked.
type ProposePlan struct {
	Call    core.Call
	Todos   []clew.Todo
	Message string
}

func (p ProposePlan) decide(tx *Tx, s *core.State, t *core.Task) (Result, error) {
	r := recorder{tx: tx, s: s, t: t}
	for _, other := range t.Calls { // a second plan would be taken for the answer to what people say about the first
		if other.ID != p.Call.ID && other.Tool == p.Call.Tool && other.Status != core.CallDone {
			r.result(other, "Not looked at: one plan at a time.")
		}
	}
	Planned(tx, s, t, p.Call.ID, slices.Clone(p.Todos), p.Message)
	return Result{}, nil
}

// CompleteRun ends the run well, unless somebody spoke meanwhile. Its reports are
// stored already.
type CompleteRun struct {
	Call     core.Call
	Response clew.Response
	Reports  []clew.Report
}

func (c CompleteRun) decide(tx *Tx, s *core.State, t *core.Task) (Result, error) {
	r := recorder{tx: tx, s: s, t: t}
	if len(t.Inbox) > 0 {
		r.result(c.Call, notYet)
		return Result{}, nil
	}
	r.complete(c.Call, c.Response.Text, "run")
	Responded(tx, s, t, c.Response, c.Reports)
	tx.Add(&clew.TaskCompletedData{TaskRef: t.TaskRef, TokenUsage: t.Usage, ToolUsage: counted(t, c.Call.Tool), ResultSummary: c.Response.Text})
	return Result{}, nil
}
