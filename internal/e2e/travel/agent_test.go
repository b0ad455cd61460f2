package travel_test

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/session"
	"github.com/clew-run/clew/internal/session/core"
	"github.com/clew-run/clew/internal/session/decide"
	"github.com/clew-run/clew/internal/session/sessiontest"
)

// Work is an agent without a model. It saves files where the real one does: at
// what people say, and before and after each call. Others change files meanwhile.
func (w *world) Work(ctx context.Context, _ core.Turn, _ clew.Message, desk *session.TurnContext) error {
	v, err := desk.View()
	if err != nil {
		return err
	}
	x := w.walk(v.Session)
	if waiting := decide.Waiting(&v.Task); len(waiting) > 0 {
		err = x.record(ctx, desk, waiting[len(waiting)-1].MessageID, func(tx *decide.Tx) {
			for _, in := range waiting {
				modelSays(tx, v.Task, decide.Heard(in, tx.NextTS()))
			}
		})
	}
	for i := range x.pick(3) {
		if err == nil {
			err = x.call(ctx, desk, v.Task, fmt.Sprintf("call%d-%d", v.Task.HiddenCount+len(v.Task.History), i))
		}
	}
	if err != nil {
		return err
	}
	x.othersChange()
	return x.end(desk, v.Task)
}

func modelSays(tx *decide.Tx, t core.Task, m clew.ModelMessage) {
	tx.Add(&clew.ModelMessageData{TaskID: t.TaskID, AgentID: t.AgentID, Message: m})
}

// said puts words into the transcript. The model's side of them is to follow.
func said(tx *decide.Tx, t core.Task, text string) clew.ModelMessage {
	model := clew.ModelMessage{Role: clew.SpeakerAssistant, TS: tx.NextTS(), Content: clew.List[clew.Part]{{Type: clew.PartText, Text: text}}}
	model.MessageID = tx.Say(clew.Message{
		Type: clew.TypeSay, Say: clew.SayText, Role: clew.SpeakerAssistant, Text: text,
		TaskID: t.TaskID, AgentID: t.AgentID, MonitorID: clew.MainMonitor,
	})
	return model
}

// call is a tool that changes files.
func (x *walk) call(ctx context.Context, desk *session.TurnContext, t core.Task, id string) error {
	x.othersChange()
	progress := clew.ToolProgressData{ToolCallID: id, Tool: "shell", Status: clew.ToolRunning, Class: clew.ClassOnce, TaskID: t.TaskID, AgentID: t.AgentID}
	err := x.record(ctx, desk, "", func(tx *decide.Tx) {
		model := said(tx, t, "I call "+id)
		x.prior[model.MessageID] = x.now
		model.Content = append(model.Content, clew.Part{Type: clew.PartToolUse, ToolCallID: id, Tool: "shell", Input: json.RawMessage(`{}`)})
		modelSays(tx, t, model)
		tx.Add(&progress)
	})
	if err != nil {
		return err
	}
	x.change(1 + x.pick(6))
	done := progress
	done.Status, done.Output = clew.ToolComplete, "done"
	return x.record(ctx, desk, "", func(tx *decide.Tx) { tx.Add(&done) })
}

// end says something and ends the turn, or has it wait for an answer.
func (x *walk) end(desk *session.TurnContext, task core.Task) error {
	asks, plans := x.pick(5) == 0, x.pick(3) == 0
	_, err := sessiontest.Record(desk, func(tx *decide.Tx, s *core.State, t *core.Task) {
		x.prior[tx.FirstID()] = x.now
		if asks {
			decide.AskInput(tx, s, t, clew.HitlInputRequestData{Question: "which?", InputType: clew.InputText})
			return
		}
		text := fmt.Sprint("this is ", tx.FirstID())
		modelSays(tx, task, said(tx, task, text))
		tx.Add(&clew.TaskTokenUsageUpdatedData{
			TaskRef: t.TaskRef, TokenUsage: t.Usage.Add(clew.Usage{TokensIn: 11, TokensOut: 3, CostUSD: 0.25}),
		})
		if plans {
			tx.Add(&clew.PlanGeneratedData{
				PlanID: "plan_1", Version: t.PlanVersion + 1, Status: clew.PlanApproved, TaskID: t.TaskID,
				Plan: clew.Plan{Todos: clew.List[clew.Todo]{{ID: "t1", Task: text, Status: clew.TodoPending}}},
			})
		}
		tx.Add(&clew.TaskIdleData{TaskRef: t.TaskRef})
	})
	return err
}

// record puts events on record together with the files as they are now. message
// is the one that they stand at, "" for none.
func (x *walk) record(ctx context.Context, desk *session.TurnContext, message clew.MessageID, events func(*decide.Tx)) error {
	saved, err := x.w.files.Save(ctx, x.place(), "a step")
	if err != nil {
		return err
	}
	x.saved(saved.Hash)
	_, err = sessiontest.Record(desk, func(tx *decide.Tx, s *core.State, t *core.Task) {
		if s.Checkpoint != x.now {
			x.t.Errorf("the session takes %q for its checkpoint, not %q", s.Checkpoint, x.now)
		}
		events(tx)
		if message != "" {
			x.own[message] = saved.Hash
		}
		if x.first == "" {
			x.first = saved.Hash
		}
		if saved.Hash == s.Checkpoint {
			return
		}
		x.now = saved.Hash
		d := core.CheckpointSaved(saved, "a step")
		d.TS, d.MessageID, d.TaskID, d.FromHash, d.SuppressMessage = tx.NextTS(), message, t.TaskID, s.Checkpoint, true
		tx.Add(d)
	})
	return err
}
