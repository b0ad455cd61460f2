package journal_test

import (
	"fmt"
	"sync"
	"testing"

	"github.com/clew-run/clew/internal/journal"
)

// Nodes that start at the same time agree on a row that each of them would make,
// and one that is there is not written again: a node starts also while the store
// takes nothing.
func TestOnce(t *testing.T) {
	j := openDir(t, t.TempDir())
	table, err := j.Table(t.Context(), "ONCE")
	if err != nil {
		t.Fatal(err)
	}
	got := make([]string, 8)
	var nodes sync.WaitGroup
	for i := range got {
		nodes.Go(func() {
			b, err := table.Once(t.Context(), "key", func() ([]byte, error) { return fmt.Appendf(nil, "made by %d", i), nil })
			if err != nil {
				t.Error(err)
			}
			got[i] = string(b)
		})
	}
	nodes.Wait()
	for _, g := range got {
		if g == "" || g != got[0] {
			t.Errorf("nodes hold %q and %q", got[0], g)
		}
	}
	_, before, _ := table.Get(t.Context(), "key")
	if _, err := table.Once(t.Context(), "key", func() ([]byte, error) { return nil, journal.ErrNoRow }); err != nil {
		t.Error(err)
	}
	if _, after, _ := table.Get(t.Context(), "key"); after != before {
		t.Errorf("the row was written again: revision %d, then %d", before, after)
	}
}
