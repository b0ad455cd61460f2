package clew

import "slices"

// Entities is a whole state, as collections of entities in their order.
type Entities struct {
	Session  SessionInfo
	Status   StatusInfo
	Usage    Usage
	Queue    List[QueuedMessage]
	Rules    List[RememberedRule]
	Monitors List[MonitorState]
	Agents   List[AgentState]
	Viewers  List[Viewer]

	Messages  []Message // the newest ones at least, oldest first
	Tasks     []TaskInfo
	Runs      []RunInfo
	Todos     []TodoInfo
	Questions []Question
	Windows   []WindowState
	Notices   []NoticeState
	Problems  []Problem
	Settled   []SettledQuestion
	Notebooks []NotebookInfo
	Cells     []CellInfo
}

// messagesShown is how many messages session_state has.
const messagesShown = 200

// SessionState assembles session_state, but for what is about the connection and
// for the texts that grow.
func (e *Entities) SessionState(last MessageID) SessionState {
	out := SessionState{
		Status: e.Status.Status, CurrentLayer: e.Status.CurrentLayer, LastMessageID: last,
		Title: e.Session.Title, Owner: e.Session.Owner, Workspace: e.Session.Workspace, Archived: e.Session.Archived,
		ForkedFrom: e.Session.ForkedFrom, Environment: e.Session.Environment, Messages: append(List[Message]{}, e.Messages[max(0, len(e.Messages)-messagesShown):]...),
		Monitors: e.Monitors, Agents: e.Agents, Windows: e.Windows, Notices: e.Notices, Queue: e.Queue, Allowed: e.Rules, Viewers: e.Viewers,
		CanUndo: e.Status.CanUndo, CanRedo: e.Status.CanRedo, Returning: e.Status.Returning, Checkpoint: e.Status.Checkpoint,
		Todos: e.FrontTodos(), Plan: e.FrontPlan(),
	}
	if e.Usage != (Usage{}) {
		usage := e.Usage
		out.Usage = &usage
	}
	if len(e.Questions) > 0 {
		first := e.Questions[0]
		out.HitlPending, out.HitlQueue = &first, slices.Clone(e.Questions[1:])
	}
	for i := range e.Runs {
		out.Runs = append(out.Runs, e.run(&e.Runs[i]))
	}
	return out
}

// FrontPlan is the plan that is shown, nil if there is none.
func (e *Entities) FrontPlan() *PlanSummary {
	for i := range e.Runs {
		if e.Runs[i].RunID == e.Status.Front {
			return e.Runs[i].Plan
		}
	}
	for i := range e.Tasks {
		if string(e.Tasks[i].TaskID) == e.Status.Front {
			return e.Tasks[i].Plan
		}
	}
	return nil
}

// FrontTodos are the todos of the plan that is shown.
func (e *Entities) FrontTodos() List[Todo] { return e.todosOf(e.Status.Front) }

func (e *Entities) todosOf(of string) List[Todo] {
	var list List[Todo]
	for i := range e.Todos {
		if e.Todos[i].Of == of {
			list = append(list, e.Todos[i].Todo)
		}
	}
	return list
}

// run puts a run together. The results of its todos stand beside it, for the one
// in front.
func (e *Entities) run(r *RunInfo) RunState {
	todos := e.todosOf(r.RunID)
	for i := range todos {
		todos[i].ResultSummary = nil
	}
	return RunState{
		RunID: r.RunID, MonitorID: r.MonitorID, TaskID: r.TaskID, Status: r.Status, CurrentLayer: r.CurrentLayer, Phase: r.Phase,
		Paused: r.Paused, PausedSinceMS: r.PausedSinceMS, PausedWhy: r.PausedWhy, Plan: r.Plan, Todos: todos, ReportPaths: r.ReportPaths, Ended: r.Ended,
	}
}
