package tui

import (
	"context"
	"fmt"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/client"
	"github.com/clew-run/clew/internal/tui/paint"
)

// otherSessions are the open questions of all sessions, for the sign that something else
// needs this person.
type otherSessions struct {
	open map[clew.RequestID]clew.SessionID
	stop context.CancelFunc
}

// watchOthers follows the person's inbox for as long as the screen is there.
func (m *model) watchOthers() {
	ctx, stop := context.WithCancel(m.ctx)
	m.others.stop = stop
	send, opts := m.send, client.Options{URL: m.o.Server, Token: m.o.Token, HTTPClient: m.o.HTTP, Retry: retry}
	m.closing.Go(func() {
		for change, err := range client.FollowInbox(ctx, opts) {
			if err != nil {
				return // the sign is missing, and no more
			}
			send(change)
		}
	})
}

func (o *otherSessions) take(c client.InboxChange) {
	if c.All || o.open == nil {
		o.open = map[clew.RequestID]clew.SessionID{}
	}
	for _, id := range c.Removed {
		delete(o.open, id)
	}
	for _, item := range c.Added {
		o.open[item.Question.RequestID()] = item.SessionID
	}
}

// elsewhere counts the questions of other sessions.
func (m *model) elsewhere() (n int) {
	for _, session := range m.others.open {
		if session != m.link.session {
			n++
		}
	}
	return n
}

// drawElsewhere says in the last line that other sessions need this person: in a
// word, where the keys would have no room beside more.
func (m *model) drawElsewhere(room int) paint.Line {
	n := m.elsewhere()
	if n == 0 {
		return nil
	}
	word := fmt.Sprintf("  ◇ %d more need you", n)
	if n == 1 {
		word = "  ◇ 1 more needs you"
	}
	line := paint.L(paint.S(paint.Ask, word), paint.S(paint.Soft, " · "), paint.B(paint.Plain, "ctrl+o"))
	if len(m.footKeysIn(room-line.Width())) < 4 { // two keys
		return paint.L(paint.S(paint.Ask, fmt.Sprintf("  ◇%d", n)))
	}
	return line
}
