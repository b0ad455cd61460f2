package core

import (
	"github.com/clew-run/clew"
)

// defaultReminderSec holds for a state without rules.
const defaultReminderSec = 60

// ReminderSec is how long before a deadline people are reminded, 0 for never.
func (s *State) ReminderSec() int {
	if s.Rules == nil {
		return defaultReminderSec
	}
	return s.Rules.ReminderSec(s.Settings)
}

// ReminderTime is when people are to be reminded of a question, 0 for not (again).
// A short time-out is reminded of at its half.
func (s *State) ReminderTime(a *clew.Asking, reminderSec int) int64 {
	if _, done := s.Reminded[a.RequestID]; done || a.DeadlineMS == 0 || reminderSec <= 0 {
		return 0
	}
	return a.DeadlineMS - min(int64(reminderSec)*1000, int64(a.TimeoutSec)*500)
}

// NextDeadline is when the next reminder or deadline is, or a monitor may continue (Unix
// ms), 0 if none.
func (s *State) NextDeadline() int64 {
	if s.PendingRewind != nil { // everything waits for the files
		return 0
	}
	next, sec := s.NextRelease(), -1
	for _, q := range s.Questions {
		a := q.Asking()
		if a == nil || a.DeadlineMS == 0 {
			continue
		}
		if sec < 0 { // asked for once, and only if it matters
			sec = max(s.ReminderSec(), 0)
		}
		at := s.ReminderTime(a, sec)
		if at == 0 {
			at = a.DeadlineMS
		}
		if next == 0 || at < next {
			next = at
		}
	}
	for _, r := range s.AppRequests {
		if next == 0 || r.DeadlineMS < next {
			next = r.DeadlineMS
		}
	}
	return next
}

// TryAgainSuffix ends the question whether a failed call is made again.
const TryAgainSuffix = "Try again?"

// applyAssigned replaces the question: others may be reading the old one.
func applyAssigned(s *State, d *clew.HitlAssignedData) {
	q := s.OpenQuestion(d.RequestID)
	if q == nil {
		return
	}
	switch old := q.Data.(type) {
	case *clew.HitlPlanReviewData:
		next := *old
		next.Assignee, q.Data = d.Assignee, &next
	case *clew.HitlApprovalRequestData:
		next := *old
		next.Assignee, q.Data = d.Assignee, &next
	case *clew.HitlInputRequestData:
		next := *old
		next.Assignee, q.Data = d.Assignee, &next
	case *clew.HitlClarificationData:
		next := *old
		next.Assignee, q.Data = d.Assignee, &next
	}
}

func applyReminder(s *State, r clew.Record, d *clew.HitlReminderData) {
	if s.OpenQuestion(d.RequestID) == nil {
		return
	}
	if s.Reminded == nil {
		s.Reminded = map[clew.RequestID]int64{}
	}
	s.Reminded[d.RequestID] = r.TS
}

// AskedByRunningTool reports whether a tool asked that was running: nobody is left who
// waits for the answer, so the question ends with the return.
func (s *State) AskedByRunningTool(q clew.Question) bool {
	a := SubjectOfQuestion(q)
	t := s.Task(a.Task)
	if t == nil || a.Call == "" {
		return false
	}
	c := t.Call(a.Call)
	return c != nil && c.Status == CallRunning
}

// wordsEffect says what plain words that name no question do to this one. A
// run's questions about its steps and its limits they do not reach: they are for
// all who work on it.
func (s *State) wordsEffect(q clew.Question) clew.WordsEffect {
	a := SubjectOfQuestion(q)
	t := s.Task(a.Task)
	if t == nil || s.ofPlan(a) || a.HoldsRun() && s.ActiveRun(t) != nil || a.Ask.State() == clew.TaskStateRunning {
		return clew.WordsSteer
	}
	return WordsMean(q)
}

// WordsMean says what words to a question are. They never allow an act, an end
// or more money.
func WordsMean(q clew.Question) clew.WordsEffect {
	switch a := SubjectOfQuestion(q); {
	case q.Type == clew.EventHitlPlanReview:
		return clew.WordsChange
	case q.Type != clew.EventHitlApprovalRequest:
		return clew.WordsAnswer
	case a.Ask.IsInteractive(), a.Ask == clew.AskCompletionResult, a.Limit == LimitBudget, a.Limit == LimitMonth:
		return clew.WordsDeny
	}
	return clew.WordsContinue
}

// OldestQuestion is the question that an answer without a name goes to: one of the
// task in focus on the main monitor, else any.
func (s *State) OldestQuestion() *clew.Question {
	current := s.Main().Current
	for i := range s.Questions {
		if SubjectOfQuestion(s.Questions[i]).Task == current {
			return &s.Questions[i]
		}
	}
	if len(s.Questions) > 0 {
		return &s.Questions[0]
	}
	return nil
}

// IsAnswer reports whether a question was decided: by a person, or because nobody
// did in time. Others were withdrawn with what they were about.
func IsAnswer(d *clew.HitlResolvedData) bool {
	return d.ByTimeout || d.Action != clew.ResolvedCancelled
}
