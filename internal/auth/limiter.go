package auth

import (
	"sync"
	"time"

	"golang.org/x/time/rate"

	"github.com/clew-run/clew/internal/clock"
)

// A Limiter allows each key so many events a minute. A key that was idle long
// enough to have its full allowance again is forgotten, so memory follows the
// keys in use. It is safe for concurrent use.
type Limiter struct {
	limit rate.Limit
	burst int
	idle  time.Duration // after this a bucket is full again
	now   func() time.Time

	mu      sync.Mutex
	buckets map[string]*bucket
	swept   time.Time
}

type bucket struct {
	*rate.Limiter
	used time.Time
}

// NewLimiter allows perMinute events a minute and key, all at once if need be;
// 0 or less allows everything. now is a clock that does not jump, nil the machine's.
func NewLimiter(perMinute int, now func() time.Time) *Limiter {
	if now == nil {
		now = clock.Steady(clock.System())
	}
	return &Limiter{
		limit: rate.Limit(float64(perMinute) / 60), burst: perMinute, idle: time.Minute,
		now: now, buckets: make(map[string]*bucket), swept: now(),
	}
}

// Allow takes one event of the key's allowance. If there is none left it says
// after how long there will be. A nil Limiter allows everything.
func (l *Limiter) Allow(key string) (ok bool, retryAfter time.Duration) {
	if l == nil || l.burst <= 0 {
		return true, 0
	}
	now := l.now()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.sweep(now)
	b := l.buckets[key]
	if b == nil {
		b = &bucket{Limiter: rate.NewLimiter(l.limit, l.burst)}
		l.buckets[key] = b
	}
	b.used = now
	r := b.ReserveN(now, 1)
	if wait := r.DelayFrom(now); wait > 0 {
		r.CancelAt(now)
		return false, wait
	}
	return true, 0
}

// sweep runs at most once per idle time, so its cost is spread over the calls.
func (l *Limiter) sweep(now time.Time) {
	if now.Sub(l.swept) < l.idle {
		return
	}
	l.swept = now
	for key, b := range l.buckets {
		if now.Sub(b.used) >= l.idle {
			delete(l.buckets, key)
		}
	}
}

// Len says how many keys are remembered.
func (l *Limiter) Len() int {
	if l == nil {
		return 0
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.buckets)
}
