package run

import (
	"fmt"
	"slices"
	"strings"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/plan"
)

// An Op is what people can do to a run.
type Op string

// The operations. Approve, Modify and Reject answer the review of a plan.
const (
	Pause   Op = "pause"
	Resume  Op = "resume"
	Cancel  Op = "cancel"
	Retry   Op = "retry"
	Skip    Op = "skip"
	Edit    Op = "edit"
	Approve Op = "approve"
	Modify  Op = "modify"
	Reject  Op = "reject"
)

// Ops lists them.
var Ops = []Op{Pause, Resume, Cancel, Retry, Skip, Edit, Approve, Modify, Reject}

// legal is the table of states: what people can do in each phase. A run that is
// paused is in one of the first five phases; there Resume takes Pause's place
// and all else stays as it is.
var legal = map[Phase][]Op{
	Understanding: {Pause, Cancel},
	Planning:      {Pause, Cancel},
	Review:        {Pause, Cancel, Edit, Approve, Modify, Reject},
	Executing:     {Pause, Cancel, Retry, Skip, Edit},
	Responding:    {Pause, Cancel},
	Completed:     {},
	Failed:        {},
	Cancelled:     {},
}

// Legal reports whether an operation fits a phase.
func Legal(p Phase, paused bool, op Op) bool {
	if p.Ended() {
		return false
	}
	switch op {
	case Resume:
		return paused
	case Pause:
		return !paused
	}
	return slices.Contains(legal[p], op)
}

// Check says why an operation does not fit, nil if it does.
func (r *Run) Check(op Op) error {
	if Legal(r.Phase, r.Paused, op) {
		return nil
	}
	return clew.Errorf(clew.SessionInvalidState, "%s", r.refusal(op))
}

// refusal says for a person why an operation does not fit.
func (r *Run) refusal(op Op) string {
	switch {
	case r.Phase.Ended():
		return fmt.Sprintf("the plan is %s already: there is nothing to %s", r.Phase, op)
	case op == Pause:
		return "the plan is paused already"
	case op == Resume:
		return "the plan is not paused: it continues by itself"
	}
	return fmt.Sprintf("%s does not fit: the run is %s", op, r.words())
}

// words says where the run stands.
func (r *Run) words() string {
	state := string(r.Phase)
	if r.Phase == Review {
		state = "in review"
	}
	if r.Paused {
		state += " (paused)"
	}
	return state
}

// todoOps says in which states of a todo it can be retried and skipped.
var todoOps = map[Op][]clew.TodoStatus{
	Retry: {clew.TodoFailed},
	Skip:  {clew.TodoPending, clew.TodoInProgress, clew.TodoFailed},
}

// CheckTodo says why an operation does not fit one todo, nil if it does.
func (r *Run) CheckTodo(op Op, id string) (clew.Todo, error) {
	if err := r.Check(op); err != nil {
		return clew.Todo{}, err
	}
	t := plan.Find(r.Todos, id)
	if t == nil {
		return clew.Todo{}, clew.Errorf(clew.InvalidMessage, "the plan has no todo %q", id)
	}
	if slices.Contains(todoOps[op], t.Status) {
		return *t, nil
	}
	return *t, clew.Errorf(clew.SessionInvalidState, "%s does not fit: todo %s is %s", op, id, t.Status)
}

// Table is the table of states for people, in Markdown.
func Table() string {
	var b strings.Builder
	b.WriteString("| Phase |")
	for _, op := range Ops {
		fmt.Fprintf(&b, " %s |", op)
	}
	b.WriteString("\n|---|" + strings.Repeat("---|", len(Ops)) + "\n")
	for _, p := range Phases {
		row(&b, p, false)
		if !p.Ended() {
			row(&b, p, true)
		}
	}
	b.WriteString("\n| Todo | retry | skip |\n|---|---|---|\n")
	for _, st := range clew.TodoStatus("").Values() {
		fmt.Fprintf(&b, "| %s | %s | %s |\n", st, mark(slices.Contains(todoOps[Retry], clew.TodoStatus(st))), mark(slices.Contains(todoOps[Skip], clew.TodoStatus(st))))
	}
	return b.String()
}

func row(b *strings.Builder, p Phase, paused bool) {
	name := string(p)
	if paused {
		name += ", paused"
	}
	fmt.Fprintf(b, "| %s |", name)
	for _, op := range Ops {
		fmt.Fprintf(b, " %s |", mark(Legal(p, paused, op)))
	}
	b.WriteString("\n")
}

func mark(ok bool) string {
	if ok {
		return "yes"
	}
	return "–"
}
