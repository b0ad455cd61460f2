package notebook_test

import (
	"context"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/notebook/kerneltest"
)

// printing prints for a minute and more in a kernel that is slow.
var printing = strings.Repeat("print x\n", 7_000)

// slow is how long such a kernel takes for a line.
const slow = 10 * time.Millisecond

// The server dies during a cell that goes on printing, in a kernel that answers nothing
// else meanwhile. The next server hears the words and no answer; what people want of the
// kernel has its effect all the same.
func TestRejoinedKernelThatOnlyPrints(t *testing.T) {
	t.Parallel()
	w, p := playedWorld(t, kerneltest.Options{OneThread: true, Slow: slow})
	w.run("7")
	run := w.start(printing)
	w.until("the first words", func() bool { return len(w.shown(run)) > 0 })
	before := w.lastKernelID()
	w.patient = 500 * time.Millisecond
	w.crash()
	w.until("that it does not answer", func() bool { return strings.Contains(w.lastKernel().Reason, "does not answer") })
	w.do(&clew.KernelRestartData{KernelTarget: clew.KernelTarget{NotebookID: w.notebook}})
	if d := w.await(run); d.Status != clew.CellAborted {
		t.Errorf("it ended with %+v", d)
	}
	w.until("another kernel", func() bool { return w.lastKernel().State == clew.KernelIdle && w.lastKernelID() != before })
	if n := len(p.living()); n != 1 {
		t.Errorf("there are %d kernels", n)
	}
}

// A run that goes on printing cannot be taken over: its kernel, of which nobody hears the
// words, is ended.
func TestRejoinedKernelThatNobodyHears(t *testing.T) {
	t.Parallel()
	w, p := playedWorld(t, kerneltest.Options{Slow: slow})
	w.run("7")
	run := w.start("image\n" + printing)
	w.until("the first words", func() bool { return len(w.shown(run)) > 1 })
	w.close()
	w.blobs.breaks(true)
	w.again()
	w.untilKernel(clew.KernelLost)
	poll(t, "the kernel's end", func() bool { return len(p.living()) == 0 })
}

// A cell puts something else in the place of the connection file, which is its kernel's to
// write. The next server does not look at it: it would wait for ever, or join whatever
// kernel the cell names.
func TestReplacedConnectionFile(t *testing.T) {
	for name, replace := range map[string]string{
		"a pipe":           "os.mkfifo(f)",
		"a link":           "os.symlink(f + '.other', f); open(f, 'w').write('{}')",
		"another's socket": "open(f, 'w').write(was.replace('/s\"', '/other\"'))",
		"nothing":          "pass",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := realWorld(t)
			w.run("import os, ipykernel.connect\nf = ipykernel.connect.get_connection_file()\nwas = open(f).read()\nos.remove(f)\n" + replace)
			before := w.lastKernelID()
			w.crash()
			if d := w.run("print(len(f) > 0)"); w.text(d.RunID) != "True\n" || w.lastKernelID() != before {
				t.Errorf("it printed %q: %+v, and the kernel is %+v", w.text(d.RunID), d, w.lastKernel())
			}
		})
	}
}

// The server dies after an answer has reached the kernel, and nobody hears what the cell
// asks then. The answer is not given to that question, whatever its words are: people are
// asked.
func TestAnswerGoesToItsQuestion(t *testing.T) {
	for _, second := range []string{"delete all? ", "name? "} {
		t.Run(second, func(t *testing.T) {
			t.Parallel()
			w := realWorld(t)
			run := w.start("import os, time\na = input('name? ')\nopen('told', 'w').close()\nwhile not os.path.exists('go'): time.sleep(0.02)\n" +
				"open('asks', 'w').close()\nb = input('" + second + "')\nprint(a, b)")
			w.until("the question", func() bool { return len(w.asked) == 1 })
			w.answer("Ann")
			waitFile(t, filepath.Join(w.dir, "told"))
			w.close()
			touch(t, filepath.Join(w.dir, "go"))
			waitFile(t, filepath.Join(w.dir, "asks"))
			<-time.After(300 * time.Millisecond) // if it takes longer, it asks when there is a server again
			w.again()
			w.until("the other question", func() bool { return len(w.asked) == 2 })
			if q := w.asked[1].Question; q != second {
				t.Errorf("people are asked %q", q)
			}
			w.answer("no")
			if d := w.await(run); d.Status != clew.CellOK || w.text(run) != "Ann no\n" {
				t.Errorf("it printed %q: %+v", w.text(run), d)
			}
		})
	}
}

// The same of a kernel that cannot tell what its cell waits for.
func TestAnswerIsGivenOnce(t *testing.T) {
	t.Parallel()
	w, p := playedWorld(t, kerneltest.Options{})
	run := w.start("ask name?\nwait gate\nask delete all?")
	w.until("the question", func() bool { return len(w.asked) == 1 })
	w.answer("Ann")
	w.until("the answer", func() bool { return strings.Contains(w.text(run), "Ann") })
	w.close()
	p.only().Kernel.Release("gate")
	w.again()
	w.until("what people can do about it", func() bool { return strings.Contains(w.lastKernel().Reason, "input that was lost; interrupt it") })
	w.do(&clew.KernelInterruptData{KernelTarget: clew.KernelTarget{NotebookID: w.notebook}})
	w.await(run)
	if got := p.only().Answers(); len(got) != 1 {
		t.Errorf("it was told %q", got)
	}
}

// The kernels of a session that is deleted are ended, also one that nobody is joined to
// because it has not answered yet.
func TestKernelsOfADeletedSession(t *testing.T) {
	for name, o := range map[string]kerneltest.Options{"it runs": {}, "it does not answer yet": {Mute: true}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, p := playedWorld(t, o)
			if o.Mute {
				w.start("1")
			} else {
				w.run("1")
			}
			poll(t, "a kernel", func() bool { return len(p.living()) == 1 })
			w.host.Close(context.Background()) // whoever works for a deleted session has left first
			w.runner.EndSession(w.id)
			if n := len(p.living()); n != 0 {
				t.Errorf("%d kernels go on", n)
			}
			if len(p.all) != 0 {
				t.Error("something is left of them")
			}
		})
	}
}
