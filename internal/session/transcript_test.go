package session

import (
	"slices"
	"testing"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/session/core"
	"github.com/clew-run/clew/internal/session/decide"
)

// A parent's call whose child says more than the tail holds: the message that
// shows the call is told its end, live and after a restart.
func TestTheEndOfACallBeyondTheTail(t *testing.T) {
	for _, restart := range []bool{false, true} {
		b := newBench()
		b.create()
		must(b.say("m1"))
		b.think()
		must(b.answer(1))
		b.startShown(b.pick(0), clew.ClassOnce)
		call := b.pick(0)
		id := call.MessageID
		for range 3 * core.TailMessages {
			must(b.report(func(tx *decide.Tx, _ *core.State, t *core.Task) {
				note(tx, t, clew.Message{Say: clew.SayText, Text: "on and on"})
			}))
		}
		if slices.ContainsFunc(b.s.state.Messages.Tail(), func(m clew.Message) bool { return m.MessageID == id }) {
			t.Fatal("the call is still in the tail")
		}
		if restart {
			encoded, err := b.s.state.Encode()
			if err != nil {
				t.Fatal(err)
			}
			if b.s.state, err = core.DecodeState("s", encoded); err != nil {
				t.Fatal(err)
			}
		}
		b.s.state.Messages.Forget()
		b.done(call, "")
		changed, all := b.s.state.Messages.Changes()
		if i := slices.IndexFunc(changed, func(m clew.Message) bool { return m.MessageID == id }); all || i < 0 || changed[i].Tool.Status != clew.ToolComplete {
			t.Errorf("restart %v: changed are %+v, all %v", restart, changed, all)
		}
		for i := range core.TailMessages {
			b.s.state.Messages.Append(clew.Message{MessageID: clew.MessageIDOf(uint64(5000 + i))}, b.s.state.UnsettledMessages)
		}
		if b.s.state.Message(id) != nil {
			t.Error("what is settled stays at hand")
		}
	}
}

// Text that only got longer is no change: it was streamed.
func TestGrowthIsNoChange(t *testing.T) {
	b := newBench()
	b.create()
	must(b.say("m1"))
	b.think()
	must(b.begin())
	for _, step := range []struct {
		text    string
		partial bool
		changed bool
	}{{"so", true, false}, {"so far", true, false}, {"anew", true, true}, {"anew and", false, true}} {
		b.s.state.Messages.Forget()
		must(b.update(step.text, step.partial))
		if got, _ := b.s.state.Messages.Changes(); (len(got) > 0) != step.changed {
			t.Errorf("%+v: changed are %+v", step, got)
		}
	}
}
