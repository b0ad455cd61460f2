package retention_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/clew-run/clew/internal/session/rewind"

	"github.com/clew-run/clew"
)

// in goes on with another session.
func (d *desk) in(id clew.SessionID, dir string) {
	d.at = rewind.Workspace{Session: id, Dir: dir}
}

// inherit gives a session the records of another, and one of its own.
func (d *desk) inherit(parent, fork clew.SessionID) {
	d.Helper()
	d.records[fork] = slices.Clone(d.records[parent])
	b, err := json.Marshal(clew.SessionCreatedData{ForkedFrom: &clew.ForkPoint{SessionID: parent}})
	d.must(err)
	list := d.records[fork]
	d.records[fork] = append(list, list[len(list)-1].After().Next(fork, 1, d.now.UnixMilli(), "ann", clew.EventSessionCreated, b))
}

// recorded saves, and puts it on record.
func (d *desk) recorded() string {
	d.Helper()
	s := d.save()
	d.record(clew.EventCheckpointSaved, clew.CheckpointSavedData{ToHash: s.Hash, CheckpointID: s.ID})
	return s.Hash
}

// reach says by which ways the session gets at a checkpoint.
func (d *desk) reach(hash string) (ways []string) {
	d.Helper()
	note := func(way string, err error) {
		switch {
		case err == nil:
			ways = append(ways, way)
		case clew.CodeOf(err) != clew.InvalidMessage:
			d.Errorf("%s: %v", way, err)
		}
	}
	_, _, err := d.Diff(d.Context(), d.at, hash, "", 10)
	note("from", err)
	if own := d.save().Hash; own != hash {
		_, _, err = d.Diff(d.Context(), d.at, own, hash, 10)
		note("to", err)
	}
	note("copy", d.Copy(d.Context(), d.at, hash, rewind.Workspace{Session: "copy", Dir: filepath.Join(d.TempDir(), "copy")}))
	var pack bytes.Buffer
	missing, err := d.Pack(d.Context(), d.at, []string{hash}, &pack)
	d.must(err)
	if len(missing) == 0 || pack.Len() > 0 {
		ways = append(ways, "pack")
	}
	_, err = d.Restore(d.Context(), d.at, "rw_"+hash[:8], hash)
	note("restore", err)
	return ways
}

// In a directory that several work in, nobody gets at the checkpoints of others,
// not even who knows what they are called.
func TestOthersCheckpoints(t *testing.T) {
	d := newDesk(t)
	dir := d.at.Dir
	d.in("sess_ann", dir)
	d.record(clew.EventSessionCreated, clew.SessionCreatedData{Owner: "ann"})
	d.put("a", "ann's secret")
	secret := d.recorded()
	d.put("a", "public")
	later := d.recorded()

	d.in("sess_bob", dir)
	d.record(clew.EventSessionCreated, clew.SessionCreatedData{Owner: "bob"})
	if _, _, err := d.Diff(t.Context(), d.at, "", "", 10); clew.CodeOf(err) != clew.SessionInvalidState {
		t.Errorf("a session without a checkpoint compares with one: %v", err)
	}
	if ways := d.reach(secret); len(ways) > 0 || d.read("a") != "public" {
		t.Errorf("bob gets at ann's by %v", ways)
	}
	d.in("sess_eve", dir) // from elsewhere, with records made up by a stranger
	d.record(clew.EventSessionCreated, clew.SessionCreatedData{})
	d.record(clew.EventCheckpointSaved, clew.CheckpointSavedData{ToHash: secret})
	d.records["sess_eve"] = rename(t, d.records["sess_eve"], "sess_ann")
	d.record(clew.EventSessionImported, clew.SessionImportedData{Owner: "eve"})
	d.record(clew.EventCheckpointSaved, clew.CheckpointSavedData{FromHash: secret, ToHash: d.save().Hash})
	if ways := d.reach(secret); len(ways) > 0 {
		t.Errorf("an import gets at ann's by %v", ways)
	}
	d.inherit("sess_eve", "sess_eve2")
	d.in("sess_eve2", dir)
	if ways := d.reach(secret); len(ways) > 0 {
		t.Errorf("the fork of an import gets at ann's by %v", ways)
	}

	d.in("sess_ann", dir)
	d.inherit("sess_ann", "fork")
	d.put("a", "after the fork")
	after := d.recorded()
	d.in("fork", dir)
	for _, hash := range []string{secret, later} {
		if ways := d.reach(hash); len(ways) != 5 {
			t.Errorf("a fork gets at what it began with by %v alone", ways)
		}
	}
	d.record(clew.EventRewindStarted, clew.RewindStartedData{RewindID: "rw_2", Hash: after}) // as a restore begins
	if ways := d.reach(after); len(ways) > 0 {
		t.Errorf("a fork gets at what came after it by %v", ways)
	}
	d.broken["fork"] = true
	if _, _, err := d.Diff(t.Context(), d.at, secret, "", 10); err == nil || clew.CodeOf(err) == clew.InvalidMessage {
		t.Errorf("records that cannot be read: %v", err)
	}
}

// rename has another session for the writer of records.
func rename(t *testing.T, records []clew.Record, to clew.SessionID) []clew.Record {
	t.Helper()
	var list []clew.Record
	var head clew.Head
	for _, r := range records {
		r = head.Next(to, r.Term, r.TS, r.By, r.Type, r.Data())
		list, head = append(list, r), r.After()
	}
	return list
}

// What came along with an import is its own, and that of its forks and theirs.
func TestForkOfImport(t *testing.T) {
	d := newDesk(t)
	d.put("a", "1")
	first := d.recorded()
	d.put("a", "2")
	second := d.recorded()
	var pack bytes.Buffer
	_, err := d.Pack(t.Context(), d.at, []string{first, second}, &pack)
	d.must(err)

	e := newDesk(t)
	dir := e.at.Dir
	e.records["imported"] = rename(t, d.records[d.at.Session], "sess_elsewhere")
	e.in("imported", dir)
	parcel, err := e.Unpack(t.Context(), &pack)
	e.must(err)
	e.must(parcel.Keep(t.Context(), e.at))
	parcel.Close()
	e.record(clew.EventSessionImported, clew.SessionImportedData{})
	if ways := e.reach(first); len(ways) != 5 {
		t.Errorf("the import gets at it by %v", ways)
	}
	e.inherit("imported", "fork1") // in the same directory
	e.in("fork1", dir)
	if ways := e.reach(second); len(ways) != 5 {
		t.Errorf("its fork gets at it by %v", ways)
	}
	e.inherit("fork1", "fork2")
	other := filepath.Join(t.TempDir(), "other")
	e.must(e.Copy(t.Context(), e.at, second, rewind.Workspace{Session: "fork2", Dir: other}))
	e.inherit("fork2", "fork3") // where that one is
	for _, id := range []clew.SessionID{"fork2", "fork3"} {
		e.in(id, other)
		if ways := e.reach(first); len(ways) != 5 {
			t.Errorf("%s gets at it by %v", id, ways)
		}
	}
}

// A fork with a directory of its own can go wherever its records lead: to before
// the fork it was made of, and to what is younger than the files it begins with.
func TestForksGoBack(t *testing.T) {
	d := newDesk(t)
	up := filepath.Dir(d.at.Dir)
	d.record(clew.EventSessionCreated, clew.SessionCreatedData{})
	d.put("a", "1")
	first := d.recorded()
	d.put("a", "2")
	second := d.recorded()
	root := d.at
	back := func(hash, want string) {
		t.Helper()
		_, err := d.Restore(t.Context(), d.at, "rw_"+want, hash)
		if err != nil || d.read("a") != want {
			t.Errorf("%s goes back to %q: %v", d.at.Session, d.read("a"), err)
		}
	}
	fork := func(id clew.SessionID, hash string) {
		t.Helper()
		to := rewind.Workspace{Session: id, Dir: filepath.Join(up, string(id))}
		d.inherit(d.at.Session, id)
		d.must(d.Copy(t.Context(), d.at, hash, to))
		d.must(d.Copy(t.Context(), d.at, hash, to)) // as after a crash
		d.at = to
	}
	fork("fork1", second)
	d.put("a", "3")
	third := d.recorded()
	fork("fork2", third)
	back(first, "1")
	back(third, "3")
	if inventory, err := d.Inventory(t.Context(), "fork2"); err != nil || len(inventory) != 1 || len(inventory[0].Checkpoints) != 3 {
		t.Errorf("of the fork is kept %+v, %v", inventory, err)
	}

	d.at = root
	r, err := d.Restore(t.Context(), d.at, "rw_back", first)
	d.must(err)
	d.record(clew.EventCheckpointRestored, clew.CheckpointRestoredData{CommitHash: first, Files: &clew.FilesReturned{Before: r.Before}})
	d.put("a", "not on record")
	stray := d.save().Hash
	fork("fork3", first)
	back(second, "2")
	if _, err := d.Restore(t.Context(), d.at, "rw_stray", stray); clew.CodeOf(err) != clew.InvalidMessage {
		t.Errorf("the fork has what its records do not speak of: %v", err)
	}
	d.must(os.RemoveAll(root.Dir)) // it needs nothing of the other
	back(first, "1")
}
