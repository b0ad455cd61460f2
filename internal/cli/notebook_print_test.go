package cli

import (
	"bytes"
	"strconv"
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
	cells, waiting := clew.List[string]{"a", "b", "c", "d"}, clew.List[clew.CellRun]{}
	for i, id := range cells {
		waiting = append(waiting, clew.CellRun{CellID: id})
		w.state.Cells = append(w.state.Cells, clew.CellInfo{NotebookID: "n1", CellID: id, Source: "cell" + strconv.Itoa(i+1) + "()", Status: clew.CellQueued})
	}
	w.state.Notebooks = clew.List[clew.NotebookInfo]{{NotebookID: "n1", Cells: cells, Queue: waiting}}
	change := func(at int, status clew.CellStatus, outputs ...clew.MessageID) {
		c := &w.state.Cells[at]
		c.Status, c.Outputs, c.StartedMS = status, outputs, 1
	}
	change(0, clew.CellRunning, "m1")
	w.state.Messages = clew.List[clew.Message]{output("m1", "one begins\n")}
	x.print([]clew.MessageID{"m1"})

	change(0, clew.CellOK, "m1")
	change(1, clew.CellError, "m2")
	change(2, clew.CellInDoubt, "m3")
	w.state.Cells[2].Reason = "the kernel died"
	w.state.Cells[3].Status = clew.CellAborted
	w.state.Messages = clew.List[clew.Message]{output("m1", "one begins\none ends\n"), output("m2", "two fails\n"), output("m3", "three's last words")}
	x.print([]clew.MessageID{"m1", "m2", "m3"})
	const want = `[1/4] cell1()
one begins
one ends
[1/4] done, 0 s
[2/4] cell2()
two fails
[2/4] failed
[3/4] cell3()
three's last words
[3/4] in doubt: may not have completed: the kernel died
[4/4] stopped
`
	if screen.String() != want {
		t.Errorf("%s\nwant\n%s", &screen, want)
	}
}
