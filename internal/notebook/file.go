package notebook

import (
	"context"
	"errors"
	"io/fs"
	"strconv"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/notebook/nbfile"
	"github.com/clew-run/clew/internal/session"
	"github.com/clew-run/clew/internal/session/decide"
	"github.com/clew-run/clew/internal/tool"
	"github.com/clew-run/clew/internal/tool/files"
	"github.com/clew-run/clew/internal/tool/workspace"
)

// maxFile is what a notebook's file may have.
const maxFile = 64 << 20

// readFile reads the notebook's file and records what it has, or why it cannot be read.
func (w *worker) readFile(ctx context.Context, v session.NotebookView) error {
	d, err := w.readCells(ctx, v)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	report := decide.ReadNotebook{NotebookReadData: d}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		report.Missing = true
	case err != nil:
		report.NotebookReadData = clew.NotebookReadData{Problem: reason(err)}
	}
	report.NotebookID = v.Notebook.ID
	_, err = w.desk.Report(ctx, report)
	return err
}

func (w *worker) readCells(ctx context.Context, v session.NotebookView) (clew.NotebookReadData, error) {
	if v.Notebook.Path == "" {
		return clew.NotebookReadData{}, fs.ErrNotExist
	}
	place, err := w.place(v)
	if err != nil {
		return clew.NotebookReadData{}, err
	}
	defer func() { _ = workspace.Close(place) }()
	b, err := readFile(place, v.Notebook.Path)
	if err != nil {
		return clew.NotebookReadData{}, err
	}
	return nbfile.Take(b, func(b []byte) (string, error) { return w.cfg.Blobs.PutBlob(ctx, by(v), b) })
}

// place opens the session's workspace; it is closed by the caller.
func (w *worker) place(v session.NotebookView) (*tool.Workspace, error) {
	return w.cfg.Workspace(v.Session, v.Owner, v.Workspace, w.values(v.Settings))
}

// readFile reads a file of the workspace. That it is not there is fs.ErrNotExist.
func readFile(place *tool.Workspace, name string) ([]byte, error) {
	if _, err := place.Root.Stat(name); errors.Is(err, fs.ErrNotExist) {
		return nil, fs.ErrNotExist
	}
	_, b, err := files.Attached(place, name, maxFile)
	return b, err
}

// make makes the file of a notebook.
func (w *worker) make(ctx context.Context, v session.NotebookView) ([]byte, error) {
	return nbfile.Make(&v.Notebook, nbfile.Source{
		Session: v.Session, Kernel: v.Notebook.KernelToStart(),
		Blob: func(address string) ([]byte, error) { return w.cfg.Blobs.Blob(ctx, address) },
	})
}

// besideName is a name for a file beside another one.
func besideName(name string, try int) string {
	base := name
	if ext := ".ipynb"; len(name) > len(ext) && name[len(name)-len(ext):] == ext {
		base = name[:len(name)-len(ext)]
	}
	return base + "-clew" + strconv.Itoa(try) + ".ipynb"
}
