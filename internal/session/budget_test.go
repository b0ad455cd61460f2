package session

import (
	"strings"
	"testing"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/session/core"
	"github.com/clew-run/clew/internal/session/decide"
)

// background is a bench with a turn on another monitor, whose model is asked.
func background(on clew.MonitorID) *bench {
	b := newBench()
	b.create()
	must(b.on(on, "go"))
	b.at = b.focused(on)
	must(b.intent(b.at, decide.StartModelCall{}))
	return b
}

// writes has the model answer with so many bytes, and a call of a tool.
func (b *bench) writes(n int) {
	b.calls++
	parts := []clew.Part{
		{Type: clew.PartText, Text: strings.Repeat("x", n)},
		{Type: clew.PartToolUse, ToolCallID: "w1", Tool: "window", Input: []byte(`{}`)},
	}
	call := core.Call{ID: "w1", Tool: "window"}
	must(b.intent(b.at, decide.RecordAnswer{Parts: parts, Current: true, Plans: []decide.CallPlan{{Call: call, Verdict: decide.VerdictOwn}}}))
}

func (b *bench) opensWindow(id string) clew.ToolProgressData {
	call := core.Call{ID: "w1", Tool: "window"}
	wish := decide.WindowWish{Type: clew.ActionWindowCreate, ID: id, Title: text("T"), Content: &clew.WindowContent{Text: "x"}}
	if b.s.state.Window(id) != nil {
		wish.Type = clew.ActionWindowUpdate
	}
	must(b.intent(b.at, decide.ChangeWindow{Call: call, Wish: wish, Done: "done"}))
	return *last[clew.ToolProgressData](b, 1)[0]
}

// The 31st action of a minute is refused, with the time to wait; a minute after the
// first there is room again. The main monitor has no such limit.
//
// Covers: POL-18, POL-20
func TestActionsOfBackgroundMonitors(t *testing.T) {
	for _, on := range []clew.MonitorID{"monitor-1", clew.MainMonitor} {
		b := background(on)
		b.writes(1)
		for i := range 30 {
			b.at.Calls = []core.Call{{ID: "w1", Tool: "window", Status: core.CallProposed}}
			if r := b.opensWindow("w"); r.Status != clew.ToolComplete {
				t.Fatalf("%s, action %d: %+v", on, i+1, r)
			}
			b.now += 1000
		}
		b.at.Calls = []core.Call{{ID: "w1", Tool: "window", Status: core.CallProposed}}
		r := b.opensWindow("w")
		if on == clew.MainMonitor {
			if r.Status != clew.ToolComplete {
				t.Errorf("the main monitor is refused: %+v", r)
			}
			continue
		}
		if r.Status != clew.ToolError || r.Mistake || !strings.Contains(r.Error, "30 actions a minute (4007 BUDGET_EXCEEDED): try again in 30 seconds") {
			t.Errorf("the 31st: %+v", r)
		}
		b.now += 30_000
		b.at.Calls = []core.Call{{ID: "w1", Tool: "window", Status: core.CallProposed}}
		if r := b.opensWindow("w"); r.Status != clew.ToolComplete {
			t.Errorf("a minute after the first: %+v", r)
		}
	}
}

// A monitor that wrote too much waits, on record: nothing of it runs until the clock says
// so, and then it goes on by itself, from the records of any moment.
//
// Covers: POL-01, POL-18, POL-21
func TestOutputOfBackgroundMonitors(t *testing.T) {
	b := background("monitor-1")
	b.writes(20_000)
	s := b.s.state
	if s.NextDeadline() != 0 || !s.Runnable(b.at) {
		t.Fatalf("held after too little, until %d", s.NextDeadline())
	}
	b.opensWindow("w")
	b.now += 10_000
	must(b.intent(b.at, decide.StartModelCall{}))
	b.writes(30_000)
	m := s.Monitor("monitor-1")
	if m.HeldUntilMS <= b.now || m.HeldUntilMS > b.now+50_000 || s.Runnable(b.at) || s.MayBegin(b.at) || !s.Busy() || s.Status() != clew.StatusExecuting {
		t.Fatalf("held until %d at %d, runnable %v", m.HeldUntilMS, b.now, s.Runnable(b.at))
	}
	if got := s.Project().Monitors[1].HeldUntilMS; got != m.HeldUntilMS || s.NextDeadline() != got {
		t.Errorf("people see %d, the timer %d", got, s.NextDeadline())
	}
	must(b.on("", "the main monitor"))
	if !s.Runnable(b.focused("")) {
		t.Error("the main monitor waits")
	}
	must(b.do(clew.Command{Data: &decide.TimeoutCommand{}}))
	if s.Runnable(b.at) {
		t.Error("released early")
	}
	b.now = m.HeldUntilMS
	must(b.do(clew.Command{Data: &decide.TimeoutCommand{}}))
	if !s.Runnable(b.at) || s.NextDeadline() != 0 || s.Project().Monitors[1].HeldUntilMS != 0 {
		t.Errorf("not released: %+v", s.Monitor("monitor-1"))
	}
	sameFromAnyPrefix(t, b)
}

// A rewind stops what the budget only held: nothing goes on by itself afterwards.
func TestHeldTurnsStopForARewind(t *testing.T) {
	b := background("monitor-1")
	b.writes(60_000)
	x := newTraveller(b, t, func(int) int { return 0 })
	x.take(decide.RewindPlan{Kind: clew.KindRewind, RewindID: "r", To: b.s.state.Seq, From: b.s.state.Messages.Tail()[0].MessageID, TargetState: x.freshAt(b.s.state.Seq)})
	if t1 := b.s.state.Focused("monitor-1"); t1 == nil || t1.Turn != nil {
		t.Errorf("the turn is still there: %+v", t1)
	}
}

// Beside each other two turns are worked on, on all background monitors together; the
// next begins when one of them leaves. The main monitor does not wait.
//
// Covers: POL-18, POL-19
func TestTurnsOfBackgroundMonitors(t *testing.T) {
	b := newBench()
	b.create()
	for _, on := range []clew.MonitorID{"monitor-3", "monitor-2", "monitor-1", ""} {
		must(b.on(on, "go"))
	}
	waits := b.s.waitingTurns()
	if len(waits) != 4 || waits[0].MonitorID != "monitor-3" || waits[3].MonitorID != clew.MainMonitor {
		t.Fatalf("%d wait", len(waits))
	}
	b.s.turns = map[clew.TaskID]*turn{waits[0].TaskID: {}, waits[3].TaskID: {}}
	if n := b.s.background(); n != 1 || !b.s.state.MayStart(waits[1], n) {
		t.Errorf("%d at work, the second may not start", n)
	}
	b.s.turns[waits[1].TaskID] = &turn{}
	if n := b.s.background(); b.s.state.MayStart(waits[2], n) || !b.s.state.MayStart(waits[3], n) {
		t.Errorf("%d at work: the third may start, or the main monitor may not", n)
	}
}
