package decide

import (
	"fmt"
	"maps"
	"strings"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/plan"
	"github.com/clew-run/clew/internal/run"
	"github.com/clew-run/clew/internal/session/core"
)

// runStepper makes the events of a run's next steps, in one batch. It works on a
// copy of the run, to which each event is applied as it is made, so that one
// batch can hold any number of steps.
type runStepper struct {
	s               *core.State
	root            *core.Task
	run             *run.Run
	rules           run.Rules
	tx              *Tx
	reportedUpTo    int            // events after which the progress was last told
	settledQuestion clew.RequestID // a question that is settled in this batch already
	cut             bool           // as in closing
}

func stepRun(tx *Tx, s *core.State, root *core.Task) *runStepper {
	return &runStepper{s: s, root: root, run: root.Run.Clone(), rules: s.RunRules(), tx: tx, reportedUpTo: tx.Len()}
}

// add records a step of the run and folds it into the copy.
func (c *runStepper) add(data any) {
	c.run.Apply(data, c.tx.NextTS())
	c.tx.Add(data)
}

// settle folds the end of a question that is in the batch already.
func (c *runStepper) settle(q clew.Question, d *clew.HitlResolvedData) {
	c.settledQuestion = d.RequestID
	c.run.Settled(q, d, c.tx.NextTS())
}

// close settles an open question of the run.
func (c *runStepper) close(id clew.RequestID, action clew.Resolution, by clew.UserID, comment string) {
	c.resolve(&clew.HitlResolvedData{RequestID: id, Action: action, ResolvedBy: by, Comment: comment})
}

// withdraw settles an open question of the run that needs no answer any more.
func (c *runStepper) withdraw(id clew.RequestID, comment string, code clew.EndCode) {
	c.resolve(&clew.HitlResolvedData{RequestID: id, Action: clew.ResolvedCancelled, Comment: comment, WhyCode: code})
}

func (c *runStepper) resolve(d *clew.HitlResolvedData) {
	q := c.s.OpenQuestion(d.RequestID)
	if q == nil {
		return
	}
	d.TaskID, d.Scope = c.root.TaskID, c.run.Scope()
	c.settle(*q, d)
	c.tx.Add(d)
}

// advance starts what can start, asks what has to be asked, and ends the
// execution once all todos are settled.
func (c *runStepper) advance() {
	for _, t := range c.run.Start(c.rules) {
		c.start(t)
	}
	c.reportProgress()
	for _, t := range c.run.AskCost(c.rules) {
		c.askCost(t)
	}
	for _, t := range c.run.AskFailed() {
		c.askFailed(t)
	}
	if c.run.Executed() {
		c.finishExecution()
	}
}

// reportProgress says how far the plan has come, if that changed.
func (c *runStepper) reportProgress() {
	for _, e := range c.tx.Since(c.reportedUpTo) {
		switch e.Type {
		case clew.EventTodoStarted, clew.EventTodoCompleted, clew.EventTodoFailed, clew.EventTodoRetried, clew.EventTodoSkipped:
			c.add(c.run.Progress())
			c.reportedUpTo = c.tx.Len()
			return
		}
	}
}

// start hands a todo to a task of its own.
func (c *runStepper) start(t clew.Todo) {
	child := clew.TaskRef{TaskID: c.tx.taskID(c.s, 0), ParentTaskID: c.root.TaskID, RootTaskID: c.root.RootTaskID, MonitorID: c.root.MonitorID}
	c.add(&clew.TodoStartedData{
		TodoID: t.ID, Task: t.Task, Tool: t.Tool, EstimatedDurationSec: t.EstimatedDurationSec, TaskID: child.TaskID, Scope: c.run.Scope(),
	})
	brief := c.tx.Say(clew.Message{
		Type: clew.TypeSay, Say: clew.SayText, Role: clew.SpeakerUser, Text: c.todoPrompt(t), Summary: clew.Clip(t.Task, core.StepRunes),
		AgentID: c.root.AgentID, MonitorID: c.root.MonitorID, TaskID: child.TaskID,
	})
	c.tx.Add(&clew.TaskCreatedData{
		TaskRef: child, Task: clew.Clip(t.Task, core.TitleRunes*5), Mode: t.Mode, Profile: t.Profile, Workspace: c.s.Workspace,
		AgentID: clew.AgentID("task-" + string(child.TaskID)), RunID: c.run.ID, TodoID: t.ID,
	})
	c.tx.Add(&clew.TaskSpawnedData{TaskRef: c.root.TaskRef, ChildTaskID: child.TaskID, MessageID: brief})
	c.tx.Add(&clew.TaskStartedData{TaskRef: child})
	c.tx.Add(&clew.TaskActiveData{TaskRef: child})
}

// todoPrompt is what the agent of a todo is told: it knows nothing else.
func (c *runStepper) todoPrompt(t clew.Todo) string {
	var b strings.Builder
	fmt.Fprintf(&b, "You carry out one step of a plan. Do this step and nothing else.\n\nStep %s: %s\n", t.ID, t.Task)
	if t.Tool != "" && t.Tool != AnyTool {
		fmt.Fprintf(&b, "Tool meant for it: %s\n", t.Tool)
	}
	fmt.Fprintf(&b, "\nThe whole request, for orientation:\n%s\n", clew.Clip(c.run.Request, core.RequestRunes))
	for _, id := range t.DependsOn {
		if d := plan.Find(c.run.Todos, id); d != nil {
			fmt.Fprintf(&b, "\nStep %s before it (%s): %s\n", d.ID, d.Task, todoOutcome(*d))
		}
	}
	if t.Error != nil {
		fmt.Fprintf(&b, "\nThe last attempt at this step failed: %s\n", clew.Clip(t.Error.Message, core.ResultRunes))
	}
	for _, in := range c.root.Inbox {
		fmt.Fprintf(&b, "\nThe user said meanwhile: %s\n", clew.Clip(in.Text, core.ResultRunes))
	}
	return b.String()
}

// AnyTool stands in a todo that leaves the choice of tools to its agent.
const AnyTool = "agent"

// todoOutcome says what became of a todo, in words.
func todoOutcome(t clew.Todo) string {
	switch t.Status {
	case clew.TodoCompleted:
		return "completed. " + resultText(t.ResultSummary)
	case clew.TodoSkipped:
		return "skipped; there is no result."
	case clew.TodoFailed:
		return "failed: " + clew.Clip(t.Error.Message, core.ResultRunes)
	case clew.TodoPending, clew.TodoInProgress:
	}
	return string(t.Status)
}

func resultText(result any) string {
	m, ok := result.(map[string]any)
	if !ok {
		return clew.Clip(PlainJSON(result), 2*core.ResultRunes)
	}
	text, _ := m["text"].(string)
	if rest := maps.Clone(m); len(rest) > 1 {
		delete(rest, "text")
		text += " Data: " + clew.Clip(PlainJSON(rest), core.ResultRunes)
	}
	return text
}

// askCost asks whether a todo may cost what it is expected to.
func (c *runStepper) askCost(t clew.Todo) {
	c.ask(t, clew.HitlApprovalRequestData{
		Ask: clew.AskTool, Limit: core.LimitCost,
		Reason:  fmt.Sprintf("This step is expected to cost %.2f USD. May it begin?", *t.EstimatedCostUSD),
		Options: clew.List[clew.Choice]{clew.ChoiceApprove, clew.ChoiceSkip, clew.ChoiceReject},
	})
}

// askFailed asks what to do about a todo that failed for good.
func (c *runStepper) askFailed(t clew.Todo) {
	blocked := ""
	if n := len(plan.Blocked(c.run.Todos)); n > 0 {
		blocked = fmt.Sprintf(" Steps that wait for it: %d.", n)
	}
	c.ask(t, clew.HitlApprovalRequestData{
		Ask: clew.AskTool, Limit: run.LimitRetries,
		Reason:  fmt.Sprintf("%q failed: %s.%s Approve tries it again, skip leaves it out, reject ends the run.", clew.Clip(t.Task, 200), strings.TrimRight(clew.Clip(t.Error.Message, 500), ". "), blocked),
		Options: clew.List[clew.Choice]{clew.ChoiceApprove, clew.ChoiceSkip, clew.ChoiceReject},
	})
}

func (c *runStepper) ask(t clew.Todo, q clew.HitlApprovalRequestData) {
	q.TodoID, q.TimeoutSec, q.Scope = t.ID, c.rules.ApprovalSec, c.run.Scope()
	q.Todo = &clew.ApprovalTodo{ID: t.ID, Task: t.Task, Tool: t.Tool, EstimatedCostUSD: t.EstimatedCostUSD}
	d := newApproval(c.tx, c.s, c.root, q) // its task goes on
	c.run.Opened(clew.Question(clew.NewEvent(d)))
}

// finishExecution ends the execution: the planner hears what became of its plan.
func (c *runStepper) finishExecution() {
	progress := c.run.Progress()
	c.leave(clew.LayerExecution, clew.LayerResponse, &clew.LayerResult{
		Completed: progress.Completed, Skipped: progress.Skipped, TotalTodos: progress.TotalTodos,
	})
	c.enter(clew.LayerResponse)
	if call := c.root.Call(c.run.Call); call != nil {
		EndCall(c.tx, c.root, call, c.outcomes(), "", nil)
	}
}

// outcomes sums the execution up for the model.
func (c *runStepper) outcomes() string {
	var b strings.Builder
	b.WriteString("The plan was approved and carried out. What became of its steps:\n")
	for _, t := range c.run.Todos {
		fmt.Fprintf(&b, "\n%s (%s): %s\n", t.ID, t.Task, todoOutcome(t))
	}
	return clew.Clip(b.String(), 32_000)
}

// leave and enter tell of the layers.
func (c *runStepper) leave(layer, next clew.Layer, result *clew.LayerResult) {
	c.add(&clew.LayerCompleteData{
		Layer: layer, NextLayer: next, Result: result, DurationMS: max(0, c.tx.NextTS()-c.run.LayerMS), Scope: c.run.Scope(),
	})
}

var layerWords = map[clew.Layer]string{
	clew.LayerCognitive: "Finding out what is wanted.",
	clew.LayerPlanning:  "Making a plan.",
	clew.LayerExecution: "Carrying out the plan.",
	clew.LayerResponse:  "Putting the answer together.",
}

func (c *runStepper) enter(layer clew.Layer) {
	c.add(&clew.LayerStartData{Layer: layer, Description: layerWords[layer], Scope: c.run.Scope()})
}

// completed, failed, retry and skip end or renew a todo.
func (c *runStepper) completed(t clew.Todo, result any) {
	d := &clew.TodoCompletedData{
		TodoID: t.ID, Task: t.Task, Status: clew.TodoCompleted, ResultSummary: result,
		DurationMS: max(0, c.tx.NextTS()-t.StartedMS), Scope: c.run.Scope(),
	}
	c.add(d)
	d.NextTodos = plan.Freed(c.run.Todos, t.ID)
}

func (c *runStepper) failed(t clew.Todo, f clew.Failure) {
	c.add(&clew.TodoFailedData{
		TodoID: t.ID, Task: t.Task, Status: clew.TodoFailed, Error: f, RetryCount: t.RetryCount, MaxRetries: c.rules.MaxRetries, Scope: c.run.Scope(),
	})
	if c.run.Retries(t, f, c.rules) {
		c.retry(t, t.RetryCount+1, TurnEnd{})
	}
}

func (c *runStepper) retry(t clew.Todo, count int, how TurnEnd) {
	c.add(&clew.TodoRetriedData{
		TodoID: t.ID, RetryCount: count, MaxRetries: c.rules.MaxRetries, RetriedBy: how.by, Reason: how.Reason, WhyCode: how.Code, Scope: c.run.Scope(),
	})
}

func (c *runStepper) skip(t clew.Todo, reason string) {
	d := &clew.TodoSkippedData{TodoID: t.ID, Reason: reason, Scope: c.run.Scope()}
	c.add(d)
	d.NextTodos = plan.Freed(c.run.Todos, t.ID)
}

// abort ends the task of a todo, if one is at work on it.
func (c *runStepper) abort(t clew.Todo, streamed streams, how TurnEnd) {
	if child := c.s.Task(t.TaskID); child != nil && !child.Ended() {
		abort(c.tx, c.s, child, streamed, how)
	}
}

// cancel ends the run.
func (c *runStepper) cancel(streamed streams, how TurnEnd) {
	partial := c.run.Partial()
	c.add(&clew.CancelledData{
		Status: clew.ResultCancelled, Reason: how.Reason, PartialResults: partial, TaskID: c.root.TaskID, Scope: c.run.Scope(), Outcome: how.outcome(),
	})
	how.message, how.Reason, how.except, how.truncate = how.Reason, "cancelled: "+how.Reason, c.settledQuestion, c.cut
	abort(c.tx, c.s, c.root, streamed, how)
}

// fail ends the run with an error.
func (c *runStepper) fail(streamed streams, f clew.Failure) {
	partial := c.run.Partial()
	c.add(&clew.FailedData{
		Status: clew.ResultFailed, Error: f, PartialResults: partial, TaskID: c.root.TaskID, Scope: c.run.Scope(),
		Outcome: &clew.Outcome{WhyCode: clew.EndFailed, Message: f.Message},
	})
	abort(c.tx, c.s, c.root, streamed, TurnEnd{Reason: "ended: " + f.Message, Code: clew.EndFailed, message: f.Message, except: c.settledQuestion, truncate: c.cut})
}
