package core

import (
	"path"
	"slices"
	"strings"

	"github.com/clew-run/clew"
)

// projectedNotebooks is what was last made of a list of notebooks. The list is never
// changed in place, so the same list gives the same entities.
type projectedNotebooks struct {
	of        []Notebook
	notebooks []clew.NotebookInfo
	cells     []clew.CellInfo
}

func (s *State) notebookInfos() ([]clew.NotebookInfo, []clew.CellInfo) {
	if len(s.Notebooks) == 0 {
		return nil, nil
	}
	if p := s.projected; p == nil || len(p.of) != len(s.Notebooks) || &p.of[0] != &s.Notebooks[0] {
		s.projected = projectNotebooks(s.Notebooks)
	}
	return s.projected.notebooks, s.projected.cells
}

func projectNotebooks(list []Notebook) *projectedNotebooks {
	p := &projectedNotebooks{of: list}
	count := 0
	for i := range list {
		count += len(list[i].Cells)
	}
	p.cells = make([]clew.CellInfo, 0, count)
	numbers := make([]int, 0, count)
	for i := range list {
		n := &list[i]
		if n.Closed {
			continue
		}
		p.notebooks = append(p.notebooks, n.info())
		waiting := map[string]string{}
		for _, run := range n.Queue {
			waiting[run.CellID] = run.ID
		}
		for _, c := range n.Cells {
			p.cells = append(p.cells, n.cellInfo(c, waiting))
			numbers = append(numbers, c.Number)
		}
	}
	p.cells = byNumber(p.cells, numbers)
	return p
}

// byNumber gives cells in the order in which they came: whoever watches gets a new one
// behind the others, wherever it stands in its notebook.
func byNumber(cells []clew.CellInfo, numbers []int) []clew.CellInfo {
	if slices.IsSorted(numbers) {
		return cells
	}
	order := make([]int, len(numbers))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return numbers[a] - numbers[b] })
	sorted := make([]clew.CellInfo, len(cells))
	for i, at := range order {
		sorted[i] = cells[at]
	}
	return sorted
}

func (n *Notebook) info() clew.NotebookInfo {
	k := n.Kernel
	info := clew.NotebookInfo{
		NotebookID: n.ID, Path: n.Path, Status: n.Status, Problem: n.Problem, Conflict: n.Conflict, PathTaken: n.PathTaken, Version: n.Version, Hash: n.Hash,
		Unsaved: n.Unsaved() || n.Save != nil, Variables: n.Variables, Cells: make(clew.List[string], 0, len(n.Cells)),
		Kernel: clew.KernelInfo{KernelID: k.ID, Name: k.Name, State: k.State, Wanted: k.Wanted, Node: k.Node, Reason: k.Reason, Ahead: k.Ahead, Info: k.Info},
	}
	for _, c := range n.Cells {
		info.Cells = append(info.Cells, c.CellID)
	}
	for _, run := range n.Queue {
		info.Queue = append(info.Queue, clew.CellRun{RunID: run.ID, CellID: run.CellID, Repeats: run.Repeats})
	}
	info.Rerun = n.Rerun.info()
	if n.Run != nil {
		info.Run, info.RunSinceMS = &clew.CellRun{RunID: n.Run.ID, CellID: n.Run.CellID, Repeats: n.Run.Repeats}, n.Run.SinceMS
	}
	return info
}

func (n *Notebook) cellInfo(c *Cell, waiting map[string]string) clew.CellInfo {
	info := clew.CellInfo{
		NotebookID: n.ID, CellID: c.CellID, Type: c.Type, Source: c.Source, SourceBlob: c.SourceBlob, Status: c.Status, RunID: c.RunID,
		ExecutionCount: c.ExecutionCount, By: c.By, TaskID: c.TaskID, StartedMS: c.StartedMS, DurationMS: c.DurationMS, Stale: n.Stale(c),
		SavedOutputs: c.SavedOutputs, OutputsLost: c.OutputsLost, LeftOut: c.LeftOut, OutputBlob: c.OutputBlob, StateHash: c.StateHash, Reason: c.Reason,
	}
	if run, waits := waiting[c.CellID]; n.Run != nil && n.Run.CellID == c.CellID {
		info.Status, info.Reason, info.Stale = clew.CellRunning, "", false
	} else if waits {
		info.Status, info.RunID, info.Reason = clew.CellQueued, run, ""
	}
	for _, p := range c.Outputs {
		for seq := p.From; seq <= p.To && len(info.Outputs) < CellOutputsMax; seq++ {
			info.Outputs = append(info.Outputs, clew.MessageIDOf(seq))
		}
	}
	return info
}

// pathMax bounds the path of a notebook.
const pathMax = 1024

// ValidNotebookPath reports whether a path is one of a notebook's file beneath the
// workspace.
func ValidNotebookPath(p string) bool {
	return len(p) <= pathMax && path.Ext(p) == ".ipynb" && path.Clean(p) == p && !path.IsAbs(p) && p != ".ipynb" &&
		!strings.HasPrefix(p, "../") && !strings.ContainsAny(p, "\\\x00\n\r")
}
