package agent

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/session"
	"github.com/clew-run/clew/internal/session/core"
	"github.com/clew-run/clew/internal/tool"
)

// What a model reads of a notebook at once, in bytes: of all of it, of a source and of the
// outputs of a cell. Cells that are asked for by their ids are shown with more.
const (
	notebookTextMax = 48 << 10
	cellSourceShown = 2 << 10
	cellOutputShown = 1 << 10
	cellInFull      = 16 << 10
	cellImagesShown = 4
)

// How long a notebook that is being opened is waited for.
const (
	openingTries = 100
	openingPause = 50 * time.Millisecond
)

// lookAtNotebook carries out a call that only reads.
func (w *worker) lookAtNotebook(ctx context.Context, v session.View, c core.Call, n *notebookCall) (tool.Result, error) {
	switch {
	case n.book == nil:
		return w.kernelList(ctx, v)
	case c.Tool == toolKernel:
		return w.variables(ctx, v, n)
	}
	r, err := w.openedNotebook(ctx, n.book.ID)
	if err != nil {
		return tool.Result{}, err
	}
	if r.Notebook.Status == clew.NotebookFailed {
		return tool.Result{Text: "The notebook cannot be read: " + r.Notebook.Problem, IsError: true}, nil
	}
	return notebookText(r, n.in.Cells), nil
}

// openedNotebook waits a little for a notebook whose file is being read.
func (w *worker) openedNotebook(ctx context.Context, id string) (session.NotebookReading, error) {
	for range openingTries {
		r, err := w.desk.ReadNotebook(id)
		if err != nil || r.Notebook.Status != clew.NotebookOpening {
			return r, err
		}
		if err := w.cfg.Pause(ctx, openingPause); err != nil {
			return r, err
		}
	}
	return session.NotebookReading{}, errors.New("the notebook is still being opened; try again")
}

// notebookText is a notebook as a model reads it.
func notebookText(r session.NotebookReading, only []string) tool.Result {
	n := &r.Notebook
	var b strings.Builder
	fmt.Fprintf(&b, "notebook %s, %d cells, kernel %s", visible(n.ID+" "+n.Path), len(n.Cells), kernelWords(n))
	if n.Conflict {
		b.WriteString(", its file was changed by somebody else")
	}
	b.WriteString("\n")
	source, output, out := cellSourceShown, cellOutputShown, tool.Result{}
	if len(only) > 0 {
		source, output = cellInFull, cellInFull
	}
	for i, c := range n.Cells {
		if len(only) > 0 && !slices.Contains(only, c.CellID) {
			continue
		}
		if b.Len() > notebookTextMax {
			fmt.Fprintf(&b, "\n… %d more cells: ask for them by their ids, from %s on", len(n.Cells)-i, c.CellID)
			break
		}
		fmt.Fprintf(&b, "\n--- cell %s (%d, %s%s)\n%s\n", c.CellID, i+1, c.Type, cellWords(n, c), clipEnd(sourceOf(c), source))
		if text := outputsOf(r.Outputs[c.CellID]); text != "" {
			fmt.Fprintf(&b, "--- output\n%s\n", clipEnd(text, output))
		}
		if len(only) > 0 {
			out.Images = append(out.Images, imagesOf(r.Outputs[c.CellID])...)
		}
	}
	out.Images = out.Images[:min(len(out.Images), cellImagesShown)]
	out.Text = b.String()
	return out
}

// kernelWords says how the kernel stands.
func kernelWords(n *core.Notebook) string {
	text := string(n.Kernel.State)
	if n.Kernel.Name != "" {
		text = n.Kernel.Name + " " + text
	}
	if n.Kernel.Ahead {
		text += " (it ran what the notebook does not show any more; restart it to be sure)"
	}
	return text
}

// cellWords says what became of a cell.
func cellWords(n *core.Notebook, c *core.Cell) string {
	text := ""
	switch {
	case n.Run != nil && n.Run.CellID == c.CellID:
		text = ", running"
	case n.Busy(c.CellID):
		text = ", waits to run"
	case c.Status != "":
		text = fmt.Sprintf(", %s, run %d", c.Status, c.ExecutionCount)
	}
	if c.Status != "" && n.Stale(c) {
		text += ", stale"
	}
	return text
}

func sourceOf(c *core.Cell) string {
	if c.SourceBlob != "" {
		return "(the source is too long to show)"
	}
	return c.Source
}

// outputsOf is the text of what a cell put out.
func outputsOf(list []clew.Message) string {
	var parts []string
	for i := range list {
		m := &list[i]
		text := strings.TrimRight(m.Text, "\n")
		if n := len(m.Images); n > 0 {
			text = strings.TrimSpace(fmt.Sprintf("%s\n[%d images]", text, n))
		}
		if m.Cell == nil || m.Cell.Output == clew.OutputStatus || m.Cell.Cleared || text == "" {
			continue
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, "\n")
}

func imagesOf(list []clew.Message) (images []string) {
	for i := range list {
		if list[i].Cell != nil && !list[i].Cell.Cleared {
			images = append(images, list[i].Images...)
		}
	}
	return images
}

// clipEnd keeps the beginning of a text.
func clipEnd(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + fmt.Sprintf("\n… %d bytes left out; ask for the cell by its id to see more", len(text)-most)
}

// variables is what the kernel knew after the last run.
func (w *worker) variables(ctx context.Context, v session.View, n *notebookCall) (tool.Result, error) {
	if n.book.Variables == "" || !n.book.Kernel.State.Alive() {
		return tool.Result{Text: "The kernel knows no variables: it is " + string(n.book.Kernel.State) + "."}, nil
	}
	b, err := w.cfg.Blobs.Blob(ctx, n.book.Variables)
	if err != nil {
		return tool.Result{}, errors.New("the list of variables cannot be read")
	}
	return tool.Result{Text: clipEnd(string(b), notebookTextMax)}, nil
}
