package session

import (
	"strings"

	"github.com/clew-run/clew"
)

// decideControl takes the commands that stop, put away and take up work.
func decideControl(s *State, cmd clew.Command, now int64) ([]clew.Event, error) {
	switch d := cmd.Data.(type) {
	case *clew.InterruptData:
		return decideInterrupt(s, "", nil, now)
	case *clew.InterruptAgentData:
		return decideInterrupt(s, d.Agent, nil, now)
	case *interruption:
		return decideStop(s, d, now)
	case *clew.ControlCancelData, *clew.ClearTaskData, *clew.ResetData:
		return decideStop(s, &interruption{cmd: cmd.Data}, now)
	case *clew.ResumeTaskData:
		return decideResume(s, d, now)
	}
	return nil, clew.Errorf(clew.SessionInvalidState, "this server cannot do %s yet", cmd.Type)
}

// interruption is a command that stops work, with the text that was streamed so
// far, which the state knows only up to its last snapshot.
type interruption struct {
	cmd      any
	streamed map[clew.MessageID]clew.OpenMessage
}

func decideStop(s *State, d *interruption, now int64) ([]clew.Event, error) {
	switch c := d.cmd.(type) {
	case *clew.InterruptAgentData:
		return decideInterrupt(s, c.Agent, d.streamed, now)
	case *clew.ControlCancelData:
		return decideCancel(s, c, d.streamed, now)
	case *clew.ClearTaskData:
		return decideClear(s, c, d.streamed, now)
	case *clew.ResetData:
		return decideReset(s, d.streamed, now)
	}
	return decideInterrupt(s, "", d.streamed, now)
}

// decideInterrupt ends the turns under way, or those of one agent. The work
// stays: a task that waits for its child still does.
func decideInterrupt(s *State, agent string, streamed map[clew.MessageID]clew.OpenMessage, now int64) ([]clew.Event, error) {
	b := batchAt(s, now)
	var events []clew.Event
	found := agent == ""
	for _, t := range s.tasks() {
		if agent != "" && string(t.AgentID) != agent && (t.Turn == nil || string(t.AgentID)+"-"+string(t.Turn.ID) != agent) {
			continue
		}
		found = true
		if t.Turn == nil || t.AwaitingChild != "" {
			continue
		}
		events = append(events, closeTurn(s, t, streamed, b, closing{reason: "interrupted by the user", at: len(events)})...)
	}
	if !found {
		return nil, clew.Errorf(clew.TaskNotFound, "no agent %s", agent)
	}
	if len(events) == 0 {
		return nil, nil
	}
	return append(events, startNext(s, "", b, len(events))...), nil
}

// decideCancel ends a task and all below it. A parent that waited for it goes
// on; without a name the whole tree in focus ends.
func decideCancel(s *State, d *clew.ControlCancelData, streamed map[clew.MessageID]clew.OpenMessage, now int64) ([]clew.Event, error) {
	id := d.TaskID
	if id == "" {
		if t := s.Task(s.Current); t != nil {
			id = t.RootTaskID
		}
	}
	t := s.Task(id)
	switch {
	case t == nil && d.TaskID == "":
		return nil, nil
	case t == nil:
		return nil, clew.Errorf(clew.TaskNotFound, "no task %s", id)
	case t.Ended():
		return nil, nil
	}
	reason := "cancelled by the user" // it completes a sentence
	if d.Reason != "" {
		reason += ": " + d.Reason
	}
	parent := s.Task(t.ParentTaskID)
	if parent != nil && s.atWorkBeside(t.RootTaskID) { // its parent would go on beside another
		return nil, clew.Errorf(clew.SessionInvalidState, "another task is under way")
	}
	b := batchAt(s, now)
	events := abort(s, t, streamed, b, reason, nil)
	if parent != nil && parent.AwaitingChild == t.TaskID {
		return append(events, goOn(s, parent, t, "The subtask was cancelled by the user.", reason)...), nil
	}
	if cur := s.Task(s.Current); cur != nil && cur.RootTaskID == t.RootTaskID { // what is said next is not for a child that ended
		events = append(events, focus(s, t.TaskRef)...)
		s = focused(s, t.TaskID)
	}
	if s.atWorkBeside(t.RootTaskID) {
		return events, nil
	}
	return append(events, startNext(s, t.RootTaskID, b, len(events))...), nil
}

// goOn wakes the parent of a task that ended. failed is "" if it ended well.
func goOn(s *State, parent, child *Task, text, failed string) []clew.Event {
	var events []clew.Event
	if c := parent.Call(child.ToolCallID); c != nil {
		events = append(events, result(parent, c, text, failed, nil))
	}
	events = append(events, clew.Event{Type: clew.EventTaskUnpaused, Data: &clew.TaskUnpausedData{
		TaskRef: parent.TaskRef, CompletedByChildID: child.TaskID, CompletionResultSummary: clip(text, 500),
	}})
	for _, in := range child.Inbox { // what it was told and had not heard
		events = append(events, accept(parent, in.MessageID, "", clew.DeliverySteer))
	}
	if cur := s.Task(s.Current); cur == nil || cur.RootTaskID == parent.RootTaskID {
		events = append(events, focus(s, parent.TaskRef)...)
	}
	return append(events, stateEvent(parent.TaskRef, clew.TaskStateRunning, ""))
}

// abort ends a task and its children, the youngest first.
func abort(s *State, t *Task, streamed map[clew.MessageID]clew.OpenMessage, b Batch, reason string, events []clew.Event) []clew.Event {
	for _, c := range s.tree(t.RootTaskID) {
		if c.ParentTaskID == t.TaskID && !c.Ended() {
			events = abort(s, c, streamed, b, reason, events)
		}
	}
	events = append(events, closeTurn(s, t, streamed, b, closing{reason: reason, at: len(events), ends: true})...)
	return append(events, clew.Event{Type: clew.EventTaskAborted, Data: &clew.TaskAbortedData{TaskRef: t.TaskRef, Reason: reason}})
}

// decideClear puts a task away without ending it.
func decideClear(s *State, d *clew.ClearTaskData, streamed map[clew.MessageID]clew.OpenMessage, now int64) ([]clew.Event, error) {
	id := d.TaskID
	if id == "" {
		id = s.Current
	}
	t := s.Task(id)
	if t == nil {
		if d.TaskID == "" {
			return nil, nil
		}
		return nil, clew.Errorf(clew.TaskNotFound, "no task %s", id)
	}
	b := batchAt(s, now)
	var events []clew.Event
	for _, x := range s.tree(t.RootTaskID) {
		if x.Turn != nil && x.AwaitingChild == "" || s.blocking(x.TaskID) != nil {
			events = append(events, closeTurn(s, x, streamed, b, closing{reason: "put away by the user", at: len(events)})...)
		}
	}
	events = append(events, clew.Event{Type: clew.EventTaskUnfocused, Data: &clew.TaskUnfocusedData{TaskRef: t.TaskRef, PutAway: true}})
	if s.atWorkBeside(t.RootTaskID) {
		return events, nil
	}
	if s.Current == t.TaskID {
		s = focused(s, "")
	}
	return append(events, startNext(s, "", b, len(events))...), nil
}

// decideReset ends everything: the next message starts from nothing.
func decideReset(s *State, streamed map[clew.MessageID]clew.OpenMessage, now int64) ([]clew.Event, error) {
	b := batchAt(s, now)
	var events []clew.Event
	for _, t := range s.tasks() {
		if t.ParentTaskID == "" && !t.Ended() {
			events = abort(s, t, streamed, b, "reset by the user", events)
		}
	}
	if t := s.Task(s.Current); t != nil {
		events = append(events, clew.Event{Type: clew.EventTaskUnfocused, Data: &clew.TaskUnfocusedData{TaskRef: t.TaskRef, PutAway: true}})
	}
	if len(s.Queue) == 0 {
		return events, nil
	}
	first := s.Queue[0]
	first.New = true
	return append(events, begin(focused(s, ""), first, "", b, len(events))...), nil
}

// decideResume asks whether a task shall be taken up again.
func decideResume(s *State, d *clew.ResumeTaskData, now int64) ([]clew.Event, error) {
	t := s.Task(d.TaskID)
	if t == nil {
		return nil, clew.Errorf(clew.TaskNotFound, "no task %s", d.TaskID)
	}
	switch {
	case t.Turn != nil:
		return nil, clew.Errorf(clew.SessionInvalidState, "the task is under way")
	case s.AtWork():
		return nil, clew.Errorf(clew.SessionInvalidState, "another task is under way")
	case s.blocking(t.TaskID) != nil:
		return nil, nil // asked already
	case len(t.History) == 0 && t.Steps == 0 && (t.Ended() || t.PutAway):
		return nil, clew.Errorf(clew.SessionInvalidState, "the task is too old to be taken up again")
	}
	ask, text := clew.AskResumeTask, "Take this task up again?"
	if t.Status == clew.TaskStatusCompleted {
		ask, text = clew.AskResumeCompletedTask, "This task is done. Take it up again?"
	}
	return Ask(s, t, batchAt(s, now), 0, clew.HitlApprovalRequestData{Ask: ask, Reason: text, Options: clew.List[clew.Choice]{clew.ChoiceApprove, clew.ChoiceReject}}), nil
}

// Ask makes the events of a question about a task: the ask in the transcript,
// its announcement, and what the task is doing from then on. Its first event is
// the i-th of the batch.
func Ask(s *State, t *Task, b Batch, i int, q clew.HitlApprovalRequestData) []clew.Event {
	q.RequestID = clew.RequestID(nameAt("req_", s.ID, b.seq+uint64(i)))
	q.MessageID, q.TaskID, q.AgentID, q.MonitorID = b.ID(i), t.TaskID, t.AgentID, clew.MainMonitor
	was, _ := s.stateOf(t.TaskID)
	events := []clew.Event{
		{Type: clew.EventMessageCreated, Data: &clew.MessageCreatedData{Message: askMessage(t, b, i, q.Ask, q.RequestID, q.ToolCallID, q.Reason)}},
		{Type: clew.EventHitlApprovalRequest, Data: &q},
	}
	if is := q.Ask.State(); was != is && was == clew.TaskStateRunning {
		events = append(events, stateEvent(t.TaskRef, is, q.RequestID))
	}
	return events
}

func askMessage(t *Task, b Batch, i int, ask clew.Ask, id clew.RequestID, call, text string) clew.Message {
	return clew.Message{
		MessageID: b.ID(i), TS: b.TS(i), Type: clew.TypeAsk, Ask: ask, Role: clew.SpeakerAssistant, Text: text,
		AgentID: t.AgentID, MonitorID: clew.MainMonitor, TaskID: t.TaskID, RequestID: id, ToolCallID: call,
	}
}

// closing says how a turn is closed.
type closing struct {
	reason string
	at     int            // events of the batch before these
	except clew.RequestID // a question that is settled already
	ends   bool           // the task ends: no task_idle, and calls to children are closed too
	calls  bool           // the calls under way have their results already
	cut    bool           // texts are cut short: whole, they did not fit one batch
}

// cutRunes is what is left of a text that does not fit.
const cutRunes = 2000

// closeTurn ends a task's turn in the middle so that nothing dangles: open text
// is closed as it stands, every call has a result, no question is left, and
// what the model has not heard yet is in its history.
func closeTurn(s *State, t *Task, streamed map[clew.MessageID]clew.OpenMessage, b Batch, how closing) []clew.Event {
	var events []clew.Event
	add := func(typ clew.EventType, data any) { events = append(events, clew.Event{Type: typ, Data: data}) }
	var said string
	for i := range s.Messages {
		m := s.Messages[i]
		if m.TaskID != t.TaskID || !m.Partial {
			continue
		}
		if o, ok := streamed[m.MessageID]; ok {
			m.Text, m.Reasoning = o.Text, o.Reasoning
		}
		m.Partial, m.Text = false, strings.TrimRight(m.Text, " ")
		if how.cut {
			m.Text, m.Reasoning = clip(m.Text, cutRunes), clip(m.Reasoning, cutRunes)
		}
		if m.Say == clew.SayText {
			said = m.Text
		}
		add(clew.EventMessageUpdated, &clew.MessageUpdatedData{Message: m})
	}
	events = append(events, closeUnfinished(t, how)...)
	if t.Request != "" {
		if said != "" {
			add(clew.EventModelMessage, &clew.ModelMessageData{TaskID: t.TaskID, AgentID: t.AgentID, MonitorID: t.MonitorID, Message: clew.ModelMessage{
				Role: clew.SpeakerAssistant, TS: b.TS(how.at + len(events)), MessageID: t.Request,
				Content: clew.List[clew.Part]{{Type: clew.PartText, Text: said}},
			}})
		}
		i := how.at + len(events)
		add(clew.EventMessageCreated, &clew.MessageCreatedData{Message: clew.Message{
			MessageID: b.ID(i), TS: b.TS(i), Type: clew.TypeSay, Say: clew.SayAPIReqDeleted, Role: clew.SpeakerSystem,
			Text: "The model call was " + how.reason + ".", AgentID: t.AgentID, MonitorID: clew.MainMonitor, TaskID: t.TaskID,
		}})
	}
	if t.Turn != nil {
		for _, in := range Waiting(t) {
			add(clew.EventModelMessage, &clew.ModelMessageData{TaskID: t.TaskID, AgentID: t.AgentID, MonitorID: t.MonitorID, Message: Heard(in, b.TS(how.at+len(events)))})
		}
	}
	for _, q := range s.Questions {
		if aboutOf(q).task == t.TaskID && q.RequestID() != how.except {
			add(clew.EventHitlResolved, &clew.HitlResolvedData{RequestID: q.RequestID(), Action: clew.ResolvedCancelled, Comment: how.reason, TaskID: t.TaskID})
		}
	}
	if !how.ends {
		add(clew.EventTaskIdle, &clew.TaskIdleData{TaskRef: t.TaskRef})
	}
	return events
}

// closeUnfinished gives every open call a result.
func closeUnfinished(t *Task, how closing) []clew.Event {
	var events []clew.Event
	for i := range t.Calls {
		c := &t.Calls[i]
		switch c.Status {
		case CallDone:
		case CallChild:
			if how.ends {
				events = append(events, result(t, c, "The subtask was "+how.reason+".", how.reason, nil))
			}
		case CallRunning:
			if how.calls {
				continue
			}
			e := result(t, c, "This call was "+how.reason+" while it was running. It may have taken effect in part.", how.reason, nil)
			e.Data.(*clew.ToolProgressData).InDoubt = c.Class != clew.ClassReadOnly && c.Class != clew.ClassRepeatable
			events = append(events, e)
		case CallProposed, CallAsked, CallApproved:
			events = append(events, result(t, c, "This call was "+how.reason+" before it began. It was not run.", how.reason, nil))
		}
	}
	return events
}

// Waiting lists what the model has not heard yet.
func Waiting(t *Task) []Input {
	var list []Input
	if t.Turn != nil && t.Turn.Prompt != nil {
		list = append(list, *t.Turn.Prompt)
	}
	return append(list, t.Inbox...)
}

// Heard is an input as the model gets it.
func Heard(in Input, now int64) clew.ModelMessage {
	m := clew.ModelMessage{Role: clew.SpeakerUser, TS: now, MessageID: in.MessageID}
	if in.Text != "" {
		m.Content = append(m.Content, clew.Part{Type: clew.PartText, Text: in.Text})
	}
	for _, image := range in.Images {
		m.Content = append(m.Content, clew.Part{Type: clew.PartImage, Images: []string{image}})
	}
	if len(m.Content) == 0 {
		m.Content = clew.List[clew.Part]{{Type: clew.PartText, Text: "Go on."}}
	}
	return m
}
