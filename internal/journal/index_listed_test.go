package journal

import (
	"fmt"
	"log/slog"
	"testing"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/session/core"
)

// A list of any length says of each session what it last knew, without reading
// all of its pages.
func TestListed(t *testing.T) {
	j, err := Open(t.Context(), Config{Dir: t.TempDir(), SyncInterval: 1 << 40}, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close(t.Context())
	x, err := j.OpenIndex(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	clock := int64(1_000_000)
	x.now = func() int64 { return clock }
	x.pageSize = 4
	id := func(i int) clew.SessionID { return clew.SessionID(fmt.Sprintf("sess_%d", i)) }
	created := map[int]int64{}
	for i := range 500 {
		clock += 700
		created[i] = clock
		if err := x.Put(t.Context(), "ann", core.Summary{ID: id(i), CreatedMS: clock, LastSeq: uint64(i + 1)}); err != nil {
			t.Fatal(err)
		}
	}
	again, err := j.OpenIndex(t.Context()) // remembers nothing
	if err != nil {
		t.Fatal(err)
	}
	for i, at := range created {
		seq, err := again.Listed(t.Context(), "ann", id(i), at)
		if err != nil || seq != uint64(i+1) {
			t.Fatalf("%s: %d, %v", id(i), seq, err)
		}
	}
	for _, who := range []clew.UserID{"ann", "bob"} {
		if seq, err := again.Listed(t.Context(), who, "sess_x", clock); seq != 0 || err != nil {
			t.Errorf("a session that is in no list: %d, %v", seq, err)
		}
	}
}
