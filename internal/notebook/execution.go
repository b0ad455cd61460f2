package notebook

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/crash"
	"github.com/clew-run/clew/internal/notebook/kernel"
	"github.com/clew-run/clew/internal/session"
	"github.com/clew-run/clew/internal/session/core"
	"github.com/clew-run/clew/internal/session/decide"
)

// otherHalf is how long the second of reply and idle may take once the first was seen.
const otherHalf = 10 * time.Second

// An execution is a run under way. It belongs to one goroutine.
type execution struct {
	*worker
	view    session.NotebookView
	kernel  *attached
	run     core.CellRun
	out     *outputs
	begun   time.Duration
	flushed time.Duration // when something last went on record

	deaf  func() // hears no more of the run: words that wait for nobody hold up all others
	reply *executeReply
	idle  bool
	lost  bool // output may be missing
	fresh bool // of a run that another server began: nobody has heard a word of it yet
	// recorded has what the kernel publishes, of a run that another server began: nil if
	// that is heard from the kernel, as of others.
	recorded *kernel.Recording
	probe    <-chan *executeReply // of a run that another server began, see resume
	stopped  time.Duration        // when the cell was last interrupted
	wish     uint64               // the record by which somebody wanted that
	told     bool                 // that the cell goes on after it
	asides   sync.WaitGroup       // of follow: what is said to the kernel beside the cell
	heart    heart
	found    <-chan found // the question of such a run
	input    input
}

// An executeReply is how a run ended.
type executeReply struct {
	Status         string `json:"status"`
	ExecutionCount int    `json:"execution_count"`
	EName          string `json:"ename"`
	EValue         string `json:"evalue"`
}

// execute sends a cell that is on record as started, and follows it to its end.
func (w *worker) execute(ctx context.Context, v session.NotebookView, k *attached, run core.CellRun, source string) error {
	e := w.newExecution(v, k, run)
	defer e.out.spool.close()
	hear, stop := k.hear(run.MsgID)
	defer stop()
	e.deaf = stop
	crash.At("cell.intent")
	err := k.client.Execute(ctx, kernel.Execute{MsgID: run.MsgID, Code: source, Silent: run.Silent, StoreHistory: !run.Silent, AllowStdin: true})
	if errors.Is(err, kernel.ErrNotSent) && ctx.Err() == nil {
		return w.finish(ctx, clew.CellFinishedData{RunID: run.ID, CellID: run.CellID, Status: clew.CellAborted, Reason: "the cell did not reach the kernel: " + reason(err)})
	}
	crash.At("cell.sent")
	return e.follow(ctx, hear)
}

func (w *worker) newExecution(v session.NotebookView, k *attached, run core.CellRun) *execution {
	if v.Notebook.Kernel.Ahead { // what it displays is not in the transcript any more
		clear(k.displays)
	}
	e := &execution{worker: w, view: v, kernel: k, run: run, begun: w.elapsed(), heart: newHeart()}
	e.out = &outputs{
		about:  clew.MessageCell{NotebookID: v.Notebook.ID, CellID: run.CellID, RunID: run.ID},
		silent: run.Silent || repeats(run), displays: k.displays, spool: spool{dir: w.cfg.Spool},
		put: func(ctx context.Context, b []byte) (string, error) { return w.cfg.Blobs.PutBlob(ctx, by(v), b) },
	}
	return e
}

// follow hears what the kernel says until the run has ended.
func (e *execution) follow(ctx context.Context, hear <-chan kernel.Message) error {
	e.kernel.busy.Store(true)
	defer e.kernel.busy.Store(false)
	defer e.asides.Wait()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if e.view.Notebook.Kernel.Wanted == clew.WishInterrupt {
		e.stop(ctx)
	}
	changes, stop := e.watch(ctx)
	defer stop()
	defer e.heart.stop()
	for {
		wait, stopFlush := e.nextFlush()
		more, stopMore := e.nextRecorded()
		stopWait := func() { stopFlush(); stopMore() }
		var err error
		done := false
		select {
		case m, ok := <-hear:
			if !ok {
				stopWait()
				return e.broken(ctx)
			}
			err = e.take(ctx, m)
		case r := <-e.probe:
			e.probe = nil
			if e.reply == nil {
				stopWait()
				return e.probed(ctx, r)
			}
		case f := <-e.found:
			e.found = nil
			err = e.takeOver(ctx, f)
		case <-wait:
			err = e.flush(ctx, false)
			e.flushed = e.elapsed()
		case c := <-changes:
			if done, err = e.changed(ctx, c); done {
				stopWait()
				return err
			}
		case beat := <-e.heart.due(e.cfg.Clock):
			e.heart.beat(ctx, beat, e.kernel.client)
		case beaten := <-e.heart.beaten:
			err = e.beaten(ctx, beaten)
		case <-more:
			err = e.hearRecorded(ctx)
		case <-e.halfOver():
			done, e.lost = true, e.lost || !e.idle // the kernel always says that it is idle
		case <-ctx.Done():
			err = ctx.Err()
		}
		stopWait()
		if err != nil {
			return err
		}
		if done || e.reply != nil && e.idle {
			return e.end(ctx, e.replied())
		}
	}
}

// A change is the notebook after somebody changed it.
type change struct {
	view session.NotebookView
	err  error
}

// watch tells of changes of the notebook. stop waits until that has ended.
func (e *execution) watch(ctx context.Context) (<-chan change, func()) {
	ctx, cancel := context.WithCancel(ctx)
	changes, ended := make(chan change), make(chan struct{})
	go func() {
		defer close(ended)
		for seq := e.view.Seq; ; {
			c := change{}
			if c.err = e.desk.Await(ctx, seq); c.err == nil {
				c.view, c.err = e.desk.Look(ctx)
			}
			seq = c.view.Seq
			select {
			case changes <- c:
			case <-ctx.Done():
				return
			}
			if c.err != nil {
				return
			}
		}
	}()
	return changes, func() { cancel(); <-ended }
}

// nextFlush says when something is to go on record, nil if nothing is.
func (e *execution) nextFlush() (<-chan time.Time, func()) {
	if !e.out.dirty() {
		return nil, func() {}
	}
	wait := flushFirst
	if !e.out.urgent {
		wait = flushStatus
	}
	return e.cfg.Clock.After(max(wait, e.flushed+flushEvery-e.elapsed()))
}

// halfOver fires when the other half of a run's end does not come.
func (e *execution) halfOver() <-chan time.Time { return e.heart.half }

// take takes one message of the kernel about this run.
func (e *execution) take(ctx context.Context, m kernel.Message) error {
	switch {
	case m.Channel == kernel.Stdin && m.Type == "input_request":
		return e.ask(ctx, m)
	case m.Channel == kernel.Shell && m.Type == "execute_reply":
		if e.reply == nil {
			crash.At("cell.reply")
			r := executeReply{Status: "error", EName: "InvalidReply"}
			_ = json.Unmarshal(m.Content, &r)
			e.reply = &r
			e.heart.waitHalf(e.cfg.Clock)
		}
		return nil
	case m.Channel != kernel.IOPub:
		return nil
	case e.recorded != nil: // there it is, or will be at once, with what was missed
		return e.hearRecorded(ctx)
	}
	return e.published(ctx, m)
}

// published takes what the kernel published.
func (e *execution) published(ctx context.Context, m kernel.Message) error {
	crash.At("cell.output")
	if e.fresh && isStatus(m, "busy") { // that is the first one
		e.lost = false
	}
	e.fresh = false
	if isStatus(m, "idle") {
		e.idle = true
		e.heart.waitHalf(e.cfg.Clock)
	}
	if err := e.out.take(ctx, m); err != nil {
		return err
	}
	// A flood leaves no pause: then the record is made between two messages.
	if e.out.urgent && e.elapsed()-e.flushed >= 2*flushEvery {
		e.flushed = e.elapsed()
		return e.flush(ctx, false)
	}
	return nil
}

// isStatus says whether a message tells that state of the kernel.
func isStatus(m kernel.Message, state string) bool {
	var p published
	return m.Type == "status" && json.Unmarshal(m.Content, &p) == nil && p.State == state
}

// record puts a batch of messages on record.
func (e *execution) record(ctx context.Context, b batch) error {
	r, err := e.desk.Report(ctx, decide.CellOutput{RunID: e.run.ID, Created: messages(b.created), Updated: messages(b.updated)})
	if err != nil {
		return err
	}
	now := e.elapsed()
	for i, it := range b.created {
		if i < len(r.Messages) { // a silent run makes none
			it.m = r.Messages[i]
		}
		it.dirty, it.since = false, now
	}
	for _, it := range b.updated {
		it.dirty, it.since = false, now
	}
	return nil
}

// end records how the run ended, and what the kernel knows then.
func (e *execution) end(ctx context.Context, d clew.CellFinishedData) error {
	if err := e.close(ctx, d); err != nil {
		return err
	}
	e.deaf()
	e.checkpoint(ctx)
	return nil
}

// replied is the end of the run as the kernel told it.
func (e *execution) replied() clew.CellFinishedData {
	d := clew.CellFinishedData{Status: clew.CellOK}
	switch r := e.reply; {
	case r == nil:
		d.Status, d.Reason = clew.CellInDoubt, "the kernel did not say how the cell ended"
	case r.Status == "error":
		d.Status, d.ErrorName, d.ErrorValue = clew.CellError, short(r.EName), short(r.EValue)
	case r.Status != "ok":
		d.Status, d.Reason = clew.CellAborted, "the kernel did not run the cell"
	}
	if e.reply != nil {
		d.ExecutionCount = e.reply.ExecutionCount
	}
	return d
}

// close puts the rest of the output and the end of the run on record.
func (e *execution) close(ctx context.Context, d clew.CellFinishedData) error {
	e.out.kernelStatus("idle")
	e.out.finish()
	stored := e.store(ctx) // while the transcript is written
	err := e.flush(ctx, true)
	d.OutputBlob = <-stored
	if err = errors.Join(err, ctx.Err()); err != nil {
		return err
	}
	d.RunID, d.CellID, d.OutputsLost, d.LeftOut = e.run.ID, e.run.CellID, e.lost, e.out.leftOut
	d.DurationMS = max(e.cfg.Clock.Now().UnixMilli()-e.run.SinceMS, 0)
	text := e.out.words.String()
	if d.Reason != "" {
		text += d.Reason + "\n"
	}
	_, err = e.desk.Report(ctx, decide.FinishCell{CellFinishedData: d, Text: text, Images: e.out.images})
	crash.At("cell.recorded")
	if err == nil {
		e.forgetRecorded()
	}
	if repeats(e.run) {
		crash.At("rerun.cell")
	}
	return err
}

// store stores all output as a blob and gives its address, "" if there is none or it could
// not be kept.
func (e *execution) store(ctx context.Context) <-chan string {
	stored := make(chan string, 1)
	if e.out.spool.size == 0 || e.out.silent {
		stored <- ""
		return stored
	}
	go func() {
		address, err := e.out.spool.keep(ctx, e.cfg.Blobs, by(e.view), e.putting)
		if err != nil && ctx.Err() == nil { // such as a quota: the run has ended all the same
			e.cfg.Log.Warn("the output of a run could not be kept", "session", e.view.Session, "run", e.run.ID, "err", err)
		}
		stored <- address
	}()
	return stored
}

// checkpoint records what the kernel knows after the cell.
func (e *execution) checkpoint(ctx context.Context) {
	if e.run.CellID == "" || e.run.Silent || !e.kernel.alive() {
		return
	}
	began := e.elapsed()
	list, ok := e.kernel.variables(ctx, e.run.MsgID+"-state", e.checkpointWithin)
	if !ok {
		return
	}
	b, err := json.Marshal(list)
	if err != nil {
		return
	}
	address, err := e.cfg.Blobs.PutBlob(ctx, by(e.view), b)
	if err != nil {
		e.cfg.Log.Warn("what a kernel knows could not be kept", "session", e.view.Session, "err", err)
		return
	}
	same, differing := e.compare(ctx, list)
	// It is over if somebody took the session back meanwhile.
	_, _ = e.desk.Report(ctx, decide.CheckpointCell{
		RunID: e.run.ID, CellID: e.run.CellID, StateHash: stateHash(list), Variables: address, Same: same, Differing: differing, DurationMS: (e.elapsed() - began).Milliseconds(),
	})
}
