package checkpoint

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/clew-run/clew/internal/checkpoint/scan"
)

// A file that looks the same and was read too soon after its last change is read
// again; one that was read later is not.
func TestReadAgain(t *testing.T) {
	dir := t.TempDir()
	root := filepath.Join(dir, "work")
	if err := os.Mkdir(root, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(root, "f"), []byte("content"), 0o644); err != nil {
		t.Fatal(err)
	}
	s, err := Open(filepath.Join(dir, "data"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	p, err := s.Workspace(t.Context(), root, scan.Rules{})
	if err != nil {
		t.Fatal(err)
	}
	first, err := p.Save(t.Context(), Ref{Session: "s", ID: "1"})
	if err != nil {
		t.Fatal(err)
	}
	right := p.repository.tree.Entries[0].Oid
	for _, late := range []bool{false, true} {
		k := &p.repository.tree.Entries[0]
		// As if the content had been another one in the same tick.
		k.Oid = p.repository.tree.Trees.Files
		p.repository.tree.Dirty.Store(true)
		k.Read = k.Stamp.Ctime + 1
		if late {
			k.Read += int64(time.Minute)
		}
		sv, err := p.Save(t.Context(), Ref{Session: "s", ID: fmt.Sprint(late)})
		if err != nil {
			t.Fatal(err)
		}
		k = &p.repository.tree.Entries[0] // the list may be a new one
		if again := k.Oid == right; again == late || !late && sv.Hash != first.Hash {
			t.Errorf("late %v: read again: %v, %+v", late, again, sv)
		}
		k.Read = 0
	}
}
