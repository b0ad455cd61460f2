package notebook_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/nightly"
	"github.com/clew-run/clew/internal/notebook/kerneltest"
)

// A lifeCell is code and what it puts out.
type lifeCell struct {
	code string
	out  []string
}

// lifeCells are what cells of a life do, and what they put out in the end: lines of
// streams, and other outputs.
var lifeCells = []lifeCell{
	{"print a\nprint b\nwarn c", []string{"a", "b", "c"}},
	{"7", []string{"= 7"}},
	{"print x\n8", []string{"x", "= 8"}},
	{"display 4", []string{"# 0", "# 1", "# 2", "# 3"}},
	{"show d one\nprint between\nupdate d two", []string{"# two", "between"}},
	{"print gone\nclear\nprint left", []string{"left"}},
	{"print before\nfail ValueError no", []string{"before", "! ValueError"}},
	{"print early\nwait gate\nprint late", []string{"early", "late"}},
	{"ask name?\nprint thanks", []string{"answer: Ada", "thanks"}},
	{"print bye\nexit", []string{"bye"}},
}

// A deed is what somebody does in a life. Its number chooses among cells.
type deed struct {
	what string
	n    int
}

var lifeDeeds = []string{"run", "run", "run", "run", "run all", "edit", "edit", "interrupt", "kill kernel", "crash", "disconnect", "release", "release", "answer", "answer", "restart", "shut down", "wait", "wait", "wait", "wait", "wait", "wait", "wait"}

// Notebooks live through random runs, edits, interrupts, restarts, deaths of kernels and of
// the server. Each cell is sent at most once, each run has one end, what is shown is what
// the kernel published, in its order, the counts are the kernel's, and no kernel is left.
func TestRandomLife(t *testing.T) {
	var mu sync.Mutex
	tally := map[string]int{}
	plays, first := nightly.Plays(60, 600), int(nightly.Seed(t)) //nolint:gosec // any number
	for seed := range plays {
		deeds := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) deed {
			return deed{rapid.SampledFrom(lifeDeeds).Draw(t, "what"), rapid.IntRange(0, 99).Draw(t, "n")}
		}), 10, 30).Example(first + seed)
		if !t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			l := newLife(t)
			defer l.close() // it may be about to start a kernel
			defer func() {
				if t.Failed() {
					t.Logf("%v\n%s", deeds, l.story())
				}
			}()
			for _, d := range deeds {
				l.do1(d)
			}
			l.settle()
			l.holds()
			mu.Lock()
			defer mu.Unlock()
			for what, n := range l.tally {
				tally[what] += n
			}
		}) {
			return
		}
	}
	t.Cleanup(func() { // the plays are over
		t.Logf("%d lives: %v", plays, tally)
		for _, what := range []string{"ok", "error", "aborted", "in_doubt", "dropped", "lost", "crash", "kill kernel"} {
			if tally[what] == 0 && !t.Failed() {
				t.Errorf("%s: never", what)
			}
		}
	})
}

// A life is a world with a model of it.
type life struct {
	*world
	p       *played
	cells   []string // ids of those that were made by an edit
	deleted map[string]bool
	runOf   map[string]clew.CellRun
	tally   map[string]int
}

func newLife(t *testing.T) *life {
	w, p := playedWorld(t, kerneltest.Options{})
	return &life{world: w, p: p, deleted: map[string]bool{}, runOf: map[string]clew.CellRun{}, tally: map[string]int{}}
}

// do1 does one thing. What is refused, such as the edit of a cell that runs, has no effect.
func (l *life) do1(d deed) {
	l.Helper()
	l.tally[d.what]++
	target := clew.KernelTarget{NotebookID: l.notebook}
	code := lifeCells[d.n%len(lifeCells)].code
	switch d.what {
	case "run":
		_ = l.try(&clew.KernelExecuteData{KernelTarget: target, Code: code, Silent: d.n >= 90})
	case "run all":
		_ = l.try(&clew.NotebookRunData{NotebookID: l.notebook, All: true})
	case "edit":
		l.edit(d.n, code)
	case "interrupt":
		_ = l.try(&clew.KernelInterruptData{KernelTarget: target})
	case "kill kernel", "disconnect":
		for _, k := range l.p.living() {
			if d.what == "disconnect" {
				k.Disconnect()
			} else {
				k.Kernel.Kill()
			}
		}
	case "crash":
		l.crash()
	case "release":
		l.release()
	case "answer":
		l.answers()
	case "restart":
		_ = l.try(&clew.KernelRestartData{KernelTarget: target})
	case "shut down":
		_ = l.try(&clew.KernelShutdownData{KernelTarget: target})
	case "wait":
		for range d.n % 12 { // records come, or do not: all of it is a life
			select {
			case <-l.moved:
			case <-time.After(10 * time.Millisecond):
			}
		}
	}
}

func (l *life) edit(n int, code string) {
	e := clew.CellEdit{Op: clew.EditInsert, CellID: fmt.Sprint("cell", len(l.cells)), Source: &code}
	if len(l.cells) > 2 {
		id := l.cells[n%len(l.cells)]
		switch n % 3 {
		case 0:
			e = clew.CellEdit{Op: clew.EditDelete, CellID: id}
		case 1:
			e = clew.CellEdit{Op: clew.EditReplace, CellID: id, Source: &code}
		}
	}
	if l.try(&clew.NotebookEditData{NotebookID: l.notebook, Edits: clew.List[clew.CellEdit]{e}}) != nil {
		return
	}
	switch e.Op {
	case clew.EditInsert:
		l.cells = append(l.cells, e.CellID)
	case clew.EditDelete:
		l.deleted[e.CellID] = true
		l.cells = slices.DeleteFunc(l.cells, func(id string) bool { return id == e.CellID })
	case clew.EditReplace, clew.EditMove, clew.EditClear:
	}
}

func (l *life) release() {
	for _, k := range l.p.living() {
		k.Kernel.Release("gate")
	}
}

func (l *life) answers() {
	l.fold()
	if len(l.asked) > 0 { // it may have an end
		_ = l.try(&clew.HitlInputResponseData{RequestID: l.asked[len(l.asked)-1].RequestID, Value: "Ada"})
	}
}

// dropped are the runs that did not happen.
func (l *life) dropped() (list []string) {
	for _, d := range l.finished {
		list = append(list, d.Dropped...)
	}
	for _, d := range l.kernel {
		list = append(list, d.Dropped...)
	}
	return list
}

// settle answers and releases until every run has an end, and ends the kernel. A question
// that nobody was there to hear is lost with kernels that are not Python's: people see a
// cell that goes on, and interrupt it.
func (l *life) settle() {
	l.Helper()
	read, since := l.read, time.Now()
	poll(l.T, "the end of all runs", func() bool {
		l.release()
		l.answers()
		l.runs()
		if l.read > read {
			read, since = l.read, time.Now()
		} else if time.Since(since) > time.Second {
			l.tally["stuck"]++
			since = time.Now()
			_ = l.try(&clew.KernelInterruptData{KernelTarget: clew.KernelTarget{NotebookID: l.notebook}})
		}
		ended := l.dropped()
		return !slices.ContainsFunc(l.queued, func(run string) bool {
			return l.finished[run].RunID == "" && !slices.Contains(ended, run) && !l.deleted[l.runOf[run].CellID]
		})
	})
	poll(l.T, "the kernel's end", func() bool {
		l.fold()
		k := l.lastKernel()
		if k.State.Alive() && k.Wanted != clew.WishStop {
			_ = l.try(&clew.KernelShutdownData{KernelTarget: clew.KernelTarget{NotebookID: l.notebook}}) // it may have ended by itself
		}
		return !k.State.Alive() && len(l.p.living()) == 0
	})
}

// runs notes which cell each run is of, and what waits no more with a cell that is gone.
func (l *life) runs() {
	l.fold()
	for _, r := range l.records {
		if ev, err := clew.DecodeEvent(r.Type, r.Data()); err == nil {
			if d, ok := ev.Data.(*clew.CellQueuedData); ok {
				for _, run := range d.Runs {
					l.runOf[run.RunID] = run
				}
			}
		}
	}
}

// holds compares what is on record with what the kernels did.
func (l *life) holds() {
	l.Helper()
	dropped := l.dropped()
	sent := map[string]clew.CellStartedData{}
	for _, s := range l.started {
		if sent[s.RunID].RunID != "" {
			l.Errorf("run %s was started twice", s.RunID)
		}
		sent[s.RunID] = s
	}
	for _, run := range l.queued {
		d, s := l.finished[run], sent[run]
		isDropped := slices.Contains(dropped, run)
		if isDropped {
			l.tally["dropped"]++
		}
		if s.RunID != "" && (isDropped || d.RunID == "") {
			l.Errorf("run %s was started, and ended with %+v", run, d)
		}
		if s.RunID == "" && d.RunID != "" {
			l.Errorf("run %s was not started, and ended with %+v", run, d)
		}
		if s.RunID != "" {
			l.holdsRun(d, s)
		}
	}
	for _, k := range l.p.living() {
		l.Errorf("kernel %s is left", k.id)
	}
}

func (l *life) holdsRun(d clew.CellFinishedData, s clew.CellStartedData) {
	l.Helper()
	l.tally[string(d.Status)]++
	times, count := l.p.executed(s.MsgID)
	over := d.Status == clew.CellOK || d.Status == clew.CellError
	if times > 1 || over && times != 1 {
		l.Errorf("run %s was executed %d times: %+v", d.RunID, times, d)
	}
	if !over && d.Reason == "" {
		l.Errorf("nobody says why run %s ended: %+v", d.RunID, d)
	}
	if over && d.ExecutionCount != count {
		l.Errorf("run %s is number %d, and the kernel's %d", d.RunID, d.ExecutionCount, count)
	}
	if d.OutputsLost {
		l.tally["lost"]++
	}
	i := slices.IndexFunc(lifeCells, func(c lifeCell) bool { return hashOf(c.code) == s.SourceHash })
	if i < 0 {
		if s.SourceHash != hashOf("") { // the empty cell that a notebook begins with
			l.Errorf("run %s is of a source that nobody wrote", d.RunID)
		}
		return
	}
	got, want := l.tokens(d.RunID), lifeCells[i].out
	switch {
	case l.runOf[d.RunID].CellID == "":
		want = nil
	case over && !d.OutputsLost && d.ErrorName != "KeyboardInterrupt":
	case strings.Contains(lifeCells[i].code, "clear"), strings.Contains(lifeCells[i].code, "update"):
		return // what is shown in between is something else than in the end
	default: // a part of it, in its order
		left := slices.DeleteFunc(slices.Clone(got), func(s string) bool { return s == "! KeyboardInterrupt" })
		for _, token := range want {
			if len(left) > 0 && left[0] == token {
				left = left[1:]
			}
		}
		if len(left) > 0 {
			l.Errorf("run %s shows %q, which is no part of %q: %+v", d.RunID, got, want, d)
		}
		return
	}
	if !slices.Equal(got, want) {
		l.Errorf("run %s shows %q, want %q: %+v", d.RunID, got, want, d)
	}
}

func hashOf(source string) string {
	sum := sha256.Sum256([]byte(source))
	return hex.EncodeToString(sum[:])
}

// tokens are what a run shows, as lifeCells has it.
func (l *life) tokens(run string) (list []string) {
	for _, m := range l.shown(run) {
		switch {
		case m.Cell.Cleared:
		case m.Cell.Output == clew.OutputStream:
			for line := range strings.Lines(m.Text) {
				list = append(list, strings.TrimSuffix(line, "\n"))
			}
		case m.Cell.Output == clew.OutputResult:
			list = append(list, "= "+m.Text)
		case m.Cell.Output == clew.OutputError:
			list = append(list, fmt.Sprint("! ", m.Metadata["ename"]))
		default:
			list = append(list, "# "+m.Text)
		}
	}
	return list
}
