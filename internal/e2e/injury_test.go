package e2e

import (
	"bytes"
	"cmp"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/nightly"
)

// flip changes one bit of a file.
func flip(rng *rand.Rand, path string) func(*testing.T, string) {
	return flipAfter(rng, path, "")
}

// flipAfter is flip behind the first place where a text stands.
func flipAfter(rng *rand.Rand, path, text string) func(*testing.T, string) {
	return func(t *testing.T, dir string) {
		t.Helper()
		edit(t, filepath.Join(dir, path), func(b []byte) []byte {
			from := max(0, bytes.Index(b, []byte(text)))
			at := from*8 + rng.IntN((len(b)-from)*8)
			t.Logf("bit %d of byte %d of %d", at%8, at/8, len(b))
			b[at/8] ^= 1 << (at % 8)
			return b
		})
	}
}

// cut shortens a file by n bytes, or to nothing.
func cut(path string, n int) func(*testing.T, string) {
	return func(t *testing.T, dir string) {
		t.Helper()
		edit(t, filepath.Join(dir, path), func(b []byte) []byte { return b[:max(0, len(b)-n)] })
	}
}

func remove(path string) func(*testing.T, string) {
	return func(t *testing.T, dir string) {
		t.Helper()
		if err := os.RemoveAll(filepath.Join(dir, path)); err != nil {
			t.Fatal(err)
		}
	}
}

func both(a, b func(*testing.T, string)) func(*testing.T, string) {
	return func(t *testing.T, dir string) { a(t, dir); b(t, dir) }
}

func edit(t *testing.T, path string, change func([]byte) []byte) {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, change(b), 0o600); err != nil {
		t.Fatal(err)
	}
}

// below gives a file's path inside the store.
func (s *store) below(t *testing.T, path string) string {
	t.Helper()
	rel, err := filepath.Rel(s.dir, path)
	if err != nil {
		t.Fatal(err)
	}
	return rel
}

func (s *store) engineInjuries(t *testing.T, rng *rand.Rand, samples int) []injury {
	full, fresh := s.newestBlock(t, s.sessions[archivedSessions:])
	stream := filepath.Dir(filepath.Dir(full))
	first := s.sessions[archivedSessions+mixedSessions]
	list := []injury{
		{name: "block deleted", do: remove(full), hurts: fresh},
		{name: "block emptied", do: cut(full, 1<<40), hurts: fresh},
		{name: "stream deleted", do: remove(stream), hurts: s.sessions[archivedSessions:]},
		{name: "stream's description deleted", do: remove(filepath.Join(stream, "meta.inf"))},
		{name: "stream's checksum deleted", do: remove(filepath.Join(stream, "meta.sum"))},
		{name: "stream's index deleted", do: remove(filepath.Join(stream, "msgs", "index.db")), healthy: true},
		{name: "witness deleted, block cut", do: both(remove("witness"), cut(full, 2000)), block: full},
	}
	for _, n := range nightly.Size([]int{1, 5000}, []int{1, 7, 100, 1000, 5000}) {
		list = append(list, injury{name: fmt.Sprintf("block cut by %d", n), do: cut(full, n), block: full})
	}
	for i := range samples {
		// The front of the block may be cut off already and mean nothing.
		list = append(list, injury{name: fmt.Sprintf("block bit %d", i), do: flipAfter(rng, full, string(first)), block: full, single: true})
	}
	return list
}

// newestBlock gives the block that has the last records of most of the given
// sessions, and those sessions. It need not be the largest: after a cut the
// engine may have begun a new one.
func (s *store) newestBlock(t *testing.T, of []clew.SessionID) (path string, within []clew.SessionID) {
	t.Helper()
	blocks := s.blocks(t, s.dir)
	slices.SortFunc(blocks, func(a, b string) int {
		return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b)) // 2.blk before 10.blk
	})
	last := map[clew.SessionID]string{}
	for _, block := range blocks {
		b, err := os.ReadFile(block)
		if err != nil {
			t.Fatal(err)
		}
		for _, id := range of {
			if bytes.Contains(b, []byte(id)) {
				last[id] = block
			}
		}
	}
	for _, block := range blocks {
		here := slices.DeleteFunc(slices.Clone(of), func(id clew.SessionID) bool { return last[id] != block })
		if len(here) > len(within) {
			path, within = s.below(t, block), here
		}
	}
	if len(within) == 0 {
		t.Fatal("no block has a record")
	}
	return path, within
}

func sizeOf(t *testing.T, path string) int64 {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info.Size()
}

// archiveInjuries hit the newest seal of a session that is nowhere else.
func (s *store) archiveInjuries(t *testing.T, rng *rand.Rand, samples int) []injury {
	var list []injury
	for i, id := range s.sessions[:nightly.Size(1, 2)] {
		seals := glob(t, s.dir, "archive/*/*/"+string(id)+"~*")
		if len(seals) == 0 {
			t.Fatalf("session %s has no seal", id)
		}
		seal := s.below(t, slices.Max(seals))
		name, hurts := fmt.Sprintf("seal %d", i), []clew.SessionID{id}
		list = append(list,
			injury{name: name + " cut by 1", do: cut(seal, 1), hurts: hurts},
			injury{name: name + " emptied", do: cut(seal, 1<<40), hurts: hurts})
		for n := range samples {
			list = append(list, injury{name: fmt.Sprintf("%s bit %d", name, n), do: flip(rng, seal), hurts: hurts})
		}
	}
	segments := glob(t, s.dir, "archive/*/*/"+string(s.sessions[0])+".segments/*")
	if len(segments) == 0 {
		t.Fatal("the long session has no segment")
	}
	segment, hurts := s.below(t, segments[0]), s.sessions[:1]
	list = append(list,
		injury{name: "segment deleted", do: remove(segment), hurts: hurts, past: true},
		injury{name: "segment cut", do: cut(segment, 10), hurts: hurts, past: true})
	for n := range samples {
		list = append(list, injury{name: fmt.Sprintf("segment bit %d", n), do: flip(rng, segment), hurts: hurts, past: true})
	}
	return list
}

func (s *store) witnessInjuries(t *testing.T, rng *rand.Rand) []injury {
	list := []injury{
		{name: "witness deleted", do: remove("witness"), healthy: true},
		{name: "witness cut", do: cut("witness", 30), healthy: true},
		{name: "witness emptied", do: cut("witness", 1<<40), healthy: true},
	}
	for n := range nightly.Size(1, 4) {
		list = append(list, injury{name: fmt.Sprintf("witness bit %d", n), do: flip(rng, "witness"), healthy: true})
	}
	return list
}

// indexInjuries hit a store whose server stopped properly: the engine has
// written its indexes, and all sessions are sealed.
func (s *store) indexInjuries(t *testing.T) []injury {
	index := glob(t, s.dir, "engine/jetstream/*/streams/CLEW_J_0/msgs/index.db")
	if len(index) == 0 {
		t.Fatal("the engine has no index")
	}
	path := s.below(t, index[0])
	block := s.below(t, slices.MaxFunc(s.blocks(t, s.dir), func(a, b string) int { return int(sizeOf(t, a) - sizeOf(t, b)) }))
	return []injury{
		{name: "unharmed", do: func(*testing.T, string) {}, healthy: true},
		{name: "index deleted", do: remove(path), healthy: true},
		{name: "index cut", do: cut(path, 9), healthy: true},
		{name: "index emptied", do: cut(path, 1<<40), healthy: true},
		{name: "index bit", do: flip(rand.New(rand.NewPCG(1, 1)), path), healthy: true},
		{name: "index and witness deleted", do: both(remove(path), remove("witness")), healthy: true},
		// Everything is sealed: the stream may lose its end, or all, and the
		// engine count from an earlier number again.
		{name: "index deleted, block cut", do: both(remove(path), cut(block, 3000)), healthy: true},
		{name: "stream deleted", do: remove(filepath.Dir(filepath.Dir(path))), healthy: true},
		{name: "engine deleted", do: remove("engine"), healthy: true},
	}
}
