package chaos

import (
	"context"
	"fmt"
	"time"

	"github.com/clew-run/clew"
)

// answer says something to a question that lets the run go on, but for the few
// runs that are ended on purpose.
func (p *pilot) answer(ctx context.Context, q clew.Question) bool {
	a := q.Asking()
	switch d := q.Data.(type) {
	case *clew.HitlPlanReviewData:
		return p.review(ctx, a.RequestID)
	case *clew.HitlInputRequestData:
		return p.send(ctx, "answer", clew.CommandHitlInputResponse, clew.HitlInputResponseData{RequestID: a.RequestID, Value: "yes"})
	case *clew.HitlApprovalRequestData:
		choice, what := clew.ChoiceApprove, "approve"
		switch n := p.random.IntN(100); {
		case d.Ask == clew.AskResumeTask:
			what = "go on in doubt"
			if n < 20 {
				choice, what = clew.ChoiceReject, "stop in doubt"
			}
		case n < 40:
			choice, what = clew.ChoiceSkip, "skip by answer"
		case d.Limit == "" && n < 50:
			choice, what = clew.ChoiceReject, "refuse the cost"
		}
		return p.send(ctx, what, clew.CommandHitlApprovalResponse, clew.HitlApprovalResponseData{RequestID: a.RequestID, Action: choice})
	}
	return false
}

// assent says yes where another answer did not fit any more.
func (p *pilot) assent(ctx context.Context, q clew.Question) bool {
	if q.Type == clew.EventHitlPlanReview {
		return p.send(ctx, "approve the plan", clew.CommandHitlPlanResponse, clew.HitlPlanResponseData{RequestID: q.RequestID(), Action: clew.ChoiceApprove})
	}
	return p.send(ctx, "approve", clew.CommandHitlApprovalResponse, clew.HitlApprovalResponseData{RequestID: q.RequestID(), Action: clew.ChoiceApprove})
}

func (p *pilot) review(ctx context.Context, id clew.RequestID) bool {
	p.reviews++
	d := clew.HitlPlanResponseData{RequestID: id, Action: clew.ChoiceApprove}
	what := "approve the plan"
	switch n := p.random.IntN(100); {
	case p.reviews == 1 && n < 10:
		d.Action, d.Instruction, what = clew.ChoiceModify, "Another order, please.", "have the plan changed"
	case p.reviews < 5 && n < 20:
		d.Action, d.Modifications, what = clew.ChoiceModify, p.edits(), "change the plan at its review"
	case p.reviews == 1 && n == 99:
		d.Action, what, p.doom = clew.ChoiceReject, "reject the plan", true
	}
	return p.send(ctx, what, clew.CommandHitlPlanResponse, d)
}

// linger is a person's moment of thought.
func (p *pilot) linger(ctx context.Context) {
	select {
	case <-ctx.Done():
	case <-time.After(time.Duration(p.random.Int64N(int64(100 * time.Millisecond)))):
	}
}

// pause stops the run for a moment; every other time it goes on with a changed
// plan.
func (p *pilot) pause(ctx context.Context) {
	if !p.send(ctx, "pause", clew.CommandControlPause, clew.ControlPauseData{}) {
		return
	}
	p.goOn(ctx)
}

func (p *pilot) goOn(ctx context.Context) {
	p.linger(ctx)
	if p.random.IntN(2) == 0 && p.send(ctx, "resume with changes", clew.CommandControlResume, clew.ControlResumeData{Modifications: p.edits()}) {
		return
	}
	p.send(ctx, "resume", clew.CommandControlResume, clew.ControlResumeData{})
}

func (p *pilot) interrupt(ctx context.Context) {
	if p.send(ctx, "interrupt", clew.CommandInterrupt, clew.InterruptData{}) {
		p.goOn(ctx)
	}
}

// pick finds a todo in one of some states, "" if there is none.
func (p *pilot) pick(states ...clew.TodoStatus) *clew.Todo {
	var fit []*clew.Todo
	for i := range p.todos {
		for _, s := range states {
			if p.todos[i].Status == s {
				fit = append(fit, &p.todos[i])
			}
		}
	}
	if len(fit) == 0 {
		return nil
	}
	return fit[p.random.IntN(len(fit))]
}

func (p *pilot) skip(ctx context.Context) {
	if t := p.pick(clew.TodoPending, clew.TodoInProgress, clew.TodoFailed); t != nil {
		p.send(ctx, "skip", clew.CommandControlSkip, clew.ControlSkipData{TodoID: t.ID, Reason: "not needed"})
	}
}

func (p *pilot) retry(ctx context.Context) {
	if t := p.pick(clew.TodoFailed); t != nil {
		p.send(ctx, "retry", clew.CommandControlRetry, clew.ControlRetryData{TodoID: t.ID})
	}
}

func (p *pilot) stopAgent(ctx context.Context) {
	if t := p.pick(clew.TodoInProgress); t != nil {
		p.send(ctx, "stop an agent", clew.CommandInterruptAgent, clew.InterruptAgentData{Agent: "task-" + string(t.TaskID)})
	}
}

func (p *pilot) cancel(ctx context.Context) {
	p.doom = p.send(ctx, "cancel", clew.CommandControlCancel, clew.ControlCancelData{Reason: "on purpose"}) || p.doom
}

func (p *pilot) edit(ctx context.Context) {
	p.send(ctx, "edit", clew.CommandEditPlan, clew.EditPlanData{Modifications: p.edits()})
}

// edits changes a few things of the plan. What has begun meanwhile refuses them
// all.
func (p *pilot) edits() []clew.PlanEdit {
	list := []clew.PlanEdit{{Action: clew.PlanAdd, Task: fmt.Sprintf("%s added %d", kindPlain, p.random.IntN(1000)), DependsOn: &[]string{}}}
	if t := p.pick(clew.TodoPending, clew.TodoCompleted, clew.TodoInProgress); t != nil {
		list[0].DependsOn = &[]string{t.ID}
	}
	// Late in the order, so that it is likely not to have begun.
	if n := len(p.todos); n > 0 && p.todos[n-1].Status == clew.TodoPending {
		priority := p.random.IntN(10)
		list = append(list, clew.PlanEdit{Action: clew.PlanUpdate, TodoID: p.todos[n-1].ID, Priority: &priority})
	}
	if n := len(p.todos); n > 2 && p.todos[n-2].Status == clew.TodoPending && p.random.IntN(2) == 0 {
		list = append(list, clew.PlanEdit{Action: clew.PlanRemove, TodoID: p.todos[n-2].ID})
	}
	return list
}
