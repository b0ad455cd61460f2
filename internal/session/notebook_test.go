package session

import (
	"slices"
	"strings"
	"testing"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/session/core"
	"github.com/clew-run/clew/internal/session/decide"
)

// A notebook from its file to its end: cells run in order, each with its outputs.
func TestNotebookWalk(t *testing.T) {
	b := newBench()
	b.opened("x = 1", "print(x)", "x")
	if n := b.nb(); n.Status != clew.NotebookReady || n.Unsaved() || n.Kernel.Name != "python3" || n.HasWork() {
		t.Fatalf("after reading: %+v", n)
	}
	must(b.ann(&clew.NotebookRunData{NotebookID: b.nb().ID, All: true}))
	if got := b.cellStatuses(); got != "a queued, b queued, c queued" || !b.s.state.Busy() {
		t.Fatalf("queued: %s", got)
	}
	b.idle("k1")
	first := b.starts()
	again := b.reported(b.nb().ID, decide.StartCell{RunID: first, KernelID: "k1"}) // after a crash
	if again.Run.MsgID == "" || again.Source != "x = 1" || b.nb().Kernel.State != clew.KernelBusy {
		t.Fatalf("started again: %+v", again)
	}
	b.ends(clew.CellOK)
	run := b.starts()
	made := b.reported(b.nb().ID, decide.CellOutput{RunID: run, Created: []clew.Message{
		{Say: clew.SayCommandOutput, Text: "1", Partial: true, Cell: &clew.MessageCell{Output: clew.OutputStream}},
		{Say: clew.SayKernelStatus, Text: "busy", Cell: &clew.MessageCell{Output: clew.OutputStatus}},
	}}).Messages
	if len(made) != 2 || made[0].Cell.CellID != "b" || !slices.Equal(b.cell("b").Outputs, clew.List[clew.MessageID]{made[0].MessageID}) {
		t.Fatalf("outputs: %+v of %+v", b.cell("b").Outputs, made)
	}
	b.ends(clew.CellOK)
	if m := b.s.state.Message(made[0].MessageID); m.Partial {
		t.Error("the text of a run that ended still grows")
	}
	b.reported(b.nb().ID, decide.CheckpointCell{RunID: run, CellID: "b", StateHash: "12345678", Variables: "v"})
	if c := b.cell("b"); c.StateHash != "12345678" || c.ExecutionCount != 2 || c.Stale || c.Status != clew.CellOK || b.s.state.Checkpoint != "" {
		t.Errorf("cell b is %+v", c)
	}
	b.starts()
	b.ends(clew.CellOK)
	if !b.nb().Unsaved() || b.nb().HasWork() || b.nb().Kernel.State != clew.KernelIdle {
		t.Errorf("after all: %+v", b.nb())
	}
	must(b.ann(&clew.NotebookSaveData{NotebookID: b.nb().ID}))
	b.reported(b.nb().ID, decide.SavedNotebook{NotebookSavedData: clew.NotebookSavedData{Path: "n0.ipynb", Hash: "h2"}})
	if b.nb().Unsaved() || b.nb().Hash != "h2" {
		t.Errorf("saved: %+v", b.nb())
	}
	must(b.ann(&clew.NotebookCloseData{NotebookID: b.nb().ID}))
	if list := b.s.state.Notebooks; len(list) != 1 || !list[0].HasWork() || len(b.s.state.Project().Notebooks) != 0 {
		t.Fatalf("closed, and its kernel is to be ended: %+v", list)
	}
	b.reported(b.s.state.Notebooks[0].ID, decide.ChangeKernel{KernelChangedData: clew.KernelChangedData{State: clew.KernelStopped}})
	if len(b.s.state.Notebooks) != 0 || b.s.state.Busy() {
		t.Errorf("left: %+v", b.s.state.Notebooks)
	}
	b.check(t)
}

// What cannot be done is refused, with a code for programs and words for people.
func TestNotebookRefusals(t *testing.T) {
	one := 1
	ready := func(b *bench) { b.opened("1", "2") }
	running := func(b *bench) { ready(b); b.runs("a", "b"); b.idle("k1"); b.starts() }
	edit := func(e ...clew.CellEdit) func(b *bench) any {
		return func(b *bench) any { return &clew.NotebookEditData{NotebookID: b.nb().ID, Edits: e} }
	}
	for name, c := range map[string]struct {
		to   func(b *bench)
		data func(b *bench) any
		code clew.Code
		part string
	}{
		"a path above":     {(*bench).create, func(*bench) any { return &clew.NotebookOpenData{Path: "../x.ipynb"} }, clew.InvalidMessage, "in the workspace"},
		"another file":     {(*bench).create, func(*bench) any { return &clew.NotebookOpenData{Path: "x.py"} }, clew.InvalidMessage, ".ipynb"},
		"a kernel's path":  {(*bench).create, func(*bench) any { return &clew.NotebookOpenData{KernelName: "../k"} }, clew.InvalidMessage, "kernel_name"},
		"open already":     {ready, func(*bench) any { return &clew.NotebookOpenData{Path: "n0.ipynb"} }, clew.SessionInvalidState, "open already"},
		"too many":         {func(b *bench) { b.create(); b.manyNotebooks() }, func(*bench) any { return &clew.NotebookOpenData{} }, clew.SessionInvalidState, "close one"},
		"no such notebook": {ready, func(*bench) any { return &clew.NotebookCloseData{NotebookID: "nb_x"} }, clew.SessionInvalidState, "no notebook"},
		"still read": {func(b *bench) { b.create(); must(b.ann(&clew.NotebookOpenData{Path: "x.ipynb"})) }, func(b *bench) any {
			return &clew.NotebookRunData{NotebookID: b.nb().ID, All: true}
		}, clew.SessionInvalidState, "still being read"},
		"another version": {ready, func(b *bench) any {
			return &clew.NotebookEditData{NotebookID: b.nb().ID, IfVersion: new(int), Edits: clew.List[clew.CellEdit]{{Op: clew.EditDelete, CellID: "a"}}}
		}, clew.SessionInvalidState, "version 1"},
		"unknown cell":        {ready, edit(clew.CellEdit{Op: clew.EditDelete, CellID: "z"}), clew.SessionInvalidState, "no cell z"},
		"behind nothing":      {ready, edit(clew.CellEdit{Op: clew.EditInsert, After: "z"}), clew.SessionInvalidState, "no cell z"},
		"the same id":         {ready, edit(clew.CellEdit{Op: clew.EditInsert, CellID: "a"}), clew.SessionInvalidState, "a cell a already"},
		"deleted before":      {ready, edit(clew.CellEdit{Op: clew.EditDelete, CellID: "a"}, clew.CellEdit{Op: clew.EditReplace, CellID: "a", Source: source("")}), clew.SessionInvalidState, "no cell a"},
		"a cell that runs":    {running, edit(clew.CellEdit{Op: clew.EditReplace, CellID: "a", Source: source("3")}), clew.SessionInvalidState, "runs or waits"},
		"a cell that waits":   {running, edit(clew.CellEdit{Op: clew.EditDelete, CellID: "b"}), clew.SessionInvalidState, "runs or waits"},
		"clear while it runs": {running, edit(clew.CellEdit{Op: clew.EditClear}), clew.SessionInvalidState, "run or wait"},
		"too much source": {ready, func(b *bench) any {
			d := &clew.NotebookEditData{NotebookID: b.nb().ID}
			for range 9 {
				d.Edits = append(d.Edits, clew.CellEdit{Op: clew.EditInsert, Source: source(strings.Repeat("x", core.CellSourceMax))})
			}
			return d
		}, clew.SessionInvalidState, "512 KiB"},
		"too many cells": {ready, func(b *bench) any {
			d := &clew.NotebookEditData{NotebookID: b.nb().ID}
			for range core.CellsMax - 1 {
				d.Edits = append(d.Edits, clew.CellEdit{Op: clew.EditInsert})
			}
			return d
		}, clew.SessionInvalidState, "at most 1000 cells"},
		"no such cell to run": {ready, func(b *bench) any { return &clew.NotebookRunData{NotebookID: b.nb().ID, Cells: []string{"z"}} }, clew.SessionInvalidState, "no cell z"},
		"from behind to":      {ready, func(b *bench) any { return &clew.NotebookRunData{NotebookID: b.nb().ID, All: true, From: "b", To: "a"} }, clew.InvalidMessage, "behind"},
		"no file to save to":  {func(b *bench) { b.create(); must(b.ann(&clew.NotebookOpenData{})) }, func(b *bench) any { return &clew.NotebookSaveData{NotebookID: b.nb().ID} }, clew.SessionInvalidState, "no file"},
		"saved elsewhere":     {ready, func(b *bench) any { return &clew.NotebookSaveData{NotebookID: b.nb().ID, Path: "/etc/x.ipynb"} }, clew.InvalidMessage, "in the workspace"},
		"taken while it runs": {running, func(b *bench) any { return &clew.NotebookSaveData{NotebookID: b.nb().ID, Conflict: clew.ConflictTake} }, clew.SessionInvalidState, "stop them"},
		"no notebook":         {(*bench).create, func(*bench) any { return &clew.KernelExecuteData{Code: "1"} }, clew.SessionInvalidState, "no notebook is open"},
		"which notebook":      {func(b *bench) { ready(b); ready(b) }, func(*bench) any { return &clew.KernelInterruptData{} }, clew.SessionInvalidState, "say which one"},
		"no such kernel":      {ready, func(*bench) any { return &clew.KernelRestartData{KernelTarget: clew.KernelTarget{KernelID: "k9"}} }, clew.SessionInvalidState, "no kernel k9"},
		"another kernel by now": {running, func(b *bench) any {
			return &clew.KernelRestartData{KernelTarget: clew.KernelTarget{NotebookID: b.nb().ID, KernelID: "k9"}}
		}, clew.SessionInvalidState, "another kernel"},
		"no cell at this place": {ready, func(*bench) any {
			return &clew.KernelExecuteData{Code: "1", CellIndex: func() *int { i := 2; return &i }()}
		}, clew.SessionInvalidState, "no cell 2"},
		"the code of a cell that waits": {running, func(*bench) any { return &clew.KernelExecuteData{Code: "1", CellIndex: &one} }, clew.SessionInvalidState, "runs or waits"},
		"nothing to interrupt":          {ready, func(*bench) any { return &clew.KernelInterruptData{} }, clew.SessionInvalidState, "nothing runs"},
		"nothing to stop":               {ready, func(*bench) any { return &clew.KernelShutdownData{} }, clew.SessionInvalidState, "no kernel runs"},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench()
			c.to(b)
			_, _, err := b.ann(c.data(b))
			wantError(t, err, c.code, c.part)
			b.check(t)
		})
	}
}

func (b *bench) manyNotebooks() {
	for range core.NotebooksMax {
		must(b.ann(&clew.NotebookOpenData{}))
	}
}

// Edits change the cells in order, all or none of them, and one version at a time.
func TestNotebookEdits(t *testing.T) {
	b := newBench()
	b.opened("1", "2", "3")
	version := b.nb().Version
	must(b.ann(&clew.NotebookEditData{NotebookID: b.nb().ID, IfVersion: &version, Edits: clew.List[clew.CellEdit]{
		{Op: clew.EditInsert, CellID: "d", Source: source("4"), Type: clew.CellMarkdown},
		{Op: clew.EditMove, CellID: "a", After: "c"},
		{Op: clew.EditDelete, CellID: "b"},
		{Op: clew.EditReplace, CellID: "c", Source: source("33")},
		{Op: clew.EditInsert, After: "a"},
	}}))
	n := b.nb()
	if n.Version != version+1 || len(n.Cells) != 4 || n.Cells[0].CellID != "d" || n.Cells[1].Source != "33" || n.Cells[2].CellID != "a" || !clew.ValidCellID(n.Cells[3].CellID) || n.Cells[3].Type != clew.CellCode {
		t.Fatalf("got %+v", n.Cells)
	}
	_, _, err := b.ann(&clew.NotebookEditData{NotebookID: n.ID, Edits: clew.List[clew.CellEdit]{{Op: clew.EditDelete, CellID: "a"}, {Op: clew.EditDelete, CellID: "a"}}})
	wantError(t, err, clew.SessionInvalidState, "no cell a")
	if len(b.nb().Cells) != 4 {
		t.Error("a refused batch of edits was made in part")
	}
	b.check(t)
}

// A failed cell takes those along that were queued with it, and no others.
func TestFailedCellDropsItsBatch(t *testing.T) {
	b := newBench()
	b.opened("1", "2", "3")
	b.runs("a", "b")
	b.runs("c")
	b.idle("k1")
	b.starts()
	b.ends(clew.CellError)
	if got := b.cellStatuses(); got != "a error, b aborted, c queued" {
		t.Errorf("got %s", got)
	}
	b.check(t)
}

// A kernel that dies ends its run and what waits; one that restarts leaves the cells
// stale.
func TestKernelDies(t *testing.T) {
	b := newBench()
	b.opened("1", "2", "3")
	b.runs("a", "b")
	b.runs("c")
	b.idle("k1")
	b.starts()
	b.ends(clew.CellOK)
	b.starts()
	b.reported(b.nb().ID, decide.ChangeKernel{KernelChangedData: clew.KernelChangedData{State: clew.KernelDead, Reason: "killed"}})
	if got := b.cellStatuses(); got != "a ok, b in_doubt, c aborted" || b.nb().HasWork() || !b.cell("a").Stale || b.cell("b").Reason != "killed" {
		t.Errorf("got %s and %+v", got, b.cell("a"))
	}
	must(b.ann(&clew.KernelRestartData{}))
	if b.nb().Kernel.Wanted != clew.WishRestart {
		t.Errorf("kernel %+v", b.nb().Kernel)
	}
	b.idle("k2")
	if k := b.nb().Kernel; k.Wanted != "" || k.ID != "k2" || k.Reason != "" || !b.cell("a").Stale {
		t.Errorf("kernel %+v", k)
	}
	b.runs("a", "c")
	b.starts()
	b.ends(clew.CellOK)
	if b.cell("a").Stale || b.cell("a").ExecutionCount != 1 {
		t.Errorf("cell %+v", b.cell("a"))
	}
	b.starts()
	b.reported(b.nb().ID, decide.ChangeKernel{KernelChangedData: clew.KernelChangedData{State: clew.KernelIdle, KernelID: "k3"}})
	if n := b.nb(); n.Run != nil || b.cell("c").Status != clew.CellInDoubt || !b.cell("a").Stale || n.Kernel.RanSeq != 0 {
		t.Errorf("another kernel: %+v, cells %s", n.Kernel, b.cellStatuses())
	}
	b.check(t)
}

// A kernel that dies by itself while it is to be restarted is restarted; one that is to be
// stopped, or that is lost, is not.
func TestKernelDiesOnTheWay(t *testing.T) {
	for state, want := range map[clew.KernelState]clew.KernelWish{clew.KernelDead: clew.WishRestart, clew.KernelLost: "", clew.KernelStopped: ""} {
		b := newBench()
		b.opened("1", "2")
		b.runs("a")
		b.idle("k1")
		b.starts()
		must(b.ann(&clew.KernelRestartData{}))
		b.runs("b") // in the next kernel
		b.reported(b.nb().ID, decide.ChangeKernel{KernelChangedData: clew.KernelChangedData{State: state, Reason: "killed"}})
		n := b.nb()
		if n.Kernel.Wanted != want || n.Run != nil || n.HasWork() != (want != "" || state == clew.KernelStopped) {
			t.Errorf("%s: %+v, %d wait", state, n.Kernel, len(n.Queue))
		}
		if dropped := len(n.Queue) == 0; dropped != (state == clew.KernelLost) {
			t.Errorf("%s: %d wait", state, len(n.Queue))
		}
		b.check(t)
	}
}

// A wish for a kernel drops what waits, and a stronger one is not taken back by what was
// done for a weaker.
func TestKernelWishes(t *testing.T) {
	b := newBench()
	b.opened("1", "2")
	b.runs("a", "b")
	b.idle("k1")
	b.starts()
	must(b.ann(&clew.KernelInterruptData{}))
	if n := b.nb(); n.Kernel.Wanted != clew.WishInterrupt || len(n.Queue) != 0 || n.Run == nil {
		t.Fatalf("interrupt: %+v", n)
	}
	must(b.ann(&clew.KernelRestartData{}))
	must(b.ann(&clew.KernelInterruptData{})) // changes nothing
	b.ends(clew.CellAborted)
	b.reported(b.nb().ID, decide.ChangeKernel{KernelChangedData: clew.KernelChangedData{State: clew.KernelIdle}})
	if n := b.nb(); n.Kernel.Wanted != clew.WishRestart {
		t.Fatalf("the restart is forgotten: %+v", n.Kernel)
	}
	_, _, err := b.tells(b.nb().ID, decide.StartCell{RunID: "x", KernelID: "k1"})
	wantError(t, err, clew.SessionInvalidState, "not the next")
	b.reported(b.nb().ID, decide.ChangeKernel{KernelChangedData: clew.KernelChangedData{State: clew.KernelRestarting}})
	must(b.ann(&clew.KernelShutdownData{}))
	b.reported(b.nb().ID, decide.ChangeKernel{KernelChangedData: clew.KernelChangedData{State: clew.KernelIdle, KernelID: "k2"}})
	if n := b.nb(); n.Kernel.Wanted != clew.WishStop {
		t.Fatalf("the stop is forgotten: %+v", n.Kernel)
	}
	b.reported(b.nb().ID, decide.ChangeKernel{KernelChangedData: clew.KernelChangedData{State: clew.KernelStopped}})
	if n := b.nb(); n.HasWork() {
		t.Fatalf("stopped: %+v", n.Kernel)
	}
	b.check(t)
}

// Each wish is another one, whoever has it, also if the same is wanted already. What a kernel
// reports meanwhile is none.
func TestEachWishIsAnother(t *testing.T) {
	b := newBench()
	b.opened("1")
	b.runs("a")
	b.idle("k1")
	b.starts()
	var seqs []uint64
	for _, wish := range []func(){
		func() { // an agent's
			must(b.say("m1"))
			b.think()
			must(b.answer(1))
			must(b.intent(b.task(), decide.ChangeNotebook{Plan: decide.CallPlan{Call: b.pick(0)}, Command: &clew.KernelInterruptData{}}))
		},
		func() { must(b.ann(&clew.KernelInterruptData{})) },
		func() { must(b.ann(&clew.KernelInterruptData{})) },
	} {
		wish()
		k := b.nb().Kernel
		if k.Wanted != clew.WishInterrupt || slices.Contains(append(seqs, 0), k.WantedSeq) {
			t.Errorf("after %v: %+v", seqs, k)
		}
		seqs = append(seqs, k.WantedSeq)
	}
	b.reported(b.nb().ID, decide.ChangeKernel{KernelChangedData: clew.KernelChangedData{State: clew.KernelBusy, KernelID: "k1", Reason: "The cell runs on."}})
	if k := b.nb().Kernel; k.Wanted != clew.WishInterrupt || k.WantedSeq != seqs[2] || k.Reason == "" {
		t.Errorf("after a report: %+v", k)
	}
	b.ends(clew.CellAborted)
	if k := b.nb().Kernel; k.Wanted != "" || k.Reason != "" {
		t.Errorf("after the cell: %+v", k)
	}
	b.check(t)
}

// kernel_execute gives a cell its code, makes one, or runs code that no cell has.
func TestKernelExecute(t *testing.T) {
	b := newBench()
	b.opened("1", "2")
	zero := 0
	must(b.ann(&clew.KernelExecuteData{Code: "11", CellIndex: &zero}))
	must(b.ann(&clew.KernelExecuteData{Code: "3"}))
	must(b.ann(&clew.KernelExecuteData{Code: "secretly()", Silent: true}))
	n := b.nb()
	if len(n.Cells) != 3 || n.Cells[0].Source != "11" || n.Cells[2].Source != "3" || len(n.Queue) != 3 || n.Queue[2].CellID != "" {
		t.Fatalf("got %+v and %+v", n.Cells, n.Queue)
	}
	b.idle("k1")
	for range 2 {
		b.starts()
		b.ends(clew.CellOK)
	}
	res := b.reported(n.ID, decide.StartCell{RunID: b.nb().Queue[0].ID, KernelID: "k1"})
	if res.Source != "secretly()" || !res.Run.Silent {
		t.Errorf("got %+v", res)
	}
	shown := b.reported(n.ID, decide.CellOutput{RunID: res.Run.ID, Created: []clew.Message{{Say: clew.SayText, Text: "x"}}})
	if len(shown.Messages) != 0 {
		t.Errorf("silent code shows %+v", shown.Messages)
	}
	b.ends(clew.CellOK)
	b.check(t)
}

// Cells that hold no code are passed over, and silence is no failure.
func TestRunSkipsWhatIsNoCode(t *testing.T) {
	b := newBench()
	b.opened("1", "  ", "3")
	must(b.ann(&clew.NotebookEditData{NotebookID: b.nb().ID, Edits: clew.List[clew.CellEdit]{{Op: clew.EditReplace, CellID: "a", Type: clew.CellMarkdown}}}))
	must(b.ann(&clew.NotebookRunData{NotebookID: b.nb().ID, All: true}))
	if q := b.nb().Queue; len(q) != 1 || q[0].CellID != "c" {
		t.Errorf("queue %+v", q)
	}
	if _, types, err := b.ann(&clew.NotebookRunData{NotebookID: b.nb().ID, Cells: []string{"a", "b"}}); err != nil || len(types) != 0 {
		t.Errorf("got %v, %v", types, err)
	}
	b.check(t)
}

// A file that somebody else changed takes the place of what is here only if it is wanted.
func TestNotebookConflict(t *testing.T) {
	b := newBench()
	b.opened("1")
	b.reported(b.nb().ID, decide.SavedNotebook{NotebookSavedData: clew.NotebookSavedData{Path: "n0.ipynb", Conflict: true}})
	if !b.nb().Conflict || b.nb().Hash != "h1" {
		t.Fatalf("got %+v", b.nb())
	}
	_, _, err := b.tells(b.nb().ID, decide.ReadNotebook{NotebookReadData: clew.NotebookReadData{Hash: "h2"}})
	wantError(t, err, clew.SessionInvalidState, "nobody wants")
	must(b.ann(&clew.NotebookSaveData{NotebookID: b.nb().ID, Conflict: clew.ConflictTake}))
	_, _, err = b.ann(&clew.NotebookRunData{NotebookID: b.nb().ID, All: true})
	wantError(t, err, clew.SessionInvalidState, "being read")
	b.reported(b.nb().ID, decide.ReadNotebook{NotebookReadData: clew.NotebookReadData{Hash: "h2", Cells: clew.List[clew.NotebookCell]{{CellID: "n", Type: clew.CellCode}}}})
	if n := b.nb(); n.Conflict || n.Hash != "h2" || n.Save != nil || len(n.Cells) != 1 || n.Cells[0].CellID != "n" {
		t.Errorf("got %+v", n)
	}
	b.check(t)
}

// Another file that is there already is no conflict of the notebook's own file: who wants
// it decides about that one. A new wish forgets what came of the last one.
func TestNotebookPathTaken(t *testing.T) {
	b := newBench()
	b.opened("1")
	id := b.nb().ID
	saved := func(d clew.NotebookSavedData) { b.reported(id, decide.SavedNotebook{NotebookSavedData: d}) }
	info := func() clew.NotebookInfo { return b.s.state.Project().Notebooks[0] }
	must(b.ann(&clew.NotebookSaveData{NotebookID: id, Path: "b.ipynb"}))
	if n := info(); !n.Unsaved {
		t.Errorf("to be saved, it is %+v", n)
	}
	saved(clew.NotebookSavedData{Path: "b.ipynb", Conflict: true})
	if n := info(); n.PathTaken != "b.ipynb" || n.Conflict || n.Path != "n0.ipynb" {
		t.Errorf("taken: %+v", n)
	}
	_, _, err := b.ann(&clew.NotebookSaveData{NotebookID: id, Path: "b.ipynb", Conflict: clew.ConflictTake})
	wantError(t, err, clew.SessionInvalidState, "own file")
	must(b.ann(&clew.NotebookSaveData{NotebookID: id, Path: "b.ipynb", Conflict: clew.ConflictOverwrite}))
	if n := info(); n.PathTaken != "" {
		t.Errorf("wanted again: %+v", n)
	}
	saved(clew.NotebookSavedData{Path: "b.ipynb", Hash: "h3"})
	if n := info(); n.Path != "b.ipynb" || n.PathTaken != "" || n.Unsaved {
		t.Errorf("written: %+v", n)
	}
	saved(clew.NotebookSavedData{Path: "b.ipynb", Problem: "the disk is full"})
	must(b.ann(&clew.NotebookSaveData{NotebookID: id}))
	if n := info(); n.Problem != "" || !n.Unsaved {
		t.Errorf("tried again, it still says %q", n.Problem)
	}
	b.check(t)
}

// A notebook that nobody can work for is left without anything to do.
func TestFailNotebook(t *testing.T) {
	for name, to := range map[string]func(b *bench){
		"opening": func(b *bench) { b.create(); must(b.ann(&clew.NotebookOpenData{Path: "x.ipynb"})) },
		"saving":  func(b *bench) { b.opened("1"); must(b.ann(&clew.NotebookSaveData{NotebookID: b.nb().ID})) },
		"queued":  func(b *bench) { b.opened("1"); b.runs("a") },
		"running": func(b *bench) { b.opened("1"); b.runs("a"); b.idle("k1"); b.starts() },
		"wanted":  func(b *bench) { b.opened("1"); b.idle("k1"); must(b.ann(&clew.KernelRestartData{})) },
		"closed": func(b *bench) {
			b.opened("1")
			b.idle("k1")
			must(b.ann(&clew.NotebookCloseData{NotebookID: b.nb().ID}))
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench()
			to(b)
			b.reported(b.s.state.Notebooks[0].ID, decide.FailNotebook{Reason: "no python"})
			if b.s.state.Busy() {
				t.Errorf("still to do: %+v", b.s.state.Notebooks)
			}
			b.check(t)
		})
	}
}
