package session

import (
	"context"
	"slices"
	"testing"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/session/rewind"
)

// before takes the session back to just before its newest message that fits.
func (x *traveller) before(fits func(m clew.Message) bool) {
	list := x.s.state.Messages.Tail()
	for i := range slices.Backward(list) {
		if !fits(list[i]) {
			continue
		}
		c, err := x.s.finder(x.s.positionNow()).Plan(context.Background(), rewind.Target{Target: clew.Target{MessageID: list[i].MessageID}})
		if err != nil {
			x.t.Fatalf("plot: %v", err)
		}
		x.take(c)
		x.verify(x.t)
		return
	}
	x.t.Fatalf("no such message")
}

func newestMessage(clew.Message) bool { return true }

func travellerOn(t *testing.T, b *bench) *traveller {
	t.Helper()
	return newTraveller(b, t, func(n int) int { return n - 1 })
}

// Back between the end of a child and its parent's going on: what is said next
// is for the parent.
func TestBackBetweenChildAndParent(t *testing.T) {
	b := newBench()
	b.child()
	parent := b.s.state.Focused(clew.MainMonitor).ParentTaskID
	b.think()
	must(b.answer(1))
	must(b.complete(b.pick(0)))
	x := travellerOn(t, b)
	x.before(func(m clew.Message) bool { return m.Say == clew.SaySubtaskResult })
	if b.s.state.Main().Current != parent {
		t.Errorf("%s is in focus, not %s", b.s.state.Main().Current, parent)
	}
	must(b.ann(&clew.UserMessageData{Text: "go on"}))
	b.verify(t)
	if b.s.state.Task(parent).Turn == nil {
		t.Error("the parent does not hear it")
	}
}

// What waited for a task when the session was taken back takes it up, whatever
// was asked about it meanwhile.
func TestWordsThatWaitedTakeATaskUp(t *testing.T) {
	b := newBench()
	b.atWork()
	id := b.s.state.Main().Current
	must(b.ann(&clew.UserMessageData{Text: "later", TaskID: id}))
	travellerOn(t, b).before(newestMessage)
	must(b.ann(&clew.ResumeTaskData{TaskID: id}))
	must(b.ann(&clew.NewTaskData{Text: "something else"}))
	must(b.ann(&clew.InterruptData{}))
	b.verify(t)
	if s := b.s.state; s.Task(id).Turn == nil || len(s.Questions)+len(s.Main().Queue) > 0 {
		t.Errorf("the task has the turn %+v; %d questions are open, %d messages wait", s.Task(id).Turn, len(s.Questions), len(s.Main().Queue))
	}
}

// Words to a child that ended answer what its parent asks.
func TestWordsToAnEndedChildAnswerItsParent(t *testing.T) {
	b := newBench()
	b.child()
	child := b.s.state.Main().Current
	parent := b.s.state.Task(child).ParentTaskID
	b.think()
	must(b.answer(1))
	must(b.complete(b.pick(0)))
	must(b.ann(&clew.InterruptData{}))
	must(b.ann(&clew.ResumeTaskData{TaskID: parent}))
	must(b.ann(&clew.UserMessageData{Text: "go on", TaskID: child}))
	b.verify(t)
	if s := b.s.state; s.Task(parent).Turn == nil || len(s.Questions) > 0 {
		t.Errorf("the parent has the turn %+v, and %d questions are open", s.Task(parent).Turn, len(s.Questions))
	}
}

// Back between the failure of a todo and the question about it, while another
// todo waits for an answer: the run is paused, so that the question comes once
// it goes on.
func TestBackBeforeAQuestionAboutATodo(t *testing.T) {
	b := newBench()
	b.executing("a", "b$1")
	b.as(b.carrier("a"), func() {
		b.think()
		must(b.answer(1))
		b.input(clew.HitlInputRequestData{Asking: clew.Asking{ToolCallID: b.pick(0).ID}, InputType: clew.InputText})
	})
	b.decideTodo("b", clew.ChoiceReject)
	travellerOn(t, b).before(newestMessage)
	if !b.run().Paused {
		t.Fatal("the run goes on, and nobody asks about b")
	}
	must(b.ann(&clew.ControlResumeData{}))
	b.verify(t)
	if b.run().Asked["b"].RequestID == "" {
		t.Error("nobody asks about b")
	}
}

// Back between a change of a plan and its review: nothing is carried out that
// nobody has approved.
func TestBackBeforeTheReviewOfAChangedPlan(t *testing.T) {
	b := newBench()
	b.executing("a", "b<a")
	must(b.ann(&clew.ControlPauseData{}))
	must(b.ann(&clew.ControlResumeData{Modifications: []clew.PlanEdit{{Action: clew.PlanRemove, TodoID: "b"}}}))
	travellerOn(t, b).before(newestMessage)
	if b.run().Review == "" {
		t.Errorf("the plan is %s, and nobody is asked", b.run().Status)
	}
}
