package faults

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/client"
	"github.com/clew-run/clew/internal/e2e/proc"
	"github.com/clew-run/clew/internal/nightly"
	"github.com/clew-run/clew/internal/notebook/jupytertest"
)

var kernelKinds = []kind{
	{
		no: 57, group: "kernel", name: "a kernel dies", python: true,
		how:  "SIGKILL of the kernel of a notebook while a cell runs and another one waits; the second time of the server as well",
		sees: "the cell is aborted, with the reason, and keeps what it printed, even while no server ran; what waited did not run; the kernel is dead",
		does: "run the next cell: it has a fresh kernel. Nothing is run again by itself",
		fault: func(w *world) {
			b := newNotebook(w)
			for _, with := range []string{"", "the server"} {
				w.events++
				before := b.waits("while True: time.sleep(1)")
				proc.Must(w.t, syscall.Kill(b.pid(), syscall.SIGKILL))
				if with != "" {
					w.kill()
				}
				b.stops(before, clew.KernelDead)
				b.goesOn(before)
			}
			b.close()
		},
	},
	{
		no: 58, group: "kernel", name: "a kernel does not answer", python: true,
		how:  "SIGSTOP of the kernel while a cell runs; then a call of C that keeps Python's interpreter (ctypes.PyDLL); each is interrupted, which does nothing, and restarted",
		sees: "the kernel does not answer, or the cell still runs 10 s after the interrupt; what waited is dropped by the interrupt",
		does: "restart the kernel: it is ended within two seconds",
		fault: func(w *world) {
			b := newNotebook(w)
			for _, code := range []string{"while True: time.sleep(1)", "import ctypes; ctypes.PyDLL(None).system(b'touch held; exec sleep 600')"} {
				w.events++
				before := b.waits(code)
				if strings.Contains(code, "held") {
					proc.Eventually(w.t, "the interpreter is held", kernelWithin, func() bool { return b.has("held") })
				} else {
					proc.Must(w.t, syscall.Kill(b.pid(), syscall.SIGSTOP))
				}
				b.command(clew.CommandKernelInterrupt, &clew.KernelInterruptData{})
				b.until("people are told", func(n *clew.NotebookInfo) bool {
					return strings.Contains(n.Kernel.Reason, "can be restarted") && len(n.Queue) == 0
				})
				began := time.Now()
				b.command(clew.CommandKernelRestart, &clew.KernelRestartData{})
				b.until("another kernel", func(n *clew.NotebookInfo) bool { return n.Kernel.KernelID != before.Kernel.KernelID })
				nightly.Promise(w.t, "ending a kernel", time.Since(began), 5*time.Second)
				b.stops(before, "")
				b.goesOn(before)
			}
			b.close()
		},
	},
}

const kernelWithin = time.Minute

// A notebook is one whose kernel fails.
type notebook struct {
	w  *world
	id clew.SessionID
	n  int // commands, and cells with a mark
}

func newNotebook(w *world) *notebook {
	w.t.Helper()
	b := &notebook{w: w, id: w.create("scientist_0")}
	b.command(clew.CommandNotebookOpen, &clew.NotebookOpenData{})
	b.until("the notebook", func(n *clew.NotebookInfo) bool { return n.Status != clew.NotebookOpening })
	return b
}

func (b *notebook) command(typ clew.CommandType, data any) {
	b.w.t.Helper()
	b.n++
	_, err := b.w.command(b.w.t.Context(), b.id, fmt.Sprint("notebook-", b.n), typ, data)
	proc.Must(b.w.t, err)
}

// run runs a cell that leaves a mark.
func (b *notebook) run(code string) (mark string) {
	b.w.t.Helper()
	mark = fmt.Sprint("mark", b.n)
	b.command(clew.CommandKernelExecute, &clew.KernelExecuteData{Code: fmt.Sprintf("import time; open(%q, 'a').write('x')\n%s", mark, code)})
	return mark
}

// until waits until the notebook as people have it is so, and gives what they have.
func (b *notebook) until(what string, so func(*clew.NotebookInfo) bool) (r *client.Replica) {
	b.w.t.Helper()
	proc.Eventually(b.w.t, what, kernelWithin, func() bool {
		var err error
		r, err = b.w.state(b.w.nodes[0], b.id)
		return err == nil && len(r.Notebooks) > 0 && so(&r.Notebooks[0])
	})
	return r
}

func (b *notebook) file(mark string) string {
	text, _ := os.ReadFile(filepath.Join(b.w.workspace("scientist_0"), mark))
	return string(text)
}

func (b *notebook) has(name string) bool {
	_, err := os.Stat(filepath.Join(b.w.workspace("scientist_0"), name))
	return err == nil
}

// A moment is a notebook while a cell runs and another one waits.
type moment struct {
	clew.NotebookInfo
	runs, waits string // their marks
}

func (b *notebook) waits(code string) moment {
	b.w.t.Helper()
	m := moment{runs: b.run(code), waits: b.run("")}
	r := b.until("the cell runs and another one waits", func(n *clew.NotebookInfo) bool { return n.Run != nil && len(n.Queue) == 1 && b.has(m.runs) })
	m.NotebookInfo = r.Notebooks[0]
	return m
}

// pid is the kernel's process.
func (b *notebook) pid() int {
	b.w.t.Helper()
	links, _ := filepath.Glob("/proc/[0-9]*/cwd")
	for _, link := range links {
		at, err := os.Readlink(link)
		args, _ := os.ReadFile(filepath.Join(filepath.Dir(link), "cmdline"))
		if err == nil && at == b.w.workspace("scientist_0") && strings.Contains(string(args), "connection.json") {
			pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(link)))
			return pid
		}
	}
	b.w.t.Fatal("there is no kernel")
	return 0
}

// stops holds against the promises what is left of a moment when the kernel is gone.
func (b *notebook) stops(m moment, state clew.KernelState) {
	b.w.t.Helper()
	r := b.until("the end of the run", func(n *clew.NotebookInfo) bool { return n.Run == nil && (state == "" || n.Kernel.State == state) })
	n := &r.Notebooks[0]
	ended := ""
	for _, c := range r.Cells {
		if c.RunID == m.Run.RunID && c.Status == clew.CellAborted {
			ended = c.Reason
		}
	}
	b.w.holds(doubtShown, ended != "" && (state == "" || n.Kernel.Reason != ""), "the run has no end that says why: %+v in %+v", r.Cells, n)
	b.w.holds(noSecondStart, b.file(m.runs) == "x", "the cell ran %q times", b.file(m.runs))
	b.w.holds(startsOnRecord, b.file(m.waits) == "" && len(n.Queue) == 0, "what waited ran %q times, and %v wait", b.file(m.waits), n.Queue)
}

// goesOn runs a cell in a fresh kernel.
func (b *notebook) goesOn(m moment) {
	b.w.t.Helper()
	mark := b.run("")
	r := b.until("the next cell", func(n *clew.NotebookInfo) bool { return n.Run == nil && len(n.Queue) == 0 })
	n, last := &r.Notebooks[0], r.Cells[len(r.Cells)-1]
	b.w.holds(liveAgain, last.Status == clew.CellOK && last.ExecutionCount == 1 && n.Kernel.KernelID != m.Kernel.KernelID, "the next cell is %+v in %+v", last, n.Kernel)
	b.w.holds(noSecondStart, b.file(m.runs) == "x" && b.file(mark) == "x" && b.file(m.waits) == "", "a cell ran by itself: %q %q", b.file(m.runs), b.file(m.waits))
}

// close ends the kernel. Nothing of any kernel is left.
func (b *notebook) close() {
	b.w.t.Helper()
	b.command(clew.CommandKernelShutdown, &clew.KernelShutdownData{})
	b.until("the kernel's end", func(n *clew.NotebookInfo) bool { return n.Kernel.State == clew.KernelStopped })
	left := processesIn(b.w.workspace("scientist_0"))
	b.w.holds(noOrphan, len(left) == 0, "processes are left: %v", left)
}

// withPython has a server find the Python that has a kernel.
func withPython(w *world, env map[string]string) {
	env["PATH"] = filepath.Dir(jupytertest.Python(w.t)) + ":/usr/bin:/bin"
}
