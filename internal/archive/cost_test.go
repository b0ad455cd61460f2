package archive

import (
	"context"
	"testing"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/nightly"
)

// meter counts what is asked of a store.
type meter struct {
	store
	calls int
	bytes int
}

func (m *meter) list(ctx context.Context, prefix string) ([]string, error) {
	m.calls++
	return m.store.list(ctx, prefix)
}

func (m *meter) read(ctx context.Context, key string) ([]byte, error) {
	b, err := m.store.read(ctx, key)
	m.calls++
	m.bytes += len(b)
	return b, err
}

func (m *meter) readRange(ctx context.Context, key string, off, n int64) ([]byte, error) {
	b, err := m.store.readRange(ctx, key, off, n)
	m.calls++
	m.bytes += len(b)
	return b, err
}

// The work of opening a session and of reading a page from its middle does not
// grow with its length. The benchmarks show the same in time.
//
// Covers: C-06
func TestCostDoesNotGrow(t *testing.T) {
	nightly.Alone(t)
	a := openDir(t, t.TempDir())
	m := &meter{store: a.store}
	a.store = m
	var page []int
	for _, n := range []int{5 * segmentRecords, 40 * segmentRecords} {
		id := clew.NewSessionID()
		var s *Seal
		for range 5 {
			s = put(t, a, s, id, chain(id, headOf(s), n/5, 20), "state")
		}
		*m = meter{store: m.store}
		s = latest(t, a, id)
		if m.calls != 2 {
			t.Errorf("%d records: %d calls to open", n, m.calls)
		}
		if limit := 16<<10 + s.segments()*segmentRefLen; m.bytes > limit {
			t.Errorf("%d records: %d bytes to open, more than %d", n, m.bytes, limit)
		}
		*m = meter{store: m.store}
		from := uint64(n/2 - 499)
		if got, err := collect(t.Context(), a, s, from, from+999); err != nil || len(got) != 1000 {
			t.Fatal(len(got), err)
		}
		if m.calls > 4 {
			t.Errorf("%d records: %d calls for a page", n, m.calls)
		}
		page = append(page, m.bytes)
	}
	if page[1]*2 > page[0]*3 {
		t.Errorf("a page of the long session takes %d bytes, of the short one %d", page[1], page[0])
	}
}
