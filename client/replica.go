package client

import (
	"fmt"
	"slices"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/wire"
)

// A Replica is a session's state as a client with Options.View clew.ViewState is
// sent it. It knows no event: it puts entities in their places. The zero value is
// ready. It belongs to one goroutine.
type Replica struct {
	clew.Entities
	// Connection is what the connection is, and the role that it has.
	Connection clew.ConnectedData
	// Cursor is the position to resume from, "" before the first change.
	Cursor clew.MessageID
	// Total counts the messages of the transcript. Older ones than those held
	// exist while fewer are held.
	Total int
}

// Take takes an envelope in that Follow yielded, and gives what it decoded, for
// callers who want to know what changed. What is not about the state, such as
// answers and errors, is left to the caller. The event has no data if its type is
// newer than this client.
func (r *Replica) Take(env wire.Envelope) (clew.Event, error) {
	ev, err := clew.DecodeEvent(clew.EventType(env.Type), env.Data)
	if err != nil {
		return clew.Event{}, nil //nolint:nilerr // unknown types are ignored
	}
	switch d := ev.Data.(type) {
	case *clew.ConnectedData:
		if d.Epoch != r.Connection.Epoch { // another journal
			*r = Replica{}
		}
		r.Connection = *d
	case *clew.StateChangedData:
		err = r.Apply(d)
	case *clew.TextData:
		r.Text(d)
	case *clew.PresenceData:
		r.Viewers = d.Viewers
	}
	return ev, err
}

// Known reports that the state is there.
func (r *Replica) Known() bool { return r.Cursor != "" }

// Apply takes a change in. An error means that it does not go on from what the
// replica holds: the client reconnects with its cursor. Pages of older messages
// stay in front of a transcript that is put anew if the two meet.
func (r *Replica) Apply(d *clew.StateChangedData) error {
	before := r.Messages
	switch {
	case d.From == "":
		*r = Replica{Connection: r.Connection}
	case d.From < r.Cursor || r.Cursor == "":
		return fmt.Errorf("a change from %q, the replica is at %q", d.From, r.Cursor)
	}
	for _, kind := range d.Reset {
		r.reset(kind)
	}
	for kind, keys := range d.Del {
		r.del(kind, keys)
	}
	r.put(&d.Put)
	r.Cursor, r.Total = d.To, d.Total
	if d.From == "" || slices.Contains(d.Reset, clew.EntityMessage) {
		r.keepOlder(before)
	}
	return nil
}

// keepOlder keeps the pages before a transcript that was put anew, up to a message
// that might have changed meanwhile.
func (r *Replica) keepOlder(before []clew.Message) {
	if len(r.Messages) == 0 || len(r.Messages) >= r.Total {
		return
	}
	first := r.Messages[0].MessageID
	end := slices.IndexFunc(before, func(m clew.Message) bool { return m.MessageID == first })
	at := max(end, 0)
	for at > 0 && over(&before[at-1]) {
		at--
	}
	if at < end {
		r.Messages = append(slices.Clone(before[at:end]), r.Messages...)
	}
}

// over reports that nothing more becomes of a message.
func over(m *clew.Message) bool {
	return !m.Partial && (m.Tool == nil || m.Tool.Status.Ended()) && (m.Type != clew.TypeAsk || m.IsAnswered || m.Tool != nil)
}

func (r *Replica) put(p *clew.StatePut) {
	set(&r.Session, p.Session)
	set(&r.Status, p.Status)
	set(&r.Usage, p.Usage)
	set(&r.Queue, p.Queue)
	set(&r.Rules, p.Rules)
	set(&r.Monitors, p.Monitors)
	set(&r.Agents, p.Agents)
	set(&r.Viewers, p.Viewers)
	for _, m := range p.Message {
		r.putMessage(m)
	}
	r.Tasks = putAll(r.Tasks, p.Task, taskKey)
	r.Runs = putAll(r.Runs, p.Run, runKey)
	r.Todos = putAll(r.Todos, p.Todo, (*clew.TodoInfo).Key)
	r.Questions = putAll(r.Questions, p.Question, questionKey)
	r.Windows = putAll(r.Windows, p.Window, windowKey)
	r.Notices = putAll(r.Notices, p.Notice, noticeKey)
	r.Problems = putAll(r.Problems, p.Problem, problemKey)
	r.Settled = putAll(r.Settled, p.Settled, settledKey)
	r.Notebooks = putAll(r.Notebooks, p.Notebook, notebookKey)
	r.Cells = putAll(r.Cells, p.Cell, (*clew.CellInfo).Key)
}

// putMessage keeps messages in the order of their ids. One that is older than
// all that are held belongs to a page that was not asked for.
func (r *Replica) putMessage(m clew.Message) {
	i, found := r.find(m.MessageID)
	switch {
	case found:
		r.Messages[i] = m
	case i > 0 || len(r.Messages) == 0:
		r.Messages = slices.Insert(r.Messages, i, m)
	}
}

func (r *Replica) find(id clew.MessageID) (int, bool) {
	return slices.BinarySearchFunc(r.Messages, id, func(m clew.Message, id clew.MessageID) int {
		switch {
		case m.MessageID < id:
			return -1
		case m.MessageID > id:
			return 1
		}
		return 0
	})
}

// Message gives a message, nil if it is not held. It is good until the next change.
func (r *Replica) Message(id clew.MessageID) *clew.Message {
	if i, found := r.find(id); found {
		return &r.Messages[i]
	}
	return nil
}

// Text writes a piece of a message that grows. It reports whether the message is
// held and the piece fits.
func (r *Replica) Text(d *clew.TextData) bool {
	i, found := r.find(d.MessageID)
	if !found {
		return false
	}
	text := &r.Messages[i].Text
	if d.Field == clew.FieldReasoning {
		text = &r.Messages[i].Reasoning
	}
	if d.Offset < 0 || d.Offset > len(*text) {
		return false
	}
	*text = (*text)[:d.Offset] + d.Delta + (*text)[min(len(*text), d.Offset+len(d.Delta)):]
	return true
}

// Older puts a page in front of what is held, if the two meet.
func (r *Replica) Older(p *clew.MessagesPage) bool {
	if n := len(p.Messages); n == 0 || len(r.Messages) > 0 && p.Messages[n-1].MessageID >= r.Messages[0].MessageID {
		return false
	}
	r.Messages = append(slices.Clone([]clew.Message(p.Messages)), r.Messages...)
	return true
}

func (r *Replica) reset(kind clew.EntityKind) {
	switch kind {
	case clew.EntityMessage:
		r.Messages = nil
	case clew.EntityTask:
		r.Tasks = nil
	case clew.EntityRun:
		r.Runs = nil
	case clew.EntityTodo:
		r.Todos = nil
	case clew.EntityQuestion:
		r.Questions = nil
	case clew.EntityWindow:
		r.Windows = nil
	case clew.EntityNotice:
		r.Notices = nil
	case clew.EntityProblem:
		r.Problems = nil
	case clew.EntitySettled:
		r.Settled = nil
	case clew.EntityNotebook:
		r.Notebooks = nil
	case clew.EntityCell:
		r.Cells = nil
	}
}

func (r *Replica) del(kind clew.EntityKind, keys []string) {
	switch kind {
	case clew.EntityMessage:
		r.Messages = delAll(r.Messages, keys, messageKey)
	case clew.EntityTask:
		r.Tasks = delAll(r.Tasks, keys, taskKey)
	case clew.EntityRun:
		r.Runs = delAll(r.Runs, keys, runKey)
	case clew.EntityTodo:
		r.Todos = delAll(r.Todos, keys, (*clew.TodoInfo).Key)
	case clew.EntityQuestion:
		r.Questions = delAll(r.Questions, keys, questionKey)
	case clew.EntityWindow:
		r.Windows = delAll(r.Windows, keys, windowKey)
	case clew.EntityNotice:
		r.Notices = delAll(r.Notices, keys, noticeKey)
	case clew.EntityProblem:
		r.Problems = delAll(r.Problems, keys, problemKey)
	case clew.EntitySettled:
		r.Settled = delAll(r.Settled, keys, settledKey)
	case clew.EntityNotebook:
		r.Notebooks = delAll(r.Notebooks, keys, notebookKey)
	case clew.EntityCell:
		r.Cells = delAll(r.Cells, keys, (*clew.CellInfo).Key)
	}
}

func messageKey(m *clew.Message) string         { return string(m.MessageID) }
func taskKey(t *clew.TaskInfo) string           { return string(t.TaskID) }
func runKey(r *clew.RunInfo) string             { return r.RunID }
func questionKey(q *clew.Question) string       { return string(q.RequestID()) }
func windowKey(w *clew.WindowState) string      { return w.WindowID }
func noticeKey(n *clew.NoticeState) string      { return n.NoticeID }
func problemKey(p *clew.Problem) string         { return string(p.MessageID) }
func settledKey(q *clew.SettledQuestion) string { return string(q.RequestID) }
func notebookKey(n *clew.NotebookInfo) string   { return n.NotebookID }

func set[T any](to, from *T) {
	if from != nil {
		*to = *from
	}
}

// putAll replaces entities in their places and adds the others at the end.
func putAll[E any](list, put []E, key func(*E) string) []E {
	if len(put) == 0 {
		return list
	}
	places := make(map[string]int, len(list))
	for i := range list {
		places[key(&list[i])] = i
	}
	for i := range put {
		k := key(&put[i])
		if at, held := places[k]; held {
			list[at] = put[i]
			continue
		}
		places[k] = len(list)
		list = append(list, put[i])
	}
	return list
}

func delAll[E any](list []E, keys []string, key func(*E) string) []E {
	gone := make(map[string]bool, len(keys))
	for _, k := range keys {
		gone[k] = true
	}
	return slices.DeleteFunc(list, func(e E) bool { return gone[key(&e)] })
}
