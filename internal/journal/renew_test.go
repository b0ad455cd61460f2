package journal

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/clew-run/clew"
)

// filesWith counts the files below a directory that have a text in them.
func filesWith(t *testing.T, dir, text string) (n int) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) { // the engine is at work
			return nil
		}
		if err != nil || !e.Type().IsRegular() {
			return err
		}
		b, err := os.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if bytes.Contains(b, []byte(text)) {
			n++
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// Of a renewed table nothing is left on the disk but its rows: not what they were
// before, nor those that were deleted. The rows can be written on as before.
func TestRenewedTable(t *testing.T) {
	for _, fading := range []bool{false, true} {
		t.Run(fmt.Sprint("fading=", fading), func(t *testing.T) {
			dir := t.TempDir()
			g := newGround(t, dir)
			open := func() (*Table, error) { return g.j.Table(t.Context(), "TRIED") }
			if fading {
				open = func() (*Table, error) { return g.j.FadingTable(t.Context(), "TRIED", 0) }
			}
			table, err := open()
			if err != nil {
				t.Fatal(err)
			}
			for _, text := range []string{"was-before", "is-now"} {
				for i := range 100 {
					err = errors.Join(err, table.Put(t.Context(), fmt.Sprint("row", i), []byte(text)))
				}
			}
			err = errors.Join(err, table.Put(t.Context(), "gone", []byte("was-deleted")), table.Drop(t.Context(), "gone"))
			_, revision, getErr := table.Get(t.Context(), "row7")
			if err := errors.Join(err, getErr); err != nil {
				t.Fatal(err)
			}
			if filesWith(t, dir, "was-before") == 0 || filesWith(t, dir, "was-deleted") == 0 {
				t.Fatal("the engine forgets by itself: the test shows nothing")
			}
			for range 2 {
				if err := table.renew(t.Context(), g.j); err != nil {
					t.Fatal(err)
				}
			}
			for _, text := range []string{"was-before", "was-deleted"} {
				if n := filesWith(t, dir, text); n > 0 {
					t.Errorf("%d files have %q", n, text)
				}
			}
			rows, err := table.List(t.Context())
			if err != nil || len(rows) != 100 || string(rows["row7"]) != "is-now" {
				t.Errorf("%d rows, %v", len(rows), err)
			}
			if _, err := table.update(t.Context(), "row7", nil, revision); !errors.Is(err, errRowChanged) {
				t.Errorf("an old revision was taken: %v", err)
			}
			_, revision, _ = table.Get(t.Context(), "row7")
			if _, err := table.update(t.Context(), "row7", []byte("next"), revision); err != nil {
				t.Error(err)
			}
		})
	}
}

// What was purged from a partition's stream, or sealed, is no longer in its files,
// and the sessions go on.
func TestRenewedPartition(t *testing.T) {
	dir := t.TempDir()
	g := newGround(t, dir)
	for i := range 5 {
		g.create(clew.SessionID(fmt.Sprint("sess_", i)), 10)
	}
	cmd := clew.Command{Type: clew.CommandRenameSession, By: owner, Data: &clew.RenameSessionData{Title: "planted-text"}}
	if _, err := g.h.Do(t.Context(), "sess_1", cmd); err != nil {
		t.Fatal(err)
	}
	then := time.Now()
	g.rename("sess_2", 3)
	if err := g.j.SweepPartition(t.Context(), 0, then, g.h.Seal); err != nil { // sealed and cut, as after some minutes
		t.Fatal(err)
	}
	engine := filepath.Join(dir, "engine", "jetstream", "$G", "streams", "CLEW_J_0")
	if filesWith(t, engine, "planted-text") == 0 {
		t.Fatal("the engine forgets by itself: the test shows nothing")
	}
	if err := g.j.renewPartition(t.Context(), 0, g.h.Seal); err != nil {
		t.Fatal(err)
	}
	if n := filesWith(t, engine, "planted-text"); n > 0 {
		t.Errorf("%d files have it", n)
	}
	g.rename("sess_2", 3)
	g.whole("sess_2", 16)
	g.whole("sess_1", 11)
	if _, err := g.j.Recent(t.Context()); err != nil {
		t.Error(err)
	}
}

// A purge that leaves nothing in a stream has its files removed after the engine
// has answered. Nothing is called gone before.
func TestRenewAwaitsTheFiles(t *testing.T) {
	j := openForHealing(t)
	aside := filepath.Join(j.cfg.streamDir(j.streamName(0)), "__msgs__")
	if err := os.Mkdir(aside, 0o700); err != nil {
		t.Fatal(err)
	}
	subject := j.subject("j", "0", "f", "filler")
	last, err := j.beginBlock(t.Context(), newMsg(subject, nil))
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error)
	go func() { ended <- j.endBlock(t.Context(), j.streams[0], subject, last) }()
	select {
	case err := <-ended:
		t.Fatalf("files that are put aside were not waited for: %v", err)
	case <-time.After(5 * removedPause):
	}
	if err := os.Remove(aside); err != nil {
		t.Error(err)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// The mark that a session was at work holds up the sweep no more once the session was
// deleted; records that nobody sealed do.
func TestSweepOfADeletedSession(t *testing.T) {
	g := newGround(t, t.TempDir())
	g.create("sess_1", 5)
	gone := func(context.Context, clew.SessionID) error { return clew.Errorf(clew.SessionNotFound, "deleted") }
	sweepGone := func() uint64 {
		t.Helper()
		p, _ := g.j.sessionSubject("sess_1")
		if err := g.j.SweepPartition(t.Context(), p, time.Now().Add(time.Hour), gone); err != nil {
			t.Fatal(err)
		}
		info, err := g.j.streams[p].Info(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return info.State.Msgs
	}
	if sweepGone() == 0 {
		t.Fatal("records went that are not sealed")
	}
	if err := errors.Join(g.h.Seal(t.Context(), "sess_1"), g.j.Flush(t.Context())); err != nil {
		t.Fatal(err)
	}
	_, subject := g.j.sessionSubject("sess_1")
	if _, err := g.j.js.PublishMsg(t.Context(), newMsg(subject, nil)); err != nil {
		t.Fatal(err)
	}
	if n := sweepGone(); n != 0 {
		t.Errorf("%d messages are left", n)
	}
}
