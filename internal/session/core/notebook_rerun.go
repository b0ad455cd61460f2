package core

import (
	"slices"

	"github.com/clew-run/clew"
)

// A Rerun takes a fresh kernel to where the notebook is, by running again what ran.
type Rerun struct {
	ID       string           `json:"id"`
	Status   clew.RerunStatus `json:"status"`
	Seq      uint64           `json:"seq"`       // the record that asked for it
	SinceSeq uint64           `json:"since_seq"` // what ran after this record runs again
	By       clew.UserID      `json:"by,omitempty"`
	// Files says that files are as they were while cells run. Before and After are the
	// checkpoints, once they are known.
	Files  bool   `json:"files,omitempty"`
	Before string `json:"before,omitempty"`
	After  string `json:"after,omitempty"`
	// Runs are kept until it is over.
	Runs        []clew.RepeatedRun   `json:"runs,omitempty"`
	Total       int                  `json:"total"`
	Done        int                  `json:"done"`
	Reason      string               `json:"reason,omitempty"`
	Differences []clew.RunDifference `json:"differences,omitempty"`
}

// UnderWay reports whether there is a rerun that is not over.
func (r *Rerun) UnderWay() bool { return r != nil && !r.Status.Over() }

// Rerunning reports whether a kernel runs again what ran: files may be those of another
// time, so no agent begins anything.
func (s *State) Rerunning() bool {
	return slices.ContainsFunc(s.Notebooks, func(n Notebook) bool { return n.Rerun.UnderWay() })
}

// KernelOfQuestion is the kernel that a question is about, nil for most.
func KernelOfQuestion(q clew.Question) *clew.KernelQuestion {
	if d, ok := q.Data.(*clew.HitlInputRequestData); ok {
		return d.Kernel
	}
	return nil
}

// KernelQuestion is the open question about the kernel of a notebook, nil if there is
// none.
func (s *State) KernelQuestion(notebook string) *clew.Question {
	for i := range s.Questions {
		if k := KernelOfQuestion(s.Questions[i]); k != nil && k.NotebookID == notebook {
			return &s.Questions[i]
		}
	}
	return nil
}

func applyRerunRequested(s *State, r clew.Record, d *clew.KernelRerunRequestedData) {
	since, err := d.Since.Seq()
	if err != nil && d.Since != "" {
		return
	}
	s.changeNotebook(d.NotebookID, func(n *Notebook) {
		n.Rerun = &Rerun{ID: d.RerunID, Status: clew.RerunPreparing, Seq: r.Seq, SinceSeq: since, By: d.By, Files: d.Files}
		n.Seq = r.Seq
	})
}

// applyRerunStarted queues what runs again, before all else.
func applyRerunStarted(s *State, r clew.Record, d *clew.KernelRerunStartedData) {
	s.changeNotebook(d.NotebookID, func(n *Notebook) {
		if n.Rerun == nil || n.Rerun.ID != d.RerunID || n.Rerun.Status != clew.RerunPreparing || len(d.Runs) > CellRunsMax {
			return
		}
		x := *n.Rerun
		x.Status, x.Runs, x.Total, x.Before, x.After = clew.RerunRunning, d.Runs, len(d.Runs), d.FilesBefore, d.FilesAfter
		n.Rerun, n.Seq = &x, r.Seq
		var queue []CellRun
		for _, run := range d.Runs {
			queue = append(queue, CellRun{ID: run.RunID, CellID: run.CellID, Silent: run.Silent, Repeats: run.Repeats, Batch: r.Seq, By: x.By})
		}
		n.Queue = append(queue, n.Queue...)
		if n.Kernel.State.Alive() {
			n.Kernel.Wanted = clew.WishRestart
		}
	})
}

func applyRerunFinished(s *State, d *clew.KernelRerunFinishedData) {
	s.changeNotebook(d.NotebookID, func(n *Notebook) {
		if n.Rerun == nil || n.Rerun.ID != d.RerunID {
			return
		}
		x := *n.Rerun
		x.Status, x.Reason, x.Runs = d.Status, clew.Clip(d.Reason, cellReasonRunes), nil
		n.Rerun, n.Seq = &x, s.Seq
	})
	if d.FilesRestored != "" {
		s.Checkpoint = d.FilesRestored
	}
}

// repeated notes that a run begins again. The cell shows what it showed; if that is of the
// run that is repeated, the kernel knows it again.
func (n *Notebook) repeated(run CellRun, seq uint64) {
	n.changeCell(run.CellID, func(c *Cell) {
		if c.RunID == run.Repeats && c.EditedSeq <= c.RanSeq {
			c.RanSeq = seq
		}
	})
}

// repeatEnded compares how a run ended with how it ended at first.
func (n *Notebook) repeatEnded(run *CellRun, status clew.CellStatus) {
	n.changeRerun(run.ID, func(x *Rerun, first *clew.RepeatedRun) {
		x.Done++
		if first.Status != status {
			x.differ(clew.RunDifference{CellID: first.CellID, RunID: first.Repeats, Was: first.Status, Is: status})
		}
	})
}

// repeatLeft compares what the kernel knows after a run with what it knew at first.
func (n *Notebook) repeatLeft(d *clew.CheckpointSavedData) {
	n.changeRerun(d.RunID, func(x *Rerun, first *clew.RepeatedRun) {
		if first.StateHash == "" || d.ToHash == first.StateHash || d.Same {
			return
		}
		known := slices.IndexFunc(x.Differences, func(d clew.RunDifference) bool { return d.RunID == first.Repeats })
		if known >= 0 {
			x.Differences = slices.Clone(x.Differences)
			x.Differences[known].Variables = d.Differing
			return
		}
		x.differ(clew.RunDifference{CellID: first.CellID, RunID: first.Repeats, Was: first.Status, Is: first.Status, State: true, Variables: d.Differing})
	})
}

// differencesMax bounds how many runs are named that went otherwise.
const differencesMax = 50

func (r *Rerun) differ(d clew.RunDifference) {
	if len(r.Differences) < differencesMax {
		r.Differences = append(slices.Clip(r.Differences), d)
	}
}

// Failed reports whether a run that is repeated failed at first, and so may again.
func (r *Rerun) Failed(run string, status clew.CellStatus) bool {
	return r != nil && status == clew.CellError && slices.ContainsFunc(r.Runs, func(x clew.RepeatedRun) bool { return x.RunID == run && x.Status == status })
}

func (n *Notebook) changeRerun(run string, change func(x *Rerun, first *clew.RepeatedRun)) {
	if n.Rerun == nil {
		return
	}
	i := slices.IndexFunc(n.Rerun.Runs, func(r clew.RepeatedRun) bool { return r.RunID == run })
	if i < 0 {
		return
	}
	x := *n.Rerun
	change(&x, &x.Runs[i])
	n.Rerun = &x
}

// broken is a rerun that nobody goes on with.
func (r *Rerun) broken(why string) *Rerun {
	if !r.UnderWay() {
		return r
	}
	x := *r
	x.Status, x.Reason, x.Runs = clew.RerunStopped, why, nil
	return &x
}

func (r *Rerun) info() *clew.RerunInfo {
	if r == nil {
		return nil
	}
	return &clew.RerunInfo{RerunID: r.ID, Status: r.Status, Total: r.Total, Done: r.Done, Reason: r.Reason, Differences: r.Differences}
}
