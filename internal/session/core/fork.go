package core

import (
	"crypto/sha256"
	"encoding/hex"

	"github.com/clew-run/clew"
)

// ForkedRequestID names an open question in a fork, or in a session from elsewhere:
// the original has it open too, and an inbox must be able to tell them apart.
func ForkedRequestID(fork clew.SessionID, id clew.RequestID) clew.RequestID {
	sum := sha256.Sum256([]byte(string(fork) + "/" + string(id)))
	return clew.RequestID("req_" + hex.EncodeToString(sum[:12]))
}

// renameQuestions gives a fork's open questions names of their own.
func (s *State) renameQuestions() {
	for _, q := range s.Questions {
		a := q.Asking()
		was := a.RequestID
		a.RequestID = ForkedRequestID(s.ID, was)
		for _, t := range s.Tasks {
			for i := range t.Calls {
				if t.Calls[i].RequestID == was {
					t.Calls[i].RequestID = a.RequestID
				}
			}
		}
		s.Messages.ChangeAll(func(m *clew.Message) bool {
			if m.RequestID != was {
				return false
			}
			m.RequestID = a.RequestID
			return true
		})
		if asked, ok := s.AskedTimes[was]; ok {
			delete(s.AskedTimes, was)
			s.AskedTimes[a.RequestID] = asked
		}
		if at, ok := s.Reminded[was]; ok {
			delete(s.Reminded, was)
			s.Reminded[a.RequestID] = at
		}
	}
}
