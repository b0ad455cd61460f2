package session

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/clew-run/clew"
)

// Who watches a session is no fact about it: it is not on record. Each node tells
// the session's owner whom it serves, on every change and now and then; what a
// node said is forgotten when it has not said it again for a while.
const (
	// PresentEvery is how often a node has to repeat itself.
	PresentEvery = time.Minute
	presentFor   = 5 * PresentEvery / 2
	viewersMax   = 100 // people that are named
)

// nodePresence is what one node said.
type nodePresence struct {
	viewers []clew.Viewer
	until   int64 // in ms that elapsed
}

// Present says who watches a session by way of this node. It loads no session
// only to say that nobody does.
func (h *Host) Present(ctx context.Context, id clew.SessionID, viewers []clew.Viewer) error {
	node := ""
	if h.cfg.Peers != nil {
		node = h.cfg.Peers.Self()
	}
	if len(viewers) == 0 {
		h.mu.Lock()
		_, loaded := h.sessions[id]
		_, mine := h.leases[ShardOf(id)]
		h.mu.Unlock()
		if !loaded && (mine || h.cfg.Peers == nil) {
			return nil
		}
	}
	return h.at(ctx, id, false, func(s *Session) error {
		return s.read(ctx, func(s *Session) { s.present(node, viewers) })
	}, func(owner string) error {
		_, err := h.call(ctx, owner, callRequest{Op: "present", Session: id, Node: node, Viewers: viewers})
		return err
	})
}

// present runs in the session's goroutine. It tells those who watch, if that
// changes what they know.
func (s *Session) present(node string, viewers []clew.Viewer) {
	elapsed := s.host.elapsed()
	if s.nodes == nil {
		s.nodes = map[string]nodePresence{}
	}
	s.nodes[node] = nodePresence{viewers, elapsed + presentFor.Milliseconds()}
	all := s.viewers(elapsed)
	if slices.Equal(all, s.announcedViewers) {
		return
	}
	s.announcedViewers = all
	data, err := clew.MarshalData(&clew.PresenceData{Viewers: all})
	if err != nil {
		return
	}
	env := transient(s.id, clew.EventPresence, s.host.now(), data)
	s.feed.Stream(clew.EventPresence, env)
	s.host.publishTransient(s.id, clew.EventPresence, env)
}

// viewers puts together what the nodes said, those who came first first.
func (s *Session) viewers(elapsed int64) clew.List[clew.Viewer] {
	all := clew.List[clew.Viewer]{}
	for node, a := range s.nodes {
		if len(a.viewers) == 0 || elapsed >= a.until {
			delete(s.nodes, node)
			continue
		}
		for _, v := range a.viewers {
			i := slices.IndexFunc(all, func(o clew.Viewer) bool { return o.UserID == v.UserID })
			if i < 0 {
				all = append(all, v)
				continue
			}
			all[i].Clients += v.Clients
			all[i].SinceMS = min(all[i].SinceMS, v.SinceMS)
		}
	}
	slices.SortFunc(all, func(a, b clew.Viewer) int {
		return cmp.Or(cmp.Compare(a.SinceMS, b.SinceMS), cmp.Compare(a.UserID, b.UserID))
	})
	return all[:min(len(all), viewersMax)]
}
