package notebook

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path"
	"slices"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/crash"
	"github.com/clew-run/clew/internal/notebook/nbfile"
	"github.com/clew-run/clew/internal/session"
	"github.com/clew-run/clew/internal/session/core"
	"github.com/clew-run/clew/internal/session/decide"
	"github.com/clew-run/clew/internal/tool"
	"github.com/clew-run/clew/internal/tool/workspace"
)

// saveEvery is how often a notebook is written by itself.
const saveEvery = 5 * time.Second

// save writes the file that somebody wants written.
func (w *worker) save(ctx context.Context, v session.NotebookView) error {
	want := v.Notebook.Save
	if want.Conflict == clew.ConflictTake {
		return w.readFile(ctx, v)
	}
	name := want.Path
	if name == "" {
		name = v.Notebook.Path
	}
	return w.write(ctx, v, name, want.Conflict)
}

// unsaved says whether the notebook is to be written by itself: something ran since, here
// or at a server that is gone.
func (w *worker) unsaved(v session.NotebookView) bool {
	n := &v.Notebook
	if n.Path == "" || !n.Unsaved() || n.Conflict || w.saveFailed || n.Status != clew.NotebookReady {
		return false
	}
	return w.ran || slices.ContainsFunc(n.Cells, func(c *core.Cell) bool { return c.RanSeq > n.FileSeq })
}

// autosave writes the notebook, or waits until it may.
func (w *worker) autosave(ctx context.Context, v session.NotebookView) error {
	key := string(v.Session) + "/" + v.Notebook.ID
	w.mu.Lock()
	last, was := w.saved[key]
	w.mu.Unlock()
	if wait := saveEvery - (w.elapsed() - last); was && wait > 0 {
		ctx, cancel := context.WithTimeout(ctx, wait)
		defer cancel()
		err := w.desk.Await(ctx, v.Seq)
		if errors.Is(err, context.DeadlineExceeded) {
			return nil
		}
		return err
	}
	w.mu.Lock()
	w.saved[key] = w.elapsed()
	w.mu.Unlock()
	return w.write(ctx, v, v.Notebook.Path, "")
}

// write writes the file and records that it was, or why not. A file that somebody else
// changed is left alone unless they say what to do.
func (w *worker) write(ctx context.Context, v session.NotebookView, name string, on clew.OnConflict) error {
	n := &v.Notebook
	d := clew.NotebookSavedData{NotebookID: n.ID, Path: name, Version: n.Version, AsOf: clew.MessageIDOf(v.AsOf)}
	err := w.writeFile(ctx, v, &d, on)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		d.Hash, d.Problem = "", reason(err)
	}
	w.saveFailed = d.Problem != "" || d.Conflict && d.Path == n.Path
	_, err = w.desk.Report(ctx, decide.SavedNotebook{NotebookSavedData: d})
	return err
}

func (w *worker) writeFile(ctx context.Context, v session.NotebookView, d *clew.NotebookSavedData, on clew.OnConflict) error {
	n := &v.Notebook
	if d.Path == "" {
		return clew.Errorf(clew.InvalidMessage, "the notebook has no file yet; save it with a path")
	}
	b, err := w.make(ctx, v)
	if err != nil {
		return err
	}
	place, err := w.place(v)
	if err != nil {
		return err
	}
	defer func() { _ = workspace.Close(place) }()
	d.Hash = nbfile.Hash(b)
	there, err := readFile(place, d.Path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return err
	case nbfile.Hash(there) == d.Hash: // as after a crash right behind the write
		return nil
	case nbfile.Hash(there) == n.Hash && d.Path == n.Path || on == clew.ConflictOverwrite:
	case on == clew.ConflictBeside:
		if d.Path, err = freeName(place, d.Path); err != nil {
			return err
		}
	default:
		d.Conflict, d.Hash = true, ""
		return nil
	}
	if err := place.Share.Room(int64(len(b) - len(there))); err != nil {
		return err
	}
	if err := replace(place, d.Path, b); err != nil {
		return clew.WrapError(clew.ExecutionFailed, err, "the file cannot be written: %v", err)
	}
	crash.At("notebook.saved")
	return nil
}

func freeName(place *tool.Workspace, name string) (string, error) {
	for try := 1; try < 100; try++ {
		beside := besideName(name, try)
		if _, err := place.Root.Lstat(beside); errors.Is(err, fs.ErrNotExist) {
			return beside, nil
		}
	}
	return "", clew.Errorf(clew.InvalidMessage, "there are too many files beside %s already", name)
}

// replace writes beside the file and renames, so that whoever reads sees the old content
// or the new one, also after a crash. No link leads out of the workspace.
func replace(place *tool.Workspace, name string, b []byte) error {
	if place.Ignored(name, false) {
		return clew.Errorf(clew.Forbidden, "%s is kept from agents by .clewignore or the exclude list", name)
	}
	if dir := path.Dir(name); dir != "." {
		if err := place.Root.MkdirAll(dir, 0o755); err != nil {
			return err
		}
	}
	mode := fs.FileMode(0o644)
	if info, err := place.Root.Lstat(name); err == nil {
		if !info.Mode().IsRegular() {
			return errors.New("it is not a regular file")
		}
		mode = info.Mode().Perm()
	}
	random := make([]byte, 8)
	_, _ = rand.Read(random) // never fails
	temp := path.Join(path.Dir(name), ".clew-"+hex.EncodeToString(random)+".tmp")
	f, err := place.Root.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	_, err = f.Write(b)
	err = errors.Join(err, f.Sync(), f.Close())
	if err == nil {
		err = place.Root.Rename(temp, name)
	}
	if err != nil {
		_ = place.Root.Remove(temp)
	}
	return err
}
