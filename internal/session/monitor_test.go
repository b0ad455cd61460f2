package session

import (
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/nightly"
	"github.com/clew-run/clew/internal/session/core"
	"github.com/clew-run/clew/internal/session/decide"
)

// Whatever people and agents do, with runs and rewinds or with much that waits: the
// monitors are the same whether the session was followed record by record or is taken
// up from a snapshot of any moment, and there is the main one and no other.
func TestMonitorsFromAnyPrefix(t *testing.T) {
	for seed := range uint64(nightly.Size(4, 40)) {
		p := newPilgrims(t, 100+seed)
		p.play(60)
		fromAnyPrefix(t, p.bench)
	}
	queued := 0
	rapid.Check(t, func(t *rapid.T) {
		b := newBench()
		b.create()
		p := player{bench: b, t: t}
		steps := []func(player){player.message, player.queue, player.queue, player.agent, player.agent, player.respond, player.control}
		for range 30 {
			draw(p, "step", steps...)(p)
			queued += len(b.s.state.Main().Queue)
		}
		fromAnyPrefix(t, b)
	})
	if queued == 0 {
		t.Error("nothing ever waited")
	}
}

func fromAnyPrefix(t tester, b *bench) {
	t.Helper()
	want, err := b.s.state.Encode()
	if err != nil {
		t.Fatalf("encode: %v", err)
	}
	for n := 1; n < len(b.records); n += 1 + len(b.records)/12 {
		snapshot, err := b.fresh(uint64(n))
		if err != nil {
			t.Fatalf("fold: %v", err)
		}
		s, err := core.Restore("s", core.Loaded{State: snapshot, StateSeq: uint64(n), Tail: b.records[n:]}, b.fresh)
		if err != nil {
			t.Fatalf("restore: %v", err)
		}
		if got, _ := s.Encode(); string(got) != string(want) {
			t.Fatalf("from record %d:\n%s\nlive:\n%s", n, got, want)
		}
		if m := s.Monitors; len(m) != 1 || m[0].ID != clew.MainMonitor || m[0].AgentID != core.MainAgent {
			t.Fatalf("at record %d there are %+v", n, m)
		}
	}
}

// Decide works on shallow copies of the state, and readers hold lists of it: what is
// applied later does not reach them.
func TestMonitorsAreReplaced(t *testing.T) {
	b := newBench()
	b.atWork()
	must(b.say("m2"))
	must(b.say("m3"))
	before := *b.s.state
	held, queue := slices.Clone(before.Monitors), slices.Clone(before.Main().Queue)
	id := queue[1].MessageID
	must(b.ann(&clew.EditQueuedData{MessageID: id, Text: "changed"}))
	must(b.ann(&clew.MoveQueuedData{MessageID: id, Before: queue[0].MessageID}))
	must(b.ann(&clew.RemoveQueuedData{MessageID: queue[0].MessageID}))
	must(b.ann(&clew.ClearTaskData{}))
	if !reflect.DeepEqual(before.Monitors, held) || !reflect.DeepEqual(before.Main().Queue, queue) {
		t.Errorf("the copy has\n%+v, had\n%+v", before.Monitors, held)
	}
	if now := b.s.state.Main(); len(now.Queue) != 0 || now.Current == held[0].Current {
		t.Errorf("the state has %+v", now)
	}
}

// A record that names no monitor, or one that there is not, is about the main one: old
// journals have the former, those of strangers may have the latter.
func TestUnknownMonitorIsTheMainOne(t *testing.T) {
	for _, on := range []clew.MonitorID{"", "monitor-3", "elsewhere"} {
		b := newBench()
		b.create()
		ref := clew.TaskRef{TaskID: "task_1", RootTaskID: "task_1", MonitorID: on}
		b.inject("ann", "m1", func(tx *decide.Tx) {
			id := tx.Say(clew.Message{Type: clew.TypeSay, Say: clew.SayUserFeedback, Role: clew.SpeakerUser, Text: "hello", MonitorID: on})
			tx.Add(&clew.TaskCreatedData{TaskRef: ref, Task: "hello", AgentID: core.MainAgent})
			tx.Add(&clew.MessageAcceptedData{MessageID: id, TaskID: "task_1", AgentID: core.MainAgent, MonitorID: on, Delivery: clew.DeliveryDirect})
			tx.Add(&clew.TaskFocusedData{TaskRef: ref})
			tx.Add(&clew.MessageQueuedData{MessageID: tx.NextID(), Text: "later", MonitorID: on, Position: 1})
		})
		s := b.s.state
		m := s.Main()
		if len(s.Monitors) != 1 || m.Current != "task_1" || len(m.Queue) != 1 || s.Task("task_1").MonitorID != clew.MainMonitor || !s.AtWorkOn(on) {
			t.Errorf("%q: the monitors are %+v, at work: %v", on, s.Monitors, s.AtWork())
		}
		must(b.report(idle))
		if turn := b.task().Turn; turn == nil || b.s.state.Message(turn.ID).Text != "later" || b.s.state.Message(turn.ID).MonitorID != clew.MainMonitor {
			t.Errorf("%q: what waited did not come next: %+v", on, turn)
		}
		b.check(t)
	}
}

// Commands for a monitor that there is not are refused if they would begin work there,
// and are about the main one's run otherwise.
func TestCommandsNameMonitors(t *testing.T) {
	b := newBench()
	b.create()
	for _, data := range []any{
		&clew.UserMessageData{Text: "x", MonitorID: "monitor-1"}, &clew.NewTaskData{Text: "x", MonitorID: "monitor-1"},
		&clew.UserMessageData{Text: "x", Mode: clew.ModeRun, MonitorID: "monitor-1"},
	} {
		if _, _, err := b.ann(data); clew.CodeOf(err) != clew.AgentLimit {
			t.Errorf("%+v: %v", data, err)
		}
	}
	must(b.ann(&clew.UserMessageData{Text: "a run", Mode: clew.ModeRun, MonitorID: clew.MainMonitor}))
	must(b.ann(&clew.ControlPauseData{MonitorID: "monitor-1"}))
	if r := b.root().Run; !r.Paused || r.Scope().MonitorID != clew.MainMonitor {
		t.Errorf("the run is %+v", r)
	}
	b.check(t)
}
