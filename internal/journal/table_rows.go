package journal

import (
	"context"
	"errors"
	"strings"

	"github.com/nats-io/nats.go/jetstream"
	"github.com/synadia-io/orbit.go/jetstreamext"
)

// A tableRow is a row with its revision, or the mark that a deleted one left.
type tableRow struct {
	key      string
	revision uint64
	value    []byte
	live     bool
}

// rows calls fn with each row whose key fits a pattern of the engine's, marks of
// deleted ones included. It is one request, which costs the engine no consumer.
func (x *Inbox) rows(ctx context.Context, pattern string, fn func(tableRow)) error {
	select {
	case x.reads <- struct{}{}:
		defer func() { <-x.reads }()
	case <-ctx.Done():
		return ctx.Err()
	}
	err := x.table.latest(ctx, pattern, fn)
	if errors.Is(err, jetstreamext.ErrBatchUnsupported) { // more than it answers at once
		return x.table.scan(ctx, pattern, fn)
	}
	return engineError(err)
}

// latest gives fn what the table has at one moment. It fails with
// jetstreamext.ErrBatchUnsupported beyond 1,024 rows.
func (t *Table) latest(ctx context.Context, pattern string, fn func(tableRow)) error {
	var rows []tableRow
	err := t.j.askAgain(ctx, func(ctx context.Context) (err error) {
		rows, err = t.read(ctx, pattern)
		return err
	})
	if err != nil {
		return err
	}
	for _, r := range rows {
		fn(r)
	}
	return nil
}

func (t *Table) read(ctx context.Context, pattern string) (rows []tableRow, err error) {
	prefix := "$KV." + t.kv.Bucket() + "."
	batch, err := jetstreamext.GetLastMsgsFor(ctx, t.j.js, "KV_"+t.kv.Bucket(), []string{prefix + pattern})
	if err != nil {
		return nil, err
	}
	for m, err := range batch {
		if errors.Is(err, jetstreamext.ErrNoMessages) {
			return rows, nil
		}
		if err != nil {
			return rows, err
		}
		live := m.Header.Get("KV-Operation") == "" && m.Header.Get(jetstream.MarkerReasonHeader) == ""
		rows = append(rows, tableRow{strings.TrimPrefix(m.Subject, prefix), m.Sequence, m.Data, live})
	}
	return rows, ctx.Err()
}

// scan is latest for any number of rows.
func (t *Table) scan(ctx context.Context, pattern string, fn func(tableRow)) error {
	w, err := t.kv.Watch(ctx, pattern)
	if err != nil {
		return engineError(err)
	}
	defer func() { _ = w.Stop() }()
	for {
		select {
		case e, ok := <-w.Updates():
			switch {
			case !ok:
				return errors.Join(ctx.Err(), errWatchEnded)
			case e == nil:
				return nil
			}
			fn(tableRow{e.Key(), e.Revision(), e.Value(), e.Operation() == jetstream.KeyValuePut})
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
