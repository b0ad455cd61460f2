package client

import (
	"context"
	"sync"

	"github.com/clew-run/clew/wire"
)

// An item is an envelope on its way to Follow, with the position that the
// caller has reached once it has it.
type item struct {
	env  wire.Envelope
	seq  uint64
	ep   string
	size int
}

const (
	queueItems = 256
	queueBytes = 1 << 20
)

// A queue holds what was read and not yet taken, bounded in number and bytes;
// a single item may be larger, as long as it is alone. One goroutine pushes,
// one pops.
type queue struct {
	mu     sync.Mutex
	items  []item
	bytes  int
	ended  bool
	change chan struct{} // closed and replaced at every change
}

func newQueue() *queue { return &queue{change: make(chan struct{})} }

// push waits for room.
func (q *queue) push(ctx context.Context, it item) error {
	for {
		q.mu.Lock()
		if len(q.items) == 0 || len(q.items) < queueItems && q.bytes+it.size <= queueBytes {
			q.items = append(q.items, it)
			q.bytes += it.size
			q.changed()
			q.mu.Unlock()
			return nil
		}
		wait := q.change
		q.mu.Unlock()
		select {
		case <-wait:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// pop waits for an item; ok is false once the queue has ended and is empty.
func (q *queue) pop(ctx context.Context) (it item, ok bool, err error) {
	for {
		if err := ctx.Err(); err != nil {
			return item{}, false, err
		}
		q.mu.Lock()
		if len(q.items) > 0 {
			it := q.items[0]
			q.items[0] = item{} // let go of the frame
			q.items = q.items[1:]
			q.bytes -= it.size
			q.changed()
			q.mu.Unlock()
			return it, true, nil
		}
		wait, ended := q.change, q.ended
		q.mu.Unlock()
		if ended {
			return item{}, false, nil
		}
		select {
		case <-wait:
		case <-ctx.Done():
			return item{}, false, ctx.Err()
		}
	}
}

// end says that no item will follow.
func (q *queue) end() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.ended = true
	q.changed()
}

// changed wakes whoever waits. q.mu is held.
func (q *queue) changed() {
	close(q.change)
	q.change = make(chan struct{})
}
