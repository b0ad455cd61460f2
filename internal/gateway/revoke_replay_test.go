package gateway

import (
	"testing"

	"github.com/clew-run/clew"
)

// Access that is taken back while the session moves to another owner is noticed
// although the record comes in a replay.
//
// Covers: WS-111, WS-112
func TestAccessTakenBackInReplay(t *testing.T) {
	r := newRig(t, nil)
	s := r.host.add("s1", "ann")
	s.append(3)
	s.roles["bob"] = clew.RoleApprover
	p := r.join("/ws/s1", "bob")
	r.host.mu.Lock()
	s.Move()
	delete(s.roles, "bob")
	s.record(1, clew.EventAccessChanged, `{}`)
	r.host.mu.Unlock()
	p.records(4, 4)
	p.expectError(clew.SessionNotFound)
	if m, err := p.next(); err == nil {
		t.Errorf("the connection stays and hears %s", m.raw)
	}
	if n := len(r.host.commands()); n != 0 {
		t.Errorf("%d commands were taken", n)
	}
}
