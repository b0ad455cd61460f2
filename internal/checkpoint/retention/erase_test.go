package retention_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/session/rewind"
)

// stored gives the content of all objects in all repositories, also of those that
// nothing refers to.
func (d *desk) stored() string {
	d.Helper()
	repos, err := filepath.Glob(filepath.Join(d.data, "checkpoints", "*", "repo"))
	d.must(err)
	var all strings.Builder
	for _, repo := range repos {
		out, err := exec.Command("git", "-C", repo, "cat-file", "--batch-all-objects", "--batch", "--buffer").Output()
		d.must(err)
		all.Write(out)
	}
	return all.String()
}

// Of a session's checkpoints nothing is left, not even what the last save knew of
// files; those of others in the same directory stay, and what a fork needs.
func TestErase(t *testing.T) {
	d := newDesk(t)
	other := rewind.Workspace{Session: "other", Dir: d.at.Dir}
	d.put("a", "of the other")
	_, err := d.Save(t.Context(), other, "")
	d.must(err)
	d.put("secret", "planted one")
	first := d.save()
	d.put("secret", "planted two")
	d.save()
	d.must(os.Remove(filepath.Join(d.at.Dir, "secret")))
	home := rewind.Workspace{Session: d.at.Session}
	_, err = d.Save(t.Context(), home, "") // in the directory that was made for it
	d.must(err)
	made := filepath.Join(d.data, "workspaces", string(d.at.Session))
	d.must(os.WriteFile(filepath.Join(made, "x"), []byte("planted three"), 0o600))
	_, err = d.Save(t.Context(), home, "")
	d.must(err)

	fork := clew.SessionID("fork")
	d.record(clew.EventCheckpointSaved, clew.CheckpointSavedData{ToHash: first.Hash})
	d.records[fork] = d.records[d.at.Session]
	d.must(d.Erase(t.Context(), d.at.Session, []clew.SessionID{fork}))
	if all := d.stored(); strings.Count(all, "planted") != 1 || !strings.Contains(all, "planted one") || !strings.Contains(all, "of the other") {
		t.Errorf("with a fork there is %q", all)
	}
	for range 2 {
		d.must(d.Erase(t.Context(), d.at.Session, nil))
	}
	if all := d.stored(); strings.Contains(all, "planted") || !strings.Contains(all, "of the other") {
		t.Errorf("there is %q", all)
	}
	if _, err := os.Stat(made); !os.IsNotExist(err) {
		t.Errorf("the directory: %v", err)
	}
	d.put("a", "changed") // and it works on
	saved, err := d.Save(t.Context(), other, "")
	d.must(err)
	_, err = d.Save(t.Context(), home, "")
	d.must(err)
	if saved.Hash == "" {
		t.Error("nothing was saved")
	}
}
