package session

import (
	"context"
	"sync"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/crash"
	"github.com/clew-run/clew/internal/session/decide"
)

// Slots says how many agents may be at work on this node. A slot is held while the
// goroutine of a turn runs, never while the turn waits for a person. No method waits.
type Slots interface {
	// Try takes a slot for a session of the owner; release gives it back, once.
	Try(owner clew.UserID) (release func(), ok bool)
	// OnFree hands take a slot as soon as one is free and those who asked before had
	// theirs. take must not wait.
	OnFree(owner clew.UserID, take func(release func()))
}

// A Limiter is the slots of a node: so many for each owner and so many in all, as
// limits says at that time; 0 is no limit. Safe for concurrent use.
type Limiter struct {
	limits func() (owner, node int)

	mu      sync.Mutex
	held    map[clew.UserID]int
	all     int
	waiting []slotWaiter // in the order in which they came
}

type slotWaiter struct {
	owner clew.UserID
	take  func(release func())
}

// NewLimiter makes the slots of a node.
func NewLimiter(limits func() (owner, node int)) *Limiter {
	return &Limiter{limits: limits, held: map[clew.UserID]int{}}
}

// Try implements Slots. Whoever waits and could have a slot has one already, so there
// is nobody to pass by.
func (l *Limiter) Try(owner clew.UserID) (release func(), ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.takeLocked(owner)
}

func (l *Limiter) takeLocked(owner clew.UserID) (release func(), ok bool) {
	each, node := l.limits()
	if each > 0 && l.held[owner] >= each || node > 0 && l.all >= node {
		return nil, false
	}
	l.held[owner]++
	l.all++
	return sync.OnceFunc(func() { l.release(owner) }), true
}

func (l *Limiter) release(owner clew.UserID) {
	l.mu.Lock()
	if l.all--; l.held[owner] > 1 {
		l.held[owner]--
	} else {
		delete(l.held, owner)
	}
	l.mu.Unlock()
	l.grant()
}

// OnFree implements Slots.
func (l *Limiter) OnFree(owner clew.UserID, take func(release func())) {
	l.mu.Lock()
	l.waiting = append(l.waiting, slotWaiter{owner, take})
	l.mu.Unlock()
	l.grant()
}

// grant hands out what is free, the one who waits longest first. They are called
// without the lock: whoever does not need the slot any more gives it back at once.
func (l *Limiter) grant() {
	for {
		take, release := l.next()
		if take == nil {
			return
		}
		take(release)
	}
}

func (l *Limiter) next() (take func(release func()), release func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for i, w := range l.waiting {
		if release, ok := l.takeLocked(w.owner); ok {
			l.waiting = append(l.waiting[:i:i], l.waiting[i+1:]...)
			return w.take, release
		}
	}
	return nil, nil
}

// Changed says that the limits may be others.
func (l *Limiter) Changed() { l.grant() }

// InUse is how many slots are held.
func (l *Limiter) InUse() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.all
}

// unlimited is a node that counts nothing.
type unlimited struct{}

func (unlimited) Try(clew.UserID) (func(), bool)                  { return func() {}, true }
func (unlimited) OnFree(_ clew.UserID, take func(release func())) { take(func() {}) }

// ownSlots are the slots that a session was given and that no turn holds yet.
type ownSlots struct {
	mu    sync.Mutex
	free  []func()
	asked int // that it waits for
	gone  bool
	kick  chan struct{} // has one element while the session should look
}

// take keeps a slot for the session's next turn.
func (o *ownSlots) take(release func()) {
	o.mu.Lock()
	if o.gone {
		o.mu.Unlock()
		release()
		return
	}
	o.free = append(o.free, release)
	o.mu.Unlock()
	select {
	case o.kick <- struct{}{}:
	default:
	}
}

func (o *ownSlots) granted(release func()) {
	o.mu.Lock()
	o.asked--
	o.mu.Unlock()
	o.take(release)
}

// pop gives a slot that is kept, nil if there is none.
func (o *ownSlots) pop() (release func()) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if n := len(o.free); n > 0 {
		release, o.free = o.free[n-1], o.free[:n-1]
	}
	return release
}

// giveBack releases what no turn needed. With the session gone, so is what comes later.
func (o *ownSlots) giveBack(gone bool) {
	o.mu.Lock()
	free := o.free
	o.free, o.gone = nil, o.gone || gone
	o.mu.Unlock()
	for _, release := range free {
		release()
	}
}

// awaitSlots has the session told when so many turns can have slots.
func (s *Session) awaitSlots(turns int) {
	o := &s.slots
	o.mu.Lock()
	more := turns - o.asked
	o.asked = max(o.asked, turns)
	o.mu.Unlock()
	for range more {
		s.host.cfg.Slots.OnFree(s.state.Owner, o.granted)
	}
}

// slotFor takes a slot for a turn, nil if there is none now.
func (s *Session) slotFor() (release func()) {
	if release := s.slots.pop(); release != nil {
		return release
	}
	if release, ok := s.host.cfg.Slots.Try(s.state.Owner); ok {
		return release
	}
	return nil
}

// withSlot tries for a slot for a command that may begin an agent beside those at work.
// What comes of the try is part of the command, as the clock is: Decide stays pure.
func (s *Session) withSlot(data any) (with any, release func()) {
	if s.host.cfg.Slots == nil || !decide.MayAddAgent(s.state, data) {
		return data, nil
	}
	release = s.slotFor()
	if release != nil {
		crash.At("pool.slot")
	}
	return &decide.SlotCommand{Command: data, Slot: release != nil}, release
}

// A turnSlot is the slot of a turn at work.
type turnSlot struct {
	slots Slots
	owner clew.UserID

	mu      sync.Mutex
	release func() // nil while the turn waits for a person, and when it is over
	over    bool
}

// put gives the slot back.
func (t *turnSlot) put(over bool) {
	t.mu.Lock()
	release := t.release
	t.release, t.over = nil, t.over || over
	t.mu.Unlock()
	if release != nil {
		release()
	}
}

// again waits for a slot, after a person answered.
func (t *turnSlot) again(ctx context.Context) error {
	got := make(chan struct{})
	t.slots.OnFree(t.owner, func(release func()) {
		defer close(got)
		t.mu.Lock()
		if !t.over && t.release == nil {
			t.release, release = release, nil
		}
		t.mu.Unlock()
		if release != nil { // another of its tools has it, or the turn is over
			release()
		}
	})
	select {
	case <-got:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
