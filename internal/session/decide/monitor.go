package decide

import (
	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/session/core"
)

// monitorNamed is the monitor that words are for, the main one if they name none. One
// that there is not begins with them. The state has it then.
func monitorNamed(tx *Tx, s *core.State, id clew.MonitorID) (*core.State, clew.MonitorID, error) {
	switch {
	case id == "":
		return s, clew.MainMonitor, nil
	case s.HasMonitor(id):
		return s, id, nil
	case !id.Valid():
		return nil, "", clew.Errorf(clew.InvalidMessage, "%q is not the name of a monitor: they are monitor-1, monitor-2 and so on", id)
	}
	if most := s.AgentRules().Monitors; len(s.AllMonitors()) >= most {
		return nil, "", clew.Errorf(clew.AgentLimit, "a session can have %d monitors (setting monitors_max)", most)
	}
	s = s.WithMonitor(id)
	tx.Add(&clew.MonitorAddedData{MonitorID: id, AgentID: s.Monitor(id).AgentID})
	return s, id, nil
}

// decideRemoveMonitor takes a monitor away: its tasks end, its windows and what waits
// for its agent go to the main monitor.
func decideRemoveMonitor(tx *Tx, s *core.State, by clew.UserID, d *clew.RemoveMonitorData, streamed streams) error {
	if !s.HasMonitor(d.MonitorID) {
		return clew.Errorf(clew.SessionInvalidState, "there is no monitor %s", d.MonitorID)
	}
	how := TurnEnd{Reason: "cancelled with its monitor", Code: clew.EndCancelled, by: by, message: "its monitor was removed"}
	for _, t := range s.SortedTasks() {
		if t.MonitorID == d.MonitorID && t.Kind() != clew.AgentWindow { // those of windows go where these go
			endTree(tx, s, t, streamed, how)
		}
	}
	removed := &clew.MonitorRemovedData{MonitorID: d.MonitorID, Moved: clew.List[string]{}, Dropped: clew.List[clew.MessageID]{}, By: by}
	for _, w := range s.Windows {
		if w.MonitorID == d.MonitorID {
			removed.Moved = append(removed.Moved, w.ID)
		}
	}
	main := s.Main()
	queue, room := main.Queue, max(0, core.QueueMax-main.People())
	var moves []core.Input
	for _, in := range s.Monitor(d.MonitorID).Queue {
		switch {
		case in.Callback != "": // whom it would wake has ended
			removed.Dropped = append(removed.Dropped, in.MessageID)
			continue
		case in.WindowID != "": // it goes where its window goes
			continue
		}
		moves = append(moves, in)
	}
	dropped := moves[min(room, len(moves)):]
	for _, in := range dropped {
		removed.Dropped = append(removed.Dropped, in.MessageID)
	}
	tx.Add(removed)
	for _, in := range dropped {
		tx.Add(lostPlace(in))
	}
	if s.AtWorkOn(clew.MainMonitor) {
		return nil
	}
	next := append([]core.Input{}, queue...)
	for _, in := range moves[:len(moves)-len(dropped)] {
		in.TaskID = ""
		next = append(next, in)
	}
	startNext(tx, s.WithQueue(clew.MainMonitor, next...), clew.MainMonitor, "")
	return nil
}

// lostPlace tells the sender of a message that waited on a monitor which is gone.
func lostPlace(in core.Input) *clew.ErrorData {
	err := clew.Errorf(clew.QueueFull, "the monitor was removed, and %d messages wait on %s already: send it again", core.QueueMax, clew.MainMonitor)
	return clew.NewErrorData(err, clew.ErrorContext{ClientMessageID: in.Client, MonitorID: clew.MainMonitor})
}

// endTree ends a root with all below it, and its run. Others end with their root.
func endTree(tx *Tx, s *core.State, t *core.Task, streamed streams, how TurnEnd) {
	switch {
	case t.ParentTaskID != "" || t.Ended():
	case s.ActiveRun(t) != nil:
		stepRun(tx, s, t).cancel(streamed, how)
	default:
		abort(tx, s, t, streamed, how)
	}
}
