package journal

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/archive"
	"github.com/clew-run/clew/internal/session"
	"github.com/clew-run/clew/internal/session/core"
)

// reseal puts another state in place of the sealed one, as another program would.
func (g *ground) reseal(id clew.SessionID, other func(state []byte) []byte) {
	g.t.Helper()
	seal, err := g.j.latestSeal(g.t.Context(), id)
	if err != nil || seal == nil {
		g.t.Fatalf("the seal of %s: %v", id, err)
	}
	_, err = g.j.archive.Put(g.t.Context(), seal, archive.Sealing{
		Session: id, Epoch: seal.Epoch, Head: seal.Head, Mark: seal.Mark, State: other(bytes.Clone(seal.State)),
	})
	if err == nil {
		err = g.j.Flush(g.t.Context())
	}
	if err != nil {
		g.t.Fatal(err)
	}
}

func replaced(from, to string) func([]byte) []byte {
	return func(b []byte) []byte { return bytes.Replace(b, []byte(from), []byte(to), 1) }
}

// The doctor folds every session: a sealed state that is not what the records say
// is named, one of an older version is none of its business, and what a newer
// program wrote is too new, not damaged.
func TestExamineFolds(t *testing.T) {
	g := newGround(t, t.TempDir())
	own := fmt.Sprintf(`{"fold":%d,`, core.FoldVersion)
	for _, id := range []clew.SessionID{"sound", "wrong", "older", "newer", "tomorrow"} {
		g.create(id, 5)
	}
	if err := g.sweep(); err != nil {
		t.Fatal(err)
	}
	g.h.Close(context.Background()) // or it would seal them again
	g.reseal("wrong", replaced(`"title":"t3"`, `"title":"t0"`))
	g.reseal("older", replaced(own, `{"title":"nobody looks",`))
	g.reseal("newer", replaced(own, fmt.Sprintf(`{"fold":%d,"sun":"up",`, core.FoldVersion+1)))
	lease, err := g.j.Claim(t.Context(), session.ShardOf("tomorrow"))
	if err != nil {
		t.Fatal(err)
	}
	log, loaded, err := g.j.Open(t.Context(), lease, "tomorrow")
	if err != nil {
		t.Fatal(err)
	}
	rose := loaded.Head.Next("tomorrow", lease.Term, 1, "ann", "sun_rose", []byte(`{}`))
	if err := log.Append(t.Context(), []clew.Record{rose}); err != nil {
		t.Fatal(err)
	}
	report, err := g.j.Examine(t.Context())
	if err != nil || len(report.Findings) != 0 || len(report.Wrong) != 1 || len(report.TooNew) != 2 || report.Older != 1 {
		t.Fatalf("the doctor says %+v, %v", report, err)
	}
	if f := report.Wrong[0]; f.Session != "wrong" || !strings.HasSuffix(f.Problem, "at record 5 is not what the records say: title") {
		t.Errorf("wrong: %+v", f)
	}
	for _, f := range report.TooNew {
		if f.Session != "newer" && f.Session != "tomorrow" {
			t.Errorf("too new: %+v", f)
		}
	}
}

// A session that an older program sealed with less than it had is what its records
// say, once it is opened, and is sealed so.
func TestOlderSealIsMadeAnew(t *testing.T) {
	dir := t.TempDir()
	g := newGround(t, dir)
	g.create("one", 1300)
	if err := g.sweep(); err != nil {
		t.Fatal(err)
	}
	g.h.Close(context.Background())
	before, err := g.j.latestSeal(t.Context(), "one")
	if err != nil {
		t.Fatal(err)
	}
	g.reseal("one", replaced(fmt.Sprintf(`{"fold":%d,`, core.FoldVersion), "{"))
	g.reseal("one", replaced(`"title":"t1298"`, `"title":"lost"`))
	g.close()

	g = newGround(t, dir)
	w, err := g.h.Watch(t.Context(), "one")
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if st, err := w.State(t.Context()); err != nil || st.Title != "t1298" {
		t.Errorf("the title is %q, %v", st.Title, err)
	}
	if err := g.j.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	after, err := g.j.latestSeal(t.Context(), "one")
	if err != nil || !bytes.Equal(after.State, before.State) {
		t.Errorf("sealed as %.200s, %v", after.State, err)
	}
	if _, at, err := g.j.Past(t.Context(), "one", 1299); at != 1000 || err != nil {
		t.Errorf("the nearest kept fold is at %d, %v", at, err)
	}
}
