package session

import (
	"fmt"
	"testing"

	"github.com/clew-run/clew"
)

// Each monitor has a run of its own, and the state lists them all.
//
// Covers: C-82
func TestRunOnEachMonitor(t *testing.T) {
	b := newBench()
	b.create()
	must(b.ann(&clew.UserMessageData{Text: "first", Mode: clew.ModeRun}))
	must(b.ann(&clew.UserMessageData{Text: "second", Mode: clew.ModeRun, MonitorID: "monitor-1"}))
	must(b.ann(&clew.UserMessageData{Text: "third", Mode: clew.ModeRun, MonitorID: "monitor-1"})) // waits for the second
	e := b.s.state.Project()
	var on []string
	for _, r := range e.Runs {
		on = append(on, string(r.MonitorID))
	}
	if fmt.Sprint(on) != "[monitor-0 monitor-1]" || len(e.Queue) != 1 || e.Queue[0].MonitorID != "monitor-1" {
		t.Errorf("runs on %v, waiting %+v", on, e.Queue)
	}
	b.verify(t)
}
