package session

import (
	"slices"
	"testing"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/session/core"
	"github.com/clew-run/clew/internal/session/decide"
)

// An interrupt stops the conversation beside a run too.
func TestInterruptBesideARun(t *testing.T) {
	b := newBench()
	b.create()
	must(b.say("m1"))
	chat := b.task()
	must(b.begin())
	b.askRun("r1")
	if _, types, err := b.ann(&clew.InterruptData{}); err != nil || chat.Turn != nil || !b.run().Paused || !slices.Contains(types, clew.EventHitlPaused) {
		t.Errorf("%v, %v; the conversation works: %v", types, err, chat.Turn != nil)
	}
	b.verify(t)
}

// Words to a run whose budget is used up steer it. They neither raise it nor end
// the run.
func TestWordsAtABudgetQuestion(t *testing.T) {
	for _, limit := range []string{core.LimitBudget, core.LimitTime} {
		b := newBench()
		b.create()
		b.askRun("r1")
		b.limits(b.root(), limit)
		b.s.state.Rules = steering{}
		_, types, err := b.ann(&clew.UserMessageData{Text: "how much is left?"})
		if err != nil || len(b.s.state.Questions) != 1 || b.run().Phase.Ended() || b.root().Raised+b.run().Extended != 0 {
			t.Errorf("%s: %v, %v, the run is %s", limit, types, err, b.run().Phase)
		}
		b.verify(t)
	}
}

// An attempt that acted and then failed inside is not made again by itself.
func TestBrokenAttempt(t *testing.T) {
	for _, acted := range []bool{false, true} {
		b := newBench()
		b.executing("a")
		b.carrier("a").Acted = acted
		_, types, err := b.reportAs(b.carrier("a"), func(tx *decide.Tx, s *core.State, task *core.Task) {
			decide.FailRunTurn(tx, s, task, nil, decide.TurnEnd{Reason: "ended by a failure", Code: clew.EndFailed}, clew.Errorf(clew.StorageFailed, "the disk is full"))
		})
		if err != nil || slices.Contains(types, clew.EventTodoRetried) == acted || slices.Contains(types, clew.EventHitlApprovalRequest) != acted {
			t.Errorf("acted %v: %v, %v", acted, types, err)
		}
	}
}

// A plan that was made from an old view never undoes what happened since.
func TestPlanFromAnOldView(t *testing.T) {
	b := newBench()
	b.executing("a", "c")
	b.failTodo("c", false)
	ok(t, b, "edit", &clew.EditPlanData{Modifications: clew.List[clew.PlanEdit]{addEdit("z")}}, "plan_modified hitl_plan_review")
	if _, err := b.review(clew.ChoiceModify, "do c otherwise"); err != nil {
		t.Fatal(err)
	}
	stale := slices.Clone(b.run().Todos)
	for i := range stale {
		if stale[i].ID == "c" {
			stale[i].Task, stale[i].Status, stale[i].Error = "c otherwise", clew.TodoPending, nil
		}
	}
	b.finishTodo("a")
	b.decideTodo("c", clew.ChoiceSkip)
	b.think()
	must(b.answer(1))
	call, version := b.root().Calls[0].ID, b.run().Version
	_, types, err := b.reportAs(b.root(), func(tx *decide.Tx, s *core.State, task *core.Task) {
		decide.Planned(tx, s, task, call, stale, "new")
	})
	if err != nil || !slices.Equal(types, []clew.EventType{clew.EventToolProgress}) || b.todo("a").Status != clew.TodoCompleted ||
		b.todo("c").Status != clew.TodoSkipped || b.run().Version != version {
		t.Errorf("%v, %v, %v", types, err, b.statuses())
	}
}
