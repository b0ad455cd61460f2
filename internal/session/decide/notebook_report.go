package decide

import (
	"cmp"
	"errors"
	"reflect"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/session/core"
)

// A NotebookReport is what the one who works for a notebook found out. It is a plain
// value: what it leads to is decided in the session's goroutine, on the state as it is
// then.
type NotebookReport interface {
	decide(tx *Tx, s *core.State, n *core.Notebook) (NotebookResult, error)
}

// A NotebookResult is what became of a report.
type NotebookResult struct {
	// Run is the run that StartCell began. Source is what it runs, SourceBlob the address
	// of what is too long.
	Run        core.CellRun
	Source     string
	SourceBlob string
	// Messages are those that CellOutput made, in its order, with their ids.
	Messages []clew.Message
	// Question is the one that AskCellInput put.
	Question clew.RequestID
}

// NotebookCommand is a report on its way; it has no name on the wire.
type NotebookCommand struct {
	NotebookID    string
	LastRewindSeq uint64 // the session's last return when the work began
	Report        NotebookReport
	Streamed      streams // as in StopCommand
}

// ErrNotebookGone refuses a report about a notebook that is gone or was taken back.
var ErrNotebookGone = errors.New("the notebook is gone, or was taken back")

func decideNotebookReport(tx *Tx, s *core.State, d *NotebookCommand) error {
	n := s.AnyNotebook(d.NotebookID)
	if n == nil || s.LastRewindSeq != d.LastRewindSeq {
		return ErrNotebookGone
	}
	tx.streamed = d.Streamed
	var err error
	tx.Result.Notebook, err = d.Report.decide(tx, s, n)
	return err
}

// ReadNotebook says what the file has, or why it cannot be read. Cells with more than
// core.CellSourceMax bytes have their source in a blob.
type ReadNotebook struct {
	clew.NotebookReadData
	// Missing says that there is no file: the notebook begins with one empty cell if it
	// may be new.
	Missing bool
}

func (r ReadNotebook) decide(tx *Tx, s *core.State, n *core.Notebook) (NotebookResult, error) {
	take := n.Save != nil && n.Save.Conflict == clew.ConflictTake
	if n.Closed || n.Status != clew.NotebookOpening && !take {
		return NotebookResult{}, clew.Errorf(clew.SessionInvalidState, "nobody wants the notebook read")
	}
	d := r.NotebookReadData
	switch {
	case r.Missing && n.New && !take:
		d = *emptyNotebook(s, tx.seq, n.ID)
	case r.Missing:
		d = clew.NotebookReadData{Problem: "there is no file " + n.Path}
	case d.Problem == "":
		d.Problem = core.UnfitCells(d.Cells)
	}
	if d.NotebookID = n.ID; d.Problem != "" {
		d.Cells, d.Problem = clew.List[clew.NotebookCell]{}, clew.Clip(d.Problem, problemRunes)
	}
	tx.Add(&d)
	return NotebookResult{}, nil
}

// problemRunes bounds what is said of a file that cannot be read or written.
const problemRunes = 500

// SavedNotebook says that the file was written, or why not. Without AsOf it is as of now.
type SavedNotebook struct{ clew.NotebookSavedData }

func (r SavedNotebook) decide(tx *Tx, s *core.State, n *core.Notebook) (NotebookResult, error) {
	d := r.NotebookSavedData
	if n.Closed {
		return NotebookResult{}, ErrNotebookGone
	}
	if d.Problem == "" && !d.Conflict && !core.ValidNotebookPath(d.Path) {
		return NotebookResult{}, clew.Errorf(clew.Internal, "a notebook cannot be written to %q", d.Path)
	}
	d.NotebookID, d.Problem = n.ID, clew.Clip(d.Problem, problemRunes)
	if d.AsOf == "" {
		d.AsOf = clew.MessageIDOf(s.Seq)
	}
	tx.Add(&d)
	return NotebookResult{}, nil
}

// ChangeKernel says what the kernel does now. Wishes that this fulfils are gone: an
// interrupt when it is idle, a restart when it restarts or has another id, and all of them
// when it has ended. A kernel that ends, or begins anew, ends the run under way with
// RunStatus: aborted, or in_doubt if that is left out. One that died or is lost takes
// what waits with it. One that died while it was to be restarted leaves both the wish and
// what waits: they are for the next one.
type ChangeKernel struct {
	clew.KernelChangedData
	RunStatus clew.CellStatus
}

func (c ChangeKernel) decide(tx *Tx, s *core.State, n *core.Notebook) (NotebookResult, error) {
	d := c.KernelChangedData
	d.NotebookID, d.By, d.Wanted, d.Dropped = n.ID, "", c.left(n), nil
	fresh := n.Kernel.BeginsAnew(&d)
	var gone []core.CellRun
	if (d.State == clew.KernelDead || d.State == clew.KernelLost) && d.Wanted == "" { // what waits is for the next one
		gone = n.Queue
	}
	why := cmp.Or(d.Reason, "The kernel ended.")
	if n.Run != nil && (fresh || !d.State.Alive()) {
		end := clew.CellFinishedData{RunID: n.Run.ID, Status: cmp.Or(c.RunStatus, clew.CellInDoubt), OutputsLost: true, Reason: why}
		if gone == nil {
			gone = sameBatch(n)
		}
		endRun(tx, s, n, end, gone, callOutput{why: why})
		gone = nil
	}
	if fresh || !d.State.Alive() {
		settleKernelQuestion(tx, s, n)
	}
	d.Dropped = runIDs(gone)
	same := clew.KernelChangedData{NotebookID: n.ID, State: n.Kernel.State, Wanted: n.Kernel.Wanted}
	if tx.Len() == 0 && reflect.DeepEqual(d, same) {
		return NotebookResult{}, nil
	}
	tx.Add(&d)
	settleCalls(tx, s, gone, callOutput{why: why})
	return NotebookResult{}, nil
}

// left is the wish that is still to be fulfilled.
func (c ChangeKernel) left(n *core.Notebook) clew.KernelWish {
	was := n.Kernel.Wanted
	switch {
	case c.State == clew.KernelDead && was == clew.WishRestart: // it died on the way
		return was
	case !c.State.Alive():
		return ""
	case was == clew.WishInterrupt && c.State != clew.KernelBusy,
		was == clew.WishRestart && (c.State == clew.KernelRestarting || c.State == clew.KernelStarting || c.KernelID != "" && c.KernelID != n.Kernel.ID):
		return ""
	}
	return was
}

// FailNotebook ends everything that is to be done for the notebook, because nobody can
// do it.
type FailNotebook struct{ Reason string }

func (f FailNotebook) decide(tx *Tx, s *core.State, n *core.Notebook) (NotebookResult, error) {
	if n.Status == clew.NotebookOpening {
		tx.Add(&clew.NotebookReadData{NotebookID: n.ID, Cells: clew.List[clew.NotebookCell]{}, Problem: clew.Clip(f.Reason, problemRunes)})
	}
	if n.Save != nil {
		tx.Add(&clew.NotebookSavedData{NotebookID: n.ID, Path: n.Path, Version: n.Version, Problem: clew.Clip(f.Reason, problemRunes)})
	}
	if n.Rerun.UnderWay() {
		endRerun(tx, n, clew.KernelRerunFinishedData{Status: clew.RerunStopped, Reason: f.Reason})
	}
	if n.Run != nil || len(n.Queue) > 0 || n.Closed || n.Kernel.Wanted != "" || n.Kernel.State == clew.KernelStarting || n.Kernel.State == clew.KernelRestarting {
		return ChangeKernel{KernelChangedData: clew.KernelChangedData{State: clew.KernelLost, Reason: f.Reason}}.decide(tx, s, n)
	}
	return NotebookResult{}, nil
}
