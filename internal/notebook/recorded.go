package notebook

import (
	"context"
	"errors"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/crash"
	"github.com/clew-run/clew/internal/notebook/kernel"
)

const (
	// recordedEvery is how often a recording that is followed is read on, restWithin how
	// long its end may take once the cell is over.
	recordedEvery = 20 * time.Millisecond
	restWithin    = 2 * time.Second
)

// replay takes what the kernel has published since the run began, as its supervisor wrote
// it down, and joins that with what an earlier server put on record of it. From then on
// the recording is followed, and nothing is missing: neither what was printed while no
// server ran, nor what one had heard and not yet recorded. It is false if there is no such
// recording.
func (e *execution) replay(ctx context.Context, shown []clew.Message) bool {
	at, err := kernel.ReadConnection(e.kernel.process.ConnectionFile())
	if err != nil {
		return false
	}
	if e.recorded, err = kernel.OpenRecording(e.kernel.process.Recording(), at); err != nil {
		return false
	}
	e.out.whole = true
	began := false
	err = e.readRecorded(func(m kernel.Message) error {
		if !began && !isStatus(m, "busy") { // it begins in the midst of the run
			return errMissing
		}
		began = true
		e.idle = e.idle || isStatus(m, "idle")
		return e.out.take(ctx, m)
	})
	if err != nil || !began || ctx.Err() != nil || !e.out.match(shown) {
		if err != nil && !errors.Is(err, errMissing) {
			e.cfg.Log.Warn("the recording of a kernel cannot be used", "session", e.view.Session, "err", err)
		}
		return false
	}
	e.out.whole = false
	for _, m := range shown { // whoever watches hears how it grows from where the record has it
		if s := e.out.stream; s != nil && s.m.MessageID == m.MessageID && e.desk.Regrow(ctx, m) != nil {
			return false
		}
	}
	if e.idle {
		e.heart.waitHalf(e.cfg.Clock)
	}
	crash.At("cell.replayed")
	return true
}

// errMissing says that a recording does not have all of a run.
var errMissing = errors.New("a part of the run is not in the recording")

// startAnew forgets what was replayed.
func (e *execution) startAnew() {
	e.closeRecorded()
	e.out.spool.close()
	clear(e.kernel.displays)
	fresh := e.newExecution(e.view, e.kernel, e.run)
	e.out, e.idle, e.recorded = fresh.out, false, nil
}

// readRecorded gives all messages of the run that the recording has by now.
func (e *execution) readRecorded(take func(kernel.Message) error) error {
	for {
		m, err := e.recorded.Next()
		if err == io.EOF { //nolint:errorlint // given bare
			return nil
		}
		if err == nil && m.ParentID == e.run.MsgID {
			err = take(m)
		}
		if err != nil {
			return err
		}
	}
}

// hearRecorded takes what came since. If the recording is of no use any more, the kernel
// itself is heard, and something may be missing.
func (e *execution) hearRecorded(ctx context.Context) error {
	if e.recorded == nil {
		return nil
	}
	var failed error
	err := e.readRecorded(func(m kernel.Message) error {
		failed = e.published(ctx, m)
		return failed
	})
	if err == nil || failed != nil {
		return failed
	}
	e.cfg.Log.Warn("the recording of a kernel cannot be read on", "session", e.view.Session, "err", err)
	e.lost = true
	e.closeRecorded()
	return nil
}

// nextRecorded says when to look for more, nil if nothing is recorded.
func (e *execution) nextRecorded() (<-chan time.Time, func()) {
	if e.recorded == nil {
		return nil, func() {}
	}
	return e.cfg.Clock.After(recordedEvery)
}

// hearRest waits for the end of a cell that is over: its supervisor may be a moment late.
func (e *execution) hearRest(ctx context.Context) error {
	for until := e.elapsed() + restWithin; ; {
		if err := e.hearRecorded(ctx); err != nil || e.recorded == nil || e.idle {
			return err
		}
		if e.elapsed() > until {
			e.lost = true
			return nil
		}
		wait, stop := e.cfg.Clock.After(recordedEvery)
		select {
		case <-wait:
		case <-ctx.Done():
			stop()
			return ctx.Err()
		}
	}
}

// awaitRecorded asks a new kernel for a word until that is written down: from then on all
// is.
func (k *attached) awaitRecorded(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, restWithin)
	defer cancel()
	for ctx.Err() == nil && !k.isRecorded() {
		if _, err := k.client.Info(ctx); err != nil {
			return
		}
		select {
		case <-time.After(recordedEvery):
		case <-ctx.Done():
		}
	}
}

// isRecorded says that what the kernel publishes from here on is written down, or never
// will be.
func (k *attached) isRecorded() bool {
	info, err := os.Stat(k.process.Recording())
	return err != nil || info.Size() > 0
}

func (e *execution) closeRecorded() {
	if e.recorded != nil {
		_ = e.recorded.Close()
		e.recorded = nil
	}
}

// forgetRecorded empties the recording: all that it has is on record.
func (e *execution) forgetRecorded() {
	e.closeRecorded()
	if name := e.kernel.process.Recording(); name != "" {
		_ = os.Truncate(name, 0) // what is left takes room, and no more
	}
}

// match finds for each message on record the output of the replay that it shows, and so
// what of the replay is not on record, or not as it is now.
func (o *outputs) match(shown []clew.Message) bool {
	o.fresh, o.changed = nil, nil
	var others []clew.Message
	for _, m := range shown {
		switch {
		case m.Cell.Output == clew.OutputStatus && o.status != nil:
			o.onRecord(o.status, m)
		case m.Metadata["left_out"] != nil && o.rest != nil:
			o.onRecord(o.rest, m)
		default:
			others = append(others, m)
		}
	}
	made, ok := align(o.items, others)
	if !ok {
		return false
	}
	kept := o.items[:0]
	for i, it := range o.items {
		switch {
		case made[i] != nil:
			o.onRecord(it, *made[i])
		case it.m.Cell.Cleared: // before anybody saw it
			it.gone = true
			o.bytes -= len(it.m.Text)
			continue
		}
		kept = append(kept, it)
	}
	o.items = kept
	for _, it := range slices.Concat([]*item{o.status}, kept, []*item{o.rest}) {
		if it != nil && it.m.MessageID == "" {
			o.fresh = append(o.fresh, it)
		}
	}
	o.urgent = o.dirty()
	return true
}

// onRecord notes what the record has of an output.
func (o *outputs) onRecord(it *item, m clew.Message) {
	now := it.m
	it.m = m
	it.m.Text, it.m.Images, it.m.Metadata, it.m.Partial, it.m.Cell = now.Text, now.Images, now.Metadata, now.Partial, now.Cell
	it.dirty = m.Text != now.Text || m.Partial != now.Partial || m.Cell.Cleared != now.Cell.Cleared || now.Cell.DisplayID != ""
	if it.dirty {
		o.changed = append(o.changed, it)
	}
}

// align gives each output its message, nil for none. Outputs go on record in their order:
// only what was cleared at once is on none, and what came after all that is.
func align(items []*item, shown []clew.Message) ([]*clew.Message, bool) {
	of := make([]*clew.Message, len(items))
	failed := map[[2]int]bool{}
	var from func(i, j int) bool
	from = func(i, j int) bool {
		switch at := [2]int{i, j}; {
		case j == len(shown):
			return true
		case i == len(items) || failed[at]:
			return false
		case items[i].shows(shown[j]) && from(i+1, j+1):
			of[i] = &shown[j]
			return true
		case items[i].m.Cell.Cleared && from(i+1, j):
			return true
		default:
			failed[at] = true
			return false
		}
	}
	return of, from(0, 0)
}

// shows says whether a message on record shows the output, as it was at some time.
func (it *item) shows(m clew.Message) bool {
	was, now := m.Cell, it.m.Cell
	switch {
	case was.Output != now.Output || was.DisplayID != now.DisplayID || was.Cleared && !now.Cleared:
		return false
	case was.Output == clew.OutputStream:
		return m.Metadata["stream"] == it.m.Metadata["stream"] && strings.HasPrefix(it.m.Text, m.Text)
	}
	return was.DisplayID != "" || m.Text == it.m.Text
}
