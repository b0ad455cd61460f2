package checkpoint_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/checkpoint"
)

// Some paths alone are taken back; all others stay as they are, and the undo is
// of the same paths.
func TestRestorePaths(t *testing.T) {
	p, root := place(t, map[string]string{
		"a": "1", "b": "1", "d/x": "1", "d/y": "1", "deep/er/file": "1", "gone/all/file": "1", "gone/all/other": "1", "kind/in": "1",
	}, checkpoint.Options{}, checkpoint.Rules{})
	first := save(t, p)
	for _, name := range []string{"a", "b", "d/x", "d/new"} {
		put(t, root, name, "2")
	}
	must(t, os.RemoveAll(filepath.Join(root, "gone")))
	must(t, os.RemoveAll(filepath.Join(root, "kind")))
	put(t, root, "kind", "a file")
	put(t, root, "extra", "2")
	before := readTree(t, root, nil)
	paths := []string{"a", "d", "gone/all/file", "extra", "kind/in", "none/such"}
	r := restore(t, p, first.Hash, paths...)
	got := readTree(t, root, nil)
	for name, want := range map[string]string{"a": "1", "b": "2", "d/x": "1", "d/y": "1", "gone/all/file": "1", "deep/er/file": "1", "kind": "a file"} {
		if b, _ := os.ReadFile(filepath.Join(root, name)); string(b) != want {
			t.Errorf("%s is %q", name, b)
		}
	}
	for _, name := range []string{"d/new", "extra", "gone/all/other"} {
		if got[name] != "" {
			t.Errorf("%s is there", name)
		}
	}
	if !slices.Contains(r.Left, "kind") {
		t.Errorf("%+v", r)
	}
	put(t, root, "b", "3") // not of these paths, and not saved
	restore(t, p, r.Before.Hash, paths...)
	if b, _ := os.ReadFile(filepath.Join(root, "b")); string(b) != "3" {
		t.Errorf("b is %q", b)
	}
	put(t, root, "b", "2")
	after := readTree(t, root, nil)
	for _, dir := range []string{"gone", "gone/all"} { // made on the way, and not asked for
		if before[dir] == "" {
			delete(after, dir)
		}
	}
	if d := differ(before, after); d != "" {
		t.Error(d)
	}
	healthy(t, p)
}

func TestRestorePathsRefused(t *testing.T) {
	p, _ := place(t, map[string]string{"a": "1"}, checkpoint.Options{}, checkpoint.Rules{})
	s := save(t, p)
	for _, path := range []string{"", ".", "..", "../x", "/etc", "a/../../x", ".git", "sub/.git/config", "x\x00"} {
		_, err := p.Restore(t.Context(), s.Hash, checkpoint.RestoreOptions{Session: "sess", ID: nextID(), Paths: []string{path}})
		if clew.CodeOf(err) != clew.InvalidMessage {
			t.Errorf("%q: %v", path, err)
		}
	}
	for _, hash := range []string{"", "HEAD", "--all", "0000", s.Hash[:10], "ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff"} {
		_, err := p.Restore(t.Context(), hash, checkpoint.RestoreOptions{Session: "sess", ID: nextID()})
		if clew.CodeOf(err) != clew.InvalidMessage {
			t.Errorf("%q: %v", hash, err)
		}
	}
	for _, id := range []string{"", "../x", "a/b", "-x", ".x", "x.lock", "a b", "x\n"} {
		if _, err := p.Save(t.Context(), checkpoint.Ref{Session: "sess", ID: id, AllowEmpty: true}); clew.CodeOf(err) != clew.InvalidMessage {
			t.Errorf("%q: %v", id, err)
		}
	}
	if _, err := p.Save(t.Context(), checkpoint.Ref{Session: "sess", ID: s.ID, AllowEmpty: true}); clew.CodeOf(err) != clew.CheckpointFailed {
		t.Error(err)
	}
}
