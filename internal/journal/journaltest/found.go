package journaltest

import (
	"errors"
	"fmt"
	"iter"
	"slices"
	"testing"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/session"
	"github.com/clew-run/clew/internal/session/core"
)

// farthest is how many records may lie between a kept fold and what is asked for.
const farthest = 2000

func stateAt(seq uint64) string {
	return fmt.Sprintf(`{"fold":%d,"seq":%d}`, core.FoldVersion, seq)
}

// Grow makes a session of n records, sealed every few of them.
func Grow(t *testing.T, j session.Journal, id clew.SessionID, n, sealEvery int) []clew.Record {
	t.Helper()
	log, loaded, lease := open(t, j, id)
	all, _ := Records(loaded.Head, id, lease.Term, n)
	for step := range slices.Chunk(all, sealEvery) {
		mustAppend(t, log, step)
		if len(step) == sealEvery {
			head := step[len(step)-1].After()
			mustSeal(t, j, log, head, stateAt(head.Seq), step)
		}
	}
	return all
}

// WantPast checks what Past gives for a place in a session whose folds are made
// by Grow.
func WantPast(t *testing.T, j session.Journal, id clew.SessionID, seq uint64) {
	t.Helper()
	state, at, err := j.Past(t.Context(), id, seq)
	switch {
	case err != nil:
		t.Fatalf("past of %d: %v", seq, err)
	case at > seq:
		t.Fatalf("the fold before %d is of %d", seq, at)
	case at+farthest < seq:
		t.Fatalf("the fold before %d is as far away as %d", seq, at)
	case state == nil && at != 0, state != nil && string(state) != stateAt(at):
		t.Fatalf("the fold at %d is %s", at, state)
	}
}

func mustFound(t *testing.T, j session.Journal, id clew.SessionID, f session.InitialHistory) {
	t.Helper()
	if err := j.Found(t.Context(), id, f); err != nil {
		t.Fatalf("found: %v", err)
	}
}

// Fork founds a session on the parent's records up to r.
func Fork(t *testing.T, j session.Journal, parent clew.SessionID, r clew.Record) clew.SessionID {
	t.Helper()
	id := clew.NewSessionID()
	mustFound(t, j, id, session.InitialHistory{Parent: parent, Head: r.After(), State: []byte(stateAt(r.Seq))})
	return id
}

// GoOn appends n records to a session and gives all it then has, of which
// before are the first.
func GoOn(t *testing.T, j session.Journal, id clew.SessionID, before []clew.Record, n int) []clew.Record {
	t.Helper()
	log, loaded, lease := open(t, j, id)
	if want := before[len(before)-1].After(); loaded.Head != want {
		t.Fatalf("the head is %+v, want %+v", loaded.Head, want)
	}
	records, _ := Records(loaded.Head, id, lease.Term, n)
	mustAppend(t, log, records)
	all := slices.Concat(before, records)
	same(t, collect(t, j, id, 1, 1<<40), all)
	chained(t, all)
	return all
}

func chained(t *testing.T, records []clew.Record) {
	t.Helper()
	var head clew.Head
	for _, r := range records {
		if err := r.Follows(head); err != nil {
			t.Fatal(err)
		}
		head = r.After()
	}
}

func pastOfShort(t *testing.T, node func(*testing.T, string) session.Journal) {
	j, id := node(t, "a"), clew.NewSessionID()
	Grow(t, j, id, 50, 20)
	for _, id := range []clew.SessionID{id, clew.NewSessionID()} {
		if state, at, err := j.Past(t.Context(), id, 45); state != nil || at != 0 || err != nil {
			t.Errorf("past of a short session: %s at %d, %v", state, at, err)
		}
	}
}

// Folds of other versions are passed over, and one that is kept anew replaces
// them.
func pastOfVersions(t *testing.T, node func(*testing.T, string) session.Journal) {
	j, id := node(t, "a"), clew.NewSessionID()
	log, loaded, lease := open(t, j, id)
	all, _ := Records(loaded.Head, id, lease.Term, 40)
	mustAppend(t, log, all)
	keep := func(seq uint64, state string) {
		t.Helper()
		if err := log.Keep(t.Context(), all[seq-1].After(), []byte(state)); err != nil {
			t.Fatal(err)
		}
		if err := j.Flush(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	want := func(seq uint64) {
		t.Helper()
		if state, at, err := j.Past(t.Context(), id, 39); err != nil || at != seq || seq > 0 && string(state) != stateAt(seq) {
			t.Fatalf("past is %s at %d, %v; want the one at %d", state, at, err, seq)
		}
	}
	keep(10, `{"seq":10}`)
	want(0)
	keep(20, stateAt(20))
	keep(30, fmt.Sprintf(`{"fold":%d,"seq":30}`, core.FoldVersion+1))
	want(20)
	keep(30, stateAt(30))
	want(30)
}

func pastOfLong(t *testing.T, node func(*testing.T, string) session.Journal) {
	j, id := node(t, "a"), clew.NewSessionID()
	Grow(t, j, id, 6500, 700)
	for seq := uint64(0); seq <= 6600; seq += 33 {
		WantPast(t, j, id, seq)
	}
	if _, at, err := j.Past(t.Context(), id, 6500); at < 4500 || err != nil {
		t.Errorf("past of the end is at %d, %v", at, err)
	}
}

func fork(t *testing.T, node func(*testing.T, string) session.Journal) {
	j, parent := node(t, "a"), clew.NewSessionID()
	records := Grow(t, j, parent, 50, 30) // 20 of them are not sealed
	for _, at := range []int{1, 29, 30, 31, 40, 50} {
		id := Fork(t, j, parent, records[at-1])
		_, loaded, _ := open(t, j, id)
		if loaded.Head != records[at-1].After() || string(loaded.State) != stateAt(uint64(at)) ||
			loaded.StateSeq != uint64(at) || len(loaded.Tail) != 0 {
			t.Fatalf("fork at %d is loaded as %+v", at, loaded)
		}
		same(t, collect(t, j, id, 1, 1<<40), records[:at])
		all := GoOn(t, j, id, records[:at], 7)
		same(t, collect(t, j, id, uint64(at), uint64(at)+1), all[at-1:at+1])
		_, loaded, _ = open(t, j, id)
		same(t, loaded.Tail, all[at:])
	}
	// The parent knows nothing of it and goes on.
	records = GoOn(t, j, parent, records, 10)
	id := Fork(t, j, parent, records[54])
	same(t, collect(t, j, id, 1, 1<<40), records[:55])
}

func forkOfFork(t *testing.T, node func(*testing.T, string) session.Journal) {
	j, first := node(t, "a"), clew.NewSessionID()
	one := Grow(t, j, first, 40, 15)
	second := Fork(t, j, first, one[29])
	two := GoOn(t, j, second, one[:30], 20)
	third := Fork(t, j, second, two[41])
	three := GoOn(t, j, third, two[:42], 9)
	early := Fork(t, j, third, three[11]) // a record of the first session's
	GoOn(t, j, early, three[:12], 3)
	seam := Fork(t, j, third, three[29])
	GoOn(t, j, seam, three[:30], 3)
	for from := uint64(1); from <= 52; from += 7 {
		for to := from; to <= 53; to += 6 {
			same(t, collect(t, j, third, from, to), three[from-1:min(to, 51)])
		}
	}
	same(t, collect(t, j, first, 1, 1<<40), one)
	same(t, collect(t, j, second, 1, 1<<40), two)
}

func forkIsSealedOn(t *testing.T, node func(*testing.T, string) session.Journal) {
	j, parent := node(t, "a"), clew.NewSessionID()
	records := Grow(t, j, parent, 20, 8)
	id := Fork(t, j, parent, records[11])
	log, loaded, lease := open(t, j, id)
	more, _ := Records(loaded.Head, id, lease.Term, 5000)
	all := slices.Concat(records[:12], more)
	for step := range slices.Chunk(more, 450) {
		mustAppend(t, log, step)
		head := step[len(step)-1].After()
		mustSeal(t, j, log, head, stateAt(head.Seq), nil)
	}
	same(t, collect(t, j, id, 1, 1<<40), all)
	same(t, collect(t, j, id, 10, 15), all[9:15])
	_, loaded, _ = open(t, j, id)
	if loaded.Head.Seq != 5012 || len(loaded.Tail) != 0 {
		t.Errorf("head %d with a tail of %d", loaded.Head.Seq, len(loaded.Tail))
	}
	for seq := uint64(1); seq < 5012; seq += 50 {
		WantPast(t, j, id, seq)
	}
}

func pastOfFork(t *testing.T, node func(*testing.T, string) session.Journal) {
	j, parent := node(t, "a"), clew.NewSessionID()
	records := Grow(t, j, parent, 4100, 999)
	id := Fork(t, j, parent, records[3899])
	GoOn(t, j, id, records[:3900], 1000)
	again := Fork(t, j, id, records[3000])
	for _, id := range []clew.SessionID{id, again} {
		for seq := uint64(1); seq < 4900; seq += 97 {
			WantPast(t, j, id, seq)
		}
	}
	if _, at, err := j.Past(t.Context(), id, 4500); at != 3900 || err != nil {
		t.Errorf("the fold after the seam is at %d, %v", at, err)
	}
	if _, at, err := j.Past(t.Context(), id, 3899); at > 3899 || at < 1900 || err != nil {
		t.Errorf("the fold before the seam is at %d, %v", at, err)
	}
}

func foundRefuses(t *testing.T, node func(*testing.T, string) session.Journal) {
	j, parent := node(t, "a"), clew.NewSessionID()
	records := Grow(t, j, parent, 10, 6)
	other := Grow(t, j, clew.NewSessionID(), 10, 6)
	sound := session.InitialHistory{Parent: parent, Head: records[7].After(), State: []byte(`{}`)}
	id := clew.NewSessionID()
	mustFound(t, j, id, sound)
	for _, id := range []clew.SessionID{id, parent} {
		f := sound
		if id == parent {
			f.Parent, f.Records = "", Yield(records[:8])
		}
		if err := j.Found(t.Context(), id, f); !errors.Is(err, session.ErrTaken) {
			t.Errorf("found twice: %v", err)
		}
	}
	for name, f := range map[string]session.InitialHistory{
		"no parent":        {Parent: clew.NewSessionID(), Head: records[7].After()},
		"another record":   {Parent: parent, Head: other[7].After()},
		"beyond the end":   {Parent: parent, Head: clew.Head{Seq: 11}},
		"nothing":          {Parent: parent},
		"neither":          {Head: records[7].After()},
		"both":             {Parent: parent, Head: records[7].After(), Records: Yield(records[:8])},
		"its own ancestor": {Parent: "self", Head: records[7].After()},
	} {
		id := clew.NewSessionID()
		if f.Parent == "self" {
			f.Parent = id
		}
		if err := j.Found(t.Context(), id, f); err == nil {
			t.Errorf("%s: founded", name)
		}
		wantNothing(t, j, id)
	}
	same(t, collect(t, j, parent, 1, 1<<40), records)
}

func wantNothing(t *testing.T, j session.Journal, id clew.SessionID) {
	t.Helper()
	if _, loaded, _ := open(t, j, id); loaded.Head.Seq != 0 || loaded.State != nil {
		t.Errorf("there is a session with head %d", loaded.Head.Seq)
	}
}

// Yield gives the records one by one.
func Yield(records []clew.Record) iter.Seq2[clew.Record, error] {
	return func(yield func(clew.Record, error) bool) {
		for _, r := range records {
			if !yield(r, nil) {
				return
			}
		}
	}
}

// Folds gives a kept fold for every so many records up to n.
func Folds(every, n uint64) iter.Seq2[uint64, []byte] {
	return func(yield func(uint64, []byte) bool) {
		for seq := every; seq <= n; seq += every {
			if !yield(seq, []byte(stateAt(seq))) {
				return
			}
		}
	}
}

func importRecords(t *testing.T, node func(*testing.T, string) session.Journal) {
	j, id := node(t, "a"), clew.NewSessionID()
	records, head := Records(clew.Head{}, id, 3, 5000)
	mustFound(t, j, id, session.InitialHistory{
		Head: head, State: []byte(stateAt(5000)), Records: Yield(records), Kept: Folds(1100, 5000),
	})
	_, loaded, _ := open(t, j, id)
	if loaded.Head != head || string(loaded.State) != stateAt(5000) || len(loaded.Tail) != 0 {
		t.Fatalf("loaded with head %d, state %s and a tail of %d", loaded.Head.Seq, loaded.State, len(loaded.Tail))
	}
	for seq := uint64(1); seq <= 5000; seq += 61 {
		WantPast(t, j, id, seq)
	}
	if _, at, err := j.Past(t.Context(), id, 3500); at != 3300 || err != nil {
		t.Errorf("the fold before 3500 is at %d, %v", at, err)
	}
	all := GoOn(t, j, id, records, 20)
	if err := j.Found(t.Context(), id, session.InitialHistory{Head: head, Records: Yield(records)}); !errors.Is(err, session.ErrTaken) {
		t.Errorf("imported twice: %v", err)
	}
	GoOn(t, j, Fork(t, j, id, records[4200]), all[:4201], 5)
}

func brokenImport(t *testing.T, node func(*testing.T, string) session.Journal) {
	j, id := node(t, "a"), clew.NewSessionID()
	records, head := Records(clew.Head{}, id, 3, 3000)
	gap := slices.Delete(slices.Clone(records), 2500, 2501)
	lost := errors.New("the file ends")
	for name, list := range map[string]iter.Seq2[clew.Record, error]{
		"gap":   Yield(gap),
		"short": Yield(records[:2900]),
		"late":  Yield(records[1:]),
		"empty": Yield(nil),
		"cut": func(yield func(clew.Record, error) bool) {
			for i := range 2800 {
				if !yield(records[i], nil) {
					return
				}
			}
			yield(clew.Record{}, lost)
		},
	} {
		err := j.Found(t.Context(), id, session.InitialHistory{
			Head: head, State: []byte(stateAt(3000)), Records: list, Kept: Folds(1000, 3000),
		})
		if err == nil || name == "cut" && !errors.Is(err, lost) {
			t.Errorf("%s: %v", name, err)
		}
		if err := j.Flush(t.Context()); err != nil {
			t.Fatal(err)
		}
		wantNothing(t, j, id)
	}
	// The name is as good as new.
	mustFound(t, j, id, session.InitialHistory{Head: head, State: []byte(stateAt(3000)), Records: Yield(records)})
	GoOn(t, j, id, records, 3)
}
