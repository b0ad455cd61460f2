package clew

import "testing"

// Covers: C-01, WS-003
func TestMessageIDs(t *testing.T) {
	for seq, want := range map[uint64]MessageID{
		0: "msg_000000000000", 7: "msg_000000000007", 10: "msg_000000000010", 1_000_000: "msg_000001000000",
		99_999_999_999: "msg_099999999999", 100_000_000_000: "msg_100000000000", 12_345_678_901_234: "msg_12345678901234",
	} {
		if got := MessageIDOf(seq); got != want {
			t.Errorf("id of %d is %s, want %s", seq, got, want)
		}
		if back, err := want.Seq(); err != nil || back != seq {
			t.Errorf("seq of %s is %d, %v", want, back, err)
		}
	}
	for _, bad := range []MessageID{"", "msg_", "msg_7", "msg_00000000000x", "MSG_000000000007", "msg_0000000000007", "snap_000000000001", "msg_-00000000007"} {
		if seq, err := bad.Seq(); err == nil {
			t.Errorf("%q is taken as %d", bad, seq)
		}
	}
}

// Covers: C-05
func TestSessionIDs(t *testing.T) {
	for id, want := range map[SessionID]bool{
		"sess_1": true, "A-z_9": true, "": false, "a.b": false, "a/b": false, "../x": false, "a b": false, "ä": false, "a\x00": false, "*": false, ">": false,
	} {
		if id.Valid() != want {
			t.Errorf("%q valid: %v", id, id.Valid())
		}
	}
	if a, b := NewSessionID(), NewSessionID(); a == b || !a.Valid() {
		t.Errorf("made %s and %s", a, b)
	}
}
