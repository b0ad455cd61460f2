package session

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/nightly"
	"github.com/clew-run/clew/internal/session/core"
	"github.com/clew-run/clew/internal/session/decide"
	"github.com/clew-run/clew/internal/session/prompt"
)

// intent has the agent of a task do what agents do.
func (b *bench) intent(t *core.Task, in decide.Intent) (Receipt, []clew.EventType, error) {
	return b.do(clew.Command{By: by("agent"), Data: &decide.TurnReport{Task: t.TaskID, Turn: t.Turn.ID, LastRewindSeq: b.s.state.LastRewindSeq, Intent: in}})
}

// helped has an agent work that nobody waits for, on a monitor.
func (b *bench) helped(on clew.MonitorID, does, says string) {
	root := b.s.state.Focused(on)
	if root == nil {
		return
	}
	b.calls++
	ref := clew.TaskRef{TaskID: clew.TaskID(fmt.Sprint("helper_", b.calls)), RootTaskID: root.TaskID, ParentTaskID: root.TaskID, MonitorID: root.MonitorID}
	agent := clew.AgentID("task-" + ref.TaskID)
	b.inject("agent", "", func(tx *decide.Tx) {
		tx.Add(&clew.TaskCreatedData{TaskRef: ref, Task: "help", AgentID: agent, AgentKind: clew.AgentTask})
		id := tx.Say(clew.Message{Type: clew.TypeSay, Say: clew.SayText, Role: clew.SpeakerUser, Text: "help", TaskID: ref.TaskID, AgentID: agent, AgentKind: clew.AgentTask, MonitorID: ref.MonitorID})
		tx.Add(&clew.MessageAcceptedData{MessageID: id, TaskID: ref.TaskID, AgentID: agent, MonitorID: ref.MonitorID, Delivery: clew.DeliveryDirect})
		tx.Add(&clew.ActionsData{AgentID: agent, TaskID: ref.TaskID, Actions: clew.List[clew.Action]{{Type: clew.ActionWindowUpdate, WindowID: does, Params: map[string]any{"title": says}}}})
		tx.Add(&clew.TaskCompletedData{TaskRef: ref, ResultSummary: says, ToolUsage: map[string]clew.ToolUsage{}})
	})
}

// A listener is what a main agent was told, by the records of its model's messages.
type listener struct {
	born  int64 // the position at which its monitor began
	lines []string
}

// heardBy is what the records up to some point say: what happened, and who heard it.
type heardBy struct {
	made []string // by position
	by   map[clew.MonitorID]listener
}

func (h heardBy) clone() heardBy { return heardBy{slices.Clone(h.made), maps.Clone(h.by)} }

func lineOf(e prompt.Entry) string {
	text := prompt.Timeline{Entries: []prompt.Entry{e}, Last: e.At}.Render(e.At - 1)
	return strings.TrimSuffix(strings.TrimPrefix(text, "<timeline>\n"), "\n</timeline>")
}

// checkHeard folds the records one by one and holds what main agents were told against
// what happened: each entry is told once to each monitor that there was when it was
// made, in order, or is still to be told. It gives how many were told.
func checkHeard(t tester, b *bench) (told int) {
	t.Helper()
	f := core.Folder{State: &core.State{ID: "s"}, Past: b.fresh}
	at := map[uint64]heardBy{}
	now := heardBy{by: map[clew.MonitorID]listener{clew.MainMonitor: {}}}
	for _, r := range b.records {
		if err := f.Add(r); err != nil {
			t.Fatalf("fold: %v", err)
		}
		e, err := clew.DecodeEvent(r.Type, r.Data())
		if err != nil {
			t.Fatalf("record %d: %v", r.Seq, err)
		}
		now = now.clone()
		switch d := e.Data.(type) {
		case *clew.MonitorAddedData:
			now.by[d.MonitorID] = listener{born: f.State.Timeline.Last}
		case *clew.MonitorRemovedData:
			delete(now.by, d.MonitorID)
		case *clew.ModelMessageData:
			if d.TimelineTo > 0 {
				l := now.by[d.MonitorID]
				lines := strings.Split(strings.SplitN(d.Message.Content[0].Text, "\n</timeline>", 2)[0], "\n")[1:]
				l.lines = append(slices.Clip(l.lines), lines...)
				now.by[d.MonitorID] = l
				told += len(lines)
			}
		default:
			if back := core.RewindOf(e.Data); back != nil {
				to, _ := back.To.Seq()
				now = at[to].clone()
			}
		}
		for _, e := range f.State.Timeline.Entries {
			for int64(len(now.made)) < e.At {
				now.made = append(now.made, "")
			}
			now.made[e.At-1] = lineOf(e)
		}
		now.check(t, f.State)
		at[r.Seq] = now
	}
	return told
}

func (h heardBy) check(t tester, s *core.State) {
	t.Helper()
	if len(s.Timeline.Entries) > 0 && s.Timeline.Entries[0].At != s.Timeline.Last-int64(len(s.Timeline.Entries))+1 {
		t.Fatalf("record %d: the entries have gaps: %+v", s.Seq, s.Timeline)
	}
	for _, m := range s.AllMonitors() {
		l := h.by[m.ID]
		if int64(len(l.lines)) != m.Heard-l.born || !slices.Equal(l.lines, h.made[l.born:m.Heard]) {
			t.Fatalf("record %d: %s began at %d, is at %d and heard\n%v\nof\n%v", s.Seq, m.ID, l.born, m.Heard, l.lines, h.made)
		}
		waits, missed := s.Timeline.After(m.Heard)
		if int64(len(waits)) != s.Timeline.Last-m.Heard || missed != 0 {
			t.Fatalf("record %d: %d of %d entries wait for %s, which is at %d", s.Seq, len(waits), s.Timeline.Last, m.ID, m.Heard)
		}
	}
}

// Whatever happens on whichever monitor, with rewinds and without: each main agent hears
// each thing once, and the state is the same from any prefix of the records.
//
// Covers: CTX-06, CTX-09, CTX-16, C-46
func TestEachEntryIsHeardOnce(t *testing.T) {
	alone(t)
	told, journeys := 0, logbook{}
	for _, travels := range []bool{false, true} {
		t.Run(fmt.Sprint("travels ", travels), func(t *testing.T) {
			nightly.CheckTimes(t, 15, nightly.Size(60, 400), func(t *rapid.T) {
				x := hearingPlay(t, travels)
				told += checkHeard(t, x.bench)
				sameFromAnyPrefix(t, x.bench)
				journeys.add(x)
			})
		})
	}
	t.Logf("%d entries were told", told)
	if told < 200 && !testing.Short() {
		t.Errorf("only %d entries were told", told)
	}
	journeys.close(t, "what is heard", nightly.Size(20, 200))
}

func hearingPlay(t *rapid.T, travels bool) *traveller {
	b := newBench()
	b.pure = 7
	b.create()
	r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "journeys"), 7)) //nolint:gosec // the same numbers each time
	x := newTraveller(b, t, r.IntN)
	p := player{bench: b, t: t}
	monitors := []clew.MonitorID{"monitor-0", "monitor-1", "monitor-2"}
	windows := []string{"a", "b", "c"}
	steps := map[string]func(*rapid.T){
		"say": func(t *rapid.T) {
			if on := rapid.SampledFrom(monitors).Draw(t, "on"); !b.s.state.HasMonitor(on) || !b.s.state.AtWorkOn(on) { // what waits is looked at elsewhere
				must(b.on(on, "go"))
			}
		},
		"agent":  func(t *rapid.T) { p.t = t; p.hearingStep(windows) },
		"agent2": func(t *rapid.T) { p.t = t; p.hearingStep(windows) },
		"person": func(t *rapid.T) {
			kind := rapid.SampledFrom([]clew.InteractionKind{clew.InteractionClose, clew.InteractionMove, clew.InteractionMove}).Draw(t, "kind")
			at := &clew.Bounds{X: rapid.IntRange(0, 3).Draw(t, "x"), Y: 1, W: 100, H: 100}
			_, _, _ = b.ann(&clew.UserInteractionData{Interactions: clew.List[clew.Interaction]{{Kind: kind, WindowID: rapid.SampledFrom(windows).Draw(t, "window"), Bounds: at}}})
		},
		"helper": func(t *rapid.T) {
			b.helped(rapid.SampledFrom(monitors).Draw(t, "on"), rapid.SampledFrom(windows).Draw(t, "window"), "I <helped> "+fmt.Sprint(b.calls))
		},
		"remove": func(t *rapid.T) {
			_, _, _ = b.ann(&clew.RemoveMonitorData{MonitorID: rapid.SampledFrom(monitors[1:]).Draw(t, "monitor")})
		},
		"interrupt": func(*rapid.T) { must(b.ann(&clew.InterruptData{})) },
		"":          func(t *rapid.T) { x.t = t; x.listen() },
	}
	if travels {
		steps["travel"] = func(t *rapid.T) { x.t = t; x.travel() }
	}
	for range 3 {
		t.Repeat(steps)
	}
	x.t = t
	return x
}

// hearingStep has one of the agents that can do something ask its model, answer or show
// something.
func (p player) hearingStep(windows []string) {
	var able []*core.Task
	for _, t := range p.s.state.SortedTasks() {
		if p.s.state.Runnable(t) && t.Turn != nil {
			able = append(able, t)
		}
	}
	if len(able) == 0 {
		return
	}
	t := able[rapid.IntRange(0, len(able)-1).Draw(p.t, "whose")]
	switch n := rapid.IntRange(0, 3).Draw(p.t, "does"); {
	case t.Request != "" && n == 0:
		must(p.intent(t, decide.RecordAnswer{Parts: []clew.Part{{Type: clew.PartText, Text: "well"}}, Words: "well"}))
	case n == 1:
		wish := decide.WindowWish{Type: clew.ActionWindowCreate, ID: rapid.SampledFrom(windows).Draw(p.t, "window"), Title: text("T"), Content: &clew.WindowContent{Text: "x"}}
		must(p.reportAs(t, func(tx *decide.Tx, s *core.State, t *core.Task) { _, _ = decide.ShowWindow(tx, s, t, wish) }))
	case t.Request == "" && len(decide.Waiting(t)) > 0:
		must(p.intent(t, decide.StartModelCall{}))
	case t.Request == "":
		must(p.intent(t, decide.EndTurn{}))
	}
}

// sameFromAnyPrefix folds from snapshots of any moment.
func sameFromAnyPrefix(t tester, b *bench) {
	t.Helper()
	want, err := b.s.state.Encode()
	if err != nil {
		t.Fatalf("encode: %v", err)
	}
	for n := 1; n < len(b.records); n += 1 + len(b.records)/8 {
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
	}
}

// The tape follows from the records alone, so a session that was made of another one's
// records has it. It has the main conversation of its monitor and no other.
//
// Covers: CTX-01, STO-14
func TestTapeAfterAnImport(t *testing.T) {
	b := newBench()
	b.create()
	for _, on := range []clew.MonitorID{"monitor-0", "monitor-1"} {
		must(b.on(on, "to "+string(on)))
		b.at = b.focused(on)
		must(b.begin())
		must(b.finish("from " + string(on)))
		b.at = nil
	}
	b.helped("monitor-0", "w", "not of it")
	b.inject("bob", "", func(tx *decide.Tx) { tx.Add(&clew.SessionImportedData{Owner: "bob"}) })
	s, err := core.Restore("s", core.Loaded{Tail: b.records}, b.fresh)
	if err != nil {
		t.Fatal(err)
	}
	for _, on := range []clew.MonitorID{"monitor-0", "monitor-1"} {
		got := s.Tape(on)
		if len(got) != 2 || got[0].Content != "to "+string(on) || got[0].Role != clew.SpeakerUser || got[1].Content != "from "+string(on) || got[1].Source != "" {
			t.Errorf("%s: %+v", on, got)
		}
	}
}

// A reset leaves nothing to be told and nothing to be shown again: not what happened
// before it, not what ends with it. What happens afterwards is told.
//
// Covers: WS-076, AGT-30
func TestResetEmptiesWhatAgentsWouldHear(t *testing.T) {
	b := newBench()
	b.atWork()
	must(b.on("monitor-1", "hello"))
	main := b.task()
	call := b.proposes(main, "open", "window")
	b.intends(main, decide.ChangeWindow{Call: call, Wish: decide.WindowWish{Type: clew.ActionWindowCreate, ID: "w", Title: text("W"), Content: &clew.WindowContent{Text: "x"}}, Done: "done"}, false)
	must(b.reportAs(main, idle))
	must(b.ann(&clew.UserInteractionData{Interactions: clew.List[clew.Interaction]{{Kind: clew.InteractionFocus, WindowID: "w"}}}))
	must(b.ann(&clew.WindowMessageData{WindowID: "w", Text: "work"})) // ends with the reset, and has a word to say about it
	s := b.s.state
	if len(s.Timeline.Entries) == 0 || len(s.Reload.Entries) == 0 {
		t.Fatalf("nothing to forget: %+v, %+v", s.Timeline, s.Reload)
	}
	must(b.ann(&clew.ResetData{}))
	if len(s.Timeline.Entries) != 0 || len(s.Reload.Entries) != 0 || len(s.Windows) != 1 || s.AtWork() {
		t.Errorf("after the reset: %+v, %+v, %d windows", s.Timeline, s.Reload, len(s.Windows))
	}
	for _, m := range s.AllMonitors() {
		if told := s.Timeline.Render(m.Heard); told != "" {
			t.Errorf("%s is told %s", m.ID, told)
		}
	}
	must(b.ann(&clew.UserInteractionData{Interactions: clew.List[clew.Interaction]{{Kind: clew.InteractionClose, WindowID: "w"}}}))
	if told := s.Timeline.Render(s.Main().Heard); told != "<timeline>\n<ui:close>w</ui:close>\n</timeline>" {
		t.Errorf("then it is told %q", told)
	}
	before := len(b.records)
	must(b.ann(&clew.ResetData{}))
	must(b.ann(&clew.ResetData{})) // there is nothing left
	if n := len(b.records) - before; n != 1 {
		t.Errorf("%d records", n)
	}
	b.verify(t)
	b.check(t)
}
