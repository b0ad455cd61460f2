package api

import (
	"context"
	"sync"

	"github.com/clew-run/clew"
)

const (
	transfersAtOnce  = 4  // each needs a processor, and disk for what it carries
	transfersPerUser = 2  // also those that are still being uploaded
	transfersInAll   = 16 // likewise
)

// turns keeps one user, and those whose lines are slow, from taking what all
// share. It is safe for concurrent use.
type turns struct {
	work chan struct{} // held while a session is read or made, not during an upload

	mu  sync.Mutex
	of  map[clew.UserID]int // transfers that are on their way
	all int
}

func newTurns() *turns {
	return &turns{work: make(chan struct{}, transfersAtOnce), of: map[clew.UserID]int{}}
}

// enter notes a user's transfer, until leave is called.
func (t *turns) enter(user clew.UserID) (leave func(), err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.of[user] >= transfersPerUser {
		return nil, busy("%d of your sessions are on their way; a server moves no more for one user at once", transfersPerUser)
	}
	if t.all >= transfersInAll {
		return nil, busy("as many sessions are on their way as this server takes at once")
	}
	t.of[user]++
	t.all++
	return func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.all--
		if t.of[user]--; t.of[user] == 0 {
			delete(t.of, user)
		}
	}, nil
}

// begin lets a few through at a time; end lets the next one.
func (t *turns) begin() (end func(), err error) {
	select {
	case t.work <- struct{}{}:
		return t.end, nil
	default:
		return nil, busy("as many sessions are read and written as this server takes at once")
	}
}

// wait is begin for those who have sent a large file: they are not told to send
// it again.
func (t *turns) wait(ctx context.Context) (end func(), err error) {
	select {
	case t.work <- struct{}{}:
		return t.end, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (t *turns) end() { <-t.work }

func busy(format string, args ...any) error {
	e := clew.Errorf(clew.RateLimited, format, args...)
	e.RetryAfterMS = 5000
	return e
}
