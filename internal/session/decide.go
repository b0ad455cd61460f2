package session

import (
	"maps"
	"reflect"
	"slices"

	"github.com/clew-run/clew"
)

// Decide says which events a command leads to in a state, or why it is refused.
// It is pure: it changes nothing and knows no clock but now (Unix ms).
func Decide(s *State, cmd clew.Command, now int64) ([]clew.Event, error) {
	if c, ok := cmd.Data.(*create); ok {
		return decideCreate(s, cmd, c, now)
	}
	if !s.Exists() {
		return nil, clew.Errorf(clew.SessionNotFound, "no session %s", s.ID)
	}
	if err := s.checkReturning(cmd.Data); err != nil {
		return nil, err
	}
	events, err := decideCommand(s, cmd, now)
	if err != nil {
		return nil, err
	}
	return backAgain(s, cmd, events, now)
}

func decideCommand(s *State, cmd clew.Command, now int64) ([]clew.Event, error) {
	switch d := cmd.Data.(type) {
	case *report:
		return decideReport(s, d, now)
	case *travel:
		return decideTravel(s, cmd, d, now)
	case *remark:
		return d.events(batchAt(s, now), s), nil
	case *expire:
		return decideExpire(s, d, now)
	case *clew.UserMessageData:
		return decideUserMessage(s, cmd, d, now)
	case *clew.EditQueuedData, *clew.RemoveQueuedData, *clew.MoveQueuedData, *clew.SendQueuedData:
		return decideQueue(s, cmd, now)
	case *clew.NewTaskData:
		return decideNewTask(s, cmd, d, nil, now)
	case *clew.ArchiveSessionData:
		return decideArchive(s, cmd, d)
	case *clew.RenameSessionData:
		return []clew.Event{{Type: clew.EventSessionRenamed, Data: &clew.SessionRenamedData{Title: d.Title}}}, nil
	case *clew.SetAccessData:
		return decideAccess(s, d)
	case *clew.UpdateSettingsData:
		return decideSettings(s, cmd.By.User, d.Settings)
	case *clew.ForgetRuleData:
		return decideForget(s, cmd.By.User, d)
	case *clew.AssignQuestionData:
		return decideAssign(s, cmd, d, now)
	case *clew.UserInteractionData:
		return decideInteraction(s, d)
	case *clew.HitlPlanResponseData, *clew.HitlApprovalResponseData, *clew.HitlInputResponseData,
		*clew.HitlClarificationResponseData, *clew.AskResponseData:
		return decideResponse(s, cmd, now)
	}
	return decideControl(s, cmd, now)
}

// create is the command that makes a session; it has no name on the wire.
type create struct {
	owner     clew.UserID
	title     string
	workspace string
	forked    *clew.ForkPoint
	settings  map[string]any // of a fork: those that its parent has now
	imported  *clew.SessionImportedData
}

// decideCreate makes the first record of a session's own. A fork and a session
// from elsewhere have a past by then, in which nobody goes on by themselves.
func decideCreate(s *State, cmd clew.Command, c *create, now int64) ([]clew.Event, error) {
	if s.Exists() && (c.imported == nil || s.Owner != "") {
		return nil, clew.Errorf(clew.SessionInvalidState, "session %s exists already", s.ID)
	}
	created := clew.Event{Type: clew.EventSessionCreated, Data: &clew.SessionCreatedData{
		Owner: c.owner, Title: c.title, Workspace: c.workspace, ForkedFrom: c.forked,
	}}
	if c.imported != nil {
		created = clew.Event{Type: clew.EventSessionImported, Data: c.imported}
	}
	events := append([]clew.Event{created}, park(s, nil, batchAt(s, now), 1, cmd.By.User, "left in the original session")...)
	if c.forked != nil || c.imported != nil {
		events = append(events, askedAnew(s)...)
	}
	if c.forked != nil {
		events = append(events, settingsTo(s.Settings, c.settings)...)
	}
	return events, nil
}

// settingsTo makes the record that turns a session's settings into others, if
// they differ. As with a rewind, a fork's settings do not go back: at that point
// they may have been a stranger's.
func settingsTo(have, want map[string]any) []clew.Event {
	changes := map[string]any{}
	for key := range have {
		changes[key] = nil
	}
	for key, value := range want {
		changes[key] = value
	}
	maps.DeleteFunc(changes, func(key string, value any) bool { return reflect.DeepEqual(have[key], value) })
	if len(changes) == 0 {
		return nil
	}
	return []clew.Event{{Type: clew.EventSettingsChanged, Data: &clew.SettingsChangedData{Settings: changes}}}
}

// report is what an agent's turn brings to the record; it has no name on the
// wire. Events of a turn that is over are dropped: it was interrupted.
type report struct {
	task   clew.TaskID
	turn   clew.MessageID
	moved  uint64 // the session's last return when the agent began
	events func(b Batch, t *Task) []clew.Event
}

// A Batch tells a maker of events where its records will stand.
type Batch struct {
	seq uint64
	ts  int64
}

func batchAt(s *State, now int64) Batch { return Batch{seq: s.Seq + 1, ts: max(now, s.TS+1)} }

// ID is the message id of the i-th record of the batch.
func (b Batch) ID(i int) clew.MessageID { return clew.MessageIDOf(b.seq + uint64(i)) }

// TS is the time of the i-th record of the batch.
func (b Batch) TS(i int) int64 { return b.ts + int64(i) }

func decideReport(s *State, d *report, now int64) ([]clew.Event, error) {
	t := s.Task(d.task)
	if t == nil || t.Turn == nil || t.Turn.ID != d.turn || s.Moved != d.moved {
		return nil, clew.Errorf(clew.SessionInvalidState, "the turn is over")
	}
	events := d.events(batchAt(s, now), t)
	over := false // nobody goes on at once
	ended := clew.TaskID("")
	unheard := len(t.Inbox)
	for i, e := range events {
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
				return events[:i:i], nil
			}
			over = over || e.RequestID == ""
		case *clew.TaskCompletedData:
			if e.TaskID == t.RootTaskID { // a run that is done
				ended = e.TaskID
			}
			over = over || e.TaskID == t.TaskID && !awaited(s, t)
		case *clew.TaskAbortedData:
			if e.TaskID == t.RootTaskID { // one that failed
				ended = e.TaskID
			}
			over = over || e.TaskID == t.TaskID && !awaited(s, t)
		}
	}
	if !over {
		return append(events, abandoned(s, t, events)...), nil
	}
	return append(events, startNext(s, ended, batchAt(s, now), len(events))...), nil
}

// awaited reports whether a parent goes on once the task has ended.
func awaited(s *State, t *Task) bool {
	if s.carries(t) {
		return true
	}
	parent := s.Task(t.ParentTaskID)
	return parent != nil && parent.AwaitingChild == t.TaskID
}

// abandoned settles the questions of running tools that have their result in
// these events: they did not wait for the answer.
func abandoned(s *State, t *Task, events []clew.Event) []clew.Event {
	var settled []clew.Event
	var ids []clew.RequestID
	for _, e := range events {
		d, ok := e.Data.(*clew.ToolProgressData)
		if !ok || d.Status == clew.ToolRunning {
			continue
		}
		if c := t.Call(d.ToolCallID); c == nil || c.Status != CallRunning {
			continue
		}
		for _, q := range s.Questions {
			if a := aboutOf(q); a.task == t.TaskID && a.call == d.ToolCallID {
				ids = append(ids, q.RequestID())
				settled = append(settled, clew.Event{Type: clew.EventHitlResolved, Data: &clew.HitlResolvedData{
					RequestID: q.RequestID(), Action: clew.ResolvedCancelled, Comment: "ended without the answer", TaskID: t.TaskID,
				}})
			}
		}
	}
	if len(ids) == 0 {
		return nil
	}
	return append(settled, after(s, t, ids...)...)
}

func decideAccess(s *State, d *clew.SetAccessData) ([]clew.Event, error) {
	if d.UserID == s.Owner {
		return nil, clew.Errorf(clew.SessionInvalidState, "the owner's rights cannot be changed")
	}
	if s.Access[d.UserID] == d.Role {
		return nil, nil
	}
	if _, known := s.Access[d.UserID]; !known && len(s.Access) >= accessMax {
		return nil, clew.Errorf(clew.SessionInvalidState, "%d users have access already", len(s.Access))
	}
	return []clew.Event{{Type: clew.EventAccessChanged, Data: &clew.AccessChangedData{UserID: d.UserID, Role: d.Role}}}, nil
}

func decideSettings(s *State, by clew.UserID, changes map[string]any) ([]clew.Event, error) {
	if s.rules == nil {
		return nil, clew.Errorf(clew.SessionInvalidState, "this server has no settings")
	}
	if err := s.rules.CheckSettings(changes); err != nil {
		return nil, err
	}
	before := s.rules.AutoApproval(s.Settings)
	events := []clew.Event{{Type: clew.EventSettingsChanged, Data: &clew.SettingsChangedData{Settings: changes}}}
	next := State{Settings: s.Settings}
	applySettings(&next, &clew.SettingsChangedData{Settings: changes})
	if after := s.rules.AutoApproval(next.Settings); after != before {
		events = append(events, clew.Event{Type: clew.EventAutoApprovalChanged, Data: &clew.AutoApprovalChangedData{AutoApprovalFlags: after}})
		if before.AutoApprovalEnabled && !after.AutoApprovalEnabled { // whoever does that wants to be asked
			events = append(events, forgetting(s, by)...)
		}
	}
	return events, nil
}

// newReply is the empty message that an agent's answer grows in.
func newReply(id clew.MessageID, ts int64, t *Turn) clew.Message {
	return clew.Message{
		MessageID: id, TS: ts, Type: clew.TypeSay, Say: clew.SayText, Role: clew.SpeakerAssistant,
		Partial: true, AgentID: t.AgentID, MonitorID: clew.MainMonitor, TaskID: t.TaskID, ReplyTo: t.ID,
	}
}
