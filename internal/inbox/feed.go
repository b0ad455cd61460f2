package inbox

import (
	"context"
	"slices"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/session"
)

// The frames of a feed. They are about no session and are on no record.
const (
	EventState   clew.EventType = "inbox_state"
	EventChanged clew.EventType = "inbox_changed"
)

// A State is the data of inbox_state: a whole inbox.
type State struct {
	Items  []Item `json:"items"`
	Counts Counts `json:"counts"`
}

// A Changed is the data of inbox_changed. An item in Added that the client has
// already replaces it.
type Changed struct {
	Added   []Item           `json:"added"`
	Removed []clew.RequestID `json:"removed"`
	Counts  Counts           `json:"counts"`
}

// Feed sends a person's inbox and then each change of it, from whichever node,
// until ctx ends or the table cannot be watched any more.
func (b *Inbox) Feed(ctx context.Context, by clew.Principal, send func(typ clew.EventType, data any)) error {
	if !Reads(by) {
		send(EventState, &State{Items: []Item{}, Counts: b.count(nil)})
		<-ctx.Done()
		return ctx.Err()
	}
	b.sessions.InboxWritten(ctx)
	held := map[clew.RequestID]Item{}
	current := false
	return b.rows.Watch(ctx, by.User, func(c session.InboxChange) {
		switch _, known := held[c.RequestID]; {
		case c.Current:
			current = true
			items := sorted(held)
			send(EventState, &State{Items: items, Counts: b.count(items)})
			return
		case c.Item != nil:
			held[c.RequestID] = Item{*c.Item, KindOf(c.Item.Question)}
		case !known:
			return
		default:
			delete(held, c.RequestID)
		}
		if !current {
			return
		}
		d := &Changed{Added: []Item{}, Removed: []clew.RequestID{}, Counts: b.count(sorted(held))}
		if c.Item != nil {
			d.Added = append(d.Added, held[c.RequestID])
		} else {
			d.Removed = append(d.Removed, c.RequestID)
		}
		send(EventChanged, d)
	})
}

func sorted(held map[clew.RequestID]Item) []Item {
	items := make([]Item, 0, len(held))
	for _, it := range held {
		items = append(items, it)
	}
	slices.SortFunc(items, func(x, y Item) int { return placeOf(x).compare(placeOf(y)) })
	return items
}
