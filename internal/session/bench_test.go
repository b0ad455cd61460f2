package session

import (
	"log/slog"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/nightly"
	"github.com/clew-run/clew/internal/session/core"
	"github.com/clew-run/clew/internal/session/decide"
)

// bench drives a session's decisions without a goroutine or a journal, and
// keeps the records that would have been stored.
type bench struct {
	s       *Session
	head    clew.Head
	records []clew.Record
	now     int64
	calls   int        // tool calls named so far
	timeout int        // seconds, of questions
	at      *core.Task // whose agent reports, nil for the task in focus
	pure    int        // Decide is watched at each so many-th command, 0 if it does not matter
	given   int        // commands so far
	way     int        // records of the way to a moment, whose every part is looked at elsewhere

	// What verify saw so far.
	seen      int
	folded    *core.State
	told      map[clew.TaskID]string // what clients think a task is doing
	settled   map[clew.RequestID]bool
	questions map[clew.RequestID]clew.Asking
	reminded  map[clew.RequestID]bool
	accepted  map[string]bool
	folds     map[uint64][]byte // fresh ones
	data      map[uint64]any    // of records, for those who only read it
}

// tester is what tests and property tests have in common.
type tester interface {
	Fatalf(format string, args ...any)
	Helper()
}

func newBench() *bench {
	b := &bench{
		now: 1_700_000_000_000, folded: &core.State{ID: "s"},
		told: map[clew.TaskID]string{}, settled: map[clew.RequestID]bool{}, questions: map[clew.RequestID]clew.Asking{}, reminded: map[clew.RequestID]bool{}, accepted: map[string]bool{}, folds: map[uint64][]byte{}, data: map[uint64]any{},
	}
	h := &Host{cfg: Config{Clock: benchClock{b}, MaxRecord: 1 << 20, Log: slog.New(slog.DiscardHandler)}}
	b.s = &Session{id: "s", host: h, state: &core.State{ID: "s"}}
	return b
}

// benchClock is the bench's own time, which goes by when the bench says so.
type benchClock struct{ b *bench }

func (c benchClock) Now() time.Time         { return time.UnixMilli(c.b.now) }
func (c benchClock) Elapsed() time.Duration { return time.Duration(c.b.now) * time.Millisecond }
func (c benchClock) After(time.Duration) (<-chan time.Time, func()) {
	return nil, func() {}
}

// newMoment is a bench that is brought to a moment. Decide is watched and snapshots are
// taken from there on: the way is the same for all that is tried at the moment.
func newMoment(to func(*bench)) *bench {
	b := newBench()
	b.pure = math.MaxInt
	to(b)
	b.pure, b.way = 0, len(b.records)
	return b
}

func (b *bench) do(cmd clew.Command) (Receipt, []clew.EventType, error) {
	if b.given++; b.watched() {
		if err := decidePurely(b.s.state, cmd, b.now); err != nil {
			panic(err)
		}
	}
	p, made, err := b.s.decide(request{cmd: cmd})
	if err != nil {
		return Receipt{}, nil, err
	}
	var types []clew.EventType
	for _, d := range made {
		r := b.head.Write("s", 1, d.now, d.Draft)
		b.head = r.After()
		b.records = append(b.records, r)
		types = append(types, r.Type)
	}
	return p.receipt, types, nil
}

// watched says if Decide is watched at this command: at the first hundred and at
// some after, unless a test wants it otherwise. Each look sums up the whole state,
// which takes ten times as long with the race detector.
func (b *bench) watched() bool {
	first := 100
	if raceEnabled {
		first = nightly.Size(5, 100)
	}
	if b.pure > 0 {
		return b.given%b.pure == 0
	}
	return b.given <= first || b.given%100 == 0
}

// alone is for long tests whose one goroutine is joined only by the reader that
// watches Decide. The race detector takes ten times as long with them: it has the
// night for all of them, and in CI those that do not call this.
func alone(t *testing.T) {
	t.Helper()
	nightly.Alone(t)
}

func by(user clew.UserID) clew.Principal { return clew.Principal{User: user, Role: clew.RoleOwner} }

// ann sends a command as the owner.
func (b *bench) ann(data any) (Receipt, []clew.EventType, error) {
	return b.do(clew.Command{By: by("ann"), Data: data})
}

func (b *bench) create() {
	must(b.do(clew.Command{By: by("ann"), Data: &decide.CreateCommand{Owner: "ann", Title: "first"}}))
}

func (b *bench) say(id string) (Receipt, []clew.EventType, error) {
	return b.do(clew.Command{
		Type: clew.CommandUserMessage, By: by("ann"), ClientMessageID: clew.ClientMessageID(id),
		Data: &clew.UserMessageData{Text: "hello"},
	})
}

func must(_ Receipt, _ []clew.EventType, err error) {
	if err != nil {
		panic(err)
	}
}

// task is the task whose agent reports.
func (b *bench) task() *core.Task {
	if b.at != nil {
		return b.at
	}
	return b.s.state.Focused(clew.MainMonitor)
}

// turn is the turn of that task.
func (b *bench) turn() core.Turn { return *b.task().Turn }

// report records something as the agent of that task.
func (b *bench) report(events func(tx *decide.Tx, s *core.State, t *core.Task)) (Receipt, []clew.EventType, error) {
	return b.reportAs(b.task(), events)
}

func (b *bench) reportAs(t *core.Task, events func(tx *decide.Tx, s *core.State, t *core.Task)) (Receipt, []clew.EventType, error) {
	return b.do(clew.Command{By: by("agent"), Data: &decide.TurnReport{Task: t.TaskID, Turn: t.Turn.ID, LastRewindSeq: b.s.state.LastRewindSeq, Intent: decide.Script(events)}})
}

// inject puts records into the journal that no command of today makes.
func (b *bench) inject(by clew.UserID, cause clew.ClientMessageID, add func(tx *decide.Tx)) {
	tx := decide.NewTx(b.s.state, b.now)
	add(tx)
	for _, e := range tx.Events() {
		data, err := clew.MarshalData(e.Data)
		if err != nil {
			panic(err)
		}
		r := b.head.Write("s", 1, b.now, clew.Draft{By: by, Cause: cause, Type: e.Type, Data: data})
		b.head = r.After()
		b.records = append(b.records, r)
		core.Apply(b.s.state, r, e.Data)
	}
}

// begin has the agent open its reply, update writes on, finish ends the turn.
func (b *bench) begin() (Receipt, []clew.EventType, error) {
	return b.report(openReply)
}

func openReply(tx *decide.Tx, _ *core.State, t *core.Task) {
	tx.Say(decide.NewReply("", 0, t.MonitorID, t.Turn))
}

func (b *bench) update(text string, partial bool) (Receipt, []clew.EventType, error) {
	if o := b.s.open[b.turn().Reply]; o != nil && partial && !strings.HasPrefix(text, o.Text) { // another attempt
		o.Text = ""
		must(b.report(func(tx *decide.Tx, _ *core.State, _ *core.Task) { tx.Update(b.reply("", true)) }))
	}
	return b.report(func(tx *decide.Tx, _ *core.State, _ *core.Task) { tx.Update(b.reply(text, partial)) })
}

func (b *bench) finish(text string) (Receipt, []clew.EventType, error) {
	return b.report(func(tx *decide.Tx, s *core.State, t *core.Task) {
		tx.Update(b.reply(text, false))
		idle(tx, s, t)
	})
}

func (b *bench) reply(text string, partial bool) clew.Message {
	m := *b.s.state.Message(b.turn().Reply)
	m.Text, m.Partial = text, partial
	return m
}

func idle(tx *decide.Tx, _ *core.State, t *core.Task) { tx.Add(&clew.TaskIdleData{TaskRef: t.TaskRef}) }

// check holds the live state against the fold of the records, from the start
// and from a snapshot anywhere between, and the records against each other.
func (b *bench) check(t tester) {
	t.Helper()
	want, err := b.s.state.Encode()
	if err != nil {
		t.Fatalf("encode: %v", err)
	}
	var head clew.Head
	snapshot, _ := (&core.State{ID: "s"}).Encode()
	seq := uint64(0)
	for i, r := range b.records {
		if err := r.Follows(head); err != nil {
			t.Fatalf("record %d: %v", i, err)
		}
		if r.TS <= head.TS {
			t.Fatalf("ts %d after %d", r.TS, head.TS)
		}
		head = r.After()
		b.checkMessage(t, r)
		if i >= b.way-1 && i%(len(b.records)/10+1) == 0 || i == len(b.records)-1 {
			s, err := core.Restore("s", core.Loaded{State: snapshot, StateSeq: seq, Tail: b.records[seq : i+1]}, b.fresh)
			if err != nil {
				t.Fatalf("restore at %d: %v", i, err)
			}
			snapshot, _ = s.Encode()
			seq = s.Seq
		}
	}
	if string(snapshot) != string(want) {
		t.Fatalf("folded\n%s\nlive\n%s", snapshot, want)
	}
}

// fresh folds the records up to seq, from the first one on.
func (b *bench) fresh(seq uint64) ([]byte, error) {
	if b.folds[seq] != nil {
		return b.folds[seq], nil
	}
	f := core.Folder{State: &core.State{ID: "s"}, Past: b.fresh}
	for _, r := range b.records[:seq] {
		if err := f.Add(r); err != nil {
			return nil, err
		}
	}
	encoded, err := f.State.Encode()
	b.folds[seq] = encoded
	return encoded, err
}

// checkMessage holds a created message against its record.
func (b *bench) checkMessage(t tester, r clew.Record) {
	t.Helper()
	if r.Type != clew.EventMessageCreated {
		return
	}
	m := b.decoded(r).(*clew.MessageCreatedData).Message //nolint:forcetypeassert // by its type
	if m.MessageID != r.MessageID() || m.TS != r.TS {
		t.Fatalf("message %s at %d stands in record %s at %d", m.MessageID, m.TS, r.MessageID(), r.TS)
	}
}

// decoded is decoded, once for each record.
func (b *bench) decoded(r clew.Record) any {
	d, ok := b.data[r.Seq]
	if !ok {
		d = decoded(r)
		b.data[r.Seq] = d
	}
	return d
}

func decoded(r clew.Record) any {
	ev, err := clew.DecodeEvent(r.Type, r.Data())
	if err != nil {
		panic(err)
	}
	return ev.Data
}

// last gives the data of the newest records of a type, oldest first.
func last[T any](b *bench, n int) []*T {
	var list []*T
	for _, r := range slices.Backward(b.records) {
		if d, ok := b.decoded(r).(*T); ok {
			if list = append(list, d); len(list) == n {
				break
			}
		}
	}
	slices.Reverse(list)
	return list
}
