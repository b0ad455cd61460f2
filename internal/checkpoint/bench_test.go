package checkpoint_test

import (
	"testing"

	"github.com/clew-run/clew/internal/checkpoint"
)

// BenchmarkRestoreOne takes one file of five thousand back and forth.
func BenchmarkRestoreOne(b *testing.B) {
	p, root := place(b, nil, checkpoint.Options{}, checkpoint.Rules{})
	makeBig(b, root, 2_000, 40<<20)
	name := "group00/dir000/file00007.txt"
	hashes := []string{save(b, p).Hash}
	put(b, root, name, "something else")
	hashes = append(hashes, save(b, p).Hash)
	for i := 0; b.Loop(); i++ {
		restore(b, p, hashes[i%2], name)
	}
}

// BenchmarkSaveOne saves a tree of five thousand files of which one changed.
func BenchmarkSaveOne(b *testing.B) {
	p, root := place(b, nil, checkpoint.Options{}, checkpoint.Rules{})
	makeBig(b, root, 2_000, 40<<20)
	save(b, p)
	for i := 0; b.Loop(); i++ {
		put(b, root, "group00/dir000/file00007.txt", string(rune('a'+i%26))+nextID())
		save(b, p)
	}
}
