package feed

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/client"
	"github.com/clew-run/clew/internal/ask"
	"github.com/clew-run/clew/internal/term"
	"github.com/clew-run/clew/internal/tui/paint"
)

// cellLines is how much of what a cell put out a folded row shows.
const cellLines = 12

// A cellState is how the run of a cell stands.
type cellState struct {
	name   string // by its place
	source string // its first line
	status clew.CellStatus
	word   string // for people
	tookMS int64
	lost   bool
}

// A runKey names a run of a cell. Without a run it names the cell: what became of a run
// is known of the cell's last one only.
type runKey struct{ notebook, cell, run string }

// runsOf says of each cell what it is called, and of its last run how it stands.
func runsOf(r *client.Replica) map[runKey]cellState {
	runs := map[runKey]cellState{}
	for i := range r.Cells {
		c := &r.Cells[i]
		s := cellState{source: term.FirstLine(c.Source)}
		last := cellState{source: s.source, status: c.Status, word: ask.CellStatus(c), tookMS: c.DurationMS, lost: c.OutputsLost}
		for j := range r.Notebooks {
			n := &r.Notebooks[j]
			if n.NotebookID != c.NotebookID {
				continue
			}
			s.name, last.name = ask.CellName(n, &clew.CellInfo{CellID: c.CellID}), ask.CellName(n, c)
			if n.Run != nil && n.Run.CellID == c.CellID && n.Run.RunID != c.RunID { // the run is repeated, which is shown nowhere
				last.status, last.word = "", ""
			}
		}
		runs[runKey{c.NotebookID, c.CellID, ""}] = s
		if c.RunID != "" {
			runs[runKey{c.NotebookID, c.CellID, c.RunID}] = last
		}
	}
	return runs
}

// takeRuns takes over how the runs of cells stand.
func (f *Feed) takeRuns(r *client.Replica) {
	if runs := runsOf(r); !maps.Equal(runs, f.runs) {
		f.runs, f.dirty = runs, true
	}
}

// runOf gives how a run stands, as far as that is known.
func (f *Feed) runOf(c *clew.MessageCell) cellState {
	if s, ok := f.runs[runKey{c.NotebookID, c.CellID, c.RunID}]; ok {
		return s
	}
	return f.runs[runKey{c.NotebookID, c.CellID, ""}]
}

// joinsRun puts what a kernel put out into the row of its run.
func (b *builder) joinsRun(e *entry) bool {
	key := "run:" + e.Cell.RunID
	if owner := b.owners[key]; owner != nil {
		owner.more = append(owner.more, e)
		return true
	}
	return false
}

func (r *Row) drawCell(width int) []paint.Line {
	s := r.cell
	if s.status == "" {
		s.status = r.seemsToBe()
		s.word = ask.CellStatus(&clew.CellInfo{Status: s.status})
	}
	m, word := cellMark(s.status), s.word
	if s.tookMS >= 1000 {
		word = strings.TrimSpace(fmt.Sprintf("%s %.1f s", word, float64(s.tookMS)/1000))
	}
	arrow := "▸ "
	if r.Open {
		arrow = "▾ "
	}
	left := paint.L(paint.S(paint.Past, arrow), paint.B(paint.Soft, cmp.Or(s.name, "cell")), paint.S(paint.Soft, "  "+s.source))
	lines := []paint.Line{paint.Between(left, paint.L(paint.S(m.ink, word)).Cut(width/2), width)}
	var out []paint.Line
	for _, e := range append([]*entry{r.first}, r.more...) {
		ink := paint.Plain
		if e.Cell.Output == clew.OutputError {
			ink = paint.Fail
		}
		if text := ask.CellText(&e.Message); text != "" {
			out = append(out, paint.Paragraphs(paint.Style{Ink: ink}, text, max(width-2, 8))...)
		}
	}
	if s.lost {
		out = append(out, paint.L(paint.S(paint.Soft, "Output may be missing: the server was not there to read it.")).Cut(width-2))
	}
	for _, l := range r.shownOf(out) {
		lines = append(lines, l.With(paint.S(paint.Plain, "  ")))
	}
	return r.onThread(m, lines)
}

// seemsToBe says by what a run put out how it stands. What became of earlier runs of a
// cell is not held.
func (r *Row) seemsToBe() clew.CellStatus {
	if r.first.Partial {
		return clew.CellRunning
	}
	if r.first.Cell.Output == clew.OutputError || slices.ContainsFunc(r.more, func(e *entry) bool { return e.Cell.Output == clew.OutputError }) {
		return clew.CellError
	}
	return clew.CellOK
}

// shownOf is all of a cell's output if the row is open, and its end otherwise: the
// result and the error stand there.
func (r *Row) shownOf(out []paint.Line) []paint.Line {
	if r.Open {
		return limited(out)
	}
	if extra := len(out) - cellLines; extra > 0 {
		cut := paint.L(paint.S(paint.Past, "… "+term.Count(extra, "line")+" before"))
		return append([]paint.Line{cut}, out[extra:]...)
	}
	return out
}

func cellMark(s clew.CellStatus) mark {
	switch s {
	case clew.CellRunning:
		return markRun
	case clew.CellError, clew.CellInDoubt:
		return markFail
	case clew.CellAborted:
		return markLeft
	case clew.CellOK:
		return markDone
	case clew.CellQueued:
	}
	return markPast
}
