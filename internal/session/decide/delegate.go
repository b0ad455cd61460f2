package decide

import (
	"fmt"
	"slices"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/session/core"
)

// Delegate gives a part of the work to an agent that knows the conversation so far.
type Delegate struct {
	Plan    CallPlan
	Goal    string
	Mode    string
	Profile clew.TaskProfile
	Wait    bool
	// Condense says that the conversation is too long to be handed on as it is.
	Condense bool
}

func (d Delegate) decide(tx *Tx, s *core.State, t *core.Task) (Result, error) {
	r := recorder{tx: tx, s: s, t: t}
	if !d.Wait && !tx.slot {
		why := "as many agents are at work as may be: do it yourself, or wait for the result"
		r.refuse(d.Plan.Call, Refusal{Why: why, Summary: why, Shown: d.Plan.Call.Tool + " was refused: " + why, Say: clew.SayError})
		return Result{}, nil
	}
	child := childTask{text: d.Goal, mode: d.Mode, profile: d.Profile, wake: !d.Wait, fork: forkBefore(t, d.Plan.Call.ID)}
	if child.fork != nil {
		child.fork.Condense = d.Condense
	}
	r.begin(d.Plan, clew.AllowedBy{})
	id := addChild(tx, s, t, d.Plan.Call, child)
	if !d.Wait {
		tx.UsedSlot = true
		r.result(d.Plan.Call, fmt.Sprintf("Task %s began. You hear of its result when it is done; do not wait for it.", id))
	}
	return Result{}, nil
}

// forkBefore names the history up to, and without, the answer that has a call: so no
// call is left open in it. It is nil if there is nothing before.
func forkBefore(t *core.Task, call string) *clew.ForkOf {
	i := slices.IndexFunc(t.History, func(m clew.ModelMessage) bool {
		return slices.ContainsFunc(m.ToolCalls(), func(p clew.Part) bool { return p.ToolCallID == call })
	})
	if i <= 0 {
		return nil
	}
	return &clew.ForkOf{TaskID: t.TaskID, Count: t.HiddenCount + i}
}

// returnResult tells the agent that delegated a task, and did not wait for it, how it
// ended. The agent is woken, behind what people said.
func returnResult(tx *Tx, s *core.State, child *core.Task, text string) {
	parent := s.Task(child.ParentTaskID)
	if parent == nil || parent.Ended() {
		return
	}
	in := core.Input{
		Text:   fmt.Sprintf("The task you delegated (%s) has ended. Its result:\n\n%s", core.PlainLine(child.Text, core.TitleRunes-1), text),
		TaskID: parent.TaskID, Callback: child.TaskID,
	}
	on := parent.MonitorID
	cur := s.Focused(on)
	switch {
	case parent.Turn != nil && s.Beside(parent): // it works for another one itself
		in.NotInTranscript = true
		hears(tx, s, on, parent, in)
	case s.Beside(parent):
	case s.AtWorkOn(on):
		m := s.Monitor(on)
		tx.Add(&clew.MessageQueuedData{
			MessageID: tx.NextID(), AgentID: m.AgentID, MonitorID: m.ID, Text: in.Text, TaskID: in.TaskID, Position: len(m.Queue) + 1,
			Role: string(m.AgentID) + "-" + string(tx.NextID()), Callback: in.Callback,
		})
	case cur != nil && cur.RootTaskID == parent.RootTaskID:
		in.NotInTranscript = true
		startTurn(tx, s, on, in, "")
		holdWoken(tx, s, on, parent)
	default: // people are elsewhere: it hears of it when they are back
		in.MessageID = tx.NextID()
		tx.Add(&clew.ModelMessageData{TaskID: parent.TaskID, AgentID: parent.AgentID, MonitorID: on, Message: Heard(in, tx.NextTS())})
	}
}

// holdWoken asks a person before an agent works on that was woken again and again
// without one: no loop runs unseen.
func holdWoken(tx *Tx, s *core.State, on clew.MonitorID, t *core.Task) {
	most := s.AgentRules().Wakes
	if most == 0 || s.Monitor(on).Wakes < most {
		return
	}
	AskApproval(tx, s, t, clew.HitlApprovalRequestData{
		Ask: clew.AskAutoApprovalMaxReqReached, Limit: core.LimitWakes, Options: clew.List[clew.Choice]{clew.ChoiceApprove, clew.ChoiceReject},
		Reason: fmt.Sprintf("%d results of tasks came back in a row while nobody said anything. Continue?", most),
	})
}

// endDelegated ends a task that nobody waits for, and says so where it was delegated.
func endDelegated(tx *Tx, s *core.State, t *core.Task, streamed streams, how TurnEnd) {
	abort(tx, s, t, streamed, how)
	tx.Say(clew.Message{
		Type: clew.TypeSay, Say: clew.SaySubtaskResult, Role: clew.SpeakerAssistant, Text: "The task was " + how.Reason + ".",
		AgentID: t.AgentID, MonitorID: t.MonitorID, TaskID: t.ParentTaskID, ToolCallID: t.ToolCallID,
	})
}
