package view

import (
	"maps"
	"reflect"
	"slices"

	"github.com/clew-run/clew"
)

func sameSession(a, b *clew.SessionInfo) bool {
	return a.Title == b.Title && a.Owner == b.Owner && a.Workspace == b.Workspace && a.Archived == b.Archived && a.Forks == b.Forks &&
		samePointed(a.ForkedFrom, b.ForkedFrom) && maps.Equal(a.Environment, b.Environment)
}

func sameStatus(a, b *clew.StatusInfo) bool {
	x, y := *a, *b
	x.Returning, y.Returning, x.LastMove, y.LastMove = nil, nil, nil, nil
	return x == y && sameDeep(a.Returning, b.Returning) && sameDeep(a.LastMove, b.LastMove)
}

func sameQueued(a, b clew.QueuedMessage) bool {
	return a.MessageID == b.MessageID && a.Text == b.Text && slices.Equal(a.Images, b.Images) && a.MonitorID == b.MonitorID &&
		a.TaskID == b.TaskID && a.Mode == b.Mode && a.NewTask == b.NewTask && a.UserID == b.UserID &&
		a.ClientMessageID == b.ClientMessageID && a.TS == b.TS
}

func sameTask(a, b *clew.TaskInfo) bool {
	x, y := *a, *b
	x.Plan, y.Plan, x.Outcome, y.Outcome = nil, nil, nil, nil
	return x == y && samePointed(a.Plan, b.Plan) && samePointed(a.Outcome, b.Outcome)
}

func sameRun(a, b *clew.RunInfo) bool {
	return a.RunID == b.RunID && a.MonitorID == b.MonitorID && a.TaskID == b.TaskID && a.Status == b.Status &&
		a.CurrentLayer == b.CurrentLayer && a.Phase == b.Phase && a.Paused == b.Paused && a.PausedSinceMS == b.PausedSinceMS && a.PausedWhy == b.PausedWhy &&
		samePointed(a.Plan, b.Plan) && slices.Equal(a.ReportPaths, b.ReportPaths) && samePointed(a.Ended, b.Ended)
}

func sameTodo(a, b *clew.TodoInfo) bool {
	return a.Of == b.Of && a.ID == b.ID && a.Task == b.Task && a.Tool == b.Tool && a.Status == b.Status && a.Priority == b.Priority &&
		slices.Equal(a.DependsOn, b.DependsOn) && a.EstimatedDurationSec == b.EstimatedDurationSec &&
		samePointed(a.EstimatedCostUSD, b.EstimatedCostUSD) && a.Mode == b.Mode && a.Profile == b.Profile && a.TaskID == b.TaskID &&
		a.ProgressPercentage == b.ProgressPercentage && a.CurrentStep == b.CurrentStep && sameDeep(a.Error, b.Error) &&
		a.RetryCount == b.RetryCount && a.StartedMS == b.StartedMS && a.DurationMS == b.DurationMS &&
		reflect.DeepEqual(a.ResultSummary, b.ResultSummary)
}

func sameNotebook(a, b *clew.NotebookInfo) bool {
	x, y := a.Kernel, b.Kernel
	x.Info, y.Info = nil, nil
	return a.NotebookID == b.NotebookID && a.Path == b.Path && a.Status == b.Status && a.Problem == b.Problem && a.Conflict == b.Conflict && a.PathTaken == b.PathTaken &&
		a.Version == b.Version && a.Hash == b.Hash && a.Unsaved == b.Unsaved && slices.Equal(a.Cells, b.Cells) && x == y &&
		samePointed(a.Kernel.Info, b.Kernel.Info) && slices.Equal(a.Queue, b.Queue) && samePointed(a.Run, b.Run) &&
		a.RunSinceMS == b.RunSinceMS && a.Variables == b.Variables && sameDeep(a.Rerun, b.Rerun)
}

func sameCell(a, b *clew.CellInfo) bool {
	return a.NotebookID == b.NotebookID && a.CellID == b.CellID && a.Type == b.Type && a.Source == b.Source && a.SourceBlob == b.SourceBlob &&
		a.Status == b.Status && a.RunID == b.RunID && a.ExecutionCount == b.ExecutionCount && a.By == b.By && a.TaskID == b.TaskID &&
		a.StartedMS == b.StartedMS && a.DurationMS == b.DurationMS && a.Stale == b.Stale && slices.Equal(a.Outputs, b.Outputs) &&
		a.SavedOutputs == b.SavedOutputs && a.OutputsLost == b.OutputsLost && a.LeftOut == b.LeftOut && a.OutputBlob == b.OutputBlob &&
		a.StateHash == b.StateHash && a.Reason == b.Reason
}

func samePointed[T comparable](a, b *T) bool {
	return a == b || a != nil && b != nil && *a == *b
}

func sameDeep[T any](a, b *T) bool { return a == b || reflect.DeepEqual(a, b) }
