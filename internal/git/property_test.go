package git_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/git"
)

// Whatever sessions do in work trees of their own, the person's work tree, index and
// branch stay as they are, byte for byte, until something is merged.
func TestPersonIsNeverTouched(t *testing.T) {
	for seed := range uint64(3) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			random := rand.New(rand.NewPCG(seed, 14))
			p := newProject(t)
			p.write("mine.txt", "not committed\n")
			p.write("cart/b.txt", "staged\n")
			p.git("add", "cart/b.txt")
			p.write("cart/b.txt", "changed again\n")
			before := p.everything()
			var trees []git.Worktree
			for step := range 25 {
				what := p.step(random, step, &trees)
				if p.everything() != before {
					t.Fatalf("%s touched the person's work tree", what)
				}
			}
		})
	}
}

// step does one thing that a session can have done.
func (p *project) step(random *rand.Rand, step int, trees *[]git.Worktree) string {
	p.t.Helper()
	ctx := p.t.Context()
	if len(*trees) == 0 || random.IntN(8) == 0 {
		*trees = append(*trees, p.worktree(clew.SessionID(fmt.Sprintf("sess_%d_%d", step, random.IntN(1000)))))
		return "a new work tree"
	}
	n := random.IntN(len(*trees))
	w := (*trees)[n]
	name := []string{"a.txt", "n.txt", "cart/b.txt", "mine.txt"}[random.IntN(4)]
	switch random.IntN(6) {
	case 0, 1:
		putAt(p.t, w.Dir, name, fmt.Sprintln("step", step))
		return "writing " + name
	case 2:
		_ = os.Remove(filepath.Join(w.Dir, name)) // it may be gone
		return "removing " + name
	case 3:
		preview, err := p.k.Preview(ctx, w.Dir, git.Selection{Merge: true})
		if err != nil {
			p.t.Fatal(err)
		}
		if len(preview.Files) > 0 {
			if _, err := p.k.Commit(ctx, w.Dir, preview, fmt.Sprint("step ", step), git.Told{}); err != nil {
				p.t.Fatal(err)
			}
		}
		return "a commit"
	case 4:
		if _, err := p.k.Diff(ctx, w.Dir, w.Base); err != nil {
			p.t.Fatal(err)
		}
		p.k.State(ctx, w)
		return "a look"
	}
	if random.IntN(2) == 0 {
		if _, err := p.k.Remove(ctx, w); err != nil {
			p.t.Fatal(err)
		}
		*trees = append((*trees)[:n], (*trees)[n+1:]...)
		return "removing a work tree"
	}
	p.open() // the server starts again
	if err := p.k.Recover(ctx, func(git.Intent) error { return nil }); err != nil {
		p.t.Fatal(err)
	}
	return "a restart"
}
