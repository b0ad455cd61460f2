package cli

import (
	"bytes"
	"testing"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/cli/env"
)

// Cells that ended while nobody was connected are told in order: what each of them put
// out stands between its begin and its end.
func TestCellsThatEndedMeanwhile(t *testing.T) {
	var screen bytes.Buffer
	w := &notebookWatch{book: "n1"}
	x := &notebookRunner{
		a: &env.App{IO: env.IO{Out: &screen, Err: &screen}}, w: w,
		shown: map[clew.MessageID]int{}, told: map[string]clew.CellStatus{},
	}
	output := func(id clew.MessageID, text string) clew.Message {
		return clew.Message{MessageID: id, Text: text, Cell: &clew.MessageCell{NotebookID: "n1", Output: clew.OutputStream}}
	}
	w.state.Notebooks = clew.List[clew.NotebookInfo]{{NotebookID: "n1", Cells: clew.List[string]{"a", "b", "c"}, Queue: clew.List[clew.CellRun]{{CellID: "a"}, {CellID: "b"}, {CellID: "c"}}}}
	w.state.Cells = clew.List[clew.CellInfo]{
		{NotebookID: "n1", CellID: "a", Source: "one()", Status: clew.CellRunning, Outputs: clew.List[clew.MessageID]{"m1"}},
		{NotebookID: "n1", CellID: "b", Source: "two()", Status: clew.CellQueued},
		{NotebookID: "n1", CellID: "c", Source: "three()", Status: clew.CellQueued},
	}
	w.state.Messages = clew.List[clew.Message]{output("m1", "one begins\n")}
	x.print([]clew.MessageID{"m1"})

	w.state.Cells[0].Status, w.state.Cells[1].Status, w.state.Cells[2].Status = clew.CellOK, clew.CellError, clew.CellAborted
	w.state.Cells[1].Outputs = clew.List[clew.MessageID]{"m2"}
	w.state.Messages = clew.List[clew.Message]{output("m1", "one begins\none ends\n"), output("m2", "two fails\n")}
	x.print([]clew.MessageID{"m1", "m2"})
	const want = `[1/3] one()
one begins
one ends
[1/3] done, 0 s
[2/3] two()
two fails
[2/3] failed
[3/3] stopped
`
	if screen.String() != want {
		t.Errorf("%s\nwant\n%s", &screen, want)
	}
}
