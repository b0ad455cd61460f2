package checkpoint_test

import (
	"testing"

	"github.com/clew-run/clew/internal/checkpoint"
	"github.com/clew-run/clew/internal/checkpoint/checkpointtest"
)

// BenchmarkRestoreOne takes one file of two thousand back and forth.
func BenchmarkRestoreOne(b *testing.B) {
	p, root := place(b, nil, checkpoint.Options{}, checkpoint.Rules{})
	must(b, checkpointtest.Fill(root, 2_000, 40<<20))
	name := checkpointtest.Name(7)
	hashes := []string{save(b, p).Hash}
	put(b, root, name, "something else")
	hashes = append(hashes, save(b, p).Hash)
	for i := 0; b.Loop(); i++ {
		restore(b, p, hashes[i%2], name)
	}
}

// BenchmarkSaveOne saves a tree of two thousand files of which one changed.
func BenchmarkSaveOne(b *testing.B) {
	p, root := place(b, nil, checkpoint.Options{}, checkpoint.Rules{})
	must(b, checkpointtest.Fill(root, 2_000, 40<<20))
	save(b, p)
	for i := 0; b.Loop(); i++ {
		put(b, root, checkpointtest.Name(7), string(rune('a'+i%26))+nextID())
		save(b, p)
	}
}
