// Package travel_test takes sessions back and forth together with their files,
// with a real journal and real checkpoints, and without a model.
package travel_test

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"log/slog"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/clew-run/clew/internal/session/rewind"

	"go.uber.org/goleak"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/checkpoint/checkpointtest"
	"github.com/clew-run/clew/internal/checkpoint/retention"
	"github.com/clew-run/clew/internal/e2e/proc"
	"github.com/clew-run/clew/internal/journal"
	"github.com/clew-run/clew/internal/session"
	"github.com/clew-run/clew/internal/session/core"
	"github.com/clew-run/clew/internal/session/feed"
	"github.com/clew-run/clew/internal/session/view"
	"github.com/clew-run/clew/internal/settings"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var ann = clew.Principal{User: "ann", Role: clew.RoleOwner}

// world is what all walks share.
type world struct {
	dir     string
	journal *journal.Journal
	files   *retention.Keeper
	host    *session.Host

	mu    sync.Mutex
	walks map[clew.SessionID]*walk
	tally map[string]int
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{dir: memoryDir(t), walks: map[clew.SessionID]*walk{}, tally: map[string]int{}}
	neighbour(t, w.dir)
	quiet := slog.New(slog.DiscardHandler)
	var err error
	w.journal, err = journal.Open(t.Context(), journal.Config{Dir: filepath.Join(w.dir, "data")}, quiet)
	proc.Must(t, err)
	w.files, err = retention.Open(filepath.Join(w.dir, "checkpoints"), retention.Options{
		Settings: func(map[string]any) settings.Values {
			v := settings.Defaults()
			v.CheckpointExclude = []string{checkpointtest.Skip}
			return v
		},
		Records: func(ctx context.Context, id clew.SessionID) iter.Seq2[clew.Record, error] {
			return w.journal.Read(ctx, id, 1, math.MaxUint64)
		},
	})
	proc.Must(t, err)
	index, err := w.journal.OpenIndex(t.Context())
	proc.Must(t, err)
	w.host = session.NewHost(session.Config{Journal: w.journal, Index: index, Agent: w, Files: w.files, Log: quiet})
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		w.host.Close(ctx)
		w.journal.Close(ctx)
		proc.Must(t, w.files.Close())
	})
	return w
}

func (w *world) walk(id clew.SessionID) *walk {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.walks[id]
}

func (w *world) add(x *walk) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.walks[x.id] = x
}

// A walk is a session, its workspace, and what a test knows of the two. The
// agent and the test take turns: the test waits for it to be at rest.
type walk struct {
	t    testing.TB
	w    *world
	id   clew.SessionID
	dir  string
	pick func(n int) int

	trees map[string]checkpointtest.Tree // what each checkpoint holds
	now   string                         // the checkpoint that the session stands at
	first string
	// own is the checkpoint that was made for what a person said, prior the one
	// that a session stood at before a message.
	own, prior map[clew.MessageID]string
	undo, redo []past
	folds      map[uint64][]byte
}

// past is how things were before a return.
type past struct {
	files checkpointtest.Tree // nil if they were left
	now   string
	parts string
}

func (w *world) newWalk(t testing.TB, n int) *walk {
	t.Helper()
	r := rand.New(rand.NewPCG(uint64(n), 11)) //nolint:gosec // the same numbers each time
	x := &walk{
		t: t, w: w, dir: filepath.Join(w.dir, fmt.Sprint("work", n)), pick: r.IntN, folds: map[uint64][]byte{},
		trees: map[string]checkpointtest.Tree{}, own: map[clew.MessageID]string{}, prior: map[clew.MessageID]string{},
	}
	proc.Must(t, os.Mkdir(x.dir, 0o755))
	furnish(t, x.dir, r)
	var err error
	x.id, err = w.host.Create(t.Context(), ann, session.NewSession{Workspace: x.dir})
	proc.Must(t, err)
	w.add(x)
	return x
}

func (x *walk) place() rewind.Workspace {
	return rewind.Workspace{Session: x.id, Dir: x.dir}
}

func (x *walk) change(n int) {
	for range n {
		checkpointtest.Change(x.dir, x.pick)
	}
}

// othersChange is an editor or another program at work in the workspace.
func (x *walk) othersChange() {
	if x.pick(3) == 0 {
		x.change(1 + x.pick(3))
	}
}

// saved notes what a checkpoint holds. The same one always holds the same.
func (x *walk) saved(hash string) {
	tree := readTree(x.t, x.dir, checkpointtest.LeftAlone)
	if was, ok := x.trees[hash]; ok {
		if d := was.Differ(tree); d != "" {
			x.t.Errorf("two trees with one hash:\n%s", d)
		}
	}
	x.trees[hash] = tree
}

func (x *walk) do(data any) session.Receipt {
	x.t.Helper()
	r, err := x.w.host.Do(x.t.Context(), x.id, clew.Command{By: ann, Data: data})
	if err != nil {
		x.t.Fatalf("%T: %v", data, err)
	}
	return r
}

// rest waits until nobody is at work.
func (x *walk) rest() clew.SessionState {
	x.t.Helper()
	watch, err := x.w.host.Watch(x.t.Context(), x.id)
	proc.Must(x.t, err)
	defer watch.Close()
	for {
		pos, _ := watch.Feed().End()
		st, err := watch.State(x.t.Context())
		proc.Must(x.t, err)
		if st.Returning == nil && (st.Status == clew.StatusIdle || st.Status == clew.StatusAwaitingInput) {
			return st
		}
		n, _, wait, err := watch.Feed().Next(pos, make([]*feed.Item, 1))
		proc.Must(x.t, err)
		if n == 0 {
			<-wait
		}
	}
}

// learn notes which checkpoint the session stood at before what people said.
func (x *walk) learn(st clew.SessionState, stood string) {
	for _, m := range st.Messages {
		if _, ok := x.prior[m.MessageID]; !ok {
			x.prior[m.MessageID] = stood
		}
	}
}

// say says something, which answers a question if one is open.
func (x *walk) say() {
	x.othersChange()
	stood := x.now
	x.do(&clew.UserMessageData{Text: fmt.Sprint("do it ", x.pick(1000))})
	x.learn(x.rest(), stood)
	x.redo = nil
}

// fresh folds the journal from its first record.
func (x *walk) fresh(seq uint64) ([]byte, error) {
	if b := x.folds[seq]; b != nil {
		return b, nil
	}
	f := core.Folder{State: &core.State{ID: x.id}, Past: x.fresh}
	for r, err := range x.w.journal.Read(x.t.Context(), x.id, 1, seq) {
		if err == nil {
			err = f.Add(r)
		}
		if err != nil {
			return nil, err
		}
	}
	b, err := f.State.Encode()
	x.folds[seq] = b
	return b, err
}

// parts is what a return takes back of a session, by a fold from its first
// record.
func (x *walk) parts(seq uint64) string {
	x.t.Helper()
	s := x.state(seq)
	out, err := json.Marshal([]any{s.Messages, s.Total, s.Tasks, s.Monitors, s.Started, s.Questions, s.AskedTimes, s.Usage})
	proc.Must(x.t, err)
	return string(out)
}

func (x *walk) state(seq uint64) core.State {
	x.t.Helper()
	b, err := x.fresh(seq)
	proc.Must(x.t, err)
	var s core.State
	proc.Must(x.t, json.Unmarshal(b, &s))
	return s
}

func (x *walk) asks(seq uint64) bool { return len(x.state(seq).Questions) > 0 }

// seq is the session's last record, once nobody is at work.
func (x *walk) seq() uint64 {
	x.t.Helper()
	seq, err := x.rest().LastMessageID.Seq()
	proc.Must(x.t, err)
	return seq
}

// check holds what the host has of the session against a fold from the first
// record, and gives the last one.
func (x *walk) check() uint64 {
	x.t.Helper()
	seq := x.seq()
	from, err := x.fresh(seq)
	proc.Must(x.t, err)
	s, err := view.StateAt(x.t.Context(), x.w.journal, x.id, seq)
	proc.Must(x.t, err)
	quick, err := s.Encode()
	proc.Must(x.t, err)
	if string(quick) != string(from) {
		x.t.Fatalf("from a kept fold\n%s\nfrom the first record\n%s", quick, from)
	}
	live, _ := json.Marshal(x.rest().Messages)
	if folded, _ := json.Marshal(s.Messages.Tail()); len(s.Messages.Tail()) > 0 && string(live) != string(folded) {
		x.t.Fatalf("live\n%s\nfolded\n%s", live, folded)
	}
	return seq
}

// clone is what is known of a fork: what was known of its parent before cut. From
// there on the same ids are those of other messages.
func (x *walk) clone(id clew.SessionID, dir string, cut uint64) *walk {
	c := &walk{
		t: x.t, w: x.w, id: id, dir: dir, pick: x.pick, folds: map[uint64][]byte{}, first: x.first, now: x.prior[clew.MessageIDOf(cut)],
		trees: maps.Clone(x.trees), own: maps.Clone(x.own), prior: maps.Clone(x.prior),
	}
	for _, known := range []map[clew.MessageID]string{c.own, c.prior} {
		maps.DeleteFunc(known, func(id clew.MessageID, _ string) bool {
			seq, err := id.Seq()
			return err != nil || seq >= cut
		})
	}
	return c
}
