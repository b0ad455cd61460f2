package checkpoint_test

import (
	"crypto/sha256"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/clew-run/clew/internal/checkpoint"
)

// A tree is a directory as a test sees it: one line for each path.
type tree map[string]string

// readTree goes through a directory with nothing of the package under test.
// skip says what is left out.
func readTree(t testing.TB, root string, skip func(rel string) bool) tree {
	t.Helper()
	got := tree{}
	err := filepath.WalkDir(root, func(p string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(root, p)
		if skip != nil && rel != "." && skip(rel) {
			if e.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		got[rel], err = describe(p)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func describe(p string) (string, error) {
	var st unix.Stat_t
	if err := unix.Lstat(p, &st); err != nil {
		return "", err
	}
	switch st.Mode & unix.S_IFMT {
	case unix.S_IFLNK:
		target, err := os.Readlink(p)
		return "link " + target, err
	case unix.S_IFDIR:
		return fmt.Sprintf("dir %04o", st.Mode&0o7777), nil
	case unix.S_IFREG:
		b, err := os.ReadFile(p)
		return fmt.Sprintf("file %04o %x %d", st.Mode&0o7777, sha256.Sum256(b), len(b)), err
	}
	return fmt.Sprintf("special %o", st.Mode), nil
}

func differ(a, b tree) string {
	var out []string
	for _, k := range slices.Sorted(maps.Keys(a)) {
		if a[k] != b[k] {
			out = append(out, fmt.Sprintf("%q: want %q, is %q", k, a[k], b[k]))
		}
	}
	for _, k := range slices.Sorted(maps.Keys(b)) {
		if _, ok := a[k]; !ok {
			out = append(out, fmt.Sprintf("%q: not wanted, is %q", k, b[k]))
		}
	}
	return strings.Join(out, "\n")
}

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
