package session

import (
	"fmt"
	"testing"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/session/core"
)

func TestRoleOf(t *testing.T) {
	s := &core.State{Owner: "ann", Access: map[clew.UserID]clew.Role{"vi": clew.RoleViewer, "app": clew.RoleApprover, "co": clew.RoleOwner}}
	none, viewer, approver, owner, admin := clew.RoleNone, clew.RoleViewer, clew.RoleApprover, clew.RoleOwner, clew.RoleAdmin
	tests := []struct {
		user             clew.UserID
		asNone, asViewer clew.Role // by the role of the credentials
		asApprover       clew.Role
		asOwner, asAdmin clew.Role
	}{
		{"ann", none, viewer, approver, owner, owner},
		{"co", none, viewer, approver, owner, owner},
		{"app", none, viewer, approver, approver, approver},
		{"vi", none, viewer, viewer, viewer, viewer},
		{"stranger", none, none, none, none, admin},
		{"", none, none, none, none, admin},
	}
	for _, tt := range tests {
		for credentials, want := range map[clew.Role]clew.Role{
			none: tt.asNone, viewer: tt.asViewer, approver: tt.asApprover, owner: tt.asOwner, admin: tt.asAdmin,
		} {
			if got := s.RoleOf(clew.Principal{User: tt.user, Role: credentials}); got != want {
				t.Errorf("%q with credentials %q is %q, want %q", tt.user, credentials, got, want)
			}
		}
	}
}

// Covers: C-07
func TestStateIsBounded(t *testing.T) {
	alone(t)
	b := newBench()
	b.create()
	for i := range 1200 {
		must(b.say(fmt.Sprint("m", i)))
		must(b.begin())
		must(b.finish("done"))
		if n := len(b.s.state.Messages.Tail()); n > core.TailMessages+core.TailMessages/4 {
			t.Fatalf("%d messages in the state", n)
		}
	}
	if s := b.s.state; s.Total != 2400 || len(s.Messages.Tail()) < core.TailMessages {
		t.Errorf("total %d, %d at hand", s.Total, len(s.Messages.Tail()))
	}
	for i := range core.AccessMax + 5 {
		_, _, err := b.do(clew.Command{By: by("ann"), Data: &clew.SetAccessData{UserID: clew.UserID(fmt.Sprint("u", i)), Role: clew.RoleViewer}})
		if refused := err != nil; refused != (i >= core.AccessMax) {
			t.Fatalf("access of user %d: %v", i, err)
		}
	}
}

func TestRestoreRefusesForeignSnapshots(t *testing.T) {
	b := newBench()
	b.create()
	good, _ := b.s.state.Encode()
	for name, loaded := range map[string]core.Loaded{
		"not JSON":         {State: []byte("{"), StateSeq: 1},
		"another position": {State: good, StateSeq: 2},
		"another session":  {State: []byte(`{"id":"other","seq":1}`), StateSeq: 1},
	} {
		if _, err := core.Restore("s", loaded, nil); clew.CodeOf(err) != clew.SessionDamaged {
			t.Errorf("%s: %v", name, err)
		}
	}
	bad := clew.Head{}.Next("s", 1, 1, "u", clew.EventMessageCreated, []byte(`{"message":7}`))
	if _, err := core.Restore("s", core.Loaded{Tail: []clew.Record{bad}}, nil); clew.CodeOf(err) != clew.SessionDamaged {
		t.Errorf("a record that is not readable: %v", err)
	}
}

func TestWholeRunes(t *testing.T) {
	const text = "aé€😀z"
	for i := range len(text) + 1 { // cut anywhere
		first, rest := wholeRunes(text[:i])
		second, left := wholeRunes(rest + text[i:])
		if first+second != text || left != "" {
			t.Errorf("cut at %d: %q + %q, %q left", i, first, second, left)
		}
	}
	if whole, rest := wholeRunes("a\xffb\x80"); whole != "a\uFFFDb\uFFFD" || rest != "" {
		t.Errorf("bad bytes give %q and %q", whole, rest)
	}
}
