package session

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/session/core"
	"github.com/clew-run/clew/internal/session/decide"
	"github.com/clew-run/clew/internal/session/rewind"
	"github.com/clew-run/clew/internal/session/view"
)

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
	s, err := core.DecodeState("s", encoded)
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
	focus := []any{s.Started}
	for _, m := range s.AllMonitors() {
		focus = append(focus, m.ID, m.AgentID, m.Current)
	}
	add("focus", focus)
	add("questions", []any{s.Questions, s.Reminded, s.AskedTimes})
	add("usage", s.Usage)
	add("checkpoint", s.Checkpoint)
	return p
}

// shiftClock lets the clocks of a run that is under way go on.
func shiftClock(t *core.Task, ms int64) {
	r := t.Run
	if r == nil || r.Phase.Ended() {
		return
	}
	for _, at := range []*int64{&r.StartedMS, &r.LayerMS, &r.SinceMS, &r.PausedMS} {
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

// queueOf is what waits in a fold: that stays in a return, but for what waits for a
// window that is not open there.
func (x *traveller) queueOf(encoded, there []byte) string {
	s, err := core.DecodeState("s", encoded)
	if err != nil {
		x.t.Fatalf("decode: %v", err)
	}
	after, err := core.DecodeState("s", there)
	if err != nil {
		x.t.Fatalf("decode: %v", err)
	}
	var waits []string // wherever: a monitor may not be there yet
	for _, m := range s.AllMonitors() {
		for _, in := range m.Queue {
			if !in.NotInTranscript || in.WindowID != "" && after.Window(in.WindowID) == nil { // it goes back with its message, or its window
				continue
			}
			b, err := json.Marshal(in)
			if err != nil {
				x.t.Fatalf("encode: %v", err)
			}
			waits = append(waits, string(b))
		}
	}
	slices.Sort(waits)
	return strings.Join(waits, "\n")
}

// arrived checks a return whose batch begins behind the first records.
func (x *traveller) arrived(c decide.RewindPlan, before []byte, first int) {
	t := x.t
	at := first + slices.IndexFunc(x.records[first:], func(r clew.Record) bool { return core.RewindOf(x.decoded(r)) != nil })
	r := x.records[at]
	what := fmt.Sprintf("%s to %d at %d", c.Kind, c.To, r.Seq)
	left := x.onFrom(before, first, at) // where somebody was stopped first
	there := x.onFrom(left, at, at+1)
	is := partsOf(t, there, r.TS)
	is.same(t, what, partsOf(t, x.freshAt(c.To), r.TS))
	if waits, waited := x.queueOf(there, there), x.queueOf(left, there); waits != waited {
		t.Fatalf("%s: the queue is\n%s\nwant\n%s", what, waits, waited)
	}
	x.foretold(c, before, there, r)
	x.line(what, c.Kind, is, left, r.TS)
	if c.FollowUp == nil && goesOn(x.s.state) {
		t.Fatalf("%s: somebody goes on by themselves", what)
	}
	x.tally[string(c.Kind)]++
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
	f := core.Folder{State: x.state(encoded), Past: x.fresh}
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

// named holds the messages that a record names, and their number, against those
// that one state has and another has not.
func (x *traveller) named(of, other *core.State, ids []clew.MessageID, n int) {
	if len(of.Messages.Tail()) != of.Total || len(other.Messages.Tail()) != other.Total {
		return // too long to see
	}
	var want []clew.MessageID
	seen := 0
	for _, m := range of.Messages.Tail() {
		if other.Message(m.MessageID) == nil {
			want = append(want, m.MessageID)
			if !m.Say.Bookkeeping() {
				seen++
			}
		}
	}
	if n != seen || !slices.Equal(ids, want) {
		x.t.Fatalf("%d messages are counted, want %d; named are %v, want %v", n, seen, ids, want)
	}
}

// foretold holds what a preview says against what became of it.
func (x *traveller) foretold(c decide.RewindPlan, before, there []byte, r clew.Record) {
	t := x.t
	now, will, is := x.state(before), x.state(c.TargetState), x.state(there)
	p := &clew.RewindPreviewAnswer{}
	rewind.Compare(p, now, will)
	if got := now.Total - is.Total; got != now.Total-will.Total {
		t.Fatalf("%d messages went, foretold were %d", got, now.Total-will.Total)
	}
	switch d := x.decoded(r).(type) {
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
	if got := rewind.UsageDifference(now.Usage, is.Usage); got != spared {
		t.Fatalf("usage went down by %+v, foretold was %+v", got, spared)
	}
	open := map[clew.RequestID]bool{}
	for _, q := range slices.Concat(now.Questions, p.Reopened) {
		open[q.RequestID()] = true
	}
	for _, q := range p.Withdrawn {
		delete(open, q.RequestID())
	}
	held := core.Without(now.ActiveRules(), func(r clew.RememberedRule) bool {
		return slices.ContainsFunc(p.Forgotten, func(f clew.RememberedRule) bool { return f == r })
	})
	if !slices.Equal(held, is.ActiveRules()) {
		t.Fatalf("foretold was that %v is allowed; it is %v", held, is.ActiveRules())
	}
	todos := map[string]clew.TodoStatus{}
	for _, todo := range now.FocusedTodos() {
		todos[todo.ID] = todo.Status
	}
	for _, c := range p.Todos {
		if todos[c.ID] = c.To; c.To == "" {
			delete(todos, c.ID)
		}
	}
	got := map[string]clew.TodoStatus{}
	for _, todo := range is.FocusedTodos() {
		got[todo.ID] = todo.Status
	}
	if len(open) != len(is.Questions) || slices.ContainsFunc(is.Questions, func(q clew.Question) bool { return !open[q.RequestID()] }) || !maps.Equal(todos, got) {
		t.Fatalf("foretold were the questions %v and the todos %v; they are %v and %v", open, todos, is.Questions, got)
	}
}

func (x *traveller) state(encoded []byte) *core.State {
	s, err := core.DecodeState("s", encoded)
	if err != nil {
		x.t.Fatalf("decode: %v", err)
	}
	return s
}

// goesOn reports whether somebody works by themselves. A kernel has to be stopped or
// started, and a file read, whatever was taken back; no cell runs.
func goesOn(s *core.State) bool {
	others := *s
	others.Notebooks = nil
	return others.Busy() || slices.ContainsFunc(s.Notebooks, func(n core.Notebook) bool { return n.Run != nil || len(n.Queue) > 0 || n.Save != nil })
}

// readBack reads the transcript page by page, most of it from the journal.
func (x *traveller) readBack() {
	s := x.s.state
	if s.Total == 0 {
		return
	}
	short, limit := min(1+x.pick(5), len(s.Messages.Tail())), 1+x.pick(30)
	tr := view.NewPager(s, x.tape)
	tr.Tail = tr.Tail[len(tr.Tail)-short:]
	var list []clew.Message
	for before := clew.MessageID(""); ; before = list[0].MessageID {
		page, err := tr.Messages(context.Background(), limit, 0, before)
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
	for i, m := range list[len(list)-len(s.Messages.Tail()):] {
		x.tallyOutcome(m)
		if a, b := decide.PlainJSON(m), decide.PlainJSON(s.Messages.Tail()[i]); a != b {
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
