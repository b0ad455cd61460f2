package core

import (
	"github.com/clew-run/clew"
)

// Steers reports whether what is said to an agent at work goes into its turn:
// whoever says it chooses, else the settings do.
func (s *State) Steers(choice clew.Arrival) bool {
	if choice != "" {
		return choice == clew.ArrivalSteer
	}
	return s.Rules != nil && s.Rules.Steers(s.Settings)
}

// RunUnderway reports whether a run is under way on a monitor. Runs wait for one
// another, but not for a conversation: that may be waiting for a person itself, for
// days.
func (s *State) RunUnderway(on clew.MonitorID) bool {
	on = s.Monitor(on).ID
	for _, t := range s.Tasks {
		if t.Run != nil && t.MonitorID == on && t.TodoID == "" && !t.Run.Phase.Ended() {
			return true
		}
	}
	return false
}

// QuestionAnsweredByWords is the open question that plain words to a task answer.
func (s *State) QuestionAnsweredByWords(t *Task) *clew.Question {
	for i := range s.Questions {
		if q := s.Questions[i]; SubjectOfQuestion(q).Task == t.TaskID && s.wordsEffect(q) != clew.WordsSteer {
			return &s.Questions[i]
		}
	}
	return nil
}

// OtherActiveRun reports whether a run is under way on a monitor that does not end in
// this batch.
func (s *State) OtherActiveRun(on clew.MonitorID, ended clew.TaskID) bool {
	root := s.CurrentRun(on)
	return root != nil && root.TaskID != ended && s.ActiveRun(root) != nil
}

// SteeredRun is the root of the run that words waiting on a monitor are for, nil if
// they are for no run, or for one that ends in this batch.
func (s *State) SteeredRun(on clew.MonitorID, in Input, ended clew.TaskID) *Task {
	t := s.Addressed(on, in.TaskID)
	if in.New || t == nil || s.ActiveRun(t) == nil || s.RootOf(t).TaskID == ended {
		return nil
	}
	return s.RootOf(t)
}
