package journal_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/journal/journaltest"
	"github.com/clew-run/clew/internal/session"
)

// The way back to a place in the middle, and a fork of it, cost the same in a
// long session and in a short one.
func BenchmarkPast(b *testing.B) {
	j := openDir(b, b.TempDir())
	b.Cleanup(func() { j.Close(context.Background()) })
	for _, n := range []int{4_000, 100_000} {
		id := clew.NewSessionID()
		records, head := journaltest.Records(clew.Head{}, id, 1, n)
		b.Run(fmt.Sprintf("import/%d", n), func(b *testing.B) {
			for b.Loop() {
				id = clew.NewSessionID()
				err := j.Found(b.Context(), id, session.InitialHistory{
					Head: head, State: make([]byte, 50_000), Records: journaltest.Yield(records), Kept: journaltest.Folds(1000, uint64(n)),
				})
				if err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(fmt.Sprintf("past/%d", n), func(b *testing.B) {
			for b.Loop() {
				if _, at, err := j.Past(b.Context(), id, uint64(n/2)); at == 0 || err != nil {
					b.Fatal(at, err)
				}
			}
		})
		b.Run(fmt.Sprintf("fork/%d", n), func(b *testing.B) {
			for b.Loop() {
				f := session.InitialHistory{Parent: id, Head: records[n/2].After(), State: make([]byte, 50_000)}
				if err := j.Found(b.Context(), clew.NewSessionID(), f); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
