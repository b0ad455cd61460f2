package session

import (
	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/plan"
	"github.com/clew-run/clew/internal/run"
	"github.com/clew-run/clew/internal/session/core"
)

// verifyRun checks, after a step, all that must hold of runs at any moment.
func (b *bench) verifyRun(t tester) {
	t.Helper()
	s := b.s.state
	under := 0
	for _, root := range s.Tasks {
		if root.Run == nil {
			continue
		}
		if !root.Run.Phase.Ended() {
			under++
		}
		b.verifyOne(t, root)
	}
	if under > 1 {
		t.Fatalf("%d runs are under way", under)
	}
}

func (b *bench) verifyOne(t tester, root *core.Task) {
	t.Helper()
	s, r := b.s.state, root.Run
	if r.ID != run.IDOf(root.TaskID) || r.PlanID != "" && r.PlanID != run.PlanIDOf(root.TaskID) {
		t.Fatalf("run %s of task %s has the plan %s", r.ID, root.TaskID, r.PlanID)
	}
	c := plan.Count(r.Todos)
	if c.Completed+c.InProgress+c.Pending+c.Failed+c.Skipped != c.Total || c.Total != len(r.Todos) {
		t.Fatalf("counts %+v of %d todos", c, len(r.Todos))
	}
	working := atWorkOn(s, root.TaskID)
	for id, n := range working {
		if todo := plan.Find(r.Todos, id); n > 1 || todo == nil || todo.Status != clew.TodoInProgress {
			t.Fatalf("%d tasks are at work on %s: %+v", n, id, todo)
		}
	}
	for _, todo := range r.Todos {
		if todo.Status == clew.TodoInProgress && working[todo.ID] != 1 {
			t.Fatalf("todo %s is in progress, and nobody is at work on it", todo.ID)
		}
	}
	if !r.Phase.Ended() && c.InProgress > max(s.RunRules().Parallel, 1) {
		t.Fatalf("%d todos at once", c.InProgress)
	}
	b.verifyQuestions(t, root)
	if r.Phase.Ended() {
		if len(working) > 0 || r.Review != "" || len(r.Asked) > 0 || r.Paused {
			t.Fatalf("left behind by a run that ended: %v, %+v", working, r)
		}
		return
	}
	b.verifyWaiting(t, root, c)
}

// atWorkOn counts the tasks at work on each todo of a run.
func atWorkOn(s *core.State, root clew.TaskID) map[string]int {
	working := map[string]int{}
	for _, t := range s.Tasks {
		if t.RootTaskID == root && t.TodoID != "" && !t.Ended() {
			working[t.TodoID]++
		}
	}
	return working
}

// verifyQuestions holds the run's own list of questions against the open ones.
func (b *bench) verifyQuestions(t tester, root *core.Task) {
	t.Helper()
	r, own := root.Run, 0
	for _, q := range b.s.state.Questions {
		a := q.Asking()
		if x := b.s.state.Task(a.TaskID); x == nil || x.RootTaskID != root.TaskID {
			continue
		}
		if r.Phase.Ended() && a.RunID != "" {
			t.Fatalf("question %s is open after the end of its run", a.RequestID)
		}
		switch {
		case a.TaskID != root.TaskID || r.Phase.Ended():
		case q.Type == clew.EventHitlPlanReview:
			own++
			if r.Review != a.RequestID || r.Phase != run.Review {
				t.Fatalf("the review %s is open; the run is %s and knows of %q", a.RequestID, r.Phase, r.Review)
			}
		case a.TodoID != "":
			own++
			todo := plan.Find(r.Todos, a.TodoID)
			if asked := r.Asked[a.TodoID]; asked.RequestID != a.RequestID || todo == nil || asked.Failed != (todo.Status == clew.TodoFailed) || !asked.Failed && todo.Status != clew.TodoPending {
				t.Fatalf("question %s about %+v, known as %+v", a.RequestID, todo, asked)
			}
		}
	}
	known := len(r.Asked)
	if r.Review != "" {
		known++
	}
	if known != own || (r.Phase == run.Review) != (r.Review != "") {
		t.Fatalf("the run knows of %d questions, %d are open; it is %s", known, own, r.Phase)
	}
}

// verifyWaiting checks that a run under way has somebody who takes it on: an
// agent, or a person who was asked or has paused it.
func (b *bench) verifyWaiting(t tester, root *core.Task, c plan.Counts) {
	t.Helper()
	s, r := b.s.state, root.Run
	if root.Turn == nil || root.Ended() {
		t.Fatalf("run %s is %s, and its task is %s at rest", r.ID, r.Phase, root.Status)
	}
	asked := false
	for _, q := range s.Questions {
		if x := s.Task(q.Asking().TaskID); x != nil && x.RootTaskID == root.TaskID {
			asked = true
		}
	}
	if !r.Paused && !asked && !s.TreeBusy(root) {
		t.Fatalf("run %s waits for nobody: %s, %+v", r.ID, r.Phase, c)
	}
	if r.Phase == run.Executing && r.Status != clew.PlanApproved {
		t.Fatalf("a plan that is %s is carried out", r.Status)
	}
	if r.Phase == run.Executing && !r.Paused {
		if list := r.Start(s.RunRules()); len(list) > 0 {
			t.Fatalf("todo %s could begin, and does not", list[0].ID)
		}
		if n := len(r.AskCost(s.RunRules())) + len(r.AskFailed()); n > 0 || r.Executed() {
			t.Fatalf("%d questions were not asked, executed %v", n, r.Executed())
		}
	}
}
