package agent_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/clew-run/clew"
)

func (w *world) sayOn(on clew.MonitorID, text string) {
	w.Helper()
	w.do(&clew.UserMessageData{Text: text, MonitorID: on})
}

// A background monitor that wrote too much waits on record, across a restart, and
// continues by itself when a minute has room again.
//
// Covers: POL-18, POL-21
func TestHeldMonitorContinues(t *testing.T) {
	run(t, allowed(), func(w *world) {
		w.sayOn("monitor-1", "go")
		if m := w.state().Monitors[1]; m.HeldUntilMS == 0 || w.model.asked() != 1 {
			t.Fatalf("the monitor is %+v after %d calls", m, w.model.asked())
		}
		w.say("the main monitor does not wait")
		w.crash()
		if m := w.state().Monitors[1]; m.HeldUntilMS == 0 || w.model.asked() != 2 {
			t.Fatalf("after a restart the monitor is %+v, %d calls", m, w.model.asked())
		}
		time.Sleep(61 * time.Second)
		synctest.Wait()
		if m := w.state().Monitors[1]; m.HeldUntilMS != 0 || m.Busy || w.model.asked() != 3 {
			t.Errorf("a minute later the monitor is %+v, %d calls\n%s", m, w.model.asked(), w.story())
		}
	}, answers(text(strings.Repeat("x", 50_000)), call("l", "list_files", `{"path":"."}`)), says("Hi."), says("Done."))
}

// Two turns are at work beside each other on background monitors, whichever they are on;
// the next begins when one of them ends. The main monitor does not wait.
//
// Covers: POL-18, POL-19
func TestTurnsBesideEachOther(t *testing.T) {
	first, second := new(gate), new(gate)
	run(t, map[string]any{"monitor_max_concurrent": 2}, func(w *world) {
		w.sayOn("monitor-1", "one")
		w.sayOn("monitor-2", "two")
		w.sayOn("monitor-3", "three")
		if n := w.model.asked(); n != 2 {
			t.Errorf("%d are at work", n)
		}
		w.say("main")
		if got := lastText(w.model.last()); got != "main|" {
			t.Errorf("the main monitor waits; %q is at work", got)
		}
		first.open()
		if got := lastText(w.model.last()); w.model.asked() != 4 || got != "three|" {
			t.Errorf("after one has left: %d calls, the last %q", w.model.asked(), got)
		}
		second.open()
	}, waits(first, says("1")), waits(second, says("2")), says("0"), says("3"))
}

// The 31st thing that is shown in a minute is refused, and the model can wait.
//
// Covers: POL-20
func TestActionsOfAMinute(t *testing.T) {
	var many []clew.Part
	for i := range 3 {
		many = append(many, call(string(rune('a'+i)), "window", `{"action":"open","window_id":"`+string(rune('a'+i))+`","title":"T","content":"x"}`))
	}
	run(t, map[string]any{"monitor_max_actions_per_min": 2}, func(w *world) {
		w.sayOn("monitor-1", "go")
		if r := w.result("c"); r.Status != clew.ToolError || r.Mistake || !strings.Contains(r.Error, "2 actions a minute (4007 BUDGET_EXCEEDED): try again in 60 seconds") {
			t.Errorf("the third: %+v", r)
		}
		if w.openWindows() != "a b" {
			t.Errorf("windows %s", w.openWindows())
		}
	}, calls(many...), says("I wait."))
}
