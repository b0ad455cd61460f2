package core

import (
	"slices"

	"github.com/clew-run/clew"
)

func applyCellQueued(s *State, r clew.Record, d *clew.CellQueuedData) {
	if s.AnyNotebook(d.NotebookID) == nil {
		return
	}
	s.changeNotebook(d.NotebookID, func(n *Notebook) {
		n.Queue = slices.Clip(n.Queue)
		for _, run := range d.Runs {
			if len(n.Queue) >= CellRunsMax || len(d.Code) > CellSourceMax {
				break // of a stranger's record
			}
			n.Queue = append(n.Queue, CellRun{
				ID: run.RunID, CellID: run.CellID, Code: d.Code, Silent: d.Silent, Batch: r.Seq, By: d.By, TaskID: d.TaskID, CallID: d.ToolCallID,
			})
		}
		n.Seq = r.Seq
	})
	if t := s.Task(d.TaskID); t != nil && len(d.Runs) > 0 {
		if c := t.Call(d.ToolCallID); c != nil && c.Status != CallDone {
			c.Status = CallCell
		}
	}
}

// applyCellStarted begins a run. What the cell showed before is gone from it.
func applyCellStarted(s *State, r clew.Record, d *clew.CellStartedData) {
	s.changeNotebook(d.NotebookID, func(n *Notebook) {
		i := slices.IndexFunc(n.Queue, func(run CellRun) bool { return run.ID == d.RunID })
		if i < 0 || n.Run != nil {
			return
		}
		run := n.Queue[i]
		n.Queue = slices.Delete(slices.Clone(n.Queue), i, i+1)
		run.MsgID, run.KernelID, run.SinceMS = d.MsgID, d.KernelID, r.TS
		n.Run = &run
		n.Kernel.State, n.Kernel.RanSeq = clew.KernelBusy, r.Seq
		if run.Repeats != "" {
			n.repeated(run, r.Seq)
			return
		}
		if n.Cell(run.CellID) == nil {
			return
		}
		n.ChangedSeq = r.Seq
		n.changeCell(run.CellID, func(c *Cell) {
			c.clear()
			c.RunID, c.By, c.TaskID, c.StartedMS, c.RanSeq = run.ID, run.By, run.TaskID, r.TS, r.Seq
		})
	})
}

// applyCellFinished ends the run under way, and drops those behind it that will not
// happen.
func applyCellFinished(s *State, d *clew.CellFinishedData) {
	s.changeNotebook(d.NotebookID, func(n *Notebook) {
		run := n.Run
		if run == nil || run.ID != d.RunID {
			return
		}
		s.hear(run, d)
		n.endRun(d)
		n.repeatEnded(run, d.Status)
		n.drop(d.Dropped, "A cell before it did not end well.")
		if n.Kernel.State == clew.KernelBusy {
			n.Kernel.State, n.Kernel.Reason = clew.KernelIdle, "" // what was wrong with the cell is over with it
		}
		if n.Kernel.Wanted == clew.WishInterrupt { // there is nothing left to interrupt
			n.Kernel.Wanted = ""
		}
		n.Kernel.Count = max(n.Kernel.Count, d.ExecutionCount)
		if n.Cell(run.CellID) != nil && run.Repeats == "" {
			n.ChangedSeq = s.Seq
		}
	})
}

// hear keeps what an agent's call is told once its last run is over.
func (s *State) hear(run *CellRun, d *clew.CellFinishedData) {
	t := s.Task(run.TaskID)
	if t == nil || d.Output == "" && len(d.Images) == 0 {
		return
	}
	if c := t.Call(run.CallID); c != nil && c.Status == CallCell {
		c.Heard = append(slices.Clip(c.Heard), clew.Part{Text: d.Output, Images: d.Images})
	}
}

func (n *Notebook) endRun(d *clew.CellFinishedData) {
	run := n.Run
	n.Run = nil
	n.changeCell(run.CellID, func(c *Cell) {
		if c.RunID != run.ID {
			return
		}
		c.Status, c.ExecutionCount, c.DurationMS = d.Status, d.ExecutionCount, d.DurationMS
		c.OutputsLost, c.LeftOut, c.OutputBlob, c.Reason = d.OutputsLost, d.LeftOut, d.OutputBlob, clew.Clip(d.Reason, cellReasonRunes)
	})
}

// drop takes runs out of the queue. Their cells were not run: what they show is older.
func (n *Notebook) drop(runs []string, why string) {
	if len(runs) == 0 {
		return
	}
	var rest []CellRun
	for _, run := range n.Queue {
		if !slices.Contains(runs, run.ID) {
			rest = append(rest, run)
			continue
		}
		if run.Repeats != "" { // the cell shows what it showed
			continue
		}
		n.changeCell(run.CellID, func(c *Cell) { c.Status, c.Reason = clew.CellAborted, clew.Clip(why, cellReasonRunes) })
	}
	n.Queue = rest
}

// BeginsAnew reports whether a kernel knows nothing any more once a change is on record.
func (k *Kernel) BeginsAnew(d *clew.KernelChangedData) bool {
	starts := d.State == clew.KernelStarting || d.State == clew.KernelRestarting
	return starts && k.State != d.State || d.KernelID != "" && k.ID != "" && k.ID != d.KernelID
}

// applyKernelChanged notes what a kernel does, and what is wanted of it. A kernel that
// ends takes the run with it, and one that begins anew knows nothing.
func applyKernelChanged(s *State, d *clew.KernelChangedData) {
	s.changeNotebook(d.NotebookID, func(n *Notebook) {
		n.drop(d.Dropped, "It was taken out of the queue.")
		if d.By != "" || d.Wanted != "" || len(d.Dropped) > 0 {
			n.Seq = s.Seq
		}
		k := &n.Kernel
		fresh := k.BeginsAnew(d)
		if n.Run != nil && (fresh || !d.State.Alive()) {
			n.endRun(&clew.CellFinishedData{Status: clew.CellInDoubt, OutputsLost: true, Reason: "The kernel ended."})
		}
		if fresh || !d.State.Alive() && k.State.Alive() {
			k.FreshSeq, k.SinceSeq, k.RanSeq, k.Count, k.Ahead = s.Seq, s.Seq, 0, 0, false
			if n.Rerun.UnderWay() {
				k.SinceSeq = n.Rerun.SinceSeq
			} else {
				n.Rerun = nil
			}
		}
		if d.Reason != "" || k.State != d.State {
			k.Reason = clew.Clip(d.Reason, cellReasonRunes)
		}
		k.State, k.Wanted = d.State, d.Wanted
		if d.Wanted != "" && d.KernelID == "" { // a report of the kernel, which has an id, only keeps what still waits
			k.WantedSeq = s.Seq
		}
		if d.KernelID != "" {
			k.ID = clew.Clip(d.KernelID, kernelRunes)
		}
		if d.Name != "" {
			k.Name = clew.Clip(d.Name, kernelRunes)
		}
		if d.Node != "" {
			k.Node = clew.Clip(d.Node, kernelRunes)
		}
		if d.Info != nil {
			k.Info = &clew.KernelLanguage{
				Language: clew.Clip(d.Info.Language, kernelRunes), Version: clew.Clip(d.Info.Version, kernelRunes),
				Implementation: clew.Clip(d.Info.Implementation, kernelRunes), FileExtension: clew.Clip(d.Info.FileExtension, kernelRunes),
			}
		}
	})
	if n := s.AnyNotebook(d.NotebookID); n != nil && n.Closed && !n.Kernel.State.Alive() {
		s.closeNotebook(n.ID)
	}
}

// noteCellQuestion keeps which question the code of a run asked.
func (s *State) noteCellQuestion(q clew.Question) {
	if c := CellOfQuestion(q); c != nil {
		s.changeRun(c, func(run *CellRun) { run.RequestID, run.Answer = q.RequestID(), nil })
	}
}

// noteCellAnswer keeps what was said to it.
func (s *State) noteCellAnswer(q clew.Question, d *clew.HitlResolvedData) {
	of := CellOfQuestion(q)
	if of == nil {
		return
	}
	s.changeRun(of, func(run *CellRun) {
		if run.RequestID != d.RequestID {
			return
		}
		run.RequestID = ""
		if d.Action == clew.ResolvedCancelled {
			return
		}
		value, _ := d.Value.(string)
		run.Answer = &CellAnswer{RequestID: d.RequestID, Value: value, Password: of.Password, Declined: d.Action != clew.ResolvedAnswer}
	})
}

func (s *State) changeRun(of *clew.CellQuestion, change func(run *CellRun)) {
	n := s.AnyNotebook(of.NotebookID)
	if n == nil || n.Run == nil || n.Run.ID != of.RunID {
		return
	}
	s.changeNotebook(of.NotebookID, func(n *Notebook) {
		run := *n.Run
		change(&run)
		n.Run, n.Seq = &run, s.Seq
	})
}

// CellOfQuestion is the run whose code asked a question, nil for most.
func CellOfQuestion(q clew.Question) *clew.CellQuestion {
	if d, ok := q.Data.(*clew.HitlInputRequestData); ok {
		return d.Cell
	}
	return nil
}

// applyNotebookCheckpoint notes what the kernel knew after a cell.
func applyNotebookCheckpoint(s *State, d *clew.CheckpointSavedData) {
	s.changeNotebook(d.NotebookID, func(n *Notebook) {
		n.Variables = d.Variables
		n.changeCell(d.CellID, func(c *Cell) {
			if c.RunID == d.RunID {
				c.StateHash, c.Variables = d.ToHash, d.Variables
			}
		})
		n.repeatLeft(d)
	})
}
