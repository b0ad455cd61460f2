package decide

import (
	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/session/core"
)

// decideCondense takes the wish for a summary. A task at rest gets a turn just
// for that; one at work does it before it next asks the model.
func decideCondense(tx *Tx, s *core.State, d *clew.CondenseContextData) error {
	t := s.Addressed(clew.MainMonitor, d.TaskID)
	switch {
	case t == nil && d.TaskID == "":
		return clew.Errorf(clew.TaskNotFound, "no task is in focus")
	case t == nil:
		return clew.Errorf(clew.TaskNotFound, "no task %s", d.TaskID)
	case len(t.History) == 0:
		return clew.Errorf(clew.SessionInvalidState, "the task has no messages to put into a summary")
	case t.Condense && t.Turn != nil:
		return nil // asked for already
	}
	tx.Add(&clew.CondenseRequestedData{TaskID: t.TaskID})
	if t.Turn != nil {
		return nil
	}
	switch {
	case s.AtWorkOn(t.MonitorID):
		return clew.Errorf(clew.SessionInvalidState, "another task is under way")
	case s.RunPaused(t):
		return clew.Errorf(clew.SessionInvalidState, "the task's run is paused")
	case s.BlockingQuestion(t.TaskID) != nil:
		return clew.Errorf(clew.SessionInvalidState, "a question about the task is open")
	}
	tx.Add(&clew.TaskActiveData{TaskRef: t.TaskRef})
	return nil
}
