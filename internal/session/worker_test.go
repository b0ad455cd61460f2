package session

import (
	"encoding/json"
	"fmt"

	"github.com/clew-run/clew"
)

// The steps of an agent, as records. Each works on the task in focus.

// think asks the model: it hears what was said, and a call is under way.
func (b *bench) think() {
	must(b.report(func(tx *Tx, s *State, t *Task) {
		for _, in := range Waiting(t) {
			tx.Add(&clew.ModelMessageData{TaskID: t.TaskID, AgentID: t.AgentID, Message: Heard(in, tx.NextTS())})
		}
		note(tx, t, clew.Message{Say: clew.SayAPIReqStarted, Reserved: &clew.Usage{TokensIn: 10, TokensOut: 100}})
	}))
}

func note(tx *Tx, t *Task, m clew.Message) {
	m.Type, m.Role = clew.TypeSay, clew.SpeakerSystem
	m.AgentID, m.MonitorID, m.TaskID = t.AgentID, clew.MainMonitor, t.TaskID
	tx.Say(m)
}

// answer is the model's answer with a number of tool calls; without any, the
// turn is over.
func (b *bench) answer(calls int) (Receipt, []clew.EventType, error) {
	parts := clew.List[clew.Part]{{Type: clew.PartText, Text: "well"}}
	for range calls {
		b.calls++
		parts = append(parts, clew.Part{
			Type: clew.PartToolUse, ToolCallID: fmt.Sprint("c", b.calls), Tool: "run", Input: json.RawMessage(fmt.Sprintf(`{"n":%d}`, b.calls)),
		})
	}
	return b.report(func(tx *Tx, s *State, t *Task) {
		closeTexts(tx, s, t)
		tx.Add(&clew.ModelMessageData{
			TaskID: t.TaskID, AgentID: t.AgentID, Message: clew.ModelMessage{Role: clew.SpeakerAssistant, Content: parts, TS: tx.NextTS(), MessageID: t.Request},
		})
		usage := t.Usage.Add(clew.Usage{TokensIn: 5, TokensOut: 7, CostUSD: 0.001})
		tx.Add(&clew.TaskTokenUsageUpdatedData{TaskRef: t.TaskRef, TokenUsage: usage, ToolUsage: map[string]clew.ToolUsage{}})
		if calls == 0 {
			idle(tx, s, t)
		}
	})
}

// pick is the n-th call of the task's last answer.
func (b *bench) pick(n int) Call { return b.task().Calls[n] }

var yesNo = clew.List[clew.Choice]{clew.ChoiceApprove, clew.ChoiceReject}

// approval asks whether a call may run; "" asks about the task as a whole.
func (b *bench) approval(ask clew.Ask, call string, limit string) {
	must(b.report(func(tx *Tx, s *State, t *Task) {
		q := clew.HitlApprovalRequestData{Ask: ask, Asking: clew.Asking{ToolCallID: call, TimeoutSec: b.timeout}, Limit: limit, Reason: "may it?", Options: append(yesNo, clew.ChoiceSkip)}
		if call != "" {
			q.Tool, q.Effect = "run", &clew.Effect{Summary: "it runs", Digest: "d-" + call}
		}
		AskApproval(tx, s, t, q)
	}))
}

// input asks for a value.
func (b *bench) input(q clew.HitlInputRequestData) {
	must(b.report(func(tx *Tx, s *State, t *Task) {
		q.Question, q.TimeoutSec = "which?", max(q.TimeoutSec, b.timeout)
		AskInput(tx, s, t, q)
	}))
}

// start records that a call begins, done what came of it.
func (b *bench) start(c Call, class clew.ToolClass) {
	must(b.report(func(tx *Tx, s *State, t *Task) {
		tx.Add(&clew.ToolProgressData{
			ToolCallID: c.ID, Tool: c.Tool, Status: clew.ToolRunning, AgentID: t.AgentID, TaskID: t.TaskID, Class: class,
			RequestID: c.RequestID, Effect: &clew.Effect{Summary: "it runs", Digest: "d-" + c.ID},
		})
	}))
}

// startShown records that a call begins, with the message that shows it: that of
// its question, or one of its own if nobody was asked.
func (b *bench) startShown(c Call, class clew.ToolClass) {
	must(b.report(func(tx *Tx, s *State, t *Task) {
		id := c.MessageID
		if id == "" {
			m := askMessage(t, clew.AskTool, "", c.ID, "it runs")
			m.IsAnswered = true
			id = tx.Say(m)
		}
		tx.Add(&clew.ToolProgressData{
			ToolCallID: c.ID, Tool: c.Tool, Status: clew.ToolRunning, AgentID: t.AgentID, TaskID: t.TaskID, Class: class, MessageID: id,
			RequestID: c.RequestID, Summary: "n " + c.ID, Effect: &clew.Effect{Summary: "it runs", Digest: "d-" + c.ID, Paths: []string{"a"}, Diff: "+a"},
		})
	}))
}

// refuse ends a call that was not asked about, and says so.
func (b *bench) refuse(c Call) {
	must(b.report(func(tx *Tx, s *State, t *Task) {
		note(tx, t, clew.Message{Say: clew.SayError, Text: "refused", ToolCallID: c.ID})
		result(tx, t, &c, "It may not run.", "refused", nil)
	}))
}

func (b *bench) done(c Call, failed string) {
	must(b.report(func(tx *Tx, s *State, t *Task) { result(tx, t, &c, "out of "+c.ID, failed, nil) }))
}

// spawn gives a call to a child task.
func (b *bench) spawn(c Call) {
	must(b.report(func(tx *Tx, s *State, t *Task) { AddChild(tx, s, t, c, "do a part", "") }))
}

// complete ends the task well; a child's result goes to its parent.
func (b *bench) complete(c Call) (Receipt, []clew.EventType, error) {
	return b.report(func(tx *Tx, s *State, t *Task) {
		if len(t.Inbox) > 0 {
			result(tx, t, &c, "Not yet: somebody spoke meanwhile.", "", nil)
			return
		}
		result(tx, t, &c, "The task is complete.", "", nil)
		if t.ParentTaskID == "" {
			tx.Add(&clew.CompleteData{Status: clew.ResultSuccess, TaskID: t.TaskID})
		}
		tx.Add(&clew.TaskCompletedData{TaskRef: t.TaskRef, TokenUsage: t.Usage, ToolUsage: map[string]clew.ToolUsage{}, ResultSummary: "all done"})
		if t.ParentTaskID != "" {
			note(tx, s.Task(t.ParentTaskID), clew.Message{Say: clew.SaySubtaskResult, Text: "all done"})
			CompleteChild(tx, s, t, "all done", nil)
		}
	})
}

// fail ends the turn by a fault.
func (b *bench) fail() {
	must(b.report(func(tx *Tx, s *State, t *Task) {
		tx.Add(clew.NewErrorData(clew.Errorf(clew.ProviderError, "away"), clew.ErrorContext{TaskID: t.TaskID}))
		endTurn(tx, s, t, nil, turnEnd{reason: "ended by a failure", code: clew.EndFailed})
	}))
}
