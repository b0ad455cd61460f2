package checkpoint_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/checkpoint"
)

// A save over the quota fails with nothing left behind; what was dropped makes
// room without being asked.
func TestQuota(t *testing.T) {
	p, root := place(t, map[string]string{"a": "1"}, checkpoint.Options{Quota: 4 << 20}, checkpoint.Rules{})
	first := save(t, p)
	noise := func(i, n int) { must(t, os.WriteFile(filepath.Join(root, "big"), makeNoise(i, n), 0o644)) }
	noise(1, 3<<20)
	second := save(t, p)
	for _, size := range []int{3 << 20, 20 << 20} { // collected in memory, and streamed
		noise(2, size)
		_, err := p.Save(t.Context(), checkpoint.Ref{Session: "sess", ID: nextID()})
		if !errors.Is(err, checkpoint.ErrQuota) || clew.CodeOf(err) != clew.CheckpointFailed {
			t.Fatal(err)
		}
		u, err := p.Usage(t.Context())
		if err != nil || u.Bytes > 4<<20 {
			t.Errorf("%+v %v", u, err)
		}
	}
	noise(2, 3<<20)
	// A restore cannot save the present state, so it does not begin.
	if _, err := p.Restore(t.Context(), second.Hash, checkpoint.RestoreOptions{Session: "sess", ID: "r"}); !errors.Is(err, checkpoint.ErrQuota) {
		t.Error(err)
	}
	if b, err := os.ReadFile(filepath.Join(root, "big")); err != nil || string(b) != string(makeNoise(2, 3<<20)) {
		t.Error("the file was changed", err)
	}
	if _, err := p.GC(t.Context(), func(c checkpoint.Checkpoint) bool { return c.Hash == first.Hash }); err != nil {
		t.Fatal(err)
	}
	third := save(t, p)
	if !third.Changed {
		t.Errorf("%+v", third)
	}
	healthy(t, p)
}

// Files over the limit are left alone and named.
func TestMaxFile(t *testing.T) {
	p, root := place(t, map[string]string{"a": "1", "big": "0123456789"}, checkpoint.Options{MaxFile: 9}, checkpoint.Rules{})
	s := save(t, p)
	if len(s.Left) != 1 || s.Left[0] != "big" || s.Files != 1 {
		t.Errorf("%+v", s)
	}
	put(t, root, "big", "another one")
	put(t, root, "a", "0123456789")
	r := restore(t, p, s.Hash)
	if b, _ := os.ReadFile(filepath.Join(root, "big")); string(b) != "another one" {
		t.Errorf("%q %+v", b, r)
	}
	// It had become too large to be saved, so it is not overwritten either.
	if b, _ := os.ReadFile(filepath.Join(root, "a")); string(b) != "0123456789" {
		t.Errorf("%q %+v", b, r)
	}
}

// The places of a user take room together, and those of another do not count. What is
// dropped in one place makes room in another.
func TestQuotaOfAUser(t *testing.T) {
	s, err := checkpoint.Open(filepath.Join(t.TempDir(), "store"), checkpoint.Options{Quota: 4 << 20})
	must(t, err)
	t.Cleanup(func() { must(t, s.Close()) })
	of := func(user string, noise int) (*checkpoint.Place, error) {
		t.Helper()
		root := t.TempDir()
		must(t, os.WriteFile(filepath.Join(root, "big"), makeNoise(noise, 3<<20), 0o644))
		p, err := s.Workspace(t.Context(), root, checkpoint.Rules{})
		must(t, err)
		p = p.For(user)
		_, err = p.Save(t.Context(), checkpoint.Ref{Session: "sess", ID: nextID()})
		return p, err
	}
	first, err := of("ann", 1)
	must(t, err)
	if used := s.Used("ann"); used < 3<<20 || used > 4<<20 {
		t.Errorf("%d bytes", used)
	}
	second, err := of("ann", 2)
	if !errors.Is(err, checkpoint.ErrQuota) {
		t.Fatalf("a second place of the same user: %v", err)
	}
	if _, err := of("bob", 3); err != nil {
		t.Errorf("another user: %v", err)
	}
	// Who else works in a place takes its user's room.
	root := first.Root()
	must(t, os.WriteFile(filepath.Join(root, "more"), makeNoise(4, 3<<20), 0o644))
	if _, err := first.For("bob").Save(t.Context(), checkpoint.Ref{Session: "other", ID: nextID()}); !errors.Is(err, checkpoint.ErrQuota) {
		t.Errorf("in the place of another user: %v", err)
	}
	if _, err := first.Erase(t.Context(), func(checkpoint.Checkpoint) bool { return false }); err != nil {
		t.Fatal(err)
	}
	if _, err := second.Save(t.Context(), checkpoint.Ref{Session: "sess", ID: nextID()}); err != nil {
		t.Errorf("after the first place is erased: %v", err)
	}
}
