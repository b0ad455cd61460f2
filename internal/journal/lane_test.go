package journal

import (
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

type heldMsg struct {
	jetstream.Msg
	back time.Duration // for how long it was given back
}

func (m *heldMsg) NakWithDelay(d time.Duration) error { m.back = d; return nil }

// A lane has a few at work and some in waiting, in order; what is more is given
// back. Other lanes do not notice, and an empty one is forgotten.
func TestLanes(t *testing.T) {
	var l sessionLocks
	var all []*heldMsg
	var begun []lockedJournal
	enter := func(user string) (*heldMsg, bool) {
		m := &heldMsg{}
		in, begins := l.enter(user, m)
		if begins {
			begun = append(begun, in)
		}
		return m, begins
	}
	for i := range placesPerUser + waitingPerUser {
		m, begins := enter("eve")
		if all = append(all, m); begins != (i < placesPerUser) || m.back != 0 {
			t.Fatalf("the %dth begins: %v, given back for %v", i, begins, m.back)
		}
	}
	if m, begins := enter("eve"); begins || m.back != laneFull {
		t.Errorf("one too many begins: %v, given back for %v", begins, m.back)
	}
	if _, begins := enter("ann"); !begins {
		t.Error("another's does not begin")
	}
	for _, in := range begun {
		in.done()
	}
	for i := range waitingPerUser {
		in, more := l.next("eve")
		if !more || in.m != all[placesPerUser+i] {
			t.Fatalf("the %dth that waited is not the next", i)
		}
		in.done()
	}
	for range placesPerUser {
		if _, more := l.next("eve"); more {
			t.Error("more wait than came")
		}
	}
	if _, more := l.next("ann"); more || len(l.users) != 0 {
		t.Errorf("%d lanes are left", len(l.users))
	}
	if user := laneOf("$KV.inbox.u1.s1.q1", "inbox"); user != "u1" {
		t.Errorf("the row is of %q", user)
	}
}
