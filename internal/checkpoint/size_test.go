package checkpoint_test

import (
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/clew-run/clew/internal/checkpoint"
	"github.com/clew-run/clew/internal/checkpoint/checkpointtest"
	"github.com/clew-run/clew/internal/nightly"
)

// diskUse is what a directory takes on disk, in whole blocks.
func diskUse(t testing.TB, dir string) int64 {
	t.Helper()
	var sum int64
	err := filepath.WalkDir(dir, func(p string, _ fs.DirEntry, err error) error {
		var st unix.Stat_t
		if err == nil && unix.Lstat(p, &st) == nil {
			sum += st.Blocks * 512
		}
		return nil
	})
	must(t, err)
	return sum
}

var large = flag.Bool("large", false, "measure the size of checkpoints with a large tree")

// A thousand checkpoints of one changed line take less than 10 MB beyond the
// first one, 300 in CI less than 3 MB, and all of them can be restored. With -large the tree has 50,000
// files and 1 GB.
func TestSize(t *testing.T) {
	files, size := 600, int64(12<<20)
	if *large {
		files, size = 50_000, 1<<30
	} else if testing.Short() {
		t.Skip("makes many checkpoints")
	}
	dir := memoryDir(t)
	root, data := filepath.Join(dir, "work"), filepath.Join(dir, "data")
	must(t, os.Mkdir(root, 0o755))
	must(t, checkpointtest.Fill(root, files, size))
	s, err := checkpoint.Open(data, checkpoint.Options{})
	must(t, err)
	p, err := s.Workspace(t.Context(), root, checkpoint.Rules{})
	must(t, err)
	save(t, p)
	first := diskUse(t, data)
	name := checkpointtest.Name(307)
	old, err := os.ReadFile(filepath.Join(root, name))
	must(t, err)
	lines := strings.Split(string(old), "\n")
	hashes := map[int]string{}
	rounds := nightly.Size(120, 1000)
	for i := range rounds {
		lines[i%len(lines)] = fmt.Sprintf("changed in round %d", i)
		put(t, root, name, strings.Join(lines, "\n"))
		sv := save(t, p)
		if !sv.Changed {
			t.Fatal("nothing changed")
		}
		hashes[i] = sv.Hash
		if i%(rounds/3) == 0 {
			hashes[-i] = strings.Join(lines, "\n")
		}
	}
	must(t, s.Close())
	more := diskUse(t, data) - first
	t.Logf("%d files, %d MB: the first checkpoint takes %.1f MB, %d more %.2f MB", files, size>>20, float64(first)/(1<<20), rounds, float64(more)/(1<<20))
	if more > int64(rounds)*10_000 {
		t.Errorf("%d checkpoints take %d bytes", rounds, more)
	}
	p, err = store(t, data, checkpoint.Options{}).Workspace(t.Context(), root, checkpoint.Rules{})
	must(t, err)
	for i := rounds / 3; i < rounds; i += rounds / 3 {
		restore(t, p, hashes[i], name)
		if b, err := os.ReadFile(filepath.Join(root, name)); err != nil || string(b) != hashes[-i] {
			t.Errorf("round %d is not what it was: %v", i, err)
		}
	}
	healthy(t, p)
}

// Collecting frees what no checkpoint refers to, and keeps the rest.
func TestGC(t *testing.T) {
	p, root := place(t, map[string]string{"a": "1"}, checkpoint.Options{}, checkpoint.Rules{})
	first := save(t, p)
	noise := strings.Repeat("x", 10)
	for i := range 5 {
		must(t, os.WriteFile(filepath.Join(root, "big"), makeNoise(i, 3<<20), 0o644))
		put(t, root, "a", fmt.Sprint(noise, i))
		save(t, p)
	}
	want := readTree(t, root, nil)
	last := save(t, p)
	before, err := p.Usage(t.Context())
	must(t, err)
	if before.Checkpoints != 6 || before.Bytes < 15<<20 {
		t.Errorf("%+v", before)
	}
	freed, err := p.GC(t.Context(), func(c checkpoint.Checkpoint) bool { return c.Hash == first.Hash || c.Hash == last.Hash })
	must(t, err)
	after, err := p.Usage(t.Context())
	must(t, err)
	if after.Checkpoints != 2 || after.Bytes > 4<<20 || freed < 11<<20 {
		t.Errorf("%+v, %d freed", after, freed)
	}
	if s := save(t, p); s.Changed {
		t.Errorf("%+v", s)
	}
	restore(t, p, first.Hash)
	restore(t, p, last.Hash)
	if d := differ(want, readTree(t, root, nil)); d != "" {
		t.Error(d)
	}
	healthy(t, p)
	must(t, os.Remove(filepath.Join(root, "big")))
	save(t, p)
	if _, err := p.GC(t.Context(), func(checkpoint.Checkpoint) bool { return false }); err != nil {
		t.Error(err)
	}
	if u, err := p.Usage(t.Context()); err != nil || u.Bytes > 1<<20 || u.Checkpoints != 0 {
		t.Errorf("%+v %v", u, err)
	}
	if s := save(t, p); !s.Changed {
		t.Errorf("%+v", s)
	}
	healthy(t, p)
}

func makeNoise(seed, n int) []byte {
	b := make([]byte, n)
	x := uint64(seed)*2654435761 + 88172645463325252
	for i := range b {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
		b[i] = byte(x)
	}
	return b
}
