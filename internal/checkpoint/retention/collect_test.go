package retention_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/checkpoint"
)

// What a record refers to stays, whatever the record is; the rest goes after an
// hour.
func TestCollect(t *testing.T) {
	d := newDesk(t)
	var saved []string
	for i := range 8 {
		d.put("a", fmt.Sprint(i))
		saved = append(saved, d.save().Hash)
	}
	d.put("a", "before a rewind")
	r, err := d.Restore(t.Context(), d.at, "rw_1", saved[0])
	d.must(err)
	d.put("a", "before a rewind that never got on record as done")
	cut, err := d.Restore(t.Context(), d.at, "rw_2", saved[0])
	d.must(err)
	d.record(clew.EventCheckpointSaved, clew.CheckpointSavedData{FromHash: saved[0], ToHash: saved[1]})
	d.record(clew.EventCheckpointInitialized, clew.CheckpointInitializedData{BaseHash: saved[2]})
	d.record(clew.EventRewindStarted, clew.RewindStartedData{RewindID: "rw_2", Hash: saved[3]})
	d.record(clew.EventHistoryRewound, clew.HistoryRewoundData{Return: clew.Return{Files: &clew.FilesReturned{Hash: saved[4], Before: r.Before}}})
	d.record(clew.EventCheckpointRestored, clew.CheckpointRestoredData{CommitHash: saved[5]})
	d.record(clew.EventMessageCreated, clew.MessageCreatedData{Message: clew.Message{Text: saved[6]}}) // words are no reference

	c, err := d.Collect(t.Context())
	d.must(err)
	if c.Dropped != 0 || c.Checkpoints != 10 {
		t.Errorf("within the hour: %+v", c)
	}
	d.now = d.now.Add(2 * time.Hour)
	d.broken[d.at.Session] = true
	if c, err := d.Collect(t.Context()); err != nil || c.Dropped != 0 || len(c.Unread) != 1 {
		t.Errorf("records that cannot be read: %+v, %v", c, err)
	}
	d.broken[d.at.Session] = false
	c, err = d.Collect(t.Context())
	d.must(err)
	left := d.list()
	if c.Dropped != 2 || len(left) != 8 || slices.Contains(left, saved[6]) || slices.Contains(left, saved[7]) {
		t.Errorf("%+v, left %v", c, left)
	}
	for _, want := range append(saved[:6:6], r.Before, cut.Before) {
		if !slices.Contains(left, want) {
			t.Errorf("%s is gone", want)
		}
	}
	_, err = d.Restore(t.Context(), d.at, "rw_3", saved[5])
	d.must(err)
	if d.read("a") != "5" {
		t.Errorf("a is %q", d.read("a"))
	}
}

// A checkpoint that no record speaks of is taken up again while records are being
// read, or was just before: it may be on record by now.
func TestCollectWhatIsInUse(t *testing.T) {
	for name, use := range map[string]func(d *desk, hash string){
		"saved": func(d *desk, hash string) {
			if d.save().Hash != hash {
				d.Error("it is not taken up again")
			}
		},
		"restored": func(d *desk, hash string) {
			d.put("a", "three")
			_, err := d.Restore(d.Context(), d.at, "rw_1", hash)
			d.must(err)
		},
	} {
		for _, early := range []bool{true, false} {
			t.Run(fmt.Sprint(name, " early ", early), func(t *testing.T) {
				d := newDesk(t)
				d.put("a", "one")
				first := d.save()
				d.record(clew.EventCheckpointSaved, clew.CheckpointSavedData{ToHash: first.Hash})
				d.put("a", "unused")
				unused := d.save()
				d.put("a", "two")
				preview := d.save()
				d.now = d.now.Add(2 * time.Hour)
				if early {
					use(d, preview.Hash)
				} else {
					d.during = func() {
						d.during = nil
						use(d, preview.Hash)
						d.now = d.now.Add(2 * time.Hour) // to read records takes its time
					}
				}
				_, err := d.Collect(t.Context())
				d.must(err)
				if left := d.list(); !slices.Contains(left, preview.Hash) || !slices.Contains(left, first.Hash) || slices.Contains(left, unused.Hash) {
					t.Errorf("left %v of %v", left, []string{first.Hash, unused.Hash, preview.Hash})
				}
				d.now = d.now.Add(2 * time.Hour)
				_, err = d.Collect(t.Context())
				d.must(err)
				if slices.Contains(d.list(), preview.Hash) {
					t.Error("it is kept for ever")
				}
			})
		}
	}
}

func TestCollectByAge(t *testing.T) {
	d := newDesk(t)
	d.values.CheckpointDays = 30
	d.put("a", "1")
	old := d.save()
	d.record(clew.EventCheckpointSaved, clew.CheckpointSavedData{ToHash: old.Hash})
	d.now = d.now.Add(29 * 24 * time.Hour)
	d.put("a", "2")
	young := d.save()
	d.record(clew.EventCheckpointSaved, clew.CheckpointSavedData{ToHash: young.Hash})
	if c, err := d.Collect(t.Context()); err != nil || c.Dropped != 0 {
		t.Errorf("%+v, %v", c, err)
	}
	d.now = d.now.Add(48 * time.Hour)
	c, err := d.Collect(t.Context())
	d.must(err)
	if left := d.list(); c.Dropped != 1 || !slices.Equal(left, []string{young.Hash}) {
		t.Errorf("%+v, left %v", c, left)
	}
	if _, err := d.Restore(t.Context(), d.at, "rw", old.Hash); clew.CodeOf(err) != clew.InvalidMessage {
		t.Errorf("a restore to what is gone: %v", err)
	}
}

// Of sessions that this server does not know, nothing is dropped; nor does one
// damaged workspace keep the others from being looked after.
func TestCollectIsCareful(t *testing.T) {
	d := newDesk(t)
	d.put("a", "1")
	d.save()
	foreign, err := checkpoint.Open(filepath.Join(d.data, "checkpoints"), checkpoint.Options{Now: func() time.Time { return d.now }})
	d.must(err)
	other := t.TempDir()
	p, err := foreign.Workspace(t.Context(), other, checkpoint.Rules{})
	d.must(err)
	_, err = p.Save(t.Context(), checkpoint.Ref{Session: "made-by-hand", ID: "x"})
	d.must(err)
	d.must(foreign.Close())
	d.now = d.now.Add(2 * time.Hour)
	if c, err := d.Collect(t.Context()); err != nil || c.Dropped != 0 || c.Workspaces != 2 {
		t.Errorf("%+v, %v", c, err)
	}
	d.record(clew.EventSessionCreated, clew.SessionCreatedData{})
	d.must(os.RemoveAll(d.at.Dir)) // the workspace is gone: its checkpoints may go, too
	damage(t, filepath.Join(d.data, "checkpoints"), other)
	d.must(d.Close())
	d.open()
	c, err := d.Collect(t.Context())
	d.must(err)
	if c.Dropped != 1 || len(c.Failed) != 1 {
		t.Errorf("%+v", c)
	}
}

// damage makes the checkpoints of a workspace unreadable.
func damage(t *testing.T, store, workspace string) {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(store, "*", "workspace"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if string(b) != workspace+"\n" {
			continue
		}
		packs, _ := filepath.Glob(filepath.Join(filepath.Dir(name), "repo", "objects", "pack", "*.pack"))
		for _, p := range append(packs, filepath.Join(filepath.Dir(name), "repo", "HEAD")) {
			_ = os.Chmod(p, 0o600)
			if err := os.WriteFile(p, []byte("damaged"), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// The server's round comes with each interval and ends with the server.
func TestRun(t *testing.T) {
	d := newDesk(t)
	d.put("a", "1")
	d.save()
	d.record(clew.EventSessionCreated, clew.SessionCreatedData{})
	d.must(d.Close())
	synctest.Test(t, func(t *testing.T) {
		d.open()
		d.now = d.now.Add(2 * time.Hour)
		ctx, stop := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() { defer close(done); d.Keeper.Run(ctx, time.Hour) }()
		time.Sleep(30 * time.Minute) // the bubble's clock
		synctest.Wait()
		early := len(d.list())
		time.Sleep(time.Hour)
		synctest.Wait()
		stop()
		<-done
		d.must(d.Close())
		if late := len(d.list()); early != 1 || late != 0 {
			t.Errorf("%d checkpoints before, %d after", early, late)
		}
	})
}
