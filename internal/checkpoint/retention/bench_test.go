package retention_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/clew-run/clew/internal/session/rewind"

	"github.com/clew-run/clew/internal/checkpoint/retention"
)

// BenchmarkSave is what a tool call pays: a save of what did not change, and one
// of a changed file, in a workspace of 1,000 files.
func BenchmarkSave(b *testing.B) {
	for _, changed := range []bool{false, true} {
		b.Run(fmt.Sprintf("changed=%t", changed), func(b *testing.B) {
			dir := b.TempDir()
			work := filepath.Join(dir, "work")
			for i := range 1000 {
				name := filepath.Join(work, fmt.Sprint(i%20), fmt.Sprint(i))
				if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
					b.Fatal(err)
				}
				if err := os.WriteFile(name, []byte(name), 0o600); err != nil {
					b.Fatal(err)
				}
			}
			k, err := retention.Open(filepath.Join(dir, "checkpoints"), retention.Options{})
			if err != nil {
				b.Fatal(err)
			}
			defer func() { _ = k.Close() }()
			at := rewind.Workspace{Session: "s", Dir: work}
			if _, err := k.Save(b.Context(), at, ""); err != nil {
				b.Fatal(err)
			}
			for i := 0; b.Loop(); i++ {
				if changed {
					if err := os.WriteFile(filepath.Join(work, "x"), fmt.Append(nil, i), 0o600); err != nil {
						b.Fatal(err)
					}
				}
				if _, err := k.Save(b.Context(), at, ""); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
