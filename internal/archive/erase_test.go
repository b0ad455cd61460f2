package archive

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/clew-run/clew"
)

// testErase: nothing is left of an erased session, and all of its neighbour, whose
// name begins alike.
func testErase(t *testing.T, a *Archive) {
	id, other := clew.SessionID("sess_e"), clew.SessionID("sess_e-2")
	for _, of := range []clew.SessionID{id, other} {
		records := chain(of, clew.Head{}, 2*segmentRecords+10, 30)
		s := put(t, a, nil, of, records[:segmentRecords], "1")
		s = put(t, a, s, of, records[segmentRecords:], "2")
		if err := a.PutState(t.Context(), of, s.Head, []byte("kept")); err != nil { // it waits for its name
			t.Fatal(err)
		}
	}
	ref, err := a.PutBlob(t.Context(), []byte("a blob"))
	if err != nil {
		t.Fatal(err)
	}
	for range 2 { // it may be repeated
		if err := errors.Join(a.Erase(t.Context(), id), a.EraseBlob(t.Context(), ref)); err != nil {
			t.Fatal(err)
		}
	}
	for of, err := range a.Sessions(t.Context()) {
		if err != nil || of != other {
			t.Errorf("%s is there (%v)", of, err)
		}
	}
	if s := latest(t, a, id); s != nil {
		t.Errorf("there is a seal: %+v", s)
	}
	if state, _, err := a.StateBefore(t.Context(), id, 1<<40); state != nil || err != nil {
		t.Errorf("there is a fold: %q, %v", state, err)
	}
	if _, err := a.Blob(t.Context(), ref); !errors.Is(err, ErrNotFound) {
		t.Errorf("the blob: %v", err)
	}
	if err := a.Verify(t.Context(), latest(t, a, other)); err != nil {
		t.Error(err)
	}
}

// What a process that died left in pending/ goes too: nobody can say whose it is.
func TestEraseWhatACrashLeft(t *testing.T) {
	dir := t.TempDir()
	a := openDir(t, dir)
	left := filepath.Join(dir, pendingDir, "dead-1")
	if err := os.WriteFile(left, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	old := time.Now().Add(-2 * asideFor)
	if err := errors.Join(os.Chtimes(left, old, old), a.Erase(t.Context(), "sess_x")); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(left); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("it is there: %v", err)
	}
}

// testOwn: a session that owns its past needs its parent no more, and grows on.
func testOwn(t *testing.T, a *Archive) {
	parent, id := clew.SessionID("sess_parent"), clew.SessionID("sess_child")
	records := chain(parent, clew.Head{}, segmentRecords+100, 30)
	put(t, a, nil, parent, records, "parent")
	base := Base{parent, records[segmentRecords+49].After()}
	s := found(t, a, id, base, "child")
	all := slices.Concat(records[:segmentRecords+50], chain(id, base.Head, 20, 30))
	s = put(t, a, s, id, all[segmentRecords+50:segmentRecords+60], "child")
	_, err := a.Own(t.Context(), s, func(yield func(clew.Record, error) bool) {
		for _, r := range all[:segmentRecords+60] {
			if !yield(r, nil) {
				return
			}
		}
	})
	if err == nil {
		err = a.Sync(t.Context())
	}
	if err == nil {
		err = a.Erase(t.Context(), parent)
	}
	if err != nil {
		t.Fatal(err)
	}
	got := latest(t, a, id)
	if got.Base != (Base{}) || got.Head != s.Head || string(got.State) != "child" {
		t.Fatalf("the seal is %+v", got)
	}
	got = put(t, a, got, id, all[segmentRecords+60:], "child 2")
	wantRecords(t, a, got, all, 1, got.Head.Seq)
	if err := a.Verify(t.Context(), got); err != nil {
		t.Fatal(err)
	}
}
