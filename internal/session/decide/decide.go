package decide

import (
	"maps"
	"reflect"
	"slices"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/session/core"
)

// Decide says which events a command leads to in a state, or why it is refused.
// It is pure: it changes nothing and knows no clock but now (Unix ms).
func Decide(s *core.State, cmd clew.Command, now int64) (*Tx, error) {
	tx := NewTx(s, now)
	if c, ok := cmd.Data.(*SlotCommand); ok {
		cmd.Data, tx.slot = c.Command, c.Slot
	}
	if err := decide(tx, s, cmd); err != nil {
		return nil, err
	}
	core.Completed(s, tx.Events())
	return tx, nil
}

func decide(tx *Tx, s *core.State, cmd clew.Command) error {
	if c, ok := cmd.Data.(*CreateCommand); ok {
		return decideCreate(tx, s, cmd, c)
	}
	if !s.Exists() {
		return clew.Errorf(clew.SessionNotFound, "no session %s", s.ID)
	}
	if err := checkPendingRewind(s, cmd.Data); err != nil {
		return err
	}
	if err := decideCommand(tx, s, cmd); err != nil {
		return err
	}
	return unarchiveOnActivity(tx, s, cmd)
}

func decideCommand(tx *Tx, s *core.State, cmd clew.Command) error {
	switch d := cmd.Data.(type) {
	case *TurnReport:
		return decideReport(tx, s, d)
	case *NotebookCommand:
		return decideNotebookReport(tx, s, d)
	case *clew.NotebookOpenData, *clew.NotebookEditData, *clew.NotebookRunData, *clew.NotebookSaveData, *clew.NotebookCloseData,
		*clew.KernelExecuteData, *clew.KernelInterruptData, *clew.KernelRestartData, *clew.KernelShutdownData:
		_, err := decideNotebook(tx, s, notebookActor{by: cmd.By.User}, d)
		return err
	case *clew.CheckpointRestoreData: // of kind notebook; the others are returns
		return notebookActor{by: cmd.By.User}.restore(tx, s, d)
	case *RewindCommand:
		return decideTravel(tx, s, cmd, d)
	case *SystemNote:
		decideRemark(tx, s, cmd, d)
		return nil
	case *TimeoutCommand:
		decideExpire(tx, s, d)
		return nil
	case *FilesBackCommand:
		decideFilesBack(tx, s, d)
		return nil
	case *clew.UserMessageData:
		return decideUserMessage(tx, s, cmd, d)
	case *clew.EditQueuedData, *clew.RemoveQueuedData, *clew.MoveQueuedData, *clew.SendQueuedData:
		return decideQueue(tx, s, cmd)
	case *clew.NewTaskData:
		return decideNewTask(tx, s, cmd, d, nil)
	case *clew.ArchiveSessionData:
		return decideArchive(tx, s, cmd, d)
	case *clew.RenameSessionData:
		tx.Add(&clew.SessionRenamedData{Title: d.Title})
		return nil
	case *clew.SetAccessData:
		return decideAccess(tx, s, d)
	case *clew.UpdateSettingsData:
		return decideSettings(tx, s, cmd.By.User, d.Settings)
	case *clew.ForgetRuleData:
		return decideForget(tx, s, cmd.By.User, d)
	case *clew.AssignQuestionData:
		return decideAssign(tx, s, cmd, d)
	case *clew.UserInteractionData:
		return decideInteraction(tx, s, cmd.By.User, d, nil)
	case *clew.RenderingFeedbackData:
		decideRendering(tx, s, d)
		return nil
	case *clew.ToastActionData:
		decideToast(tx, s, cmd.By.User, d)
		return nil
	case *clew.WindowMessageData:
		return decideWindowMessage(tx, s, cmd, d)
	case *clew.ComponentActionData:
		return decideComponentAction(tx, s, cmd, d)
	case *clew.AppProtocolReadyData:
		return decideAppReady(tx, s, d)
	case *clew.AppProtocolResponseData:
		return decideAppResponse(tx, s, d)
	case *clew.AppCallData:
		return decideAppCall(tx, s, d)
	case *clew.HitlPlanResponseData, *clew.HitlApprovalResponseData, *clew.HitlInputResponseData,
		*clew.HitlClarificationResponseData, *clew.AskResponseData:
		return decideResponse(tx, s, cmd)
	}
	return decideControl(tx, s, cmd)
}

// CreateCommand is the command that makes a session; it has no name on the wire.
type CreateCommand struct {
	Owner     clew.UserID
	Title     string
	Workspace string
	Forked    *clew.ForkPoint
	Settings  map[string]any // of a fork: those that its parent has now
	Imported  *clew.SessionImportedData
	Node      string // that has the workspace, "" if there is one node
	// Environment is that of the owner's terminal, for commands.
	Environment map[string]string
}

// decideCreate makes the first record of a session's own. A fork and a session
// from elsewhere have a past by then, in which nobody goes on by themselves.
func decideCreate(tx *Tx, s *core.State, cmd clew.Command, c *CreateCommand) error {
	if s.Exists() && (c.Imported == nil || s.Owner != "") {
		return clew.Errorf(clew.SessionExists, "session %s exists already", s.ID)
	}
	if c.Imported != nil {
		tx.Add(c.Imported)
	} else {
		tx.Add(&clew.SessionCreatedData{Owner: c.Owner, Title: c.Title, Workspace: c.Workspace, ForkedFrom: c.Forked, Node: c.Node, Environment: c.Environment})
	}
	stopWork(tx, s, nil, TurnEnd{Reason: "left in the original session", Code: clew.EndForked, by: cmd.By.User})
	if c.Forked != nil || c.Imported != nil {
		reopenedQuestions(tx, s)
	}
	if c.Forked != nil {
		settingsChange(tx, s.Settings, c.Settings)
	}
	return nil
}

// settingsChange makes the record that turns a session's settings into others, if
// they differ. As with a rewind, a fork's settings do not go back: at that point
// they may have been a stranger's.
func settingsChange(tx *Tx, have, want map[string]any) {
	changes := map[string]any{}
	for key := range have {
		changes[key] = nil
	}
	for key, value := range want {
		changes[key] = value
	}
	maps.DeleteFunc(changes, func(key string, value any) bool { return reflect.DeepEqual(have[key], value) })
	if len(changes) > 0 {
		tx.Add(&clew.SettingsChangedData{Settings: changes})
	}
}

// TurnReport is what an agent's turn brings to the record; it has no name on the
// wire. Events of a turn that is over are dropped: it was interrupted.
type TurnReport struct {
	Task          clew.TaskID
	Turn          clew.MessageID
	LastRewindSeq uint64 // the session's last return when the agent began
	Intent        Intent
	Answer        chan<- clew.HitlResolvedData // gets the answer to the question that it asks, nil for most
}

func decideReport(tx *Tx, s *core.State, d *TurnReport) error {
	t := s.Task(d.Task)
	if t == nil || t.Turn == nil || t.Turn.ID != d.Turn || s.LastRewindSeq != d.LastRewindSeq {
		return clew.Errorf(clew.SessionInvalidState, "the turn is over")
	}
	var err error
	if tx.Result, err = d.Intent.decide(tx, s, t); err != nil {
		return err
	}
	over := false // nobody goes on at once
	ended := clew.TaskID("")
	unheard := len(t.Inbox)
	for i, e := range tx.Events() {
		switch e := e.Data.(type) {
		case *clew.ModelMessageData:
			if slices.ContainsFunc(t.Inbox, func(in core.Input) bool { return in.MessageID == e.Message.MessageID }) {
				unheard--
			}
		case *clew.TaskIdleData:
			if e.TaskID != t.TaskID {
				continue
			}
			if e.RequestID == "" && (unheard > 0 || t.Condense) { // somebody spoke meanwhile: the turn goes on
				tx.Truncate(i)
				return nil
			}
			over = over || e.RequestID == ""
		case *clew.TaskCompletedData:
			if e.TaskID == t.RootTaskID { // a run that is done
				ended = e.TaskID
			}
			over = over || e.TaskID == t.TaskID && !parentWaits(s, t)
		case *clew.TaskAbortedData:
			if e.TaskID == t.RootTaskID { // one that failed
				ended = e.TaskID
			}
			over = over || e.TaskID == t.TaskID && !parentWaits(s, t)
		}
	}
	if over {
		goOn(tx, s, t, ended)
	}
	if !over || s.Beside(t) {
		cancelAbandonedQuestions(tx, s, t)
	}
	return nil
}

// parentWaits reports whether a parent goes on once the task has ended.
func parentWaits(s *core.State, t *core.Task) bool {
	if s.WorksOnTodo(t) {
		return true
	}
	parent := s.Task(t.ParentTaskID)
	return parent != nil && parent.AwaitingChild == t.TaskID
}

// cancelAbandonedQuestions settles the questions of running tools that have their result in
// these events: they did not wait for the answer.
func cancelAbandonedQuestions(tx *Tx, s *core.State, t *core.Task) {
	var ids []clew.RequestID
	for _, e := range tx.Events() {
		d, ok := e.Data.(*clew.ToolProgressData)
		if !ok || d.Status == clew.ToolRunning {
			continue
		}
		if c := t.Call(d.ToolCallID); c == nil || c.Status != core.CallRunning {
			continue
		}
		for _, q := range s.Questions {
			if a := core.SubjectOfQuestion(q); a.Task == t.TaskID && a.Call == d.ToolCallID {
				ids = append(ids, q.RequestID())
				tx.Add(&clew.HitlResolvedData{
					RequestID: q.RequestID(), Action: clew.ResolvedCancelled, Comment: "ended without the answer", TaskID: t.TaskID,
				})
			}
		}
	}
	if len(ids) > 0 {
		stateAfter(tx, s, t, ids...)
	}
}

func decideAccess(tx *Tx, s *core.State, d *clew.SetAccessData) error {
	if d.UserID == s.Owner {
		return clew.Errorf(clew.SessionInvalidState, "the owner's rights cannot be changed")
	}
	if s.Access[d.UserID] == d.Role {
		return nil
	}
	if _, known := s.Access[d.UserID]; !known && len(s.Access) >= core.AccessMax {
		return clew.Errorf(clew.SessionInvalidState, "%d users have access already", len(s.Access))
	}
	tx.Add(&clew.AccessChangedData{UserID: d.UserID, Role: d.Role})
	return nil
}

func decideSettings(tx *Tx, s *core.State, by clew.UserID, changes map[string]any) error {
	if s.Rules == nil {
		return clew.Errorf(clew.SessionInvalidState, "this server has no settings")
	}
	if err := s.Rules.CheckSettings(changes); err != nil {
		return err
	}
	before := s.Rules.AutoApproval(s.Settings)
	tx.Add(&clew.SettingsChangedData{Settings: changes})
	next := core.State{Settings: s.Settings}
	core.ApplySettings(&next, &clew.SettingsChangedData{Settings: changes})
	if after := s.Rules.AutoApproval(next.Settings); after != before {
		tx.Add(&clew.AutoApprovalChangedData{AutoApprovalFlags: after})
		if before.AutoApprovalEnabled && !after.AutoApprovalEnabled { // whoever does that wants to be asked
			revokeRules(tx, s, by)
		}
	}
	return nil
}

// NewReply is the empty message that an agent's answer in a turn grows in.
func NewReply(id clew.MessageID, ts int64, on clew.MonitorID, t *core.Turn) clew.Message {
	return clew.Message{
		MessageID: id, TS: ts, Type: clew.TypeSay, Say: clew.SayText, Role: clew.SpeakerAssistant,
		Partial: true, AgentID: t.AgentID, MonitorID: on, TaskID: t.TaskID, ReplyTo: t.ID,
	}
}

// reopenedQuestions tells those who read a fork's records what became of the questions
// that are open in them.
func reopenedQuestions(tx *Tx, s *core.State) {
	for _, q := range s.Questions {
		if core.CellOfQuestion(q) != nil { // the cell runs elsewhere
			tx.Add(&clew.HitlResolvedData{RequestID: q.RequestID(), Action: clew.ResolvedCancelled, Comment: "the cell runs in another session"})
			answered(tx, s, q.Asking().MessageID)
			continue
		}
		data, err := clew.MarshalData(q.Data)
		if err != nil {
			continue
		}
		again, err := clew.DecodeEvent(q.Type, data) // a copy
		if err != nil {
			continue
		}
		a := clew.Question(again).Asking()
		a.RequestID = core.ForkedRequestID(s.ID, q.RequestID())
		tx.Add(&clew.HitlResolvedData{
			RequestID: q.RequestID(), Action: clew.ResolvedCancelled, Comment: "asked anew in this session", TaskID: a.TaskID,
		})
		tx.Add(again.Data)
	}
}
