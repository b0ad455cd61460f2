package gateway

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/session"
)

// Presenter is told who watches a session here. If the Host is one too, people
// see who else is there.
type Presenter interface {
	Present(ctx context.Context, id clew.SessionID, viewers []clew.Viewer) error
}

// presentAfter is how long changes are gathered: a reload is no coming and going.
const presentAfter = 250 * time.Millisecond

// A presence knows the sessions whose viewers have changed.
type presence struct {
	mu      sync.Mutex
	changed map[clew.SessionID]bool
	kick    chan struct{}
}

func (p *presence) note(id clew.SessionID) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.changed[id] = true
	select {
	case p.kick <- struct{}{}:
	default:
	}
}

// take gives what has changed. Kicks up to now were about that.
func (p *presence) take() map[clew.SessionID]bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	select {
	case <-p.kick:
	default:
	}
	taken := p.changed
	p.changed = map[clew.SessionID]bool{}
	return taken
}

// presenceLoop tells the host of changes, and of everyone once in a while.
func (g *Gateway) presenceLoop(host Presenter) {
	defer g.wg.Done()
	again := time.NewTicker(session.PresentEvery)
	defer again.Stop()
	for {
		var ids map[clew.SessionID]bool
		select {
		case <-g.ctx.Done():
			return
		case <-again.C:
		case <-g.presence.kick:
			select {
			case <-g.ctx.Done():
				return
			case <-time.After(presentAfter):
			}
			ids = g.presence.take()
		}
		for id, viewers := range g.viewers(ids) {
			ctx, cancel := context.WithTimeout(g.ctx, g.limits.CommandTimeout)
			if err := host.Present(ctx, id, viewers); err != nil {
				g.log.Debug("who is present was not told", "session", id, "err", err)
			}
			cancel()
		}
	}
}

// viewers lists who watches sessions here; of nil sessions, all that are watched.
func (g *Gateway) viewers(ids map[clew.SessionID]bool) map[clew.SessionID][]clew.Viewer {
	found := map[clew.SessionID]map[clew.UserID]*clew.Viewer{}
	for id := range ids {
		found[id] = nil
	}
	g.reg.each(func(c *conn) {
		if !c.filed || c.source != nil || ids != nil && !ids[c.session] {
			return
		}
		users := found[c.session]
		if users == nil {
			users = map[clew.UserID]*clew.Viewer{}
			found[c.session] = users
		}
		v := users[c.user]
		if v == nil {
			v = &clew.Viewer{UserID: c.user, SinceMS: c.since}
			users[c.user] = v
		}
		v.Clients++
		v.SinceMS = min(v.SinceMS, c.since)
	})
	lists := make(map[clew.SessionID][]clew.Viewer, len(found))
	for id, users := range found {
		lists[id] = []clew.Viewer{}
		for _, user := range slices.Sorted(maps.Keys(users)) {
			lists[id] = append(lists[id], *users[user])
		}
	}
	return lists
}
