package session

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"flag"
	"fmt"
	"iter"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"pgregory.net/rapid"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/history"
)

// tape is the journal of a bench: its records, and the folds that were kept on
// the way.
type tape struct {
	Journal
	b    *bench
	kept map[uint64][]byte
}

func (j *tape) Read(_ context.Context, _ clew.SessionID, from, to uint64) iter.Seq2[clew.Record, error] {
	return func(yield func(clew.Record, error) bool) {
		for seq := max(from, 1); seq <= to && seq <= uint64(len(j.b.records)); seq++ {
			if !yield(j.b.records[seq-1], nil) {
				return
			}
		}
	}
}

func (j *tape) Past(_ context.Context, _ clew.SessionID, seq uint64) (state []byte, at uint64, err error) {
	for n := range j.kept {
		if n <= seq && n > at {
			state, at = j.kept[n], n
		}
	}
	return state, at, nil
}

// A traveller takes the session of a bench back and forth at random, and holds
// what comes of it against folds from the first record.
type traveller struct {
	*bench
	t     tester
	pick  func(n int) int // a number below n
	tape  *tape
	later *course // one that was set, and not gone yet

	// How the session was before each rewind that can be undone, and before each
	// undo: an editor's two lists.
	undo, redo [][]byte
	tally      map[string]int
}

func newTraveller(b *bench, t tester, pick func(n int) int) *traveller {
	x := &traveller{bench: b, t: t, pick: pick, tape: &tape{b: b, kept: map[uint64][]byte{}}, tally: map[string]int{}}
	b.s.host.cfg.Journal = x.tape
	return x
}

func (x *traveller) in(n int) bool { return x.pick(n) == 0 }

// keep keeps the present fold, as a seal does.
func (x *traveller) keep() {
	b, err := x.s.state.Encode()
	if err != nil {
		x.t.Fatalf("encode: %v", err)
	}
	x.tape.kept[x.s.state.Seq] = b
}

// restart has the session loaded anew, from a kept fold or from nothing.
func (x *traveller) restart() {
	want, err := x.s.state.Encode()
	if err != nil {
		x.t.Fatalf("encode: %v", err)
	}
	var loaded Loaded
	if x.pick(3) > 0 {
		loaded.State, loaded.StateSeq, _ = x.tape.Past(context.Background(), "s", x.s.state.Seq)
	}
	loaded.Tail = x.records[loaded.StateSeq:]
	s, err := Restore("s", loaded, x.fresh)
	if err != nil {
		x.t.Fatalf("restore: %v", err)
	}
	if got, _ := s.Encode(); string(got) != string(want) {
		x.t.Fatalf("restored from %d\n%s\nlive\n%s", loaded.StateSeq, got, want)
	}
	s.rules = x.s.state.rules
	x.s.state = s
}

// parts is what a return takes back, part by part, as hashes and in words.
type parts map[string]part

type part struct {
	sum  [sha256.Size]byte
	text string
}

// partsOf takes a fold apart. Its clocks are what they would be at ts if they
// had stood still since.
func partsOf(t tester, encoded []byte, ts int64) parts {
	t.Helper()
	s, err := decodeState("s", encoded)
	if err != nil {
		t.Fatalf("decode: %v", err)
	}
	passed := ts - s.TS
	for i := range s.Questions {
		if a := s.Questions[i].Asking(); a.DeadlineMS > 0 {
			a.DeadlineMS += passed
		}
	}
	p := parts{}
	add := func(name string, v any) {
		b, err := json.Marshal(v)
		if err != nil {
			t.Fatalf("encode %s: %v", name, err)
		}
		p[name] = part{sha256.Sum256(b), string(b)}
	}
	for id, task := range s.Tasks {
		shiftClock(task, passed)
		add("model history of "+string(id), []any{task.History, task.Calls, task.Inbox})
		add("run of "+string(id), task.Run)
		add("todos of "+string(id), []any{task.PlanID, task.PlanVersion, task.Todos})
		task.History, task.Run, task.Todos = nil, nil, nil
		add("task "+string(id), task)
	}
	add("transcript", []any{s.Total, s.Messages})
	add("focus", []any{s.Current, s.Started})
	add("questions", []any{s.Questions, s.Reminded, s.Asked})
	add("usage", s.Usage)
	add("checkpoint", s.Checkpoint)
	return p
}

// shiftClock lets the clocks of a run that is under way go on.
func shiftClock(t *Task, ms int64) {
	r := t.Run
	if r == nil || r.Phase.Ended() {
		return
	}
	for _, at := range []*int64{&r.StartedMS, &r.LayerMS, &r.SinceMS} {
		if *at > 0 {
			*at += ms
		}
	}
	for i := range r.Todos {
		if todo := &r.Todos[i]; todo.Status == clew.TodoInProgress && todo.StartedMS > 0 {
			todo.StartedMS += ms
		}
	}
}

func (p parts) same(t tester, what string, want parts) {
	t.Helper()
	for name := range want {
		if p[name].sum != want[name].sum {
			t.Fatalf("%s: %s is\n%s\nwant\n%s", what, name, p[name].text, want[name].text)
		}
	}
	for name := range p {
		if _, ok := want[name]; !ok {
			t.Fatalf("%s: %s should not be there", what, name)
		}
	}
}

// rewind takes the session to one of its messages.
func (x *traveller) rewind() {
	list := x.s.state.Messages
	if len(list) == 0 {
		return
	}
	i := x.pick(len(list))
	a := aim{target: clew.Target{MessageID: list[i].MessageID}, keep: x.in(3)}
	switch x.pick(4) {
	case 0:
		a.target = clew.Target{TS: list[i].TS}
	case 1:
		index := x.s.state.Total - len(list) + i
		a.target = clew.Target{Index: &index}
	}
	if !a.keep && x.in(4) {
		a.then = &clew.UserMessageData{Text: "otherwise"}
	}
	c, err := x.s.plot(context.Background(), x.s.here(), a)
	if err != nil {
		x.t.Fatalf("no way to %+v: %v", a.target, err)
	}
	if c.from != list[i].MessageID {
		x.t.Fatalf("%+v led to %s, not to %s", a.target, c.from, list[i].MessageID)
	}
	first := i // of those that go
	if a.keep {
		first++
	}
	to := x.s.state.Seq
	if first < len(list) {
		to = seqOfMessage(x.t, list[first].MessageID) - 1
	}
	if c.to != to {
		x.t.Fatalf("%+v, keep %v, led to %d, not to %d", a.target, a.keep, c.to, to)
	}
	if c.to == x.s.state.Seq { // nothing would change
		return
	}
	x.depart(c)
}

func seqOfMessage(t tester, id clew.MessageID) uint64 {
	seq, err := id.Seq()
	if err != nil {
		t.Fatalf("%v", err)
	}
	return seq
}

// back undoes the last rewind, or does it again.
func (x *traveller) back(kind clew.RewindKind) {
	list := x.s.state.Undo
	if kind == clew.KindRedo {
		list = x.s.state.Redo
	}
	if len(list) == 0 {
		return
	}
	last := list[len(list)-1]
	c := course{kind: kind, id: newRewindID(), to: last.Seq - 1, from: last.From, keep: last.Keep, moved: x.s.state.Moved}
	var err error
	if c.past, err = x.s.host.past("s").at(context.Background(), c.to); err != nil {
		x.t.Fatalf("no way to %d: %v", c.to, err)
	}
	x.depart(c)
}

// depart goes the way now, or later, when others have done something.
func (x *traveller) depart(c course) {
	if x.later == nil && x.in(5) {
		x.later = &c
		return
	}
	x.take(c)
}

func (x *traveller) leaveAtLast() {
	if x.later != nil {
		c := *x.later
		x.later = nil
		x.take(c)
	}
}

// take goes the way and checks what comes of it.
func (x *traveller) take(c course) {
	before, err := x.s.state.Encode()
	if err != nil {
		x.t.Fatalf("encode: %v", err)
	}
	moved := x.s.state.Moved != c.moved || c.kind == clew.KindRedo && len(x.s.state.Redo) == 0
	first := len(x.records)
	_, _, err = x.do(clew.Command{By: by("ann"), Data: &travel{course: c}})
	if moved != (err != nil) && (c.then == nil || clew.CodeOf(err) == clew.Internal) {
		x.t.Fatalf("%s to %d, moved %v: %v", c.kind, c.to, moved, err)
	}
	if err != nil {
		if after, _ := x.s.state.Encode(); string(before) != string(after) {
			x.t.Fatalf("refused, and changed")
		}
		return
	}
	x.arrived(c, before, first)
}

// queueOf is what waits in a fold: that stays in a return.
func (x *traveller) queueOf(encoded []byte) string {
	s, err := decodeState("s", encoded)
	if err != nil {
		x.t.Fatalf("decode: %v", err)
	}
	b, err := json.Marshal(s.Queue)
	if err != nil {
		x.t.Fatalf("encode: %v", err)
	}
	return string(b)
}

// arrived checks a return whose batch begins behind the first records.
func (x *traveller) arrived(c course, before []byte, first int) {
	t := x.t
	at := first + slices.IndexFunc(x.records[first:], func(r clew.Record) bool { return returnOf(decoded(r)) != nil })
	r := x.records[at]
	what := fmt.Sprintf("%s to %d at %d", c.kind, c.to, r.Seq)
	left := x.onFrom(before, first, at) // where somebody was stopped first
	there := x.onFrom(left, at, at+1)
	is := partsOf(t, there, r.TS)
	is.same(t, what, partsOf(t, x.freshAt(c.to), r.TS))
	if waits, waited := x.queueOf(there), x.queueOf(left); waits != waited {
		t.Fatalf("%s: the queue is\n%s\nwant\n%s", what, waits, waited)
	}
	x.foretold(c, before, there, r)
	x.line(what, c.kind, is, left, r.TS)
	if c.then == nil && x.s.state.Busy() {
		t.Fatalf("%s: somebody goes on by themselves", what)
	}
	x.tally[string(c.kind)]++
	if x.in(6) {
		x.readBack()
	}
}

func (x *traveller) freshAt(seq uint64) []byte {
	x.t.Helper()
	b, err := x.fresh(seq)
	if err != nil {
		x.t.Fatalf("fold up to %d: %v", seq, err)
	}
	return b
}

// onFrom folds some more records. What it starts from is held against a fold
// from the first record after each step.
func (x *traveller) onFrom(encoded []byte, from, to int) []byte {
	x.t.Helper()
	f := Folder{State: x.state(encoded), Past: x.fresh}
	for _, r := range x.records[from:to] {
		if err := f.Add(r); err != nil {
			x.t.Fatalf("fold: %v", err)
		}
	}
	b, err := f.State.Encode()
	if err != nil {
		x.t.Fatalf("encode: %v", err)
	}
	return b
}

// line follows the rewinds as an editor does its changes: an undo brings back
// what was, as if nobody had gone anywhere.
func (x *traveller) line(what string, kind clew.RewindKind, is parts, before []byte, ts int64) {
	x.t.Helper()
	switch kind {
	case clew.KindUndo:
		was := x.undo[len(x.undo)-1]
		is.same(x.t, "never "+what, partsOf(x.t, was, ts))
		x.undo, x.redo = x.undo[:len(x.undo)-1], append(x.redo, before)
	case clew.KindRedo:
		was := x.redo[len(x.redo)-1]
		is.same(x.t, "again "+what, partsOf(x.t, was, ts))
		x.redo, x.undo = x.redo[:len(x.redo)-1], append(x.undo, before)
	default:
		x.undo, x.redo = append(x.undo, before), nil
	}
}

// log shows the newest records, for a play that failed.
func (x *traveller) log(t interface{ Logf(string, ...any) }) {
	for _, r := range x.records[max(0, len(x.records)-60):] {
		data := string(r.Data())
		t.Logf("%d %s %s", r.Seq, r.Type, data[:min(len(data), 300)])
	}
}

// listen is for after each step: what people say makes another way on.
func (x *traveller) listen() {
	s := x.s.state
	if len(s.Redo) == 0 {
		x.redo = nil
	}
	if len(s.Undo) != len(x.undo) || len(s.Redo) != len(x.redo) {
		x.t.Fatalf("%d to undo and %d to do again, counted %d and %d", len(s.Undo), len(s.Redo), len(x.undo), len(x.redo))
	}
}

// named holds the messages that a record names, and their number, against those
// that one state has and another has not.
func (x *traveller) named(of, other *State, ids []clew.MessageID, n int) {
	if len(of.Messages) != of.Total || len(other.Messages) != other.Total {
		return // too long to see
	}
	var want []clew.MessageID
	for _, m := range of.Messages {
		if other.Message(m.MessageID) == nil {
			want = append(want, m.MessageID)
		}
	}
	if n != len(want) || !slices.Equal(ids, want) {
		x.t.Fatalf("%d messages are named, %v, want %v", n, ids, want)
	}
}

// foretold holds what a preview says against what became of it.
func (x *traveller) foretold(c course, before, there []byte, r clew.Record) {
	t := x.t
	now, will, is := x.state(before), x.state(c.past), x.state(there)
	p := &clew.RewindPreviewAnswer{}
	compare(p, now, will)
	if got := now.Total - is.Total; got != now.Total-will.Total {
		t.Fatalf("%d messages went, foretold were %d", got, now.Total-will.Total)
	}
	switch d := decoded(r).(type) {
	case *clew.HistoryRewoundData:
		x.named(now, is, d.RemovedMessageIDs, d.RemovedCount)
		x.named(is, now, d.RestoredMessageIDs, d.RestoredCount)
	case *clew.RewindUndoneData:
		x.named(now, is, d.RemovedMessageIDs, d.RemovedCount)
		x.named(is, now, d.RestoredMessageIDs, d.RestoredCount)
	}
	spared := clew.Usage{}
	if p.Usage != nil {
		spared = *p.Usage
	}
	if got := less(now.Usage, is.Usage); got != spared {
		t.Fatalf("usage went down by %+v, foretold was %+v", got, spared)
	}
	open := map[clew.RequestID]bool{}
	for _, q := range slices.Concat(now.Questions, p.Reopened) {
		open[q.RequestID()] = true
	}
	for _, q := range p.Withdrawn {
		delete(open, q.RequestID())
	}
	todos := map[string]clew.TodoStatus{}
	for _, todo := range now.todos() {
		todos[todo.ID] = todo.Status
	}
	for _, c := range p.Todos {
		if todos[c.ID] = c.To; c.To == "" {
			delete(todos, c.ID)
		}
	}
	got := map[string]clew.TodoStatus{}
	for _, todo := range is.todos() {
		got[todo.ID] = todo.Status
	}
	if len(open) != len(is.Questions) || slices.ContainsFunc(is.Questions, func(q clew.Question) bool { return !open[q.RequestID()] }) || !maps.Equal(todos, got) {
		t.Fatalf("foretold were the questions %v and the todos %v; they are %v and %v", open, todos, is.Questions, got)
	}
}

func (x *traveller) state(encoded []byte) *State {
	s, err := decodeState("s", encoded)
	if err != nil {
		x.t.Fatalf("decode: %v", err)
	}
	return s
}

// readBack reads the transcript page by page, most of it from the journal.
func (x *traveller) readBack() {
	s := x.s.state
	if s.Total == 0 {
		return
	}
	short, limit := min(1+x.pick(5), len(s.Messages)), 1+x.pick(30)
	tr := s.transcript(x.tape)
	tr.tail = tr.tail[len(tr.tail)-short:]
	var list []clew.Message
	for before := clew.MessageID(""); ; before = list[0].MessageID {
		page, err := tr.messages(context.Background(), limit, 0, before)
		if err != nil {
			x.t.Fatalf("read back: %v", err)
		}
		if list = append(slices.Clone(page), list...); len(page) < limit {
			break
		}
	}
	if len(list) != s.Total {
		x.t.Fatalf("%d messages read back, there are %d", len(list), s.Total)
	}
	for i, m := range list[len(list)-len(s.Messages):] {
		x.tallyOutcome(m)
		if a, b := plainJSON(m), plainJSON(s.Messages[i]); a != b {
			x.t.Fatalf("read back\n%s\nfolded\n%s", a, b)
		}
	}
	x.tally["read back"]++
}

// tallyOutcome counts what was seen of calls and answers.
func (x *traveller) tallyOutcome(m clew.Message) {
	if m.Tool != nil {
		x.tally["tool "+string(m.Tool.Status)]++
	}
	if m.Answer != nil {
		x.tally["answer "+string(m.Answer.Action)]++
	}
}

// travel does one thing of all that is about history.
func (x *traveller) travel() {
	switch x.pick(10) {
	case 0, 1, 2:
		x.rewind()
	case 3, 4:
		x.back(clew.KindUndo)
	case 5, 6:
		x.back(clew.KindRedo)
	case 7:
		x.keep()
	case 8:
		x.restart()
	default:
		x.condense()
	}
}

// condense puts the older part of a model history into a summary, or leaves it
// out.
func (x *traveller) condense() {
	for _, t := range x.s.state.tasks() {
		if t.Turn == nil || t.Ended() {
			continue
		}
		n := history.Fit(t.History, x.pick(len(t.History)+1))
		if n == 0 {
			continue
		}
		was := len(t.History)
		must(x.reportAs(t, func(at Batch, t *Task) []clew.Event {
			m := history.Summary(string(at.ID(0)), "in short", at.TS(0))
			if x.in(3) {
				m = history.Marker(t.History, n, string(at.ID(0)), at.TS(0))
			}
			return []clew.Event{{Type: clew.EventModelMessage, Data: &clew.ModelMessageData{TaskID: t.TaskID, AgentID: t.AgentID, Message: m, Hides: n}}}
		}))
		if now := x.s.state.Task(t.TaskID); len(now.History) == was-n+1 {
			x.tally["condensed"]++
		}
		return
	}
}

// tour goes to some places one after the other, and back each time.
func (x *traveller) tour(n int) {
	x.leaveAtLast()
	for range n {
		x.listen()
		x.rewind()
		x.leaveAtLast()
		x.listen()
		x.back(clew.KindUndo)
		x.leaveAtLast()
	}
	x.listen()
}

// A logbook adds up what travellers did. Any deviation ends its test at once, so
// what it counts is what was found to be exact.
type logbook map[string]int

func (l logbook) add(x *traveller) {
	l["plays"]++
	for k, n := range x.tally {
		l[k] += n
	}
}

// close says what was done, and that it was enough to say something.
func (l logbook) close(t *testing.T, what string, atLeast int) {
	t.Helper()
	rewinds, undos, redos := l[string(clew.KindRewind)], l[string(clew.KindUndo)], l[string(clew.KindRedo)]
	if t.Failed() {
		return
	}
	t.Logf("exactness of %s: %d plays, %d rewinds, %d undos, %d redos, %d condensed, %d read back, 0 deviations",
		what, l["plays"], rewinds, undos, redos, l["condensed"], l["read back"])
	if rewinds < atLeast {
		t.Errorf("%d rewinds, want at least %d", rewinds, atLeast)
	}
}

// fixRapid has rapid play the same plays each time, and leave no files behind.
// A seed given by hand holds.
func fixRapid(t *testing.T, seed int) {
	t.Helper()
	values := map[string]string{"rapid.nofailfile": "true", "rapid.seed": strconv.Itoa(seed)}
	if flag.Lookup("rapid.seed").Value.String() != "0" {
		delete(values, "rapid.seed")
	}
	for name, value := range values {
		was := flag.Lookup(name).Value.String()
		if err := flag.Set(name, value); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = flag.Set(name, was) })
	}
}

// Conversations that are taken back and forth at any moment. Each return gives
// exactly what was, by a fold from the first record; to undo it is as if nobody
// had gone anywhere; and all that holds of conversations holds on.
//
// Covers: HIS-12, HIS-13, HIS-14, HIS-15, HIS-18, HIS-19, HIS-21, HIS-26, HIS-30, HIS-31, C-13, C-75, C-76
func TestAnywhereInAConversation(t *testing.T) {
	rounds, atLeast := 5, 1700 // rounds of a hundred plays
	if testing.Short() || raceEnabled {
		rounds, atLeast = 1, 300
	}
	book := logbook{}
	for i := range rounds {
		t.Run(fmt.Sprint("round ", i), func(t *testing.T) {
			fixRapid(t, 1+10_000*i)
			rapid.Check(t, func(t *rapid.T) { book.add(voyage(t)) })
		})
	}
	book.close(t, "conversations", atLeast)
}

func voyage(t *rapid.T) *traveller {
	b := newBench()
	if rapid.Bool().Draw(t, "steers") {
		b.s.state.rules = steering{}
	}
	b.create()
	r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "journeys"), 7)) //nolint:gosec // the same numbers each time
	x := newTraveller(b, t, r.IntN)
	p := player{bench: b, t: t}
	defer func() {
		if t.Failed() {
			x.log(t)
		}
	}()
	act := func(f func()) func(*rapid.T) {
		return func(step *rapid.T) {
			p.t, x.t = step, step
			f()
		}
	}
	steps := map[string]func(*rapid.T){
		"": func(t *rapid.T) {
			x.listen()
			b.verify(t)
		},
		"message":  act(func() { p.message() }),
		"new task": act(func() { p.person(&clew.NewTaskData{Text: p.text()}) }),
		"queue":    act(func() { p.queue() }),
		"time":     act(func() { p.time() }),
		"settle":   act(func() { p.settle() }),
		"rights":   act(func() { p.rights() }),
		"respond":  act(func() { p.respond() }),
		"control":  act(func() { p.control() }),
		"agent":    act(func() { p.agent() }),
		"agent 2":  act(func() { p.agent() }),
		"agent 3":  act(func() { p.agent() }),
		"agent 4":  act(func() { p.agent() }),
		"travel":   act(x.travel),
		"travel 2": act(x.travel),
		"travel 3": act(x.travel),
		"travel 4": act(x.travel),
		"leave":    act(x.leaveAtLast),
	}
	t.Repeat(steps)
	t.Repeat(steps)
	x.t = t
	x.tour(2)
	x.readBack()
	b.check(t)
	return x
}
