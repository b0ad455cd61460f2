package llmtest

import (
	"context"
	"sync"
)

// Gates hold replies back at their items of kind wait until somebody opens them. A
// gate stays open. The zero value has all gates closed; it is safe for concurrent use.
type Gates struct {
	mu    sync.Mutex
	doors map[string]chan struct{} // closed when the gate is open
}

// Open lets everybody through who waits at a gate, and who comes later.
func (g *Gates) Open(name string) {
	door := g.door(name)
	g.mu.Lock()
	defer g.mu.Unlock()
	select {
	case <-door:
	default:
		close(door)
	}
}

// wait waits until a gate is open. Without gates nobody waits.
func (g *Gates) wait(ctx context.Context, name string) error {
	if g == nil {
		return ctx.Err()
	}
	select {
	case <-g.door(name):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (g *Gates) door(name string) chan struct{} {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.doors == nil {
		g.doors = map[string]chan struct{}{}
	}
	door, known := g.doors[name]
	if !known {
		door = make(chan struct{})
		g.doors[name] = door
	}
	return door
}
