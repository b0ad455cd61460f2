package object_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/clew-run/clew/internal/checkpoint/object"
)

func open(t *testing.T) (*object.Store, string) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "repo")
	must(t, os.Mkdir(dir, 0o700))
	must(t, object.Git(t.Context(), dir, nil, nil, "init", "--bare", "--quiet", "--object-format=sha256", "--template="))
	must(t, os.MkdirAll(filepath.Join(dir, "objects", "pack"), 0o700))
	s, err := object.Open(dir)
	must(t, err)
	t.Cleanup(s.Release)
	return s, dir
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// What is stored is what git reads, by the same names, and what comes back; also
// after git has packed it anew with differences.
func TestStore(t *testing.T) {
	s, dir := open(t)
	p, z := object.NewPacker(s, -1), object.NewDeflater()
	content := map[string]object.ID{}
	var entries []object.Entry
	for i, c := range []string{"", "x", "\x00\xff", strings.Repeat("line\n", 5000), strings.Repeat("line\n", 5000) + "more", string(make([]byte, 70000))} {
		h, err := p.Put(object.Blob, []byte(c), z)
		must(t, err)
		content[c] = h
		entries = append(entries, object.Entry{Mode: object.ModeFile, Name: string(rune('a' + i)), ID: h})
	}
	large := bytes.Repeat([]byte("large"), 100_000)
	l, err := p.Stream(bytes.NewReader(large), int64(len(large)))
	must(t, err)
	p.Keep(l)
	content[string(large)] = l.ID
	if _, err := p.Stream(strings.NewReader("short"), 6); !errors.Is(err, object.ErrChanged) {
		t.Error(err)
	}
	tree, err := p.Put(object.Tree, object.EncodeTree(append(entries, object.Entry{Mode: object.ModeFile, Name: "large", ID: l.ID})), z)
	must(t, err)
	if s.Has(tree) {
		t.Error("it is visible before it is published")
	}
	must(t, p.Seal())
	must(t, p.Publish())
	check := func() {
		t.Helper()
		for c, h := range content {
			got, err := s.Read(t.Context(), h, object.Blob)
			if err != nil || string(got) != c {
				t.Errorf("%s: %d bytes of %d, %v", h, len(got), len(c), err)
			}
			if out, err := object.GitOutput(t.Context(), dir, "cat-file", "blob", h.String()); err != nil || out != c {
				t.Errorf("git: %s: %d bytes of %d, %v", h, len(out), len(c), err)
			}
		}
		if e, err := s.Tree(t.Context(), tree, map[string]bool{"b": true, "large": true}); err != nil || len(e) != 2 {
			t.Errorf("%v %v", e, err)
		}
		_, err := object.GitOutput(t.Context(), dir, "fsck", "--full", "--strict")
		must(t, err)
	}
	check()
	if _, err := s.Read(t.Context(), tree, object.Blob); !errors.Is(err, object.ErrDamaged) {
		t.Error(err)
	}
	var list strings.Builder
	var old []string
	for _, x := range s.Packs {
		old = append(old, strings.TrimSuffix(x.File, ".pack"))
		for _, h := range x.IDs() {
			list.WriteString(h.String() + "\n")
		}
	}
	must(t, object.Git(t.Context(), dir, strings.NewReader(list.String()), nil, "pack-objects", "--quiet", filepath.Join(s.PackDir(), "pack")))
	for _, name := range old {
		must(t, errors.Join(os.Remove(name+".idx"), os.Remove(name+".pack")))
	}
	must(t, s.Reload())
	if len(s.Packs) != 1 {
		t.Fatal(len(s.Packs), "packs")
	}
	check()
}

// Nothing stays of what is given up.
func TestAbandon(t *testing.T) {
	s, _ := open(t)
	p, z := object.NewPacker(s, 100), object.NewDeflater()
	if _, err := p.Put(object.Blob, []byte("small"), z); err != nil {
		t.Error(err)
	}
	if _, err := p.Put(object.Blob, bytes.Repeat([]byte("0123456789"), 5000), z); !errors.Is(err, object.ErrQuota) {
		t.Error(err)
	}
	must(t, p.Seal())
	p.Abandon()
	if left, _ := os.ReadDir(s.PackDir()); len(left) > 0 {
		t.Error(left)
	}
}
