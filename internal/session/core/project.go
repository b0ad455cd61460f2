package core

import (
	"maps"

	"github.com/clew-run/clew"
)

// shownRunes bounds what an entity shows of a result.
const shownRunes = 200

// Project gives the state as entities, the messages left out. It is the one
// place that says what those who watch see of the state.
func (s *State) Project() clew.Entities {
	e := clew.Entities{
		Session: clew.SessionInfo{Title: s.DisplayTitle(), Owner: s.Owner, Workspace: s.Workspace, Archived: s.Archived, ForkedFrom: s.ForkedFrom, Forks: s.Forks, Environment: s.commandEnvironment()},
		Status: clew.StatusInfo{
			Status: s.Status(), CanUndo: len(s.Undo) > 0, CanRedo: len(s.Redo) > 0, Checkpoint: s.Checkpoint, LastMove: s.LastMove,
		},
		Usage: s.Usage, Queue: s.QueuedMessages(), Rules: s.ActiveRules(),
		Monitors: s.monitorStates(), Agents: s.agentStates(),
		Questions: s.Questions, Windows: s.windowStates(), Notices: s.Notices, Problems: s.Problems, Settled: s.Settled,
	}
	if s.PendingRewind != nil {
		e.Status.Returning = &s.PendingRewind.RewindStartedData
	}
	if t := s.Focused(clew.MainMonitor); t != nil {
		s.projectFront(&e.Status, t)
	}
	e.Notebooks, e.Cells = s.notebookInfos()
	for _, t := range s.SortedTasks() {
		e.Tasks = append(e.Tasks, s.taskInfo(t))
		switch {
		case t.keepsRun():
			e.Runs = append(e.Runs, s.runInfo(t))
			e.Todos = appendTodos(e.Todos, t.Run.ID, t.Run.Todos, t.Run.ID == e.Status.Front)
		case t.PlanID != "":
			e.Todos = appendTodos(e.Todos, string(t.TaskID), t.Todos, true)
		}
	}
	return e
}

// commandEnvironment is what commands have of the terminal where the session began, with
// the PATH that was set for the session since.
func (s *State) commandEnvironment() map[string]string {
	path, _ := s.Settings["command_path"].(string)
	if path == "" {
		return s.Environment
	}
	env := map[string]string{}
	maps.Copy(env, s.Environment)
	env["PATH"] = path
	return env
}

// keepsRun reports whether the task's run is at hand with its plan.
func (t *Task) keepsRun() bool { return t.Run != nil && t.Run.StartedMS != 0 }

// projectFront says whose plan is shown: that of the run in focus, or of the
// task.
func (s *State) projectFront(st *clew.StatusInfo, t *Task) {
	switch root := s.RootOf(t); {
	case root.keepsRun():
		st.Front = root.Run.ID
		if !root.Run.Phase.Ended() {
			st.CurrentLayer = root.Run.Layer
		}
	case root.Run != nil:
		st.Front = string(root.TaskID)
	default:
		if of := s.planTask(t); of != nil {
			st.Front = string(of.TaskID)
		}
	}
}

// planTask is the task whose own steps are in front: t, or the nearest of those
// that t works for, since a subtask without steps is part of one of theirs. It is
// nil if none keeps any.
func (s *State) planTask(t *Task) *Task {
	for ; t != nil; t = s.Task(t.ParentTaskID) {
		if t.PlanID != "" {
			return t
		}
	}
	return nil
}

// TaskInfos says how the tasks stand that messages are of, and those that started them.
func (s *State) TaskInfos(messages []clew.Message) []clew.TaskInfo {
	wanted := map[clew.TaskID]bool{}
	for i := range messages {
		for t := s.Task(messages[i].TaskID); t != nil && !wanted[t.TaskID]; t = s.Task(t.ParentTaskID) {
			wanted[t.TaskID] = true
		}
	}
	var list []clew.TaskInfo
	for _, t := range s.SortedTasks() {
		if wanted[t.TaskID] {
			list = append(list, s.taskInfo(t))
		}
	}
	return list
}

func (s *State) taskInfo(t *Task) clew.TaskInfo {
	info := clew.TaskInfo{
		TaskRef: t.TaskRef, TodoID: t.TodoID, ToolCallID: t.ToolCallID, AgentID: t.AgentID, WindowID: t.WindowID, Text: clew.Clip(t.Text, TitleRunes), Mode: t.Mode,
		Status: t.Status, Focused: s.isFocused(t), AtWork: t.Turn != nil, PutAway: t.Dismissed,
		CreatedMS: t.CreatedMS, EndedMS: t.EndedMS, Usage: t.Usage, Result: clew.Clip(t.Result, shownRunes),
		AgentKind: t.Kind(), Outcome: t.Outcome, Added: t.Added, Removed: t.Removed,
	}
	info.State, info.RequestID = s.TaskState(t.TaskID)
	if root := s.RootOf(t); root.Run != nil {
		info.RunID = root.Run.ID
	}
	switch {
	case t.Run != nil && !t.keepsRun():
		info.Plan = t.Run.Summary()
	case t.Run == nil && t.PlanID != "":
		info.Plan = &clew.PlanSummary{ID: t.PlanID, Status: clew.PlanApproved, Version: t.PlanVersion, TotalTodos: len(t.Todos)}
	}
	return info
}

func (s *State) runInfo(t *Task) clew.RunInfo {
	info := clew.RunInfo{
		RunID: t.Run.ID, MonitorID: t.MonitorID, TaskID: t.TaskID, Status: t.Run.SessionStatus(), CurrentLayer: t.Run.Layer,
		Phase: string(t.Run.Phase), Paused: t.Run.Paused, PausedSinceMS: t.Run.PausedMS, PausedWhy: t.Run.PausedWhy, Plan: t.Run.Summary(), Ended: t.Run.Ended,
	}
	for _, r := range t.Run.Reports {
		info.ReportPaths = append(info.ReportPaths, ReportPath(s.ID, r.Name))
	}
	return info
}

// appendTodos adds those of a run or a task. Results of a run that is not in
// front stay behind: those of long plans are large.
func appendTodos(list []clew.TodoInfo, of string, todos []clew.Todo, results bool) []clew.TodoInfo {
	for _, t := range todos {
		if !results {
			t.ResultSummary = nil
		}
		list = append(list, clew.TodoInfo{Of: of, Todo: t})
	}
	return list
}

// FocusedTodos are those of the task in focus on the main monitor.
func (s *State) FocusedTodos() []clew.Todo {
	t := s.Focused(clew.MainMonitor)
	if t == nil {
		return nil
	}
	if r := s.RootOf(t).Run; r != nil {
		return r.Todos
	}
	if t = s.planTask(t); t == nil {
		return nil
	}
	return t.Todos
}
