package checkpoint_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/clew-run/clew/internal/checkpoint"
	"github.com/clew-run/clew/internal/checkpoint/checkpointtest"
	"github.com/clew-run/clew/internal/nightly"
)

var leftAlone = checkpointtest.LeftAlone

func changeTree(rt *rapid.T, root string) {
	checkpointtest.Change(root, func(n int) int { return rapid.IntRange(0, n-1).Draw(rt, "pick") })
}

// Random trees, random changes, checkpoints at random points: a restore to any
// of them gives exactly the tree of that moment; what is left alone stays as it
// is; undoing gives exactly what was there before; the neighbour is untouched.
// Covers: CHK-24, C-42
func TestProperty(t *testing.T) {
	dir := memoryDir(t)
	s := store(t, filepath.Join(dir, "data"), checkpoint.Options{RepackAfter: 20})
	put(t, dir, "neighbour/file", "x")
	put(t, dir, "neighbour/link", "->../work")
	neighbour := readTree(t, filepath.Join(dir, "neighbour"), nil)
	n, rounds := 0, nightly.Size(1, 5) // of a hundred cases
	for round := range rounds {
		nightly.CheckTimes(t, uint64(10_000*round), 100, func(rt *rapid.T) {
			n++
			root := filepath.Join(dir, fmt.Sprintf("work%d", n))
			must(t, os.Mkdir(root, 0o755))
			p, err := s.Workspace(t.Context(), root, checkpoint.Rules{Exclude: []string{checkpointtest.Skip}})
			must(t, err)
			runProperty(t, rt, p, root)
			if n%50 == 0 {
				healthy(t, p)
			}
		})
	}
	if d := differ(neighbour, readTree(t, filepath.Join(dir, "neighbour"), nil)); d != "" {
		t.Error(d)
	}
}

type moment struct {
	hash string
	tree tree
}

func runProperty(t *testing.T, rt *rapid.T, p *checkpoint.Place, root string) {
	var moments []moment
	for range rapid.IntRange(1, 5).Draw(rt, "rounds") {
		for range rapid.IntRange(0, 8).Draw(rt, "changes") {
			changeTree(rt, root)
		}
		moments = append(moments, moment{save(t, p).Hash, readTree(t, root, leftAlone)})
		if rapid.Bool().Draw(rt, "unsaved") {
			changeTree(rt, root)
		}
		to := moments[rapid.IntRange(0, len(moments)-1).Draw(rt, "to")]
		checkRestore(t, rt, p, root, to)
	}
}

func checkRestore(t *testing.T, rt *rapid.T, p *checkpoint.Place, root string, to moment) {
	before := readTree(t, root, nil)
	r := restore(t, p, to.hash)
	after := readTree(t, root, nil)
	for rel, what := range before {
		if leftAlone(rel) && after[rel] != what {
			rt.Fatalf("%q was left alone and is %q, not %q", rel, after[rel], what)
		}
	}
	if len(r.Left) == 0 {
		if d := differ(to.tree, readTree(t, root, leftAlone)); d != "" {
			rt.Fatalf("restored to another tree:\n%s", d)
		}
	} else {
		checkLeft(rt, root, to.tree, r.Left, readTree(t, root, leftAlone))
	}
	restore(t, p, r.Before.Hash)
	if d := differ(before, readTree(t, root, nil)); d != "" {
		rt.Fatalf("undone to another tree:\n%s", d)
	}
	if rapid.Bool().Draw(rt, "again") {
		restore(t, p, to.hash)
	}
}

// checkLeft allows for directories that stay because of what is left alone in
// them, and for nothing else.
func checkLeft(rt *rapid.T, root string, want tree, left []string, got tree) {
	allowed := map[string]bool{}
	for _, p := range left {
		allowed[p] = true
		if st, err := os.Lstat(filepath.Join(root, p)); err == nil && st.IsDir() && !holdsLeft(filepath.Join(root, p), root) {
			rt.Fatalf("%q is named as left, and nothing in it is", p)
		}
	}
	covered := func(rel string) bool {
		for p := range allowed {
			if rel == p || strings.HasPrefix(rel, p+"/") {
				return true
			}
		}
		return false
	}
	for rel := range want {
		if want[rel] != got[rel] && !covered(rel) {
			rt.Fatalf("%q: want %q, is %q (left %q)", rel, want[rel], got[rel], left)
		}
	}
	for rel := range got {
		if _, ok := want[rel]; !ok && !allowed[rel] {
			rt.Fatalf("%q should be gone (left %q)", rel, left)
		}
	}
}

func holdsLeft(dir, root string) bool {
	found := false
	_ = filepath.WalkDir(dir, func(p string, _ os.DirEntry, err error) error {
		if rel, _ := filepath.Rel(root, p); err == nil && leftAlone(rel) {
			found = true
		}
		return nil
	})
	return found
}
