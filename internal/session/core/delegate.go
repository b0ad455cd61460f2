package core

import (
	"slices"

	"github.com/clew-run/clew"
)

// TaskAgent is the agent of a child task.
func TaskAgent(id clew.TaskID) clew.AgentID { return clew.AgentID("task-" + string(id)) }

// LimitWakes is the limit of results that wake an agent without a person.
const LimitWakes = "wakes"

// forkHistory has a task begin with the first messages of another one's history. Their
// elements never change, so both have the same ones in memory.
func (s *State) forkHistory(t *Task, of *clew.ForkOf) {
	if of == nil {
		return
	}
	from := s.Task(of.TaskID)
	if from == nil {
		return
	}
	n := min(of.Count-from.HiddenCount, len(from.History))
	if n <= 0 {
		return
	}
	t.History, t.HiddenCount, t.ForkedFrom, t.Condense = slices.Clip(from.History[:n]), from.HiddenCount, from.TaskID, of.Condense
}

// countWake counts how often an agent was woken since a person said something.
func (s *State) countWake(t *Task, d *clew.MessageAcceptedData) {
	m := s.Message(d.MessageID)
	if m == nil || s.Beside(t) || t.ParentTaskID != "" {
		return
	}
	on := s.Monitor(t.MonitorID)
	switch {
	case m.AgentID != "":
		on.Wakes++
	case on.Wakes == 0:
		return
	default:
		on.Wakes = 0
	}
	s.setMonitor(on)
}

// forgiveWakes starts the count anew, after a person decided that the work goes on.
func (s *State) forgiveWakes(t *Task) {
	m := s.Monitor(t.MonitorID)
	m.Wakes = 0
	s.setMonitor(m)
}
