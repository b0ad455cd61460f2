package faults

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/clew-run/clew"
)

// A writer gives a session commands, one after the other, each under its name
// until it is acknowledged, and now and then says one again.
type writer struct {
	w       *world
	id      clew.SessionID
	served  pulse
	resting atomic.Bool

	mu    sync.Mutex
	acked map[clew.ClientMessageID][]clew.MessageID
}

func newWriter(w *world, i int) *writer {
	return &writer{w: w, id: w.create(fmt.Sprintf("writer_%d", i)), acked: map[clew.ClientMessageID][]clew.MessageID{}}
}

func (p *writer) live(ctx context.Context) {
	for n := 0; ctx.Err() == nil; n++ {
		if p.w.rest.Load() {
			p.resting.Store(true)
			return
		}
		name := fmt.Sprintf("%s-%d", p.id, n)
		typ := clew.CommandRenameSession
		var data any = clew.RenameSessionData{Title: "title " + name}
		if n%20 == 10 {
			typ, data = clew.CommandUserMessage, clew.UserMessageData{Text: "talk " + name}
		}
		if !p.say(ctx, name, typ, data) || !pause(ctx, 10*time.Millisecond) {
			return
		}
	}
}

func (p *writer) say(ctx context.Context, name string, typ clew.CommandType, data any) bool {
	r, err := p.w.command(ctx, p.id, name, typ, data)
	switch {
	case ctx.Err() != nil:
		return false
	case err != nil && p.w.spoilt(p.id) != "":
		return pause(ctx, 100*time.Millisecond)
	case err != nil:
		p.w.broke(nothingLost, "%s was refused: %v", name, err)
		return true
	}
	p.served.beat()
	p.mu.Lock()
	p.acked[clew.ClientMessageID(name)] = r.Records
	p.mu.Unlock()
	if len(name)%3 == 0 { // by its name, so that a seed says all
		again, err := p.w.command(ctx, p.id, name, typ, data)
		if ctx.Err() != nil {
			return false
		}
		if err != nil && p.w.spoilt(p.id) != "" {
			return pause(ctx, 100*time.Millisecond)
		}
		p.w.holds(repeatSame, err == nil && slices.Equal(r.Records, again.Records), "%s gave %v, and said again %v, %v", name, r.Records, again.Records, err)
	}
	return true
}
