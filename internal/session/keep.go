package session

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/clew-run/clew"
)

// keepIndex writes summaries to the index. Of several for one session that wait
// only the newest is written.
func (h *Host) keepIndex(ctx context.Context) {
	for {
		select {
		case e := <-h.index:
			h.writeIndex(ctx, h.drainIndex(e))
		case <-ctx.Done():
			for {
				select {
				case e := <-h.index:
					final, cancel := context.WithTimeout(context.Background(), time.Second)
					h.writeIndex(final, h.drainIndex(e))
					cancel()
				default:
					return
				}
			}
		}
	}
}

func (h *Host) drainIndex(first indexEntry) []indexEntry {
	entries := []indexEntry{first}
	at := map[clew.SessionID]int{first.summary.ID: 0}
	for len(entries) < 256 {
		select {
		case e := <-h.index:
			if i, ok := at[e.summary.ID]; ok {
				entries[i] = e
				continue
			}
			at[e.summary.ID] = len(entries)
			entries = append(entries, e)
		default:
			return entries
		}
	}
	return entries
}

func (h *Host) writeIndex(ctx context.Context, entries []indexEntry) {
	for _, e := range entries {
		if err := h.cfg.Index.Put(ctx, e.owner, e.summary); err != nil {
			h.cfg.Log.Warn("index", "session", e.summary.ID, "err", err)
		}
	}
}

// unloadIdle lets sessions go that nobody watches and where nothing happens.
func (h *Host) unloadIdle(ctx context.Context) {
	t := time.NewTicker(max(h.cfg.IdleAfter/4, 10*time.Millisecond))
	defer t.Stop()
	for {
		select {
		case <-t.C:
			h.Unload(h.cfg.Now() - h.cfg.IdleAfter.Milliseconds())
		case <-ctx.Done():
			return
		}
	}
}

// Unload lets all sessions go that are not in use and were last used before a
// time (Unix ms). It returns how many.
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
		if s == nil || s.holds.Load() > 0 || s.lastUse.Load() >= before || s.busy.Load() {
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

// Lost ends the sessions of a shard that another node took over. Their watchers
// attach again, to wherever the session now is.
func (h *Host) Lost(shard int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.leases, shard)
	for id, sl := range h.sessions {
		if ShardOf(id) != shard {
			continue
		}
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

// TakeOver claims the shards of a node that is gone and loads the sessions that
// were at work there, so that their work goes on without anyone asking.
func (h *Host) TakeOver(ctx context.Context, shards []int, sessionsOf func(context.Context, int) ([]clew.SessionID, error)) {
	for _, shard := range shards {
		if _, err := h.lease(ctx, shard, 0); err != nil {
			continue // another node was faster, or the engine is away
		}
		ids, err := sessionsOf(ctx, shard)
		if err != nil {
			h.cfg.Log.Warn("take over", "shard", shard, "err", err)
			continue
		}
		for _, id := range ids {
			if err := h.Wake(ctx, id); err != nil {
				h.cfg.Log.Warn("take over", "session", id, "err", err)
			}
		}
	}
}
