package session

import (
	"slices"

	"github.com/clew-run/clew"
)

// Apply folds one record into the state. It is pure but for the state it is
// given, and total: a record in the journal is a fact and cannot be refused.
func Apply(s *State, r clew.Record, data any) {
	s.Seq, s.TS = r.Seq, r.TS
	if r.Cause != "" {
		s.take(r)
	}
	switch d := data.(type) {
	case *clew.SessionCreatedData:
		s.Owner, s.Title, s.Workspace, s.CreatedMS = d.Owner, d.Title, d.Workspace, r.TS
	case *clew.SessionRenamedData:
		s.Title = d.Title
	case *clew.AccessChangedData:
		applyAccess(s, d)
	case *clew.MessageCreatedData:
		applyCreated(s, d.Message)
	case *clew.MessageUpdatedData:
		applyUpdated(s, d.Message)
	case *clew.MessageAcceptedData:
		applyAccepted(s, d)
	case *clew.MessageQueuedData:
		s.Queue = append(s.Queue, d.MessageID)
	}
}

func applyAccess(s *State, d *clew.AccessChangedData) {
	if d.Role == clew.RoleNone {
		delete(s.Access, d.UserID)
		return
	}
	if s.Access == nil {
		s.Access = map[clew.UserID]clew.Role{}
	}
	s.Access[d.UserID] = d.Role
}

func applyCreated(s *State, m clew.Message) {
	if len(s.Messages) >= tailMessages+tailMessages/4 { // trim in slices, not one by one
		s.Messages = slices.Clone(s.Messages[len(s.Messages)-tailMessages+1:])
	}
	s.Messages = append(s.Messages, m)
	s.Total++
	if s.Turn != nil && m.ReplyTo == s.Turn.ID && m.Role == clew.SpeakerAssistant {
		s.Turn.Reply = m.MessageID
	}
}

func applyUpdated(s *State, m clew.Message) {
	if old := s.Message(m.MessageID); old != nil {
		*old = m
	}
	if s.Turn != nil && m.MessageID == s.Turn.Reply && !m.Partial {
		s.Turn = nil
	}
}

func applyAccepted(s *State, d *clew.MessageAcceptedData) {
	s.Queue = slices.DeleteFunc(s.Queue, func(id clew.MessageID) bool { return id == d.MessageID })
	if d.Delivery == clew.DeliveryDirect {
		s.Turn = &Turn{ID: d.MessageID, AgentID: d.AgentID}
	}
}
