package journal_test

import (
	"slices"
	"testing"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/session"
	"github.com/clew-run/clew/internal/session/core"
)

// The list is in order of last activity, not of creation. Whoever turns its pages
// while sessions are at work sees none twice.
func TestIndexByActivity(t *testing.T) {
	x := openIndex(t, openLax(t, t.TempDir()))
	const n = 130
	var batch []core.Summary
	for i := range n {
		batch = append(batch, summary(i))
	}
	put(t, x, "ann", batch...)
	touch := func(i int, ms int64) {
		s := summary(i)
		s.UpdatedMS, s.LastSeq = ms, 9
		put(t, x, "ann", s)
	}
	touch(3, 1e9)
	touch(70, 2e9)
	all := ids(listAll(t, x, "ann", "", 7))
	if len(all) != n || !slices.Equal(all[:3], []clew.SessionID{"sess_0070", "sess_0003", "sess_0129"}) || all[n-1] != "sess_0000" {
		t.Fatalf("%d sessions, first %v", len(all), all[:min(3, len(all))])
	}

	seen := map[clew.SessionID]bool{}
	for cursor, ms := "", int64(3e9); ; ms++ {
		list, next, err := x.List(t.Context(), session.ListQuery{Owner: "ann", Cursor: cursor, Limit: 10})
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range list {
			if seen[s.ID] {
				t.Fatalf("%s is listed twice", s.ID)
			}
			seen[s.ID] = true
		}
		if cursor = next; cursor == "" {
			break
		}
		touch(int(ms%n), ms) // it goes to the front, seen or not
	}
	if len(seen) < n-n/10 {
		t.Errorf("only %d of %d were listed", len(seen), n)
	}
	for _, bad := range []string{"r", "r1", "r1.2", "rx.1.s", "r-1.1.s"} {
		if _, _, err := x.List(t.Context(), session.ListQuery{Owner: "ann", Cursor: bad, Limit: 10}); clew.CodeOf(err) != clew.InvalidMessage {
			t.Errorf("cursor %q: %v", bad, err)
		}
	}
}
