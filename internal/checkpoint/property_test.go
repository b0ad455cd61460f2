package checkpoint_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
	"pgregory.net/rapid"

	"github.com/clew-run/clew/internal/checkpoint"
)

// names that collide, sort oddly, or look like something else. The last ones
// are left alone.
var propertyNames = []string{
	"a", "b", "a-", "a.", "a0", "A", "\xff", "x\ny", " ", "-f", ".git ", ".GIT", "long" + strings.Repeat("z", 200), ".clewignore2",
	"node_modules", ".git", "x.skip",
}

func leftAlone(rel string) bool {
	for name := range strings.SplitSeq(rel, "/") {
		if name == "node_modules" || name == ".git" || strings.HasSuffix(name, ".skip") {
			return true
		}
	}
	return false
}

// changeTree makes one change, in one of the ways in which programs do.
func changeTree(rt *rapid.T, root string) {
	depth := rapid.IntRange(1, 4).Draw(rt, "depth")
	parts := make([]string, depth)
	for i := range parts {
		parts[i] = rapid.SampledFrom(propertyNames).Draw(rt, "name")
	}
	p := filepath.Join(root, filepath.Join(parts...))
	how := rapid.IntRange(0, 9).Draw(rt, "how")
	makeParents(root, parts)
	content := rapid.SampledFrom([]string{"", "x", "y", "z\r\n", "$Id$", strings.Repeat("long ", 100)}).Draw(rt, "content")
	mode := uint32(rapid.SampledFrom([]int{0o644, 0o755, 0o600, 0o640, 0o700, 0o4711, 0o1777, 0o2770, 0o400, 0o664}).Draw(rt, "mode"))
	switch how {
	case 0, 1: // a program writes into the file
		_ = os.WriteFile(p, []byte(content), 0o644)
	case 2: // an editor puts another file in its place
		_ = os.WriteFile(p+"~", []byte(content), os.FileMode(mode&0o777))
		if os.Rename(p+"~", p) != nil {
			_ = os.Remove(p + "~")
		}
	case 3:
		if st, err := os.Lstat(p); err == nil && st.Mode()&os.ModeSymlink == 0 {
			_ = unix.Chmod(p, mode|0o700&modeOfDirs(st))
		}
	case 4:
		_ = os.RemoveAll(p)
	case 5: // another kind in its place
		_ = os.RemoveAll(p)
		_ = os.Mkdir(p, 0o755)
	case 6:
		_ = os.RemoveAll(p)
		_ = os.Symlink(rapid.SampledFrom([]string{"a", "../b", "/", "no such", "\xfe", strings.Repeat("t", 300)}).Draw(rt, "target"), p)
	case 7:
		_ = os.RemoveAll(p)
		_ = os.WriteFile(p, []byte(content), 0o600)
	case 8: // a move
		_ = os.Rename(filepath.Join(root, parts[0]), filepath.Join(root, rapid.SampledFrom(propertyNames[:13]).Draw(rt, "to")))
	case 9: // a second name
		_ = os.Link(filepath.Join(root, parts[0]), p)
	}
}

func modeOfDirs(st os.FileInfo) uint32 {
	if st.IsDir() {
		return 0o7777
	}
	return 0
}

// makeParents makes the directories above a path, as far as nothing else is in
// the way.
func makeParents(root string, parts []string) {
	at := root
	for _, name := range parts[:len(parts)-1] {
		at = filepath.Join(at, name)
		if st, err := os.Lstat(at); err == nil && !st.IsDir() {
			return
		}
		_ = os.Mkdir(at, 0o755)
	}
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
	n, rounds := 0, 5 // of a hundred cases
	if testing.Short() {
		rounds = 1
	}
	for range rounds {
		rapid.Check(t, func(rt *rapid.T) {
			n++
			root := filepath.Join(dir, fmt.Sprintf("work%d", n))
			must(t, os.Mkdir(root, 0o755))
			p, err := s.Workspace(t.Context(), root, checkpoint.Rules{Exclude: []string{"*.skip"}})
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
