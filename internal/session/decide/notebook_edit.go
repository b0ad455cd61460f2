package decide

import (
	"fmt"
	"slices"
	"strings"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/session/core"
)

func (a notebookActor) edit(tx *Tx, s *core.State, d *clew.NotebookEditData) (string, error) {
	n, err := ready(s, d.NotebookID)
	if err != nil {
		return "", err
	}
	if d.IfVersion != nil && *d.IfVersion != n.Version {
		return "", clew.Errorf(clew.SessionInvalidState, "the notebook is at version %d by now: look at what changed and try again", n.Version)
	}
	return a.change(tx, s, n, d.Edits)
}

// change records edits that can all be made.
func (a notebookActor) change(tx *Tx, s *core.State, n *core.Notebook, edits []clew.CellEdit) (string, error) {
	e := newEditor(n, len(edits), func(i int) string { return core.CellID(s.ID, tx.seq+uint64(tx.Len()), i) })
	for i := range edits {
		if err := e.add(edits[i]); err != nil {
			return "", err
		}
	}
	if e.bytes > core.CellSourcesMax {
		return "", clew.Errorf(clew.SessionInvalidState, "the sources of a notebook have at most %d KiB beside those over %d KiB", core.CellSourcesMax>>10, core.CellSourceMax>>10)
	}
	tx.Add(&clew.NotebookChangedData{NotebookID: n.ID, Version: n.Version + 1, Edits: e.edits, By: a.by, TaskID: a.task})
	return fmt.Sprintf("The notebook is at version %d.", n.Version+1), nil
}

// editor looks whether edits can be made, one after the other.
type editor struct {
	n     *core.Notebook
	index map[string]*core.Cell // of the notebook's cells, nil where it is quicker to look
	cells map[string]cellDraft  // those that edits made or changed
	gone  map[string]bool       // those that edits deleted
	count int
	bytes int
	newID func(i int) string
	made  int
	edits clew.List[clew.CellEdit]
}

// cellDraft is what is to be known of a cell.
type cellDraft struct{ source, metadata int }

// fewEdits is how many edits look for their cells in the list: an index costs more.
const fewEdits = 16

func newEditor(n *core.Notebook, edits int, newID func(i int) string) *editor {
	e := &editor{n: n, cells: map[string]cellDraft{}, gone: map[string]bool{}, count: len(n.Cells), bytes: n.Bytes(), newID: newID}
	if edits > fewEdits {
		e.index = make(map[string]*core.Cell, len(n.Cells))
		for _, c := range n.Cells {
			e.index[c.CellID] = c
		}
	}
	return e
}

// cell gives a cell as the edits so far leave it.
func (e *editor) cell(id string) (cellDraft, bool) {
	if d, ok := e.cells[id]; ok || e.gone[id] {
		return d, ok
	}
	c := e.index[id]
	if e.index == nil {
		c = e.n.Cell(id)
	}
	if c == nil {
		return cellDraft{}, false
	}
	return cellDraft{source: len(c.Source), metadata: len(c.Metadata)}, true
}

func (e *editor) add(edit clew.CellEdit) error {
	if edit.Source != nil && len(*edit.Source) > core.CellSourceMax {
		return clew.Errorf(clew.InvalidMessage, "a source of %d bytes has to be a blob", len(*edit.Source))
	}
	if err := e.place(edit); err != nil {
		return err
	}
	switch edit.Op {
	case clew.EditInsert:
		return e.insert(edit)
	case clew.EditReplace:
		c, _ := e.cell(edit.CellID)
		if edit.Source != nil || edit.SourceBlob != "" {
			e.bytes += sourceBytes(edit) - c.source
			c.source = sourceBytes(edit)
			e.cells[edit.CellID] = c
		}
	case clew.EditDelete:
		c, _ := e.cell(edit.CellID)
		e.bytes -= c.source + c.metadata
		e.count--
		delete(e.cells, edit.CellID)
		e.gone[edit.CellID] = true
	case clew.EditMove, clew.EditClear:
	default:
		return clew.Errorf(clew.InvalidMessage, "%q is not an edit", edit.Op)
	}
	e.edits = append(e.edits, edit)
	return nil
}

// place looks at the cells that an edit names.
func (e *editor) place(edit clew.CellEdit) error {
	if edit.Op == clew.EditInsert || edit.Op == clew.EditMove {
		if _, known := e.cell(edit.After); edit.After != "" && (!known || edit.After == edit.CellID) {
			return clew.Errorf(clew.SessionInvalidState, "there is no cell %s to put another one behind", clew.Clip(edit.After, core.TitleRunes))
		}
	}
	if edit.Op == clew.EditInsert {
		return nil
	}
	if edit.Op == clew.EditClear && edit.CellID == "" {
		if e.n.Run != nil || len(e.n.Queue) > 0 {
			return clew.Errorf(clew.SessionInvalidState, "cells run or wait: stop them before all outputs are cleared")
		}
		return nil
	}
	if _, known := e.cell(edit.CellID); !known {
		return clew.Errorf(clew.SessionInvalidState, "there is no cell %s", clew.Clip(edit.CellID, core.TitleRunes))
	}
	if e.n.Busy(edit.CellID) {
		return clew.Errorf(clew.SessionInvalidState, "cell %s runs or waits to: stop it before it is changed", edit.CellID)
	}
	return nil
}

func (e *editor) insert(edit clew.CellEdit) error {
	if e.count >= core.CellsMax {
		return clew.Errorf(clew.SessionInvalidState, "a notebook has at most %d cells", core.CellsMax)
	}
	if _, known := e.cell(edit.CellID); known {
		return clew.Errorf(clew.SessionInvalidState, "there is a cell %s already", edit.CellID)
	}
	for edit.CellID == "" {
		id := e.newID(e.made)
		e.made++
		if _, known := e.cell(id); !known {
			edit.CellID = id
		}
	}
	if edit.Type == "" {
		edit.Type = clew.CellCode
	}
	e.cells[edit.CellID] = cellDraft{source: sourceBytes(edit)}
	e.count++
	delete(e.gone, edit.CellID)
	e.bytes += sourceBytes(edit)
	e.edits = append(e.edits, edit)
	return nil
}

func sourceBytes(edit clew.CellEdit) int {
	if edit.Source == nil {
		return 0
	}
	return len(*edit.Source)
}

// run queues cells in the notebook's order. Those that hold no code are passed over.
func (a notebookActor) run(tx *Tx, s *core.State, d *clew.NotebookRunData) error {
	n, err := ready(s, d.NotebookID)
	if err != nil {
		return err
	}
	cells, err := chosen(n, d)
	if err != nil {
		return err
	}
	var ids []string
	for _, c := range cells {
		if c.Type == clew.CellCode && (c.SourceBlob != "" || strings.TrimSpace(c.Source) != "") {
			ids = append(ids, c.CellID)
		}
	}
	return a.queue(tx, s, n, ids, "", false)
}

func chosen(n *core.Notebook, d *clew.NotebookRunData) ([]*core.Cell, error) {
	if !d.All {
		for _, id := range d.Cells {
			if n.Cell(id) == nil {
				return nil, noCell(id)
			}
		}
		wanted := make(map[string]bool, len(d.Cells))
		for _, id := range d.Cells {
			wanted[id] = true
		}
		return slices.DeleteFunc(slices.Clone(n.Cells), func(c *core.Cell) bool { return !wanted[c.CellID] }), nil
	}
	from, to := 0, len(n.Cells)
	if d.From != "" {
		if from = n.CellIndex(d.From); from < 0 {
			return nil, noCell(d.From)
		}
	}
	if d.To != "" {
		if to = n.CellIndex(d.To) + 1; to == 0 {
			return nil, noCell(d.To)
		}
	}
	if from >= to && len(n.Cells) > 0 {
		return nil, clew.Errorf(clew.InvalidMessage, "cell %s is behind cell %s", d.From, d.To)
	}
	return n.Cells[from:to], nil
}

func noCell(id string) error {
	return clew.Errorf(clew.SessionInvalidState, "there is no cell %s", clew.Clip(id, core.TitleRunes))
}

// queue has cells run, or code without one.
func (a notebookActor) queue(tx *Tx, s *core.State, n *core.Notebook, cells []string, code string, silent bool) error {
	if len(cells) == 0 {
		return nil
	}
	if len(n.Queue)+len(cells) > core.CellRunsMax {
		return clew.Errorf(clew.QueueFull, "%d cells wait already", len(n.Queue))
	}
	seq := tx.seq + uint64(tx.Len())
	d := &clew.CellQueuedData{NotebookID: n.ID, Code: code, Silent: silent, By: a.by, TaskID: a.task, ToolCallID: a.call}
	runs := core.CellRunIDs(s.ID, seq, len(cells))
	for i, id := range cells {
		d.Runs = append(d.Runs, clew.CellRun{RunID: runs[i], CellID: id})
	}
	tx.Add(d)
	return nil
}

// execute runs code: in a cell that gets it, in a new one, or in none.
func (a notebookActor) execute(tx *Tx, s *core.State, d *clew.KernelExecuteData) error {
	n, err := target(s, d.KernelTarget)
	if err != nil {
		return err
	}
	if len(d.Code) > core.CellSourceMax {
		return clew.Errorf(clew.InvalidMessage, "code has at most %d KiB: put more into a cell with notebook_edit", core.CellSourceMax>>10)
	}
	empty := strings.TrimSpace(d.Code) == ""
	if d.Silent {
		if empty {
			return nil
		}
		return a.queue(tx, s, n, []string{""}, d.Code, true)
	}
	id := ""
	if d.CellIndex != nil {
		if id, err = a.fill(tx, s, n, *d.CellIndex, d.Code); err != nil || empty {
			return err
		}
		return a.queue(tx, s, n, []string{id}, "", false)
	}
	if empty {
		return nil
	}
	edit := clew.CellEdit{Op: clew.EditInsert, Type: clew.CellCode, Source: &d.Code}
	if last := len(n.Cells) - 1; last >= 0 {
		edit.After = n.Cells[last].CellID
	}
	at := tx.Len()
	if _, err := a.change(tx, s, n, []clew.CellEdit{edit}); err != nil {
		return err
	}
	id = changedCells(tx, at)[0]
	return a.queue(tx, s, n, []string{id}, "", false)
}

// fill gives a cell, by its place, the code that it is to run.
func (a notebookActor) fill(tx *Tx, s *core.State, n *core.Notebook, index int, code string) (string, error) {
	if index < 0 || index >= len(n.Cells) {
		return "", clew.Errorf(clew.SessionInvalidState, "there is no cell %d: the notebook has %d, and the first is 0", index, len(n.Cells))
	}
	c := n.Cells[index]
	if c.Type != clew.CellCode {
		return "", clew.Errorf(clew.SessionInvalidState, "cell %d holds no code", index)
	}
	if c.SourceBlob == "" && c.Source == code {
		return c.CellID, nil
	}
	_, err := a.change(tx, s, n, []clew.CellEdit{{Op: clew.EditReplace, CellID: c.CellID, Source: &code}})
	return c.CellID, err
}

// changedCells are the cells that the change at a place of the batch inserted or gave
// another source.
func changedCells(tx *Tx, at int) (ids []string) {
	for _, e := range tx.Since(at) {
		d, ok := e.Data.(*clew.NotebookChangedData)
		if !ok {
			continue
		}
		for _, edit := range d.Edits {
			if edit.Op == clew.EditInsert || edit.Op == clew.EditReplace {
				ids = append(ids, edit.CellID)
			}
		}
	}
	return ids
}
