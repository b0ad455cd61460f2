package supervisor

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestRoot(t *testing.T) {
	data, runtime := t.TempDir(), t.TempDir()
	if err := os.Chmod(runtime, 0o700); err != nil {
		t.Fatal(err)
	}
	if got := LookForRoot(data); got != "" {
		t.Errorf("before there is one: %s", got)
	}
	root, err := Root(data, runtime)
	if err != nil || filepath.Dir(filepath.Dir(root)) != runtime {
		t.Fatalf("in the runtime directory: %s %v", root, err)
	}
	// The same later, without that variable.
	if again, err := Root(data, ""); again != root || err != nil {
		t.Errorf("%s %v", again, err)
	}
	if got := LookForRoot(data); got != root {
		t.Errorf("%s", got)
	}
	other, err := Root(t.TempDir(), runtime)
	if err != nil || other == root {
		t.Errorf("two data directories share %s: %v", other, err)
	}
	if got, want := Dir("/r", "a"), "/r/ca978112ca1b"; got != want || Dir("/r", "b") == want { // SHA-256 of a
		t.Errorf("%s: programs of before would not be found", got)
	}
	// A reboot empties it.
	if err := os.RemoveAll(filepath.Join(runtime, "clew")); err != nil {
		t.Fatal(err)
	}
	if again, err := Root(data, ""); again != filepath.Join(data, "run") || err != nil {
		t.Errorf("in the data directory: %s %v", again, err)
	}
}

// A copy of a data directory has programs of its own, whatever the copy was made by: not
// those of the server that it was copied from, and with a directory that is closed again.
func TestRootOfACopy(t *testing.T) {
	data, runtime, other := t.TempDir(), t.TempDir(), t.TempDir()
	if err := os.Chmod(runtime, 0o700); err != nil { //nolint:gosec // a directory
		t.Fatal(err)
	}
	root, err := Root(data, runtime)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(root, filepath.Join(other, "run")); err != nil {
		t.Fatal(err)
	}
	if got := LookForRoot(other); got != "" {
		t.Errorf("the other server's %s", got)
	}
	if got, err := Root(other, runtime); got == root || err != nil {
		t.Errorf("%s %v", got, err)
	}
	third := t.TempDir()
	if err := os.Mkdir(filepath.Join(third, "run"), 0o755); err != nil { //nolint:gosec // as cp makes it
		t.Fatal(err)
	}
	got, err := Root(third, "")
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(got); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("%s has mode %v, %v", got, info.Mode(), err)
	}
	long := filepath.Join(t.TempDir(), strings.Repeat("long", 25))
	if err := os.MkdirAll(filepath.Join(long, "run", "0123456789ab"), 0o700); err != nil {
		t.Fatal(err)
	}
	if got, err := Root(long, runtime); err != nil || filepath.Dir(filepath.Dir(got)) != runtime || LookForRoot(long) != got {
		t.Errorf("%s %v", got, err)
	}
}

// A directory that others may write to is not used.
func TestRootOfOthers(t *testing.T) {
	data, runtime := t.TempDir(), t.TempDir()
	if err := os.Chmod(runtime, 0o777); err != nil {
		t.Fatal(err)
	}
	if root, err := Root(data, runtime); root != filepath.Join(data, "run") || err != nil {
		t.Errorf("%s %v", root, err)
	}
	open := t.TempDir()
	if err := os.Mkdir(filepath.Join(open, "run"), 0o755); err != nil {
		t.Fatal(err)
	}
	if root := LookForRoot(open); root != "" {
		t.Errorf("open to others: %s", root)
	}
}

// A data directory with a long name has its sockets elsewhere: their paths are short.
func TestRootOfALongName(t *testing.T) {
	data := filepath.Join(t.TempDir(), strings.Repeat("long", 20))
	if err := os.Mkdir(data, 0o700); err != nil {
		t.Fatal(err)
	}
	root, err := Root(data, "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = os.Remove(root), os.Remove(filepath.Dir(root)) })
	if !strings.HasPrefix(root, "/tmp/clew-") || len(Dir(root, "x")+"/control") > maxSocketPath {
		t.Errorf("%s", root)
	}
	info, err := os.Lstat(root)
	if err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("%v %v", info, err)
	}
}
