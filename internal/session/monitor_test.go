package session

import (
	"reflect"
	"slices"
	"strconv"
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
	nightly.Check(t, func(t *rapid.T) {
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

// on says something on a monitor.
func (b *bench) on(id clew.MonitorID, text string) (Receipt, []clew.EventType, error) {
	return b.ann(&clew.UserMessageData{Text: text, MonitorID: id})
}

func (b *bench) focused(id clew.MonitorID) *core.Task { return b.s.state.Focused(id) }

// A message to a new monitor adds it, with an agent, a conversation and a queue of its
// own. There may be as many as the settings say.
//
// Covers: WIN-01, WIN-02, WIN-03, WS-071, C-45, AGT-04, AGT-05, AGT-06, POL-02
func TestMessagesAddMonitors(t *testing.T) {
	b := newBench()
	b.create()
	must(b.on("", "the first"))
	must(b.on("monitor-2", "the second"))
	must(b.on("monitor-1", "the third"))
	must(b.on("monitor-2", "waits"))
	s := b.s.state
	if s.Monitor("monitor-2").AgentID != "main-monitor-2" || len(s.Monitors) != 3 || s.Monitors[1].ID != "monitor-1" {
		t.Fatalf("the monitors are %+v", s.Monitors)
	}
	if len(s.Main().Queue) != 0 || len(s.Monitor("monitor-2").Queue) != 1 || b.focused("monitor-2").Text != "the second" || b.focused("").Text != "the first" {
		t.Errorf("the monitors are %+v", s.Monitors)
	}
	e := s.Project()
	if len(e.Agents) != 3 || e.Agents[1].AgentID != "main-monitor-2" || e.Agents[1].Role != "main-monitor-2-"+string(b.focused("monitor-2").Turn.ID) ||
		e.Agents[1].Kind != clew.AgentMain || e.Agents[1].Title != "the second" || e.Agents[1].SinceMS == 0 {
		t.Errorf("the agents are %+v", e.Agents)
	}
	if m := e.Monitors[2]; m.TaskID != b.focused("monitor-2").TaskID || m.Title != "the second" || m.Queued != 1 || !m.Busy {
		t.Errorf("monitor-2 is shown as %+v", m)
	}
	must(b.ann(&clew.NewTaskData{Text: "the fourth", MonitorID: "monitor-3"}))
	if _, _, err := b.on("monitor-4", "one too many"); clew.CodeOf(err) != clew.AgentLimit || s.HasMonitor("monitor-4") {
		t.Errorf("a fifth monitor: %v", err)
	}
	for _, name := range []clew.MonitorID{"monitor-", "monitor--1", "monitor-01", "monitor-100", "Monitor-1", "desk"} {
		if _, _, err := b.on(name, "x"); clew.CodeOf(err) != clew.InvalidMessage {
			t.Errorf("%s: %v", name, err)
		}
	}
	must(b.reportAs(b.focused("monitor-2"), idle))
	if turn := b.focused("monitor-2").Turn; turn == nil || s.Message(turn.ID).Text != "waits" {
		t.Errorf("what waited did not come next: %+v", turn)
	}
	must(b.ann(&clew.UserMessageData{Text: "a run", Mode: clew.ModeRun, MonitorID: "monitor-1"}))
	must(b.ann(&clew.ControlPauseData{MonitorID: "monitor-1"}))
	if r := s.CurrentRun("monitor-1"); r == nil || !r.Run.Paused || r.Run.Scope().MonitorID != "monitor-1" || s.CurrentRun("") != nil {
		t.Errorf("the run is %+v", r)
	}
	b.verify(t)
	b.check(t)
}

// removable is a session with work, windows and a queue on a second monitor.
func removable(t *testing.T, waitsOnMain int) *bench {
	b := newBench()
	b.create()
	must(b.on("", "the first"))
	must(b.on("monitor-1", "the second"))
	if err := b.openWindow(t, "plan", "", "# hi"); err != nil {
		t.Fatal(err)
	}
	must(b.ann(&clew.UserInteractionData{MonitorID: "monitor-1", Interactions: []clew.Interaction{{Kind: clew.InteractionMove, WindowID: "plan"}}}))
	for i := range waitsOnMain {
		must(b.on("", "main "+strconv.Itoa(i)))
	}
	for i := range 3 {
		must(b.do(clew.Command{By: by("ann"), ClientMessageID: clew.ClientMessageID("c" + strconv.Itoa(i)), Data: &clew.UserMessageData{Text: "other " + strconv.Itoa(i), MonitorID: "monitor-1"}}))
	}
	return b
}

func queued(m core.Monitor) (texts []string) {
	for _, in := range m.Queue {
		texts = append(texts, in.Text)
	}
	return texts
}

// A monitor that is removed leaves nothing behind: its tasks end, its windows and what
// waits are on the main one, and whoever sent what finds no room hears so.
//
// Covers: WIN-04, WS-086, G-13
func TestRemoveMonitor(t *testing.T) {
	b := removable(t, 8)
	task := b.focused("monitor-1")
	_, types, err := b.ann(&clew.RemoveMonitorData{MonitorID: "monitor-1"})
	if err != nil || !slices.Contains(types, clew.EventTaskAborted) || !slices.Contains(types, clew.EventMonitorRemoved) {
		t.Fatalf("%v %v", types, err)
	}
	s := b.s.state
	if s.HasMonitor("monitor-1") || !task.Ended() || task.Turn != nil || s.Window("plan").MonitorID != clew.MainMonitor {
		t.Errorf("monitors %+v, task %+v, window %+v", s.Monitors, task.Status, s.Window("plan"))
	}
	if q := queued(s.Main()); len(q) != core.QueueMax || q[7] != "main 7" || q[8] != "other 0" || q[9] != "other 1" {
		t.Errorf("waiting: %v", q)
	}
	if p := s.Problems; len(p) != 1 || p[0].Code != clew.QueueFull || p[0].Context.ClientMessageID != "c2" {
		t.Errorf("the sender of what was dropped is told %+v", p)
	}
	b.verify(t)
	b.check(t)
	if _, _, err := b.ann(&clew.RemoveMonitorData{MonitorID: "monitor-1"}); clew.CodeOf(err) != clew.SessionInvalidState {
		t.Errorf("removed again: %v", err)
	}
	must(b.on("monitor-1", "anew"))
	if b.focused("monitor-1") == task || b.focused("monitor-1").Text != "anew" {
		t.Errorf("the new monitor has %+v", b.focused("monitor-1"))
	}
	b.verify(t)
}

// What waited on a monitor that is removed is taken up at once where nobody is at work.
func TestRemoveMonitorWhileMainIsFree(t *testing.T) {
	b := removable(t, 0)
	must(b.report(idle))
	must(b.ann(&clew.RemoveMonitorData{MonitorID: "monitor-1"}))
	if turn := b.task().Turn; turn == nil || b.s.state.Message(turn.ID).Text != "other 0" || b.task().Text != "the first" {
		t.Errorf("the main agent has %+v", turn)
	}
	if q := queued(b.s.state.Main()); !slices.Equal(q, []string{"other 1", "other 2"}) {
		t.Errorf("waiting: %v", q)
	}
	b.verify(t)
	b.check(t)
}
