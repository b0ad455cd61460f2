package core

import (
	"slices"

	"github.com/clew-run/clew"
)

// An InboxItem is an open question in the inbox of somebody who may answer it.
type InboxItem struct {
	SessionID  clew.SessionID `json:"session_id"`
	Title      string         `json:"title"`
	Owner      clew.UserID    `json:"owner"`
	Question   clew.Question  `json:"question"`
	AskedMS    int64          `json:"asked_ms"`
	RemindedMS int64          `json:"reminded_ms,omitempty"`
	Seq        uint64         `json:"seq"` // of the record that asked
}

// AskedTimes is when a question was put.
type AskedTimes struct {
	Seq uint64 `json:"seq"`
	MS  int64  `json:"ms"`
}

// noteAsked is Apply's part for the inbox.
func (s *State) noteAsked(r clew.Record, data any) {
	if d, ok := data.(*clew.HitlResolvedData); ok {
		delete(s.AskedTimes, d.RequestID)
		return
	}
	if !slices.Contains(clew.QuestionTypes, r.Type) {
		return
	}
	if s.AskedTimes == nil {
		s.AskedTimes = map[clew.RequestID]AskedTimes{}
	}
	s.AskedTimes[clew.Question{Type: r.Type, Data: data}.RequestID()] = AskedTimes{Seq: r.Seq, MS: r.TS}
}

// Inbox gives the rows that the session has in people's inboxes: each open
// question for everybody who may answer it.
func (s *State) Inbox() map[clew.UserID][]InboxItem {
	rows := map[clew.UserID][]InboxItem{}
	for _, q := range s.Questions {
		asking := q.Asking()
		if asking == nil {
			continue
		}
		asked := s.AskedTimes[asking.RequestID]
		item := InboxItem{
			SessionID: s.ID, Title: s.DisplayTitle(), Owner: s.Owner, Question: q,
			AskedMS: asked.MS, RemindedMS: s.Reminded[asking.RequestID], Seq: asked.Seq,
		}
		for _, user := range s.answerers(asking.Assignee) {
			rows[user] = append(rows[user], item)
		}
	}
	return rows
}

// answerers lists who may answer: the owner, and either the assignee or all
// others who have that right.
func (s *State) answerers(assignee clew.UserID) []clew.UserID {
	users := []clew.UserID{s.Owner}
	for user, role := range s.Access {
		if user == s.Owner || role != clew.RoleApprover && role != clew.RoleOwner {
			continue
		}
		if assignee == "" || assignee == user {
			users = append(users, user)
		}
	}
	return users
}
