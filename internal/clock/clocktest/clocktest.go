// Package clocktest has a clock that tests set.
package clocktest

import (
	"sync"
	"time"

	"github.com/clew-run/clew/internal/clock"
)

// A Clock stands until somebody lets time go by. It is safe for concurrent use.
type Clock struct {
	mu      sync.Mutex
	elapsed time.Duration
	now     time.Time
	rate    float64
	timers  map[*timer]struct{}
}

type timer struct {
	at time.Duration
	c  chan time.Time
}

// New gives a clock at a time of day.
func New(now time.Time) *Clock {
	return &Clock{now: now.Round(0), rate: 1, timers: map[*timer]struct{}{}}
}

// Now implements clock.Clock.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// Elapsed implements clock.Clock.
func (c *Clock) Elapsed() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.elapsed
}

// After implements clock.Clock.
func (c *Clock) After(d time.Duration) (<-chan time.Time, func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	t := &timer{c.elapsed + d, make(chan time.Time, 1)}
	c.timers[t] = struct{}{}
	c.fire()
	return t.c, func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.timers, t)
	}
}

// Advance lets time go by. The time of day follows at its rate.
func (c *Clock) Advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.elapsed += d
	c.now = c.now.Add(time.Duration(float64(d) * c.rate))
	c.fire()
}

// Jump sets the time of day forward, or back. No time goes by.
func (c *Clock) Jump(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// Run sets how fast the time of day follows: 1 is right, 0 stands still.
func (c *Clock) Run(rate float64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.rate = rate
}

// fire lets the timers go whose time has come. The caller holds mu.
func (c *Clock) fire() {
	for t := range c.timers {
		if t.at <= c.elapsed {
			delete(c.timers, t)
			t.c <- c.now
		}
	}
}

// A Wrong clock is another one, but for the time of day. It is safe for concurrent
// use.
type Wrong struct {
	clock.Clock
	mu    sync.Mutex
	at    time.Time     // the time of day
	since time.Duration // when it was that
	rate  float64
}

// NewWrong gives a clock that is right for now.
func NewWrong(c clock.Clock) *Wrong {
	return &Wrong{Clock: c, at: c.Now(), since: c.Elapsed(), rate: 1}
}

// Now implements clock.Clock.
func (w *Wrong) Now() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.at.Add(time.Duration(float64(w.Elapsed()-w.since) * w.rate))
}

// Jump sets the time of day forward, or back.
func (w *Wrong) Jump(d time.Duration) { w.set(d, w.rate) }

// Run sets how fast the time of day goes: 1 is right, 0 stands still.
func (w *Wrong) Run(rate float64) { w.set(0, rate) }

func (w *Wrong) set(jump time.Duration, rate float64) {
	now := w.Now()
	w.mu.Lock()
	defer w.mu.Unlock()
	w.at, w.since, w.rate = now.Add(jump), w.Elapsed(), rate
}
