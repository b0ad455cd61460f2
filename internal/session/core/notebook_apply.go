package core

import (
	"fmt"
	"slices"

	"github.com/clew-run/clew"
)

// applyNotebook folds the records about notebooks. It reports whether this is one.
func applyNotebook(s *State, r clew.Record, data any) bool {
	switch d := data.(type) {
	case *clew.NotebookOpenedData:
		applyNotebookOpened(s, r, d)
	case *clew.NotebookReadData:
		s.changeNotebook(d.NotebookID, func(n *Notebook) { s.read(n, d) })
	case *clew.NotebookChangedData:
		s.changeNotebook(d.NotebookID, func(n *Notebook) {
			for _, e := range d.Edits {
				s.edit(n, e)
			}
			n.Version, n.Seq, n.ChangedSeq = d.Version, s.Seq, s.Seq
		})
	case *clew.NotebookSaveRequestedData:
		s.changeNotebook(d.NotebookID, func(n *Notebook) {
			n.Save, n.Seq = d, s.Seq
			n.Problem, n.Conflict, n.PathTaken = "", false, "" // what comes of this one is told
		})
	case *clew.NotebookSavedData:
		s.changeNotebook(d.NotebookID, func(n *Notebook) { s.saved(n, d) })
	case *clew.NotebookClosedData:
		s.closeNotebook(d.NotebookID)
	case *clew.CellQueuedData:
		applyCellQueued(s, r, d)
	case *clew.CellStartedData:
		applyCellStarted(s, r, d)
	case *clew.CellFinishedData:
		applyCellFinished(s, d)
	case *clew.KernelChangedData:
		applyKernelChanged(s, d)
	case *clew.KernelRerunRequestedData:
		applyRerunRequested(s, r, d)
	case *clew.KernelRerunStartedData:
		applyRerunStarted(s, r, d)
	case *clew.KernelRerunFinishedData:
		applyRerunFinished(s, d)
	default:
		return false
	}
	return true
}

// changeNotebook changes a copy of a notebook: the old one may be in use.
func (s *State) changeNotebook(id string, change func(n *Notebook)) {
	i := slices.IndexFunc(s.Notebooks, func(n Notebook) bool { return n.ID == id })
	if i < 0 {
		return
	}
	s.Notebooks = slices.Clone(s.Notebooks)
	change(&s.Notebooks[i])
}

// changeCell changes a copy of a cell. The notebook is one that changeNotebook gave.
func (n *Notebook) changeCell(id string, change func(c *Cell)) {
	i := n.CellIndex(id)
	if i < 0 {
		return
	}
	c := *n.Cells[i]
	change(&c)
	n.Cells = slices.Clone(n.Cells)
	n.Cells[i] = &c
}

func applyNotebookOpened(s *State, r clew.Record, d *clew.NotebookOpenedData) {
	if s.AnyNotebook(d.NotebookID) != nil || len(s.OpenNotebooks()) >= NotebooksMax {
		return
	}
	s.Notebooks = append(slices.Clip(s.Notebooks), Notebook{
		ID: d.NotebookID, Path: d.Path, New: d.New, Status: clew.NotebookOpening, KernelName: d.KernelName,
		Kernel: Kernel{Name: d.KernelName, State: clew.KernelNone}, Seq: r.Seq,
	})
}

// read takes the cells of a file in place of what there was.
func (s *State) read(n *Notebook, d *clew.NotebookReadData) {
	n.Save = nil
	problem := d.Problem
	if problem == "" {
		problem = UnfitCells(d.Cells) // of a stranger's record
	}
	if problem != "" {
		n.Problem = clew.Clip(problem, cellReasonRunes)
		if n.Status == clew.NotebookOpening {
			n.Status = clew.NotebookFailed
		}
		return
	}
	n.Status, n.Problem, n.Conflict = clew.NotebookReady, "", false
	n.Hash, n.Metadata, n.Version = d.Hash, d.Metadata, n.Version+1
	n.FileSeq, n.WrittenSeq, n.ChangedSeq = s.Seq, s.Seq, s.Seq
	if d.Hash == "" && n.Path != "" { // the file is yet to be made
		n.FileSeq = 0
	}
	if n.KernelName == "" {
		n.KernelName = d.KernelName
	}
	if n.Kernel.Name == "" {
		n.Kernel.Name = n.KernelName
	}
	n.Cells = make([]*Cell, 0, len(d.Cells))
	for _, c := range d.Cells {
		n.Cells = append(n.Cells, s.newCell(c))
	}
}

// UnfitCells says why cells of a file cannot be taken, "" if they can.
func UnfitCells(cells []clew.NotebookCell) string {
	if len(cells) > CellsMax {
		return fmt.Sprintf("it has %d cells; a notebook has at most %d", len(cells), CellsMax)
	}
	bytes, known := 0, make(map[string]bool, len(cells))
	for _, c := range cells {
		bytes += len(c.Source) + len(c.Metadata)
		switch {
		case !clew.ValidCellID(c.CellID) || known[c.CellID]:
			return fmt.Sprintf("the id of cell %d is not valid, or another one has it", len(known))
		case len(c.Source) > CellSourceMax:
			return fmt.Sprintf("cell %s is too long", c.CellID)
		}
		known[c.CellID] = true
	}
	if bytes > CellSourcesMax {
		return fmt.Sprintf("its cells have %d KiB; at most %d are taken", bytes>>10, CellSourcesMax>>10)
	}
	return ""
}

func (s *State) newCell(c clew.NotebookCell) *Cell {
	s.CellsMade++
	return &Cell{NotebookCell: c, Number: s.CellsMade}
}

// edit makes one edit. Decide has looked whether it can be made; what a stranger's record
// has too much of is left out.
func (s *State) edit(n *Notebook, e clew.CellEdit) {
	if e.Source != nil && (len(*e.Source) > CellSourceMax || n.Bytes()+len(*e.Source) > 2*CellSourcesMax) {
		return
	}
	switch e.Op {
	case clew.EditInsert:
		if len(n.Cells) >= CellsMax || !clew.ValidCellID(e.CellID) || n.Cell(e.CellID) != nil {
			return
		}
		c := s.newCell(clew.NotebookCell{CellID: e.CellID, Type: e.Type})
		c.setSource(e, s.Seq)
		n.Cells = slices.Insert(slices.Clone(n.Cells), n.CellIndex(e.After)+1, c)
	case clew.EditReplace:
		n.changeCell(e.CellID, func(c *Cell) {
			c.setSource(e, s.Seq)
			if e.Type != "" && e.Type != c.Type {
				c.Type = e.Type
				c.clear()
			}
		})
	case clew.EditMove:
		from := n.CellIndex(e.CellID)
		if from < 0 || e.After == e.CellID {
			return
		}
		c := n.Cells[from]
		n.Cells = slices.Delete(slices.Clone(n.Cells), from, from+1)
		n.Cells = slices.Insert(n.Cells, n.CellIndex(e.After)+1, c)
	case clew.EditDelete:
		if i := n.CellIndex(e.CellID); i >= 0 {
			n.Cells = slices.Delete(slices.Clone(n.Cells), i, i+1)
		}
	case clew.EditClear:
		if e.CellID != "" {
			n.changeCell(e.CellID, (*Cell).clear)
			return
		}
		n.Cells = slices.Clone(n.Cells)
		for i, c := range n.Cells {
			cleared := *c
			cleared.clear()
			n.Cells[i] = &cleared
		}
	}
}

func (c *Cell) setSource(e clew.CellEdit, seq uint64) {
	switch {
	case e.SourceBlob != "":
		c.Source, c.SourceBlob = "", e.SourceBlob
	case e.Source != nil:
		c.Source, c.SourceBlob = *e.Source, ""
	default:
		return
	}
	c.EditedSeq = seq
}

// clear forgets what the cell shows of its runs.
func (c *Cell) clear() {
	kept := Cell{NotebookCell: c.NotebookCell, Number: c.Number, EditedSeq: c.EditedSeq}
	kept.ExecutionCount, kept.SavedOutputs = 0, ""
	*c = kept
}

func (s *State) saved(n *Notebook, d *clew.NotebookSavedData) {
	n.Save = nil
	if d.Conflict && d.Path != n.Path {
		n.PathTaken = d.Path
		return
	}
	n.Problem, n.Conflict = d.Problem, d.Conflict
	if d.Problem != "" || d.Conflict {
		return
	}
	n.Path, n.Hash, n.WrittenSeq = d.Path, d.Hash, s.Seq
	if seq, err := d.AsOf.Seq(); err == nil {
		n.FileSeq = seq
	}
}

// closeNotebook takes a notebook away. While its kernel is there, somebody has to end it.
func (s *State) closeNotebook(id string) {
	n := s.AnyNotebook(id)
	if n == nil {
		return
	}
	if !n.Kernel.State.Alive() {
		s.Notebooks = slices.DeleteFunc(slices.Clone(s.Notebooks), func(n Notebook) bool { return n.ID == id })
		return
	}
	s.changeNotebook(id, func(n *Notebook) { *n = n.closing(s.Seq) })
}

// closing is what is left of a notebook until its kernel has ended.
func (n *Notebook) closing(seq uint64) Notebook {
	k := n.Kernel
	k.Wanted = clew.WishStop
	return Notebook{ID: n.ID, Path: n.Path, Status: clew.NotebookReady, Version: n.Version, Kernel: k, Seq: seq, Closed: true}
}

// noteCellOutput keeps which messages a run of a cell shows.
func (s *State) noteCellOutput(m *clew.Message) {
	at := m.Cell
	if at == nil || at.CellID == "" || at.Output == clew.OutputStatus {
		return
	}
	n := s.AnyNotebook(at.NotebookID)
	if n == nil {
		return
	}
	seq, err := m.MessageID.Seq()
	c := n.Cell(at.CellID)
	if err != nil || c == nil || c.RunID != at.RunID || at.Cleared != IsHidden(c.Outputs, seq) {
		return
	}
	s.changeNotebook(n.ID, func(n *Notebook) {
		n.changeCell(at.CellID, func(c *Cell) {
			if at.Cleared {
				c.Outputs = withoutSeq(c.Outputs, seq)
			} else {
				c.Outputs = withSeq(c.Outputs, seq)
			}
		})
		n.ChangedSeq = s.Seq
	})
}

// noteCellChanged notes that a message which a cell shows is another one now.
func (s *State) noteCellChanged(m *clew.Message) {
	if m.Cell == nil {
		return
	}
	if s.noteCellOutput(m); m.Cell.CellID != "" && m.Cell.Output != clew.OutputStatus {
		s.changeNotebook(m.Cell.NotebookID, func(n *Notebook) { n.ChangedSeq = s.Seq })
	}
}

// withSeq adds a record to spans, at their end for most.
func withSeq(spans []Span, seq uint64) []Span {
	if n := len(spans); n > 0 && spans[n-1].To+1 == seq {
		spans = slices.Clone(spans)
		spans[n-1].To = seq
		return spans
	}
	i := slices.IndexFunc(spans, func(p Span) bool { return p.From > seq })
	if i < 0 {
		return append(slices.Clip(spans), Span{From: seq, To: seq})
	}
	return slices.Insert(slices.Clone(spans), i, Span{From: seq, To: seq})
}

func withoutSeq(spans []Span, seq uint64) (rest []Span) {
	for _, p := range spans {
		if seq < p.From || seq > p.To {
			rest = append(rest, p)
			continue
		}
		if p.From < seq {
			rest = append(rest, Span{From: p.From, To: seq - 1})
		}
		if seq < p.To {
			rest = append(rest, Span{From: seq + 1, To: p.To})
		}
	}
	return rest
}
