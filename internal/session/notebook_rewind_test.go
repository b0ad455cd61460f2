package session

import (
	"fmt"
	"slices"
	"testing"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/session/core"
	"github.com/clew-run/clew/internal/session/decide"
	"github.com/clew-run/clew/internal/session/rewind"
)

// takenBack takes the session to a record.
func (b *bench) takenBack(to uint64) {
	b.travels(decide.RewindPlan{Kind: clew.KindRewind, To: to, From: clew.MessageIDOf(to)})
}

// undone undoes the last rewind.
func (b *bench) undone() {
	last := b.s.state.Undo[len(b.s.state.Undo)-1]
	b.travels(decide.RewindPlan{Kind: clew.KindUndo, To: last.Seq - 1, From: last.From})
}

func (b *bench) travels(c decide.RewindPlan) {
	c.RewindID, c.LastRewindSeq = rewind.NewID(), b.s.state.LastRewindSeq
	var err error
	if c.TargetState, err = b.fresh(c.To); err != nil {
		panic(err)
	}
	then, err := core.DecodeState(b.s.state.ID, c.TargetState)
	if err != nil {
		panic(err)
	}
	var preview clew.RewindPreviewAnswer
	rewind.Compare(&preview, b.s.state, then)
	before := b.s.state.Seq
	must(b.do(clew.Command{By: by("ann"), Data: &decide.RewindCommand{RewindPlan: c}}))
	if err := b.happened(preview.Kernels, before); err != nil {
		panic(err)
	}
}

// happened holds what a preview said about kernels at a record against what became of them.
func (b *bench) happened(preview []clew.KernelPreview, at uint64) error {
	said := map[string]clew.KernelPreview{}
	for _, p := range preview {
		said[p.NotebookID] = p
	}
	for i := range b.s.state.Notebooks {
		n := &b.s.state.Notebooks[i]
		want := clew.KernelPreview{NotebookID: n.ID, Path: n.Path}
		switch {
		case n.Closed && n.Kernel.State.Alive():
			want.Ends = true
		case n.Kernel.Ahead:
			want.Policy = b.s.state.AgentRules().KernelAfterRewind
			want.Cells, want.DurationMS = n.RanInKernel()
		default:
			want = clew.KernelPreview{}
		}
		if q := b.s.state.KernelQuestion(n.ID); q != nil && q.Asking().MessageID > clew.MessageIDOf(at) {
			if k := core.KernelOfQuestion(*q); k.Cells != want.Cells || k.DurationMS != want.DurationMS {
				return fmt.Errorf("notebook %s: previewed %+v, asked %+v", n.ID, want, *k)
			}
		}
		if said[n.ID] != want {
			return fmt.Errorf("notebook %s: previewed %+v, became %+v", n.ID, said[n.ID], want)
		}
		delete(said, n.ID)
	}
	if len(said) > 0 {
		return fmt.Errorf("previewed, and gone: %+v", said)
	}
	return nil
}

// ranOnce runs a cell to its end and gives the record before.
func (b *bench) ranOnce(cell string) uint64 {
	before := b.s.state.Seq
	b.runs(cell)
	b.starts()
	b.ends(clew.CellOK)
	return before
}

// A kernel is not taken back with the session: it says so as long as it knows what the
// notebook does not show, and not longer.
func TestKernelIsAhead(t *testing.T) {
	b := newBench()
	b.opened("1", "2", "3")
	b.idle("k1")
	b.ranOnce("a")
	before := b.ranOnce("b")
	ahead := func(want bool, when string) {
		t.Helper()
		if k := b.nb().Kernel; k.Ahead != want || k.ID != "k1" && want {
			t.Fatalf("%s: %+v, want ahead %v", when, k, want)
		}
		b.verify(t)
	}
	ahead(false, "at first")
	b.takenBack(before)
	ahead(true, "taken back")
	if got := b.cellStatuses(); got != "a ok, b, c" {
		t.Errorf("cells %s", got)
	}
	b.undone()
	ahead(false, "undone")
	b.takenBack(before)
	after := b.s.state.Seq
	b.ranOnce("c")
	b.takenBack(after)
	ahead(true, "taken back to where it was ahead")
	b.undone()
	ahead(true, "undone to where it was ahead")
	must(b.ann(&clew.KernelRestartData{}))
	b.idle("k2")
	ahead(false, "restarted")
	if !b.cell("a").Stale {
		t.Error("the cells of a kernel that is gone are fresh")
	}
	b.takenBack(before)
	ahead(false, "the new kernel ran nothing")
	b.check(t)
}

// What ran or waited is on no record after a rewind: the kernel is interrupted, and
// nothing runs by itself.
func TestRewindStopsCells(t *testing.T) {
	b := newBench()
	b.opened("1", "2")
	b.idle("k1")
	b.runs("a", "b")
	waiting := b.s.state.Seq
	run := b.starts()
	b.reported(b.nb().ID, decide.CellOutput{RunID: run, Created: []clew.Message{{Say: clew.SayCommandOutput, Text: "x", Partial: true, Cell: &clew.MessageCell{Output: clew.OutputStream}}}})
	b.reported(b.nb().ID, decide.AskCellInput{RunID: run, Prompt: "?"})
	running := b.s.state.Seq
	b.takenBack(waiting)
	if n := b.nb(); n.Run != nil || len(n.Queue) > 0 || n.Kernel.Wanted != clew.WishInterrupt || !n.Kernel.Ahead || !n.HasWork() {
		t.Errorf("taken back to where they waited: %+v", n)
	}
	b.takenBack(running)
	if n := b.nb(); n.Run != nil || len(n.Queue) > 0 || !n.Kernel.Ahead || b.cell("a").Status != clew.CellInDoubt || b.cell("b").Status != clew.CellAborted {
		t.Errorf("taken back to where one ran: %+v, cells %s", n, b.cellStatuses())
	}
	asked := slices.ContainsFunc(b.s.state.Questions, func(q clew.Question) bool { return core.KernelOfQuestion(q) == nil })
	if asked || len(b.s.state.Messages.Growing()) > 0 {
		t.Errorf("left open: %+v, %+v", b.s.state.Questions, b.s.state.Messages.Growing())
	}
	b.reported(b.nb().ID, decide.ChangeKernel{KernelChangedData: clew.KernelChangedData{State: clew.KernelIdle}})
	if b.nb().HasWork() {
		t.Errorf("interrupted: %+v", b.nb())
	}
	b.check(t)
}

// A notebook that a rewind takes away leaves a kernel that is to be ended; if the rewind
// is undone, the notebook has none.
func TestRewindBeforeNotebook(t *testing.T) {
	b := newBench()
	b.create()
	first := b.s.state.Seq
	b.opened("1")
	id := b.nb().ID
	b.idle("k1")
	b.takenBack(first)
	if n := b.s.state.AnyNotebook(id); n == nil || !n.Closed || n.Kernel.Wanted != clew.WishStop || len(b.s.state.Project().Notebooks) != 0 {
		t.Fatalf("left %+v", b.s.state.Notebooks)
	}
	b.reported(id, decide.ChangeKernel{KernelChangedData: clew.KernelChangedData{State: clew.KernelStopped}})
	if len(b.s.state.Notebooks) != 0 {
		t.Fatalf("left %+v", b.s.state.Notebooks)
	}
	b.undone()
	if n := b.nb(); n.ID != id || n.Kernel.State != clew.KernelLost || n.HasWork() {
		t.Errorf("back %+v", n)
	}
	b.check(t)
}

// A file that was written since is newer than what the notebook shows after a rewind.
func TestRewindLeavesTheFile(t *testing.T) {
	b := newBench()
	b.opened("1")
	before := b.s.state.Seq
	must(b.ann(&clew.NotebookEditData{NotebookID: b.nb().ID, Edits: clew.List[clew.CellEdit]{{Op: clew.EditDelete, CellID: "a"}}}))
	b.reported(b.nb().ID, decide.SavedNotebook{NotebookSavedData: clew.NotebookSavedData{Path: "n0.ipynb", Hash: "h2"}})
	b.takenBack(before)
	if n := b.nb(); n.Hash != "h2" || !n.Unsaved() || len(n.Cells) != 1 {
		t.Errorf("got %+v", n)
	}
	b.check(t)
}

// A fork and a session from elsewhere have the cells, and no kernel.
func TestKernelsStayBehind(t *testing.T) {
	b := newBench()
	b.opened("1", "2")
	b.idle("k1")
	b.runs("a", "b")
	b.reported(b.nb().ID, decide.AskCellInput{RunID: b.starts(), Prompt: "?"})
	past, err := b.s.state.Encode()
	if err != nil {
		t.Fatal(err)
	}
	for name, create := range map[string]*decide.CreateCommand{
		"fork":   {Owner: "ann", Forked: &clew.ForkPoint{SessionID: "s"}},
		"import": {Owner: "bob", Imported: &clew.SessionImportedData{Owner: "bob"}},
	} {
		t.Run(name, func(t *testing.T) {
			s, err := core.DecodeState("other", past)
			if err != nil {
				t.Fatal(err)
			}
			if create.Imported != nil { // its own first record is still to come
				s.Owner = ""
			} else {
				s.CreatedMS = 0
			}
			tx, err := decide.Decide(s, clew.Command{By: by(create.Owner), Data: create}, b.now)
			if err != nil {
				t.Fatal(err)
			}
			for i, e := range tx.Events() {
				core.Apply(s, clew.Record{Seq: b.s.state.Seq + 1 + uint64(i), TS: b.now, Type: e.Type}, e.Data)
			}
			n := s.OpenNotebooks()[0]
			if n.Kernel.State != clew.KernelLost || n.Kernel.ID != "" || n.Run != nil || len(n.Queue) > 0 || s.Busy() || len(n.Cells) != 2 {
				t.Errorf("notebook %+v", n)
			}
			if len(s.Questions) != 0 {
				t.Errorf("questions %+v", s.Questions)
			}
		})
	}
}
