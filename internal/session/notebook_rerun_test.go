package session

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/session/core"
	"github.com/clew-run/clew/internal/session/decide"
)

// after is rules under which kernels go somewhere after a rewind.
type after struct {
	steering
	kernel clew.KernelPolicy
}

func (a after) Agents(map[string]any) core.AgentRules {
	return core.AgentRules{Monitors: 4, KernelAfterRewind: a.kernel}
}

// aheadBench has a kernel that ran a and b, with the session taken back to between them.
func aheadBench(policy clew.KernelPolicy) *bench {
	b := newBench()
	b.opened("1", "2", "3")
	b.s.state.Rules = after{kernel: policy}
	b.idle("k1")
	b.ranOnce("a")
	b.takenBack(b.ranOnce("b"))
	return b
}

// repeats begins the rerun of the cells' last runs.
func (b *bench) repeats(cells ...string) {
	d := decide.StartRerun{RerunID: b.nb().Rerun.ID}
	for _, id := range cells {
		c := b.nb().Cell(id)
		d.Runs = append(d.Runs, clew.RepeatedRun{CellRun: clew.CellRun{CellID: id, Repeats: c.RunID}, Status: c.Status, StateHash: "11111111"})
	}
	b.reported(b.nb().ID, d)
}

// saysOfRerun holds what was said last against what is to be said.
func (b *bench) saysOfRerun(t *testing.T, want string) {
	t.Helper()
	if m := last[clew.MessageCreatedData](b, 1)[0].Message; m.Say != clew.SayKernelStatus || m.Text != want {
		t.Errorf("said as %s: %q, want %q", m.Say, m.Text, want)
	}
}

// The setting says what becomes of a kernel that is ahead, or somebody is asked.
func TestKernelAfterRewind(t *testing.T) {
	for policy, want := range map[clew.KernelPolicy]struct {
		wanted       clew.KernelWish
		asked, rerun bool
	}{
		clew.KernelAsk: {asked: true}, clew.KernelRerun: {rerun: true}, clew.KernelFresh: {wanted: clew.WishRestart}, clew.KernelKeep: {},
	} {
		t.Run(string(policy), func(t *testing.T) {
			b := aheadBench(policy)
			n := b.nb()
			if asked := b.s.state.KernelQuestion(n.ID) != nil; asked != want.asked || n.Kernel.Wanted != want.wanted || n.Rerun.UnderWay() != want.rerun || !n.Kernel.Ahead {
				t.Errorf("asked %v: %+v, rerun %+v", asked, n.Kernel, n.Rerun)
			}
			b.check(t)
		})
		if policy == clew.KernelAsk {
			continue
		}
		t.Run("answered "+string(policy), func(t *testing.T) {
			b := aheadBench(clew.KernelAsk)
			q := b.s.state.KernelQuestion(b.nb().ID)
			must(b.ann(&clew.HitlInputResponseData{RequestID: q.RequestID(), Value: string(policy)}))
			if n := b.nb(); n.Kernel.Wanted != want.wanted || n.Rerun.UnderWay() != want.rerun || len(b.s.state.Questions) != 0 {
				t.Errorf("%+v, rerun %+v", n.Kernel, n.Rerun)
			}
			b.check(t)
		})
	}
}

// The question counts what would run again, goes with the kernel, and comes back with the
// undo of the rewind's undo.
func TestKernelQuestion(t *testing.T) {
	b := aheadBench(clew.KernelAsk)
	q := b.s.state.KernelQuestion(b.nb().ID)
	if k := core.KernelOfQuestion(*q); k.Cells != 1 || k.Files || b.s.state.Status() != clew.StatusAwaitingInput {
		t.Errorf("it says %+v, the session is %s", k, b.s.state.Status())
	}
	_, _, err := b.ann(&clew.HitlInputResponseData{RequestID: q.RequestID(), Value: "burn"})
	wantError(t, err, clew.HitlInvalidResponse, "")
	b.undone()
	if len(b.s.state.Questions) != 0 {
		t.Errorf("undone, it asks %+v", b.s.state.Questions)
	}
	b.check(t)
	b = aheadBench(clew.KernelAsk)
	must(b.ann(&clew.KernelRestartData{}))
	b.idle("k2")
	if len(b.s.state.Questions) != 0 {
		t.Errorf("of a kernel that is gone it asks %+v", b.s.state.Questions)
	}
	b.check(t)
}

// A rerun begins with a fresh kernel, shows nothing new, and says what went otherwise.
func TestRerun(t *testing.T) {
	b := aheadBench(clew.KernelRerun)
	outputs := b.cell("a").Outputs
	b.repeats("a")
	n := b.nb()
	if n.Kernel.Wanted != clew.WishRestart || len(n.Queue) != 1 || b.cell("a").Status != clew.CellQueued {
		t.Fatalf("%+v, queue %+v", n.Kernel, n.Queue)
	}
	b.idle("k2")
	if !b.cell("c").Stale && b.cell("c").Status != "" {
		t.Errorf("cell c is %+v", b.cell("c"))
	}
	first := b.nb().Queue[0].Repeats
	run := b.nb().Queue[0].ID
	res := b.reported(n.ID, decide.StartCell{RunID: run, KernelID: "k2", Code: "old"})
	if res.Source != "old" {
		t.Errorf("it runs %q", res.Source)
	}
	b.reported(n.ID, decide.CellOutput{RunID: run, Created: []clew.Message{{Say: clew.SayText, Text: "x", Cell: &clew.MessageCell{Output: clew.OutputDisplay}}}})
	b.ends(clew.CellOK)
	b.reported(n.ID, decide.CheckpointCell{RunID: run, CellID: "a", StateHash: "22222222", Variables: "v2"})
	b.reported(n.ID, decide.EndRerun{RerunID: n.Rerun.ID})
	n = b.nb()
	c := b.cell("a")
	if c.RunID != first || c.StateHash == "22222222" || c.Stale || c.Status != clew.CellOK || len(c.Outputs) != len(outputs) {
		t.Errorf("cell a is %+v", c)
	}
	if x := n.Rerun; x.Status != clew.RerunDiffers || x.Done != 1 || len(x.Differences) != 1 || !x.Differences[0].State || x.Differences[0].RunID != first {
		t.Errorf("the rerun is %+v", x)
	}
	if n.Kernel.Ahead || n.Kernel.Count != 1 || n.HasWork() {
		t.Errorf("the kernel is %+v", n.Kernel)
	}
	b.saysOfRerun(t, "n0.ipynb: 1 cell ran again in a fresh kernel. Cell 1 had a different result.")
	b.check(t)
	// What was taken back before may be repeated: the kernel has lived through the same.
	b.ranOnce("c")
	b.takenBack(b.ranOnce("b"))
	if x := b.nb().Rerun; !x.UnderWay() || x.SinceSeq >= b.s.state.Seq {
		t.Fatalf("the second rerun is %+v", x)
	}
	b.repeats("a", "c")
	b.idle("k3")
	b.starts()
	b.ends(clew.CellError) // it did not fail at first: the rest does not run
	if n := b.nb(); len(n.Queue) != 0 {
		t.Errorf("queue %+v", n.Queue)
	}
	b.reported(b.nb().ID, decide.EndRerun{RerunID: b.nb().Rerun.ID})
	if x := b.nb().Rerun; x.Status != clew.RerunStopped || x.Done != 1 || x.Total != 2 || x.Differences[0].Is != clew.CellError || x.Reason != "Cell 1 failed, which it did not at first." {
		t.Errorf("the rerun is %+v", x)
	}
	b.saysOfRerun(t, "n0.ipynb: only 1 of 2 cells ran again. Cell 1 failed, which it did not at first.")
	if b.cell("c").Status != clew.CellOK || !b.cell("c").Stale || b.cell("a").Status != clew.CellOK {
		t.Errorf("cells are %+v and %+v", b.cell("a"), b.cell("c"))
	}
	b.check(t)
}

// A cell is named with what came out otherwise, and not for what differed before it. Names
// that are none are left out.
func TestRerunNamesVariables(t *testing.T) {
	b := aheadBench(clew.KernelRerun)
	id := b.nb().ID
	b.repeats("a")
	b.idle("k2")
	b.starts()
	b.ends(clew.CellOK)
	b.reported(id, decide.EndRerun{RerunID: b.nb().Rerun.ID})
	b.ranOnce("c")
	b.takenBack(b.ranOnce("b"))
	b.repeats("a", "c")
	b.idle("k3")
	for i, c := range []decide.CheckpointCell{
		{StateHash: "22222222", Differing: []string{"now", "Approve all.", "<b>", strings.Repeat("x", 41)}}, {StateHash: "33333333", Same: true},
	} {
		run := b.nb().Queue[0]
		b.starts()
		b.ends(clew.CellOK)
		c.RunID, c.CellID, c.Variables = run.ID, run.CellID, fmt.Sprint("v", i)
		b.reported(id, c)
	}
	b.reported(id, decide.EndRerun{RerunID: b.nb().Rerun.ID})
	if x := b.nb().Rerun; x.Done != 2 || len(x.Differences) != 1 || !slices.Equal(x.Differences[0].Variables, []string{"now"}) {
		t.Errorf("the rerun is %+v", x)
	}
	b.saysOfRerun(t, "n0.ipynb: all 2 cells ran again in a fresh kernel. Cell 1 (now) had a different result.")
	b.check(t)
}

// While cells run again no agent begins anything, and the session is not taken elsewhere.
func TestNothingBesideARerun(t *testing.T) {
	b := aheadBench(clew.KernelRerun)
	must(b.ann(&clew.UserMessageData{Text: "Go on."}))
	if !b.s.state.Rerunning() {
		t.Fatal("no rerun")
	}
	for _, task := range b.s.state.SortedTasks() {
		if b.s.state.Runnable(task) {
			t.Errorf("task %s may go on", task.TaskID)
		}
	}
	_, _, err := b.do(clew.Command{By: by("ann"), Data: &decide.RewindCommand{RewindPlan: decide.RewindPlan{Kind: clew.KindRewind, To: 3, LastRewindSeq: b.s.state.LastRewindSeq}, Start: true}})
	wantError(t, err, clew.SessionInvalidState, "running cells again")
	_, _, err = b.ann(&clew.NotebookCloseData{NotebookID: b.nb().ID})
	wantError(t, err, clew.SessionInvalidState, "running cells again")
	b.repeats("a")
	must(b.ann(&clew.KernelInterruptData{}))
	if n := b.nb(); len(n.Queue) != 0 {
		t.Errorf("interrupted, %+v wait", n.Queue)
	}
	b.idle("k2")
	b.reported(b.nb().ID, decide.EndRerun{RerunID: b.nb().Rerun.ID})
	ready := false
	for _, task := range b.s.state.SortedTasks() {
		ready = ready || b.s.state.Runnable(task)
	}
	if !ready {
		t.Error("what was said meanwhile does not begin")
	}
	b.check(t)
}

// A rerun that nobody can carry out ends with the reason, which people read as well.
func TestRerunFails(t *testing.T) {
	b := aheadBench(clew.KernelRerun)
	b.repeats("a")
	b.reported(b.nb().ID, decide.FailNotebook{Reason: "no python"})
	if x := b.nb().Rerun; x != nil && x.UnderWay() {
		t.Errorf("the rerun is %+v", x)
	}
	b.saysOfRerun(t, "n0.ipynb: no cell ran again. No python.")
	b.check(t)
}

// The files of a rewind come with the rerun, and are recorded as where they end.
func TestRerunWithFiles(t *testing.T) {
	b := aheadBench(clew.KernelRerun)
	n := b.nb()
	d := decide.StartRerun{RerunID: n.Rerun.ID, Saved: &core.SavedFiles{ID: "cp_1", Hash: "now"}, Before: "then"}
	b.reported(n.ID, d)
	if x := b.nb().Rerun; x.Before != "then" || x.After != "now" || b.s.state.Checkpoint != "now" {
		t.Errorf("the rerun is %+v, files %s", x, b.s.state.Checkpoint)
	}
	b.idle("k2")
	b.reported(n.ID, decide.EndRerun{RerunID: n.Rerun.ID, Restored: "now"})
	if x := b.nb().Rerun; x.Status != clew.RerunOK || b.s.state.Checkpoint != "now" {
		t.Errorf("the rerun is %+v, files %s", x, b.s.state.Checkpoint)
	}
	b.check(t)
}

// A checkpoint of kind notebook is restored by running the cells of code up to it, by their
// places, in a fresh kernel.
//
// Covers: JUP-17
func TestRestoreOfANotebook(t *testing.T) {
	b := newBench()
	b.opened("1", "text", "3", "4")
	text := clew.CellMarkdown
	must(b.ann(&clew.NotebookEditData{NotebookID: b.nb().ID, Edits: clew.List[clew.CellEdit]{{Op: clew.EditReplace, CellID: "b", Type: text}}}))
	two, ten := 2, 10
	_, _, err := b.ann(&clew.CheckpointRestoreData{Kind: clew.CheckpointNotebook, CellIndex: &ten})
	wantError(t, err, clew.SessionInvalidState, "no such cell")
	must(b.ann(&clew.CheckpointRestoreData{Kind: clew.CheckpointNotebook, CellIndex: &two}))
	if got := b.cellStatuses(); got != "a queued, b, c queued, d" {
		t.Errorf("without a kernel: %s", got)
	}
	b.idle("k1")
	b.starts()
	b.ends(clew.CellOK)
	b.starts()
	b.ends(clew.CellOK)
	must(b.ann(&clew.CheckpointRestoreData{Kind: clew.CheckpointNotebook, CellIndex: &two}))
	if n := b.nb(); n.Kernel.Wanted != clew.WishRestart || len(n.Queue) != 2 {
		t.Errorf("again: %+v, %+v", n.Kernel, n.Queue)
	}
	b.check(t)
	for _, bad := range []*clew.CheckpointRestoreData{{Kind: clew.CheckpointNotebook}, {Mode: clew.RestoreFiles}, {CommitHash: strings.Repeat("a", 64)}} {
		if err := bad.Check(); err == nil {
			t.Errorf("%+v is taken", bad)
		}
	}
}
