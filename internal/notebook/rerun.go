package notebook

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/crash"
	"github.com/clew-run/clew/internal/session"
	"github.com/clew-run/clew/internal/session/core"
	"github.com/clew-run/clew/internal/session/decide"
)

// A rerun takes a fresh kernel to where the notebook is: what ran runs again, in the order
// in which it ran. Like everything else it is on record step by step, so it does not matter
// who took the step before: it is asked for; what runs again is looked up, and the files are
// saved; the runs are queued, and the kernel begins anew; files go to where the first run
// found them; the runs run; files go back; it is over.

// rerunning does the steps of a rerun that are not runs. done says that there was one.
func (w *worker) rerunning(ctx context.Context, v session.NotebookView) (done bool, err error) {
	x := v.Notebook.Rerun
	switch {
	case !x.UnderWay():
		return false, nil
	case x.Status == clew.RerunPreparing:
		return true, w.prepareRerun(ctx, v)
	case v.Notebook.Kernel.Wanted != "" || slices.ContainsFunc(v.Notebook.Queue, repeats):
		return false, nil
	}
	return true, w.endRerun(ctx, v)
}

func repeats(r core.CellRun) bool { return r.Repeats != "" }

// prepareRerun looks up what runs again, and saves the files.
func (w *worker) prepareRerun(ctx context.Context, v session.NotebookView) error {
	x := v.Notebook.Rerun
	start, err := w.planRerun(ctx, x)
	if ctx.Err() != nil || errors.Is(err, session.ErrNotebookOver) {
		return cmp.Or(ctx.Err(), err)
	}
	if err != nil {
		_, err := w.desk.Report(ctx, decide.EndRerun{RerunID: x.ID, Reason: reason(err)})
		return err
	}
	_, err = w.desk.Report(ctx, start)
	return err
}

func (w *worker) planRerun(ctx context.Context, x *core.Rerun) (decide.StartRerun, error) {
	start := decide.StartRerun{RerunID: x.ID}
	runs, before, err := w.desk.PastRuns(ctx, x.SinceSeq, x.Seq)
	if err != nil {
		return start, err
	}
	if len(runs) > core.CellRunsMax {
		return start, clew.Errorf(clew.SessionInvalidState, "%d cells ran; at most %d can run again", len(runs), core.CellRunsMax)
	}
	for _, r := range runs {
		start.Runs = append(start.Runs, r.RepeatedRun)
	}
	if !x.Files || before == "" || len(runs) == 0 {
		return start, nil
	}
	saved, err := w.desk.SaveFiles(ctx, "before cells run again")
	start.Saved, start.Before = &saved, before
	return start, err
}

// pastRun gives what a run that repeats another one runs. Before the first one files go to
// where that found them.
func (w *worker) pastRun(ctx context.Context, v session.NotebookView, run core.CellRun) (session.PastRun, error) {
	x := v.Notebook.Rerun
	if x == nil {
		return session.PastRun{}, clew.Errorf(clew.Internal, "run %s repeats another one without a rerun", run.ID)
	}
	was, err := w.repeated(ctx, v, run)
	if err != nil {
		return was, err
	}
	if x.Before != "" && x.Done == 0 {
		if err := w.desk.RestoreFiles(ctx, x.ID+"_before", x.Before); err != nil {
			return was, err
		}
		crash.At("rerun.files")
	}
	return was, nil
}

// repeatedRuns is what ran, by run, while a rerun is under way, and the variables that had
// other values than at first after the last run.
type repeatedRuns struct {
	rerun     string
	runs      map[string]session.PastRun
	differing []string
}

// repeated gives the run that another one repeats.
func (w *worker) repeated(ctx context.Context, v session.NotebookView, run core.CellRun) (session.PastRun, error) {
	x := v.Notebook.Rerun
	if w.past.rerun != x.ID {
		runs, _, err := w.desk.PastRuns(ctx, x.SinceSeq, x.Seq)
		if err != nil {
			return session.PastRun{}, err
		}
		w.past = repeatedRuns{rerun: x.ID, runs: map[string]session.PastRun{}}
		for _, r := range runs {
			w.past.runs[r.Repeats] = r
		}
		w.past.differing = w.differedBefore(ctx, v, run)
	}
	was, ok := w.past.runs[run.Repeats]
	if !ok {
		return was, clew.Errorf(clew.Internal, "there is no run %s", run.Repeats)
	}
	return was, nil
}

// compare says what a run that repeats another one changed otherwise: what differs after
// it, and did not before. If that cannot be said, it is neither the same nor differing.
func (e *execution) compare(ctx context.Context, list []variable) (same bool, changed []string) {
	if !repeats(e.run) {
		return false, nil
	}
	v, err := e.desk.Look(ctx)
	if err != nil || v.Notebook.Rerun == nil {
		return false, nil
	}
	was, err := e.repeated(ctx, v, e.run)
	if err != nil {
		return false, nil
	}
	first, ok := e.knew(ctx, was.Variables)
	if !ok {
		return false, nil
	}
	before := e.past.differing
	e.past.differing = differing(first, list)
	for _, name := range e.past.differing {
		if !slices.Contains(before, name) {
			changed = append(changed, name)
		}
	}
	return len(changed) == 0, changed
}

// differedBefore names the variables that had other values than at first before a run, which
// an earlier server found: it may have followed the runs before.
func (w *worker) differedBefore(ctx context.Context, v session.NotebookView, run core.CellRun) (names []string) {
	x := v.Notebook.Rerun
	at := slices.IndexFunc(x.Runs, func(r clew.RepeatedRun) bool { return r.Repeats == run.Repeats })
	if at <= 0 {
		return nil
	}
	first, known := w.knew(ctx, w.past.runs[x.Runs[at-1].Repeats].Variables)
	now, knows := w.knew(ctx, v.Notebook.Variables)
	if known && knows {
		return differing(first, now)
	}
	for _, d := range x.Differences {
		names = append(names, d.Variables...)
	}
	return names
}

// knew reads what a kernel knew, false if that is not on record.
func (w *worker) knew(ctx context.Context, address string) (list []variable, ok bool) {
	if address == "" {
		return nil, false
	}
	b, err := w.cfg.Blobs.Blob(ctx, address)
	return list, err == nil && json.Unmarshal(b, &list) == nil
}

// leaveRerun takes files back to where they belong if a rerun is under way with which
// nobody can go on. A cell that still runs, or that is to, would write into them: its kernel
// is ended first, and goes on record as lost.
func (w *worker) leaveRerun(ctx context.Context) {
	v, err := w.desk.Look(ctx)
	if err != nil {
		return
	}
	n, x := &v.Notebook, v.Notebook.Rerun
	if ctx.Err() != nil || !x.UnderWay() || x.After == "" {
		return
	}
	if n.Run != nil || len(n.Queue) > 0 {
		if err := w.endKernel(ctx, v); err != nil {
			w.cfg.Log.Warn("the kernel of a rerun that failed could not be ended", "session", v.Session, "notebook", n.ID, "err", err)
		}
	}
	if err := w.desk.RestoreFiles(ctx, x.ID+"_after", x.After); err != nil {
		w.cfg.Log.Warn("the files of a rerun that failed could not be restored", "session", v.Session, "notebook", v.Notebook.ID, "err", err)
	}
}

// endRerun takes files back to where they were, and ends the rerun.
func (w *worker) endRerun(ctx context.Context, v session.NotebookView) error {
	n, x := &v.Notebook, v.Notebook.Rerun
	w.past = repeatedRuns{}
	d := decide.EndRerun{RerunID: x.ID, Restored: x.After}
	if !n.Kernel.State.Alive() { // also if it ended in the last run
		d.Reason = n.Kernel.Reason
	}
	if x.After != "" {
		err := w.desk.RestoreFiles(ctx, x.ID+"_after", x.After)
		if ctx.Err() != nil || errors.Is(err, session.ErrNotebookOver) {
			return cmp.Or(ctx.Err(), err)
		}
		if err != nil {
			d.Restored, d.Reason = "", "the files could not be restored: "+reason(err)
		}
	}
	crash.At("rerun.done")
	_, err := w.desk.Report(ctx, d)
	return err
}

// saveWithin is how long files are saved before a kernel begins or a cell runs. Those of a
// workspace that takes longer are saved when an agent or a person does so.
const saveWithin = 10 * time.Second

// saveFiles makes a checkpoint, so that files can be taken back to here. Where that
// cannot be, the work goes on without.
func (w *worker) saveFiles(ctx context.Context, v session.NotebookView, why string) {
	w.filesDue = false
	if !w.values(v.Settings).Checkpoints || v.Notebook.Rerun.UnderWay() {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, saveWithin)
	defer cancel()
	saved, err := w.desk.SaveFiles(ctx, why)
	if err == nil {
		_, err = w.desk.Report(ctx, decide.SaveFiles{Saved: saved, Reason: why})
	}
	if err != nil {
		w.cfg.Log.Debug("files were not saved", "session", v.Session, "notebook", v.Notebook.ID, "err", err)
	}
}
