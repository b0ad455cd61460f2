package follow

import (
	"slices"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/client"
	"github.com/clew-run/clew/internal/ask"
	"github.com/clew-run/clew/internal/cli/env"
	"github.com/clew-run/clew/internal/term"
)

// aroundKnown is what a story has told, or found, of all that is no message.
type aroundKnown struct {
	todos    map[string]clew.TodoStatus // by key
	plans    map[string]bool            // runs and tasks whose todos are known
	tasks    map[clew.TaskID]clew.TaskStatus
	paused   map[string]bool // runs
	problems map[clew.MessageID]bool
	move     clew.MessageID
	queued   bool // that what was said here waits
}

func newKnown() aroundKnown {
	return aroundKnown{
		todos: map[string]clew.TodoStatus{}, plans: map[string]bool{}, tasks: map[clew.TaskID]clew.TaskStatus{},
		paused: map[string]bool{}, problems: map[clew.MessageID]bool{},
	}
}

// around tells of problems, plans, tasks, runs and moves. first is what was there
// when we came: it is not told.
func (s *transcriptPrinter) around(r *client.Replica, first bool) {
	tell := !first
	for i := range r.Problems {
		if p := &r.Problems[i]; !s.known.problems[p.MessageID] {
			s.known.problems[p.MessageID] = true
			if tell {
				s.note(Bad, "✕ %s", p.Message)
			}
		}
	}
	s.moved(r.Status.LastMove, tell)
	s.tasks(r, tell)
	s.plans(r, tell)
	s.runs(r, tell)
	at := slices.IndexFunc(r.Queue, func(q clew.QueuedMessage) bool { return s.said != "" && q.ClientMessageID == s.said })
	if at >= 0 && !s.known.queued {
		s.known.queued = true
		s.note(Waiting, "It waits until what is under way is done (place %d in the queue).", at+1)
	}
}

func (s *transcriptPrinter) moved(to *clew.LastMove, tell bool) {
	if to == nil || to.MessageID == s.known.move {
		return
	}
	s.known.move = to.MessageID
	switch {
	case !tell || to.Failed != "" || to.Kind == clew.KindFiles:
	case to.Kind == clew.KindUndo:
		s.note(Waiting, "A rewind was undone.")
	default:
		s.note(Waiting, "The session was rewound: %s removed.", term.Count(to.Removed, "message"))
	}
}

// tasks tells of subtasks. Those that carry out a step are told by the plan.
func (s *transcriptPrinter) tasks(r *client.Replica, tell bool) {
	for i := range r.Tasks {
		t := &r.Tasks[i]
		was, knew := s.known.tasks[t.TaskID]
		s.known.tasks[t.TaskID] = t.Status
		switch {
		case !tell:
		case !knew && t.AgentKind == clew.AgentTask:
			s.note(Faint, "↳ a subtask begins")
		case knew && was == clew.TaskStatusDelegated && t.Status == clew.TaskStatusActive:
			s.note(Faint, "↲ the subtask is done")
		}
	}
}

func (s *transcriptPrinter) runs(r *client.Replica, tell bool) {
	for i := range r.Runs {
		run := &r.Runs[i]
		was := s.known.paused[run.RunID]
		s.known.paused[run.RunID] = run.Paused
		switch {
		case !tell || was == run.Paused:
		case run.Paused:
			s.note(Waiting, "The run is paused%s.", ask.Because(run.PausedWhy))
		case run.Ended == nil:
			s.note(PlainInk, "The run continues.")
		}
	}
}

// plans tells of todos: all of a plan that is new and not under review, then those
// that stand elsewhere now, what ended before what begins.
func (s *transcriptPrinter) plans(r *client.Replica, tell bool) {
	fresh := map[string]bool{}
	var begun []clew.Todo
	for i := range r.Todos {
		t := &r.Todos[i]
		fresh[t.Of] = fresh[t.Of] || !s.known.plans[t.Of]
		was := s.known.todos[t.Key()]
		s.known.plans[t.Of], s.known.todos[t.Key()] = true, t.Status
		switch {
		case !tell || was == t.Status || !worth(r, t, fresh[t.Of]):
		case fresh[t.Of] || todoEnded(t):
			s.todo(t.Todo)
		default:
			begun = append(begun, t.Todo)
		}
	}
	for _, t := range begun {
		s.todo(t)
	}
}

func todoEnded(t *clew.TodoInfo) bool {
	return t.Status == clew.TodoCompleted || t.Status == clew.TodoFailed
}

// worth reports whether a todo is to be told. A run's plan is shown by its review,
// and its steps when they begin and end.
func worth(r *client.Replica, t *clew.TodoInfo, fresh bool) bool {
	for i := range r.Runs {
		if run := &r.Runs[i]; run.RunID == t.Of {
			review := run.Plan != nil && run.Plan.Status == clew.PlanPendingApproval
			return fresh && !review || t.Status == clew.TodoInProgress || todoEnded(t)
		}
	}
	return true
}

var todoMarks = map[clew.TodoStatus]string{
	clew.TodoPending: "○", clew.TodoInProgress: "◐", clew.TodoCompleted: "●", clew.TodoFailed: "✕", clew.TodoSkipped: "–",
}

var todoInks = map[clew.TodoStatus]ink{
	clew.TodoPending: Faint, clew.TodoInProgress: Waiting, clew.TodoCompleted: Good, clew.TodoFailed: Bad, clew.TodoSkipped: Faint,
}

func (s *transcriptPrinter) todo(t clew.Todo) {
	s.para("plan")
	text := t.Task
	switch {
	case t.Status == clew.TodoCompleted && took(t.DurationMS) != "":
		text += " · " + took(t.DurationMS)
	case t.Status == clew.TodoFailed && t.Error != nil:
		text += " · " + t.Error.Message
	}
	s.Item(todoInks[t.Status], env.FirstOf(todoMarks[t.Status], "○"), term.FirstLine(text))
}
