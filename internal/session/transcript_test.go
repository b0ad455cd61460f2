package session

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"github.com/clew-run/clew"
)

func nothingOpen() []clew.MessageID { return nil }

func appendSaid(t *Transcript, from, n int, open func() []clew.MessageID) {
	for i := range n {
		t.Append(clew.Message{MessageID: clew.MessageIDOf(uint64(from + i)), Text: fmt.Sprint(i)}, open)
	}
}

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
		for range 3 * tailMessages {
			must(b.report(func(tx *Tx, _ *State, t *Task) { note(tx, t, clew.Message{Say: clew.SayText, Text: "on and on"}) }))
		}
		if slices.ContainsFunc(b.s.state.Messages.Tail(), func(m clew.Message) bool { return m.MessageID == id }) {
			t.Fatal("the call is still in the tail")
		}
		if restart {
			encoded, err := b.s.state.Encode()
			if err != nil {
				t.Fatal(err)
			}
			if b.s.state, err = decodeState("s", encoded); err != nil {
				t.Fatal(err)
			}
		}
		b.s.state.Messages.Forget()
		b.done(call, "")
		changed, all := b.s.state.Messages.Changes()
		if i := slices.IndexFunc(changed, func(m clew.Message) bool { return m.MessageID == id }); all || i < 0 || changed[i].Tool.Status != clew.ToolComplete {
			t.Errorf("restart %v: changed are %+v, all %v", restart, changed, all)
		}
		appendSaid(&b.s.state.Messages, 5000, tailMessages, b.s.state.unsettledMessages)
		if b.s.state.Message(id) != nil {
			t.Error("what is settled stays at hand")
		}
	}
}

// What changed is told once, with what left the transcript in the same batch.
func TestTranscriptChanges(t *testing.T) {
	var tr Transcript
	appendSaid(&tr, 1, tailMessages+tailMessages/4, nothingOpen)
	tr.Forget()
	first := clew.MessageIDOf(1)
	tr.Change(first, func(m *clew.Message) bool { m.Text = "other"; return true })
	tr.Change(clew.MessageIDOf(2), func(*clew.Message) bool { return false })
	appendSaid(&tr, 1000, 1, nothingOpen) // the first ones leave
	got, all := tr.Changes()
	if all || len(got) != 2 || got[0].Text != "other" || got[1].MessageID != clew.MessageIDOf(1000) {
		t.Errorf("changed: %+v, all %v", got, all)
	}
	if got, all = tr.Changes(); all || len(got) > 0 {
		t.Errorf("and again: %+v, all %v", got, all)
	}
	tr.Remove(clew.MessageIDOf(1000))
	if _, all = tr.Changes(); !all {
		t.Error("a removal went unnoticed")
	}
	appendSaid(&tr, 2000, changesCounted+1, nothingOpen)
	if _, all = tr.Changes(); !all {
		t.Error("more than can be counted, and not all")
	}
}

// Snapshots have the tail as a list, as they always did.
func TestTranscriptInASnapshot(t *testing.T) {
	var tr Transcript
	appendSaid(&tr, 1, 2, nothingOpen)
	plain, err := json.Marshal(tr)
	want, _ := json.Marshal(tr.Tail())
	if err != nil || string(plain) != string(want) {
		t.Errorf("%s, %v, want %s", plain, err, want)
	}
	tr.unsettled = []clew.Message{{MessageID: "msg_000000000000"}}
	for _, form := range []Transcript{tr, {tail: tr.tail}} {
		b, err := json.Marshal(form)
		var back Transcript
		if err == nil {
			err = json.Unmarshal(b, &back)
		}
		if err != nil || len(back.tail) != 2 || len(back.unsettled) != len(form.unsettled) {
			t.Errorf("%s became %+v, %v", b, back, err)
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
