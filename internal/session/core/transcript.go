package core

import (
	"bytes"
	"encoding/json"
	"slices"

	"github.com/clew-run/clew"
)

// A Transcript is the end of a session's transcript, and those older messages
// of which more is to be told. Nobody else can write to it, so it knows which
// messages changed.
type Transcript struct {
	tail []clew.Message
	// unsettled are messages before the tail that still grow, whose call runs or
	// whose question is open: they learn their end here.
	unsettled []clew.Message

	// What changed since Changes was last asked for. It is not part of the
	// snapshot, and a copy of the state begins with what its original had.
	changed []clew.MessageID
	gone    []clew.Message // those of them that left the transcript meanwhile
	all     bool           // more than can be told one by one
}

// How much is kept of the transcript.
const (
	TailMessages   = 200 // messages in the state and in a default page
	unsettledMax   = 100
	changesCounted = 512
)

// Tail gives the newest messages without a gap, oldest first. They are not to
// be changed.
func (t *Transcript) Tail() []clew.Message { return t.tail }

// find gives a message to this file.
func (t *Transcript) find(id clew.MessageID) *clew.Message {
	for i := len(t.tail) - 1; i >= 0; i-- {
		if t.tail[i].MessageID == id {
			return &t.tail[i]
		}
	}
	for i := range t.unsettled {
		if t.unsettled[i].MessageID == id {
			return &t.unsettled[i]
		}
	}
	return nil
}

// Get gives a copy of a message, nil if it is not at hand.
func (t *Transcript) Get(id clew.MessageID) *clew.Message {
	m := t.find(id)
	if m == nil {
		return nil
	}
	c := *m
	return &c
}

// Growing gives the messages whose text is not complete, oldest first.
func (t *Transcript) Growing() []clew.Message {
	var list []clew.Message
	for _, of := range [][]clew.Message{t.unsettled, t.tail} {
		for i := range of { // they are large: nothing is copied to look at it
			if of[i].Partial {
				list = append(list, of[i])
			}
		}
	}
	return list
}

// Append adds a message. Now and then the oldest ones leave; open names those
// of which more is to be told.
func (t *Transcript) Append(m clew.Message, open func() []clew.MessageID) {
	if len(t.tail) >= TailMessages+TailMessages/4 { // in slices, not one by one
		t.trim(open())
	}
	t.tail = append(t.tail, m)
	t.mark(m.MessageID)
}

func (t *Transcript) trim(open []clew.MessageID) {
	n := len(t.tail) - TailMessages + 1
	var kept []clew.Message
	for _, m := range append(slices.Clip(t.unsettled), t.tail[:n]...) {
		switch {
		case m.Partial || slices.Contains(open, m.MessageID):
			kept = append(kept, m)
		case slices.Contains(t.changed, m.MessageID):
			t.gone = append(t.gone, m)
		}
	}
	t.unsettled = kept[max(0, len(kept)-unsettledMax):]
	t.tail = slices.Clone(t.tail[n:])
}

// Change has fn change a message, if it is at hand. fn reports whether it did.
func (t *Transcript) Change(id clew.MessageID, fn func(*clew.Message) bool) {
	if m := t.find(id); m != nil && fn(m) {
		t.mark(id)
	}
}

// ChangeAll has fn change messages. fn reports whether it did.
func (t *Transcript) ChangeAll(fn func(*clew.Message) bool) {
	for _, list := range [][]clew.Message{t.unsettled, t.tail} {
		for i := range list {
			if fn(&list[i]) {
				t.mark(list[i].MessageID)
			}
		}
	}
}

// Remove takes a message out.
func (t *Transcript) Remove(id clew.MessageID) {
	other := func(m clew.Message) bool { return m.MessageID == id }
	t.tail = slices.DeleteFunc(slices.Clone(t.tail), other)
	t.unsettled = slices.DeleteFunc(slices.Clone(t.unsettled), other)
	t.Replaced()
}

// Replaced says that the transcript was put in the place of another one.
func (t *Transcript) Replaced() { t.changed, t.gone, t.all = nil, nil, true }

func (t *Transcript) mark(id clew.MessageID) {
	switch n := len(t.changed); {
	case t.all || n > 0 && t.changed[n-1] == id:
	case n == changesCounted:
		t.Replaced()
	default:
		t.changed = append(t.changed, id)
	}
}

// Changes gives the messages that changed since it was last called, in the
// order of their ids, or says that all of them may have.
func (t *Transcript) Changes() (messages []clew.Message, all bool) {
	defer t.Forget()
	if t.all {
		return nil, true
	}
	slices.Sort(t.changed)
	for _, id := range slices.Compact(t.changed) {
		if m := t.find(id); m != nil {
			messages = append(messages, *m)
		} else if i := slices.IndexFunc(t.gone, func(m clew.Message) bool { return m.MessageID == id }); i >= 0 {
			messages = append(messages, t.gone[i])
		}
	}
	return messages, false
}

// Forget is Changes for nobody.
func (t *Transcript) Forget() { t.changed, t.gone, t.all = t.changed[:0], nil, false }

// IsZero reports whether there is nothing to write.
func (t Transcript) IsZero() bool { return len(t.tail) == 0 && len(t.unsettled) == 0 }

// written is a transcript in a snapshot, if it is more than its tail.
type written struct {
	Tail      []clew.Message `json:"tail"`
	Unsettled []clew.Message `json:"unsettled"`
}

// MarshalJSON writes the tail as a list, as it always was, and an object only if
// there is more to tell.
func (t Transcript) MarshalJSON() ([]byte, error) {
	if len(t.unsettled) > 0 {
		return clew.MarshalData(written{t.tail, t.unsettled})
	}
	return clew.MarshalData(t.tail)
}

// UnmarshalJSON reads both forms.
func (t *Transcript) UnmarshalJSON(b []byte) error {
	*t = Transcript{}
	if !bytes.HasPrefix(bytes.TrimSpace(b), []byte{'{'}) {
		return json.Unmarshal(b, &t.tail)
	}
	var w written
	err := json.Unmarshal(b, &w)
	t.tail, t.unsettled = w.Tail, w.Unsettled
	return err
}

// CompareMessageIDs orders messages by their place in the transcript.
func CompareMessageIDs(a, b clew.MessageID) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}
