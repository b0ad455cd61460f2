package session

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/history"
	"github.com/clew-run/clew/internal/nightly"
	"github.com/clew-run/clew/internal/session/core"
	"github.com/clew-run/clew/internal/session/decide"
)

// chat has a number of exchanges with the model; the task is at rest then.
func (b *bench) chat(n int) {
	for i := range n {
		must(b.say(fmt.Sprint("chat", len(b.records), i)))
		b.think()
		must(b.answer(0))
	}
}

// aboutSummary says something about the call for a summary.
func aboutSummary(tx *decide.Tx, t *core.Task, say clew.Say, c clew.ContextCondense) {
	m := clew.Message{
		Type: clew.TypeSay, Role: clew.SpeakerSystem, Say: say,
		AgentID: t.AgentID, MonitorID: clew.MainMonitor, TaskID: t.TaskID, ContextCondense: &c,
	}
	if say == clew.SayAPIReqStarted {
		m.Reserved = &clew.Usage{TokensIn: 50, TokensOut: 10}
	}
	tx.Say(m)
}

// askSummary has the agent ask for a summary, summed has it put in the place of
// n messages.
func (b *bench) askSummary() {
	must(b.report(func(tx *decide.Tx, s *core.State, t *core.Task) {
		aboutSummary(tx, t, clew.SayAPIReqStarted, clew.ContextCondense{CondenseID: "c"})
	}))
}

func (b *bench) summed(id string, n int) {
	must(b.report(func(tx *decide.Tx, s *core.State, t *core.Task) {
		aboutSummary(tx, t, clew.SayCondenseContext, clew.ContextCondense{CondenseID: id, TokensAfter: 20})
		tx.Add(&clew.ModelMessageData{TaskID: t.TaskID, Message: history.Summary(id, id, tx.NextTS()), Hides: n})
	}))
}

func (b *bench) truncated(id string, n int) {
	must(b.report(func(tx *decide.Tx, s *core.State, t *core.Task) {
		tx.Add(&clew.ModelMessageData{TaskID: t.TaskID, Message: history.Marker(t.History, n, id, tx.NextTS()), Hides: n})
	}))
}

// A task at rest gets a turn for a summary alone, and is at rest again after it.
// The state forgets what is hidden.
//
// Covers: HIS-06, HIS-07, HIS-08
func TestCondenseAtRest(t *testing.T) {
	b := newBench()
	b.create()
	b.chat(3)
	_, types, err := b.ann(&clew.CondenseContextData{})
	if want := []clew.EventType{clew.EventCondenseRequested, clew.EventTaskActive}; err != nil || !slices.Equal(types, want) {
		t.Fatalf("it makes %v, %v", types, err)
	}
	b.verify(t)
	task := b.task()
	if task.Turn == nil || task.Turn.Prompt != nil || !task.Turn.Condense || !task.Condense || !b.s.state.Runnable(task) {
		t.Fatalf("turn %+v", task.Turn)
	}
	if _, types, err := b.ann(&clew.CondenseContextData{}); err != nil || len(types) != 0 {
		t.Errorf("asked again: %v, %v", types, err)
	}
	steps := task.Steps
	b.askSummary()
	if !task.Condensing || task.Request == "" || task.Steps != steps || b.s.state.TreeUsage(task.RootTaskID).TokensIn != 15+50 {
		t.Errorf("a call under way: %+v", task)
	}
	b.summed("c", 4)
	b.verify(t)
	if len(task.History) != 3 || !task.History[0].IsSummary || task.HiddenCount != 4 || task.Condense || task.Condensing || task.Request != "" || task.Condensed != 20 {
		t.Errorf("after the summary: %+v", task)
	}
	must(b.report(idle))
	b.verify(t)
	b.check(t)
	if task.Turn != nil {
		t.Errorf("the turn goes on: %+v", task.Turn)
	}
}

// A turn does not end before the summary that somebody wants is made. One that
// fails is not wanted any more.
//
// Covers: HIS-32
func TestCondenseHoldsTheTurn(t *testing.T) {
	b := newBench()
	b.create()
	b.chat(1)
	must(b.say("more"))
	b.think()
	_, types, err := b.ann(&clew.CondenseContextData{})
	if err != nil || !slices.Equal(types, []clew.EventType{clew.EventCondenseRequested}) {
		t.Fatalf("it makes %v, %v", types, err)
	}
	if _, types, _ := b.answer(0); slices.Contains(types, clew.EventTaskIdle) {
		t.Errorf("the turn is over: %v", types)
	}
	b.askSummary()
	before := b.task().History
	must(b.report(func(tx *decide.Tx, s *core.State, t *core.Task) {
		aboutSummary(tx, t, clew.SayCondenseContextError, clew.ContextCondense{CondenseID: "c", TokensBefore: 99})
	}))
	task := b.task()
	if task.Condense || task.Condensing || task.Request != "" || task.Condensed != 99 || len(task.History) != len(before) {
		t.Errorf("after the failure: %+v", task)
	}
	must(b.report(idle))
	b.verify(t)
	b.check(t)
}

// At no moment does the wish do any harm.
func TestCondenseAtEveryMoment(t *testing.T) {
	for _, m := range moments {
		b := newBench()
		m.to(b)
		before := len(b.records)
		_, types, err := b.ann(&clew.CondenseContextData{})
		if err != nil && (len(b.records) != before || clew.CodeOf(err) == clew.Internal) {
			t.Errorf("%s: %v", m.name, err)
		}
		if err == nil && !slices.Contains(types, clew.EventCondenseRequested) {
			t.Errorf("%s: nothing happens", m.name)
		}
		b.verify(t)
		must(b.ann(&clew.InterruptData{}))
		for _, task := range b.s.state.Tasks {
			if task.Turn == nil && task.Condense && !task.Ended() {
				t.Errorf("%s: the wish outlives the interrupted turn", m.name)
			}
		}
		b.verify(t)
		b.check(t)
	}
}

// What stands in the way of a summary is said.
func TestCondenseRefused(t *testing.T) {
	b := newBench()
	b.create()
	if _, _, err := b.ann(&clew.CondenseContextData{}); clew.CodeOf(err) != clew.TaskNotFound {
		t.Errorf("without a task: %v", err)
	}
	must(b.say("m1"))
	if _, _, err := b.ann(&clew.CondenseContextData{}); clew.CodeOf(err) != clew.SessionInvalidState {
		t.Errorf("without a history: %v", err)
	}
	b.think()
	must(b.answer(0))
	first := b.task().TaskID
	must(b.ann(&clew.NewTaskData{Text: "other"}))
	if _, _, err := b.ann(&clew.CondenseContextData{TaskID: first}); clew.CodeOf(err) != clew.SessionInvalidState {
		t.Errorf("beside another task: %v", err)
	}
	b.think()
	must(b.answer(0))
	must(b.ann(&clew.ResumeTaskData{TaskID: first}))
	if _, _, err := b.ann(&clew.CondenseContextData{TaskID: first}); clew.CodeOf(err) != clew.SessionInvalidState {
		t.Errorf("with an open question: %v", err)
	}
}

// What is said during such a turn makes an ordinary one of it.
func TestCondenseTurnTakesWords(t *testing.T) {
	b := newBench()
	b.s.state.Rules = steering{}
	b.create()
	b.chat(2)
	must(b.ann(&clew.CondenseContextData{}))
	must(b.say("meanwhile"))
	b.askSummary()
	b.summed("c", 2)
	if task := b.task(); len(task.Inbox) != 1 || !task.Turn.Condense {
		t.Fatalf("task %+v", task)
	}
	b.think()
	if task := b.task(); len(task.Inbox) != 0 || task.Turn.Condense {
		t.Errorf("task %+v", task)
	}
	must(b.answer(0))
	b.verify(t)
	b.check(t)
}

// A state that keeps what is hidden sends the same as one that does not, and
// has every message.
//
// Covers: HIS-07, HIS-09, HIS-30
func TestKeepHidden(t *testing.T) {
	alone(t)
	nightly.Check(t, func(t *rapid.T) {
		b := newBench()
		b.create()
		written := 0
		for i := range rapid.IntRange(1, 8).Draw(t, "steps") {
			must(b.say(fmt.Sprint("m", i)))
			b.think()
			if rapid.Bool().Draw(t, "tool") {
				must(b.answer(1))
				c := b.pick(0)
				b.start(c, clew.ClassOnce)
				b.done(c, "")
				b.think()
				written += 2
			}
			written += 2
			n := rapid.IntRange(1, len(b.task().History)).Draw(t, "n")
			switch rapid.SampledFrom([]string{"no", "summary", "marker"}).Draw(t, "hide") {
			case "summary":
				b.summed(fmt.Sprint("c", i), n)
				written++
			case "marker":
				b.truncated(fmt.Sprint("t", i), n)
				written++
			}
			must(b.answer(0))
			b.verify(t)
		}
		b.check(t)
		whole := &core.State{ID: "s"}
		whole.KeepHidden()
		for _, r := range b.records {
			core.Apply(whole, r, decoded(r))
		}
		all, bounded := whole.Task(b.task().TaskID).History, b.task()
		if sent := history.Effective(all); fmt.Sprint(sent) != fmt.Sprint(bounded.History) {
			t.Fatalf("sent\n%v\nwant\n%v", sent, bounded.History)
		}
		if len(all) != written || len(bounded.History)+bounded.HiddenCount != written {
			t.Fatalf("%d kept, %d at hand, %d behind, %d written", len(all), len(bounded.History), bounded.HiddenCount, written)
		}
	})
}
