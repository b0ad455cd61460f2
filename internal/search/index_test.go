package search

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/journal/journaltest"
	"github.com/clew-run/clew/internal/session"
	"github.com/clew-run/clew/internal/session/core"
	"github.com/clew-run/clew/internal/session/decide"
	"github.com/clew-run/clew/internal/session/sessiontest"
)

var ann = clew.Principal{User: "ann", Role: clew.RoleOwner}

type agentFunc func(ctx context.Context, turn core.Turn, prompt clew.Message, desk *session.TurnContext) error

func (f agentFunc) Work(ctx context.Context, turn core.Turn, prompt clew.Message, desk *session.TurnContext) error {
	return f(ctx, turn, prompt, desk)
}

// worker answers, and if it is told "run X" it runs that.
var worker = agentFunc(func(_ context.Context, _ core.Turn, prompt clew.Message, desk *session.TurnContext) error {
	_, err := sessiontest.Record(desk, func(tx *decide.Tx, _ *core.State, t *core.Task) {
		about := clew.Message{Role: clew.SpeakerAssistant, TaskID: t.TaskID, AgentID: t.AgentID, MonitorID: clew.MainMonitor}
		if command, ok := strings.CutPrefix(prompt.Text, "run "); ok {
			call := about
			call.Type, call.Ask, call.ToolCallID = clew.TypeAsk, clew.AskCommand, "c1"
			id := tx.Say(call)
			begin := clew.ToolProgressData{ToolCallID: "c1", Tool: "execute_command", Status: clew.ToolRunning, TaskID: t.TaskID, AgentID: t.AgentID, MessageID: id}
			end, zero := begin, 0
			begin.Effect = &clew.Effect{Command: command, Paths: []string{"checkout/orders.py"}}
			end.Status, end.Output, end.ExitCode = clew.ToolComplete, "no such column: orders.request_key", &zero
			tx.Add(&begin)
			tx.Add(&end)
		}
		answer := about
		answer.Type, answer.Say, answer.Text = clew.TypeSay, clew.SayText, "answer to "+prompt.Text
		tx.Say(answer)
		tx.Add(&clew.TaskIdleData{TaskRef: t.TaskRef})
	})
	return err
})

// A world is sessions with an index that follows them.
type world struct {
	t     *testing.T
	j     *journaltest.MemoryNode
	h     *session.Host
	x     *Index
	dir   string
	stop  func()
	lines chan core.Summary // changes of lists on other nodes
	n     int
}

func newWorld(t *testing.T) *world {
	w := &world{t: t, j: new(journaltest.Memory).Node("a"), dir: t.TempDir(), lines: make(chan core.Summary)}
	w.h = session.NewHost(session.Config{
		Journal: w.j, Index: w.j, Agent: worker, Log: slog.New(slog.DiscardHandler),
		Appended: func(id clew.SessionID, _ uint64) {
			if x := w.x; x != nil {
				x.Notice(id)
			}
		},
	})
	t.Cleanup(func() { w.h.Close(context.Background()) })
	w.open()
	w.follow()
	t.Cleanup(func() { w.close() })
	return w
}

func (w *world) open() {
	w.t.Helper()
	var err error
	if w.x, err = Open(w.dir, slog.New(slog.DiscardHandler)); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) follow() { w.followFrom(w.j) }

func (w *world) followFrom(j Reader) {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	x := w.x
	go func() {
		defer close(done)
		x.Follow(ctx, Source{Journal: j, List: w.h.List, Watch: func(ctx context.Context, ready func(), fn func(core.Summary)) error {
			ready()
			for {
				select {
				case s := <-w.lines:
					fn(s)
				case <-ctx.Done():
					return ctx.Err()
				}
			}
		}})
	}()
	w.stop = func() { cancel(); <-done }
}

func (w *world) close() { w.stop(); w.x.Close() }

// create makes a session in which texts are said, each after the answer to the one before.
func (w *world) create(id clew.SessionID, title string, texts ...string) {
	w.t.Helper()
	if _, err := w.h.Create(w.t.Context(), ann, session.NewSession{ID: id, Title: title}); err != nil {
		w.t.Fatal(err)
	}
	for _, text := range texts {
		w.do(id, &clew.UserMessageData{Text: text})
	}
}

func (w *world) do(id clew.SessionID, data any) {
	w.t.Helper()
	w.n++
	_, err := w.h.Do(w.t.Context(), id, clew.Command{By: ann, ClientMessageID: clew.ClientMessageID(fmt.Sprint("c", w.n)), Data: data})
	if err != nil {
		w.t.Fatalf("%T: %v", data, err)
	}
	v, err := w.h.Watch(w.t.Context(), id)
	if err != nil {
		w.t.Fatal(err)
	}
	defer v.Close()
	for deadline := time.Now().Add(10 * time.Second); ; {
		st, err := v.State(w.t.Context())
		if err != nil || time.Now().After(deadline) {
			w.t.Fatal("the session is not idle", err)
		}
		if st.Status == clew.StatusIdle && st.Returning == nil {
			return
		}
	}
}

func (w *world) settled() {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.t.Context(), 20*time.Second)
	defer cancel()
	if err := w.x.Settled(ctx); err != nil {
		w.t.Fatal("the index does not settle")
	}
}

// scope is all sessions.
func (w *world) scope() Scope {
	list, _, err := w.h.List(w.t.Context(), session.ListQuery{Everyone: true, All: true, Limit: 1000})
	if err != nil {
		w.t.Fatal(err)
	}
	return Scope{Lines: list, Allows: func(context.Context, core.Summary) (bool, error) { return true, nil }}
}

func (w *world) find(q Query) Result {
	w.t.Helper()
	w.settled()
	if q.Limit == 0 {
		q.Limit = 20
	}
	r, err := w.x.Find(w.t.Context(), q, w.scope())
	if err != nil {
		w.t.Fatal(err)
	}
	return r
}

// linesOf gives what was found, a line for each hit.
func linesOf(r Result) (lines []string) {
	for _, g := range r.Groups {
		for _, h := range g.Hits {
			kind := string(h.Kind)
			if h.Output {
				kind = "output"
			}
			lines = append(lines, fmt.Sprintf("%s %s %s: %s", g.SessionID, kind, h.By, shown(h.Excerpt)))
		}
	}
	return lines
}

func (w *world) finds(q Query, want ...string) Result {
	w.t.Helper()
	r := w.find(q)
	if got := linesOf(r); !slices.Equal(got, want) {
		w.t.Fatalf("%q:\n%s\nwant\n%s", q.Text, strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	return r
}

func TestFind(t *testing.T) {
	w := newWorld(t)
	w.create("s1", "Duplicate orders", "run curl shop.test/paid", "add a request key")
	w.create("s2", "Notes", "주문이 두 번 결제됩니다")
	r := w.finds(Query{Text: "request key", Session: "s1"},
		"s1 output : no such column: orders.[request_key]", "s1 message ann: add a [request key]", "s1 message : answer to add a [request key]")
	if r.Total != 3 || r.Sessions != 1 || r.Counts != (KindCounts{Message: 2, Command: 1}) || r.Indexing {
		t.Errorf("%+v", r)
	}
	if h := r.Groups[0].Hits[1]; h.MessageID == "" || h.AtMS == 0 || h.Seq == 0 || clew.MessageIDOf(h.Seq) != h.MessageID {
		t.Errorf("%+v", h)
	}
	w.finds(Query{Text: "curl", Kind: KindCommand}, "s1 command : [curl] shop.test/paid")
	w.finds(Query{Text: "orders.py"}, "s1 file : checkout/[orders.py]")
	w.finds(Query{Text: "duplicate", Kind: KindTitle}, "s1 title : [Duplicate] orders")
	w.finds(Query{Text: "결제"}, "s2 message ann: 주문이 두 번 [결제]됩니다", "s2 message : answer to 주문이 두 번 [결제]됩니다")
	w.finds(Query{Text: "결제", Who: "ann"}, "s2 message ann: 주문이 두 번 [결제]됩니다")
	w.finds(Query{Text: "결제", SinceMS: time.Now().Add(time.Hour).UnixMilli()})
	w.finds(Query{Text: "request zebra"})
	if r := w.find(Query{Text: "answer", Limit: 1}); len(r.Groups) != 1 || r.Next == "" || r.Sessions != 2 || r.Groups[0].SessionID != "s1" {
		t.Errorf("%+v", r)
	} else if r = w.find(Query{Text: "answer", Limit: 1, Cursor: r.Next}); len(r.Groups) != 1 || r.Next != "" || r.Groups[0].SessionID != "s2" {
		t.Errorf("the second page: %+v", r)
	}
	w.do("s1", &clew.RenameSessionData{Title: "Twice"})
	w.finds(Query{Text: "duplicate"})
	w.finds(Query{Text: "twice"}, "s1 title : [Twice]")
}

// No query is wrong, and none can say more than words.
func TestHostileQueries(t *testing.T) {
	w := newWorld(t)
	w.create("s1", "", "alpha beta")
	for _, q := range []string{
		`"`, `""`, `"alpha`, `alpha" OR "x`, `alpha AND`, `NOT alpha`, `NEAR(alpha beta)`, `text:alpha`, `alpha*`, `^alpha`, `(alpha`, `-alpha`, `'; DROP TABLE texts; --`,
		"\x00", "alpha\x00", "\xff\xfe", "%", "_", "🦊", strings.Repeat("alpha ", 2000), strings.Repeat("a", 10_000), strings.Repeat(`"`, 500), strings.Repeat("주", 10_000), "١٢٣", "ﷺ",
	} {
		if _, err := w.x.Find(t.Context(), Query{Text: q, Limit: 20}, w.scope()); err != nil {
			t.Errorf("%.40q: %v", q, err)
		}
	}
	if _, err := w.x.Find(t.Context(), Query{Text: "alpha", Cursor: "-1"}, w.scope()); clew.CodeOf(err) != clew.InvalidMessage {
		t.Error(err)
	}
	w.finds(Query{Text: "alpha", Who: "ann"}, "s1 message ann: [alpha] beta")
}

// What is not in the scope, or is refused at the last moment, is neither shown nor counted.
func TestScope(t *testing.T) {
	w := newWorld(t)
	for i := range 5 {
		var texts []string
		for range 3 {
			texts = append(texts, "zebra")
		}
		w.create(clew.SessionID(fmt.Sprint("s", i)), "title", texts...)
	}
	w.settled()
	all := w.scope()
	for _, c := range []struct{ lines, refused, want []clew.SessionID }{
		{[]clew.SessionID{"s0", "s1", "s2", "s3", "s4"}, nil, []clew.SessionID{"s0", "s1", "s2", "s3", "s4"}},
		{[]clew.SessionID{"s0", "s4"}, nil, []clew.SessionID{"s0", "s4"}},
		{[]clew.SessionID{"s1", "s3"}, []clew.SessionID{"s3"}, []clew.SessionID{"s1"}},
		{nil, nil, nil},
	} {
		scope := Scope{Allows: func(_ context.Context, s core.Summary) (bool, error) { return !slices.Contains(c.refused, s.ID), nil }}
		for _, s := range all.Lines {
			if slices.Contains(c.lines, s.ID) {
				scope.Lines = append(scope.Lines, s)
			}
		}
		r, err := w.x.Find(t.Context(), Query{Text: "zebra", Limit: 20}, scope)
		if err != nil {
			t.Fatal(err)
		}
		var got []clew.SessionID
		for _, g := range r.Groups {
			got = append(got, g.SessionID)
		}
		slices.Sort(got)
		if !slices.Equal(got, c.want) || r.Sessions != len(c.want) || r.Total != 6*len(c.want) || r.Counts.Message != r.Total {
			t.Errorf("%v without %v: %v, %+v", c.lines, c.refused, got, r)
		}
	}
}

// What was rewound is not found, and is again when that is undone.
func TestRewound(t *testing.T) {
	w := newWorld(t)
	w.create("s1", "", "stays", "run zebra", "also zebra")
	before := w.find(Query{Text: "zebra", Session: "s1"})
	if len(before.Groups) != 1 || before.Total != 5 { // two messages, two answers, the command
		t.Fatalf("%+v", before)
	}
	target := before.Groups[0].Hits[0].MessageID
	w.do("s1", &clew.RewindData{Target: clew.Target{MessageID: target}})
	w.finds(Query{Text: "zebra", Session: "s1"})
	w.finds(Query{Text: "checkout"})
	w.finds(Query{Text: "stays", Who: "ann"}, "s1 message ann: [stays]")
	w.do("s1", &clew.UndoRewindData{})
	if after := w.find(Query{Text: "zebra", Session: "s1"}); !slices.Equal(linesOf(after), linesOf(before)) {
		t.Errorf("after the undo:\n%s\nbefore:\n%s", strings.Join(linesOf(after), "\n"), strings.Join(linesOf(before), "\n"))
	}
	w.finds(Query{Text: "orders.py"}, "s1 file : checkout/[orders.py]")
	// Made anew, the index is the same.
	w.close()
	if err := os.RemoveAll(w.dir); err != nil {
		t.Fatal(err)
	}
	w.open()
	w.follow()
	if after := w.find(Query{Text: "zebra", Session: "s1"}); !slices.Equal(linesOf(after), linesOf(before)) {
		t.Errorf("made anew:\n%s\nbefore:\n%s", strings.Join(linesOf(after), "\n"), strings.Join(linesOf(before), "\n"))
	}
}

// Reader is the journal as the index reads it.
type Reader interface {
	Read(ctx context.Context, id clew.SessionID, from, to uint64) iter.Seq2[clew.Record, error]
	Past(ctx context.Context, id clew.SessionID, seq uint64) ([]byte, uint64, error)
}

// cutJournal is a journal that ends in the middle of a session, as if the program died there.
type cutJournal struct {
	Reader
	after uint64
}

var errDied = errors.New("the program died")

func (c cutJournal) Read(ctx context.Context, id clew.SessionID, from, to uint64) iter.Seq2[clew.Record, error] {
	return func(yield func(clew.Record, error) bool) {
		for r, err := range c.Reader.Read(ctx, id, from, to) {
			if r.Seq > c.after {
				yield(clew.Record{}, errDied)
				return
			}
			if !yield(r, err) {
				return
			}
		}
	}
}

// Wherever the program dies between the journal and the index, the next one goes on
// from there: nothing is lost and nothing is there twice.
func TestGoesOnWhereItDied(t *testing.T) {
	w := newWorld(t)
	var texts []string
	for i := range 30 {
		texts = append(texts, fmt.Sprintf("run number%d", i))
	}
	w.create("s1", "Title", texts...)
	want := linesOf(w.find(Query{Text: "number", Session: "s1", Limit: 500}))
	if len(want) != 90 {
		t.Fatalf("%d matches", len(want))
	}
	last, err := w.x.Indexed(t.Context(), "s1")
	if err != nil {
		t.Fatal(err)
	}
	w.close()
	if err := os.RemoveAll(w.dir); err != nil {
		t.Fatal(err)
	}
	w.open()
	for at := uint64(7); at < last; at += 61 {
		f, err := newFollower(t.Context(), w.x, cutJournal{w.j, at}, "s1")
		if err == nil {
			err = f.advance(t.Context())
		}
		if err != nil && !errors.Is(err, errDied) {
			t.Fatal(err)
		}
		w.x.Close()
		w.open()
	}
	w.follow()
	w.x.Notice("s1") // as a server does at its start, whatever lists say
	if got := linesOf(w.find(Query{Text: "number", Session: "s1", Limit: 500})); !slices.Equal(got, want) {
		t.Errorf("%d matches, want %d", len(got), len(want))
	}
}

// A journal that is not the one that was indexed, as after a restored backup, is
// indexed anew.
func TestOtherJournal(t *testing.T) {
	w := newWorld(t)
	w.create("s1", "", "zebra")
	w.settled()
	if err := w.x.put(t.Context(), batch{session: "s1", rows: []row{{seq: 2, slot: slotMessage, text: "unicorn"}}, head: clew.Head{Seq: 3}}); err != nil {
		t.Fatal(err)
	}
	w.close()
	w.open()
	w.follow()
	w.x.Notice("s1")
	w.finds(Query{Text: "unicorn"})
	w.finds(Query{Text: "zebra", Who: "ann"}, "s1 message ann: [zebra]")
}

// A damaged index is made anew, whatever is damaged and whenever that is noticed.
func TestDamaged(t *testing.T) {
	for name, damage := range map[string]func(b []byte) []byte{
		"no file of ours": func([]byte) []byte { return []byte("hello") },
		"cut":             func(b []byte) []byte { return b[:len(b)/2] },
		"its head":        func(b []byte) []byte { copy(b[16:], bytes.Repeat([]byte{0xff}, 80)); return b },
		"its pages":       func(b []byte) []byte { copy(b[4096:], bytes.Repeat([]byte{0xa5}, len(b)-4096)); return b },
		"another version": nil,
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.create("s1", "", "zebra")
			w.finds(Query{Text: "zebra", Who: "ann"}, "s1 message ann: [zebra]")
			if damage == nil {
				if _, err := w.x.write.ExecContext(t.Context(), "UPDATE meta SET version = 0"); err != nil {
					t.Fatal(err)
				}
			}
			w.close()
			file := filepath.Join(w.dir, File)
			if damage != nil {
				b, err := os.ReadFile(file)
				if err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(file, damage(b), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			w.open()
			w.follow()
			w.find(Query{Text: "zebra"}) // it may notice only now
			w.finds(Query{Text: "zebra", Who: "ann"}, "s1 message ann: [zebra]")
		})
	}
}

// A directory may have any name.
func TestNameOfTheDirectory(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "100%20 of #1?mode=memory&x")
	x, err := Open(dir, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	if _, err := os.Stat(filepath.Join(dir, File)); err != nil {
		t.Error(err)
	}
}

// What is erased is in no file any more when Forget returns, and does not come back.
func TestForget(t *testing.T) {
	w := newWorld(t)
	var texts []string
	for i := range 40 {
		texts = append(texts, fmt.Sprintf("run secret%dmark xylophone 비밀번호", i))
	}
	w.create("s1", "Titlemark", texts...)
	w.create("s2", "", "stays")
	w.settled()
	marks := []string{"secret", "xylophone", "xylo", "비밀", "titlemark", "Titlemark", "밀번"}
	left := func() (list []string) {
		files, err := filepath.Glob(filepath.Join(w.dir, "*"))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range files {
			b, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range marks {
				if bytes.Contains(b, []byte(m)) {
					list = append(list, m+" in "+filepath.Base(name))
				}
			}
		}
		return list
	}
	if len(left()) < 4 {
		t.Fatalf("the marks are not there before: %v", left())
	}
	for range 2 {
		if err := w.x.Forget(t.Context(), "s1"); err != nil {
			t.Fatal(err)
		}
		if l := left(); len(l) > 0 {
			t.Fatalf("left: %v", l)
		}
	}
	w.x.Notice("s1")
	w.x.queue.again()
	w.finds(Query{Text: "xylophone"})
	w.finds(Query{Text: "stays", Who: "ann"}, "s2 message ann: [stays]")
	if l := left(); len(l) > 0 {
		t.Fatalf("came back: %v", l)
	}
}

// A node follows what happens on others by their lists, and forgets what they erased.
func TestFollowsLists(t *testing.T) {
	w := newWorld(t)
	w.settled()
	x := w.x
	w.x = nil // nobody says on this node that there is something new
	w.create("s1", "", "zebra")
	w.x = x
	w.finds(Query{Text: "zebra"})
	w.lines <- w.scope().Lines[0]
	w.lines <- core.Summary{Gone: true} // the line before is heard
	w.finds(Query{Text: "zebra", Who: "ann"}, "s1 message ann: [zebra]")
	w.lines <- core.Summary{ID: "s1", Gone: true, LastSeq: 1<<63 - 1}
	w.lines <- core.Summary{Gone: true}
	w.finds(Query{Text: "zebra"})
}
