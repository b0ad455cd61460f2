package retention_test

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/clew-run/clew/internal/session/rewind"

	"github.com/clew-run/clew"
)

// Checkpoints that came from elsewhere belong to the session that they came with:
// its records keep them, whatever they were called and however old they are, and
// another session of their old name has no say.
func TestParcelUnderAnotherName(t *testing.T) {
	d := newDesk(t)
	d.put("a", "1")
	first := d.save()
	d.put("a", "2")
	second := d.save()
	d.put("a", "3")
	third := d.save()
	var pack bytes.Buffer
	missing, err := d.Pack(t.Context(), d.at, []string{first.Hash, second.Hash, third.Hash}, &pack)
	d.must(err)
	if len(missing) > 0 {
		t.Errorf("missing %v", missing)
	}
	gone := d.at
	gone.Dir = filepath.Join(t.TempDir(), "gone")
	if missing, err := d.Pack(t.Context(), gone, []string{first.Hash}, &bytes.Buffer{}); err != nil || len(missing) != 1 {
		t.Errorf("a workspace that is not here: %v, %v", missing, err)
	}

	e := newDesk(t) // another server
	e.record(clew.EventSessionCreated, clew.SessionCreatedData{Owner: "eve"})
	old := e.at.Session
	e.at = rewind.Workspace{Session: "sess_new"} // without a workspace of its own
	home := filepath.Join(e.data, "workspaces", "sess_new")
	got, err := e.Unpack(t.Context(), &pack)
	e.must(err)
	if len(e.list()) > 0 {
		t.Error("it is kept before it is asked for")
	}
	e.must(got.Keep(t.Context(), e.at))
	got.Close()
	e.now = d.now.Add(1000 * time.Hour)
	if c, err := e.Collect(t.Context()); err != nil || c.Dropped != 0 || !slices.Contains(c.Unread, "sess_new") || slices.Contains(c.Unread, old) {
		t.Errorf("before the session is there: %+v, %v", c, err)
	}
	e.record(clew.EventCheckpointSaved, clew.CheckpointSavedData{ToHash: first.Hash, CheckpointID: "x"})
	e.record(clew.EventCheckpointSaved, clew.CheckpointSavedData{ToHash: second.Hash, CheckpointID: "y"})
	if c, err := e.Collect(t.Context()); err != nil || c.Dropped != 1 {
		t.Errorf("%+v, %v", c, err)
	}
	if left := e.list(); len(left) != 2 || slices.Contains(left, third.Hash) {
		t.Errorf("left %v", left)
	}
	_, err = e.Restore(t.Context(), e.at, "rw_1", second.Hash)
	e.must(err)
	if b, err := os.ReadFile(filepath.Join(home, "a")); err != nil || string(b) != "2" {
		t.Errorf("a is %q, %v", b, err)
	}
	diff, _, err := e.Diff(t.Context(), e.at, first.Hash, second.Hash, 10)
	if err != nil || len(diff) != 1 || diff[0].Content.Before != "1" || diff[0].Content.After != "2" {
		t.Errorf("%+v, %v", diff, err)
	}
	inventory, err := e.Inventory(t.Context(), "sess_new")
	if err != nil || len(inventory) != 1 || len(inventory[0].Checkpoints) < 2 || inventory[0].Checkpoints[0].SessionID != "sess_new" {
		t.Errorf("%+v, %v", inventory, err)
	}
	if n, found, err := e.Check(t.Context(), ""); err != nil || n != 1 || len(found) > 0 {
		t.Errorf("%d, %v, %v", n, found, err)
	}
}
