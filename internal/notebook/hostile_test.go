package notebook_test

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/notebook/ipynb"
	"github.com/clew-run/clew/internal/notebook/kerneltest"
)

// A kernel that breaks the protocol ends its cell at most, and the next cell runs.
func TestHostileKernel(t *testing.T) {
	for code, want := range map[string]struct {
		status clew.CellStatus
		state  clew.KernelState // "" while it lives
	}{
		"forge":                     {clew.CellAborted, clew.KernelDead},
		"print a\nnoreply":          {clew.CellInDoubt, ""},
		"print a\nnoidle":           {clew.CellOK, ""},
		"twice":                     {clew.CellOK, ""},
		"deep 5000":                 {clew.CellOK, ""},
		"broken":                    {clew.CellOK, ""},
		"orphan":                    {clew.CellOK, ""},
		"flood 3000 1000":           {clew.CellOK, ""},
		"print a\nexit":             {clew.CellAborted, clew.KernelDead},
		"print a\ndrop\nwait later": {clew.CellInDoubt, ""}, // it ends while nobody is joined
	} {
		t.Run(strings.ReplaceAll(code, "\n", ","), func(t *testing.T) {
			t.Parallel()
			w, p := playedWorld(t, kerneltest.Options{Expression: func(string) string { return "True" }})
			run := w.start(code)
			if strings.Contains(code, "wait") {
				w.until("the run", func() bool { return len(w.started) > 0 })
				p.only().Kernel.Release("later")
			}
			if d := w.await(run); d.Status != want.status {
				t.Errorf("it ended with %+v\n%s", d, w.story())
			}
			if want.state != "" {
				w.untilKernel(want.state)
			} else if n := p.only().Executed(w.started[0].MsgID); n != 1 {
				t.Errorf("it was executed %d times", n)
			}
			if d := w.run("7"); d.Status != clew.CellOK {
				t.Errorf("the next cell: %+v", d)
			}
		})
	}
}

// Without a kernel the notebook says why, and what waited is dropped.
func TestNoKernel(t *testing.T) {
	p := &played{t: t, fail: "there is no Python; install it"}
	w := newWorld(t, p)
	w.begin()
	run := w.start("1")
	k := w.untilKernel(clew.KernelDead)
	if !strings.Contains(k.Reason, "install it") || len(k.Dropped) != 1 || k.Dropped[0] != run {
		t.Errorf("the kernel is %+v", k)
	}
}

// What is displayed again replaces the message, what is cleared is marked, and only what
// is shown in the end is in the file.
func TestUpdateAndClear(t *testing.T) {
	w, _ := playedWorld(t, kerneltest.Options{})
	first := w.run("show a one")
	second := w.run("update a two\nprint x\nclear\nprint y")
	if m := w.shown(first.RunID); len(m) != 1 || m[0].Text != "two" {
		t.Errorf("the display shows %+v", m)
	}
	var shown []string
	for _, m := range w.shown(second.RunID) {
		if !m.Cell.Cleared {
			shown = append(shown, m.Text)
		}
	}
	if strings.Join(shown, "|") != "y\n" {
		t.Errorf("it shows %q", shown)
	}
}

// Output that is well signed and means harm has no effect but to be shown or left out: the
// cell ends, the records and the memory that it takes are bounded, all text is UTF-8, the
// file can be read, and the next cell runs.
func TestHostileOutput(t *testing.T) {
	for _, c := range []struct {
		code    string
		shown   int // messages at most
		records int // MiB in records
	}{
		{"displays 1500", 1_001, 24},
		{"comms 5000", 0, 1},
		{"endless 2000 65536\nprint over\nprint after", 2, 1},
		{"wide 50000", 1, 1},
		{"huge-names 4000000", 1, 1},
		{"invalid", 3, 1},
		{"escapes", 2, 1},
		{"deep 5000", 1, 1},
	} {
		t.Run(strings.ReplaceAll(c.code, "\n", ","), func(t *testing.T) {
			p := &played{t: t}
			w := newWorld(t, p)
			w.do(&clew.NotebookOpenData{Path: "a.ipynb", New: true})
			w.until("the notebook", func() bool { return w.opened != nil })
			w.run("7")
			runtime.GC()
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			before, stop := m.HeapAlloc, peak()
			d := w.run(c.code)
			took := (max(stop(), before) - before) >> 20
			var size int
			for _, r := range w.records {
				size += len(r.Data())
				if !utf8.Valid(r.Data()) {
					t.Errorf("record %d is not UTF-8", r.Seq)
				}
			}
			shown := w.shown(d.RunID)
			t.Logf("%d messages, %d KiB in %d records, heap at most %d MiB more", len(shown), size>>10, len(w.records), took)
			if d.Status != clew.CellOK || len(shown) > c.shown || size > c.records<<20 || took > 256 {
				t.Errorf("it ended as %s: %s", d.Status, d.Reason)
			}
			if n := p.only().Executed(w.started[1].MsgID); n != 1 {
				t.Errorf("it was executed %d times", n)
			}
			if d := w.run("7"); d.Status != clew.CellOK || len(w.shown(d.RunID)) != 1 {
				t.Errorf("the next cell: %+v", d)
			}
			saved := len(w.saved)
			w.do(&clew.NotebookSaveData{NotebookID: w.notebook})
			w.until("the file", func() bool { return len(w.saved) > saved && w.saved[len(w.saved)-1].Problem == "" })
			b, err := os.ReadFile(filepath.Join(w.dir, "a.ipynb"))
			if err == nil {
				_, err = ipynb.Read(b)
			}
			if err != nil || !utf8.Valid(b) {
				t.Errorf("the file of %d KiB: %v", len(b)>>10, err)
			}
		})
	}
}
