package cli

import (
	"context"
	"errors"
	"slices"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/client"
	"github.com/clew-run/clew/internal/cli/env"
	"github.com/clew-run/clew/internal/cli/follow"
)

// A notebookWatch is a notebook of a session as it stands, kept up to date while until
// runs. It belongs to one goroutine.
type notebookWatch struct {
	c     *env.Rest
	id    clew.SessionID
	cl    *client.Client
	state client.Replica
	book  string // the notebook's id, "" before it is open
}

// watchNotebook connects to a session.
func watchNotebook(ctx context.Context, c *env.Rest, id clew.SessionID) (*notebookWatch, error) {
	o := c.Dialing(id)
	o.View, o.Retry = clew.ViewState, follow.Patient
	cl, err := client.Dial(ctx, o)
	if err != nil {
		return nil, err
	}
	w := &notebookWatch{c: c, id: id, cl: cl}
	if err := w.until(ctx, w.state.Known, nil); err != nil {
		cl.Close()
		return nil, err
	}
	return w, nil
}

func (w *notebookWatch) close() { w.cl.Close() }

// stateOf is the state of a session as it is now.
func stateOf(ctx context.Context, c *env.Rest, id clew.SessionID) (*client.Replica, error) {
	ctx, cancel := context.WithTimeout(ctx, env.RequestTimeout)
	defer cancel()
	w, err := watchNotebook(ctx, c, id)
	if err != nil {
		return nil, err
	}
	defer w.close()
	return &w.state, nil
}

// until takes what happens in, until something is so. changed is told of messages.
func (w *notebookWatch) until(ctx context.Context, so func() bool, changed func([]clew.MessageID)) error {
	if so() {
		return nil
	}
	for e, err := range w.cl.Follow(ctx) {
		if err != nil {
			return err
		}
		ev, err := w.state.Take(e)
		if err != nil {
			return err
		}
		if changed != nil {
			changed(messagesIn(ev))
		}
		if so() {
			return nil
		}
	}
	return errors.Join(ctx.Err(), w.cl.Err(), clew.Errorf(clew.ConnectionFailed, "the server ended the connection"))
}

// messagesIn names the messages that changed with an event.
func messagesIn(ev clew.Event) (ids []clew.MessageID) {
	switch d := ev.Data.(type) {
	case *clew.StateChangedData:
		for i := range d.Put.Message {
			ids = append(ids, d.Put.Message[i].MessageID)
		}
	case *clew.TextData:
		ids = append(ids, d.MessageID)
	}
	return ids
}

// do carries out a command and waits until the state has its effect.
func (w *notebookWatch) do(ctx context.Context, typ clew.CommandType, data any) error {
	got, err := w.c.API().Command(ctx, w.id, "", typ, data)
	if err != nil || len(got.Records) == 0 {
		return err
	}
	last := slices.Max(got.Records)
	return w.until(ctx, func() bool { return w.state.Cursor >= last }, nil)
}

// open opens a notebook and waits until its file was read.
func (w *notebookWatch) open(ctx context.Context, d clew.NotebookOpenData) error {
	known := w.ids()
	if err := w.do(ctx, clew.CommandNotebookOpen, d); err != nil {
		return err
	}
	for _, id := range w.ids() {
		if !slices.Contains(known, id) {
			w.book = id
		}
	}
	if err := w.until(ctx, func() bool { n := w.notebook(); return n == nil || n.Status != clew.NotebookOpening }, nil); err != nil {
		return err
	}
	switch n := w.notebook(); {
	case n == nil:
		return clew.Errorf(clew.SessionInvalidState, "the notebook was closed")
	case n.Status == clew.NotebookFailed:
		return clew.Errorf(clew.ExecutionFailed, "%s cannot be opened: %s", env.FirstOf(d.Path, "the notebook"), n.Problem)
	}
	return nil
}

func (w *notebookWatch) ids() (list []string) {
	for i := range w.state.Notebooks {
		list = append(list, w.state.Notebooks[i].NotebookID)
	}
	return list
}

// notebook is the notebook as it stands, nil if it is not open.
func (w *notebookWatch) notebook() *clew.NotebookInfo {
	for i := range w.state.Notebooks {
		if n := &w.state.Notebooks[i]; n.NotebookID == w.book {
			return n
		}
	}
	return nil
}

// cell finds a cell of the notebook, nil if there is none.
func (w *notebookWatch) cell(id string) *clew.CellInfo {
	for i := range w.state.Cells {
		if c := &w.state.Cells[i]; c.NotebookID == w.book && c.CellID == id {
			return c
		}
	}
	return nil
}
