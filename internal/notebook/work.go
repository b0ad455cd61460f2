package notebook

import (
	"context"
	"errors"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/session"
	"github.com/clew-run/clew/internal/session/blob"
	"github.com/clew-run/clew/internal/session/core"
	"github.com/clew-run/clew/internal/session/decide"
)

// Work implements session.Notebooks. Each step is taken from the notebook as it stands on
// record; it returns when there is nothing to do for now.
func (r *Runner) Work(ctx context.Context, desk *session.NotebookContext) error {
	w := &worker{Runner: r, desk: desk}
	failed := true // also by a panic, which the session recovers
	defer func() {
		if failed {
			w.leaveRerun(ctx)
		}
	}()
	err := w.steps(ctx)
	failed = err != nil
	return err
}

// steps takes one step after the other.
func (w *worker) steps(ctx context.Context) error {
	for ctx.Err() == nil {
		v, err := w.desk.Look(ctx)
		if err != nil {
			return over(err)
		}
		more, err := w.step(ctx, v)
		if err != nil && !v.Notebook.Closed && w.closedNow(ctx) {
			continue // what it was at is on record no more; its kernel is left to be ended
		}
		if err != nil || !more {
			return over(err)
		}
	}
	return nil
}

// Lose implements session.Notebooks.
func (r *Runner) Lose(ctx context.Context, v session.NotebookView) {
	if err := (&worker{Runner: r}).endKernel(ctx, v); err != nil {
		r.cfg.Log.Warn("a kernel that is lost could not be ended", "session", v.Session, "err", err)
	}
}

// closedNow says whether somebody closed the notebook.
func (w *worker) closedNow(ctx context.Context) bool {
	v, err := w.desk.Look(ctx)
	return err == nil && v.Notebook.Closed
}

// over takes the error of a notebook that is not to be worked for any more for none.
func over(err error) error {
	if errors.Is(err, session.ErrNotebookOver) || errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}

// worker is the runner at one stretch of work for a notebook.
type worker struct {
	*Runner
	desk       *session.NotebookContext
	ran        bool // it ran something, so the file is to be written
	saveFailed bool
	filesDue   bool // a cell may have changed files since they were saved
	past       repeatedRuns
}

// step does what comes next and reports whether there may be more to do at once.
func (w *worker) step(ctx context.Context, v session.NotebookView) (more bool, err error) {
	n := &v.Notebook
	if n.Run == nil && !v.Rewinding {
		if done, err := w.rerunning(ctx, v); done || err != nil {
			return true, err
		}
	}
	switch {
	case v.Rewinding && n.Kernel.State.Alive() && (n.Kernel.Wanted == clew.WishStop || n.Kernel.Wanted == clew.WishRestart):
		return true, w.stop(ctx, v)
	case v.Rewinding:
		return false, nil
	case n.Closed:
		return true, w.stop(ctx, v)
	case n.Status == clew.NotebookOpening:
		return true, w.readFile(ctx, v)
	case n.Run != nil:
		return true, w.resume(ctx, v)
	case n.Kernel.Wanted != "":
		return true, w.grant(ctx, v)
	case n.Kernel.State == clew.KernelStarting || n.Kernel.State == clew.KernelRestarting:
		_, err := w.kernel(ctx, v)
		return true, err
	case w.filesDue:
		w.saveFiles(ctx, v, "after a cell")
		return true, nil
	case n.Save != nil && !n.Rerun.UnderWay():
		return true, w.save(ctx, v)
	case len(n.Queue) > 0:
		return true, w.run(ctx, v)
	case w.unsaved(v):
		return true, w.autosave(ctx, v)
	}
	if !n.Kernel.State.Alive() {
		return false, nil
	}
	k, err := w.kernel(ctx, v)
	if err != nil || k == nil { // that it is gone is on record
		return err == nil, err
	}
	return w.tend(ctx, v, k)
}

// tend waits at an idle kernel, so that its end is noticed. If only the connection ends, that
// is made anew when there is something to do.
func (w *worker) tend(ctx context.Context, v session.NotebookView, k *attached) (more bool, err error) {
	waits, cancel := context.WithCancel(ctx)
	defer cancel()
	changed := make(chan error, 1)
	go func() { changed <- w.desk.Await(waits, v.Seq) }()
	select {
	case err := <-changed:
		return true, err
	case <-k.process.Done():
	case <-k.client.Done():
		w.drop(k)
		k.close()
		w.hold(k.id, k.process)
		select {
		case err := <-changed:
			return true, err
		case <-k.process.Done():
		}
	}
	cancel()
	<-changed
	if ctx.Err() != nil {
		return false, ctx.Err()
	}
	return true, w.died(ctx, v, k, "the kernel ended: "+goneOf(k.process).how)
}

// died records that a kernel has ended, and then removes what is left of it.
func (w *worker) died(ctx context.Context, v session.NotebookView, k *attached, reason string) error {
	w.drop(k)
	k.close()
	w.hold(k.id, k.process)
	if err := w.change(ctx, &v.Notebook, clew.KernelChangedData{KernelID: k.id, State: clew.KernelDead, Reason: reason}, clew.CellAborted); err != nil {
		return err
	}
	w.forget(k.id)
	return nil
}

// run runs the first cell of the queue.
func (w *worker) run(ctx context.Context, v session.NotebookView) error {
	k, err := w.kernel(ctx, v)
	if err != nil || k == nil {
		return err
	}
	start := decide.StartCell{RunID: v.Notebook.Queue[0].ID, KernelID: k.id}
	if run := v.Notebook.Queue[0]; repeats(run) {
		was, err := w.pastRun(ctx, v, run)
		if err != nil {
			return err
		}
		start.Code, start.CodeBlob = was.Code, was.CodeBlob
	}
	r, err := w.desk.Report(ctx, start)
	if err != nil {
		return w.overtaken(ctx, v, err)
	}
	w.ran, w.filesDue = true, true
	source := r.Source
	if r.SourceBlob != "" {
		b, err := w.cfg.Blobs.Blob(ctx, r.SourceBlob)
		if err != nil {
			return w.finish(ctx, clew.CellFinishedData{RunID: r.Run.ID, CellID: r.Run.CellID, Status: clew.CellAborted, Reason: "its source cannot be read"})
		}
		source = string(b)
	}
	return w.execute(ctx, v, k, r.Run, source)
}

// overtaken takes an error for none if the notebook has changed since: while a kernel
// starts, people take cells out of the queue.
func (w *worker) overtaken(ctx context.Context, v session.NotebookView, err error) error {
	if now, lookErr := w.desk.Look(ctx); clew.CodeOf(err) == clew.SessionInvalidState && lookErr == nil && now.Seq != v.Seq {
		return nil
	}
	return err
}

// finish ends a run of which there is nothing to tell but how it ended.
func (w *worker) finish(ctx context.Context, d clew.CellFinishedData) error {
	_, err := w.desk.Report(ctx, decide.FinishCell{CellFinishedData: d, Text: d.Reason})
	return err
}

// change records what the kernel does now.
func (w *worker) change(ctx context.Context, n *core.Notebook, d clew.KernelChangedData, run clew.CellStatus) error {
	d.NotebookID = n.ID
	_, err := w.desk.Report(ctx, decide.ChangeKernel{KernelChangedData: d, RunStatus: run})
	return err
}

// by says for whom blobs are kept.
func by(v session.NotebookView) blob.For { return blob.For{User: v.Owner, Session: v.Session} }

// elapsed is the time by which records are timed.
func (w *worker) elapsed() time.Duration { return w.cfg.Clock.Elapsed() }
