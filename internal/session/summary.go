package session

import (
	"maps"
	"slices"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/plan"
)

// lineRunes bounds what a list shows of the last words.
const lineRunes = 120

// Summary is the session's line in its owner's list. It is made with every batch
// of records, so it must cost next to nothing.
func (s *State) Summary() Summary {
	return Summary{
		ID: s.ID, Title: s.displayTitle(), Status: string(s.Status()), Workspace: s.Workspace,
		CreatedMS: s.CreatedMS, UpdatedMS: s.TS, LastSeq: s.Seq,
		Owner: s.Owner, CostUSD: s.Usage.CostUSD, TokensIn: s.Usage.TokensIn, TokensOut: s.Usage.TokensOut,
		Questions: len(s.Questions), Plan: s.progress(), LastLine: s.lastLine(), ForkedFrom: s.ForkedFrom, Archived: s.Archived,
	}
}

// sharedMax bounds in how many lists a session stands beside its owner's.
const sharedMax = 100

// updateIndex has the lists follow the session, before anyone hears what was done. A
// state that is ahead of what is durable is not listed yet.
func (s *Session) updateIndex() {
	if s.indexed != s.head.Seq && s.head.Seq > 1 && s.state.Seq == s.head.Seq { // who creates a session puts it into the list
		s.putInIndexes(s.state.Summary())
		s.indexed = s.head.Seq
	}
}

// putInIndexes puts the session's line into the lists of its owner and of those whom it is
// shared with, and takes it out of the lists of those who lost it.
func (s *Session) putInIndexes(line Summary) {
	s.host.reindex(s.state.Owner, line)
	shared := slices.Sorted(maps.Keys(s.state.Access))
	for _, user := range shared[:min(len(shared), sharedMax)] {
		s.host.reindex(user, line)
		delete(s.removedFromIndex, user)
	}
	line.Gone = true
	for _, user := range s.state.Revoked {
		if s.removedFromIndex[user] {
			continue
		}
		if s.removedFromIndex == nil {
			s.removedFromIndex = map[clew.UserID]bool{}
		}
		s.removedFromIndex[user] = true
		s.host.reindex(user, line)
	}
}

// progress is how far the run under way is, nil if there is none with a plan.
func (s *State) progress() *PlanProgress {
	root := s.currentRun()
	if root == nil || root.Run.Phase.Ended() || len(root.Run.Todos) == 0 {
		return nil
	}
	c := plan.Count(root.Run.Todos)
	return &PlanProgress{Done: c.Completed + c.Skipped, Total: c.Total}
}

// lastLine is the beginning of what a person or an agent said last. What the
// engine tells an agent to do was said by nobody.
func (s *State) lastLine() string {
	tail := s.Messages.Tail()
	for i := len(tail) - 1; i >= 0; i-- {
		m := &tail[i]
		if m.Text != "" && (m.Role == clew.SpeakerUser && m.AgentID == "" || m.Say == clew.SayText || m.Say == clew.SayCompletionResult) {
			return firstLine(m.Text, lineRunes)
		}
	}
	return ""
}
