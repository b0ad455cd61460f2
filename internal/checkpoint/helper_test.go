package checkpoint_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/clew-run/clew/internal/checkpoint"
	"github.com/clew-run/clew/internal/checkpoint/checkpointtest"
)

// A tree is a directory as a test sees it: one line for each path.
type tree = checkpointtest.Tree

func readTree(t testing.TB, root string, skip func(rel string) bool) tree {
	t.Helper()
	got, err := checkpointtest.Read(root, skip)
	must(t, err)
	return got
}

func differ(want, is tree) string { return want.Differ(is) }

// place makes a store and a workspace with some files.
func place(t testing.TB, files map[string]string, o checkpoint.Options, r checkpoint.Rules) (*checkpoint.Place, string) {
	t.Helper()
	dir := t.TempDir()
	root := filepath.Join(dir, "work")
	must(t, os.Mkdir(root, 0o755))
	for name, content := range files {
		put(t, root, name, content)
	}
	s := store(t, filepath.Join(dir, "data"), o)
	p, err := s.Workspace(t.Context(), root, r)
	must(t, err)
	return p, root
}

func store(t testing.TB, dir string, o checkpoint.Options) *checkpoint.Store {
	t.Helper()
	s, err := checkpoint.Open(dir, o)
	must(t, err)
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// put writes a file; a name that ends in / is a directory, a content that
// begins with -> is a link.
func put(t testing.TB, root, name, content string) {
	t.Helper()
	p := filepath.Join(root, name)
	must(t, os.MkdirAll(filepath.Dir(p), 0o755))
	switch target, isLink := strings.CutPrefix(content, "->"); {
	case strings.HasSuffix(name, "/"):
		must(t, os.MkdirAll(p, 0o755))
	case isLink:
		must(t, os.Symlink(target, p))
	default:
		must(t, os.WriteFile(p, []byte(content), 0o644))
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

var counter int

func nextID() string {
	counter++
	return fmt.Sprintf("id-%d", counter)
}

func save(t testing.TB, p *checkpoint.Place) checkpoint.Saved {
	t.Helper()
	s, err := p.Save(t.Context(), checkpoint.Ref{Session: "sess", ID: nextID()})
	must(t, err)
	return s
}

func restore(t testing.TB, p *checkpoint.Place, hash string, paths ...string) checkpoint.Restored {
	t.Helper()
	r, err := p.Restore(t.Context(), hash, checkpoint.RestoreOptions{Session: "sess", ID: nextID(), Paths: paths})
	must(t, err)
	return r
}

func healthy(t testing.TB, p *checkpoint.Place) {
	t.Helper()
	problems, err := p.Fsck(t.Context())
	must(t, err)
	for _, x := range problems {
		t.Errorf("fsck: %s %s", x.Checkpoint, x.Text)
	}
}

// memoryDir gives a directory in memory where there is one, so that flushing
// costs nothing.
func memoryDir(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("/dev/shm", "clew")
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}
