package notebook

import (
	"context"
	"errors"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/session"
	"github.com/clew-run/clew/internal/session/core"
)

// errUnwanted says that somebody wants a kernel ended that does not answer.
var errUnwanted = errors.New("the kernel is to be ended")

// unanswered is what people are told of a kernel that is alive and does not answer.
const unanswered = "the kernel does not answer; it can be restarted"

// attach joins the kernel of a process, until it answers or nobody wants it any more.
func (w *worker) attach(ctx context.Context, id string, p Process, expect string, starting bool) (*attached, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	heeded := make(chan struct{})
	go func() {
		defer close(heeded)
		w.heed(ctx, cancel)
	}()
	defer func() { cancel(nil); <-heeded }()
	k, err := attach(ctx, id, p, expect, starting, w.answerWithin, w.cfg.Log)
	if err != nil && errors.Is(context.Cause(ctx), errUnwanted) {
		return nil, errUnwanted
	}
	return k, err
}

// heed waits until somebody wants the kernel ended.
func (w *worker) heed(ctx context.Context, cancel context.CancelCauseFunc) {
	for {
		v, err := w.desk.Look(ctx)
		if err != nil {
			return
		}
		if ends(&v.Notebook) {
			cancel(errUnwanted)
			return
		}
		if w.desk.Await(ctx, v.Seq) != nil {
			return
		}
	}
}

// ends says whether the kernel is to be ended, whatever it does.
func ends(n *core.Notebook) bool {
	return n.Closed || n.Kernel.Wanted == clew.WishStop || n.Kernel.Wanted == clew.WishRestart
}

// unjoined deals with a run whose kernel cannot be joined. While the process is there, it
// may be that it only does not answer for now: that is waited for, and people may end it.
func (w *worker) unjoined(ctx context.Context, v session.NotebookView, why error) error {
	n := &v.Notebook
	switch {
	case errors.Is(why, errUnwanted):
		return w.finish(ctx, clew.CellFinishedData{RunID: n.Run.ID, CellID: n.Run.CellID, Status: clew.CellAborted, OutputsLost: true, Reason: "the kernel was ended"})
	case !errors.Is(why, context.DeadlineExceeded):
		return w.lost(ctx, v, why)
	case n.Kernel.Reason != unanswered:
		return w.change(ctx, n, clew.KernelChangedData{KernelID: n.Kernel.ID, State: clew.KernelBusy, Reason: unanswered}, "")
	}
	return nil
}
