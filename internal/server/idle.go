package server

import (
	"context"
	"math"
	"sync/atomic"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/auth"
)

// closedDoor is the count of requests of a server that is about to leave.
const closedDoor = math.MinInt32

// An idleWatch knows whether anybody needs the server. It is safe for concurrent use.
type idleWatch struct {
	requests atomic.Int32 // under way; closedDoor once the server leaves
	last     atomic.Int64 // when somebody needed it last, as time that elapsed
}

// enter counts a request in. It reports false if the server leaves: the caller finds
// or starts another one.
func (i *idleWatch) enter() bool {
	for {
		n := i.requests.Load()
		if n < 0 {
			return false
		}
		if i.requests.CompareAndSwap(n, n+1) {
			return true
		}
	}
}

func (s *Server) leaveRequest() {
	s.touch()
	s.idle.requests.Add(-1)
}

// touch notes that somebody is there.
func (s *Server) touch() { s.idle.last.Store(int64(s.cfg.Clock.Elapsed())) }

// idleLooks is how often the server looks within the time that it waits.
const idleLooks = 20

// endWhenIdle calls end once nobody has needed the server for IdleExit: no client is
// connected, nothing is at work, and no question has a deadline. Open questions without
// one are on disk and do not hold it.
func (s *Server) endWhenIdle(ctx context.Context, end func()) {
	s.touch()
	for {
		at, stop := s.cfg.Clock.After(s.cfg.IdleExit / idleLooks)
		select {
		case <-ctx.Done():
			stop()
			return
		case <-at:
		}
		if s.leaves(ctx) {
			s.log.Info("nobody needs the server: it ends", "idle", s.cfg.IdleExit)
			end()
			return
		}
	}
}

// leaves closes the door if nobody needs the server. It looks once more behind the
// closed door, as somebody may have come meanwhile.
func (s *Server) leaves(ctx context.Context) bool {
	if s.needed(ctx) {
		s.touch()
		return false
	}
	if !s.longIdle() || !s.idle.requests.CompareAndSwap(0, closedDoor) {
		return false
	}
	if s.needed(ctx) || !s.longIdle() {
		s.touch()
		s.idle.requests.Store(0)
		return false
	}
	return true
}

func (s *Server) longIdle() bool {
	return s.cfg.Clock.Elapsed()-time.Duration(s.idle.last.Load()) >= s.cfg.IdleExit
}

// needed reports whether somebody is connected or something is at work now.
func (s *Server) needed(ctx context.Context) bool {
	if s.idle.requests.Load() > 0 || s.gateway.Counters.Connections.Load() > 0 || s.gateway.Counters.Waiting.Load() > 0 {
		return true
	}
	if socket := s.socket.Load(); socket != nil && socket.Clients() > 0 {
		return true
	}
	return s.host.AtWork() > 0 || s.shop.shell.Running() > 0 || s.deadlineAhead(ctx)
}

// deadlineAhead reports whether an open question has a deadline: what happens then is
// for a server to do. Those that have one come first.
func (s *Server) deadlineAhead(ctx context.Context) bool {
	for _, user := range []clew.UserID{auth.OwnerUser, auth.LocalUser} {
		page, err := s.questions.inbox.List(ctx, clew.Principal{User: user, Role: clew.RoleAdmin}, "", 1)
		if err != nil {
			return true // it cannot be known
		}
		if len(page.Items) > 0 && page.Items[0].Question.Asking().DeadlineMS > 0 {
			return true
		}
	}
	return false
}
