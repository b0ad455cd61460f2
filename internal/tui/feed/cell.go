package feed

import (
	"cmp"
	"fmt"
	"maps"
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

// runsOf says of the last run of each cell how it stands.
func runsOf(r *client.Replica) map[string]cellState {
	runs := map[string]cellState{}
	for i := range r.Cells {
		c := &r.Cells[i]
		if c.RunID == "" {
			continue
		}
		s := cellState{source: term.FirstLine(c.Source), status: c.Status, word: ask.CellStatus(c), tookMS: c.DurationMS, lost: c.OutputsLost}
		for j := range r.Notebooks {
			if r.Notebooks[j].NotebookID == c.NotebookID {
				s.name = ask.CellName(&r.Notebooks[j], c)
			}
		}
		runs[c.RunID] = s
	}
	return runs
}

// takeRuns takes over how the runs of cells stand.
func (f *Feed) takeRuns(r *client.Replica) {
	if runs := runsOf(r); !maps.Equal(runs, f.runs) {
		f.runs, f.dirty = runs, true
	}
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
	m, word := cellMark(s.status), s.word
	if s.status == "" && r.first.Partial {
		m, word = markRun, "running"
	}
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
