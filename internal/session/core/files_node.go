package core

import "github.com/clew-run/clew"

// MissingOf says which files a question is about that are on another node, nil
// for most questions.
func MissingOf(q clew.Question) *clew.MissingWorkspace {
	if d, ok := q.Data.(*clew.HitlInputRequestData); ok {
		return d.MissingWorkspace
	}
	return nil
}

// AskedForFiles is the open question about files that are on another node, nil if
// there is none. All work of the session waits for its answer.
func (s *State) AskedForFiles() *clew.Question {
	for i := range s.Questions {
		if MissingOf(s.Questions[i]) != nil {
			return &s.Questions[i]
		}
	}
	return nil
}

// MissingFiles says which files the session waits for: because a person wants it
// to, or until one has decided. nil for most.
func (s *State) MissingFiles() *clew.MissingWorkspace {
	if q := s.AskedForFiles(); q != nil {
		return MissingOf(*q)
	}
	if s.FilesWait != nil && s.AtWork() {
		return s.FilesWait
	}
	return nil
}

// Blocked reports whether a question is open without whose answer the task cannot
// go on.
func (s *State) Blocked(id clew.TaskID) bool {
	return s.BlockingQuestion(id) != nil || s.AskedForFiles() != nil
}

// applyMissing keeps what a person decided about files that are on another node.
func applyMissing(s *State, q clew.Question, d *clew.HitlResolvedData) {
	missing := MissingOf(q)
	if missing == nil || d.Action != clew.ResolvedAnswer {
		return
	}
	switch d.Value {
	case clew.WorkspaceWait:
		s.FilesWait = missing
	case clew.WorkspaceContinue:
		s.FilesNode, s.FilesWait = missing.Here, nil
	}
}
