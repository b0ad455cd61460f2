package session

import (
	"context"
	"sync"
)

// lease gives the lease of a shard, claiming it if this node has none with a
// term above the one that is known to be lost.
func (h *Host) lease(ctx context.Context, shard int, lost uint64) (Lease, error) {
	h.mu.Lock()
	one := h.claiming[shard]
	if one == nil {
		one = new(sync.Mutex)
		h.claiming[shard] = one
	}
	l, ok := h.leases[shard]
	h.mu.Unlock()
	if ok && l.Term > lost {
		return l, nil
	}
	one.Lock()
	defer one.Unlock()
	h.mu.Lock()
	l, ok = h.leases[shard]
	h.mu.Unlock()
	if ok && l.Term > lost {
		return l, nil
	}
	l, err := h.cfg.Journal.Claim(ctx, shard)
	if err != nil {
		h.mu.Lock()
		delete(h.leases, shard)
		h.mu.Unlock()
		return Lease{}, err
	}
	h.mu.Lock()
	h.leases[shard] = l
	h.mu.Unlock()
	return l, nil
}

// confirm makes sure, before a session in memory is shown to a newcomer, that no
// other node took it over unheard: its past would end too early. A node that is
// alone has nobody to ask about, and while the engine is away what is in memory
// is the best there is.
func (h *Host) confirm(ctx context.Context, shard int) error {
	if h.cfg.Peers == nil {
		return nil
	}
	h.mu.Lock()
	l, ok := h.leases[shard]
	h.mu.Unlock()
	if !ok {
		return errGone
	}
	if holds, err := h.cfg.Journal.Holds(ctx, l); err == nil && !holds {
		h.lostLease(l)
		return errGone
	}
	return nil
}

// invalidateLease gives up a lease under which an append may still be under way. The next
// claim voids it.
func (h *Host) invalidateLease(l Lease) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.leases[l.Shard] == l {
		delete(h.leases, l.Shard)
	}
}

// yield lets a newer node take the shard of a session that is too new for this one.
func (h *Host) yield(ctx context.Context, l Lease) (_ Lease, done bool) {
	if h.cfg.Cluster == nil {
		return l, false
	}
	next, err := h.cfg.Cluster.Yield(ctx, l)
	if err != nil {
		h.cfg.Log.Warn("shard is not yielded", "shard", l.Shard, "err", err)
		return l, false
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.leases[l.Shard] == l {
		h.leases[l.Shard] = next
	}
	return next, true
}

func (h *Host) renew(ctx context.Context, lost Lease) (Lease, error) {
	return h.lease(ctx, lost.Shard, lost.Term)
}
