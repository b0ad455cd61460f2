package server

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/control"
)

// Administrators see every directory. Others see what lies below the directories that
// are open to all; links lead nowhere else.
func TestFolders(t *testing.T) {
	w := shop(t)
	open, shut := t.TempDir(), t.TempDir()
	w.cfg.Workspaces = []string{open}
	for _, dir := range []string{filepath.Join(open, "b", ".git"), filepath.Join(open, "a"), filepath.Join(open, ".hidden"), filepath.Join(shut, "private")} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(shut, filepath.Join(open, "link")); err != nil {
		t.Fatal(err)
	}
	f := folders{w}
	admin, user := clew.Principal{User: "owner", Role: clew.RoleAdmin}, clew.Principal{User: "ann", Role: clew.RoleOwner}

	for _, by := range []clew.Principal{admin, user} {
		l, err := f.List(by, open)
		if err != nil || len(l.Folders) != 2 || l.Folders[0].Name != "a" || l.Folders[0].Git || !l.Folders[1].Git || !l.Usable {
			t.Errorf("%s: %+v %v", by.Role, l, err)
		}
		if (l.Parent != "") != (by.Role == clew.RoleAdmin) {
			t.Errorf("%s: the directory above is %q", by.Role, l.Parent)
		}
	}
	if l, err := f.List(user, ""); err != nil || len(l.Folders) != 1 || l.Folders[0].Path != open || l.Usable {
		t.Errorf("where to start: %+v %v", l, err)
	}
	for _, dir := range []string{shut, filepath.Join(open, "link"), filepath.Join(shut, "missing"), "/"} {
		if _, err := f.List(user, dir); clew.CodeOf(err) != clew.Forbidden {
			t.Errorf("%s: %v", dir, err)
		}
	}
	t.Setenv("HOME", shut)
	if l, err := f.List(admin, ""); err != nil || l.Path != shut || len(l.Folders) != 1 || l.Usable || l.WhyNot == "" {
		t.Errorf("home is no place to work in: %+v %v", l, err)
	}
	for _, dir := range []string{"relative", filepath.Join(shut, "missing")} {
		if _, err := f.List(admin, dir); clew.CodeOf(err) != clew.InvalidMessage {
			t.Errorf("%s: %v", dir, err)
		}
	}
}

// A session that is yet to begin has what its owner chose for its directory, and else
// what the server's settings say.
func TestDefaultsOfASession(t *testing.T) {
	w := shop(t)
	w.desk = &control.ServerCommands{Settings: w.settings}
	f, dir := folders{w}, t.TempDir()
	if err := w.settings.SetPermissions(t.Context(), "ann", dir, "sandbox"); err != nil {
		t.Fatal(err)
	}
	if _, err := w.settings.Update(t.Context(), map[string]any{"mode": "ask"}); err != nil {
		t.Fatal(err)
	}
	for by, want := range map[clew.UserID]string{"ann": "sandbox", "bob": ""} {
		if d := f.Defaults(by, dir); d.Permissions != want || d.Mode != "ask" || d.AlwaysAllowWrite != (want != "") {
			t.Errorf("%s: %+v", by, d)
		}
		if d := f.Defaults(by, ""); d.Permissions != "" {
			t.Errorf("%s in a directory of its own: %+v", by, d)
		}
	}
}
