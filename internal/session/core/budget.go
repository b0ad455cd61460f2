package core

import (
	"slices"

	"github.com/clew-run/clew"
)

// A MonitorBudget is what the agents of background monitors may do. The main monitor has
// none. 0 is no limit.
type MonitorBudget struct {
	Turns   int // at work at once, on all of them
	Actions int // of a monitor in a minute
	Bytes   int // of output of a monitor in a minute
}

// A Used is what agents of a monitor did in one second.
type Used struct {
	Second  int64 `json:"second"` // Unix
	Actions int   `json:"actions,omitempty"`
	Bytes   int   `json:"bytes,omitempty"`
}

const budgetSeconds = 60

// use counts what a task's agent did against the budget of its monitor, at the time of
// the record that says so.
func (s *State) use(t *Task, actions, bytes int) {
	m := s.Monitor(t.MonitorID)
	if m.ID == clew.MainMonitor || actions == 0 && bytes == 0 {
		return
	}
	m.Used = m.with(Used{Second: s.TS / 1000, Actions: actions, Bytes: bytes})
	s.setMonitor(m)
}

// with is what was used in the last minute, with more of it.
func (m Monitor) with(more Used) []Used {
	list := slices.DeleteFunc(slices.Clone(m.Used), func(u Used) bool { return u.Second <= more.Second-budgetSeconds })
	if n := len(list); n > 0 && list[n-1].Second >= more.Second { // clocks may go back
		list[n-1].Actions += more.Actions
		list[n-1].Bytes += more.Bytes
		return list
	}
	return append(list, more)
}

// roomAt is when (Unix ms) less than limit of something is used in a minute, 0 if it is
// now.
func roomAt(used []Used, now int64, limit int, of func(Used) int) int64 {
	all := 0
	for _, u := range used {
		if u.Second > now/1000-budgetSeconds {
			all += of(u)
		}
	}
	if limit <= 0 || all < limit {
		return 0
	}
	at := now
	for _, u := range used {
		if u.Second <= now/1000-budgetSeconds {
			continue
		}
		all -= of(u)
		if at = (u.Second + budgetSeconds) * 1000; all < limit {
			break
		}
	}
	return max(at, now+1)
}

// ActionsRefused says in words for the model why a task's agent may show nothing more
// now, nil if it may.
func (s *State) ActionsRefused(t *Task, now int64) error {
	m, limit := s.Monitor(t.MonitorID), s.AgentRules().Budget.Actions
	if m.ID == clew.MainMonitor {
		return nil
	}
	at := roomAt(m.Used, now, limit, func(u Used) int { return u.Actions })
	if at == 0 {
		return nil
	}
	return clew.Errorf(clew.BudgetExceeded, "%s may do %d actions a minute (%d %s): try again in %d seconds",
		m.ID, limit, clew.BudgetExceeded.Number(), clew.BudgetExceeded, (at-now+999)/1000)
}

// HoldAfter is until when a monitor's agents have to wait once a task's agent has said
// so much, 0 if they need not.
func (s *State) HoldAfter(t *Task, bytes int, now int64) int64 {
	m := s.Monitor(t.MonitorID)
	if m.ID == clew.MainMonitor {
		return 0
	}
	used := m.with(Used{Second: now / 1000, Bytes: bytes})
	return roomAt(used, now, s.AgentRules().Budget.Bytes, func(u Used) int { return u.Bytes })
}

// OutputSize is how much a model said.
func OutputSize(parts []clew.Part) (n int) {
	for _, p := range parts {
		n += len(p.Text) + len(p.Input)
	}
	return n
}

// applyHeld has the agents of a monitor wait, or continue.
func applyHeld(s *State, d *clew.MonitorHeldData) {
	if m := s.Monitor(d.MonitorID); m.ID == d.MonitorID && m.ID != clew.MainMonitor {
		m.HeldUntilMS = max(0, d.UntilMS)
		s.setMonitor(m)
	}
}

// held reports whether a task waits for its monitor's budget.
func (s *State) held(t *Task) bool { return s.Monitor(t.MonitorID).HeldUntilMS > 0 }

// OnHold reports whether nothing new may begin for a task: its run is paused, or its
// monitor is over its budget.
func (s *State) OnHold(t *Task) bool { return s.RunPaused(t) || s.held(t) }

// NextRelease is when (Unix ms) the next monitor that is held may continue, 0 if none is
// held.
func (s *State) NextRelease() (next int64) {
	for _, m := range s.AllMonitors() {
		if m.HeldUntilMS > 0 && (next == 0 || m.HeldUntilMS < next) {
			next = m.HeldUntilMS
		}
	}
	return next
}

// MayStart reports whether one more turn may be worked on, with so many at work on
// background monitors.
func (s *State) MayStart(t *Task, background int) bool {
	most := s.AgentRules().Budget.Turns
	return s.Monitor(t.MonitorID).ID == clew.MainMonitor || most <= 0 || background < most
}
