package api

import (
	"context"
	"sync"

	"github.com/clew-run/clew"
)

const (
	heavyPerUser   = 2
	heavyInWaiting = 16
)

// heavy keeps one user's reads that go through a whole session, of which each
// needs a processor for a while, from taking what all share. It is safe for
// concurrent use; the zero value is ready.
type heavy struct {
	mu    sync.Mutex
	users map[clew.UserID]*reader
}

// reader is what one user has under way.
type reader struct {
	turn chan struct{}
	n    int // reads that hold a turn or wait for one
}

// begin waits for one of the user's turns; end gives it to the next one.
func (h *heavy) begin(ctx context.Context, user clew.UserID) (end func(), err error) {
	r, err := h.enter(user)
	if err != nil {
		return nil, err
	}
	select {
	case r.turn <- struct{}{}:
		return func() { <-r.turn; h.leave(user, r) }, nil
	case <-ctx.Done():
		h.leave(user, r)
		return nil, busy("%d of your reads of long histories are under way", heavyPerUser)
	}
}

func (h *heavy) enter(user clew.UserID) (*reader, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.users == nil {
		h.users = map[clew.UserID]*reader{}
	}
	r := h.users[user]
	if r == nil {
		r = &reader{turn: make(chan struct{}, heavyPerUser)}
		h.users[user] = r
	}
	if r.n >= heavyPerUser+heavyInWaiting {
		return nil, busy("%d of your reads of long histories are under way or wait", r.n)
	}
	r.n++
	return r, nil
}

func (h *heavy) leave(user clew.UserID, r *reader) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if r.n--; r.n == 0 {
		delete(h.users, user)
	}
}
