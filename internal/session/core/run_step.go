package core

import (
	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/run"
)

// RootOf is the root of a task's tree, the task itself if that is gone.
func (s *State) RootOf(t *Task) *Task {
	if root := s.Task(t.RootTaskID); root != nil {
		return root
	}
	return t
}

// ActiveRun gives the run that a task carries or works for, nil if there is none
// or it has ended.
func (s *State) ActiveRun(t *Task) *run.Run {
	if r := s.RootOf(t).Run; r != nil && !r.Phase.Ended() {
		return r
	}
	return nil
}

// WorksOnTodo reports whether the task carries out a todo of a run under way.
func (s *State) WorksOnTodo(t *Task) bool {
	return t.TodoID != "" && !t.Ended() && s.ActiveRun(t) != nil
}

// TodoTaskOf is the task that carries out the todo which a task works for, nil if
// it works for none.
func (s *State) TodoTaskOf(t *Task) *Task {
	for ; t != nil; t = s.Task(t.ParentTaskID) {
		if t.TodoID != "" {
			return t
		}
	}
	return nil
}

// CurrentRun is the run that commands for a monitor are about: the one in focus
// there, else the newest.
func (s *State) CurrentRun(on clew.MonitorID) *Task {
	on = s.Monitor(on).ID
	if t := s.Focused(on); t != nil && s.ActiveRun(t) != nil {
		return s.RootOf(t)
	}
	var last *Task
	for _, t := range s.Tasks {
		switch {
		case t.Run == nil || t.TodoID != "" || t.MonitorID != on:
		case last == nil, last.Run.Phase.Ended() && !t.Run.Phase.Ended(), last.Run.Phase.Ended() == t.Run.Phase.Ended() && t.Number > last.Number:
			last = t
		}
	}
	return last
}

// RunRules is what the settings say about runs, in this session.
func (s *State) RunRules() run.Rules {
	if s.Rules == nil {
		return run.DefaultRules
	}
	return s.Rules.Run(s.Settings)
}

// The sizes of what an agent is told of a run, and of what people are shown of it.
const (
	StepRunes    = 200
	RequestRunes = 8000
	ResultRunes  = 2000
)

// MayBegin reports whether a task may begin something new: its run is not
// paused, and no question holds it up.
func (s *State) MayBegin(t *Task) bool { return !s.OnHold(t) && !s.Blocked(t.TaskID) }

// The limits of a run: their names in the limit field of a question.
const (
	LimitTime = run.LimitTime // its time is used up
	LimitCost = "cost"        // a todo is expected to cost something
)
