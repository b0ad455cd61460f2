package core

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/clew-run/clew"
)

func nothingOpen() []clew.MessageID { return nil }

func appendSaid(t *Transcript, from, n int, open func() []clew.MessageID) {
	for i := range n {
		t.Append(clew.Message{MessageID: clew.MessageIDOf(uint64(from + i)), Text: fmt.Sprint(i)}, open)
	}
}

// What changed is told once, with what left the transcript in the same batch.
func TestTranscriptChanges(t *testing.T) {
	var tr Transcript
	appendSaid(&tr, 1, TailMessages+TailMessages/4, nothingOpen)
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
