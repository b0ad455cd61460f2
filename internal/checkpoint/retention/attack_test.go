package retention_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/clew-run/clew/internal/session/rewind"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/checkpoint/checkpointtest/trap"
)

// From a session's point of view: whatever lies in the workspace, at home or in
// the environment, nothing of it runs, the person's repository is not touched
// and nothing outside is written.
// Covers: CHK-01, CHK-06, CHK-24
func TestHostileWorkspace(t *testing.T) {
	d := newDesk(t)
	d.put("a", "1")
	x := trap.New(t, filepath.Dir(d.at.Dir), d.at.Dir)
	for name, value := range x.Env {
		t.Setenv(name, value)
	}
	outside := filepath.Join(filepath.Dir(d.at.Dir), "outside")
	d.must(os.Symlink(outside, filepath.Join(d.at.Dir, "link")))
	repo := d.read(".git/config")

	first := d.save()
	d.put("a", "2")
	d.must(os.Remove(filepath.Join(d.at.Dir, "link")))
	d.put("link/file", "in a directory where the link was")
	d.save()
	d.must(os.RemoveAll(filepath.Join(d.at.Dir, "link")))
	d.must(os.Symlink(outside, filepath.Join(d.at.Dir, "link")))
	d.put("late/.git/config", repo)
	second := d.save()
	_, _, err := d.Diff(t.Context(), d.at, first.Hash, "", 10)
	d.must(err)
	_, err = d.Restore(t.Context(), d.at, "rw_1", first.Hash)
	d.must(err)
	d.must(d.Copy(t.Context(), d.at, first.Hash, rewind.Workspace{Session: "fork", Dir: filepath.Join(filepath.Dir(d.at.Dir), "copy")}))
	d.record(clew.EventCheckpointSaved, clew.CheckpointSavedData{ToHash: first.Hash})
	d.now = d.now.Add(2 * time.Hour)
	if c, err := d.Collect(t.Context()); err != nil || c.Dropped == 0 {
		t.Errorf("collected %+v, %v", c, err)
	}
	if _, err := d.Restore(t.Context(), d.at, "rw_2", second.Hash); err == nil {
		t.Error("a checkpoint that was dropped is there")
	}

	if d.read("a") != "1" || d.read(".git/config") != repo || d.read("../outside/file") != "mine" || d.read("late/.git/config") != repo {
		t.Error("the files are not what they were")
	}
	if target, err := os.Readlink(filepath.Join(d.at.Dir, "link")); err != nil || target != outside {
		t.Errorf("the link leads to %q, %v", target, err)
	}
	if fired := x.Fired(); len(fired) > 0 {
		t.Errorf("fired: %v", fired)
	}
	if stolen := x.Stolen(); len(stolen) > 0 {
		t.Errorf("made: %v", stolen)
	}
}
