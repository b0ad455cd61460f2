package disk

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/poll"
)

const mb = 1 << 20

// open watches workspaces in a temporary directory, with 4 MB for each user.
func open(t *testing.T) *Workspaces {
	t.Helper()
	base := t.TempDir()
	w := NewWorkspaces(filepath.Join(base, "workspaces"), filepath.Join(base, "usage"), func() int64 { return 4 * mb })
	w.pace = time.Millisecond
	t.Cleanup(w.Close)
	return w
}

func share(t *testing.T, w *Workspaces, user clew.UserID, session clew.SessionID) *Share {
	t.Helper()
	s, err := w.Share(user, session)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func fill(t *testing.T, w *Workspaces, name string, size int) {
	t.Helper()
	path := filepath.Join(w.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, make([]byte, size), 0o600); err != nil {
		t.Fatal(err)
	}
}

// grown asks until the workspaces were looked at again.
func grown(t *testing.T, u *Use) (err error) {
	t.Helper()
	before := u.looks
	poll.Until(t, "somebody looks", func() bool {
		err = u.Grown()
		return err != nil || u.looks >= before+2 // one look may have begun before
	})
	return err
}

// The workspaces of a user count together, those of another do not. What would go
// over the quota is refused until something is deleted.
func TestQuotaOfAUser(t *testing.T) {
	w := open(t)
	fill(t, w, "s1/a", 2*mb)
	fill(t, w, "s2/deep/b", 1*mb)
	s1, s2, other := share(t, w, "ann", "s1"), share(t, w, "ann", "s2"), share(t, w, "bob", "s3")
	if err := s2.Room(mb / 2); err != nil {
		t.Fatal(err)
	}
	err := s1.Room(2 * mb)
	if clew.CodeOf(err) != clew.BudgetExceeded || !strings.Contains(clew.AsError(err).Message, "of the 4 MB that they may take (workspace_quota_mb)") {
		t.Fatal(err)
	}
	if err := s1.Room(-1); err != nil {
		t.Errorf("to make a file smaller: %v", err)
	}
	if err := other.Room(3 * mb); err != nil {
		t.Errorf("another user: %v", err)
	}
	if err := os.RemoveAll(filepath.Join(w.dir, "s2")); err != nil {
		t.Fatal(err)
	}
	poll.Until(t, "room after the deletion", func() bool { return s1.Room(mb) == nil })
}

// A command is stopped when its workspace grows over the quota. One that had too much
// when it began goes on for as long as it takes no more, and one of another session
// that does nothing is left alone.
func TestUseOfAWorkspace(t *testing.T) {
	w := open(t)
	fill(t, w, "s1/a", 2*mb)
	fill(t, w, "s2/b", mb)
	use, idle := share(t, w, "ann", "s1").Begin(), share(t, w, "ann", "s2").Begin()
	if use.Over() {
		t.Error("it begins with too much")
	}
	if err := grown(t, use); err != nil {
		t.Fatal(err)
	}
	fill(t, w, "s1/more", 2*mb)
	if err := grown(t, use); clew.CodeOf(err) != clew.BudgetExceeded {
		t.Fatal(err)
	}
	if err := grown(t, idle); err != nil {
		t.Errorf("another session: %v", err)
	}
	use.End()
	fill(t, w, "s2/b", 3*mb)
	idle.End()

	again := share(t, w, "ann", "s1").Begin()
	defer again.End()
	if !again.Over() {
		t.Error("it begins within the quota")
	}
	if err := os.Remove(filepath.Join(w.dir, "s1", "a")); err != nil {
		t.Fatal(err)
	}
	if err := grown(t, again); err != nil {
		t.Errorf("it deletes: %v", err)
	}
	fill(t, w, "s1/again", mb)
	if err := grown(t, again); clew.CodeOf(err) != clew.BudgetExceeded {
		t.Errorf("it grows again: %v", err)
	}
}

// A server that starts anew knows whose workspaces there are. A file with two names
// counts once, and no link leads out.
func TestUsageIsFoundAgain(t *testing.T) {
	w := open(t)
	fill(t, w, "s1/a", 2*mb)
	if err := os.Link(filepath.Join(w.dir, "s1", "a"), filepath.Join(w.dir, "s1", "b")); err != nil {
		t.Fatal(err)
	}
	outside := t.TempDir()
	if err := os.WriteFile(filepath.Join(outside, "large"), make([]byte, 8*mb), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, filepath.Join(w.dir, "s1", "out")); err != nil {
		t.Fatal(err)
	}
	share(t, w, "ann", "s1")
	w.Close()
	next := NewWorkspaces(w.dir, w.marks, w.quota)
	t.Cleanup(next.Close)
	if used := next.Used("ann"); used < 2*mb || used > 2*mb+64<<10 {
		t.Errorf("%d bytes", used)
	}
	if used := next.Used("bob"); used != 0 {
		t.Errorf("%d bytes of somebody without workspaces", used)
	}
}
