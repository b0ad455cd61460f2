package workspace

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/tool"
)

func open(t *testing.T, files map[string]string, exclude ...string) *tool.Workspace {
	t.Helper()
	dir := t.TempDir()
	for name, content := range files {
		put(t, filepath.Join(dir, name), content)
	}
	ws, err := Open(dir, exclude)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = Close(ws) })
	return ws
}

func put(t *testing.T, name, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestOpenRefuses(t *testing.T) {
	home := filepath.Join(t.TempDir(), "home", "me")
	put(t, filepath.Join(home, "project", "x"), "")
	put(t, filepath.Join(home, ".ssh", "keys", "x"), "")
	put(t, filepath.Join(home, "file"), "")
	t.Setenv("HOME", home)
	link := filepath.Join(home, "project", "etc")
	if err := os.Symlink("/etc", link); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{
		"", ".", "relative", "/", "//", "/etc", "/etc/", "/etc/ssl", "/proc", "/proc/self", "/sys", "/dev", "/usr", "/usr/bin", "/bin", "/var", "/tmp", "/home", "/root",
		home, home + "/", home + "/project/..", filepath.Dir(home), filepath.Join(home, ".ssh"), filepath.Join(home, ".ssh/keys"),
		filepath.Join(home, "file"), filepath.Join(home, "none"), link, "/tmp\x00/x",
	} {
		if ws, err := Open(dir, nil); err == nil {
			t.Errorf("%q is a workspace", dir)
			_ = Close(ws)
		}
	}
	ws, err := Open(filepath.Join(home, "project"), nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := Close(ws); err != nil {
		t.Error(err)
	}
}

func TestProtectedSaysWhy(t *testing.T) {
	_, err := Open("/etc", nil)
	if clew.CodeOf(err) != clew.Forbidden || !strings.Contains(err.Error(), "choose a project folder") {
		t.Error(err)
	}
}

// A workspace named by a link is the directory that the link leads to.
func TestOpenThroughLink(t *testing.T) {
	dir := t.TempDir()
	put(t, filepath.Join(dir, "real", "x"), "")
	if err := os.Symlink("real", filepath.Join(dir, "l")); err != nil {
		t.Fatal(err)
	}
	ws, err := Open(filepath.Join(dir, "l"), nil)
	if err != nil || filepath.Base(ws.Dir) != "real" {
		t.Fatal(ws, err)
	}
	_ = Close(ws)
}

func TestIgnored(t *testing.T) {
	ws := open(t, map[string]string{
		".clewignore":     "# secrets\n*.key\n/private/\nlogs/*\n!logs/keep.log\nbuild/\n\\#odd\n",
		"a/.clewignore":   "!public.key\nlocal\n/top\n",
		"a/b/.clewignore": "deep.txt\n",
		"build":           "a file, not a directory",
	}, "*.pem", ".env*", "/only-top")
	for path, want := range map[string]bool{
		".": false, "x.txt": false, "x.key": true, "sub/x.key": true, "private/": true, "private/a/b": true, "sub/private/a": false,
		"logs/a.log": true, "logs/keep.log": false, "build": false, "build/": true, "sub/build/x": true, "#odd": true,
		"a/public.key": false, "a/b/public.key": false, "a/other.key": true, "public.key": true, "a/local": true, "a/b/local/x": true, "local": false,
		"a/top": true, "a/b/top": false, "a/b/deep.txt": true, "a/b/c/deep.txt": true, "a/deep.txt": false, "deep.txt": false,
		"x.pem": true, "a/b/c.pem": true, ".env": true, "a/.env.local": true, "only-top": true, "a/only-top": false,
		"./x.key": true, "sub//x.key": true, "missing/dir/x.key": true, "build/x/y": true,
	} {
		name, dir := strings.CutSuffix(path, "/")
		if got := ws.Ignored(name, dir); got != want {
			t.Errorf("%s: %v", path, got)
		}
	}
}

// The list of the settings is the operator's: a file of the workspace does not
// overrule it.
func TestExcludeCannotBeTakenBack(t *testing.T) {
	ws := open(t, map[string]string{".clewignore": "!secret.txt\n!*\n", "a/.clewignore": "!secret.txt\n"}, "secret.txt")
	for _, path := range []string{"secret.txt", "a/secret.txt"} {
		if !ws.Ignored(path, false) {
			t.Errorf("%s is shown", path)
		}
	}
}

func TestIgnoredFollowsTheFile(t *testing.T) {
	ws := open(t, nil)
	file := filepath.Join(ws.Dir, IgnoreFile)
	old := time.Now().Add(-time.Hour)
	for i, c := range []struct{ patterns, hidden, shown string }{
		{"aa\n", "aa", "bb"}, {"bb\n", "bb", "aa"}, {"cc\n", "cc", "bb"}, {"", "", "cc"}, {"aa\n", "aa", "cc"},
	} {
		put(t, file, c.patterns)
		if i == 2 { // an edit with another time, seen by it
			if err := os.Chtimes(file, old, old); err != nil {
				t.Fatal(err)
			}
		}
		if c.hidden != "" && !ws.Ignored(c.hidden, false) || ws.Ignored(c.shown, false) {
			t.Errorf("step %d", i)
		}
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	if ws.Ignored("aa", false) {
		t.Error("the file is gone, its rules are not")
	}
}

// Rules that cannot be read hide everything.
func TestUnreadableRules(t *testing.T) {
	for what, make := range map[string]func(name string) error{
		"directory": func(name string) error { return os.Mkdir(name, 0o755) },
		"link out":  func(name string) error { return os.Symlink("/etc/hostname", name) },
		"dangling":  func(name string) error { return os.Symlink("none", name) },
		"huge": func(name string) error {
			return os.WriteFile(name, []byte(strings.Repeat("x\n", maxIgnoreFile)), 0o644)
		},
	} {
		ws := open(t, map[string]string{"x": "", "sub/x": ""})
		if err := make(filepath.Join(ws.Dir, "sub", IgnoreFile)); err != nil {
			t.Fatal(err)
		}
		if !ws.Ignored("sub/x", false) || !ws.Ignored("sub/y/z", false) || ws.Ignored("x", false) || ws.Ignored("sub", true) {
			t.Errorf("%s: %v %v", what, ws.Ignored("sub/x", false), ws.Ignored("x", false))
		}
	}
}

func TestFoldedNames(t *testing.T) {
	ws := open(t, nil)
	r := newRules(ws.Root, []string{"Secret.txt"})
	r.fold = true
	r.add(r.exclude, []byte("Secret.txt\n"), "")
	if !r.ignored("SECRET.TXT", false) || !r.ignored("Secret.txt", false) || r.ignored("other", false) {
		t.Error("case makes a difference")
	}
}

func BenchmarkIgnored(b *testing.B) {
	dir := b.TempDir()
	if err := os.WriteFile(filepath.Join(dir, IgnoreFile), []byte("*.key\nprivate/\n"), 0o644); err != nil {
		b.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(dir, "a/b/c/d"), 0o755); err != nil {
		b.Fatal(err)
	}
	ws, err := Open(dir, nil)
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = Close(ws) }()
	for b.Loop() {
		ws.Ignored("a/b/c/d/file.go", false)
	}
}
