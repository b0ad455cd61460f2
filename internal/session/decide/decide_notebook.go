package decide

import (
	"cmp"
	"slices"
	"strings"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/session/core"
)

// A notebookActor is who wants something of a notebook: a person, or an agent with the
// call that waits for cells, "" if none does.
type notebookActor struct {
	by   clew.UserID
	task clew.TaskID
	call string
}

// decideNotebook takes the commands about notebooks and kernels. The text says what came
// of it, for an agent.
func decideNotebook(tx *Tx, s *core.State, a notebookActor, data any) (string, error) {
	switch d := data.(type) {
	case *clew.NotebookOpenData:
		return a.open(tx, s, d)
	case *clew.NotebookEditData:
		return a.edit(tx, s, d)
	case *clew.NotebookRunData:
		return "", a.run(tx, s, d)
	case *clew.NotebookSaveData:
		return "The notebook is being written.", a.save(tx, s, d)
	case *clew.NotebookCloseData:
		return "The notebook is closed.", a.close(tx, s, d)
	case *clew.KernelExecuteData:
		return "", a.execute(tx, s, d)
	case *clew.KernelInterruptData:
		return "The kernel is being interrupted.", a.wish(tx, s, d.KernelTarget, clew.WishInterrupt)
	case *clew.KernelRestartData:
		return "The kernel is being restarted.", a.wish(tx, s, d.KernelTarget, clew.WishRestart)
	case *clew.KernelShutdownData:
		if d.Restart {
			return "The kernel is being restarted.", a.wish(tx, s, d.KernelTarget, clew.WishRestart)
		}
		return "The kernel is being stopped.", a.wish(tx, s, d.KernelTarget, clew.WishStop)
	}
	return "", clew.Errorf(clew.Internal, "%T is not about a notebook", data)
}

// kernelNameMax bounds the name of a kernelspec.
const kernelNameMax = 100

func (a notebookActor) open(tx *Tx, s *core.State, d *clew.NotebookOpenData) (string, error) {
	open := s.OpenNotebooks()
	switch {
	case d.Path != "" && !core.ValidNotebookPath(d.Path):
		return "", clew.Errorf(clew.InvalidMessage, "path has to be that of an .ipynb file in the workspace, such as reports/sales.ipynb")
	case len(d.KernelName) > kernelNameMax || d.KernelName != "" && !clew.ValidCellID(strings.ReplaceAll(d.KernelName, ".", "-")):
		return "", clew.Errorf(clew.InvalidMessage, "kernel_name is not the name of a kernel")
	}
	for _, n := range open {
		if d.Path != "" && n.Path == d.Path {
			return "", clew.Errorf(clew.SessionInvalidState, "%s is open already, as notebook %s", d.Path, n.ID)
		}
	}
	if len(open) >= core.NotebooksMax {
		return "", clew.Errorf(clew.SessionInvalidState, "%d notebooks are open already: close one first", len(open))
	}
	seq := tx.seq + uint64(tx.Len())
	id := core.DeriveID("nb_", s.ID, seq)
	tx.Add(&clew.NotebookOpenedData{NotebookID: id, Path: d.Path, KernelName: d.KernelName, New: d.New, By: a.by, TaskID: a.task})
	if d.Path == "" {
		tx.Add(emptyNotebook(s, seq, id))
	}
	return "It is notebook " + id + ".", nil
}

// emptyNotebook is what a notebook without a file begins with: one cell to write into.
func emptyNotebook(s *core.State, seq uint64, id string) *clew.NotebookReadData {
	return &clew.NotebookReadData{NotebookID: id, Cells: clew.List[clew.NotebookCell]{{CellID: core.CellID(s.ID, seq, 0), Type: clew.CellCode}}}
}

// ready finds a notebook that can be worked with.
func ready(s *core.State, id string) (*core.Notebook, error) {
	n := s.Notebook(id)
	switch {
	case n == nil:
		return nil, clew.Errorf(clew.SessionInvalidState, "there is no notebook %s", clew.Clip(id, core.TitleRunes))
	case n.Status == clew.NotebookOpening:
		return nil, clew.Errorf(clew.SessionInvalidState, "the notebook is still being read: try again in a moment")
	case n.Status == clew.NotebookFailed:
		return nil, clew.Errorf(clew.SessionInvalidState, "the notebook could not be read: %s", n.Problem)
	case n.Save != nil && n.Save.Conflict == clew.ConflictTake:
		return nil, clew.Errorf(clew.SessionInvalidState, "the notebook's file is being read: try again in a moment")
	}
	return n, nil
}

// target finds the notebook that a command about a kernel means.
func target(s *core.State, t clew.KernelTarget) (*core.Notebook, error) {
	if t.NotebookID != "" {
		n, err := ready(s, t.NotebookID)
		if err == nil && t.KernelID != "" && n.Kernel.ID != t.KernelID {
			return nil, clew.Errorf(clew.SessionInvalidState, "notebook %s has another kernel by now", n.ID)
		}
		return n, err
	}
	open := s.OpenNotebooks()
	if t.KernelID != "" {
		open = slices.DeleteFunc(open, func(n *core.Notebook) bool { return n.Kernel.ID != t.KernelID })
	}
	switch {
	case len(open) == 0 && t.KernelID != "":
		return nil, clew.Errorf(clew.SessionInvalidState, "there is no kernel %s", clew.Clip(t.KernelID, core.TitleRunes))
	case len(open) == 0:
		return nil, clew.Errorf(clew.SessionInvalidState, "no notebook is open")
	case len(open) > 1:
		return nil, clew.Errorf(clew.SessionInvalidState, "%d notebooks are open: say which one with notebook_id", len(open))
	}
	return ready(s, open[0].ID)
}

func (a notebookActor) save(tx *Tx, s *core.State, d *clew.NotebookSaveData) error {
	n, err := ready(s, d.NotebookID)
	if err != nil {
		return err
	}
	path := cmp.Or(d.Path, n.Path)
	switch {
	case path == "":
		return clew.Errorf(clew.SessionInvalidState, "the notebook has no file: say which one with path")
	case !core.ValidNotebookPath(path):
		return clew.Errorf(clew.InvalidMessage, "path has to be that of an .ipynb file in the workspace, such as reports/sales.ipynb")
	case d.Conflict == clew.ConflictTake && path != n.Path:
		return clew.Errorf(clew.SessionInvalidState, "only the notebook's own file can take its place; open %s as another notebook", path)
	case d.Conflict == clew.ConflictTake && (n.Run != nil || len(n.Queue) > 0):
		return clew.Errorf(clew.SessionInvalidState, "cells run or wait: stop them before the file takes their place")
	}
	for _, other := range s.OpenNotebooks() {
		if other.ID != n.ID && other.Path == path {
			return clew.Errorf(clew.SessionInvalidState, "%s is open as notebook %s", path, other.ID)
		}
	}
	tx.Add(&clew.NotebookSaveRequestedData{NotebookID: n.ID, Path: d.Path, Conflict: d.Conflict, By: a.by})
	return nil
}

func (a notebookActor) close(tx *Tx, s *core.State, d *clew.NotebookCloseData) error {
	n := s.Notebook(d.NotebookID)
	if n == nil {
		return clew.Errorf(clew.SessionInvalidState, "there is no notebook %s", clew.Clip(d.NotebookID, core.TitleRunes))
	}
	if n.Rerun.UnderWay() {
		return mayRerun(s)
	}
	settleKernelQuestion(tx, s, n)
	const why = "The notebook was closed."
	gone := n.Queue
	if n.Run != nil {
		gone = append([]core.CellRun{*n.Run}, gone...)
		endRunTexts(tx, s, n.Run.ID, nil)
		cancelCellQuestion(tx, s, n.Run)
		tx.Add(&clew.CellFinishedData{NotebookID: n.ID, RunID: n.Run.ID, CellID: n.Run.CellID, Status: clew.CellAborted, Reason: why, Dropped: runIDs(n.Queue)})
	}
	settleCalls(tx, s, gone, callOutput{why: why})
	tx.Add(&clew.NotebookClosedData{NotebookID: n.ID, By: a.by})
	return nil
}

// wish asks for something to be done about a kernel. What waits does not run any more. A
// stronger wish takes the place of a weaker one.
func (a notebookActor) wish(tx *Tx, s *core.State, t clew.KernelTarget, want clew.KernelWish) error {
	n, err := target(s, t)
	if err != nil {
		return err
	}
	k := n.Kernel
	nothing := len(n.Queue) == 0 && n.Run == nil
	switch {
	case want == clew.WishInterrupt && nothing && k.State != clew.KernelBusy:
		return clew.Errorf(clew.SessionInvalidState, "nothing runs in the kernel")
	case want == clew.WishStop && nothing && !k.State.Alive():
		return clew.Errorf(clew.SessionInvalidState, "no kernel runs")
	}
	wanted := stronger(k.Wanted, want)
	if want == clew.WishInterrupt && n.Run == nil && k.State != clew.KernelBusy || want == clew.WishStop && !k.State.Alive() {
		wanted = k.Wanted // there is nothing to be interrupted or stopped yet
	}
	again := wanted == clew.WishInterrupt && n.Run != nil // a cell may catch one interrupt and not the next
	if wanted == k.Wanted && len(n.Queue) == 0 && !again {
		return nil
	}
	dropRuns(tx, s, n, n.Queue, wanted, a.by)
	return nil
}

// stronger is the wish that has the effect of both.
func stronger(a, b clew.KernelWish) clew.KernelWish {
	order := []clew.KernelWish{"", clew.WishInterrupt, clew.WishRestart, clew.WishStop}
	if slices.Index(order, a) > slices.Index(order, b) {
		return a
	}
	return b
}

// dropRuns takes runs out of the queue, and says what is wanted of the kernel. The calls
// that wait for them get their results.
func dropRuns(tx *Tx, s *core.State, n *core.Notebook, gone []core.CellRun, wanted clew.KernelWish, by clew.UserID) {
	tx.Add(&clew.KernelChangedData{NotebookID: n.ID, State: n.Kernel.State, Wanted: wanted, By: by, Dropped: runIDs(gone)})
	settleCalls(tx, s, gone, callOutput{why: "They were taken out of the queue."})
}

func runIDs(runs []core.CellRun) (ids []string) {
	for _, r := range runs {
		ids = append(ids, r.ID)
	}
	return ids
}
