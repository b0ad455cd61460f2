package core

import (
	"slices"

	"github.com/clew-run/clew"
)

// keepKernels gives a former state the kernels as they are now: a process cannot be taken
// back. What waited or ran then does not go on by itself. seq is the record that takes the
// session there; files says that files go back with it.
func (s *State) keepKernels(now *State, seq uint64, files bool) {
	list := make([]Notebook, 0, len(s.Notebooks))
	for i := range s.Notebooks {
		n := s.Notebooks[i]
		was := now.AnyNotebook(n.ID)
		if was == nil && n.Closed {
			continue
		}
		ran := n.Run != nil
		n.stopRuns("The session was taken back.")
		if was == nil {
			n.loseKernel(seq, "It ended while the session was elsewhere.")
		} else {
			n.keepKernel(was, s.Seq, ran)
			if !files && was.WrittenSeq > s.Seq && was.Path == n.Path { // the file is newer than what is here now
				n.Hash, n.ChangedSeq, n.WrittenSeq = was.Hash, seq, was.WrittenSeq
			}
		}
		n.Save, n.Seq = nil, seq
		n.checkPath()
		list = append(list, n)
	}
	for i := range now.Notebooks {
		if n := &now.Notebooks[i]; s.AnyNotebook(n.ID) == nil && n.Kernel.State.Alive() {
			list = append(list, n.closing(seq))
		}
	}
	s.Notebooks = list
}

// keepKernel takes the kernel over as it is. It is ahead if it ran what the state at
// record to does not know. ran says that a run was under way there.
func (n *Notebook) keepKernel(was *Notebook, to uint64, ran bool) {
	k := was.Kernel
	same := n.Kernel.FreshSeq == k.FreshSeq
	k.Ahead = k.State.Alive() && (k.RanSeq > to || same && (n.Kernel.Ahead || ran))
	if k.Ahead {
		k.SinceSeq = n.Kernel.SinceSeq
		if n.Kernel.State == clew.KernelNone {
			k.SinceSeq = to
		}
	}
	n.Rerun = was.Rerun.broken("The session was taken back.")
	if was.Run != nil && k.Wanted == "" && k.State.Alive() { // what it runs is on no record any more
		k.Wanted = clew.WishInterrupt
	}
	n.Kernel = k
}

// stopRuns ends what is under way and what waits.
func (n *Notebook) stopRuns(why string) {
	var waiting []string
	for _, run := range n.Queue {
		waiting = append(waiting, run.ID)
	}
	n.drop(waiting, why)
	if n.Run != nil {
		n.endRun(&clew.CellFinishedData{Status: clew.CellInDoubt, OutputsLost: true, Reason: why})
	}
}

func (n *Notebook) loseKernel(seq uint64, why string) {
	n.Rerun = nil
	if n.Kernel.State == clew.KernelNone {
		return
	}
	k := Kernel{Name: n.Kernel.Name, State: n.Kernel.State, Reason: n.Kernel.Reason, FreshSeq: n.Kernel.FreshSeq, SinceSeq: n.Kernel.SinceSeq}
	if k.State.Alive() {
		k.State, k.Reason, k.FreshSeq, k.SinceSeq = clew.KernelLost, why, seq, seq
	}
	n.Kernel = k
}

// forgetKernels makes a session of its own of another one's past: its kernels, and what
// they were to run, stay with the other one. imported says that it is a stranger's.
func (s *State) forgetKernels(imported bool) {
	var list []Notebook
	for i := range s.Notebooks {
		n := s.Notebooks[i]
		if n.Closed {
			continue
		}
		n.stopRuns("It was left in the original session.")
		n.loseKernel(s.Seq, "It was left in the original session.")
		n.Save, n.Seq = nil, s.Seq
		if imported {
			n.Hash, n.ChangedSeq, n.FileSeq = "", s.Seq, 0
			n.checkPath()
			if n.Status == clew.NotebookOpening {
				n.Status, n.Problem = clew.NotebookFailed, "It was not read in the original session."
			}
		}
		list = append(list, n)
	}
	s.Notebooks = list
	s.Questions = slices.DeleteFunc(slices.Clone(s.Questions), func(q clew.Question) bool { return CellOfQuestion(q) != nil || KernelOfQuestion(q) != nil })
}

// checkPath takes away a path that a stranger's record made up.
func (n *Notebook) checkPath() {
	if n.Path == "" || ValidNotebookPath(n.Path) {
		return
	}
	if n.Path = ""; n.Status == clew.NotebookOpening {
		n.Status, n.Problem = clew.NotebookFailed, "It has no file here."
	}
}

// touchNotebooks tells those who work for notebooks to look again.
func (s *State) touchNotebooks() {
	s.Notebooks = slices.Clone(s.Notebooks)
	for i := range s.Notebooks {
		s.Notebooks[i].Seq = s.Seq
	}
}

// KernelsAfter says what going from one state to a former one does to kernels.
func KernelsAfter(now, then *State) []clew.KernelPreview {
	var list []clew.KernelPreview
	policy := now.AgentRules().KernelAfterRewind
	for _, n := range then.OpenNotebooks() {
		was := now.AnyNotebook(n.ID)
		if was == nil {
			continue
		}
		after := *n
		after.keepKernel(was, then.Seq, n.Run != nil)
		if after.Kernel.Ahead {
			p := clew.KernelPreview{NotebookID: n.ID, Path: n.Path, Policy: policy}
			p.Cells, p.DurationMS = after.RanInKernel()
			list = append(list, p)
		}
	}
	for i := range now.Notebooks {
		if n := &now.Notebooks[i]; then.AnyNotebook(n.ID) == nil && n.Kernel.State.Alive() {
			list = append(list, clew.KernelPreview{NotebookID: n.ID, Path: n.Path, Ends: true})
		}
	}
	return list
}

// RanInKernel counts the cells that ran in the kernel as it is here, and how long they took.
func (n *Notebook) RanInKernel() (cells int, ms int64) {
	for _, c := range n.Cells {
		if c.RanSeq > n.Kernel.SinceSeq && (c.Status == clew.CellOK || c.Status == clew.CellError) {
			cells++
			ms += c.DurationMS
		}
	}
	return cells, ms
}
