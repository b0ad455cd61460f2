package journal

import (
	"context"
	"errors"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/clew-run/clew/internal/session/core"
)

// Watch calls fn for the lines of every page of the lists that changes from now on, on
// any node, until ctx ends or the engine ends the watch. It calls ready once it hears
// of changes: who reads the lists after that misses nothing.
func (x *Index) Watch(ctx context.Context, ready func(), fn func(core.Summary)) error {
	w, err := x.table.watch(ctx, jetstream.UpdatesOnly())
	if err != nil {
		return engineError(err)
	}
	defer func() { _ = w.Stop() }()
	ready()
	for {
		select {
		case e, ok := <-w.Updates():
			if !ok {
				return errors.Join(ctx.Err(), errWatchEnded)
			}
			if e == nil || e.Operation() != jetstream.KeyValuePut {
				continue
			}
			p, _ := parsePage(e.Value()) // heads of lists have no lines
			for _, s := range p.Sessions {
				fn(s)
			}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
