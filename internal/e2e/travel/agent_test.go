package travel_test

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/session"
)

// Work is an agent without a model. It saves files where the real one does: at
// what people say, and before and after each call. Others change files meanwhile.
func (w *world) Work(ctx context.Context, _ session.Turn, _ clew.Message, desk *session.Desk) error {
	v, err := desk.View()
	if err != nil {
		return err
	}
	x := w.walk(v.Session)
	if waiting := session.Waiting(&v.Task); len(waiting) > 0 {
		err = x.record(ctx, desk, waiting[len(waiting)-1].MessageID, func(b session.Batch, _ *session.Task) []clew.Event {
			var events []clew.Event
			for _, in := range waiting {
				events = append(events, modelSays(v.Task, session.Heard(in, b.TS(len(events)))))
			}
			return events
		})
	}
	for i := range x.pick(3) {
		if err == nil {
			err = x.call(ctx, desk, v.Task, fmt.Sprintf("call%d-%d", v.Task.Behind+len(v.Task.History), i))
		}
	}
	if err != nil {
		return err
	}
	x.othersChange()
	return x.end(desk, v.Task)
}

func modelSays(t session.Task, m clew.ModelMessage) clew.Event {
	return clew.Event{Type: clew.EventModelMessage, Data: &clew.ModelMessageData{TaskID: t.TaskID, AgentID: t.AgentID, Message: m}}
}

func said(t session.Task, b session.Batch, i int, text string) (shown clew.Message, model clew.ModelMessage) {
	return clew.Message{
			MessageID: b.ID(i), TS: b.TS(i), Type: clew.TypeSay, Say: clew.SayText, Role: clew.SpeakerAssistant, Text: text,
			TaskID: t.TaskID, AgentID: t.AgentID, MonitorID: clew.MainMonitor,
		}, clew.ModelMessage{
			Role: clew.SpeakerAssistant, TS: b.TS(i), MessageID: b.ID(i), Content: clew.List[clew.Part]{{Type: clew.PartText, Text: text}},
		}
}

// call is a tool that changes files.
func (x *walk) call(ctx context.Context, desk *session.Desk, t session.Task, id string) error {
	x.othersChange()
	progress := clew.ToolProgressData{ToolCallID: id, Tool: "shell", Status: clew.ToolRunning, Class: clew.ClassOnce, TaskID: t.TaskID, AgentID: t.AgentID}
	err := x.record(ctx, desk, "", func(b session.Batch, _ *session.Task) []clew.Event {
		shown, model := said(t, b, 0, "I call "+id)
		x.prior[shown.MessageID] = x.now
		model.Content = append(model.Content, clew.Part{Type: clew.PartToolUse, ToolCallID: id, Tool: "shell", Input: json.RawMessage(`{}`)})
		return []clew.Event{
			{Type: clew.EventMessageCreated, Data: &clew.MessageCreatedData{Message: shown}}, modelSays(t, model),
			{Type: clew.EventToolProgress, Data: &progress},
		}
	})
	if err != nil {
		return err
	}
	x.change(1 + x.pick(6))
	done := progress
	done.Status, done.Output = clew.ToolComplete, "done"
	return x.record(ctx, desk, "", func(session.Batch, *session.Task) []clew.Event {
		return []clew.Event{{Type: clew.EventToolProgress, Data: &done}}
	})
}

// end says something and ends the turn, or has it wait for an answer.
func (x *walk) end(desk *session.Desk, task session.Task) error {
	asks, plans := x.pick(5) == 0, x.pick(3) == 0
	_, err := desk.RecordTask(func(b session.Batch, s *session.State, t *session.Task) []clew.Event {
		x.prior[b.ID(0)] = x.now
		if asks {
			return session.AskInput(s, t, b, 0, clew.HitlInputRequestData{Question: "which?", InputType: clew.InputText})
		}
		shown, model := said(task, b, 0, fmt.Sprint("this is ", b.ID(0)))
		events := []clew.Event{
			{Type: clew.EventMessageCreated, Data: &clew.MessageCreatedData{Message: shown}}, modelSays(task, model),
			{Type: clew.EventTaskTokenUsageUpdated, Data: &clew.TaskTokenUsageUpdatedData{
				TaskRef: t.TaskRef, TokenUsage: t.Usage.Add(clew.Usage{TokensIn: 11, TokensOut: 3, CostUSD: 0.25}),
			}},
		}
		if plans {
			events = append(events, clew.Event{Type: clew.EventPlanGenerated, Data: &clew.PlanGeneratedData{
				PlanID: "plan_1", Version: t.PlanVersion + 1, Status: clew.PlanApproved, TaskID: t.TaskID,
				Plan: clew.Plan{Todos: clew.List[clew.Todo]{{ID: "t1", Task: shown.Text, Status: clew.TodoPending}}},
			}})
		}
		return append(events, clew.Event{Type: clew.EventTaskIdle, Data: &clew.TaskIdleData{TaskRef: t.TaskRef}})
	})
	return err
}

// record puts events on record together with the files as they are now. message
// is the one that they stand at, "" for none.
func (x *walk) record(ctx context.Context, desk *session.Desk, message clew.MessageID, events func(session.Batch, *session.Task) []clew.Event) error {
	saved, err := x.w.files.Save(ctx, x.place(), "a step")
	if err != nil {
		return err
	}
	x.saved(saved.Hash)
	_, err = desk.RecordTask(func(b session.Batch, s *session.State, t *session.Task) []clew.Event {
		if s.Checkpoint != x.now {
			x.t.Errorf("the session takes %q for its checkpoint, not %q", s.Checkpoint, x.now)
		}
		list := events(b, t)
		if message != "" {
			x.own[message] = saved.Hash
		}
		if x.first == "" {
			x.first = saved.Hash
		}
		if saved.Hash == s.Checkpoint {
			return list
		}
		x.now = saved.Hash
		d := session.CheckpointSaved(saved, "a step")
		d.TS, d.MessageID, d.TaskID, d.FromHash, d.SuppressMessage = b.TS(len(list)), message, t.TaskID, s.Checkpoint, true
		return append(list, clew.Event{Type: clew.EventCheckpointSaved, Data: d})
	})
	return err
}
