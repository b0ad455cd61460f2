package session

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/clew-run/clew"
)

// unloadIdle lets sessions go that nobody watches and where nothing happens.
func (h *Host) unloadIdle(ctx context.Context) {
	t := time.NewTicker(max(h.cfg.IdleAfter/4, 10*time.Millisecond))
	defer t.Stop()
	for {
		select {
		case <-t.C:
			h.Unload(h.elapsed() - h.cfg.IdleAfter.Milliseconds())
		case <-ctx.Done():
			return
		}
	}
}

// Unload lets all sessions go that are not in use and were last used before
// a time, in ms that elapsed. It returns how many.
func (h *Host) Unload(before int64) int {
	h.mu.Lock()
	defer h.mu.Unlock()
	n := 0
	for _, sl := range h.sessions {
		select {
		case <-sl.ready:
		default:
			continue
		}
		s := sl.s
		if s == nil || s.holds.Load() > 0 || s.lastUse.Load() >= before || s.busy.Load() || h.wakes.has(s.id) {
			continue
		}
		s.end()
		n++
	}
	return n
}

// Loaded counts the sessions in memory.
func (h *Host) Loaded() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.sessions)
}

// AtWork counts the sessions in which something is under way. One that waits for a
// person does not count.
func (h *Host) AtWork() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	n := 0
	for _, sl := range h.sessions {
		select {
		case <-sl.ready:
			if sl.s != nil && sl.s.busy.Load() {
				n++
			}
		default: // it is being loaded: somebody wants it
			n++
		}
	}
	return n
}

// Lost ends the sessions of a shard that another node took over. Their watchers
// attach again, to wherever the session now is.
func (h *Host) Lost(shard int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.endShard(shard)
}

// lostLease is Lost unless the shard was claimed anew meanwhile.
func (h *Host) lostLease(l Lease) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.leases[l.Shard] == l {
		h.endShard(l.Shard)
	}
}

// endShard ends the shard's sessions. The caller holds mu.
func (h *Host) endShard(shard int) {
	delete(h.leases, shard)
	for id, sl := range h.sessions {
		if ShardOf(id) != shard {
			continue
		}
		h.wakes.drop(id) // its next owner asks for what it finds
		select {
		case <-sl.ready:
			if sl.s != nil {
				sl.s.lost.Store(true)
				sl.s.end()
			}
		default: // still loading: its first append tells
		}
	}
}

// Shards lists the shards that this node believes to own.
func (h *Host) Shards() []int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Collect(maps.Keys(h.leases))
}

// TakeOver loads sessions that may have work under way which nobody carries on,
// so that it goes on without anyone asking. A few are loaded at a time, so that
// a slow one does not hold up the others; those at rest leave memory again.
func (h *Host) TakeOver(ctx context.Context, ids []clew.SessionID) {
	const atOnce = 16
	todo := make(chan clew.SessionID)
	var workers sync.WaitGroup
	for range min(atOnce, len(ids)) {
		workers.Go(func() {
			for id := range todo {
				if err := h.Wake(ctx, id); err != nil && clew.CodeOf(err) != clew.SessionNotFound && ctx.Err() == nil {
					h.cfg.Log.Warn("take over", "session", id, "err", err)
				}
			}
		})
	}
	for _, id := range ids {
		todo <- id
	}
	close(todo)
	workers.Wait()
}

// reopen loads a session again that left memory by a fault while it had work
// under way, until that succeeds or there is no point in it.
func (h *Host) reopen(id clew.SessionID) {
	for wait := 250 * time.Millisecond; ; wait = min(2*wait, 15*time.Second) {
		select {
		case <-time.After(wait):
		case <-h.ctx.Done():
			return
		}
		if !h.awaitWritable() {
			return
		}
		err := h.Wake(h.ctx, id)
		switch code := clew.CodeOf(err); {
		case err == nil, code == clew.SessionDamaged, code == clew.SessionTooNew, code == clew.SessionNotFound:
			return
		}
	}
}

// awaitWritable waits until records are taken; false if the host stops before.
func (h *Host) awaitWritable() bool {
	for {
		changed := h.cfg.Storage.Changed()
		if h.cfg.Storage.Writable() == nil {
			return true
		}
		select {
		case <-changed:
		case <-h.ctx.Done():
			return false
		}
	}
}
