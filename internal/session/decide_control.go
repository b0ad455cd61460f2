package session

import (
	"slices"
	"strings"

	"github.com/clew-run/clew"
)

// decideControl takes the commands that stop, put away and take up work.
func decideControl(s *State, cmd clew.Command, now int64) ([]clew.Event, error) {
	switch d := cmd.Data.(type) {
	case *clew.InterruptData, *clew.InterruptAgentData:
		return decideStop(s, cmd, &interruption{cmd: cmd.Data}, now)
	case *interruption:
		return decideStop(s, cmd, d, now)
	case *clew.ControlCancelData, *clew.ClearTaskData, *clew.ResetData, *clew.ControlSkipData:
		return decideStop(s, cmd, &interruption{cmd: cmd.Data}, now)
	case *clew.ControlPauseData, *clew.ControlResumeData, *clew.ControlRetryData, *clew.EditPlanData:
		return decideRun(s, cmd, nil, now)
	case *clew.ResumeTaskData:
		return decideResume(s, d, now)
	case *clew.CondenseContextData:
		return decideCondense(s, d)
	}
	return nil, clew.Errorf(clew.SessionInvalidState, "this server cannot do %s yet", cmd.Type)
}

// interruption is a command that stops work, with the text that was streamed so
// far, which the state knows only up to its last snapshot.
type interruption struct {
	cmd      any
	streamed streams
}

func decideStop(s *State, cmd clew.Command, d *interruption, now int64) ([]clew.Event, error) {
	cmd.Data = d.cmd
	switch c := d.cmd.(type) {
	case *clew.InterruptAgentData:
		return decideInterrupt(s, cmd.By.User, c.Agent, d.streamed, now)
	case *clew.ControlSkipData:
		return decideRun(s, cmd, d.streamed, now)
	case *clew.ControlCancelData:
		return decideCancel(s, cmd, c, d.streamed, now)
	case *clew.ClearTaskData:
		return decideClear(s, c, d.streamed, now)
	case *clew.ResetData:
		return decideReset(s, d.streamed, now)
	}
	return decideInterrupt(s, cmd.By.User, "", d.streamed, now)
}

// decideInterrupt ends the turns under way, or those of one agent. The work
// stays: a task that waits for its child still does, and a run is paused.
func decideInterrupt(s *State, by clew.UserID, agent string, streamed streams, now int64) ([]clew.Event, error) {
	b := batchAt(s, now)
	events, found, err := interruptRun(s, b, by, agent, streamed)
	if err != nil {
		return nil, err
	}
	ofRun := len(events)
	for _, t := range s.tasks() {
		if s.running(t) != nil {
			continue
		}
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
	if len(events) == ofRun { // nobody became free
		return events, nil
	}
	return append(events, startNext(s, "", b, len(events))...), nil
}

// interruptRun is decideInterrupt for the run under way, if there is one. found
// says that nobody else has to be looked for.
func interruptRun(s *State, b Batch, by clew.UserID, agent string, streamed streams) (events []clew.Event, found bool, err error) {
	root := s.theRun()
	if root == nil || s.running(root) == nil {
		return nil, agent == "", nil
	}
	cur := s.Task(s.Current)
	if agent == string(root.AgentID) && cur != nil && cur.RootTaskID != root.TaskID {
		return nil, false, nil // the agent of the same name in the conversation in focus
	}
	events, err = conduct(s, root, b, 0).interrupted(by, agent, streamed)
	switch {
	case agent == "":
		return events, true, err
	case clew.CodeOf(err) == clew.TaskNotFound: // perhaps beside the run
		return nil, false, nil
	}
	return events, true, err
}

// decideCancel ends a task and all below it. A parent that waited for it goes
// on; without a name the whole tree in focus ends.
func decideCancel(s *State, cmd clew.Command, d *clew.ControlCancelData, streamed streams, now int64) ([]clew.Event, error) {
	id := d.TaskID
	if id == "" {
		if t := s.Task(s.Current); t != nil {
			id = t.RootTaskID
		}
	}
	t := s.Task(id)
	switch {
	case t != nil && t.Run != nil && (t.Turn == nil || s.running(t) != nil), d.TaskID == "" && s.theRun() != nil && s.running(s.theRun()) != nil:
		return decideRun(s, cmd, streamed, now)
	case t != nil && s.carries(t):
		cmd.Data = &clew.ControlSkipData{TodoID: t.TodoID, Reason: d.Reason}
		return decideRun(s, cmd, streamed, now)
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
	events := abort(s, t, streamed, b, closing{reason: reason})
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
	if cur := s.Task(s.Current); s.running(parent) == nil && (cur == nil || cur.RootTaskID == parent.RootTaskID) {
		events = append(events, focus(s, parent.TaskRef)...)
	}
	return append(events, stateEvent(parent.TaskRef, clew.TaskStateRunning, ""))
}

// abort ends a task and its children, the youngest first.
func abort(s *State, t *Task, streamed streams, b Batch, how closing) []clew.Event {
	var events []clew.Event
	for _, c := range s.tree(t.RootTaskID) {
		if c.ParentTaskID == t.TaskID && !c.Ended() {
			below := how
			below.at += len(events)
			events = append(events, abort(s, c, streamed, b, below)...)
		}
	}
	end := how
	end.at, end.ends = how.at+len(events), true
	events = append(events, closeTurn(s, t, streamed, b, end)...)
	return append(events, clew.Event{Type: clew.EventTaskAborted, Data: &clew.TaskAbortedData{TaskRef: t.TaskRef, Reason: how.reason}})
}

// decideClear puts a task away without ending it.
func decideClear(s *State, d *clew.ClearTaskData, streamed streams, now int64) ([]clew.Event, error) {
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
	if s.running(t) != nil {
		return nil, clew.Errorf(clew.SessionInvalidState, "the task has a run under way: pause or cancel it")
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
	after := *s
	after.Questions = slices.DeleteFunc(slices.Clone(s.Questions), func(q clew.Question) bool {
		x := s.Task(aboutOf(q).task)
		return x != nil && x.RootTaskID == t.RootTaskID
	})
	if s.Current == t.TaskID {
		after.Current = ""
	}
	return append(events, startNext(&after, "", b, len(events))...), nil
}

// decideReset ends everything: the next message starts from nothing.
func decideReset(s *State, streamed streams, now int64) ([]clew.Event, error) {
	b := batchAt(s, now)
	var events []clew.Event
	for _, t := range s.tasks() {
		switch {
		case t.ParentTaskID != "" || t.Ended():
		case s.running(t) != nil:
			events = append(events, conduct(s, t, b, len(events)).cancel(streamed, "reset by the user")...)
		default:
			events = append(events, abort(s, t, streamed, b, closing{reason: "reset by the user", at: len(events)})...)
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
	return append(events, begin(focused(s, ""), first, first.Client, b, len(events))...), nil
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
	s.ask(&q.Asking, t, b, i)
	q.InputText = exactText(q.Input)
	if q.Todo == nil {
		q.Todo = s.askingTodo(t, q.TodoID)
	}
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
func closeTurn(s *State, t *Task, streamed streams, b Batch, how closing) []clew.Event {
	var events []clew.Event
	add := func(typ clew.EventType, data any) { events = append(events, clew.Event{Type: typ, Data: data}) }
	var said string
	for _, m := range s.Messages.Growing() {
		if m = recorded(m); m.TaskID != t.TaskID {
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
