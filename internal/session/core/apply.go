package core

import (
	"slices"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/session/prompt"
)

// Apply folds one record into the state. It is pure but for the state it is
// given, and total: a record in the journal is a fact and cannot be refused.
func Apply(s *State, r clew.Record, data any) {
	apply(s, r, data)
	if byPerson(r, data) {
		s.LastUsedMS = r.TS
	}
}

// byPerson reports whether somebody did this, and not an agent, a clock or the
// server itself.
func byPerson(r clew.Record, data any) bool {
	switch d := data.(type) {
	case *clew.SessionCreatedData, *clew.SessionImportedData, *clew.HistoryRewoundData, *clew.RewindUndoneData:
		return true
	case *clew.MessageCreatedData:
		return d.Message.Role == clew.SpeakerUser && d.Message.AgentID == ""
	case *clew.HitlResolvedData:
		return d.ResolvedBy != "" && !d.ByTimeout
	}
	return r.Cause != ""
}

func apply(s *State, r clew.Record, data any) {
	s.Seq, s.TS, s.Monitors = r.Seq, r.TS, s.AllMonitors()
	if r.Cause != "" {
		s.take(r)
	}
	s.noteAsked(r, data)
	var settled *clew.Question
	if d, ok := data.(*clew.HitlResolvedData); ok {
		if q := s.OpenQuestion(d.RequestID); q != nil {
			settled = &clew.Question{Type: q.Type, Data: q.Data}
		}
	}
	s.noteOutcome(r, data, settled)
	s.note(r, data, settled)
	applyTrouble(s, data)
	switch d := data.(type) {
	case *clew.SessionCreatedData:
		s.Owner, s.Title, s.Workspace, s.CreatedMS, s.ForkedFrom = d.Owner, d.Title, d.Workspace, r.TS, d.ForkedFrom
		s.FilesNode, s.FilesWait, s.Environment = d.Node, nil, d.Environment
		if d.ForkedFrom != nil { // a session of its own from here on
			s.Revoked, s.Archived, s.Forks = nil, false, 0
			s.Access, s.Processed, s.processedIndex, s.Undo, s.Redo, s.PendingRewind = nil, nil, nil, nil, nil, nil
			s.LastMove = nil
			s.keepQueue(&State{}) // what waits, waits for the other one
			s.forgetRules()
			s.FirstOwnSeq, s.Spent = r.Seq, nil
			s.forgetKernels(false)
			s.renameQuestions()
		}
	case *clew.SessionImportedData:
		// What a stranger's records allow, they do not allow here, and what waits in
		// them waits for somebody else's agent.
		s.Owner, s.Title, s.Workspace, s.Access, s.Settings, s.PendingRewind = d.Owner, d.Title, d.Workspace, nil, nil, nil
		s.Revoked, s.Archived, s.Forks, s.LastMove = nil, false, 0, nil
		s.changeQueues(func([]Input) []Input { return nil })
		s.FilesNode, s.FilesWait, s.Environment = d.Node, nil, nil
		s.forgetRules()
		s.FirstOwnSeq, s.Spent = r.Seq, nil
		s.forgetKernels(true)
		s.renameQuestions()
	case *clew.SessionRenamedData:
		s.Title = d.Title
	case *clew.SessionArchivedData:
		s.Archived = d.Archived
	case *clew.SessionForkedData:
		s.Forks++
	case *clew.AccessChangedData:
		applyAccess(s, d)
	case *clew.SettingsChangedData:
		ApplySettings(s, d)
	case *clew.MessageCreatedData:
		applyCreated(s, d.Message)
	case *clew.MessageUpdatedData:
		applyUpdated(s, d.Message)
	case *clew.MessageAcceptedData:
		applyAccepted(s, d)
	case *clew.MessageQueuedData:
		applyQueued(s, r, d)
	case *clew.QueueChangedData:
		applyQueueChanged(s, d)
	case *clew.HitlPlanReviewData, *clew.HitlApprovalRequestData, *clew.HitlInputRequestData, *clew.HitlClarificationData:
		applyQuestion(s, clew.Question{Type: r.Type, Data: d})
	case *clew.HitlResolvedData:
		applyResolved(s, r, d)
	case *clew.RuleForgottenData:
		applyForgotten(s, d)
	case *clew.HitlAssignedData:
		applyAssigned(s, d)
	case *clew.HitlReminderData:
		applyReminder(s, r, d)
	case *clew.ActionsData:
		s.noteActions(d)
		ApplyActions(s, d)
	case *clew.MonitorHeldData:
		applyHeld(s, d)
	case *clew.ProviderStatusData:
		if s.FailingProvider = d.Provider; d.Status == clew.ProviderConnected {
			s.FailingProvider = ""
		}
	case *clew.ToastDismissedData:
		applyDismissed(s, d)
		s.Reload = s.Reload.Fail(d.ToastID)
	case *clew.MonitorAddedData:
		s.addMonitor(Monitor{ID: d.MonitorID, AgentID: d.AgentID})
	case *clew.MonitorRemovedData:
		applyMonitorRemoved(s, d)
	case *clew.UserInteractedData:
		ApplyInteracted(s, d)
	case *clew.RenderingFailedData:
		applyRenderingFailed(s, d)
	case *clew.WindowAgentStatusData:
		applyWindowAgentStatus(s, r, d)
	case *clew.AppRegisteredData:
		applyAppRegistered(s, d)
	case *clew.AppProtocolRequestData:
		applyAppRequest(s, d)
	case *clew.AppCalledData:
		applyAppCalled(s, r, d)
	case *clew.HistoryRewoundData, *clew.RewindUndoneData:
		applyRewind(s, r, d)
		return
	case *clew.RewindStartedData, *clew.RewindFailedData, *clew.CheckpointSavedData, *clew.CheckpointRestoredData:
		applyCheckpoint(s, r, d)
	default:
		if !applyNotebook(s, r, data) {
			applyTask(s, r, data)
		}
	}
	applyRun(s, r, data, settled)
}

func applyAccess(s *State, d *clew.AccessChangedData) {
	s.Revoked = slices.DeleteFunc(slices.Clone(s.Revoked), func(u clew.UserID) bool { return u == d.UserID })
	if d.Role == clew.RoleNone {
		delete(s.Access, d.UserID)
		s.Revoked = append(s.Revoked, d.UserID)
		s.Revoked = s.Revoked[max(0, len(s.Revoked)-SharedMax):]
		return
	}
	if s.Access == nil {
		s.Access = map[clew.UserID]clew.Role{}
	}
	s.Access[d.UserID] = d.Role
}

// ApplySettings makes a new map: the old one may be in use.
func ApplySettings(s *State, d *clew.SettingsChangedData) {
	next := map[string]any{}
	for k, v := range s.Settings {
		next[k] = v
	}
	for k, v := range d.Settings {
		if v == nil {
			delete(next, k)
		} else {
			next[k] = v
		}
	}
	s.Settings = next
}

func applyCreated(s *State, m clew.Message) {
	s.Messages.Append(Created(m), s.UnsettledMessages)
	s.noteCellOutput(&m)
	s.Total++
	if m.Say.Bookkeeping() {
		s.Quiet++
	}
	if m.QueuedAs != "" {
		s.leavesQueue(m.QueuedAs)
	}
	if m.Say == clew.SayInstructionsRead && m.Instructions != nil {
		s.Instructions = m.Instructions
	}
	if m.Role == clew.SpeakerUser { // what comes now is another way on
		s.Redo = nil
	}
	t := s.Task(m.TaskID)
	if t == nil {
		return
	}
	if t.Turn != nil && m.Partial && m.Role == clew.SpeakerAssistant && m.ToolCallID == "" {
		t.Turn.Reply = m.MessageID
	}
	if m.Say == clew.SayAPIReqStarted { // the work goes on
		s.FilesWait = nil
	}
	applyModelCall(t, m)
}

func applyUpdated(s *State, m clew.Message) {
	s.Messages.Change(m.MessageID, func(old *clew.Message) bool {
		grown := grows(*old, m)
		ReplaceMessage(old, m)
		return !grown
	})
	s.noteCellChanged(&m)
	applyQueuedEdit(s, clew.QueuedWords{MessageID: m.MessageID, Text: m.Text, Images: m.Images})
	if t := s.Task(m.TaskID); t != nil && t.Turn != nil && m.MessageID == t.Turn.Reply && !m.Partial {
		t.Turn.Reply = ""
	}
}

func applyAccepted(s *State, d *clew.MessageAcceptedData) {
	in := inputOf(s, d.MessageID)
	s.leavesQueue(d.MessageID)
	t := s.Task(d.TaskID)
	if t == nil {
		return
	}
	s.countWake(t, d)
	switch d.Delivery {
	case clew.DeliveryDirect, clew.DeliveryEphemeral:
		s.FilesWait = nil // it is decided anew
		t.Status, t.EndedMS, t.Dismissed = clew.TaskStatusActive, 0, false
		t.Turn = &Turn{ID: d.MessageID, AgentID: d.AgentID, TaskID: t.TaskID, WindowID: in.WindowID, SinceMS: s.TS, Prompt: &in}
		t.Turn.Fingerprint = s.fingerprint(t, in)
		t.Outcome = nil
		t.Steps, t.AutoApproved, t.Mistakes = 0, 0, 0
	case clew.DeliverySteer, clew.DeliveryAnswer:
		t.Inbox = append(t.Inbox, in)
		if t.Turn != nil {
			t.Turn.Fingerprint = prompt.Fingerprint{}
		}
		t.AutoApproved, t.Mistakes = 0, 0
	}
}

func applyQuestion(s *State, q clew.Question) {
	if a := q.Asking(); a.WordsEffect == "" { // of an old record
		(&filler{s: s}).question(q)
	}
	if open := s.OpenQuestion(q.RequestID()); open != nil { // announced again, in a fork
		*open = q
		return
	}
	s.Questions = append(s.Questions, q)
	s.noteCellQuestion(q)
	a := SubjectOfQuestion(q)
	s.Messages.Change(a.Message, func(m *clew.Message) bool { return ShowCall(m, q.Data) })
	t := s.Task(a.Task)
	if t == nil || a.Call == "" {
		return
	}
	c := t.Call(a.Call)
	if c == nil || c.Status == CallRunning { // a running tool asks; it waits itself
		return
	}
	c.Status, c.RequestID, c.MessageID = CallAsked, q.RequestID(), a.Message
	if d, ok := q.Data.(*clew.HitlApprovalRequestData); ok && d.Effect != nil {
		c.Digest = d.Effect.Digest
	}
}

func applyResolved(s *State, r clew.Record, d *clew.HitlResolvedData) {
	delete(s.Reminded, d.RequestID)
	q := s.OpenQuestion(d.RequestID)
	if q == nil {
		return
	}
	a := SubjectOfQuestion(*q)
	applyRemember(s, r.TS, *q, d)
	applyMissing(s, *q, d)
	s.noteCellAnswer(*q, d)
	s.Questions = slices.DeleteFunc(s.Questions, func(q clew.Question) bool { return q.RequestID() == d.RequestID })
	t := s.Task(a.Task)
	if t == nil {
		return
	}
	if !d.ByTimeout && d.Action != clew.ResolvedCancelled {
		t.AutoApproved, t.Mistakes = 0, 0
		if a.Limit == LimitSteps {
			t.Steps = 0
		}
		if a.Limit == LimitWakes {
			s.forgiveWakes(t)
		}
		if root := s.Task(t.RootTaskID); root != nil && a.HoldsRun() && !a.OwnLimit && d.Action == clew.ResolvedApprove {
			root.allow(a, r.TS)
		}
	}
	if c := t.Call(a.Call); c != nil && c.RequestID == d.RequestID && c.Status == CallAsked && d.Action == clew.ResolvedApprove {
		c.Status, c.Comment = CallApproved, d.Comment
	}
}

// The limits that lead to a question: their names in its limit field.
const (
	LimitRequests = "requests"
	LimitMistakes = "mistakes"
	LimitSteps    = "steps"
	LimitBudget   = "budget"
	LimitMonth    = "month" // what its owner's sessions may cost in a month
)
