package transfer

import (
	"github.com/clew-run/clew"
)

// taskList are all tasks of a session, oldest first. The session's own fold keeps
// the newest of them only.
type taskList struct {
	list    []*fileItem
	at      map[clew.TaskID]*fileItem
	threads map[string]string // the newest task of each agent
	place   string            // the session's workspace
}

func newWorks(workspace string) *taskList {
	return &taskList{at: map[clew.TaskID]*fileItem{}, threads: map[string]string{}, place: workspace}
}

func (w *taskList) add(r clew.Record, data any) {
	switch d := data.(type) {
	case *clew.TaskCreatedData:
		w.created(r, d)
	case *clew.TaskModeSwitchedData:
		if t := w.at[d.TaskID]; t != nil {
			t.Mode = d.Mode
		}
	case *clew.TaskTokenUsageUpdatedData:
		if t, u := w.at[d.TaskID], d.TokenUsage; t != nil {
			t.TokensIn, t.TokensOut, t.CacheWrites, t.CacheReads, t.TotalCost = u.TokensIn, u.TokensOut, u.CacheWrites, u.CacheReads, u.CostUSD
		}
	case *clew.TaskSpawnedData:
		w.spawned(d)
	case *clew.MessageAcceptedData:
		if t := w.at[d.TaskID]; t != nil && d.Delivery == clew.DeliveryDirect {
			t.Status = string(clew.TaskStatusActive)
		}
	case *clew.TaskCompletedData:
		w.ended(d.TaskID, clew.TaskStatusCompleted, d.ResultSummary)
	case *clew.TaskAbortedData:
		w.ended(d.TaskID, clew.TaskStatusAborted, "")
	}
}

func (w *taskList) created(r clew.Record, d *clew.TaskCreatedData) {
	t := &fileItem{
		ID: string(d.TaskID), Number: len(w.list) + 1, TS: r.TS, Task: d.Task, Mode: d.Mode, Workspace: d.Workspace,
		Status: string(clew.TaskStatusActive), ParentTaskID: string(d.ParentTaskID),
	}
	if t.Workspace == "" {
		t.Workspace = w.place
	}
	if d.RootTaskID != d.TaskID {
		t.RootTaskID = string(d.RootTaskID)
	}
	if parent := w.at[d.ParentTaskID]; parent != nil {
		parent.ChildIDs = append(parent.ChildIDs, t.ID)
	}
	if root := w.at[d.RootTaskID]; root != nil && d.RootTaskID != d.ParentTaskID && d.RootTaskID != d.TaskID {
		root.ChildIDs = append(root.ChildIDs, t.ID)
	}
	w.list = append(w.list, t)
	w.at[d.TaskID] = t
	if d.AgentID != "" {
		w.threads[string(d.AgentID)] = t.ID
	}
}

func (w *taskList) spawned(d *clew.TaskSpawnedData) {
	parent, child := w.at[d.TaskID], w.at[d.ChildTaskID]
	if parent == nil || child == nil {
		return
	}
	parent.Status = string(clew.TaskStatusDelegated)
	parent.AwaitingChildID, parent.DelegatedToID = child.ID, child.ID
}

func (w *taskList) ended(id clew.TaskID, status clew.TaskStatus, result string) {
	t := w.at[id]
	if t == nil {
		return
	}
	t.Status, t.CompletionResultSummary = string(status), result
	parent := w.at[clew.TaskID(t.ParentTaskID)]
	if parent == nil || parent.AwaitingChildID != t.ID {
		return
	}
	parent.AwaitingChildID, parent.DelegatedToID, parent.CompletedByChildID = "", "", t.ID
	if parent.Status == string(clew.TaskStatusDelegated) {
		parent.Status = string(clew.TaskStatusActive)
	}
}
