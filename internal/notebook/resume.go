package notebook

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/crash"
	"github.com/clew-run/clew/internal/notebook/kernel"
	"github.com/clew-run/clew/internal/notebook/nbfile"
	"github.com/clew-run/clew/internal/session"
)

// unheardWithin is how long a cell that nobody sees any more is interrupted.
const unheardWithin = 2 * time.Second

// resume goes on with a run that is on record as started and that nobody follows: the
// server died, or it lost the kernel for a while. It is never sent again. What became of
// it is known: the old reply comes, or the kernel says that it ended meanwhile, or it
// still runs.
func (w *worker) resume(ctx context.Context, v session.NotebookView) error {
	run := *v.Notebook.Run
	k, err := w.join(ctx, v, run.MsgID)
	var hear <-chan kernel.Message
	deaf := func() {}
	if k != nil { // until this ends, whatever comes of it
		hear, deaf = k.hear(run.MsgID)
	}
	defer deaf()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if gone := new(goneError); errors.As(err, &gone) {
		return w.lastWords(ctx, v, gone)
	}
	if err != nil {
		return w.unjoined(ctx, v, err)
	}
	w.ran, w.filesDue = true, true
	e := w.newExecution(v, k, run)
	e.deaf = deaf
	defer func() { e.out.spool.close() }()
	shown, err := w.desk.Shown(ctx, run.ID, run.Batch)
	if err != nil {
		return err
	}
	if e.lost = !e.replay(ctx, shown); e.lost {
		e.startAnew()
		e.fresh = len(shown) == 0
		if err := e.adopt(ctx, shown); err != nil {
			return err
		}
	}
	defer e.closeRecorded()
	stopInput := e.resumeInput(ctx)
	defer stopInput()
	stopProbe := e.sendProbe(ctx)
	defer stopProbe()
	return e.follow(ctx, hear)
}

// lastWords ends a run whose kernel has ended while no server heard it: with what it
// published until then, if its supervisor wrote that down.
func (w *worker) lastWords(ctx context.Context, v session.NotebookView, gone *goneError) error {
	run := *v.Notebook.Run
	p, err := w.find(ctx, run.KernelID)
	if err != nil {
		return w.lost(ctx, v, gone)
	}
	w.hold(run.KernelID, p)
	e := w.newExecution(v, &attached{process: p, displays: map[string]*item{}}, run)
	defer func() { e.closeRecorded(); e.heart.stop(); e.out.spool.close() }()
	shown, err := w.desk.Shown(ctx, run.ID, run.Batch)
	if err != nil {
		return err
	}
	if replayed := e.replay(ctx, shown); ctx.Err() != nil {
		return ctx.Err()
	} else if !replayed {
		return w.lost(ctx, v, gone)
	}
	w.ran, w.filesDue = true, true
	e.lost = !e.idle // what it held back when it died is nowhere
	d := e.cutOff(gone.Error())
	if gone.unseen && !e.idle { // its supervisor died, too, so the end of the cell may be missing
		d.Status = clew.CellInDoubt
	}
	if err := e.close(ctx, d); err != nil {
		return err
	}
	crash.At("kernel.lastwords")
	if v.Notebook.Kernel.Wanted == clew.WishRestart { // that goes on from here
		return nil
	}
	return w.lost(ctx, v, gone)
}

// adopt takes over what an earlier server put on record of the run, also for the blob of
// all outputs, from which the file is written.
func (e *execution) adopt(ctx context.Context, shown []clew.Message) error {
	e.out.adopt(shown)
	published, err := nbfile.Published(shown, func(address string) ([]byte, error) {
		b, err := e.cfg.Blobs.Blob(ctx, address)
		if err != nil && ctx.Err() == nil { // a damaged picture holds up no cell
			e.cfg.Log.Warn("a part of an output is not here", "session", e.view.Session, "run", e.run.ID, "err", err)
			err = nbfile.ErrMissing
		}
		return b, err
	})
	if err != nil {
		return err
	}
	for _, o := range published {
		if err := e.out.spool.add(o); err != nil {
			return err
		}
	}
	return nil
}

// sendProbe asks the kernel, behind the cell, for the number of its last run. The answer
// comes when the cell is over.
func (e *execution) sendProbe(ctx context.Context) (stop func()) {
	id := e.run.MsgID + "-" + rand.Text() // each server its own
	hear, stopHear := e.kernel.hear(id)
	ctx, cancel := context.WithCancel(ctx)
	probe, ended := make(chan *executeReply, 1), make(chan struct{})
	go func() {
		defer close(ended)
		for {
			select {
			case m, ok := <-hear:
				if !ok {
					return
				}
				if m.Channel == kernel.Shell && m.Type == "execute_reply" {
					select { // what else comes of it is dropped
					case probe <- probeReply(m.Content):
					default:
					}
				}
			case <-ctx.Done():
				return
			}
		}
	}()
	e.probe = probe
	request := kernel.Execute{MsgID: id, Silent: true}
	if e.kernel.info.Language.Name == "python" { // the code runs before the request itself counts as the last one
		request.Code = `get_ipython().__dict__["clew_last"] = get_ipython().last_execution_succeeded`
		request.UserExpressions = map[string]string{"ok": `get_ipython().__dict__.pop("clew_last", None)`}
	}
	_ = e.kernel.client.Execute(ctx, request) // if it cannot be sent, the connection has ended, and follow sees that
	return func() { cancel(); stopHear(); <-ended }
}

// probeReply is the end of the last cell as the kernel tells it later: with the status ""
// nobody knows how it went.
func probeReply(content json.RawMessage) *executeReply {
	r := &executeReply{}
	_ = json.Unmarshal(content, r) // what is missing is not known
	last, _ := values(content)
	switch last["ok"] {
	case "True":
		r.Status = "ok"
	case "False":
		r.Status = "error"
	default:
		r.Status = ""
	}
	return r
}

// probed takes the answer to the probe: the cell is over, and its own reply did not come.
func (e *execution) probed(ctx context.Context, r *executeReply) error {
	if err := e.hearRest(ctx); err != nil {
		return err
	}
	d := clew.CellFinishedData{ExecutionCount: r.ExecutionCount}
	switch {
	case e.run.Silent || r.Status == "" || r.ExecutionCount == 0 && e.idle:
		d.Status, d.ExecutionCount, d.Reason = clew.CellInDoubt, 0, "the cell ended while the server was away"
	case r.ExecutionCount <= e.view.Notebook.Kernel.Count:
		e.lost = false
		d.Status, d.ExecutionCount, d.Reason = clew.CellAborted, 0, "the server stopped before the cell reached the kernel"
	case r.Status == "error":
		d.Status, d.Reason = clew.CellError, "the cell failed while the server was away"
	default:
		d.Status = clew.CellOK
	}
	return e.end(ctx, d)
}

// broken goes on after the connection has ended. The kernel is dead, or it is joined
// again by the next step, as after a restart of the server.
func (e *execution) broken(ctx context.Context) error {
	err := e.kernel.client.Err()
	if awaitEnd(ctx, e.kernel.process); ctx.Err() != nil {
		return ctx.Err()
	}
	if err := e.hearRecorded(ctx); err != nil { // its last words
		return err
	}
	unheard := e.probe != nil && e.lost && !e.idle // it may have ended without a server
	e.lost = e.lost || !e.idle
	gone := goneOf(e.kernel.process)
	if gone == nil && errors.Is(err, kernel.ErrSignature) { // whoever speaks there is not the kernel
		if err := e.endProcess(ctx, e.kernel.id, e.kernel.process); err != nil {
			return err
		}
		gone = &goneError{how: "its messages were not signed with its key"}
	}
	if gone == nil {
		return e.flush(ctx, true)
	}
	reason := "the kernel died: " + gone.how
	d := clew.CellFinishedData{Status: clew.CellAborted, Reason: reason}
	if !errors.Is(err, kernel.ErrSignature) {
		d = e.cutOff(reason)
	}
	if unheard && e.reply == nil {
		d.Status = clew.CellInDoubt
	}
	if err := e.close(ctx, d); err != nil {
		return err
	}
	return e.died(ctx, e.view, e.kernel, reason)
}

// cutOff is the end of a run whose kernel is gone. If the cell was over by then, it ended
// as the kernel said.
func (e *execution) cutOff(reason string) clew.CellFinishedData {
	switch {
	case e.reply != nil:
		return e.replied()
	case e.idle && e.run.Silent: // such a run has no number
		return clew.CellFinishedData{Status: clew.CellInDoubt, Reason: reason}
	case !e.idle || e.out.count == 0:
		return clew.CellFinishedData{Status: clew.CellAborted, Reason: reason}
	case e.out.failure != nil:
		return clew.CellFinishedData{Status: clew.CellError, ExecutionCount: e.out.count, ErrorName: short(e.out.failure.EName), ErrorValue: short(e.out.failure.EValue)}
	}
	return clew.CellFinishedData{Status: clew.CellOK, ExecutionCount: e.out.count}
}

// stop interrupts the cell. The wish stays on record until the cell has ended; whoever
// wishes again is heard again.
func (e *execution) stop(ctx context.Context) {
	e.stopped, e.told, e.wish = max(e.elapsed(), 1), false, e.view.Notebook.Kernel.WantedSeq
	e.asides.Go(func() { // a kernel that does not answer holds nobody up
		if err := e.kernel.interrupt(ctx); err != nil && ctx.Err() == nil {
			e.cfg.Log.Warn("a kernel could not be interrupted", "session", e.view.Session, "err", err)
		}
	})
}

// changed takes a change of the notebook into account. done says that the run is over.
func (e *execution) changed(ctx context.Context, c change) (done bool, err error) {
	if c.err != nil {
		return false, c.err
	}
	n := &c.view.Notebook
	e.view = c.view
	if n.Closed { // the run ended with it
		return true, nil
	}
	if ends(n) {
		return true, e.close(ctx, clew.CellFinishedData{Status: clew.CellAborted, Reason: "the kernel was ended"})
	}
	if n.Run == nil || n.Run.ID != e.run.ID { // it is not on record any more
		ctx, cancel := context.WithTimeout(ctx, unheardWithin)
		defer cancel()
		if err := e.kernel.interrupt(ctx); err != nil {
			e.cfg.Log.Warn("a kernel could not be interrupted", "session", e.view.Session, "err", err)
		}
		return true, nil
	}
	if n.Kernel.Wanted == clew.WishInterrupt && n.Kernel.WantedSeq != e.wish {
		e.stop(ctx)
	}
	return false, e.answer(ctx, c.view)
}
