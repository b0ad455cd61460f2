package decide

import (
	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/session/core"
)

// A SlotCommand is a command that may begin one more agent, with what came of the try
// for a slot.
type SlotCommand struct {
	Command any
	Slot    bool
}

// MayAddAgent reports whether a command may begin an agent beside those at work, which
// takes a slot.
func MayAddAgent(s *core.State, data any) bool {
	if c, ok := data.(*clew.ComponentActionData); ok {
		return c.ActionID != ""
	}
	if r, ok := data.(*TurnReport); ok {
		d, ok := r.Intent.(Delegate)
		return ok && !d.Wait
	}
	d, ok := data.(*clew.UserMessageData)
	if !ok || d.RequestID != "" || d.TaskID != "" || d.Mode == clew.ModeRun || !s.AtWorkOn(d.MonitorID) {
		return false
	}
	return d.Delivery == clew.ArrivalEphemeral || d.Delivery == "" && s.AgentRules().Ephemeral
}

// startEphemeral has an agent of its own answer a message: it begins with nothing but
// the words, and is put away with its turn. The monitor's focus stays where it is.
func startEphemeral(tx *Tx, s *core.State, cmd clew.Command, on clew.MonitorID, in core.Input) {
	id := tx.taskID(s, 1)
	in.MessageID = tx.Say(UserMessageEvent(cmd, on, in, id))
	t := &core.Task{
		TaskRef: clew.TaskRef{TaskID: id, RootTaskID: id, MonitorID: on}, AgentKind: clew.AgentEphemeral,
		AgentID: clew.AgentID("ephemeral-" + string(on) + "-" + string(in.MessageID)),
	}
	tx.Add(&clew.TaskCreatedData{
		TaskRef: t.TaskRef, Task: clew.Clip(in.Text, core.TitleRunes*5), Mode: in.Mode, Workspace: s.Workspace, AgentID: t.AgentID, AgentKind: t.AgentKind,
	})
	acceptMessage(tx, t, in.MessageID, cmd.ClientMessageID, clew.DeliveryEphemeral)
	tx.Add(&clew.TaskStartedData{TaskRef: t.TaskRef})
	tx.Add(&clew.TaskActiveData{TaskRef: t.TaskRef})
	tx.Add(&clew.TaskUserMessageData{TaskRef: t.TaskRef, MessageID: in.MessageID})
	tx.UsedSlot = true
}

// moveHandedOver has a message that an ephemeral agent handed over belong to the task
// that hears it.
func moveHandedOver(tx *Tx, s *core.State, id clew.MessageID, task clew.TaskID) {
	m := s.Message(id)
	if m == nil || m.TaskID == task {
		return
	}
	if from := s.Task(m.TaskID); from != nil && from.Kind() == clew.AgentEphemeral {
		m.TaskID = task
		tx.Update(core.WithoutOutcome(*m))
	}
}

// HandOver gives the message of an ephemeral agent to the main agent: it cannot be
// answered without the conversation.
type HandOver struct{ Call core.Call }

func (h HandOver) decide(tx *Tx, s *core.State, t *core.Task) (Result, error) {
	r := recorder{tx: tx, s: s, t: t}
	m := s.Monitor(t.MonitorID)
	busy := s.AtWorkOn(m.ID)
	switch {
	case len(t.Inbox) > 0:
		r.result(h.Call, notYet)
		return Result{}, nil
	case busy && m.People() >= core.QueueMax:
		r.result(h.Call, "The main agent has no room: its queue is full. Answer as well as you can, and say what you do not know.")
		return Result{}, nil
	}
	for _, other := range t.Calls {
		if other.ID != h.Call.ID && other.Status != core.CallDone {
			r.result(other, "Not done: the message was handed over.")
		}
	}
	r.result(h.Call, "The main agent has the message.")
	in := core.Input{MessageID: t.Turn.ID, Mode: t.Mode}
	if said := s.Message(t.Turn.ID); said != nil {
		in.Text, in.Images, in.Client = said.Text, said.Images, said.ClientMessageID
	}
	tx.Add(&clew.TaskIdleData{TaskRef: t.TaskRef})
	if busy {
		tx.Add(&clew.MessageQueuedData{
			ClientMessageID: in.Client, MessageID: in.MessageID, AgentID: m.AgentID, MonitorID: m.ID, Mode: in.Mode,
			Position: m.People() + 1, Role: string(m.AgentID) + "-" + string(in.MessageID),
		})
		return Result{}, nil
	}
	cur := s.Focused(m.ID)
	in.New = cur == nil || cur.Dismissed
	refocus(tx, s, m.ID, in, "")
	startTurn(tx, s, m.ID, in, in.Client)
	return Result{}, nil
}
