package core

import (
	"slices"

	"github.com/clew-run/clew"
)

// A Monitor is a place where people work with a main agent: the task in focus there,
// and what waits for the agent. Every session has the main one from its first record
// on.
type Monitor struct {
	ID      clew.MonitorID `json:"id"`
	AgentID clew.AgentID   `json:"agent_id"`
	// Current is the task in focus: what is said on the monitor is said to it.
	Current clew.TaskID `json:"current,omitempty"`
	// Queue holds what was said and waits for the agent.
	Queue []Input `json:"queue,omitempty"`
	// Heard is how far its main agent has heard the timeline.
	Heard int64 `json:"heard,omitempty"`
	// Used is what its agents did in the last minute, second by second, and HeldUntilMS
	// until when they wait because it was too much, 0 if they do not. The main monitor
	// has no budget.
	Used        []Used `json:"used,omitempty"`
	HeldUntilMS int64  `json:"held_until_ms,omitempty"`
	// Wakes counts the results that woke the agent since a person said something.
	Wakes int `json:"wakes,omitempty"`
}

// People is how many messages of people wait for the main agent.
func (m Monitor) People() (n int) {
	for _, in := range m.Queue {
		if in.Callback == "" && in.WindowID == "" {
			n++
		}
	}
	return n
}

// MainAgent is the agent of the main monitor.
const MainAgent clew.AgentID = mainPrefix + clew.AgentID(clew.MainMonitor)

const mainPrefix = "main-"

// newMonitor is a monitor on which nothing happened yet.
func newMonitor(id clew.MonitorID) Monitor {
	return Monitor{ID: id, AgentID: mainPrefix + clew.AgentID(id)}
}

// mainOnly are the monitors of a session that has one.
func mainOnly() []Monitor { return []Monitor{newMonitor(clew.MainMonitor)} }

// AllMonitors gives the monitors, the main one first: before the first record, too.
func (s *State) AllMonitors() []Monitor {
	if len(s.Monitors) == 0 {
		return mainOnly()
	}
	return s.Monitors
}

// HasMonitor reports whether there is a monitor of this name.
func (s *State) HasMonitor(id clew.MonitorID) bool { return s.monitorIndex(id) >= 0 }

func (s *State) monitorIndex(id clew.MonitorID) int {
	return slices.IndexFunc(s.AllMonitors(), func(m Monitor) bool { return m.ID == id })
}

// Monitor gives a monitor as it is now. A name that is not known stands for the main
// one: old records name none, and those of strangers any.
func (s *State) Monitor(id clew.MonitorID) Monitor {
	all := s.AllMonitors()
	return all[max(0, slices.IndexFunc(all, func(m Monitor) bool { return m.ID == id }))]
}

// Main is the main monitor.
func (s *State) Main() Monitor { return s.Monitor(clew.MainMonitor) }

// Focused is the task in focus on a monitor, nil if there is none.
func (s *State) Focused(on clew.MonitorID) *Task { return s.Task(s.Monitor(on).Current) }

// Addressed is the task that words on a monitor are for: the one that they name, else
// the one in focus; nil if there is none.
func (s *State) Addressed(on clew.MonitorID, id clew.TaskID) *Task {
	if id == "" {
		return s.Focused(on)
	}
	return s.Task(id)
}

// isFocused reports whether a task is in focus on its monitor.
func (s *State) isFocused(t *Task) bool { return s.Monitor(t.MonitorID).Current == t.TaskID }

// setMonitor changes a monitor. The list is a new one: the old one may be in use.
func (s *State) setMonitor(m Monitor) {
	s.Monitors = slices.Clone(s.AllMonitors())
	s.Monitors[s.monitorIndex(m.ID)] = m
}

// WithMonitor is the state with one more monitor, for what begins on it in the same
// batch.
func (s *State) WithMonitor(id clew.MonitorID) *State {
	after := *s
	after.addMonitor(newMonitor(id))
	return &after
}

// addMonitor puts a monitor into its place by number. A record that is not ours may
// name any: the list stays bounded.
func (s *State) addMonitor(m Monitor) {
	if !m.ID.Valid() || s.HasMonitor(m.ID) {
		return
	}
	m.Heard = s.Timeline.Last // what was before it is nothing to it
	before := func(other Monitor) bool {
		return len(other.ID) > len(m.ID) || len(other.ID) == len(m.ID) && other.ID > m.ID
	}
	list := slices.Clone(s.AllMonitors())
	at := slices.IndexFunc(list, before)
	if at < 0 {
		at = len(list)
	}
	s.Monitors = slices.Insert(list, at, m)
}

// applyMonitorRemoved takes a monitor away. Its tasks have ended by then; they, its
// windows and what waited are the main one's from now on.
func applyMonitorRemoved(s *State, d *clew.MonitorRemovedData) {
	i := s.monitorIndex(d.MonitorID)
	if i <= 0 {
		return
	}
	waits := s.Monitors[i].Queue
	s.Monitors = slices.Delete(slices.Clone(s.Monitors), i, i+1)
	for _, in := range waits {
		if !slices.Contains(d.Dropped, in.MessageID) {
			in.TaskID = ""
			s.enqueue(clew.MainMonitor, in)
		}
	}
	for _, t := range s.Tasks {
		if t.MonitorID != d.MonitorID {
			continue
		}
		if t.MonitorID = clew.MainMonitor; t.Kind() == clew.AgentMain {
			t.AgentID = MainAgent
		}
		if t.Run != nil {
			t.Run.MonitorID = clew.MainMonitor
		}
	}
	s.forgetHeard()
	s.Windows = slices.Clone(s.Windows)
	for i := range s.Windows {
		if slices.Contains(d.Moved, s.Windows[i].ID) {
			s.Windows[i].MonitorID = clew.MainMonitor
		}
	}
}

// changeQueues changes what waits on each monitor. change gets a copy.
func (s *State) changeQueues(change func(queue []Input) []Input) {
	for _, m := range s.AllMonitors() {
		m.Queue = change(slices.Clone(m.Queue))
		s.setMonitor(m)
	}
}

// focus brings a task to the front of a monitor; "" leaves it without one.
func (s *State) focus(on clew.MonitorID, id clew.TaskID) {
	m := s.Monitor(on)
	m.Current = id
	s.setMonitor(m)
}

// WithFocus is the state with another task in focus on a monitor, for what starts
// after the focus moved in the same batch.
func (s *State) WithFocus(on clew.MonitorID, id clew.TaskID) *State {
	after := *s
	after.focus(on, id)
	return &after
}

// WithQueue is the state with only this waiting on a monitor.
func (s *State) WithQueue(on clew.MonitorID, queue ...Input) *State {
	after := *s
	m := s.Monitor(on)
	m.Queue = queue
	after.setMonitor(m)
	return &after
}

// AtWork reports whether a turn is under way, be it that it waits for a person.
// A task that waits for its child does not count: the child does, and if that
// one was interrupted, only a message takes the work up again.
func (s *State) AtWork() bool { return s.anyAtWork(func(*Task) bool { return true }) }

// AtWorkOn is AtWork for the main agent of a monitor and those that work for it.
func (s *State) AtWorkOn(on clew.MonitorID) bool {
	on = s.Monitor(on).ID
	return s.anyAtWork(func(t *Task) bool { return t.MonitorID == on && !s.Beside(t) })
}

// BusyOutside is AtWorkOn for the monitor of a task, without the task's own tree.
func (s *State) BusyOutside(of *Task) bool {
	return s.anyAtWork(func(t *Task) bool {
		return t.MonitorID == of.MonitorID && t.RootTaskID != of.RootTaskID && !s.Beside(t)
	})
}

func (s *State) anyAtWork(among func(*Task) bool) bool {
	for _, t := range s.Tasks {
		if t.Turn != nil && t.AwaitingChild == "" && among(t) {
			return true
		}
	}
	return false
}

// monitorStates gives the monitors as session_state shows them.
func (s *State) monitorStates() clew.List[clew.MonitorState] {
	list := clew.List[clew.MonitorState]{}
	for _, m := range s.AllMonitors() {
		st := clew.MonitorState{MonitorID: m.ID, AgentID: m.AgentID, Busy: s.AtWorkOn(m.ID), Queued: len(m.ForAgent()), TaskID: m.Current, HeldUntilMS: m.HeldUntilMS}
		if t := s.Task(m.Current); t != nil {
			st.Title = t.title()
		}
		list = append(list, st)
	}
	return list
}
