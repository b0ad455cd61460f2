package decide

import (
	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/run"
	"github.com/clew-run/clew/internal/session/core"
)

// decideUserMessage takes a person's words to where they belong: they answer
// the question that is open, start a turn, steer the one under way, or wait.
func decideUserMessage(tx *Tx, s *core.State, cmd clew.Command, d *clew.UserMessageData) error {
	if d.RequestID != "" {
		q := s.OpenQuestion(d.RequestID)
		if PasswordOf(q) { // a message is on record
			return clew.Errorf(clew.HitlInvalidResponse, "a password is answered with hitl_input_response")
		}
		if q == nil {
			return clew.Errorf(clew.HitlRequestExpired, "no such question is open")
		}
		return decideWords(tx, s, cmd, *q, d)
	}
	mode, err := modeOf(s, string(d.Mode))
	if err != nil {
		return err
	}
	t := s.Task(d.TaskID)
	if t == nil && d.TaskID != "" {
		return clew.Errorf(clew.TaskNotFound, "no task %s", d.TaskID)
	}
	if mode == string(clew.ModeRun) {
		return decideNewTask(tx, s, cmd, &clew.NewTaskData{Text: d.Text, Images: d.Images, Mode: mode, MonitorID: d.MonitorID}, d.Budget)
	}
	var on clew.MonitorID
	if t != nil {
		if t.Kind() == clew.AgentEphemeral && t.Turn == nil {
			return clew.Errorf(clew.SessionInvalidState, "the agent of task %s answered one message and is gone", t.TaskID)
		}
		if t.Kind() == clew.AgentWindow {
			return toWindowTask(tx, s, cmd, t, core.Input{Text: d.Text, Images: d.Images})
		}
		on = t.MonitorID
	} else {
		if s, on, err = monitorNamed(tx, s, d.MonitorID); err != nil {
			return err
		}
		t = s.Focused(on)
	}
	in := core.Input{Text: d.Text, Images: d.Images, Mode: mode}
	if t != nil {
		heir := s.ActiveAncestor(t)
		for _, x := range []*core.Task{t, heir} {
			if q := s.QuestionAnsweredByWords(x); q != nil && d.Answers(q.RequestID()) && (d.Delivery != clew.ArrivalQueue || !s.AtWorkOn(on)) {
				return decideWords(tx, s, cmd, *q, d)
			}
		}
		if t = heir; d.TaskID != "" {
			in.TaskID = t.TaskID
		}
	}
	in.New = t == nil || t.Dismissed && d.TaskID == ""
	return route(tx, s, cmd, on, t, in, d)
}

// route takes words to an agent: the main one if it is free, its turn if it hears them
// soon, one of their own, or the queue. t is the task that they are for.
func route(tx *Tx, s *core.State, cmd clew.Command, on clew.MonitorID, t *core.Task, in core.Input, d *clew.UserMessageData) error {
	working := s.AtWorkOn(on)
	under := !in.New && t.Turn != nil
	// An agent of its own takes what the one at work would not hear soon.
	ephemeral := working && tx.slot && d.TaskID == "" && d.Delivery == "" && s.AgentRules().Ephemeral
	switch {
	case !working && !under:
		deliver(tx, s, cmd, on, in, clew.DeliveryDirect)
		return nil
	case d.Delivery == clew.ArrivalEphemeral && !tx.slot:
		return clew.Errorf(clew.AgentLimit, "as many agents are at work as may be (setting agent_limit): wait, or let the message wait in the queue")
	case d.Delivery == clew.ArrivalEphemeral:
		startEphemeral(tx, s, cmd, on, in)
		return nil
	case under && len(t.Inbox) < core.QueueMax && (!working || s.Steers(d.Delivery)) && (!ephemeral || s.HearsSoon(t)):
		deliver(tx, s, cmd, on, in, clew.DeliverySteer)
		return nil
	case !working: // it waits for its child, which is at rest
		return clew.Errorf(clew.QueueFull, "%d messages are waiting already", len(t.Inbox))
	case ephemeral:
		startEphemeral(tx, s, cmd, on, in)
		return nil
	}
	return enqueue(tx, s, cmd, on, in)
}

// decideNewTask starts a task, or lets it wait for the one under way.
func decideNewTask(tx *Tx, s *core.State, cmd clew.Command, d *clew.NewTaskData, budget *clew.Budget) error {
	mode, err := modeOf(s, d.Mode)
	if err != nil {
		return err
	}
	s, on, err := monitorNamed(tx, s, d.MonitorID)
	if err != nil {
		return err
	}
	in := core.Input{Text: d.Text, Images: d.Images, Mode: mode, New: true, Budget: budget}
	if s.AtWorkOn(on) && (mode != string(clew.ModeRun) || s.RunUnderway(on)) {
		return enqueue(tx, s, cmd, on, in)
	}
	deliver(tx, s, cmd, on, in, clew.DeliveryDirect)
	return nil
}

// modeOf checks the name of a mode; chat is whatever mode holds anyway.
func modeOf(s *core.State, mode string) (string, error) {
	switch mode {
	case "", string(clew.ModeChat):
		return "", nil
	case string(clew.ModeRun):
		return mode, nil
	}
	if s.Rules == nil {
		return mode, nil
	}
	return mode, s.Rules.CheckMode(s.Settings, mode)
}

// UserMessageEvent is the message of what a person said on a monitor.
func UserMessageEvent(cmd clew.Command, on clew.MonitorID, in core.Input, task clew.TaskID) clew.Message {
	return clew.Message{
		Type: clew.TypeSay, Say: clew.SayUserFeedback, Role: clew.SpeakerUser,
		Text: in.Text, Summary: core.ShortForm(in.Text), Images: in.Images, MonitorID: on, TaskID: task,
		ClientMessageID: cmd.ClientMessageID, UserID: cmd.By.User,
	}
}

// deliver hands words to an agent at once.
func deliver(tx *Tx, s *core.State, cmd clew.Command, on clew.MonitorID, in core.Input, how clew.Delivery) {
	task := in.TaskID
	switch {
	case in.New:
		task = tx.taskID(s, 1)
	case task == "":
		task = s.Monitor(on).Current
	}
	in.MessageID = tx.Say(UserMessageEvent(cmd, on, in, task))
	if how == clew.DeliveryDirect {
		refocus(tx, s, on, in, "")
		startTurn(tx, s, on, in, cmd.ClientMessageID)
		return
	}
	steer(tx, s, s.Task(task), in.MessageID, cmd.ClientMessageID)
}

// steer puts a message into the turn under way.
func steer(tx *Tx, s *core.State, t *core.Task, id clew.MessageID, client clew.ClientMessageID) {
	if r := s.ActiveRun(t); r != nil && t.Run == r { // those at work on its todos hear it as well
		for _, todo := range r.Todos {
			if child := s.Task(todo.TaskID); child != nil && child.Turn != nil && !child.Ended() {
				acceptMessage(tx, child, id, "", clew.DeliverySteer)
			}
		}
	}
	acceptMessage(tx, t, id, client, clew.DeliverySteer)
	tx.Add(&clew.TaskUserMessageData{TaskRef: t.TaskRef, MessageID: id})
}

func enqueue(tx *Tx, s *core.State, cmd clew.Command, on clew.MonitorID, in core.Input) error {
	m := s.Monitor(on)
	if n := m.People(); n >= core.QueueMax {
		return clew.Errorf(clew.QueueFull, "%d messages are waiting already", n)
	}
	tx.Add(&clew.MessageQueuedData{
		ClientMessageID: cmd.ClientMessageID, MessageID: tx.NextID(), AgentID: m.AgentID, MonitorID: m.ID,
		Text: in.Text, Images: in.Images, UserID: cmd.By.User, TaskID: in.TaskID,
		Position: m.People() + 1, NewTask: in.New, Mode: in.Mode, Budget: in.Budget,
		Role: string(m.AgentID) + "-" + string(tx.NextID()),
	})
	return nil
}

// queuedToTranscript puts what waited into the transcript: its place there is where an agent
// gets it. It is in under its new name from then on.
func queuedToTranscript(tx *Tx, s *core.State, on clew.MonitorID, in *core.Input, task clew.TaskID) {
	if !in.NotInTranscript {
		moveHandedOver(tx, s, in.MessageID, task)
		return
	}
	m := s.MessageFor(on, *in)
	m.TaskID, m.QueuedAs, m.Summary = task, in.MessageID, core.ShortForm(in.Text)
	in.MessageID, in.NotInTranscript = tx.Say(m), false
}

func acceptMessage(tx *Tx, t *core.Task, id clew.MessageID, client clew.ClientMessageID, how clew.Delivery) {
	tx.Add(&clew.MessageAcceptedData{
		ClientMessageID: client, MessageID: id, AgentID: t.AgentID, MonitorID: t.MonitorID, Delivery: how, TaskID: t.TaskID,
		Role: roleAfter(t, id, how),
	})
}

// roleAfter is the agent's name for the turn that hears a message: a new one, or the
// one under way.
func roleAfter(t *core.Task, id clew.MessageID, how clew.Delivery) string {
	if role := t.Role(); role != "" && how != clew.DeliveryDirect {
		return role
	}
	return t.RoleFor(id)
}

// startTurn starts a turn on a message, which is on record or waited in the queue of
// its monitor.
func startTurn(tx *Tx, s *core.State, on clew.MonitorID, in core.Input, client clew.ClientMessageID) {
	t := s.Addressed(on, in.TaskID)
	fresh := in.New || t == nil
	var id clew.TaskID
	switch {
	case fresh && in.NotInTranscript:
		id = tx.taskID(s, 1) // after the message
	case fresh:
		id = tx.taskID(s, 0)
	default:
		id = t.TaskID
	}
	queuedToTranscript(tx, s, on, &in, id)
	if fresh {
		m := s.Monitor(on)
		t = &core.Task{TaskRef: clew.TaskRef{TaskID: id, MonitorID: m.ID}, AgentID: m.AgentID}
		t.RootTaskID = t.TaskID
		created := &clew.TaskCreatedData{
			TaskRef: t.TaskRef, Task: clew.Clip(in.Text, core.TitleRunes*5), Mode: in.Mode, Workspace: s.Workspace, AgentID: m.AgentID,
		}
		if in.Mode == string(clew.ModeRun) {
			created.Mode, created.RunID, created.Budget = "", run.IDOf(t.TaskID), in.Budget
		}
		tx.Add(created)
	} else if in.Mode != "" && in.Mode != t.Mode {
		tx.Add(&clew.TaskModeSwitchedData{TaskRef: t.TaskRef, Mode: in.Mode})
	}
	acceptMessage(tx, t, in.MessageID, client, clew.DeliveryDirect)
	if fresh {
		tx.Add(&clew.TaskStartedData{TaskRef: t.TaskRef})
	}
	if !s.Beside(t) {
		focus(tx, s, t.TaskRef)
	}
	tx.Add(&clew.TaskActiveData{TaskRef: t.TaskRef})
	tx.Add(&clew.TaskUserMessageData{TaskRef: t.TaskRef, MessageID: in.MessageID})
	if in.Mode == string(clew.ModeRun) {
		tx.Add(&clew.LayerStartData{
			Layer: clew.LayerCognitive, Description: layerWords[clew.LayerCognitive],
			Scope: clew.Scope{RunID: run.IDOf(t.TaskID), MonitorID: t.MonitorID},
		})
	}
}

// focus brings a task to the front of its monitor.
func focus(tx *Tx, s *core.State, ref clew.TaskRef) {
	if s.Monitor(ref.MonitorID).Current == ref.TaskID {
		return
	}
	if old := s.Focused(ref.MonitorID); old != nil {
		tx.Add(&clew.TaskUnfocusedData{TaskRef: old.TaskRef})
	}
	tx.Add(&clew.TaskFocusedData{TaskRef: ref})
}

// startNext hands the oldest waiting message to the agent of a monitor that became
// free. A task that waits for its child hears what was said to it when it goes on,
// unless its tree ends in this batch.
func startNext(tx *Tx, s *core.State, on clew.MonitorID, ended clew.TaskID) {
	for _, in := range s.Monitor(on).ForAgent() {
		if in.Mode == string(clew.ModeRun) && s.OtherActiveRun(on, ended) {
			continue // one run at a time
		}
		if root := s.SteeredRun(on, in, ended); root != nil {
			hears(tx, s, on, root, in)
			continue
		}
		t := s.Task(in.TaskID)
		if t != nil {
			if t = s.ActiveAncestor(t); t.RootTaskID == ended {
				t = s.Task(ended)
			}
			in.TaskID = t.TaskID
		}
		if in.New || t == nil || t.AwaitingChild == "" || t.TaskID == ended {
			refocus(tx, s, on, in, ended)
			startTurn(tx, s, on, in, in.Client)
			if in.Callback != "" && t != nil {
				holdWoken(tx, s, on, t)
			}
			return
		}
		hears(tx, s, on, t, in)
	}
}

// hears gives a task at work what waited for it on a monitor.
func hears(tx *Tx, s *core.State, on clew.MonitorID, t *core.Task, in core.Input) {
	queuedToTranscript(tx, s, on, &in, t.TaskID)
	acceptMessage(tx, t, in.MessageID, in.Client, clew.DeliverySteer)
	tx.Add(&clew.TaskUserMessageData{TaskRef: t.TaskRef, MessageID: in.MessageID})
}

// refocus settles the question whether a task at rest shall be taken up again:
// words for it that are no answer do so. They waited while somebody went back in
// time, or are of one who does not know of the question.
func refocus(tx *Tx, s *core.State, on clew.MonitorID, in core.Input, ended clew.TaskID) {
	t := s.Addressed(on, in.TaskID)
	if in.New || t == nil || t.Turn != nil || t.RootTaskID == ended {
		return
	}
	q := s.QuestionAnsweredByWords(t)
	if q == nil {
		return
	}
	tx.Add(&clew.HitlResolvedData{
		RequestID: q.RequestID(), Action: clew.ResolvedCancelled, Comment: "taken up with a message", WhyCode: clew.EndContinued, TaskID: t.TaskID,
	})
	answered(tx, s, q.Asking().MessageID)
}
