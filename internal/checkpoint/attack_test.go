package checkpoint_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/clew-run/clew/internal/checkpoint"
	"github.com/clew-run/clew/internal/checkpoint/checkpointtest/trap"
)

// Nothing in a workspace, a home or the environment makes git run anything, and
// what lies in .git is not touched.
// Covers: CHK-06, CHK-24
func TestHostileGit(t *testing.T) {
	dir := t.TempDir()
	root := filepath.Join(dir, "work")
	x := trap.New(t, dir, root)
	for name, value := range x.Env {
		t.Setenv(name, value)
	}
	sibling := readTree(t, filepath.Join(dir, "outside"), nil)
	own := readTree(t, filepath.Join(root, ".git"), nil)
	p, err := store(t, filepath.Join(dir, "data"), checkpoint.Options{}).Workspace(t.Context(), root, checkpoint.Rules{})
	must(t, err)
	first := save(t, p)
	want := readTree(t, root, nil)
	for i := range 3 {
		put(t, root, "sub/file", fmt.Sprint("version ", i))
		put(t, root, fmt.Sprintf("new%d/.git/config", i), "[core]\n\tfsmonitor = touch "+filepath.Join(dir, "canaries", "late")+"\n")
		save(t, p)
	}
	for i := range 3 {
		must(t, os.RemoveAll(filepath.Join(root, fmt.Sprintf("new%d", i))))
	}
	_, _, err = p.Diff(t.Context(), first.Hash, "", checkpoint.DiffLimits{})
	must(t, err)
	restore(t, p, first.Hash)
	_, err = p.GC(t.Context(), func(c checkpoint.Checkpoint) bool { return c.Hash == first.Hash })
	must(t, err)
	healthy(t, p)
	restore(t, p, first.Hash)
	if d := differ(want, readTree(t, root, nil)); d != "" {
		t.Error(d)
	}
	if d := differ(own, readTree(t, filepath.Join(root, ".git"), nil)); d != "" {
		t.Error(d)
	}
	if d := differ(sibling, readTree(t, filepath.Join(dir, "outside"), nil)); d != "" {
		t.Error(d)
	}
	if fired := x.Fired(); len(fired) > 0 {
		t.Errorf("fired: %v", fired)
	}
	if stolen := x.Stolen(); len(stolen) > 0 {
		t.Errorf("made: %v", stolen)
	}
}
