package checkpoint_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/checkpoint"
)

// Whole accounts and folders of the system are refused by name.
// Covers: CHK-03
func TestRefused(t *testing.T) {
	home := filepath.Join(t.TempDir(), "home")
	for _, name := range []string{"Desktop/x/", "Documents/", "Downloads/", "project/"} {
		put(t, home, name, "")
	}
	t.Setenv("HOME", home)
	data := filepath.Join(home, "project", "data")
	s := store(t, data, checkpoint.Options{})
	for _, dir := range []string{home, home + "/Desktop", home + "/Documents", home + "/Downloads", home + "/project/../Desktop", "/", "/etc", "/usr", data, data + "/sub"} {
		must(t, os.MkdirAll(filepath.Join(data, "sub"), 0o755))
		_, err := s.Workspace(t.Context(), dir, checkpoint.Rules{})
		if clew.CodeOf(err) != clew.Forbidden {
			t.Errorf("%s: %v", dir, err)
		}
	}
	for _, dir := range []string{"relative", "", home + "/none", "/x\x00"} {
		if _, err := s.Workspace(t.Context(), dir, checkpoint.Rules{}); clew.CodeOf(err) != clew.InvalidMessage {
			t.Errorf("%s: %v", dir, err)
		}
	}
	// A store inside the workspace does not save itself.
	put(t, home, "project/file", "x")
	p, err := s.Workspace(t.Context(), filepath.Join(home, "project"), checkpoint.Rules{})
	must(t, err)
	if sv := save(t, p); sv.Files != 1 {
		t.Errorf("%+v", sv)
	}
	if _, err := s.Workspace(t.Context(), home+"/Desktop/x", checkpoint.Rules{}); err != nil {
		t.Error(err)
	}
}

func exists(root, name string) bool {
	_, err := os.Lstat(filepath.Join(root, name))
	return err == nil
}

// What the rules of now or of then leave alone is neither taken away nor
// written.
func TestRulesChange(t *testing.T) {
	p, root := place(t, map[string]string{"a": "1", "later.key": "saved", "d/x.log": "log", "d/y": "1"}, checkpoint.Options{}, checkpoint.Rules{})
	open := save(t, p)
	put(t, root, ".clewignore", "*.key\n")
	put(t, root, "d/.clewignore", "*.log\n")
	put(t, root, "a", "2")
	closed := save(t, p)
	if closed.Files != 4 {
		t.Errorf("%+v", closed)
	}
	put(t, root, "later.key", "not saved")
	must(t, os.Remove(filepath.Join(root, "d/x.log")))
	r := restore(t, p, open.Hash)
	if b, _ := os.ReadFile(filepath.Join(root, "later.key")); string(b) != "not saved" || !slices.Contains(r.Left, "later.key") {
		t.Errorf("an ignored file was written: %q %+v", b, r)
	}
	if exists(root, "d/x.log") || !slices.Contains(r.Left, "d/x.log") {
		t.Errorf("an ignored file was made: %+v", r)
	}
	if exists(root, ".clewignore") {
		t.Error("the ignore file itself is a file like others")
	}
	// Now nothing is ignored. The checkpoint with rules knows what it left out.
	r = restore(t, p, closed.Hash)
	if b, _ := os.ReadFile(filepath.Join(root, "later.key")); string(b) != "not saved" {
		t.Errorf("a file that was ignored then was taken away: %+v", r)
	}
	if !exists(root, ".clewignore") {
		t.Error("the ignore file did not come back")
	}
}

// A directory that should go stays if something in it is left alone.
func TestDirectoryStays(t *testing.T) {
	p, root := place(t, map[string]string{"a": "1", "kind": "a file"}, checkpoint.Options{}, checkpoint.Rules{})
	s := save(t, p)
	must(t, os.Remove(filepath.Join(root, "kind")))
	put(t, root, "new/deep/node_modules/m", "left alone")
	put(t, root, "new/deep/gone", "x")
	put(t, root, "kind/.git/HEAD", "ref: refs/heads/main\n")
	put(t, root, "kind/gone", "x")
	must(t, unix.Chmod(filepath.Join(root, "new"), 0o700))
	r := restore(t, p, s.Hash)
	if !exists(root, "new/deep/node_modules/m") || exists(root, "new/deep/gone") || !exists(root, "kind/.git/HEAD") || exists(root, "kind/gone") {
		t.Errorf("%+v", r)
	}
	for _, name := range []string{"new", "new/deep", "kind"} {
		if !slices.Contains(r.Left, name) {
			t.Errorf("%s is not named: %+v", name, r)
		}
	}
	restore(t, p, r.Before.Hash)
	if !exists(root, "new/deep/gone") || !exists(root, "kind/gone") {
		t.Error("the undo is not whole")
	}
}

// A function of the caller may decide, and rules that cannot be read leave all
// alone.
func TestIgnoreFunction(t *testing.T) {
	hide := "b"
	p, root := place(t, map[string]string{"a": "1", "b": "1", "c/b": "1", "u/x": "1"}, checkpoint.Options{}, checkpoint.Rules{
		Ignore: func(path string, dir bool) bool { return path == hide && !dir },
	})
	must(t, os.Mkdir(filepath.Join(root, "u/.clewignore"), 0o755))
	if s := save(t, p); s.Files != 2 {
		t.Errorf("%+v", s)
	}
	hide = "c/b"
	must(t, os.Remove(filepath.Join(root, "u/.clewignore")))
	must(t, os.Symlink("../rules", filepath.Join(root, "u/.clewignore")))
	put(t, root, "rules", "y\n")
	if s := save(t, p); s.Files != 5 { // a, b, rules, u/x, u/.clewignore
		t.Errorf("%+v", s)
	}
}
