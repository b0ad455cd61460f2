package notebook_test

import (
	"testing"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/notebook/kerneltest"
)

// The session is taken back while a cell runs: the run is on no record any more, so the
// kernel is interrupted, and it stays.
func TestRewindDuringACell(t *testing.T) {
	w, p := playedWorld(t, kerneltest.Options{})
	first := w.run("print one")
	run := w.start("print two\nwait forever")
	w.until("the first words", func() bool { return w.text(run) != "" })
	w.do(&clew.RewindData{Target: clew.Target{MessageID: w.shown(first.RunID)[0].MessageID}, KeepTarget: true})
	poll(t, "the interrupt", func() bool { return p.only().Interrupts() == 1 })
	if d := w.run("7"); d.Status != clew.CellOK || d.ExecutionCount != 3 {
		t.Errorf("the next cell: %+v\n%s", d, w.story())
	}
}

// What waits is taken out of the queue while its kernel starts: the kernel is there for
// what comes next.
func TestQueueChangesWhileTheKernelStarts(t *testing.T) {
	p := &played{t: t, gate: make(chan struct{})}
	w := newWorld(t, p)
	w.begin()
	first := w.start("1")
	w.until("the kernel's start", func() bool { return w.lastKernel().State == clew.KernelStarting })
	w.do(&clew.KernelInterruptData{KernelTarget: clew.KernelTarget{NotebookID: w.notebook}})
	second := w.start("2")
	close(p.gate)
	if d := w.await(second); d.Status != clew.CellOK || d.ExecutionCount != 1 {
		t.Errorf("it ended with %+v\n%s", d, w.story())
	}
	if d := w.finished[first]; d.RunID != "" || len(w.started) != 1 || len(p.living()) != 1 {
		t.Errorf("what was dropped ended with %+v\n%s", d, w.story())
	}
}
