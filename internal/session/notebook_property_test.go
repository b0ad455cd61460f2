package session

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/nightly"
	"github.com/clew-run/clew/internal/session/core"
	"github.com/clew-run/clew/internal/session/decide"
)

// notebookSteps are what people, agents and the one who works for notebooks do.
func notebookSteps(p *player, act func(func()) func(*rapid.T)) map[string]func(*rapid.T) {
	works := act(func() { p.worksForNotebook() })
	return map[string]func(*rapid.T){
		"notebook": act(func() { p.wantsOfNotebook() }), "notebook 2": act(func() { p.wantsOfNotebook() }), "notebook 3": act(func() { p.wantsOfNotebook() }),
		"works": works, "works 2": works, "works 3": works, "works 4": works, "works 5": works, "works 6": works,
		"cells for an agent": act(func() { p.agentRunsCells() }), "cells for an agent 2": act(func() { p.agentRunsCells() }),
	}
}

func (p player) someNotebook() *core.Notebook {
	if list := p.s.state.OpenNotebooks(); len(list) > 0 {
		return list[rapid.IntRange(0, len(list)-1).Draw(p.t, "notebook")]
	}
	return &core.Notebook{ID: "nb_unknown"}
}

func (p player) someCell(n *core.Notebook) string {
	ids := []string{"unknown"}
	for _, c := range n.Cells {
		ids = append(ids, c.CellID, c.CellID)
	}
	return draw(p, "cell", ids...)
}

// wantsOfNotebook sends a command about a notebook.
func (p player) wantsOfNotebook() {
	n := p.someNotebook()
	if n.ID == "nb_unknown" || rapid.IntRange(0, 12).Draw(p.t, "opens") == 0 {
		p.person(&clew.NotebookOpenData{Path: draw(p, "path", "", "a.ipynb", "b/c.ipynb"), New: rapid.Bool().Draw(p.t, "new")})
		return
	}
	kernel := clew.KernelTarget{NotebookID: n.ID}
	switch rapid.IntRange(0, 19).Draw(p.t, "wants") {
	case 0, 1, 2, 3, 4:
		p.person(&clew.NotebookRunData{NotebookID: n.ID, All: true})
	case 5, 6, 7:
		p.person(&clew.NotebookRunData{NotebookID: n.ID, Cells: []string{p.someCell(n), p.someCell(n)}})
	case 8, 9, 10, 11:
		p.person(&clew.NotebookEditData{NotebookID: n.ID, Edits: clew.List[clew.CellEdit]{p.someEdit(n), p.someEdit(n)}})
	case 12:
		p.person(&clew.KernelExecuteData{KernelTarget: kernel, Code: "1", Silent: rapid.Bool().Draw(p.t, "silent")})
	case 13:
		p.person(&clew.NotebookSaveData{NotebookID: n.ID, Path: draw(p, "to", "", "d.ipynb"), Conflict: draw(p, "conflict", "", clew.ConflictTake)})
	case 14:
		p.person(&clew.KernelInterruptData{KernelTarget: kernel})
	case 15:
		p.person(&clew.KernelRestartData{KernelTarget: kernel})
	case 16:
		p.person(&clew.KernelShutdownData{KernelTarget: kernel})
	case 17:
		p.person(&clew.NotebookCloseData{NotebookID: n.ID})
	default:
		p.respond()
	}
}

func (p player) someEdit(n *core.Notebook) clew.CellEdit {
	e := clew.CellEdit{Op: draw(p, "op", clew.EditInsert, clew.EditInsert, clew.EditReplace, clew.EditMove, clew.EditDelete, clew.EditClear), CellID: p.someCell(n)}
	switch e.Op {
	case clew.EditInsert:
		e.CellID, e.After, e.Source = draw(p, "id", "", "", p.someCell(n)), draw(p, "after", "", p.someCell(n)), source("new")
	case clew.EditReplace:
		e.Source, e.Type = source(draw(p, "source", "", "2", "3")), draw(p, "type", "", clew.CellCode, clew.CellMarkdown)
	case clew.EditMove:
		e.After = draw(p, "after", "", p.someCell(n))
	case clew.EditDelete, clew.EditClear:
	}
	return e
}

// agentRunsCells has an agent's call wait for cells.
func (p player) agentRunsCells() {
	n := p.someNotebook()
	for _, t := range p.s.state.SortedTasks() {
		if t.Turn == nil || !p.s.state.Runnable(t) {
			continue
		}
		for _, c := range t.Calls {
			if c.Status != core.CallProposed && c.Status != core.CallApproved {
				continue
			}
			in := decide.QueueCells{Plan: decide.CallPlan{Call: c}, NotebookID: n.ID, Cells: []string{p.someCell(n)}}
			if rapid.Bool().Draw(p.t, "two") {
				in.Cells = append(in.Cells, p.someCell(n))
			}
			must(p.intent(t, approved(n, in)))
			return
		}
	}
}

// worksForNotebook does the next thing for a notebook, well or not.
func (p player) worksForNotebook() {
	list := slices.DeleteFunc(slices.Clone(p.s.state.Notebooks), func(n core.Notebook) bool { return !n.HasWork() })
	if len(list) == 0 {
		return
	}
	id := list[rapid.IntRange(0, len(list)-1).Draw(p.t, "for")].ID
	for range rapid.IntRange(1, 8).Draw(p.t, "much") {
		n := p.s.state.AnyNotebook(id)
		if n == nil || !n.HasWork() {
			return
		}
		r := p.nextReport(*n)
		if _, _, err := p.tells(id, r); err != nil {
			p.t.Fatalf("%T of %+v: %v", r, *n, err)
		}
	}
}

func (p player) nextReport(n core.Notebook) decide.NotebookReport {
	kernel := func(state clew.KernelState, id string) decide.NotebookReport {
		return decide.ChangeKernel{KernelChangedData: clew.KernelChangedData{State: state, KernelID: id}}
	}
	k := n.Kernel
	rerun := n.Rerun.UnderWay() && n.Run == nil
	switch {
	case rapid.IntRange(0, 49).Draw(p.t, "gives up") == 0:
		return decide.FailNotebook{Reason: "no room"}
	case rerun && n.Rerun.Status == clew.RerunPreparing && rapid.IntRange(0, 5).Draw(p.t, "cannot") > 0:
		return p.startRerun(n)
	case rerun && (n.Rerun.Status == clew.RerunPreparing || k.Wanted == "" && !slices.ContainsFunc(n.Queue, func(r core.CellRun) bool { return r.Repeats != "" })):
		return decide.EndRerun{RerunID: n.Rerun.ID, Reason: draw(p, "problem", "", "full"), Restored: n.Rerun.After}
	case n.Closed || k.Wanted == clew.WishStop:
		return kernel(clew.KernelStopped, "")
	case n.Status == clew.NotebookOpening, n.Save != nil && n.Save.Conflict == clew.ConflictTake:
		return p.fileOf(n)
	case n.Save != nil:
		return decide.SavedNotebook{NotebookSavedData: clew.NotebookSavedData{Path: draw(p, "saved to", "d.ipynb", "e.ipynb"), Hash: fmt.Sprint(p.s.state.Seq), Problem: draw(p, "problem", "", "", "full")}}
	case k.Wanted == clew.WishRestart:
		return kernel(clew.KernelRestarting, "")
	case k.State == clew.KernelStarting, k.State == clew.KernelRestarting:
		return kernel(draw(p, "comes", clew.KernelIdle, clew.KernelIdle, clew.KernelIdle, clew.KernelDead), fmt.Sprint("k", p.s.state.Seq))
	case n.Run != nil:
		return p.ofRun(n)
	case k.Wanted == clew.WishInterrupt, k.State == clew.KernelBusy:
		return kernel(clew.KernelIdle, "")
	case k.State != clew.KernelIdle:
		return kernel(clew.KernelStarting, "")
	}
	return decide.StartCell{RunID: n.Queue[0].ID, KernelID: k.ID}
}

// startRerun has all cells that were run run again.
func (p player) startRerun(n core.Notebook) decide.NotebookReport {
	d := decide.StartRerun{RerunID: n.Rerun.ID}
	for _, c := range n.Cells {
		if c.RunID != "" {
			d.Runs = append(d.Runs, clew.RepeatedRun{CellRun: clew.CellRun{CellID: c.CellID, Repeats: c.RunID}, Status: clew.CellOK, StateHash: draw(p, "hash", "", "0", "1")})
		}
	}
	if n.Rerun.Files {
		d.Saved, d.Before = &core.SavedFiles{ID: fmt.Sprint("cp", p.s.state.Seq), Hash: fmt.Sprint("h", p.s.state.Seq)}, "h0"
	}
	return d
}

func (p player) fileOf(n core.Notebook) decide.NotebookReport {
	d := clew.NotebookReadData{Hash: fmt.Sprint(p.s.state.Seq), Problem: draw(p, "problem", "", "", "", "", "not JSON")}
	for i := range 1 + rapid.IntRange(0, 3).Draw(p.t, "cells") {
		d.Cells = append(d.Cells, clew.NotebookCell{CellID: fmt.Sprint("f", i), Type: clew.CellCode, Source: "1"})
	}
	return decide.ReadNotebook{NotebookReadData: d, Missing: n.New && rapid.Bool().Draw(p.t, "missing")}
}

func (p player) ofRun(n core.Notebook) decide.NotebookReport {
	run := n.Run.ID
	switch rapid.IntRange(0, 9).Draw(p.t, "does") {
	case 0, 1, 2:
		return decide.CellOutput{RunID: run, Created: []clew.Message{{
			Say: clew.SayCommandOutput, Text: "out", Partial: rapid.Bool().Draw(p.t, "partial"),
			Cell: &clew.MessageCell{Output: draw(p, "output", clew.OutputStream, clew.OutputStatus)},
		}}}
	case 3:
		return decide.AskCellInput{RunID: run, Prompt: "name?", Password: rapid.Bool().Draw(p.t, "password")}
	case 4:
		return decide.ChangeKernel{KernelChangedData: clew.KernelChangedData{State: clew.KernelDead}, RunStatus: draw(p, "as", "", clew.CellAborted)}
	case 5:
		return decide.CheckpointCell{RunID: run, CellID: n.Run.CellID, StateHash: "0", Variables: "v"}
	}
	return decide.FinishCell{
		CellFinishedData: clew.CellFinishedData{RunID: run, Status: draw(p, "ends", clew.CellOK, clew.CellOK, clew.CellError, clew.CellAborted), ExecutionCount: n.Kernel.Count + 1},
		Text:             "result",
	}
}

// A notebookLedger follows the records as a kernel would: whatever is taken back, what it
// ran it ran.
type notebookLedger struct {
	seen    int
	started map[string]bool
	queue   map[string][]string
	ran     map[string][]uint64 // what a kernel ran since it knew nothing
	tally   map[string]int
}

func newNotebookLedger() *notebookLedger {
	return &notebookLedger{started: map[string]bool{}, queue: map[string][]string{}, ran: map[string][]uint64{}, tally: map[string]int{}}
}

// follow holds the records since the last time, and the state, against the ledger.
func (l *notebookLedger) follow(t tester, b *bench) {
	t.Helper()
	for _, r := range b.records[l.seen:] {
		l.record(t, r, b.decoded(r))
	}
	l.seen = len(b.records)
	s := b.s.state
	for i := range s.Notebooks {
		n := &s.Notebooks[i]
		var waits []string
		for _, run := range n.Queue {
			waits = append(waits, run.ID)
		}
		if !slices.Equal(waits, l.queue[n.ID]) {
			t.Fatalf("%s: the queue is %v, want %v", n.ID, waits, l.queue[n.ID])
		}
		hidden := !n.Closed && slices.ContainsFunc(l.ran[n.ID], s.Hidden)
		if n.Kernel.State.Alive() && hidden && !n.Kernel.Ahead {
			t.Fatalf("%s: the kernel ran what nobody sees, and is not ahead: %+v", n.ID, n.Kernel)
		}
		if n.Kernel.Ahead {
			if l.tally["ahead"]++; len(l.ran[n.ID]) == 0 {
				t.Fatalf("%s: the kernel ran nothing, and is ahead: %+v", n.ID, n.Kernel)
			}
		}
		l.counts(t, n)
	}
	for _, task := range s.Tasks {
		for _, c := range task.Calls {
			if c.Status == core.CallCell && s.CallRuns(task.TaskID, c.ID) == 0 {
				t.Fatalf("call %s waits for cells that nobody runs", c.ID)
			}
		}
	}
}

// counts wants no number twice of what one kernel ran.
func (l *notebookLedger) counts(t tester, n *core.Notebook) {
	t.Helper()
	if n.Kernel.Ahead || !n.Kernel.State.Alive() {
		return
	}
	known := map[int]string{}
	for _, c := range n.Cells {
		if c.ExecutionCount == 0 || c.RanSeq < n.Kernel.FreshSeq || c.RanSeq == 0 {
			continue
		}
		if other := known[c.ExecutionCount]; other != "" || c.ExecutionCount > len(l.ran[n.ID]) {
			t.Fatalf("%s: cell %s is number %d, as is %q, of %d", n.ID, c.CellID, c.ExecutionCount, other, len(l.ran[n.ID]))
		}
		known[c.ExecutionCount] = c.CellID
	}
}

func (l *notebookLedger) record(t tester, r clew.Record, data any) {
	t.Helper()
	drop := func(id string, runs []string) {
		l.queue[id] = slices.DeleteFunc(l.queue[id], func(run string) bool { return slices.Contains(runs, run) })
		l.tally["dropped"] += len(runs)
	}
	switch d := data.(type) {
	case *clew.CellQueuedData:
		for _, run := range d.Runs {
			l.queue[d.NotebookID] = append(l.queue[d.NotebookID], run.RunID)
		}
		if d.ToolCallID != "" {
			l.tally["for agents"]++
		}
	case *clew.CellStartedData:
		if l.started[d.RunID] {
			t.Fatalf("run %s was started twice", d.RunID)
		}
		if q := l.queue[d.NotebookID]; len(q) == 0 || q[0] != d.RunID {
			t.Fatalf("run %s is not the next one of %v", d.RunID, q)
		}
		l.started[d.RunID], l.queue[d.NotebookID] = true, l.queue[d.NotebookID][1:]
		l.ran[d.NotebookID] = append(l.ran[d.NotebookID], r.Seq)
		l.tally["started"]++
	case *clew.CellFinishedData:
		drop(d.NotebookID, d.Dropped)
	case *clew.KernelChangedData:
		drop(d.NotebookID, d.Dropped)
		if !d.State.Alive() || d.State == clew.KernelStarting || d.State == clew.KernelRestarting {
			l.ran[d.NotebookID] = nil
		}
	case *clew.NotebookClosedData:
		delete(l.queue, d.NotebookID)
	case *clew.HitlInputRequestData:
		l.tally["asked"]++
	case *clew.HistoryRewoundData, *clew.RewindUndoneData:
		clear(l.queue)
	}
}

// Notebooks in sessions that are taken back and forth at any moment and loaded anew: a
// run is started at most once and in its turn, no call waits for nothing, and a kernel
// that ran what nobody sees any more says so.
func TestAnywhereInANotebook(t *testing.T) {
	alone(t)
	tally := map[string]int{}
	nightly.CheckTimes(t, 10, nightly.Size(100, 1000), func(t *rapid.T) {
		l := newNotebookLedger()
		x := voyageWith(t, func(p *player, act func(func()) func(*rapid.T)) map[string]func(*rapid.T) {
			p.opened("1", "2", "3")
			steps := notebookSteps(p, act)
			for name, step := range steps {
				steps[name] = func(t *rapid.T) {
					l.follow(t, p.bench)
					step(t)
					l.follow(t, p.bench)
				}
			}
			return steps
		})
		l.follow(t, x.bench)
		for k, n := range l.tally {
			tally[k] += n
		}
	})
	t.Logf("0 deviations: %v", tally)
	for _, k := range []string{"started", "ahead", "dropped", "for agents", "asked"} {
		if !t.Failed() && !testing.Short() && tally[k] == 0 {
			t.Errorf("%s: never", k)
		}
	}
}

// Whoever watches notebooks holds the same entities as the state gives.
func TestNotebooksFromChanges(t *testing.T) {
	alone(t)
	resets := 0
	nightly.CheckTimes(t, 11, nightly.Size(60, 600), func(t *rapid.T) {
		p := newSpectacle(t)
		act := func(f func()) func(*rapid.T) {
			return func(step *rapid.T) { p.t, p.a.t = step, step; f() }
		}
		p.opened("1", "2", "3")
		steps := notebookSteps(&p.player, act)
		steps[""] = func(step *rapid.T) {
			p.a.t = step
			p.a.look()
			now := p.s.state.Project()
			for _, r := range []struct{ got, want any }{{p.a.steady.Notebooks, now.Notebooks}, {p.a.steady.Cells, now.Cells}} {
				got, _ := json.Marshal(r.got)
				want, _ := json.Marshal(r.want)
				if string(got) != string(want) && len(got) > len("null") {
					step.Fatalf("who watches has\n%s\nwant\n%s", got, want)
				}
			}
		}
		steps["message"], steps["agent"], steps["agent 2"] = act(func() { p.message() }), act(func() { p.agent() }), act(func() { p.agent() })
		steps["travel"], steps["restart"], steps["leave"], steps["return"] = act(p.travel), act(p.restart), act(p.a.leave), act(p.a.comesBack)
		t.Repeat(steps)
		t.Repeat(steps)
		resets += p.a.tally["resets"]
	})
	t.Logf("%d resets", resets)
}
