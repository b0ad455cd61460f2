package view

import (
	"slices"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/session/core"
)

// A Tracker knows the state as those who watch it have it, and finds out what
// changed by comparing. Nothing has to say so, and so nothing can be forgotten;
// only messages, which are many, are noted by the transcript itself. It belongs
// to the session's goroutine.
type Tracker struct {
	// at is the record with which something last changed. Nothing has changed
	// since, though there may be later records.
	at    uint64
	floor uint64 // what changed before this one is not known
	last  clew.Entities
	asked []asked // of last.Questions: they are changed in place

	// revs says for each entity with which record it last changed, resets when a
	// collection last was put anew.
	revs   map[EntityKey]uint64
	resets map[clew.EntityKind]uint64
	gone   []deletion // oldest first
	// commands are those whose records nobody was told of yet.
	Commands []clew.ClientMessageID

	Whole *Change // of this state, without what goes on outside of records
}

// EntityKey names an entity; those of which there is one have no key.
type EntityKey struct {
	Kind clew.EntityKind
	Key  string
}

type deletion struct {
	seq uint64
	EntityKey
}

// asked is what changes of a question in place.
type asked struct {
	data   any
	asking clew.Asking
}

const (
	goneMax = 1024 // deletions that are remembered
	revsMax = 8192 // and changes of messages, about
)

// NewTracker begins with a state.
func NewTracker(s *core.State) *Tracker {
	t := &Tracker{at: s.Seq, floor: s.Seq, revs: map[EntityKey]uint64{}, resets: map[clew.EntityKind]uint64{}}
	t.keep(s.Project())
	s.Messages.Forget()
	return t
}

// keep takes a projection over. Lists that the state changes in place are
// copied.
func (t *Tracker) keep(e clew.Entities) {
	e.Questions = slices.Clone(e.Questions)
	t.asked = t.asked[:0]
	for _, q := range e.Questions {
		t.asked = append(t.asked, askedOf(q))
	}
	t.last = e
}

func askedOf(q clew.Question) asked {
	a := asked{data: q.Data}
	if asking := q.Asking(); asking != nil {
		a.asking = *asking
	}
	return a
}

// Step finds what changed with the records up to the state's. texts gives the
// text of a growing message as those who watch have it.
func (t *Tracker) Step(s *core.State, texts func(*clew.Message)) (*Change, error) {
	c := &Change{From: t.at, To: s.Seq, Total: s.Total, Commands: t.Commands}
	now := s.Project()
	d := differ{t: t, c: c, seq: s.Seq}
	d.singles(&now)
	d.messages(s, texts)
	d.collections(&now)
	t.keep(now)
	t.Whole = nil
	c.Sort()
	if d.err != nil || c.empty() {
		return nil, d.err
	}
	t.at, t.Commands = s.Seq, nil
	t.forget()
	return c, nil
}

// forget bounds what is known of the past.
func (t *Tracker) forget() {
	if n := len(t.gone) - goneMax; n > 0 {
		t.floor = max(t.floor, t.gone[n-1].seq)
		t.gone = slices.Delete(t.gone, 0, n)
	}
	if len(t.revs) <= revsMax {
		return
	}
	seqs := make([]uint64, 0, len(t.revs))
	for _, seq := range t.revs {
		seqs = append(seqs, seq)
	}
	slices.Sort(seqs)
	t.floor = max(t.floor, seqs[len(seqs)/2])
	for k, seq := range t.revs {
		if seq <= t.floor {
			delete(t.revs, k)
		}
	}
}

// Since gives what changed after a record, or the whole state if that is not
// known.
func (t *Tracker) Since(s *core.State, cursor uint64, texts func(*clew.Message)) (*Change, error) {
	if cursor == 0 || cursor < t.floor || cursor > t.at {
		return t.All(s, texts)
	}
	c := &Change{From: cursor, To: t.at, Total: s.Total, Commands: commandsAfter(s, cursor)}
	d := differ{t: t, c: c}
	now := s.Project()
	for _, g := range t.gone {
		if g.seq > cursor && t.resets[g.Kind] <= cursor {
			c.del(g.Kind, g.Key)
		}
	}
	for kind, seq := range t.resets {
		if seq > cursor {
			c.Reset = append(c.Reset, kind)
		}
	}
	slices.Sort(c.Reset)
	wanted := func(kind clew.EntityKind, key string) bool {
		return t.resets[kind] > cursor || t.revs[EntityKey{kind, key}] > cursor
	}
	d.every(&now, wanted)
	d.messagesSince(s, cursor, texts)
	c.Sort()
	return c, d.err
}

// All gives the whole state.
func (t *Tracker) All(s *core.State, texts func(*clew.Message)) (*Change, error) {
	if t.Whole != nil && len(s.Messages.Growing()) == 0 {
		return t.Whole, nil
	}
	c := &Change{To: t.at, Total: s.Total}
	d := differ{t: t, c: c}
	now := s.Project()
	d.every(&now, func(clew.EntityKind, string) bool { return true })
	d.tail(s, texts)
	c.Sort()
	if d.err == nil && len(s.Messages.Growing()) == 0 {
		t.Whole = c
	}
	return c, d.err
}

// commandsAfter names the commands that took effect after a record.
func commandsAfter(s *core.State, cursor uint64) []clew.ClientMessageID {
	var list []clew.ClientMessageID
	for _, taken := range slices.Backward(s.Processed) {
		if taken.First+uint64(taken.Count) <= cursor+1 {
			break
		}
		list = append(list, taken.ID)
	}
	slices.Reverse(list)
	return list
}
