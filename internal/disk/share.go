package disk

import (
	"time"

	"github.com/clew-run/clew"
)

// A Share is one workspace as a part of what its user may have. nil has no limit.
// Safe for concurrent use.
type Share struct {
	w     *Workspaces
	user  *user
	place *place
}

// Room is nil if so many bytes more may be written, and counts them.
func (s *Share) Room(more int64) error {
	if s == nil || more <= 0 {
		return nil
	}
	quota := s.w.quota()
	if quota <= 0 {
		return nil
	}
	s.w.mu.Lock()
	defer s.w.mu.Unlock()
	if s.over(quota, more) {
		return full(s.user.sum(), quota)
	}
	s.place.size += more
	return nil
}

// over says whether a user has more than the quota, or would have with so many bytes
// more. The caller has the lock; it is given away while somebody looks.
func (s *Share) over(quota, more int64) bool {
	over := func() bool { return s.user.known && s.user.sum()+more > quota }
	if s.user.due(s.w.pace, s.w.dir, quota) {
		s.w.look(s.user, false)
	}
	s.w.await(s.user)
	if over() && time.Since(s.user.looked) >= s.user.took { // something may have been deleted
		s.w.look(s.user, true)
		s.w.await(s.user)
	}
	return over()
}

func full(sum, quota int64) error {
	return clew.Errorf(clew.BudgetExceeded, "your workspaces take %s of the %s that they may take (workspace_quota_mb). Delete what you do not need, or ask the server's operator for more",
		amount(uint64(max(sum, 0))), amount(uint64(quota))).Advised()
}

// Begin says that a command begins to work in the workspace. End the Use with it.
func (s *Share) Begin() *Use {
	if s == nil {
		return nil
	}
	quota := s.w.quota()
	if quota <= 0 {
		return nil
	}
	s.w.mu.Lock()
	defer s.w.mu.Unlock()
	u := &Use{s: s, least: -1, over: s.over(quota, 0)}
	s.place.used++
	u.looks = s.place.looks
	if s.place.looks > 0 {
		u.least = s.place.size
	}
	return u
}

// A Use is a command at work in a workspace. nil is one without a quota. One
// goroutine has it.
type Use struct {
	s     *Share
	over  bool
	looks int   // that it knows of
	least int64 // that the workspace took since all were within the quota; -1 before the first look
}

// Over says whether the user had too much when the command began.
func (u *Use) Over() bool { return u != nil && u.over }

// Grown is an error if the user has more than the quota, and this workspace grew
// to it: what frees room goes on, and so does what only reads. It does not wait; it
// has somebody look now and then.
func (u *Use) Grown() error {
	if u == nil {
		return nil
	}
	w, quota := u.s.w, u.s.w.quota()
	w.mu.Lock()
	defer w.mu.Unlock()
	if quota <= 0 {
		return nil
	}
	if u.s.user.due(w.pace, w.dir, quota) {
		w.look(u.s.user, false)
	}
	p := u.s.place
	if !u.s.user.known || p.looks == u.looks {
		return nil
	}
	u.looks = p.looks
	sum := u.s.user.sum()
	if sum > quota && u.least >= 0 && p.size > u.least {
		return full(sum, quota)
	}
	u.least = p.size
	return nil
}

// End says that the command is over.
func (u *Use) End() {
	if u == nil {
		return
	}
	u.s.w.mu.Lock()
	defer u.s.w.mu.Unlock()
	u.s.place.used--
	u.s.place.stale = true
}
