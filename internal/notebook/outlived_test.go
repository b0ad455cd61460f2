package notebook_test

import (
	"strings"
	"testing"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/notebook/kernel"
	"github.com/clew-run/clew/internal/notebook/kerneltest"
)

// A cell that outlives its server may have written files: they are saved after it, as after
// any other.
func TestFilesOfACellThatOutlivedItsServer(t *testing.T) {
	t.Parallel()
	p := &played{t: t}
	w := newWorld(t, p)
	w.files = &stand{}
	w.crash() // the next server has them
	w.begin()
	run := w.start("print a\nwait gate")
	w.until("the first words", func() bool { return w.text(run) == "a\n" })
	w.crash()
	before := len(w.points)
	p.only().Kernel.Release("gate")
	w.await(run)
	w.until("the checkpoint", func() bool { return len(w.points) > before })
}

// The server dies before a cell's turn has come in the kernel, and the next one hears all
// of it: nothing is missing, and it does not say so.
func TestCellThatBeginsAfterItsServer(t *testing.T) {
	for code, lost := range map[string]bool{"print a": false, "wait gate\nprint a": true} {
		t.Run(strings.ReplaceAll(code, "\n", ","), func(t *testing.T) {
			t.Parallel()
			w, p := playedWorld(t, kerneltest.Options{})
			w.run("7")
			if !lost {
				occupy(t, p.only(), "other")
			}
			run := w.start(code)
			w.until("the run", func() bool { return len(w.started) == 2 })
			poll(t, "its request", func() bool { return p.only().Waiting()+p.only().Executed(w.started[1].MsgID) == 1 })
			w.crash()
			poll(t, "the kernel", func() bool { return w.runner.Joined() == 1 })
			p.only().Kernel.Release("other")
			p.only().Kernel.Release("gate")
			if d := w.await(run); d.Status != clew.CellOK || d.OutputsLost != lost || w.text(run) != "a\n" {
				t.Errorf("it printed %q and ended with %+v", w.text(run), d)
			}
		})
	}
}

// occupy runs a cell of somebody else in the kernel, until Release of its gate.
func occupy(t *testing.T, k *playedKernel, gate string) {
	t.Helper()
	at, err := kernel.ReadConnection(k.ConnectionFile())
	if err != nil {
		t.Fatal(err)
	}
	other, err := kernel.Dial(t.Context(), at, kernel.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = other.Close() })
	if err := other.Execute(t.Context(), kernel.Execute{MsgID: gate, Code: "wait " + gate}); err != nil {
		t.Fatal(err)
	}
	poll(t, "the other cell", func() bool { return k.Executed(gate) == 1 })
}

// Words of a thread that outlives its cell hold nothing up: what the kernel knows after the
// cell is on record all the same.
func TestThreadThatOutlivesItsCell(t *testing.T) {
	t.Parallel()
	w := realWorld(t)
	w.saying = patience / 2
	w.crash()
	w.run("import threading, time\nx, go = 1, True\ndef talk():\n while go: print('still here', flush=True); time.sleep(0.001)\nthreading.Thread(target=talk, daemon=True).start()")
	w.until("the checkpoint", func() bool { return len(w.points) == 1 })
	w.run("go = False")
	w.until("the next checkpoint", func() bool { return len(w.points) == 2 })
}
