package decide

import (
	"slices"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/session/core"
	"github.com/clew-run/clew/internal/session/prompt"
)

// decideControl takes the commands that stop, put away and take up work.
func decideControl(tx *Tx, s *core.State, cmd clew.Command) error {
	switch d := cmd.Data.(type) {
	case *clew.InterruptData, *clew.InterruptAgentData:
		return decideStop(tx, s, cmd, &StopCommand{Command: cmd.Data})
	case *StopCommand:
		return decideStop(tx, s, cmd, d)
	case *clew.ControlCancelData, *clew.ClearTaskData, *clew.ResetData, *clew.ControlSkipData, *clew.RemoveMonitorData:
		return decideStop(tx, s, cmd, &StopCommand{Command: cmd.Data})
	case *clew.ControlPauseData, *clew.ControlResumeData, *clew.ControlRetryData, *clew.EditPlanData:
		return decideRun(tx, s, cmd, nil)
	case *clew.ResumeTaskData:
		return decideResume(tx, s, d)
	case *clew.CondenseContextData:
		return decideCondense(tx, s, d)
	}
	return clew.Errorf(clew.SessionInvalidState, "this server cannot do %s yet", cmd.Type)
}

// StopCommand is a command that stops work, with the text that was streamed so
// far, which the state knows only up to its last snapshot.
type StopCommand struct {
	Command  any
	Streamed streams
}

func decideStop(tx *Tx, s *core.State, cmd clew.Command, d *StopCommand) error {
	cmd.Data = d.Command
	switch c := d.Command.(type) {
	case *clew.InterruptAgentData:
		return decideInterrupt(tx, s, cmd.By.User, c.Agent, d.Streamed)
	case *clew.ControlSkipData:
		return decideRun(tx, s, cmd, d.Streamed)
	case *clew.ControlCancelData:
		return decideCancel(tx, s, cmd, c, d.Streamed)
	case *clew.ClearTaskData:
		return decideClear(tx, s, cmd.By.User, c, d.Streamed)
	case *clew.RemoveMonitorData:
		return decideRemoveMonitor(tx, s, cmd.By.User, c, d.Streamed)
	case *clew.UserInteractionData:
		return decideInteraction(tx, s, cmd.By.User, c, d.Streamed)
	case *clew.ResetData:
		decideReset(tx, s, cmd.By.User, d.Streamed)
		return nil
	}
	return decideInterrupt(tx, s, cmd.By.User, "", d.Streamed)
}

// decideInterrupt ends the turns under way, or those of one agent. The work
// stays: a task that waits for its child still does, and a run is paused.
func decideInterrupt(tx *Tx, s *core.State, by clew.UserID, agent string, streamed streams) error {
	found := agent == ""
	named := addresses(s, agent)
	for _, m := range s.AllMonitors() {
		ofRun, err := interruptRun(tx, s, m.ID, by, agent, streamed)
		if err != nil {
			return err
		}
		found = found || ofRun
	}
	free := map[clew.MonitorID]bool{} // where somebody became free
	var beside []*core.Task
	over := map[clew.TaskID]bool{} // delegated tasks that end, with all below them
	for _, t := range s.SortedTasks() {
		if over[t.ParentTaskID] {
			over[t.TaskID] = true
			continue
		}
		if !named(t) || s.ActiveRun(t) != nil {
			continue
		}
		found = true
		how := TurnEnd{Reason: "interrupted by the user", Code: clew.EndInterrupted, by: by}
		if t.Wake && !t.Ended() { // nobody could take it up again
			endDelegated(tx, s, t, streamed, how)
			over[t.TaskID] = true
			continue
		}
		if t.Turn == nil || t.AwaitingChild != "" {
			continue
		}
		CloseTurn(tx, s, t, streamed, how)
		if s.Beside(t) {
			beside = append(beside, t)
			continue
		}
		free[t.MonitorID] = true
	}
	if !found {
		return clew.Errorf(clew.TaskNotFound, "no agent %s", agent)
	}
	for _, m := range s.AllMonitors() {
		if free[m.ID] {
			startNext(tx, s, m.ID, "")
		}
	}
	for _, t := range beside {
		goOn(tx, s, t, "")
	}
	return nil
}

// addresses says which tasks a name stands for: the turn of this name, else all that the
// agent of this name does. A window's agent and its turn may be called the same, and then
// presses that run beside it are not meant.
func addresses(s *core.State, agent string) func(*core.Task) bool {
	if agent == "" {
		return func(*core.Task) bool { return true }
	}
	for _, t := range s.Tasks {
		if t.Role() == agent {
			return func(t *core.Task) bool { return t.Role() == agent }
		}
	}
	return func(t *core.Task) bool { return string(t.AgentID) == agent }
}

// interruptRun is decideInterrupt for the run under way on a monitor, if there is
// one. found says that nobody else has to be looked for.
func interruptRun(tx *Tx, s *core.State, on clew.MonitorID, by clew.UserID, agent string, streamed streams) (found bool, err error) {
	root := s.CurrentRun(on)
	if root == nil || s.ActiveRun(root) == nil {
		return false, nil
	}
	cur := s.Focused(on)
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
func decideCancel(tx *Tx, s *core.State, cmd clew.Command, d *clew.ControlCancelData, streamed streams) error {
	id := d.TaskID
	if id == "" {
		if t := s.Focused(d.MonitorID); t != nil {
			id = t.RootTaskID
		}
	}
	t, root := s.Task(id), s.CurrentRun(d.MonitorID)
	switch {
	case t != nil && t.Run != nil && (t.Turn == nil || s.ActiveRun(t) != nil), d.TaskID == "" && root != nil && s.ActiveRun(root) != nil:
		return decideRun(tx, s, cmd, streamed)
	case t != nil && s.WorksOnTodo(t):
		cmd.Data = &clew.ControlSkipData{TodoID: t.TodoID, Reason: d.Reason, MonitorID: t.MonitorID}
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
	if t.Wake {
		endDelegated(tx, s, t, streamed, TurnEnd{Reason: reason, Code: clew.EndCancelled, by: cmd.By.User})
		return nil
	}
	parent := s.Task(t.ParentTaskID)
	if parent != nil && s.BusyOutside(t) { // its parent would go on beside another
		return clew.Errorf(clew.SessionInvalidState, "another task is under way")
	}
	how := TurnEnd{Reason: reason, Code: clew.EndCancelled, by: cmd.By.User}
	abort(tx, s, t, streamed, how)
	if parent != nil && parent.AwaitingChild == t.TaskID {
		resumeParent(tx, s, parent, t, "The subtask was cancelled by the user.", how)
		return nil
	}
	if cur := s.Focused(t.MonitorID); cur != nil && cur.RootTaskID == t.RootTaskID { // what is said next is not for a child that ended
		focus(tx, s, t.TaskRef)
		s = s.WithFocus(t.MonitorID, t.TaskID)
	}
	if s.Beside(t) || !s.BusyOutside(t) {
		goOn(tx, s, t, t.RootTaskID)
	}
	return nil
}

// resumeParent wakes the parent of a task that ended. how says why, if it did not end
// well.
func resumeParent(tx *Tx, s *core.State, parent, child *core.Task, text string, how TurnEnd) {
	if c := parent.Call(child.ToolCallID); c != nil {
		ended(tx, parent, c, text, how)
	}
	tx.Add(&clew.TaskUnpausedData{
		TaskRef: parent.TaskRef, CompletedByChildID: child.TaskID, CompletionResultSummary: clew.Clip(text, 500),
	})
	for _, in := range child.Inbox { // what it was told and had not heard
		acceptMessage(tx, parent, in.MessageID, "", clew.DeliverySteer)
	}
	if cur := s.Focused(parent.MonitorID); s.ActiveRun(parent) == nil && !s.Beside(parent) && (cur == nil || cur.RootTaskID == parent.RootTaskID) {
		focus(tx, s, parent.TaskRef)
	}
	TaskStateEvent(tx, parent.TaskRef, clew.TaskStateRunning, "")
}

// abort ends a task and its children, the youngest first.
func abort(tx *Tx, s *core.State, t *core.Task, streamed streams, how TurnEnd) {
	for _, c := range s.TasksOfTree(t.RootTaskID) {
		if c.ParentTaskID == t.TaskID && !c.Ended() {
			abort(tx, s, c, streamed, how)
		}
	}
	end := how
	end.Ends = true
	CloseTurn(tx, s, t, streamed, end)
	tx.Add(&clew.TaskAbortedData{TaskRef: t.TaskRef, Reason: how.Reason, Outcome: how.outcome()})
}

// decideClear puts a task away without ending it.
func decideClear(tx *Tx, s *core.State, by clew.UserID, d *clew.ClearTaskData, streamed streams) error {
	t := s.Addressed(clew.MainMonitor, d.TaskID)
	if t == nil {
		if d.TaskID == "" {
			return nil
		}
		return clew.Errorf(clew.TaskNotFound, "no task %s", d.TaskID)
	}
	if s.ActiveRun(t) != nil {
		return clew.Errorf(clew.SessionInvalidState, "the task has a run under way: pause or cancel it")
	}
	for _, x := range s.TasksOfTree(t.RootTaskID) {
		if x.Turn != nil && x.AwaitingChild == "" || s.BlockingQuestion(x.TaskID) != nil {
			CloseTurn(tx, s, x, streamed, TurnEnd{Reason: "put away by the user", Code: clew.EndPutAway, by: by})
		}
	}
	tx.Add(&clew.TaskUnfocusedData{TaskRef: t.TaskRef, PutAway: true})
	if s.Beside(t) || s.BusyOutside(t) {
		return nil
	}
	after := *s
	after.Questions = slices.DeleteFunc(slices.Clone(s.Questions), func(q clew.Question) bool {
		x := s.Task(core.SubjectOfQuestion(q).Task)
		return x != nil && x.RootTaskID == t.RootTaskID
	})
	if s.Monitor(t.MonitorID).Current == t.TaskID {
		after = *after.WithFocus(t.MonitorID, "")
	}
	startNext(tx, &after, t.MonitorID, "")
	return nil
}

// decideReset ends everything, also what waits and what agents were yet to be told: the
// next message starts from nothing.
// Monitors and windows stay.
func decideReset(tx *Tx, s *core.State, by clew.UserID, streamed streams) {
	how := TurnEnd{Reason: "reset by the user", Code: clew.EndReset, by: by}
	for _, t := range s.SortedTasks() {
		endTree(tx, s, t, streamed, how)
	}
	for _, m := range s.AllMonitors() {
		if t := s.Focused(m.ID); t != nil {
			tx.Add(&clew.TaskUnfocusedData{TaskRef: t.TaskRef, PutAway: true})
		}
		for ids := m.QueueIDs(); len(ids) > 0; ids = ids[1:] {
			tx.Add(&clew.QueueChangedData{Queue: ids[1:], Removed: ids[0]})
		}
	}
	if s.AtWork() || len(s.Timeline.Entries) > 0 || len(s.Reload.Entries) > 0 { // with what ends here
		tx.Add(&clew.QueueChangedData{Queue: clew.List[clew.MessageID]{}, Reset: true})
	}
}

// decideResume asks whether a task shall be taken up again.
func decideResume(tx *Tx, s *core.State, d *clew.ResumeTaskData) error {
	t := s.Task(d.TaskID)
	if t == nil {
		return clew.Errorf(clew.TaskNotFound, "no task %s", d.TaskID)
	}
	switch {
	case t.Turn != nil:
		return clew.Errorf(clew.SessionInvalidState, "the task is under way")
	case s.AtWorkOn(t.MonitorID):
		return clew.Errorf(clew.SessionInvalidState, "another task is under way")
	case s.BlockingQuestion(t.TaskID) != nil:
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
func AskApproval(tx *Tx, s *core.State, t *core.Task, q clew.HitlApprovalRequestData) {
	was, _ := s.TaskState(t.TaskID)
	d := newApproval(tx, s, t, q)
	if is := d.Ask.State(); was != is && was == clew.TaskStateRunning {
		TaskStateEvent(tx, t.TaskRef, is, d.RequestID)
	}
}

// newApproval is AskApproval for a task whose state stays what it is.
func newApproval(tx *Tx, s *core.State, t *core.Task, q clew.HitlApprovalRequestData) *clew.HitlApprovalRequestData {
	prepareAsking(s, &q.Asking, t, tx)
	q.InputText = core.ExactText(q.Input)
	if q.Todo == nil {
		q.Todo = todoOfQuestion(s, t, q.TodoID)
	}
	m := AskMessage(t, q.Ask, q.RequestID, q.ToolCallID, q.Reason)
	if q.ToolCallID != "" && q.Tool != "" {
		m.Tool = clew.NewMessageTool(q.Tool, q.Input, q.Effect)
	}
	tx.Say(m)
	tx.Add(&q)
	return &q
}

// AskMessage is the message that shows a question in the transcript.
func AskMessage(t *core.Task, ask clew.Ask, id clew.RequestID, call, text string) clew.Message {
	return clew.Message{
		Type: clew.TypeAsk, Ask: ask, Role: clew.SpeakerAssistant, Text: text,
		AgentID: t.AgentID, MonitorID: t.MonitorID, TaskID: t.TaskID, RequestID: id, ToolCallID: call,
	}
}

// CloseUnfinished gives every open call a result.
func CloseUnfinished(tx *Tx, t *core.Task, how TurnEnd) {
	for i := range t.Calls {
		c := &t.Calls[i]
		switch c.Status {
		case core.CallDone:
		case core.CallChild:
			if how.Ends {
				ended(tx, t, c, "The subtask was "+how.Reason+".", how)
			}
		case core.CallRunning, core.CallApp, core.CallCell:
			if how.calls && c.Status == core.CallRunning {
				continue
			}
			if how.rewoundInto {
				ended(tx, t, c, "The session was rewound to before this call finished. Check what it did before you repeat it.", how)
				continue
			}
			d := ended(tx, t, c, "This call was "+how.Reason+" while it was running. It may have taken effect in part.", how)
			d.InDoubt = c.Class != clew.ClassReadOnly && c.Class != clew.ClassRepeatable
		case core.CallProposed, core.CallAsked, core.CallApproved:
			if how.rewoundInto {
				ended(tx, t, c, "The session was rewound to before this call began.", how)
				continue
			}
			ended(tx, t, c, "This call was "+how.Reason+" before it began. It was not run.", how)
		}
	}
}

// Waiting lists what the model has not heard yet.
func Waiting(t *core.Task) []core.Input {
	var list []core.Input
	if t.Turn != nil && t.Turn.Prompt != nil {
		list = append(list, *t.Turn.Prompt)
	}
	return append(list, t.Inbox...)
}

// Heard is an input as the model gets it.
func Heard(in core.Input, now int64) clew.ModelMessage {
	m := clew.ModelMessage{Role: clew.SpeakerUser, TS: now, MessageID: in.MessageID}
	switch {
	case in.Component != nil:
		m.Content = append(m.Content, clew.Part{Type: clew.PartText, Text: prompt.ComponentUse(in.WindowID, *in.Component)})
	case in.Text != "" && in.WindowID != "":
		m.Content = append(m.Content, clew.Part{Type: clew.PartText, Text: heardInWindow(in)})
	case in.Text != "":
		m.Content = append(m.Content, clew.Part{Type: clew.PartText, Text: in.Text})
	}
	for _, image := range in.Images {
		m.Content = append(m.Content, clew.Part{Type: clew.PartImage, Images: []string{image}})
	}
	if len(m.Content) == 0 {
		m.Content = clew.List[clew.Part]{{Type: clew.PartText, Text: "Continue."}}
	}
	return m
}
