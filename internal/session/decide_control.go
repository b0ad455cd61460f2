package session

import (
	"slices"
	"strings"

	"github.com/clew-run/clew"
)

// decideControl takes the commands that stop, put away and take up work.
func decideControl(tx *Tx, s *State, cmd clew.Command) error {
	switch d := cmd.Data.(type) {
	case *clew.InterruptData, *clew.InterruptAgentData:
		return decideStop(tx, s, cmd, &stopCommand{command: cmd.Data})
	case *stopCommand:
		return decideStop(tx, s, cmd, d)
	case *clew.ControlCancelData, *clew.ClearTaskData, *clew.ResetData, *clew.ControlSkipData:
		return decideStop(tx, s, cmd, &stopCommand{command: cmd.Data})
	case *clew.ControlPauseData, *clew.ControlResumeData, *clew.ControlRetryData, *clew.EditPlanData:
		return decideRun(tx, s, cmd, nil)
	case *clew.ResumeTaskData:
		return decideResume(tx, s, d)
	case *clew.CondenseContextData:
		return decideCondense(tx, s, d)
	}
	return clew.Errorf(clew.SessionInvalidState, "this server cannot do %s yet", cmd.Type)
}

// stopCommand is a command that stops work, with the text that was streamed so
// far, which the state knows only up to its last snapshot.
type stopCommand struct {
	command  any
	streamed streams
}

func decideStop(tx *Tx, s *State, cmd clew.Command, d *stopCommand) error {
	cmd.Data = d.command
	switch c := d.command.(type) {
	case *clew.InterruptAgentData:
		return decideInterrupt(tx, s, cmd.By.User, c.Agent, d.streamed)
	case *clew.ControlSkipData:
		return decideRun(tx, s, cmd, d.streamed)
	case *clew.ControlCancelData:
		return decideCancel(tx, s, cmd, c, d.streamed)
	case *clew.ClearTaskData:
		return decideClear(tx, s, cmd.By.User, c, d.streamed)
	case *clew.ResetData:
		decideReset(tx, s, cmd.By.User, d.streamed)
		return nil
	}
	return decideInterrupt(tx, s, cmd.By.User, "", d.streamed)
}

// decideInterrupt ends the turns under way, or those of one agent. The work
// stays: a task that waits for its child still does, and a run is paused.
func decideInterrupt(tx *Tx, s *State, by clew.UserID, agent string, streamed streams) error {
	found, err := interruptRun(tx, s, by, agent, streamed)
	if err != nil {
		return err
	}
	ofRun := tx.Len()
	for _, t := range s.sortedTasks() {
		if s.activeRun(t) != nil {
			continue
		}
		if agent != "" && string(t.AgentID) != agent && (t.Turn == nil || string(t.AgentID)+"-"+string(t.Turn.ID) != agent) {
			continue
		}
		found = true
		if t.Turn == nil || t.AwaitingChild != "" {
			continue
		}
		endTurn(tx, s, t, streamed, turnEnd{reason: "interrupted by the user", code: clew.EndInterrupted, by: by})
	}
	if !found {
		return clew.Errorf(clew.TaskNotFound, "no agent %s", agent)
	}
	if tx.Len() > ofRun { // somebody became free
		startNext(tx, s, "")
	}
	return nil
}

// interruptRun is decideInterrupt for the run under way, if there is one. found
// says that nobody else has to be looked for.
func interruptRun(tx *Tx, s *State, by clew.UserID, agent string, streamed streams) (found bool, err error) {
	root := s.currentRun()
	if root == nil || s.activeRun(root) == nil {
		return agent == "", nil
	}
	cur := s.Task(s.Current)
	if agent == string(root.AgentID) && cur != nil && cur.RootTaskID != root.TaskID {
		return false, nil // the agent of the same name in the conversation in focus
	}
	err = stepRun(tx, s, root).interrupted(by, agent, streamed)
	if agent != "" && clew.CodeOf(err) == clew.TaskNotFound { // perhaps beside the run
		return false, nil
	}
	return true, err
}

// decideCancel ends a task and all below it. A parent that waited for it goes
// on; without a name the whole tree in focus ends.
func decideCancel(tx *Tx, s *State, cmd clew.Command, d *clew.ControlCancelData, streamed streams) error {
	id := d.TaskID
	if id == "" {
		if t := s.Task(s.Current); t != nil {
			id = t.RootTaskID
		}
	}
	t := s.Task(id)
	switch {
	case t != nil && t.Run != nil && (t.Turn == nil || s.activeRun(t) != nil), d.TaskID == "" && s.currentRun() != nil && s.activeRun(s.currentRun()) != nil:
		return decideRun(tx, s, cmd, streamed)
	case t != nil && s.worksOnTodo(t):
		cmd.Data = &clew.ControlSkipData{TodoID: t.TodoID, Reason: d.Reason}
		return decideRun(tx, s, cmd, streamed)
	case t == nil && d.TaskID == "":
		return nil
	case t == nil:
		return clew.Errorf(clew.TaskNotFound, "no task %s", id)
	case t.Ended():
		return nil
	}
	reason := "cancelled by the user" // it completes a sentence
	if d.Reason != "" {
		reason += ": " + d.Reason
	}
	parent := s.Task(t.ParentTaskID)
	if parent != nil && s.busyOutside(t.RootTaskID) { // its parent would go on beside another
		return clew.Errorf(clew.SessionInvalidState, "another task is under way")
	}
	how := turnEnd{reason: reason, code: clew.EndCancelled, by: cmd.By.User}
	abort(tx, s, t, streamed, how)
	if parent != nil && parent.AwaitingChild == t.TaskID {
		resumeParent(tx, s, parent, t, "The subtask was cancelled by the user.", how)
		return nil
	}
	if cur := s.Task(s.Current); cur != nil && cur.RootTaskID == t.RootTaskID { // what is said next is not for a child that ended
		focus(tx, s, t.TaskRef)
		s = focused(s, t.TaskID)
	}
	if !s.busyOutside(t.RootTaskID) {
		startNext(tx, s, t.RootTaskID)
	}
	return nil
}

// resumeParent wakes the parent of a task that ended. how says why, if it did not end
// well.
func resumeParent(tx *Tx, s *State, parent, child *Task, text string, how turnEnd) {
	if c := parent.Call(child.ToolCallID); c != nil {
		ended(tx, parent, c, text, how)
	}
	tx.Add(&clew.TaskUnpausedData{
		TaskRef: parent.TaskRef, CompletedByChildID: child.TaskID, CompletionResultSummary: clip(text, 500),
	})
	for _, in := range child.Inbox { // what it was told and had not heard
		acceptMessage(tx, parent, in.MessageID, "", clew.DeliverySteer)
	}
	if cur := s.Task(s.Current); s.activeRun(parent) == nil && (cur == nil || cur.RootTaskID == parent.RootTaskID) {
		focus(tx, s, parent.TaskRef)
	}
	taskStateEvent(tx, parent.TaskRef, clew.TaskStateRunning, "")
}

// abort ends a task and its children, the youngest first.
func abort(tx *Tx, s *State, t *Task, streamed streams, how turnEnd) {
	for _, c := range s.tasksOfTree(t.RootTaskID) {
		if c.ParentTaskID == t.TaskID && !c.Ended() {
			abort(tx, s, c, streamed, how)
		}
	}
	end := how
	end.ends = true
	endTurn(tx, s, t, streamed, end)
	tx.Add(&clew.TaskAbortedData{TaskRef: t.TaskRef, Reason: how.reason, Outcome: how.outcome()})
}

// decideClear puts a task away without ending it.
func decideClear(tx *Tx, s *State, by clew.UserID, d *clew.ClearTaskData, streamed streams) error {
	id := d.TaskID
	if id == "" {
		id = s.Current
	}
	t := s.Task(id)
	if t == nil {
		if d.TaskID == "" {
			return nil
		}
		return clew.Errorf(clew.TaskNotFound, "no task %s", id)
	}
	if s.activeRun(t) != nil {
		return clew.Errorf(clew.SessionInvalidState, "the task has a run under way: pause or cancel it")
	}
	for _, x := range s.tasksOfTree(t.RootTaskID) {
		if x.Turn != nil && x.AwaitingChild == "" || s.blockingQuestion(x.TaskID) != nil {
			endTurn(tx, s, x, streamed, turnEnd{reason: "put away by the user", code: clew.EndPutAway, by: by})
		}
	}
	tx.Add(&clew.TaskUnfocusedData{TaskRef: t.TaskRef, PutAway: true})
	if s.busyOutside(t.RootTaskID) {
		return nil
	}
	after := *s
	after.Questions = slices.DeleteFunc(slices.Clone(s.Questions), func(q clew.Question) bool {
		x := s.Task(subjectOfQuestion(q).task)
		return x != nil && x.RootTaskID == t.RootTaskID
	})
	if s.Current == t.TaskID {
		after.Current = ""
	}
	startNext(tx, &after, "")
	return nil
}

// decideReset ends everything: the next message starts from nothing.
func decideReset(tx *Tx, s *State, by clew.UserID, streamed streams) {
	how := turnEnd{reason: "reset by the user", code: clew.EndReset, by: by}
	for _, t := range s.sortedTasks() {
		switch {
		case t.ParentTaskID != "" || t.Ended():
		case s.activeRun(t) != nil:
			stepRun(tx, s, t).cancel(streamed, how)
		default:
			abort(tx, s, t, streamed, how)
		}
	}
	if t := s.Task(s.Current); t != nil {
		tx.Add(&clew.TaskUnfocusedData{TaskRef: t.TaskRef, PutAway: true})
	}
	if len(s.Queue) == 0 {
		return
	}
	first := s.Queue[0]
	first.New = true
	startTurn(tx, focused(s, ""), first, first.Client)
}

// decideResume asks whether a task shall be taken up again.
func decideResume(tx *Tx, s *State, d *clew.ResumeTaskData) error {
	t := s.Task(d.TaskID)
	if t == nil {
		return clew.Errorf(clew.TaskNotFound, "no task %s", d.TaskID)
	}
	switch {
	case t.Turn != nil:
		return clew.Errorf(clew.SessionInvalidState, "the task is under way")
	case s.AtWork():
		return clew.Errorf(clew.SessionInvalidState, "another task is under way")
	case s.blockingQuestion(t.TaskID) != nil:
		return nil // asked already
	case len(t.History) == 0 && t.Steps == 0 && (t.Ended() || t.Dismissed):
		return clew.Errorf(clew.SessionInvalidState, "the task is too old to be taken up again")
	}
	ask, text := clew.AskResumeTask, "Take this task up again?"
	if t.Status == clew.TaskStatusCompleted {
		ask, text = clew.AskResumeCompletedTask, "This task is done. Take it up again?"
	}
	AskApproval(tx, s, t, clew.HitlApprovalRequestData{Ask: ask, Reason: text, Options: clew.List[clew.Choice]{clew.ChoiceApprove, clew.ChoiceReject}})
	return nil
}

// AskApproval puts a question about a task: the ask in the transcript, its announcement,
// and what the task is doing from then on.
func AskApproval(tx *Tx, s *State, t *Task, q clew.HitlApprovalRequestData) {
	was, _ := s.taskState(t.TaskID)
	d := askApproval(tx, s, t, q)
	if is := d.Ask.State(); was != is && was == clew.TaskStateRunning {
		taskStateEvent(tx, t.TaskRef, is, d.RequestID)
	}
}

// askApproval is Ask for a task whose state stays what it is.
func askApproval(tx *Tx, s *State, t *Task, q clew.HitlApprovalRequestData) *clew.HitlApprovalRequestData {
	s.prepareAsking(&q.Asking, t, tx)
	q.InputText = exactText(q.Input)
	if q.Todo == nil {
		q.Todo = s.todoOfQuestion(t, q.TodoID)
	}
	m := askMessage(t, q.Ask, q.RequestID, q.ToolCallID, q.Reason)
	if q.ToolCallID != "" && q.Tool != "" {
		m.Tool = clew.NewMessageTool(q.Tool, q.Input, q.Effect)
	}
	tx.Say(m)
	tx.Add(&q)
	return &q
}

func askMessage(t *Task, ask clew.Ask, id clew.RequestID, call, text string) clew.Message {
	return clew.Message{
		Type: clew.TypeAsk, Ask: ask, Role: clew.SpeakerAssistant, Text: text,
		AgentID: t.AgentID, MonitorID: clew.MainMonitor, TaskID: t.TaskID, RequestID: id, ToolCallID: call,
	}
}

// turnEnd says how a turn is closed.
type turnEnd struct {
	reason   string         // in words; it completes the sentence "This call was …"
	code     clew.EndCode   // the same for programs, "" if nothing ended early
	by       clew.UserID    // who wanted it, "" if nobody did
	message  string         // what people are told of it, if not the reason
	except   clew.RequestID // a question that is settled already
	ends     bool           // the task ends: no task_idle, and calls to children are closed too
	calls    bool           // the calls under way have their results already
	truncate bool           // texts are cut short: whole, they did not fit one batch
}

// cutRunes is what is left of a text that does not fit.
const cutRunes = 2000

// endTurn ends a task's turn in the middle so that nothing dangles: open text
// is closed as it stands, every call has a result, no question is left, and
// what the model has not heard yet is in its history.
func endTurn(tx *Tx, s *State, t *Task, streamed streams, how turnEnd) {
	var said string
	for _, m := range s.Messages.Growing() {
		if m = withoutOutcome(m); m.TaskID != t.TaskID {
			continue
		}
		if o, ok := streamed[m.MessageID]; ok {
			m.Text, m.Reasoning = o.Text, o.Reasoning
		}
		m.Partial, m.Text = false, strings.TrimRight(m.Text, " ")
		if how.truncate {
			m.Text, m.Reasoning = clip(m.Text, cutRunes), clip(m.Reasoning, cutRunes)
		}
		if m.Say == clew.SayText {
			said = m.Text
		}
		tx.Update(m)
	}
	closeUnfinished(tx, t, how)
	if t.Request != "" {
		if said != "" {
			tx.Add(&clew.ModelMessageData{TaskID: t.TaskID, AgentID: t.AgentID, MonitorID: t.MonitorID, Message: clew.ModelMessage{
				Role: clew.SpeakerAssistant, TS: tx.NextTS(), MessageID: t.Request,
				Content: clew.List[clew.Part]{{Type: clew.PartText, Text: said}},
			}})
		}
		tx.Say(clew.Message{
			Type: clew.TypeSay, Say: clew.SayAPIReqDeleted, Role: clew.SpeakerSystem,
			Text: "The model call was " + how.reason + ".", AgentID: t.AgentID, MonitorID: clew.MainMonitor, TaskID: t.TaskID,
			StoppedBy: how.by, WhyCode: how.code,
		})
	}
	if t.Turn != nil {
		for _, in := range Waiting(t) {
			tx.Add(&clew.ModelMessageData{TaskID: t.TaskID, AgentID: t.AgentID, MonitorID: t.MonitorID, Message: Heard(in, tx.NextTS())})
		}
	}
	for _, q := range s.Questions {
		if subjectOfQuestion(q).task == t.TaskID && q.RequestID() != how.except {
			tx.Add(&clew.HitlResolvedData{RequestID: q.RequestID(), Action: clew.ResolvedCancelled, Comment: how.reason, WhyCode: how.code, TaskID: t.TaskID})
		}
	}
	if !how.ends {
		tx.Add(&clew.TaskIdleData{TaskRef: t.TaskRef, Outcome: how.outcome()})
	}
}

// closeUnfinished gives every open call a result.
func closeUnfinished(tx *Tx, t *Task, how turnEnd) {
	for i := range t.Calls {
		c := &t.Calls[i]
		switch c.Status {
		case CallDone:
		case CallChild:
			if how.ends {
				ended(tx, t, c, "The subtask was "+how.reason+".", how)
			}
		case CallRunning:
			if how.calls {
				continue
			}
			d := ended(tx, t, c, "This call was "+how.reason+" while it was running. It may have taken effect in part.", how)
			d.InDoubt = c.Class != clew.ClassReadOnly && c.Class != clew.ClassRepeatable
		case CallProposed, CallAsked, CallApproved:
			ended(tx, t, c, "This call was "+how.reason+" before it began. It was not run.", how)
		}
	}
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
