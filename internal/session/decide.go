package session

import (
	"maps"
	"reflect"
	"slices"

	"github.com/clew-run/clew"
)

// Decide says which events a command leads to in a state, or why it is refused.
// It is pure: it changes nothing and knows no clock but now (Unix ms).
func Decide(s *State, cmd clew.Command, now int64) (*Tx, error) {
	tx := NewTx(s, now)
	if err := decide(tx, s, cmd); err != nil {
		return nil, err
	}
	completed(s, tx.Events())
	return tx, nil
}

func decide(tx *Tx, s *State, cmd clew.Command) error {
	if c, ok := cmd.Data.(*createCommand); ok {
		return decideCreate(tx, s, cmd, c)
	}
	if !s.Exists() {
		return clew.Errorf(clew.SessionNotFound, "no session %s", s.ID)
	}
	if err := s.checkPendingRewind(cmd.Data); err != nil {
		return err
	}
	if err := decideCommand(tx, s, cmd); err != nil {
		return err
	}
	return unarchiveOnActivity(tx, s, cmd)
}

func decideCommand(tx *Tx, s *State, cmd clew.Command) error {
	switch d := cmd.Data.(type) {
	case *turnReport:
		return decideReport(tx, s, d)
	case *rewindCommand:
		return decideTravel(tx, s, cmd, d)
	case *systemNote:
		decideRemark(tx, s, cmd, d)
		return nil
	case *timeoutCommand:
		decideExpire(tx, s, d)
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
		return decideInteraction(tx, s, d)
	case *clew.HitlPlanResponseData, *clew.HitlApprovalResponseData, *clew.HitlInputResponseData,
		*clew.HitlClarificationResponseData, *clew.AskResponseData:
		return decideResponse(tx, s, cmd)
	}
	return decideControl(tx, s, cmd)
}

// createCommand is the command that makes a session; it has no name on the wire.
type createCommand struct {
	owner     clew.UserID
	title     string
	workspace string
	forked    *clew.ForkPoint
	settings  map[string]any // of a fork: those that its parent has now
	imported  *clew.SessionImportedData
}

// decideCreate makes the first record of a session's own. A fork and a session
// from elsewhere have a past by then, in which nobody goes on by themselves.
func decideCreate(tx *Tx, s *State, cmd clew.Command, c *createCommand) error {
	if s.Exists() && (c.imported == nil || s.Owner != "") {
		return clew.Errorf(clew.SessionExists, "session %s exists already", s.ID)
	}
	if c.imported != nil {
		tx.Add(c.imported)
	} else {
		tx.Add(&clew.SessionCreatedData{Owner: c.owner, Title: c.title, Workspace: c.workspace, ForkedFrom: c.forked})
	}
	stopWork(tx, s, nil, turnEnd{reason: "left in the original session", code: clew.EndForked, by: cmd.By.User})
	if c.forked != nil || c.imported != nil {
		reopenedQuestions(tx, s)
	}
	if c.forked != nil {
		settingsChange(tx, s.Settings, c.settings)
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

// turnReport is what an agent's turn brings to the record; it has no name on the
// wire. Events of a turn that is over are dropped: it was interrupted.
type turnReport struct {
	task          clew.TaskID
	turn          clew.MessageID
	lastRewindSeq uint64 // the session's last return when the agent began
	intent        Intent
	answer        chan<- clew.HitlResolvedData // gets the answer to the question that it asks, nil for most
}

func decideReport(tx *Tx, s *State, d *turnReport) error {
	t := s.Task(d.task)
	if t == nil || t.Turn == nil || t.Turn.ID != d.turn || s.LastRewindSeq != d.lastRewindSeq {
		return clew.Errorf(clew.SessionInvalidState, "the turn is over")
	}
	var err error
	if tx.result, err = d.intent.decide(tx, s, t); err != nil {
		return err
	}
	over := false // nobody goes on at once
	ended := clew.TaskID("")
	unheard := len(t.Inbox)
	for i, e := range tx.Events() {
		switch e := e.Data.(type) {
		case *clew.ModelMessageData:
			if slices.ContainsFunc(t.Inbox, func(in Input) bool { return in.MessageID == e.Message.MessageID }) {
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
		startNext(tx, s, ended)
	} else {
		cancelAbandonedQuestions(tx, s, t)
	}
	return nil
}

// parentWaits reports whether a parent goes on once the task has ended.
func parentWaits(s *State, t *Task) bool {
	if s.worksOnTodo(t) {
		return true
	}
	parent := s.Task(t.ParentTaskID)
	return parent != nil && parent.AwaitingChild == t.TaskID
}

// cancelAbandonedQuestions settles the questions of running tools that have their result in
// these events: they did not wait for the answer.
func cancelAbandonedQuestions(tx *Tx, s *State, t *Task) {
	var ids []clew.RequestID
	for _, e := range tx.Events() {
		d, ok := e.Data.(*clew.ToolProgressData)
		if !ok || d.Status == clew.ToolRunning {
			continue
		}
		if c := t.Call(d.ToolCallID); c == nil || c.Status != CallRunning {
			continue
		}
		for _, q := range s.Questions {
			if a := subjectOfQuestion(q); a.task == t.TaskID && a.call == d.ToolCallID {
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

func decideAccess(tx *Tx, s *State, d *clew.SetAccessData) error {
	if d.UserID == s.Owner {
		return clew.Errorf(clew.SessionInvalidState, "the owner's rights cannot be changed")
	}
	if s.Access[d.UserID] == d.Role {
		return nil
	}
	if _, known := s.Access[d.UserID]; !known && len(s.Access) >= accessMax {
		return clew.Errorf(clew.SessionInvalidState, "%d users have access already", len(s.Access))
	}
	tx.Add(&clew.AccessChangedData{UserID: d.UserID, Role: d.Role})
	return nil
}

func decideSettings(tx *Tx, s *State, by clew.UserID, changes map[string]any) error {
	if s.rules == nil {
		return clew.Errorf(clew.SessionInvalidState, "this server has no settings")
	}
	if err := s.rules.CheckSettings(changes); err != nil {
		return err
	}
	before := s.rules.AutoApproval(s.Settings)
	tx.Add(&clew.SettingsChangedData{Settings: changes})
	next := State{Settings: s.Settings}
	applySettings(&next, &clew.SettingsChangedData{Settings: changes})
	if after := s.rules.AutoApproval(next.Settings); after != before {
		tx.Add(&clew.AutoApprovalChangedData{AutoApprovalFlags: after})
		if before.AutoApprovalEnabled && !after.AutoApprovalEnabled { // whoever does that wants to be asked
			revokeRules(tx, s, by)
		}
	}
	return nil
}

// newReply is the empty message that an agent's answer grows in.
func newReply(id clew.MessageID, ts int64, t *Turn) clew.Message {
	return clew.Message{
		MessageID: id, TS: ts, Type: clew.TypeSay, Say: clew.SayText, Role: clew.SpeakerAssistant,
		Partial: true, AgentID: t.AgentID, MonitorID: clew.MainMonitor, TaskID: t.TaskID, ReplyTo: t.ID,
	}
}
