package journal_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/journal"
	"github.com/clew-run/clew/internal/session"
	"github.com/clew-run/clew/internal/session/core"
)

// openLax opens a journal that does not flush each write: these tests are not
// about the disk.
func openLax(t testing.TB, dir string) *journal.Journal {
	t.Helper()
	j, err := journal.Open(t.Context(), journal.Config{Dir: dir, SyncInterval: time.Minute}, quiet())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { j.Close(context.Background()) })
	return j
}

func openIndex(t *testing.T, j *journal.Journal) *journal.Index {
	t.Helper()
	x, err := j.OpenIndex(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return x
}

func summary(i int) core.Summary {
	return core.Summary{
		ID: clew.SessionID(fmt.Sprintf("sess_%04d", i)), Title: fmt.Sprintf("Work number %d", i),
		CreatedMS: int64(i) * 60_000, UpdatedMS: int64(i) * 60_000, LastSeq: 1,
	}
}

func put(t *testing.T, x *journal.Index, owner clew.UserID, list ...core.Summary) {
	t.Helper()
	if err := x.Put(t.Context(), owner, list...); err != nil {
		t.Fatal(err)
	}
}

// listAll walks the whole list in steps of limit.
func listAll(t *testing.T, x *journal.Index, owner clew.UserID, q string, limit int) []core.Summary {
	t.Helper()
	var all []core.Summary
	for cursor := ""; ; {
		list, next, err := x.List(t.Context(), session.ListQuery{Owner: owner, Q: q, Cursor: cursor, Limit: limit})
		if err != nil {
			t.Fatal(err)
		}
		if len(list) > limit || len(list) == 0 && next != "" {
			t.Fatalf("a page of %d with limit %d, next %q", len(list), limit, next)
		}
		all = append(all, list...)
		if cursor = next; cursor == "" {
			return all
		}
	}
}

func ids(list []core.Summary) []clew.SessionID {
	var out []clew.SessionID
	for _, s := range list {
		out = append(out, s.ID)
	}
	return out
}

// Covers: STO-27
func TestIndex(t *testing.T) {
	j := openLax(t, t.TempDir())
	x := openIndex(t, j)
	const n = 150 // more than two pages
	var want []clew.SessionID
	for i := range n {
		if i%10 == 0 { // some together, as a busy host writes them
			put(t, x, "ann", summary(i), summary(i+1), summary(i+2))
		} else if i%10 > 2 {
			put(t, x, "ann", summary(i))
		}
		want = append(want, summary(i).ID)
	}
	put(t, x, "bob", summary(7))
	slices.Reverse(want)

	t.Run("Paging", func(t *testing.T) {
		for _, limit := range []int{1, 7, 64, 65, n - 1, n, n + 1} {
			if got := ids(listAll(t, x, "ann", "", limit)); !slices.Equal(got, want) {
				t.Errorf("limit %d gives %d sessions", limit, len(got))
			}
		}
		if got := listAll(t, x, "bob", "", 10); len(got) != 1 {
			t.Errorf("bob has %d sessions", len(got))
		}
		if got := listAll(t, x, "nobody", "", 10); len(got) != 0 {
			t.Errorf("nobody has %d sessions", len(got))
		}
	})
	t.Run("Filter", func(t *testing.T) {
		for q, count := range map[string]int{"WORK NUMBER 14": 11, "sess_0007": 1, "absent": 0, "number": n} {
			if got := listAll(t, x, "ann", q, 4); len(got) != count {
				t.Errorf("%q finds %d, want %d", q, len(got), count)
			}
		}
	})
	t.Run("Update", func(t *testing.T) {
		for _, i := range []int{0, 63, 64, 100, n - 1} { // on each page
			s := summary(i)
			s.Title, s.LastSeq = "renamed", 9
			put(t, x, "ann", s)
			s.Title, s.LastSeq = "late", 5 // an older update that comes later
			put(t, x, "ann", s)
		}
		got := listAll(t, x, "ann", "", 50)
		if !slices.Equal(ids(got), want) {
			t.Errorf("after updates there are %d sessions", len(got))
		}
		if got := listAll(t, x, "ann", "renamed", 50); len(got) != 5 {
			t.Errorf("%d of 5 updates stand", len(got))
		}
	})
	t.Run("Cursor", func(t *testing.T) {
		for _, cursor := range []string{"x", "1", "1.", ".1", "-1.2", "1.-2", "1.2.3", "9e9.1", "99999999999999999999.1"} {
			if _, _, err := x.List(t.Context(), session.ListQuery{Owner: "ann", Cursor: cursor, Limit: 10}); clew.CodeOf(err) != clew.InvalidMessage {
				t.Errorf("cursor %q: %v", cursor, err)
			}
		}
		began := time.Now()
		listAll(t, x, "ann", "", 1)
		honest := time.Since(began)
		began = time.Now()
		for _, cursor := range []string{"1.999999", "987654321.3", "2.0", "0.0"} {
			list, _, err := x.List(t.Context(), session.ListQuery{Owner: "ann", Cursor: cursor, Limit: 10})
			if err != nil || len(list) == 0 {
				t.Errorf("cursor %q: %d sessions, %v", cursor, len(list), err)
			}
		}
		if took := time.Since(began); took > honest { // four pages, and a hundred and fifty
			t.Errorf("made-up cursors took %v, the whole list %v", took, honest)
		}
	})
	t.Run("Reopened", func(t *testing.T) {
		if got := ids(listAll(t, openIndex(t, j), "ann", "", 40)); !slices.Equal(got, want) {
			t.Errorf("a new index sees %d sessions", len(got))
		}
	})
}

// Two nodes add to one owner's list at the same time.
func TestIndexRace(t *testing.T) {
	j := openLax(t, t.TempDir())
	const each = 100
	var wg sync.WaitGroup
	for node := range 2 {
		x := openIndex(t, j)
		wg.Go(func() {
			for i := range each {
				if err := x.Put(context.Background(), "ann", summary(node*each+i)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	got := ids(listAll(t, openIndex(t, j), "ann", "", 33))
	slices.Sort(got)
	if len(got) != 2*each || len(slices.Compact(got)) != 2*each {
		t.Errorf("%d sessions, %d of them different, want %d", len(got), len(slices.Compact(got)), 2*each)
	}
}

// Everyone's sessions come owner by owner, each once, in pages of any size, and
// filters hold for them, too.
func TestIndexOfEveryone(t *testing.T) {
	x := openIndex(t, openLax(t, t.TempDir()))
	want := 0
	for owner, n := range map[clew.UserID]int{"ann": 70, "bob": 3, "cy": 64, "dee": 1} {
		for i := range n {
			s := summary(i)
			s.ID, s.Owner = clew.SessionID(fmt.Sprint(owner, "_", i)), owner
			if i == 0 {
				s.Status = "executing"
			}
			put(t, x, owner, s)
		}
		want += n
	}
	for _, limit := range []int{1, 7, 64, 200} {
		seen := map[clew.SessionID]bool{}
		for cursor := ""; ; {
			list, next, err := x.List(t.Context(), session.ListQuery{Everyone: true, Cursor: cursor, Limit: limit})
			if err != nil || len(list) > limit {
				t.Fatalf("%d sessions, %v", len(list), err)
			}
			for _, s := range list {
				if seen[s.ID] || !strings.HasPrefix(string(s.ID), string(s.Owner)+"_") {
					t.Fatalf("limit %d: %+v", limit, s)
				}
				seen[s.ID] = true
			}
			if cursor = next; next == "" {
				break
			}
		}
		if len(seen) != want {
			t.Errorf("limit %d: %d sessions of %d", limit, len(seen), want)
		}
	}
	list, next, err := x.List(t.Context(), session.ListQuery{Everyone: true, Status: []string{"failed", "executing"}, Limit: 10})
	if err != nil || len(list) != 4 || next != "" {
		t.Errorf("%d are at work, next %q, %v", len(list), next, err)
	}
	if list, _, err = x.List(t.Context(), session.ListQuery{Owner: "bob", Q: "BOB_2", Limit: 10}); err != nil || len(list) != 1 {
		t.Errorf("%d have the name, %v", len(list), err)
	}
	if _, _, err := x.List(t.Context(), session.ListQuery{Everyone: true, Cursor: "x", Limit: 10}); clew.CodeOf(err) != clew.InvalidMessage {
		t.Errorf("a made-up cursor: %v", err)
	}
}
