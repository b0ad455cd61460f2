// Package feed draws the transcript of a session.
//
// It holds the messages of a replica in rows, and what is known of their drawing.
// Rows are drawn when they are looked at, and kept until they change.
package feed

import (
	"maps"
	"slices"
	"sort"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/client"
)

// A Feed is the transcript. It belongs to one goroutine.
type Feed struct {
	// HasOlder says that there are messages before the first that is held.
	HasOlder bool
	// Monitor is the one whose messages are shown, "" for all.
	Monitor clew.MonitorID

	held    []*entry // in order of their numbers
	byID    map[clew.MessageID]*entry
	rows    []*Row
	dirty   bool // rows are to be put together anew
	kept    map[clew.MessageID]*Row
	changed []clew.MessageID // calls that went on, since they were last asked for

	marks map[clew.TaskID]mark
	runs  map[runKey]cellState // of cells, by their ids
	move  *clew.LastMove       // the last one that is known
	began bool                 // a state was taken
	notes []note
}

// An entry is a message, and how often it changed.
type entry struct {
	clew.Message
	seq     uint64
	version int
	call    *Call
	asking  bool // its question is open
}

// New makes a feed without messages.
func New() *Feed {
	return &Feed{byID: map[clew.MessageID]*entry{}, kept: map[clew.MessageID]*Row{}}
}

// Take brings the feed to what a replica holds after a change.
func (f *Feed) Take(r *client.Replica, d *clew.StateChangedData) {
	f.moved(r.Status.LastMove)
	f.HasOlder = len(r.Messages) < r.Total
	anew := d.From == "" || slices.Contains(d.Reset, clew.EntityMessage) || len(d.Del[clew.EntityMessage]) > 0
	if anew {
		f.Load(r)
		return
	}
	for i := range d.Put.Message {
		if m := r.Message(d.Put.Message[i].MessageID); m != nil {
			f.put(*m)
		}
	}
	f.surroundings(r)
	f.dirty = f.dirty || d.Put.Queue != nil
}

// Load takes all that a replica holds.
func (f *Feed) Load(r *client.Replica) {
	known := f.byID
	f.byID, f.held, f.dirty = make(map[clew.MessageID]*entry, len(r.Messages)), make([]*entry, 0, len(r.Messages)), true
	for _, m := range r.Messages {
		e := known[m.MessageID]
		if e == nil {
			e = &entry{}
			e.seq, _ = m.MessageID.Seq()
		}
		f.set(e, m)
		f.held, f.byID[m.MessageID] = append(f.held, e), e
	}
	f.HasOlder = len(r.Messages) < r.Total
	f.surroundings(r)
}

// put adds a message, or puts its new form in the place of the old one.
func (f *Feed) put(m clew.Message) {
	if e := f.byID[m.MessageID]; e != nil {
		f.set(e, m)
		return
	}
	e := &entry{Message: m}
	e.seq, _ = m.MessageID.Seq()
	at := sort.Search(len(f.held), func(i int) bool { return f.held[i].seq > e.seq })
	f.held, f.byID[m.MessageID], f.dirty = slices.Insert(f.held, at, e), e, true
}

func (f *Feed) set(e *entry, m clew.Message) {
	f.dirty = f.dirty || kindOf(&e.Message) != kindOf(&m)
	if status(e.Tool) != status(m.Tool) {
		f.changed = append(f.changed, m.MessageID)
	}
	e.Message = m
	e.version++
}

func status(t *clew.MessageTool) clew.ToolStatus {
	if t == nil {
		return ""
	}
	return t.Status
}

// Grow takes a piece of a text over that a replica has taken in.
func (f *Feed) Grow(r *client.Replica, d *clew.TextData) {
	if m, e := r.Message(d.MessageID), f.byID[d.MessageID]; m != nil && e != nil {
		f.set(e, *m)
	}
}

// surroundings takes over what is about messages and stands elsewhere: the open
// questions, how the tasks stand that somebody was told to do, and the runs of cells.
func (f *Feed) surroundings(r *client.Replica) {
	f.began = true
	open := map[clew.MessageID]bool{}
	for _, q := range r.Questions {
		open[q.Asking().MessageID] = true
	}
	for _, e := range f.held {
		e.asking = open[e.MessageID]
	}
	if marks := marksOf(r); !maps.Equal(marks, f.marks) {
		f.marks, f.dirty = marks, true
	}
	f.takeRuns(r)
}

// Outdated gives the open rows whose call went on since their details were asked
// for, each once.
func (f *Feed) Outdated() []*Row {
	var list []*Row
	for _, id := range f.changed {
		if r := f.kept[id]; r != nil && r.Open && r.Call() != "" && !slices.Contains(list, r) {
			list = append(list, r)
		}
	}
	f.changed = f.changed[:0]
	return list
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
