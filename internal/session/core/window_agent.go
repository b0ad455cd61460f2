package core

import (
	"cmp"
	"slices"

	"github.com/clew-run/clew"
)

// Key names the agent of a window: that of its group, whose name is that of its first
// window, or its own.
func (w *Window) Key() string { return cmp.Or(w.GroupID, w.ID) }

// HasKey reports whether a window is open that an agent of this name belongs to.
func (s *State) HasKey(key string) bool {
	return slices.ContainsFunc(s.Windows, func(w Window) bool { return w.Key() == key })
}

// WindowAgentID is the name of the agent that belongs to a window or a group.
func WindowAgentID(key string) clew.AgentID { return clew.AgentID("window-" + key) }

// ofWindow reports whether a task is the conversation of a window's agent which can go
// on: nobody released it, and nobody ended it.
func (t *Task) ofWindow() bool {
	return t.AgentKind == clew.AgentWindow && !t.Dismissed && t.Status != clew.TaskStatusAborted
}

// WindowTask is the conversation of a window's agent, nil if it has none.
func (s *State) WindowTask(key string) *Task {
	for _, t := range s.Tasks {
		if t.ofWindow() && t.Key == key && t.ActionID == "" {
			return t
		}
	}
	return nil
}

// WindowTasks are all conversations about a window or group, also those of presses that
// run beside it.
func (s *State) WindowTasks(key string) []*Task {
	var list []*Task
	for _, t := range s.Tasks {
		if t.ofWindow() && t.Key == key {
			list = append(list, t)
		}
	}
	slices.SortFunc(list, olderTask)
	return list
}

func (s *State) windowAgent(w *Window) clew.AgentID {
	if t := s.WindowTask(w.Key()); t != nil {
		return t.AgentID
	}
	return w.AgentID
}

// windowStatus is where the window's agent stands, "" if it has none.
func (s *State) windowStatus(w *Window) clew.WindowAgentStatus {
	switch t := s.WindowTask(w.Key()); {
	case t == nil:
		return ""
	case t.Turn != nil:
		return clew.WindowAgentActive
	}
	return clew.WindowAgentAssigned
}

// applyWindowAgentStatus lets an agent go whose last window is gone. That it was
// assigned, or is active, follows from its task.
func applyWindowAgentStatus(s *State, r clew.Record, d *clew.WindowAgentStatusData) {
	if d.Status != clew.WindowAgentReleased {
		return
	}
	for _, t := range s.Tasks {
		if t.AgentKind != clew.AgentWindow || t.AgentID != d.AgentID || t.Dismissed {
			continue
		}
		t.Dismissed, t.EndedMS, t.History, t.Inbox = true, r.TS, nil, nil
		if !t.Ended() {
			t.Status = clew.TaskStatusCompleted
		}
	}
}

// roleInWindow is the name of a window's agent for its turn.
func (t *Task) roleInWindow() string {
	window := t.WindowID
	if t.Turn != nil {
		window = cmp.Or(t.Turn.WindowID, window)
	}
	if t.ActionID != "" {
		return "window-" + window + "/" + t.ActionID
	}
	return "window-" + window
}

// ForAgent is what waits for the monitor's main agent.
func (m Monitor) ForAgent() []Input {
	return slices.DeleteFunc(slices.Clone(m.Queue), func(in Input) bool { return in.WindowID != "" })
}

// WaitingFor is what waits for the agent of a window or group.
func (s *State) WaitingFor(key string) (list []Input) {
	for _, m := range s.AllMonitors() {
		for _, in := range m.Queue {
			if w := s.Window(in.WindowID); w != nil && w.Key() == key {
				list = append(list, in)
			}
		}
	}
	return list
}
