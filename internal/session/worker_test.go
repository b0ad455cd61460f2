package session

import (
	"encoding/json"
	"fmt"

	"github.com/clew-run/clew"
)

// The steps of an agent, as records. Each works on the task in focus.

// think asks the model: it hears what was said, and a call is under way.
func (b *bench) think() {
	must(b.report(func(at Batch, t *Task) []clew.Event {
		var events []clew.Event
		for _, in := range Waiting(t) {
			events = append(events, clew.Event{Type: clew.EventModelMessage, Data: &clew.ModelMessageData{
				TaskID: t.TaskID, AgentID: t.AgentID, Message: Heard(in, at.TS(len(events))),
			}})
		}
		return append(events, note(at, len(events), t, clew.Message{Say: clew.SayAPIReqStarted, Reserved: &clew.Usage{TokensIn: 10, TokensOut: 100}}))
	}))
}

func note(at Batch, i int, t *Task, m clew.Message) clew.Event {
	m.MessageID, m.TS, m.Type, m.Role = at.ID(i), at.TS(i), clew.TypeSay, clew.SpeakerSystem
	m.AgentID, m.MonitorID, m.TaskID = t.AgentID, clew.MainMonitor, t.TaskID
	return clew.Event{Type: clew.EventMessageCreated, Data: &clew.MessageCreatedData{Message: m}}
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
	return b.report(func(at Batch, t *Task) []clew.Event {
		events := CloseTexts(b.s.state, t)
		events = append(events, clew.Event{Type: clew.EventModelMessage, Data: &clew.ModelMessageData{
			TaskID: t.TaskID, AgentID: t.AgentID, Message: clew.ModelMessage{Role: clew.SpeakerAssistant, Content: parts, TS: at.TS(len(events)), MessageID: t.Request},
		}})
		usage := t.Usage.Add(clew.Usage{TokensIn: 5, TokensOut: 7, CostUSD: 0.001})
		events = append(events, clew.Event{Type: clew.EventTaskTokenUsageUpdated, Data: &clew.TaskTokenUsageUpdatedData{
			TaskRef: t.TaskRef, TokenUsage: usage, ToolUsage: map[string]clew.ToolUsage{},
		}})
		if calls == 0 {
			events = append(events, idle(t))
		}
		return events
	})
}

// pick is the n-th call of the task's last answer.
func (b *bench) pick(n int) Call { return b.task().Calls[n] }

var yesNo = clew.List[clew.Choice]{clew.ChoiceApprove, clew.ChoiceReject}

// approval asks whether a call may run; "" asks about the task as a whole.
func (b *bench) approval(ask clew.Ask, call string, limit string) {
	must(b.report(func(at Batch, t *Task) []clew.Event {
		q := clew.HitlApprovalRequestData{Ask: ask, Asking: clew.Asking{ToolCallID: call, TimeoutSec: b.timeout}, Limit: limit, Reason: "may it?", Options: append(yesNo, clew.ChoiceSkip)}
		if call != "" {
			q.Tool, q.Effect = "run", &clew.Effect{Summary: "it runs", Digest: "d-" + call}
		}
		return Ask(b.s.state, t, at, 0, q)
	}))
}

// input asks for a value.
func (b *bench) input(q clew.HitlInputRequestData) {
	must(b.report(func(at Batch, t *Task) []clew.Event {
		q.Question, q.TimeoutSec = "which?", max(q.TimeoutSec, b.timeout)
		return AskInput(b.s.state, t, at, 0, q)
	}))
}

// start records that a call begins, done what came of it.
func (b *bench) start(c Call, class clew.ToolClass) {
	must(b.report(func(_ Batch, t *Task) []clew.Event {
		return []clew.Event{{Type: clew.EventToolProgress, Data: &clew.ToolProgressData{
			ToolCallID: c.ID, Tool: c.Tool, Status: clew.ToolRunning, AgentID: t.AgentID, TaskID: t.TaskID, Class: class,
			RequestID: c.RequestID, Effect: &clew.Effect{Summary: "it runs", Digest: "d-" + c.ID},
		}}}
	}))
}

// startShown records that a call begins, with the message that shows it: that of
// its question, or one of its own if nobody was asked.
func (b *bench) startShown(c Call, class clew.ToolClass) {
	must(b.report(func(at Batch, t *Task) []clew.Event {
		var events []clew.Event
		id := c.MessageID
		if id == "" {
			m := askMessage(t, at, 0, clew.AskTool, "", c.ID, "it runs")
			m.IsAnswered = true
			id = m.MessageID
			events = append(events, clew.Event{Type: clew.EventMessageCreated, Data: &clew.MessageCreatedData{Message: m}})
		}
		return append(events, clew.Event{Type: clew.EventToolProgress, Data: &clew.ToolProgressData{
			ToolCallID: c.ID, Tool: c.Tool, Status: clew.ToolRunning, AgentID: t.AgentID, TaskID: t.TaskID, Class: class, MessageID: id,
			RequestID: c.RequestID, Summary: "n " + c.ID, Effect: &clew.Effect{Summary: "it runs", Digest: "d-" + c.ID, Paths: []string{"a"}, Diff: "+a"},
		}})
	}))
}

// refuse ends a call that was not asked about, and says so.
func (b *bench) refuse(c Call) {
	must(b.report(func(at Batch, t *Task) []clew.Event {
		m := note(at, 0, t, clew.Message{Say: clew.SayError, Text: "refused", ToolCallID: c.ID})
		return []clew.Event{m, result(t, &c, "It may not run.", "refused", nil)}
	}))
}

func (b *bench) done(c Call, failed string) {
	must(b.report(func(_ Batch, t *Task) []clew.Event { return []clew.Event{result(t, &c, "out of "+c.ID, failed, nil)} }))
}

// spawn gives a call to a child task.
func (b *bench) spawn(c Call) {
	must(b.report(func(at Batch, t *Task) []clew.Event { return Spawn(b.s.state, t, at, 0, c, "do a part", "") }))
}

// complete ends the task well; a child's result goes to its parent.
func (b *bench) complete(c Call) (Receipt, []clew.EventType, error) {
	return b.report(func(at Batch, t *Task) []clew.Event {
		if len(t.Inbox) > 0 {
			return []clew.Event{result(t, &c, "Not yet: somebody spoke meanwhile.", "", nil)}
		}
		events := []clew.Event{result(t, &c, "The task is complete.", "", nil)}
		if t.ParentTaskID == "" {
			events = append(events, clew.Event{Type: clew.EventComplete, Data: &clew.CompleteData{Status: clew.ResultSuccess, TaskID: t.TaskID}})
		}
		events = append(events, clew.Event{Type: clew.EventTaskCompleted, Data: &clew.TaskCompletedData{
			TaskRef: t.TaskRef, TokenUsage: t.Usage, ToolUsage: map[string]clew.ToolUsage{}, ResultSummary: "all done",
		}})
		if t.ParentTaskID != "" {
			m := note(at, len(events), b.s.state.Task(t.ParentTaskID), clew.Message{Say: clew.SaySubtaskResult, Text: "all done"})
			events = append(append(events, m), Return(b.s.state, t, at, len(events)+1, "all done", nil)...)
		}
		return events
	})
}

// fail ends the turn by a fault.
func (b *bench) fail() {
	must(b.report(func(at Batch, t *Task) []clew.Event {
		events := []clew.Event{{Type: clew.EventError, Data: clew.NewErrorData(clew.Errorf(clew.ProviderError, "away"), clew.ErrorContext{TaskID: t.TaskID})}}
		return append(events, CloseTurn(b.s.state, t, at, 1, "ended by a failure")...)
	}))
}
