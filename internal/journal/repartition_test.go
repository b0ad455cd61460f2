package journal_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"testing"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/journal"
	"github.com/clew-run/clew/internal/session"
)

// onLine is a log that does something at a certain line.
type onLine struct {
	slog.Handler
	line string
	do   func()
}

func (h *onLine) Enabled(context.Context, slog.Level) bool { return true }
func (h *onLine) WithAttrs([]slog.Attr) slog.Handler       { return h }

func (h *onLine) Handle(_ context.Context, r slog.Record) error {
	if r.Message == h.line {
		h.do()
	}
	return nil
}

// Records can be spread over another number of streams while the node is
// stopped. If that is cut short the store does not open before it is finished,
// and nothing is lost either way (P2).
func TestRepartition(t *testing.T) {
	dir := t.TempDir()
	open := func(partitions int) *journal.Journal {
		t.Helper()
		j, err := journal.Open(t.Context(), journal.Config{Dir: dir, Partitions: partitions}, quiet())
		if err != nil {
			t.Fatal(err)
		}
		return j
	}
	heads := map[clew.SessionID]clew.Head{}
	write := func(j *journal.Journal, round int) {
		t.Helper()
		for i := range 20 {
			id := clew.SessionID(fmt.Sprintf("sess_%d", i))
			lease, err := j.Claim(t.Context(), session.ShardOf(id))
			if err != nil {
				t.Fatal(err)
			}
			log, loaded, err := j.Open(t.Context(), lease, id)
			if err != nil {
				t.Fatal(err)
			}
			if loaded.Head != heads[id] {
				t.Fatalf("round %d: %s stands at %v, want %v", round, id, loaded.Head, heads[id])
			}
			for range 3 {
				r := heads[id].Write(id, lease.Term, int64(round), clew.Draft{By: "ann", Type: clew.EventSessionRenamed, Data: []byte(`{"title":"x"}`)})
				if err := log.Append(t.Context(), []clew.Record{r}); err != nil {
					t.Fatal(err)
				}
				heads[id] = r.After()
			}
		}
	}
	j := open(1)
	write(j, 0)
	j.Close(t.Context())
	for round, n := range []int{16, 3, 5} {
		if n == 3 { // the first try ends on its way
			ctx, stop := context.WithCancel(t.Context())
			_, _, err := journal.Repartition(ctx, journal.Config{Dir: dir}, n, slog.New(&onLine{slog.DiscardHandler, "a session is in two streams", stop}))
			if !errors.Is(err, context.Canceled) {
				t.Fatalf("it was not cut short: %v", err)
			}
			if _, err := journal.Open(t.Context(), journal.Config{Dir: dir}, quiet()); !errors.Is(err, journal.ErrRepartitioning) {
				t.Fatalf("a store in two shapes was opened: %v", err)
			}
			if _, _, err := journal.Repartition(t.Context(), journal.Config{Dir: dir}, 7, quiet()); !errors.Is(err, journal.ErrRepartitioning) {
				t.Fatalf("another number was taken: %v", err)
			}
		}
		from, moved, err := journal.Repartition(t.Context(), journal.Config{Dir: dir}, n, quiet())
		if err != nil {
			t.Fatalf("to %d: %v", n, err)
		}
		t.Logf("from %d to %d: %d sessions moved", from, n, moved)
		j := open(1)
		if j.Partitions() != n {
			t.Errorf("%d partitions, want %d", j.Partitions(), n)
		}
		write(j, round+1)
		j.Close(t.Context())
	}
	if _, _, err := journal.Repartition(t.Context(), journal.Config{Dir: t.TempDir()}, 4, quiet()); !errors.Is(err, journal.ErrNoStore) {
		t.Errorf("an empty directory gave %v", err)
	}
	if _, _, err := journal.Repartition(t.Context(), journal.Config{Dir: dir}, 0, quiet()); err == nil {
		t.Error("no partitions were taken for a number")
	}
}
