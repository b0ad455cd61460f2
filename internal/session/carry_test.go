package session_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/journal/journaltest"
	"github.com/clew-run/clew/internal/session"
)

// A turn goes on by itself after the engine refused one of its appends: the
// session leaves memory and is loaded again without anyone asking.
//
// Covers: WS-097
func TestRefusedTurnGoesOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := new(journaltest.Memory)
		f := &faults{Journal: m.Node("a")}
		h := start(t, f, session.Config{Agent: pace(time.Second, "a", "b", "c", "d", "e")})
		id := create(t, h, "")
		do(t, h, id, say("m1", "x"))
		time.Sleep(1500 * time.Millisecond)
		f.set(func() { f.before = times(1, session.ErrRefused) }) // the disk was full once
		time.Sleep(time.Minute)
		records := journaled(t, f, id)
		end, rest := records[len(records)-2], records[len(records)-1]
		ev, err := clew.DecodeEvent(end.Type, end.Data())
		if err != nil {
			t.Fatal(err)
		}
		if u, ok := ev.Data.(*clew.MessageUpdatedData); !ok || u.Message.Partial || u.Message.Text != "abcde" || rest.Type != clew.EventTaskIdle {
			t.Errorf("the turn ended with %s and %s", end.Envelope(), rest.Envelope())
		}
	})
}

// A node that did not hear that it was replaced does not show newcomers the past
// as far as it knows it.
//
// Covers: WS-094
func TestStaleOwnerIsNotShown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPair(t, nil)
		do(t, p.a, p.id, rename("r1"))
		p.m.Down("a")
		do(t, p.b, p.id, rename("r2"))
		want := stateOf(t, p.b, p.id).LastMessageID
		if got := stateOf(t, p.a, p.id).LastMessageID; got != want {
			t.Errorf("the node that was replaced shows %s, its successor is at %s", got, want)
		}
	})
}
