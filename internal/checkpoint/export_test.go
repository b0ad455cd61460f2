package checkpoint_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/checkpoint"
)

// odd has everything that a copy could get wrong.
func odd(t *testing.T, root string) {
	t.Helper()
	put(t, root, "deep/er/file", "x\r\n")
	put(t, root, "empty/", "")
	put(t, root, "link", "->/nowhere/at all")
	put(t, root, "name \xff\n", "\x00\x01")
	put(t, root, "run.sh", "#!/bin/sh\n")
	must(t, os.Chmod(filepath.Join(root, "run.sh"), 0o750))
	put(t, root, "closed/file", "y")
	must(t, os.Chmod(filepath.Join(root, "closed"), 0o555))
	t.Cleanup(func() { _ = os.Chmod(filepath.Join(root, "closed"), 0o755) })
	must(t, os.Chmod(root, 0o711))
}

func TestExportIsExact(t *testing.T) {
	p, root := place(t, nil, checkpoint.Options{}, checkpoint.Rules{})
	odd(t, root)
	s := save(t, p)
	want := readTree(t, root, nil)
	put(t, root, "later", "z")
	save(t, p)
	dir := t.TempDir()
	empty := filepath.Join(dir, "empty")
	must(t, os.Mkdir(empty, 0o755))
	for _, to := range []string{filepath.Join(dir, "not", "there"), empty} {
		must(t, p.Export(t.Context(), filepath.Base(to), s.Hash, to))
		must(t, p.Export(t.Context(), filepath.Base(to), s.Hash, to)) // the same one again
		if d := differ(want, readTree(t, to, nil)); d != "" {
			t.Errorf("%s: %s", to, d)
		}
		must(t, os.Chmod(filepath.Join(to, "closed"), 0o755)) // for the cleaning up
		err := p.Export(t.Context(), "other", s.Hash, to)
		if clew.CodeOf(err) != clew.InvalidMessage {
			t.Errorf("a copy over another: %v", err)
		}
	}
	names, err := os.ReadDir(dir)
	must(t, err)
	if len(names) != 2 {
		t.Errorf("left behind: %v", names)
	}
}

func TestExportRefuses(t *testing.T) {
	p, root := place(t, map[string]string{"a": "1"}, checkpoint.Options{}, checkpoint.Rules{})
	s := save(t, p)
	home := t.TempDir()
	t.Setenv("HOME", home)
	file := filepath.Join(t.TempDir(), "file")
	put(t, filepath.Dir(file), "file", "x")
	for name, to := range map[string]string{
		"the source": root, "a file": file, "relative": "there", "home": home, "Documents": filepath.Join(home, "Documents"),
		"the store": filepath.Join(filepath.Dir(root), "data", "copy"),
	} {
		if err := p.Export(t.Context(), "copy", s.Hash, to); err == nil {
			t.Errorf("%s: copied", name)
		}
	}
	if err := p.Export(t.Context(), "copy", strings.Repeat("0", 64), filepath.Join(home, "new")); clew.CodeOf(err) != clew.InvalidMessage {
		t.Errorf("an unknown checkpoint: %v", err)
	}
	if _, err := os.Lstat(filepath.Join(home, "new")); err == nil {
		t.Error("a refused copy left a directory")
	}
}

// A restore whose state before was saved and that was then cut off can be asked
// for again, with the same name, whatever happened to the files since.
func TestRestoreAgainUnderItsName(t *testing.T) {
	p, root := place(t, map[string]string{"a": "1"}, checkpoint.Options{}, checkpoint.Rules{})
	first := save(t, p)
	put(t, root, "a", "2")
	_, err := p.Save(t.Context(), checkpoint.Ref{Session: "s", ID: "back"}) // as the first try left it
	must(t, err)
	put(t, root, "a", "3")
	r, err := p.Restore(t.Context(), first.Hash, checkpoint.RestoreOptions{Session: "s", ID: "back"})
	must(t, err)
	if r.Before.ID != "back-2" || !r.Before.Changed {
		t.Errorf("the state before is %+v", r.Before)
	}
	got, err := p.Recover(t.Context(), "s")
	must(t, err)
	if got.ID != "back" || got.From != r.Before.Hash || got.Changed != 1 || got.Removed != 0 {
		t.Errorf("the last restore is %+v", got)
	}
}

// After a restore the files are those of the checkpoint restored: to save them
// makes no other.
func TestSaveAfterRestore(t *testing.T) {
	p, root := place(t, map[string]string{"a": "1"}, checkpoint.Options{}, checkpoint.Rules{})
	first := save(t, p)
	put(t, root, "a", "2")
	save(t, p)
	put(t, root, "a", "3")
	restore(t, p, first.Hash)
	if s := save(t, p); s.Changed || s.Hash != first.Hash {
		t.Errorf("saved %+v, want %s", s, first.Hash)
	}
	put(t, root, "a", "4")
	save(t, p)
	put(t, root, "a", "1")
	if s := save(t, p); !s.Changed {
		t.Error("a state that came about anew was taken for the restored one")
	}
}

func TestPlacesAndLimits(t *testing.T) {
	dir := t.TempDir()
	root := filepath.Join(dir, "work")
	put(t, root, "small", "x")
	put(t, root, "large", strings.Repeat("x", 2000))
	s := store(t, filepath.Join(dir, "data"), checkpoint.Options{MaxFile: 1000})
	p, err := s.Workspace(t.Context(), root, checkpoint.Rules{})
	must(t, err)
	if got := save(t, p); got.Files != 1 || len(got.Left) != 1 {
		t.Errorf("saved %+v", got)
	}
	s.SetLimits(0, 0)
	if got := save(t, p); got.Files != 2 || len(got.Left) != 0 {
		t.Errorf("after the limit was lifted: %+v", got)
	}
	s.SetLimits(0, 1)
	put(t, root, "more", "y")
	if _, err := p.Save(t.Context(), checkpoint.Ref{Session: "s", ID: "over"}); clew.CodeOf(err) != clew.CheckpointFailed {
		t.Errorf("over the quota: %v", err)
	}
	must(t, os.RemoveAll(root)) // a workspace that is gone can be looked after still
	places, err := s.Places()
	must(t, err)
	if len(places) != 1 || places[0].Root() != p.Root() {
		t.Fatalf("places %v", places)
	}
	list, err := places[0].List(t.Context(), "")
	must(t, err)
	if len(list) != 2 {
		t.Errorf("checkpoints %v", list)
	}
	_, err = places[0].GC(t.Context(), func(checkpoint.Checkpoint) bool { return false })
	must(t, err)
	if left, err := places[0].List(t.Context(), ""); err != nil || len(left) != 0 {
		t.Errorf("left %v, %v", left, err)
	}
}

// A copy that fails leaves nothing, not even where it may not remove at once.
func TestExportFails(t *testing.T) {
	p, root := place(t, nil, checkpoint.Options{}, checkpoint.Rules{})
	odd(t, root)
	s := save(t, p)
	dir := t.TempDir()
	to := filepath.Join(dir, "to")
	must(t, unix.Mkfifo(to, 0o600)) // nothing can take its place
	if err := p.Export(t.Context(), "copy", s.Hash, to); err == nil {
		t.Error("copied over a pipe")
	}
	names, err := os.ReadDir(dir)
	must(t, err)
	if len(names) != 1 {
		t.Errorf("left behind: %v", names)
	}
}
