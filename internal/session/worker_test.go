package session

import (
	"encoding/json"
	"fmt"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/session/core"
	"github.com/clew-run/clew/internal/session/decide"
)

// think asks the model: it hears what was said, and a call is under way.
func (b *bench) think() {
	must(b.report(func(tx *decide.Tx, s *core.State, t *core.Task) {
		for _, in := range decide.Waiting(t) {
			tx.Add(&clew.ModelMessageData{TaskID: t.TaskID, AgentID: t.AgentID, Message: decide.Heard(in, tx.NextTS())})
		}
		note(tx, t, clew.Message{Say: clew.SayAPIReqStarted, Reserved: &clew.Usage{TokensIn: 10, TokensOut: 100}})
	}))
}

func note(tx *decide.Tx, t *core.Task, m clew.Message) {
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
	return b.report(func(tx *decide.Tx, s *core.State, t *core.Task) {
		decide.CloseOpenTexts(tx, s, t)
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
func (b *bench) pick(n int) core.Call { return b.task().Calls[n] }

var yesNo = clew.List[clew.Choice]{clew.ChoiceApprove, clew.ChoiceReject}

// approval asks whether a call may run; "" asks about the task as a whole.
func (b *bench) approval(ask clew.Ask, call string, limit string) {
	must(b.report(func(tx *decide.Tx, s *core.State, t *core.Task) {
		q := clew.HitlApprovalRequestData{Ask: ask, Asking: clew.Asking{ToolCallID: call, TimeoutSec: b.timeout}, Limit: limit, Reason: "may it?", Options: append(yesNo, clew.ChoiceSkip)}
		if call != "" {
			q.Tool, q.Effect = "run", &clew.Effect{Summary: "it runs", Digest: "d-" + call}
		}
		decide.AskApproval(tx, s, t, q)
	}))
}

// input asks for a value.
func (b *bench) input(q clew.HitlInputRequestData) {
	must(b.report(func(tx *decide.Tx, s *core.State, t *core.Task) {
		q.Question, q.TimeoutSec = "which?", max(q.TimeoutSec, b.timeout)
		decide.AskInput(tx, s, t, q)
	}))
}

// start records that a call begins, done what came of it.
func (b *bench) start(c core.Call, class clew.ToolClass) {
	must(b.report(func(tx *decide.Tx, s *core.State, t *core.Task) {
		tx.Add(&clew.ToolProgressData{
			ToolCallID: c.ID, Tool: c.Tool, Status: clew.ToolRunning, AgentID: t.AgentID, TaskID: t.TaskID, Class: class,
			RequestID: c.RequestID, Effect: &clew.Effect{Summary: "it runs", Digest: "d-" + c.ID},
		})
	}))
}

// startShown records that a call begins, with the message that shows it: that of
// its question, or one of its own if nobody was asked.
func (b *bench) startShown(c core.Call, class clew.ToolClass) {
	must(b.report(func(tx *decide.Tx, s *core.State, t *core.Task) {
		id := c.MessageID
		if id == "" {
			m := decide.AskMessage(t, clew.AskTool, "", c.ID, "it runs")
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
func (b *bench) refuse(c core.Call) {
	must(b.report(func(tx *decide.Tx, s *core.State, t *core.Task) {
		note(tx, t, clew.Message{Say: clew.SayError, Text: "refused", ToolCallID: c.ID})
		decide.EndCall(tx, t, &c, "It may not run.", "refused", nil)
	}))
}

func (b *bench) done(c core.Call, failed string) {
	must(b.report(func(tx *decide.Tx, s *core.State, t *core.Task) {
		decide.EndCall(tx, t, &c, "out of "+c.ID, failed, nil)
	}))
}

// spawn gives a call to a child task.
func (b *bench) spawn(c core.Call) {
	must(b.report(func(tx *decide.Tx, s *core.State, t *core.Task) { decide.AddChild(tx, s, t, c, "do a part", "") }))
}

// complete ends the task well; a child's result goes to its parent.
func (b *bench) complete(c core.Call) (Receipt, []clew.EventType, error) {
	return b.report(func(tx *decide.Tx, s *core.State, t *core.Task) {
		if len(t.Inbox) > 0 {
			decide.EndCall(tx, t, &c, "Not yet: somebody spoke meanwhile.", "", nil)
			return
		}
		decide.EndCall(tx, t, &c, "The task is complete.", "", nil)
		if t.ParentTaskID == "" {
			tx.Add(&clew.CompleteData{Status: clew.ResultSuccess, TaskID: t.TaskID})
		}
		tx.Add(&clew.TaskCompletedData{TaskRef: t.TaskRef, TokenUsage: t.Usage, ToolUsage: map[string]clew.ToolUsage{}, ResultSummary: "all done"})
		if t.ParentTaskID != "" {
			note(tx, s.Task(t.ParentTaskID), clew.Message{Say: clew.SaySubtaskResult, Text: "all done"})
			decide.CompleteChild(tx, s, t, "all done", nil)
		}
	})
}

// fail ends the turn by a fault.
func (b *bench) fail() {
	must(b.report(func(tx *decide.Tx, s *core.State, t *core.Task) {
		tx.Add(clew.NewErrorData(clew.Errorf(clew.ProviderError, "away"), clew.ErrorContext{TaskID: t.TaskID}))
		decide.CloseTurn(tx, s, t, nil, decide.TurnEnd{Reason: "ended by a failure", Code: clew.EndFailed})
	}))
}
