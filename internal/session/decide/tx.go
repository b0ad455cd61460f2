package decide

import (
	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/session/core"
)

// A Tx collects the events of one batch. Whoever adds an event knows the id of
// its message at once, because a batch is appended as a whole behind the last
// record of the state: record i of it gets seq State.Seq+1+i. A Tx belongs to one
// call of Decide and is never kept. It changes no state.
type Tx struct {
	s      *core.State
	seq    uint64 // of the first event
	ts     int64  // of the first event, Unix ms; each next one is 1 ms later
	now    int64
	events []clew.Event
	slot   bool   // there is room for one more agent
	Result Result // of an intent
	// streamed is the text of growing messages, for a notebook's report.
	streamed streams
	// UsedSlot says that an agent begins that needs the slot.
	UsedSlot bool
}

// NewTx begins a batch behind the last record of s, at now or later.
func NewTx(s *core.State, now int64) *Tx {
	return &Tx{s: s, seq: s.Seq + 1, ts: max(now, s.TS+1), now: now}
}

// Now is when the batch is decided (Unix ms): deadlines are held against it.
func (tx *Tx) Now() int64 { return tx.now }

// Add puts an event at the end of the batch. Its type follows from its data, a
// pointer to one of the catalogue's structs. The result is the id of its record. Where
// it ends work that did not come to its end, a message that says so goes before it.
func (tx *Tx) Add(data any) clew.MessageID {
	tx.sayEnd(data)
	id := tx.NextID()
	tx.events = append(tx.events, clew.NewEvent(data))
	return id
}

// Say adds a message to the transcript and fills in its id and time.
func (tx *Tx) Say(m clew.Message) clew.MessageID {
	m.MessageID, m.TS = tx.NextID(), tx.NextTS()
	return tx.Add(&clew.MessageCreatedData{Message: m})
}

// Update puts a message of the transcript on record as it is now.
func (tx *Tx) Update(m clew.Message) { tx.Add(&clew.MessageUpdatedData{Message: m}) }

// NextID is the id that the next event's record will have, for data that names
// its own record.
func (tx *Tx) NextID() clew.MessageID { return clew.MessageIDOf(tx.seq + uint64(len(tx.events))) }

// NextTS is the time that the next event's record will have.
func (tx *Tx) NextTS() int64 { return tx.ts + int64(len(tx.events)) }

// FirstID is the id of the batch's first record.
func (tx *Tx) FirstID() clew.MessageID { return clew.MessageIDOf(tx.seq) }

// FirstTS is the time of the batch's first record.
func (tx *Tx) FirstTS() int64 { return tx.ts }

// Len is how many events the batch has: a mark for Since and Truncate.
func (tx *Tx) Len() int { return len(tx.events) }

// Since gives the events that were added after the batch had n of them.
func (tx *Tx) Since(n int) []clew.Event { return tx.events[n:] }

// Truncate drops the events after the first n.
func (tx *Tx) Truncate(n int) { tx.events = tx.events[:n:n] }

// Events is the batch. Nothing may be added after it.
func (tx *Tx) Events() []clew.Event { return tx.events }

// taskID names the task that the event after the next n ones starts. The name is
// the same whenever the batch is decided again.
func (tx *Tx) taskID(s *core.State, n int) clew.TaskID {
	return clew.TaskID(core.DeriveID("task_", s.ID, tx.seq+uint64(len(tx.events)+n)))
}

// applyTo folds the events from the n-th on into a copy of the state that they
// were made for, so that the next ones can be decided on what it is then.
func (tx *Tx) applyTo(s *core.State, n int) {
	for i, e := range tx.events[n:] {
		core.Apply(s, clew.Record{Seq: tx.seq + uint64(n+i), TS: tx.ts + int64(n+i), Type: e.Type}, e.Data)
	}
}

// TaskStateEvent announces a task's state.
func TaskStateEvent(tx *Tx, ref clew.TaskRef, st clew.TaskState, q clew.RequestID) {
	switch st {
	case clew.TaskStateInteractive:
		tx.Add(&clew.TaskInteractiveData{TaskRef: ref, RequestID: q})
	case clew.TaskStateResumable:
		tx.Add(&clew.TaskResumableData{TaskRef: ref, RequestID: q})
	case clew.TaskStateIdle:
		tx.Add(&clew.TaskIdleData{TaskRef: ref, RequestID: q})
	case clew.TaskStateRunning:
		fallthrough
	default:
		tx.Add(&clew.TaskActiveData{TaskRef: ref})
	}
}
