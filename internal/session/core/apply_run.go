package core

import (
	"github.com/clew-run/clew"
)

// applyRun folds a record into the run that it belongs to, if any. It comes
// after all else: what it needs to know of tasks and questions is up to date.
func applyRun(s *State, r clew.Record, data any, settled *clew.Question) {
	root := s.runRoot(data, settled)
	if root == nil {
		return
	}
	switch d := data.(type) {
	case *clew.HitlPlanReviewData, *clew.HitlApprovalRequestData, *clew.HitlInputRequestData, *clew.HitlClarificationData:
		root.Run.Opened(clew.Question{Type: r.Type, Data: d})
	case *clew.HitlResolvedData:
		root.Run.Settled(*settled, d, r.TS)
	case *clew.MessageAcceptedData:
		if d.Delivery == clew.DeliveryDirect && root.Turn != nil && root.Turn.Prompt != nil && !root.Run.Phase.Ended() {
			root.Run.Request = clew.Clip(root.Turn.Prompt.Text, RequestRunes)
		}
	default:
		root.Run.Apply(data, r.TS)
		if _, ok := data.(*clew.PlanApprovedData); ok {
			if c := root.Call(root.Run.Call); c != nil {
				c.Status = CallChild // it gets the outcome
			}
		}
	}
	if !root.Run.Phase.Ended() {
		root.Run.Tick(r.TS, s.TreeBusy(root))
	}
}

// runRoot finds the task whose run a record is about.
func (s *State) runRoot(data any, settled *clew.Question) *Task {
	var t *Task
	switch d := data.(type) {
	case *clew.HitlPlanReviewData:
		t = s.Task(d.TaskID)
	case *clew.HitlApprovalRequestData:
		t = s.Task(d.TaskID)
	case *clew.HitlInputRequestData:
		t = s.Task(d.TaskID)
	case *clew.HitlClarificationData:
		t = s.Task(d.TaskID)
	case *clew.HitlResolvedData:
		if settled != nil {
			t = s.Task(settled.Asking().TaskID)
		}
	case *clew.MessageAcceptedData:
		t = s.Task(d.TaskID)
	default:
		return s.byRun(RunIDOf(data))
	}
	if t == nil {
		return nil
	}
	if t = s.RootOf(t); t.Run == nil {
		return nil
	}
	return t
}

// byRun finds a run's root by the run's id.
func (s *State) byRun(id string) *Task {
	if id == "" {
		return nil
	}
	for _, t := range s.Tasks {
		if t.Run != nil && t.Run.ID == id {
			return t
		}
	}
	return nil
}

// RunIDOf gives the run that an event names.
func RunIDOf(data any) string {
	switch d := data.(type) {
	case *clew.LayerStartData:
		return d.RunID
	case *clew.LayerCompleteData:
		return d.RunID
	case *clew.PlanGeneratedData:
		return d.RunID
	case *clew.PlanApprovedData:
		return d.RunID
	case *clew.PlanModifiedData:
		return d.RunID
	case *clew.PlanRejectedData:
		return d.RunID
	case *clew.TodoStartedData:
		return d.RunID
	case *clew.TodoProgressData:
		return d.RunID
	case *clew.TodoCompletedData:
		return d.RunID
	case *clew.TodoFailedData:
		return d.RunID
	case *clew.TodoRetriedData:
		return d.RunID
	case *clew.TodoSkippedData:
		return d.RunID
	case *clew.HitlPausedData:
		return d.RunID
	case *clew.HitlResumedData:
		return d.RunID
	case *clew.CompleteData:
		return d.RunID
	case *clew.FailedData:
		return d.RunID
	case *clew.CancelledData:
		return d.RunID
	}
	return ""
}

// TreeBusy reports whether somebody works in a root's tree right now.
func (s *State) TreeBusy(root *Task) bool {
	for _, t := range s.Tasks {
		if t.RootTaskID == root.TaskID && s.HasWork(t) {
			return true
		}
	}
	return false
}
