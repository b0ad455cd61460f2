package session

import (
	"fmt"
	"strings"
	"testing"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/session/core"
	"github.com/clew-run/clew/internal/session/decide"
)

// tells records a report about a notebook.
func (b *bench) tells(id string, r decide.NotebookReport) (decide.NotebookResult, []clew.EventType, error) {
	cmd := clew.Command{Data: &decide.NotebookCommand{NotebookID: id, LastRewindSeq: b.s.state.LastRewindSeq, Report: r}}
	p, err := decide.Decide(b.s.state, cmd, b.now)
	if err != nil {
		return decide.NotebookResult{}, nil, err
	}
	_, types, err := b.do(cmd)
	return p.Result.Notebook, types, err
}

// reported is tells for what is not refused.
func (b *bench) reported(id string, r decide.NotebookReport) decide.NotebookResult {
	res, _, err := b.tells(id, r)
	if err != nil {
		panic(err)
	}
	return res
}

// nb is the newest open notebook.
func (b *bench) nb() *core.Notebook {
	list := b.s.state.OpenNotebooks()
	if len(list) == 0 {
		return &core.Notebook{ID: "nb_none"}
	}
	return list[len(list)-1]
}

// opened opens a notebook with code cells a, b, c and so on.
func (b *bench) opened(sources ...string) {
	if !b.s.state.Exists() {
		b.create()
	}
	must(b.ann(&clew.NotebookOpenData{Path: fmt.Sprintf("n%d.ipynb", len(b.s.state.Notebooks))}))
	d := clew.NotebookReadData{Hash: "h1", KernelName: "python3"}
	for i, source := range sources {
		d.Cells = append(d.Cells, clew.NotebookCell{CellID: string(rune('a' + i)), Type: clew.CellCode, Source: source})
	}
	b.reported(b.nb().ID, decide.ReadNotebook{NotebookReadData: d})
}

// idle gives the notebook a kernel that waits.
func (b *bench) idle(id string) {
	b.reported(b.nb().ID, decide.ChangeKernel{KernelChangedData: clew.KernelChangedData{State: clew.KernelStarting}})
	b.reported(b.nb().ID, decide.ChangeKernel{KernelChangedData: clew.KernelChangedData{State: clew.KernelIdle, KernelID: id}})
}

// runs queues cells.
func (b *bench) runs(cells ...string) {
	must(b.ann(&clew.NotebookRunData{NotebookID: b.nb().ID, Cells: cells}))
}

// starts begins the next run and gives its id.
func (b *bench) starts() string {
	n := b.nb()
	b.reported(n.ID, decide.StartCell{RunID: n.Queue[0].ID, KernelID: n.Kernel.ID})
	return b.nb().Run.ID
}

// ends ends the run under way.
func (b *bench) ends(status clew.CellStatus) {
	n := b.nb()
	f := decide.FinishCell{CellFinishedData: clew.CellFinishedData{RunID: n.Run.ID, Status: status, ExecutionCount: n.Kernel.Count + 1}, Text: "out of " + n.Run.CellID}
	if status == clew.CellError {
		f.ErrorName, f.ErrorValue = "ValueError", "no"
	}
	b.reported(n.ID, f)
}

// cell is a cell as those who watch see it.
func (b *bench) cell(id string) clew.CellInfo {
	for _, c := range b.s.state.Project().Cells {
		if c.CellID == id && c.NotebookID == b.nb().ID {
			return c
		}
	}
	return clew.CellInfo{}
}

// cellStatuses are those of the notebook's cells, in order.
func (b *bench) cellStatuses() string {
	var list []string
	for _, c := range b.nb().Cells {
		info := b.cell(c.CellID)
		list = append(list, strings.TrimSuffix(c.CellID+" "+string(info.Status), " "))
	}
	return strings.Join(list, ", ")
}

func source(text string) *string { return &text }

func wantError(t *testing.T, err error, code clew.Code, part string) {
	t.Helper()
	if clew.CodeOf(err) != code || !strings.Contains(fmt.Sprint(err), part) {
		t.Errorf("got %v (%s), want %s and %q", err, clew.CodeOf(err), code, part)
	}
}
