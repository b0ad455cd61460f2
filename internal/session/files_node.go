package session

import (
	"context"
	"maps"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/session/decide"
)

// A session's files are on the node whose agents wrote them, and other nodes do
// not have them. Its records say which node that is. On another node its agent
// asks what to do, or a person has decided to wait; when the node with the files
// is there, the session moves to it and goes on.

// returnEvery is how often is looked whether a node is back that sessions wait
// for.
const returnEvery = time.Second

// filesHere is this node's name for the record of where files are, "" if there
// are none or nobody else could have them.
func (h *Host) filesHere(some bool) string {
	if !some || h.cfg.Peers == nil {
		return ""
	}
	return h.cfg.Peers.Self()
}

// noteMissing says whether the session's work waits here for files of another
// node. It runs in the session's goroutine.
func (s *Session) noteMissing() bool {
	h := s.host
	if h.cfg.Peers == nil {
		return false
	}
	self := h.cfg.Peers.Self()
	s.filesHere.Store(s.state.FilesNode == self)
	missing := s.state.MissingFiles()
	away := missing != nil && missing.At(self)
	if away {
		s.waitFor(missing.Node)
	} else {
		s.waitFor("")
	}
	if missing != nil && !away && s.state.AskedForFiles() != nil && !s.filesBack {
		s.filesBack = true
		h.runInBackground(func() {
			if _, err := s.submit(h.ctx, clew.Command{Data: &decide.FilesBackCommand{Node: self}}); err != nil {
				h.cfg.Log.Warn("a question about files was not withdrawn", "session", s.id, "err", err)
			}
		})
	}
	return away && s.state.FilesWait != nil
}

// waitFor has the session taken to a node once that is back, "" to none.
func (s *Session) waitFor(node string) {
	if s.waitsFor == node {
		return
	}
	s.waitsFor = node
	s.host.mu.Lock()
	defer s.host.mu.Unlock()
	if node == "" {
		delete(s.host.waiting, s.id)
	} else {
		s.host.waiting[s.id] = node
	}
}

// keepReturning takes sessions to the nodes that have their files, once these
// are back.
func (h *Host) keepReturning(ctx context.Context) {
	t := time.NewTicker(returnEvery)
	defer t.Stop()
	for {
		select {
		case <-t.C:
		case <-ctx.Done():
			return
		}
		h.mu.Lock()
		waiting := maps.Clone(h.waiting)
		h.mu.Unlock()
		for id, node := range waiting {
			h.moveTo(ctx, id, node)
		}
	}
}

// moveTo has another node take the session, with all others of its shard. It is
// refused while one of them is at work on files of this node.
func (h *Host) moveTo(ctx context.Context, id clew.SessionID, node string) bool {
	shard := ShardOf(id)
	if h.cfg.Cluster == nil || !h.cfg.Peers.Alive(node) {
		return false
	}
	h.mu.Lock()
	lease, owned := h.leases[shard]
	for other, sl := range h.sessions {
		if ShardOf(other) == shard && other != id && sl.worksHere() {
			owned = false
		}
	}
	h.mu.Unlock()
	if !owned {
		return false
	}
	ctx, cancel := context.WithTimeout(ctx, callTry)
	defer cancel()
	next, err := h.cfg.Cluster.Offer(ctx, lease, node)
	if err != nil {
		h.cfg.Log.Warn("a session could not be moved to its files", "session", id, "node", node, "err", err)
		return false
	}
	h.mu.Lock()
	if h.leases[shard] == lease {
		h.leases[shard] = next
	}
	h.mu.Unlock()
	if err := h.callWake(ctx, node, id); err != nil {
		h.cfg.Log.Warn("a session was not taken by the node that has its files", "session", id, "node", node, "err", err)
		return false
	}
	return true
}

// worksHere reports whether the session is at work on files of this node.
func (sl *slot) worksHere() bool {
	select {
	case <-sl.ready:
		return sl.s != nil && sl.s.busy.Load() && sl.s.filesHere.Load()
	default:
		return false
	}
}

// MoveTo has the node that has the session's files take it. The turn goes on
// there if it does.
func (d *TurnContext) MoveTo(node string) bool {
	if !d.s.host.moveTo(d.ctx, d.s.id, node) {
		return false
	}
	select {
	case <-d.ctx.Done():
		return true
	case <-time.After(callTry):
		return false
	}
}
