package process

import (
	"os"
	"testing"
	"time"

	"github.com/clew-run/clew/internal/supervisor"
)

// A server that starts keeps the kernels of its notebooks, ends others, and removes what
// is left of those that ended.
func TestEndOthers(t *testing.T) {
	b := newSleeper(t, time.Hour)
	for _, id := range []string{"kernel", "unknown", "ended"} {
		k := b.start(func(s *Start) { s.ID = id })
		if id == "ended" {
			b.end(k)
		}
		k.Release()
	}
	// One of which the server was killed before it could be started.
	if err := prepare(supervisor.Dir(b.Root, "begun"), about{ID: "begun"}); err != nil {
		t.Fatal(err)
	}
	if n := b.EndOthers(t.Context(), func(id string) bool { return id == "kernel" }); n != 1 {
		t.Errorf("%d ended", n)
	}
	left, err := os.ReadDir(b.Root)
	if err != nil || len(left) != 1 {
		t.Errorf("left: %v %v", left, err)
	}
	k, err := b.Find(t.Context(), "kernel")
	if err != nil {
		t.Fatal(err)
	}
	b.end(k)
}
