package session

import (
	"fmt"
	"strings"
	"testing"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/session/core"
	"github.com/clew-run/clew/internal/session/decide"
	"github.com/clew-run/clew/internal/session/view"
)

// fullNotebook is a notebook as large as one can be, with a cell that runs.
func fullNotebook() *bench {
	b := newBench()
	b.pure = 1 << 30
	b.create()
	must(b.ann(&clew.NotebookOpenData{Path: "x.ipynb"}))
	var cells clew.List[clew.NotebookCell]
	for i := range core.CellsMax {
		cells = append(cells, clew.NotebookCell{CellID: fmt.Sprint("cell-", i), Type: clew.CellCode, Source: strings.Repeat("x", 500)})
	}
	b.reported(b.nb().ID, decide.ReadNotebook{NotebookReadData: clew.NotebookReadData{Hash: "h", Cells: cells}})
	b.runs("cell-999")
	b.idle("k1")
	b.starts()
	return b
}

// What did not change of notebooks is not made anew for those who watch.
func TestProjectKeepsCells(t *testing.T) {
	b := fullNotebook()
	first := b.s.state.Project()
	must(b.ann(&clew.RenameSessionData{Title: "other"}))
	second := b.s.state.Project()
	if &first.Cells[0] != &second.Cells[0] || &first.Notebooks[0] != &second.Notebooks[0] {
		t.Error("the cells were made anew, and nothing of them changed")
	}
	b.ends(clew.CellOK)
	if third := b.s.state.Project(); third.Cells[999].Status != clew.CellOK || first.Cells[999].Status != clew.CellRunning {
		t.Errorf("the cell is %s, and was %s", third.Cells[999].Status, first.Cells[999].Status)
	}
}

func BenchmarkNotebookDecideEdit(b *testing.B) {
	x := fullNotebook()
	cmd := clew.Command{By: by("ann"), Data: &clew.NotebookEditData{NotebookID: x.nb().ID, Edits: clew.List[clew.CellEdit]{{Op: clew.EditReplace, CellID: "cell-500", Source: source("y")}}}}
	for b.Loop() {
		if _, err := decide.Decide(x.s.state, cmd, x.now); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkNotebookDecideRunAll(b *testing.B) {
	x := fullNotebook()
	cmd := clew.Command{By: by("ann"), Data: &clew.NotebookRunData{NotebookID: x.nb().ID, All: true}}
	for b.Loop() {
		if _, err := decide.Decide(x.s.state, cmd, x.now); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkNotebookDecideOutput(b *testing.B) {
	x := fullNotebook()
	cmd := clew.Command{Data: &decide.NotebookCommand{NotebookID: x.nb().ID, Report: decide.CellOutput{RunID: x.nb().Run.ID, Created: []clew.Message{{Say: clew.SayText, Text: "x"}}}}}
	for b.Loop() {
		if _, err := decide.Decide(x.s.state, cmd, x.now); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkNotebookProject(b *testing.B) {
	x := fullNotebook()
	for b.Loop() {
		x.s.state.Project()
	}
}

// One change of a cell, for those who watch.
func BenchmarkNotebookStep(b *testing.B) {
	x := fullNotebook()
	tracker := view.NewTracker(x.s.state)
	i := 0
	for b.Loop() {
		i++
		must(x.ann(&clew.NotebookEditData{NotebookID: x.nb().ID, Edits: clew.List[clew.CellEdit]{{Op: clew.EditReplace, CellID: "cell-500", Source: source(fmt.Sprint(i))}}}))
		if _, err := tracker.Step(x.s.state, func(*clew.Message) {}); err != nil {
			b.Fatal(err)
		}
	}
}
