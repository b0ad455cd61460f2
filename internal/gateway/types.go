package gateway

import (
	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/session/feed"
)

// took tells of a command that the gateway itself has carried out; of the others
// the host does.
func (g *Gateway) took(t clew.CommandType) {
	if g.o.Types == nil {
		return
	}
	switch t {
	case clew.CommandAuth, clew.CommandPong, clew.CommandGetState, clew.CommandGetMessages, clew.CommandSubscribeMonitor:
		g.o.Types.Command(t)
	}
}

// sent tells of an event that is for one client alone.
func (g *Gateway) sent(t clew.EventType) {
	if g.o.Types != nil {
		g.o.Types.Event(t)
	}
}

// told tells of what an item says in view `state`.
func (g *Gateway) told(it *feed.Item) {
	switch {
	case it.Text != nil:
		g.sent(clew.EventText)
	case it.Change != nil:
		g.sent(clew.EventStateChanged)
	}
}
