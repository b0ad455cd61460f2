package notebook

import (
	"context"
	"time"

	"github.com/clew-run/clew"
)

const (
	// flushFirst is how long output waits for more that goes on record with it,
	// flushEvery how long at least lies between two records of a run.
	flushFirst = 10 * time.Millisecond
	flushEvery = 50 * time.Millisecond
	// flushStatus is how long the kernel's status waits if there is nothing else.
	flushStatus = 200 * time.Millisecond
	// snapshotEvery is how often a growing text goes on record. In between, who
	// watches gets it without a record.
	snapshotEvery = time.Second
	// maxBatch and maxBatchBytes bound one record.
	maxBatch      = 200
	maxBatchBytes = 256 << 10
)

// pause is how long lies between two records of a display that is updated again and
// again: each may have a picture, and all of them are kept.
func (it *item) pause() time.Duration {
	switch {
	case it.m.Partial:
		return snapshotEvery
	case it.versions > 40:
		return 10 * time.Second
	case it.versions > 20:
		return time.Second
	}
	return 0
}

// A batch is what goes on record together.
type batch struct {
	created, updated []*item
	bytes            int
}

func (b *batch) full() bool {
	return len(b.created)+len(b.updated) >= maxBatch || b.bytes >= maxBatchBytes
}

// weight is what the message takes in a record, where some characters take six bytes.
func (it *item) weight() int {
	n := it.inline
	for i := range len(it.m.Text) {
		if c := it.m.Text[i]; c < ' ' || c == '<' || c == '>' || c == '&' {
			n += 5
		}
		n++
	}
	return n
}

// due takes what is to go on record now; with all also what could wait.
func (o *outputs) due(now time.Duration, all bool) batch {
	var b batch
	for len(o.fresh) > 0 && !b.full() {
		it := o.fresh[0]
		o.fresh = o.fresh[1:]
		b.created = append(b.created, it)
		b.bytes += it.weight()
	}
	var later []*item
	for _, it := range o.changed {
		if b.full() || !all && now-it.since < it.pause() {
			later = append(later, it)
			continue
		}
		b.updated = append(b.updated, it)
		b.bytes += it.weight()
	}
	o.changed = later
	return b
}

// mark notes that a message is not on record as it is now.
func (o *outputs) mark(it *item) {
	if !it.dirty && it.m.MessageID != "" {
		o.changed = append(o.changed, it)
	}
	it.dirty = true
	o.urgent = o.urgent || it != o.status
}

// dirty says whether something is not on record.
func (o *outputs) dirty() bool { return len(o.fresh) > 0 || len(o.changed) > 0 }

// messages are those of a batch.
func messages(items []*item) []clew.Message {
	list := make([]clew.Message, len(items))
	for i, it := range items {
		list[i] = it.m
	}
	return list
}

// flush puts on record what is due, and shows the rest of a stream that grows to whoever
// watches.
func (e *execution) flush(ctx context.Context, all bool) error {
	for {
		b := e.out.due(e.cfg.Clock.Elapsed(), all)
		if len(b.created)+len(b.updated) == 0 {
			break
		}
		if err := e.record(ctx, b); err != nil {
			return err
		}
	}
	e.out.urgent = false
	if s := e.out.stream; s != nil && s.dirty && s.m.MessageID != "" {
		e.desk.Grow(s.m)
	}
	return nil
}
