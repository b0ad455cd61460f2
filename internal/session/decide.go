package session

import (
	"strings"

	"github.com/clew-run/clew"
)

// Decide says which events a command leads to in a state, or why it is refused.
// It is pure: it changes nothing and knows no clock but now (Unix ms).
func Decide(s *State, cmd clew.Command, now int64) ([]clew.Event, error) {
	if c, ok := cmd.Data.(*create); ok {
		return decideCreate(s, c)
	}
	if !s.Exists() {
		return nil, clew.Errorf(clew.SessionNotFound, "no session %s", s.ID)
	}
	switch d := cmd.Data.(type) {
	case *report:
		return decideReport(s, d, now)
	case *clew.UserMessageData:
		return decideUserMessage(s, cmd, d, now)
	case *clew.RenameSessionData:
		return []clew.Event{{Type: clew.EventSessionRenamed, Data: &clew.SessionRenamedData{Title: d.Title}}}, nil
	case *clew.SetAccessData:
		return decideAccess(s, d)
	case *clew.InterruptData:
		return decideInterrupt(s, "", now)
	case *interruption:
		return decideInterrupt(s, d.text, now)
	case *clew.HitlPlanResponseData, *clew.HitlApprovalResponseData, *clew.HitlInputResponseData,
		*clew.HitlClarificationResponseData, *clew.AskResponseData:
		return nil, clew.Errorf(clew.HitlRequestExpired, "no such question is open")
	}
	return nil, clew.Errorf(clew.SessionInvalidState, "this server cannot do %s yet", cmd.Type)
}

// create is the command that makes a session; it has no name on the wire.
type create struct {
	owner     clew.UserID
	title     string
	workspace string
}

func decideCreate(s *State, c *create) ([]clew.Event, error) {
	if s.Exists() {
		return nil, clew.Errorf(clew.SessionInvalidState, "session %s exists already", s.ID)
	}
	return []clew.Event{{Type: clew.EventSessionCreated, Data: &clew.SessionCreatedData{
		Owner: c.owner, Title: c.title, Workspace: c.workspace,
	}}}, nil
}

// report is what an agent's turn brings to the record; it has no name on the
// wire. Events of a turn that is over are dropped: it was interrupted.
type report struct {
	turn   clew.MessageID
	events func(b Batch) []clew.Event
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
	if s.Turn == nil || s.Turn.ID != d.turn {
		return nil, clew.Errorf(clew.SessionInvalidState, "the turn is over")
	}
	events := d.events(batchAt(s, now))
	reply := s.Turn.Reply
	for _, e := range events {
		switch e := e.Data.(type) {
		case *clew.MessageCreatedData:
			if e.Message.ReplyTo == s.Turn.ID && e.Message.Role == clew.SpeakerAssistant {
				reply = e.Message.MessageID
			}
		case *clew.MessageUpdatedData:
			if e.Message.MessageID == reply && !e.Message.Partial {
				return append(events, nextInQueue(s)...), nil
			}
		}
	}
	return events, nil
}

// nextInQueue hands the oldest waiting message to the agent that became free.
func nextInQueue(s *State) []clew.Event {
	if len(s.Queue) == 0 {
		return nil
	}
	return []clew.Event{accepted(s.Queue[0], "")}
}

func accepted(id clew.MessageID, client clew.ClientMessageID) clew.Event {
	return clew.Event{Type: clew.EventMessageAccepted, Data: &clew.MessageAcceptedData{
		ClientMessageID: client, MessageID: id, AgentID: MainAgent, MonitorID: clew.MainMonitor, Delivery: clew.DeliveryDirect,
	}}
}

func decideUserMessage(s *State, cmd clew.Command, d *clew.UserMessageData, now int64) ([]clew.Event, error) {
	if d.RequestID != "" {
		return nil, clew.Errorf(clew.HitlRequestExpired, "no such question is open")
	}
	if d.MonitorID != "" && d.MonitorID != clew.MainMonitor {
		return nil, clew.Errorf(clew.AgentLimit, "this server has one monitor, %s", clew.MainMonitor)
	}
	if s.Turn != nil && len(s.Queue) >= queueMax {
		return nil, clew.Errorf(clew.QueueFull, "%d messages are waiting already", len(s.Queue))
	}
	b := batchAt(s, now)
	created := clew.Event{Type: clew.EventMessageCreated, Data: &clew.MessageCreatedData{Message: clew.Message{
		MessageID: b.ID(0), TS: b.TS(0), Type: clew.TypeSay, Say: clew.SayUserFeedback, Role: clew.SpeakerUser,
		Text: d.Text, Images: d.Images, MonitorID: clew.MainMonitor, TaskID: d.TaskID,
		ClientMessageID: cmd.ClientMessageID, UserID: cmd.By.User,
	}}}
	if s.Turn == nil {
		return []clew.Event{created, accepted(b.ID(0), cmd.ClientMessageID)}, nil
	}
	return []clew.Event{created, {Type: clew.EventMessageQueued, Data: &clew.MessageQueuedData{
		ClientMessageID: cmd.ClientMessageID, MessageID: b.ID(0), AgentID: MainAgent,
		MonitorID: clew.MainMonitor, Position: len(s.Queue) + 1,
	}}}, nil
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

// interruption is interrupt with the text that was streamed so far, which the
// state knows only up to its last snapshot.
type interruption struct{ text string }

// decideInterrupt ends the turn under way: its reply is closed as it stands.
func decideInterrupt(s *State, streamed string, now int64) ([]clew.Event, error) {
	if s.Turn == nil {
		return nil, nil
	}
	b := batchAt(s, now)
	var m clew.Message
	var events []clew.Event
	if reply := s.Message(s.Turn.Reply); reply != nil {
		m = *reply
	} else {
		m = newReply(b.ID(0), b.TS(0), s.Turn)
		events = append(events, clew.Event{Type: clew.EventMessageCreated, Data: &clew.MessageCreatedData{Message: m}})
	}
	m.Partial = false
	if streamed != "" {
		m.Text = streamed
	}
	m.Text = strings.TrimRight(m.Text, " ")
	events = append(events, clew.Event{Type: clew.EventMessageUpdated, Data: &clew.MessageUpdatedData{Message: m}})
	return append(events, nextInQueue(s)...), nil
}

// newReply is the empty message that an agent's answer grows in.
func newReply(id clew.MessageID, ts int64, t *Turn) clew.Message {
	return clew.Message{
		MessageID: id, TS: ts, Type: clew.TypeSay, Say: clew.SayText, Role: clew.SpeakerAssistant,
		Partial: true, AgentID: t.AgentID, MonitorID: clew.MainMonitor, ReplyTo: t.ID,
	}
}
