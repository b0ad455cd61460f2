package journal

import (
	"context"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/clock"
	"github.com/clew-run/clew/internal/planted"
)

// readiness tells whether this node can append, by what was appended lately or,
// if nothing was, by an append of its own.
type readiness struct {
	clock    clock.Clock
	appended atomic.Int64 // when the engine last took something, in ns that elapsed; 0 if it never did

	mu    sync.Mutex // one asks, the others wait for its answer
	table *Table
	known bool // somebody asked
	asked time.Duration
	err   error // the answer
}

const (
	readyFor     = 5 * time.Second // how long an append proves that there can be another
	readyTimeout = 2 * time.Second
)

func (r *readiness) note() { r.appended.Store(int64(r.clock.Elapsed())) }

func (r *readiness) recent() bool {
	at := r.appended.Load()
	return at > 0 && r.clock.Elapsed()-time.Duration(at) < readyFor
}

// Ready reports whether the node can append.
func (j *Journal) Ready(ctx context.Context) error {
	if err := j.health.writable(); err != nil {
		return err
	}
	if !j.engine.conn.IsConnected() {
		return clew.Errorf(clew.Unavailable, "the engine cannot be reached")
	}
	r := &j.readiness
	if r.recent() {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if now := r.clock.Elapsed(); !r.known || now-r.asked >= readyFor {
		r.err = j.probe(ctx)
		r.known, r.asked = true, r.clock.Elapsed()
	}
	return r.err
}

// probe appends to a table of its own.
func (j *Journal) probe(ctx context.Context) error {
	if planted.Bug("ready without a look") {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), readyTimeout)
	defer cancel()
	if j.readiness.table == nil {
		t, err := j.FadingTable(ctx, "PROBE", time.Hour)
		if err != nil {
			return err
		}
		j.readiness.table = t
	}
	return j.readiness.table.Put(ctx, j.cfg.Node, strconv.AppendInt(nil, j.cfg.Clock.Now().UnixMilli(), 10))
}
