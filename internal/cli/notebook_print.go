package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/client"
	"github.com/clew-run/clew/internal/ask"
	"github.com/clew-run/clew/internal/cli/env"
	"github.com/clew-run/clew/internal/term"
)

// session makes the session that a notebook runs in.
func (x *notebookRunner) session(ctx context.Context, c *env.Rest) (clew.SessionID, error) {
	id, err := c.API().CreateSession(ctx, client.NewSession{
		Title: "Run of " + x.file.name, Workspace: x.file.dir, Environment: c.Terminal(x.a.Environ),
	})
	if err == nil && !x.a.JSON {
		_, _ = fmt.Fprintf(x.a.Err, "%s\n", id)
	}
	return id, err
}

// note tells what became of cells since the last time. The cells that wait at first are
// those that were to run.
func (x *notebookRunner) note() {
	n := x.w.notebook()
	if n == nil {
		return
	}
	if x.queue == nil {
		if n.Run != nil {
			x.queue = append(x.queue, n.Run.CellID)
		}
		for _, r := range n.Queue {
			x.queue = append(x.queue, r.CellID)
		}
	}
	for _, id := range x.queue {
		c := x.w.cell(id)
		if c == nil || c.Status == x.told[id] {
			continue
		}
		if c.StartedMS > 0 && c.Status != clew.CellQueued && c.Status != clew.CellRunning { // one change may bring its begin, its outputs and its end
			if x.told[id] != clew.CellRunning {
				x.tell(c, clew.CellRunning)
			}
			x.put(c.Outputs)
		}
		x.told[id] = c.Status
		x.tell(c, c.Status)
	}
}

// tell says on standard error what a cell does.
func (x *notebookRunner) tell(c *clew.CellInfo, status clew.CellStatus) {
	if x.a.JSON || status == clew.CellQueued {
		return
	}
	x.endLine()
	name := fmt.Sprintf("[%d/%d]", x.number(c.CellID), len(x.w.notebook().Cells))
	switch {
	case status == clew.CellRunning:
		_, _ = fmt.Fprintf(x.a.Err, "%s %s\n", name, env.Cut(env.Plain(term.FirstLine(c.Source)), 100))
	case status == clew.CellOK:
		_, _ = fmt.Fprintf(x.a.Err, "%s done, %s\n", name, term.Duration(time.Duration(c.DurationMS)*time.Millisecond))
	case c.Reason != "":
		_, _ = fmt.Fprintf(x.a.Err, "%s %s: %s\n", name, ask.CellStatus(c), env.Plain(c.Reason))
	default:
		_, _ = fmt.Fprintf(x.a.Err, "%s %s\n", name, ask.CellStatus(c))
	}
}

// print writes what is new of messages, behind the line of their cell.
func (x *notebookRunner) print(changed []clew.MessageID) {
	x.note()
	x.put(changed)
}

// put writes what is new of messages: of a stream as it grows, of all else once it is
// whole.
func (x *notebookRunner) put(changed []clew.MessageID) {
	if x.a.JSON {
		return
	}
	for _, id := range changed {
		m := x.w.state.Message(id)
		if m == nil || m.Cell == nil || m.Cell.NotebookID != x.w.book {
			continue
		}
		text := ask.CellText(m)
		if m.Cell.Output == clew.OutputStream { // its end may be a part of a line
			text = m.Text
		} else if m.Partial || text == "" {
			continue
		} else {
			x.endLine()
			text += "\n"
		}
		if n := x.shown[id]; n < len(text) {
			x.shown[id] = len(text)
			_, _ = fmt.Fprint(x.a.Out, term.Clean(text[n:]))
			x.open = !strings.HasSuffix(text, "\n")
		}
	}
}

// endLine ends a line that was begun.
func (x *notebookRunner) endLine() {
	if x.open {
		_, _ = fmt.Fprintln(x.a.Out)
		x.open = false
	}
}

// say tells a person how it ended.
func (x *notebookRunner) say(done ranNotebook) error {
	x.endLine()
	ran := len(slices.DeleteFunc(slices.Clone(done.Cells), func(c ranCell) bool { return c.Status != clew.CellOK }))
	switch done.Status {
	case notebookOK:
		_, _ = fmt.Fprintf(x.a.Err, "%s ran.\n", term.Count(ran, "cell"))
	case notebookAsks:
		for i := range x.w.state.Questions {
			_, _ = fmt.Fprintf(x.a.Err, "It waits for an answer: %s\n", env.Plain(ask.Line(x.w.state.Questions[i])))
		}
		_, _ = fmt.Fprintf(x.a.Err, "Answer it: %s\n", x.w.c.Line("attach", string(done.SessionID)))
	default:
		_, _ = fmt.Fprintf(x.a.Err, "✕ %s: %s.\n", strings.ToUpper(done.Status[:1])+done.Status[1:], strings.TrimSuffix(env.Plain(done.Message), "."))
	}
	if done.Saved {
		_, _ = fmt.Fprintf(x.a.Err, "Saved to %s.\n", env.Plain(x.file.name))
	}
	return nil
}
