package faults

import (
	"fmt"
	"sync"
	"time"

	"github.com/clew-run/clew/internal/poll"
)

// A gap measures how long nobody was served.
type gap struct {
	mu      sync.Mutex
	last    time.Time
	longest time.Duration
	after   time.Time // when the fault was over
}

func (g *gap) start() { g.served() }

func (g *gap) served() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if d := time.Since(g.last); !g.last.IsZero() {
		g.longest = max(g.longest, d)
	}
	g.last = time.Now()
}

func (g *gap) healed() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.after = time.Now()
}

func (g *gap) String() string {
	g.mu.Lock()
	defer g.mu.Unlock()
	return fmt.Sprintf("%.1f s", g.longest.Seconds())
}

// A pulse keeps when somebody was served.
type pulse struct {
	mu    sync.Mutex
	times []time.Time
}

func (p *pulse) beat() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.times = append(p.times, time.Now())
}

// since waits until somebody was served after a moment, up to a limit, and says how
// long that took.
func (p *pulse) since(start time.Time, limit time.Duration) time.Duration {
	took := limit
	poll.Within(limit-time.Since(start), func() bool {
		p.mu.Lock()
		defer p.mu.Unlock()
		for i := len(p.times) - 1; i >= 0; i-- {
			if p.times[i].Before(start) {
				p.times = p.times[i+1:] // nobody asks for earlier moments
				break
			}
		}
		if len(p.times) > 0 {
			took = p.times[0].Sub(start)
		}
		return len(p.times) > 0
	})
	return took
}
