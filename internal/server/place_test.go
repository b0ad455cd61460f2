package server

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/demo"
	"github.com/clew-run/clew/internal/settings"
	"github.com/clew-run/clew/internal/tool/workspace"
)

// In the demo a session without a directory gets the sample project, once.
func TestFurnishedWorkspace(t *testing.T) {
	w := shop(t)
	w.cfg.furnish = demo.Lay
	for range 2 {
		ws, err := w.workspace("s2", "ann", "", settings.Values{})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := ws.Root.Stat("till.sh"); err != nil {
			t.Error(err)
		}
		if err := ws.Root.Remove("README.md"); err != nil && !errors.Is(err, os.ErrNotExist) {
			t.Error(err)
		}
		_ = workspace.Close(ws)
	}
	if _, err := os.Stat(filepath.Join(w.cfg.ownWorkspace("s2"), "README.md")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("what was removed is back: %v", err)
	}
}

// Who is no administrator works below the directories that are open to all, or
// in one of the session's own; links lead nowhere else. Nobody works in the
// server's data.
func TestPlace(t *testing.T) {
	w := shop(t)
	open, shut := t.TempDir(), t.TempDir()
	w.cfg.Workspaces = []string{open}
	inside := filepath.Join(open, "team", "project")
	own := filepath.Join(w.cfg.Data, "workspaces", "s1")
	for _, dir := range []string{inside, own} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	link := filepath.Join(open, "link")
	if err := os.Symlink(shut, link); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(open, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	admin, user := clew.RoleAdmin, clew.RoleOwner
	tests := []struct {
		role clew.Role
		dir  string
		want clew.Code
	}{
		{user, "", ""},
		{user, inside, ""},
		{user, open, ""},
		{user, shut, clew.Forbidden},
		{user, link, clew.Forbidden},
		{user, filepath.Join(open, "..", filepath.Base(shut)), clew.Forbidden},
		{user, filepath.Join(open, "nothing"), clew.Forbidden},
		{user, open + "x", clew.Forbidden},
		{user, "/etc", clew.Forbidden},
		{user, "relative", clew.InvalidMessage},
		{user, file, clew.InvalidMessage},
		{admin, shut, ""},
		{admin, link, ""},
		{admin, "relative", clew.InvalidMessage},
		{admin, filepath.Join(shut, "nothing"), clew.InvalidMessage},
		{admin, "/etc", clew.Forbidden},
		{admin, "/", clew.Forbidden},
		{admin, w.cfg.Data, clew.Forbidden},
		{admin, filepath.Dir(w.cfg.Data), clew.Forbidden},
		{admin, filepath.Join(w.cfg.Data, "workspaces", "s1"), ""},
		{admin, filepath.Join(w.cfg.Data, "workspaces"), clew.Forbidden},
	}
	for _, tt := range tests {
		got, err := w.place(clew.Principal{User: "u", Role: tt.role}, tt.dir)
		if clew.CodeOf(err) != tt.want {
			t.Errorf("%s in %q: %v, want %q", tt.role, tt.dir, err, tt.want)
		}
		if err == nil && tt.dir != "" && !sameDir(t, got, tt.dir) {
			t.Errorf("%q became %q", tt.dir, got)
		}
	}
	home := filepath.Dir(w.cfg.Data)
	if _, err := w.place(clew.Principal{Role: admin}, home); !strings.Contains(err.Error(), "work in "+home+":") || !strings.Contains(err.Error(), "in "+w.cfg.Data+".") {
		t.Errorf("around the server's data: %v", err)
	}
	w.cfg.Workspaces = []string{home}
	if _, err := w.place(clew.Principal{Role: user}, home); strings.Contains(err.Error(), w.cfg.Data) {
		t.Errorf("a user is told where the data is: %v", err)
	}
	if got, err := w.place(clew.Principal{Role: admin}, link); err != nil || got == link {
		t.Errorf("the link stays a link: %q, %v", got, err)
	}
}

func sameDir(t *testing.T, a, b string) bool {
	t.Helper()
	x, err := os.Stat(a)
	if err != nil {
		t.Fatal(err)
	}
	y, err := os.Stat(b)
	if err != nil {
		t.Fatal(err)
	}
	return os.SameFile(x, y)
}
