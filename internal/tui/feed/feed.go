// Package feed holds the transcript of a session and draws it.
//
// It folds what the server sends in the way that the protocol says, so that a
// feed which followed a session and one which asked for its state hold the same.
// Rows are drawn when they are looked at, and kept until they change.
package feed

import (
	"slices"
	"sort"

	"github.com/clew-run/clew"
)

// A Feed is the transcript. It belongs to one goroutine.
type Feed struct {
	// HasOlder says that there are messages before the first that is held.
	HasOlder bool

	held  []*entry // in order of their numbers
	byID  map[clew.MessageID]*entry
	snap  uint64 // the newest record of the last snapshot
	rows  []*Row
	dirty bool // rows are to be put together anew
	kept  map[clew.MessageID]*Row
	notes []Note
	steps steps
}

// An entry is a message, and how often it changed.
type entry struct {
	clew.Message
	seq     uint64
	version int
	call    *Call
	asking  bool // its question is open
}

// A Note says that the session was taken elsewhere in its history.
type Note struct {
	Seq  uint64
	Text string
}

// New makes a feed without messages.
func New() *Feed {
	return &Feed{byID: map[clew.MessageID]*entry{}, kept: map[clew.MessageID]*Row{}, steps: newSteps()}
}

// tail is how many messages a snapshot holds, if there are as many.
const tail = 200

// Snapshot takes the newest part anew and keeps what is held before it, if
// nothing is missing between.
func (f *Feed) Snapshot(s *clew.SessionState) {
	f.snap, _ = s.LastMessageID.Seq()
	f.dirty, f.steps = true, stepsOf(s)
	older := f.HasOlder
	at := -1
	if len(s.Messages) > 0 {
		at = slices.IndexFunc(f.held, func(e *entry) bool { return e.MessageID == s.Messages[0].MessageID })
	}
	before := f.held
	f.held = nil
	switch {
	case at >= 0:
		f.held = slices.Clone(before[:at])
	default:
		older = len(s.Messages) >= tail
	}
	known := f.byID
	f.byID = map[clew.MessageID]*entry{}
	for _, e := range f.held {
		f.byID[e.MessageID] = e
	}
	for _, m := range s.Messages {
		e := f.add(m)
		if old := known[m.MessageID]; old != nil {
			e.version, e.call = old.version+1, old.call
		}
	}
	f.HasOlder = older
	f.open(s)
}

// open takes the texts of growing messages, which may be ahead of the records,
// and the questions that are open.
func (f *Feed) open(s *clew.SessionState) {
	for _, o := range s.OpenMessages {
		if e := f.byID[o.MessageID]; e != nil {
			e.Text, e.Reasoning, e.Partial = o.Text, o.Reasoning, true
		}
	}
	for _, e := range f.held {
		e.asking = false
	}
	questions := slices.Clone(s.HitlQueue)
	if s.HitlPending != nil {
		questions = append(questions, *s.HitlPending)
	}
	for _, q := range questions {
		if e := f.byID[q.Asking().MessageID]; e != nil {
			e.asking = true
		}
	}
}

// add puts a message in its place.
func (f *Feed) add(m clew.Message) *entry {
	e := &entry{Message: m}
	e.seq, _ = m.MessageID.Seq()
	at := sort.Search(len(f.held), func(i int) bool { return f.held[i].seq > e.seq })
	f.held = slices.Insert(f.held, at, e)
	f.byID[m.MessageID] = e
	f.dirty = true
	return e
}

// Prepend puts older messages before those held.
func (f *Feed) Prepend(page clew.MessagesPage) {
	fresh := make([]*entry, 0, len(page.Messages)+len(f.held))
	for _, m := range page.Messages {
		if f.byID[m.MessageID] == nil {
			e := &entry{Message: m}
			e.seq, _ = m.MessageID.Seq()
			f.byID[m.MessageID] = e
			fresh = append(fresh, e)
		}
	}
	f.held = append(fresh, f.held...)
	f.HasOlder = page.Next != ""
	f.dirty = true
}

// First is the id of the first message that is held.
func (f *Feed) First() clew.MessageID {
	if len(f.held) == 0 {
		return ""
	}
	return f.held[0].MessageID
}

// Said lists what people said, the oldest first.
func (f *Feed) Said() []clew.Message {
	var said []clew.Message
	for _, e := range f.held {
		if kindOf(&e.Message) == User {
			said = append(said, e.Message)
		}
	}
	return said
}

// Words is what a person said in a message, "" if it is none of theirs.
func (f *Feed) Words(id clew.MessageID) string {
	if e := f.byID[id]; e != nil && kindOf(&e.Message) == User {
		return e.Text
	}
	return ""
}

// LastSaid is when a person said something last, 0 if nobody did.
func (f *Feed) LastSaid() int64 {
	said := f.Said()
	if len(said) == 0 {
		return 0
	}
	return said[len(said)-1].TS
}

// cut drops every message from this one on, or every one after it.
func (f *Feed) cut(from clew.MessageID, keep bool) {
	seq, err := from.Seq()
	if err != nil {
		return
	}
	if keep {
		seq++
	}
	at := sort.Search(len(f.held), func(i int) bool { return f.held[i].seq >= seq })
	for _, e := range f.held[at:] {
		delete(f.byID, e.MessageID)
	}
	f.held, f.dirty = f.held[:at], true
}

func (f *Feed) remove(id clew.MessageID) {
	if id == "" || f.byID[id] == nil {
		return
	}
	delete(f.byID, id)
	f.held = slices.DeleteFunc(f.held, func(e *entry) bool { return e.MessageID == id })
	f.dirty = true
}
