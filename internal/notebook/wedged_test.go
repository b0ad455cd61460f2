package notebook_test

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/clew-run/clew"
)

// A cell that an interrupt does not end: people are told, and a restart ends it.
func TestInterruptWithoutEffect(t *testing.T) {
	for name, code := range map[string]string{
		"a C extension that keeps the interpreter": "import ctypes\nctypes.PyDLL(None).system(b'touch begun; exec sleep 600')",
		"code that ignores it":                     "import time\nwhile True:\n  try:\n    open('begun', 'w').close()\n    time.sleep(600)\n  except KeyboardInterrupt: pass",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := realWorld(t)
			run := w.start(code)
			waiting := w.start("open('behind', 'w')")
			waitFile(t, filepath.Join(w.dir, "begun"))
			w.do(&clew.KernelInterruptData{KernelTarget: clew.KernelTarget{NotebookID: w.notebook}})
			w.until("that the cell goes on", func() bool { return strings.Contains(w.lastKernel().Reason, "still runs after the interrupt") })
			w.restartsWithin(5 * time.Second)
			if d := w.await(run); d.Status != clew.CellAborted || d.Reason == "" {
				t.Errorf("it ended with %+v", d)
			}
			if w.finished[waiting].RunID != "" {
				t.Errorf("what waited ended with %+v", w.finished[waiting])
			}
			if _, err := os.Stat(filepath.Join(w.dir, "behind")); err == nil {
				t.Error("what waited ran")
			}
		})
	}
}

// A notebook that is closed while a cell runs leaves no kernel, whatever the cell does.
func TestClosedWhileACellRuns(t *testing.T) {
	t.Parallel()
	w := realWorld(t)
	w.start("import time\nwhile True:\n  try:\n    open('begun', 'w').close()\n    print('.', flush=True)\n    time.sleep(0.001)\n  except KeyboardInterrupt: pass")
	waitFile(t, filepath.Join(w.dir, "begun"))
	w.do(&clew.NotebookCloseData{NotebookID: w.notebook})
	w.until("the end of the kernel", func() bool { return !w.lastKernel().State.Alive() })
	if k := w.lastKernel(); k.State != clew.KernelStopped {
		t.Errorf("the kernel is %s: %s", k.State, k.Reason)
	}
	if running := realOf(w).Left(); len(running) != 0 {
		t.Errorf("there are the kernels %v", running)
	}
}

// restartsWithin restarts the kernel, which does not answer, and wants another one that
// does. The old one asked to end has a second; the time for a new one is Python's.
func (w *world) restartsWithin(d time.Duration) {
	w.Helper()
	before, began := w.lastKernelID(), time.Now()
	w.do(&clew.KernelRestartData{KernelTarget: clew.KernelTarget{NotebookID: w.notebook}})
	w.until("another kernel", func() bool { return w.lastKernelID() != before })
	ended := time.Since(began)
	w.until("that it answers", func() bool { return w.lastKernel().State == clew.KernelIdle && w.lastKernelID() != before })
	answered := time.Since(began) - ended
	w.Logf("the old kernel was gone after %v, another one answered %v later", ended, answered)
	if ended > d+10*answered { // a busy machine is slow at both
		w.Errorf("the old kernel was ended after %v, the new one answered after %v", ended, answered)
	}
	if running := realOf(w).Left(); len(running) != 1 {
		w.Errorf("there are the kernels %v", running)
	}
	if d := w.run("x"); d.ErrorName != "NameError" || d.ExecutionCount != 1 {
		w.Errorf("after the restart: %+v", d)
	}
}

// kernelPid is the process of the kernel itself, as it is called outside of its sandbox.
func (w *world) kernelPid() int {
	w.Helper()
	names, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, name := range names {
		args, _ := os.ReadFile(name)
		words := strings.Split(string(args), "\x00")
		if strings.HasPrefix(filepath.Base(words[0]), "python") && strings.Contains(string(args), realOf(w).Starter.Root+"/") {
			pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(name)))
			return pid
		}
	}
	w.Fatal("there is no kernel")
	return 0
}

// A kernel is stopped while there is no server. The next server cannot join it, says so,
// and the run waits; what people want then is heard.
func TestWedgedKernelIsFoundAgain(t *testing.T) {
	for name, goesOn := range map[string]bool{"it goes on": true, "it is restarted": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := realWorld(t)
			run := w.start("import os\nprint('begun', flush=True)\nwhile not os.path.exists('go'): pass\n7")
			w.until("the first words", func() bool { return strings.Contains(w.text(run), "begun") })
			pid := w.kernelPid()
			w.close()
			if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil {
				t.Fatal(err)
			}
			w.patient = time.Second
			if !goesOn {
				w.patient = time.Minute // it is heard while the server still tries
			}
			w.again()
			if !goesOn {
				w.restartsWithin(5 * time.Second)
				if d := w.await(run); d.Status != clew.CellAborted || d.Reason == "" {
					t.Errorf("it ended with %+v", d)
				}
				return
			}
			w.until("that it does not answer", func() bool { return strings.Contains(w.lastKernel().Reason, "does not answer") })
			touch(t, filepath.Join(w.dir, "go"))
			if err := syscall.Kill(pid, syscall.SIGCONT); err != nil {
				t.Fatal(err)
			}
			if d := w.await(run); d.Status != clew.CellOK || d.ExecutionCount != 1 {
				t.Errorf("it ended with %+v", d)
			}
		})
	}
}

// breaks has the runner panic when it keeps something.
func (b *blobs) breaks(broken bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.broken = broken
}

// A kernel of which nobody can do the work is not left running.
func TestNoKernelIsLeftBehindAFailure(t *testing.T) {
	t.Parallel()
	w := realWorld(t)
	w.run("1")
	w.blobs.breaks(true)
	w.start("from IPython.display import display\ndisplay({'text/html': 'x' * 20_000}, raw=True)")
	k := w.untilKernel(clew.KernelLost)
	if k.Reason == "" {
		t.Errorf("the kernel is %+v", k)
	}
	poll(t, "the kernel's end", func() bool { return len(realOf(w).Left()) == 0 })
	w.blobs.breaks(false)
	if d := w.run("3"); d.Status != clew.CellOK || d.ExecutionCount != 1 {
		t.Errorf("the next cell: %+v", d)
	}
}
