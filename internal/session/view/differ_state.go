package view

import (
	"reflect"
	"slices"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/planted"
	"github.com/clew-run/clew/internal/session/core"
)

// A differ fills a change.
type differ struct {
	t   *Tracker
	c   *Change
	seq uint64 // of the change
	err error
}

// put writes an entity and notes when.
func (d *differ) put(kind clew.EntityKind, key string, monitor clew.MonitorID, body any) {
	if d.err == nil {
		d.err = d.c.AddPut(kind, monitor, body)
	}
	if d.seq > 0 {
		d.t.revs[EntityKey{kind, key}] = d.seq
	}
}

// singles compares the entities of which there is one each.
func (d *differ) singles(now *clew.Entities) {
	last := &d.t.last
	for kind, same := range map[clew.EntityKind]bool{
		clew.EntitySession:  sameSession(&last.Session, &now.Session),
		clew.EntityStatus:   sameStatus(&last.Status, &now.Status),
		clew.EntityUsage:    last.Usage == now.Usage,
		clew.EntityQueue:    slices.EqualFunc(last.Queue, now.Queue, sameQueued),
		clew.EntityRules:    slices.Equal(last.Rules, now.Rules),
		clew.EntityMonitors: slices.Equal(last.Monitors, now.Monitors),
		clew.EntityAgents:   slices.Equal(last.Agents, now.Agents),
	} {
		if !same && (kind != clew.EntitySession || !planted.Bug("change of the state not told")) {
			d.one(kind, now)
		}
	}
}

// one writes an entity of which there is one.
func (d *differ) one(kind clew.EntityKind, now *clew.Entities) {
	var body any
	switch kind {
	case clew.EntitySession:
		body = &now.Session
	case clew.EntityStatus:
		body = &now.Status
	case clew.EntityUsage:
		body = &now.Usage
	case clew.EntityQueue:
		body = now.Queue
	case clew.EntityRules:
		body = now.Rules
	case clew.EntityMonitors:
		body = now.Monitors
	case clew.EntityAgents:
		body = now.Agents
	}
	d.put(kind, "", "", body)
}

// messages takes what the transcript noted.
func (d *differ) messages(s *core.State, texts func(*clew.Message)) {
	changed, all := s.Messages.Changes()
	if all {
		d.reset(clew.EntityMessage)
		d.tail(s, texts)
		return
	}
	for i := range changed {
		d.message(changed[i], texts)
	}
}

// What a whole state has of the transcript: older messages come by the page. A few screens
// are there in any case; large outputs are not sent to whoever may never look at them.
const (
	tailBytes = 512 << 10
	tailLeast = 20
)

func (d *differ) tail(s *core.State, texts func(*clew.Message)) {
	tail := s.Messages.Tail()
	begin, size := len(d.c.Put), 0
	for n := range min(len(tail), core.TailMessages) { // the newest first, as they count most
		if n >= tailLeast && size >= tailBytes {
			break
		}
		d.message(tail[len(tail)-1-n], texts)
		if d.err != nil {
			return
		}
		size += len(d.c.Put[len(d.c.Put)-1].Body)
	}
	slices.Reverse(d.c.Put[begin:])
}

func (d *differ) message(m clew.Message, texts func(*clew.Message)) {
	if m.Partial {
		texts(&m)
	}
	d.put(clew.EntityMessage, string(m.MessageID), m.MonitorID, &m)
}

// messagesSince writes those that changed after a record, and those that grow,
// for their text went on without one. If one of them is not at hand any more,
// the transcript is put anew.
func (d *differ) messagesSince(s *core.State, cursor uint64, texts func(*clew.Message)) {
	if slices.Contains(d.c.Reset, clew.EntityMessage) {
		d.tail(s, texts)
		return
	}
	ids := map[clew.MessageID]bool{}
	for k, seq := range d.t.revs {
		if k.Kind == clew.EntityMessage && seq > cursor {
			ids[clew.MessageID(k.Key)] = true
		}
	}
	for _, m := range s.Messages.Growing() {
		ids[m.MessageID] = true
	}
	var list []clew.Message
	for id := range ids {
		m := s.Message(id)
		if m == nil {
			d.c.Reset = append(d.c.Reset, clew.EntityMessage)
			d.tail(s, texts)
			return
		}
		list = append(list, *m)
	}
	slices.SortFunc(list, func(a, b clew.Message) int { return core.CompareMessageIDs(a.MessageID, b.MessageID) })
	for _, m := range list {
		d.message(m, texts)
	}
}

// reset says that a collection is put anew.
func (d *differ) reset(kind clew.EntityKind) {
	d.c.Reset = append(d.c.Reset, kind)
	d.t.resets[kind] = d.seq
}

// A collection is how entities of one kind are told apart and compared.
type collection[E any] struct {
	kind    clew.EntityKind
	key     func(*E) string
	monitor func(*E) clew.MonitorID // nil if they are about none
	same    func(i, j int, a, b *E) bool
	// sameKey, if it is given, is quicker than two keys.
	sameKey func(a, b *E) bool
}

func (of collection[E]) write(d *differ, e *E) {
	var monitor clew.MonitorID
	if of.monitor != nil {
		monitor = of.monitor(e)
	}
	d.put(of.kind, of.key(e), monitor, e)
}

// compare tells what came, changed and went. Where the rest stands in another
// order than before, or something came in between, the collection is put anew.
func (of collection[E]) compare(d *differ, last, now []E) {
	if of.grown(last, now) {
		for j := range now {
			if j >= len(last) || !of.same(j, j, &last[j], &now[j]) {
				of.write(d, &now[j])
			}
		}
		return
	}
	places := make(map[string]int, len(last))
	for i := range last {
		places[of.key(&last[i])] = i
	}
	next, fresh := 0, false
	for j := range now {
		i, known := places[of.key(&now[j])]
		if known && (fresh || i < next) {
			of.anew(d, now)
			return
		}
		if known {
			next = i + 1
		} else {
			fresh = true
		}
	}
	for j := range now {
		key := of.key(&now[j])
		i, known := places[key]
		delete(places, key)
		if !known || !of.same(i, j, &last[i], &now[j]) {
			of.write(d, &now[j])
		}
	}
	for i := range last { // in their order
		key := of.key(&last[i])
		if _, gone := places[key]; gone {
			d.c.del(of.kind, key)
			d.t.gone = append(d.t.gone, deletion{d.seq, EntityKey{of.kind, key}})
			delete(d.t.revs, EntityKey{of.kind, key})
		}
	}
}

// grown reports whether all that was there still is, in its place: what came is behind it.
// Of large collections that is what happens mostly.
func (of collection[E]) grown(last, now []E) bool {
	if of.sameKey == nil || len(now) < len(last) {
		return false
	}
	for i := range last {
		if !of.sameKey(&last[i], &now[i]) {
			return false
		}
	}
	return true
}

func (of collection[E]) anew(d *differ, now []E) {
	d.reset(of.kind)
	for i := range now {
		of.write(d, &now[i])
	}
}

func (of collection[E]) wanted(d *differ, now []E, wanted func(clew.EntityKind, string) bool) {
	for i := range now {
		if wanted(of.kind, of.key(&now[i])) {
			of.write(d, &now[i])
		}
	}
}

func plainly[E any](same func(a, b *E) bool) func(i, j int, a, b *E) bool {
	return func(_, _ int, a, b *E) bool { return same(a, b) }
}

var (
	taskEntities = collection[clew.TaskInfo]{
		kind: clew.EntityTask, key: func(t *clew.TaskInfo) string { return string(t.TaskID) },
		monitor: func(t *clew.TaskInfo) clew.MonitorID { return t.MonitorID }, same: plainly(sameTask),
	}
	runEntities = collection[clew.RunInfo]{
		kind: clew.EntityRun, key: func(r *clew.RunInfo) string { return r.RunID },
		monitor: func(r *clew.RunInfo) clew.MonitorID { return r.MonitorID }, same: plainly(sameRun),
	}
	todoEntities = collection[clew.TodoInfo]{
		kind: clew.EntityTodo, key: (*clew.TodoInfo).Key, same: plainly(sameTodo),
	}
	windowEntities = collection[clew.WindowState]{
		kind: clew.EntityWindow, key: func(w *clew.WindowState) string { return w.WindowID },
		same: plainly(func(a, b *clew.WindowState) bool { return reflect.DeepEqual(a, b) }),
	}
	noticeEntities = collection[clew.NoticeState]{
		kind: clew.EntityNotice, key: func(n *clew.NoticeState) string { return n.NoticeID },
		same: plainly(func(a, b *clew.NoticeState) bool { return *a == *b }),
	}
	problemEntities = collection[clew.Problem]{
		kind: clew.EntityProblem, key: func(p *clew.Problem) string { return string(p.MessageID) },
		same: plainly(func(a, b *clew.Problem) bool { return *a == *b }),
	}
	notebookEntities = collection[clew.NotebookInfo]{
		kind: clew.EntityNotebook, key: func(n *clew.NotebookInfo) string { return n.NotebookID },
		same: plainly(sameNotebook),
	}
	cellEntities = collection[clew.CellInfo]{
		kind: clew.EntityCell, key: (*clew.CellInfo).Key, same: plainly(sameCell),
		sameKey: func(a, b *clew.CellInfo) bool { return a.CellID == b.CellID && a.NotebookID == b.NotebookID },
	}
	settledEntities = collection[clew.SettledQuestion]{
		kind: clew.EntitySettled, key: func(q *clew.SettledQuestion) string { return string(q.RequestID) },
		same: plainly(func(a, b *clew.SettledQuestion) bool { return *a == *b }),
	}
)

// questionEntities compares with what was noted of questions: they are changed
// in place.
func (d *differ) questionEntities() collection[clew.Question] {
	return collection[clew.Question]{
		kind: clew.EntityQuestion,
		key:  d.questionKey,
		monitor: func(q *clew.Question) clew.MonitorID {
			if a := q.Asking(); a != nil {
				return a.MonitorID
			}
			return ""
		},
		same: func(i, _ int, _, b *clew.Question) bool { return d.t.asked[i] == askedOf(*b) },
	}
}

// questionKey is the name under which a question was sent last: its data may
// have another one by now.
func (d *differ) questionKey(q *clew.Question) string {
	for i := range d.t.last.Questions {
		if q == &d.t.last.Questions[i] {
			return string(d.t.asked[i].asking.RequestID)
		}
	}
	return string(q.RequestID())
}

func (d *differ) collections(now *clew.Entities) {
	last := &d.t.last
	taskEntities.compare(d, last.Tasks, now.Tasks)
	runEntities.compare(d, last.Runs, now.Runs)
	todoEntities.compare(d, last.Todos, now.Todos)
	d.questionEntities().compare(d, last.Questions, now.Questions)
	windowEntities.compare(d, last.Windows, now.Windows)
	noticeEntities.compare(d, last.Notices, now.Notices)
	problemEntities.compare(d, last.Problems, now.Problems)
	settledEntities.compare(d, last.Settled, now.Settled)
	if !sameList(last.Notebooks, now.Notebooks) {
		notebookEntities.compare(d, last.Notebooks, now.Notebooks)
	}
	if !sameList(last.Cells, now.Cells) {
		cellEntities.compare(d, last.Cells, now.Cells)
	}
}

// sameList reports whether two lists are one. It is for those that are never changed in
// place.
func sameList[E any](a, b []E) bool { return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0]) }

// every writes all entities but messages, as far as they are wanted.
func (d *differ) every(now *clew.Entities, wanted func(clew.EntityKind, string) bool) {
	for _, kind := range clew.EntityKinds {
		if Single[kind] && kind != clew.EntityViewers && wanted(kind, "") {
			d.one(kind, now)
		}
	}
	taskEntities.wanted(d, now.Tasks, wanted)
	runEntities.wanted(d, now.Runs, wanted)
	todoEntities.wanted(d, now.Todos, wanted)
	d.questionEntities().wanted(d, now.Questions, wanted)
	windowEntities.wanted(d, now.Windows, wanted)
	noticeEntities.wanted(d, now.Notices, wanted)
	problemEntities.wanted(d, now.Problems, wanted)
	settledEntities.wanted(d, now.Settled, wanted)
	notebookEntities.wanted(d, now.Notebooks, wanted)
	cellEntities.wanted(d, now.Cells, wanted)
}
