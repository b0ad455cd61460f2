package session

import (
	"context"
	"iter"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/history"
	"github.com/clew-run/clew/internal/session/core"
	"github.com/clew-run/clew/internal/session/decide"
	"github.com/clew-run/clew/internal/session/rewind"
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
	later *decide.RewindPlan // one that was set, and not gone yet

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
	var loaded core.Loaded
	if x.pick(3) > 0 {
		loaded.State, loaded.StateSeq, _ = x.tape.Past(context.Background(), "s", x.s.state.Seq)
	}
	loaded.Tail = x.records[loaded.StateSeq:]
	s, err := core.Restore("s", loaded, x.fresh)
	if err != nil {
		x.t.Fatalf("restore: %v", err)
	}
	if got, _ := s.Encode(); string(got) != string(want) {
		x.t.Fatalf("restored from %d\n%s\nlive\n%s", loaded.StateSeq, got, want)
	}
	s.Rules = x.s.state.Rules
	x.s.state = s
}

// rewind takes the session to one of its messages or answers.
func (x *traveller) rewind() {
	if x.in(4) && x.rewindAnswer() {
		return
	}
	list := x.s.state.Messages.Tail()
	if len(list) == 0 {
		return
	}
	i := x.pick(len(list))
	a := rewind.Target{Target: clew.Target{MessageID: list[i].MessageID}, Keep: x.in(3)}
	switch x.pick(4) {
	case 0:
		a.Target = clew.Target{TS: list[i].TS}
	case 1:
		index := x.s.state.Total - len(list) + i
		a.Target = clew.Target{Index: &index}
	}
	if !a.Keep && x.in(4) {
		a.FollowUp = &clew.UserMessageData{Text: "otherwise"}
	}
	c, err := x.s.finder(x.s.positionNow()).Plan(context.Background(), a)
	if err != nil {
		x.t.Fatalf("no way to %+v: %v", a.Target, err)
	}
	if c.From != list[i].MessageID {
		x.t.Fatalf("%+v led to %s, not to %s", a.Target, c.From, list[i].MessageID)
	}
	first := i // of those that go
	if a.Keep {
		first++
	}
	to := x.s.state.Seq
	if first < len(list) {
		to = seqOfMessage(x.t, list[first].MessageID) - 1
	}
	if c.To != to {
		x.t.Fatalf("%+v, keep %v, led to %d, not to %d", a.Target, a.Keep, c.To, to)
	}
	if c.To == x.s.state.Seq { // nothing would change
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
	c := decide.RewindPlan{Kind: kind, RewindID: rewind.NewID(), To: last.Seq - 1, From: last.From, Keep: last.Keep, LastRewindSeq: x.s.state.LastRewindSeq}
	var err error
	if c.TargetState, err = x.s.host.past("s").Encoded(context.Background(), c.To); err != nil {
		x.t.Fatalf("no way to %d: %v", c.To, err)
	}
	x.depart(c)
}

// depart goes the way now, or later, when others have done something.
func (x *traveller) depart(c decide.RewindPlan) {
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
func (x *traveller) take(c decide.RewindPlan) {
	before, err := x.s.state.Encode()
	if err != nil {
		x.t.Fatalf("encode: %v", err)
	}
	moved := x.s.state.LastRewindSeq != c.LastRewindSeq || c.Kind == clew.KindRedo && len(x.s.state.Redo) == 0
	first := len(x.records)
	_, _, err = x.do(clew.Command{By: by("ann"), Data: &decide.RewindCommand{RewindPlan: c}})
	if moved != (err != nil) && (c.FollowUp == nil || clew.CodeOf(err) == clew.Internal) {
		x.t.Fatalf("%s to %d, moved %v: %v", c.Kind, c.To, moved, err)
	}
	if err != nil {
		if after, _ := x.s.state.Encode(); string(before) != string(after) {
			x.t.Fatalf("refused, and changed")
		}
		return
	}
	x.arrived(c, before, first)
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
	for _, t := range x.s.state.SortedTasks() {
		if t.Turn == nil || t.Ended() {
			continue
		}
		n := history.Fit(t.History, x.pick(len(t.History)+1))
		if n == 0 {
			continue
		}
		was, marker := len(t.History), x.in(3)
		must(x.reportAs(t, func(tx *decide.Tx, s *core.State, t *core.Task) {
			m := history.Summary(string(tx.NextID()), "in short", tx.NextTS())
			if marker {
				m = history.Marker(t.History, n, string(tx.NextID()), tx.NextTS())
			}
			tx.Add(&clew.ModelMessageData{TaskID: t.TaskID, AgentID: t.AgentID, Message: m, Hides: n})
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
