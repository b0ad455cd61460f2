package checkpoint_test

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/checkpoint"
)

// Directories that hand on their group, and those in which everybody deletes only
// their own, are common where people share a machine: they move as they are. A
// program that runs with another user's rights does not.
func TestParcelOfSharedDirectories(t *testing.T) {
	from, root := place(t, nil, checkpoint.Options{}, checkpoint.Rules{})
	put(t, root, "team/notes", "ours")
	put(t, root, "drop/box", "theirs")
	for name, mode := range map[string]fs.FileMode{"team": 0o775 | fs.ModeSetgid, "drop": 0o777 | fs.ModeSticky} {
		must(t, os.Chmod(filepath.Join(root, name), mode))
		if info, err := os.Stat(filepath.Join(root, name)); err != nil || info.Mode() != mode|fs.ModeDir {
			t.Skipf("this system does not keep %v: %v, %v", mode, info.Mode(), err)
		}
	}
	want := readTree(t, root, nil)
	saved := save(t, from)
	var pack bytes.Buffer
	if missing, err := from.Pack(t.Context(), []string{saved.Hash}, &pack); err != nil || len(missing) > 0 {
		t.Fatal(missing, err)
	}

	there := t.TempDir()
	s := store(t, t.TempDir(), checkpoint.Options{})
	parcel, err := s.Receive(t.Context(), t.TempDir(), &pack, checkpoint.ParcelLimits{})
	must(t, err)
	defer parcel.Close()
	p, err := s.Workspace(t.Context(), there, checkpoint.Rules{})
	must(t, err)
	must(t, p.Accept(t.Context(), parcel, "another"))
	_, err = p.Restore(t.Context(), saved.Hash, checkpoint.RestoreOptions{Session: "another", ID: "r1"})
	must(t, err)
	if d := differ(want, readTree(t, there, nil)); d != "" {
		t.Error(d)
	}

	must(t, os.Chmod(filepath.Join(root, "team", "notes"), 0o755|fs.ModeSetgid))
	saved = save(t, from)
	pack.Reset()
	_, err = from.Pack(t.Context(), []string{saved.Hash}, &pack)
	must(t, err)
	_, err = s.Receive(t.Context(), t.TempDir(), &pack, checkpoint.ParcelLimits{})
	if clew.CodeOf(err) != clew.InvalidMessage || !strings.Contains(err.Error(), "set-group-ID") {
		t.Errorf("a program with another group's rights: %v", err)
	}
}
