package files

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/clew-run/clew"
)

// escapes are paths that must lead nowhere. DIR and BESIDE stand for the
// workspace and the directory beside it.
var escapes = []string{
	"..", "../", "../beside/secret.txt", "../../etc/passwd", "a/../../beside/secret.txt", "./../beside/secret.txt",
	"a/..", "a/../a", ".././beside", "a/b/../../../beside/secret.txt", "//..//beside/secret.txt", "..//beside/secret.txt",
	"/", "/etc/passwd", "/etc/../etc/passwd", "//etc/passwd", "/proc/self/environ", "/proc/self/root/etc/passwd", "/dev/stdin", "/dev/fd/0",
	"BESIDE", "BESIDE/secret.txt", "DIR/../beside/secret.txt", "DIRx/secret.txt", "DIR/a/../../beside/secret.txt", "DIR/..", "DIR-old",
	"~", "~/.ssh/id_rsa", "~root/.ssh/id_rsa",
	`..\beside\secret.txt`, `a\..\..\beside`, `C:\Windows\system.ini`, "C:/Windows/system.ini", "c:secret", `\\server\share\x`, `\\?\C:\x`, `\etc\passwd`,
	"NUL", "con", "a/COM1", "lpt9", "aux.", "PRN ", "CONIN$",
	"a\x00b", "secret.txt\x00.png", "\x00",
	// through links
	"out/secret.txt", "out", "out/", "up/beside/secret.txt", "abs", "abs2/secret.txt", "file-out", "chain1", "loop", "loop/x", "self", "self/x",
	"hop/secret.txt", "deep/up/secret.txt", "proc/self/environ", "dangling-out", "dangling-out/x",
}

func hostileLinks(t testing.TB, dir, beside string) {
	t.Helper()
	for name, to := range map[string]string{
		"out": "../beside", "up": "..", "abs": filepath.Join(beside, "secret.txt"), "abs2": beside,
		"file-out": "../beside/secret.txt", "chain1": "chain2", "chain2": "chain3", "chain3": "../beside/secret.txt",
		"loop": "loop2", "loop2": "loop", "self": "self", "hop": "a/../../beside", "deep/up": "../../beside", "proc": "/proc",
		"dangling-out": "../beside/new.txt",
	} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(to, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
}

func TestPathsDoNotLeave(t *testing.T) {
	ws, beside := newWorkspace(t, map[string]string{"a/b/c.txt": "inside\n"})
	hostileLinks(t, ws.Dir, beside)
	if len(escapes) < 40 {
		t.Fatalf("only %d escapes", len(escapes))
	}
	for _, path := range escapes {
		path = strings.NewReplacer("DIR", ws.Dir, "BESIDE", beside).Replace(path)
		for tl, input := range calls(path) {
			r, err := do(t, tl, ws, input)
			if err == nil {
				t.Errorf("%s %q: %q", tl.Spec().Name, path, r.Text)
			} else if strings.Contains(err.Error(), "outside\n") {
				t.Errorf("%s %q gives something away: %v", tl.Spec().Name, path, err)
			}
		}
		for way, s := range searches() {
			if r, err := do(t, s, ws, in{"pattern": "outside", "path": path}); err == nil {
				t.Errorf("search by %s %q: %q", way, path, r.Text)
			}
		}
	}
	untouched(t, beside)
}

// untouched checks that the directory beside holds what it held.
func untouched(t testing.TB, beside string) {
	t.Helper()
	entries, err := os.ReadDir(beside)
	if err != nil || len(entries) != 1 || get(t, filepath.Join(beside, "secret.txt")) != "outside\n" {
		t.Errorf("the directory beside was touched: %v %v", entries, err)
	}
}

func TestPathsInside(t *testing.T) {
	ws, _ := newWorkspace(t, map[string]string{"a/b/c.txt": "inside\n", "a/aux.c": "inside\n", "..a": "inside\n", "a/...": "inside\n", "-x": "inside\n"})
	for name, to := range map[string]string{"l": "a/b", "m": "l/c.txt", "a/up": "../l/c.txt", "abs": filepath.Join(ws.Dir, "a"), "here": "."} {
		if err := os.Symlink(to, filepath.Join(ws.Dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	for _, path := range []string{
		"a/b/c.txt", "./a//b/./c.txt", "a/aux.c", "..a", "a/...", "-x", ws.Dir + "/a/b/c.txt", ws.Dir + "//a/b/c.txt",
		"l/c.txt", "m", "a/up", "abs/b/c.txt", "here/here/m",
	} {
		if got := must(t, readFile{}, ws, in{"path": path}); !strings.Contains(got, "inside") {
			t.Errorf("%s: %q", path, got)
		}
	}
	for _, path := range []string{".", "./", ws.Dir, ws.Dir + "/", "here"} {
		if got := must(t, listFiles{}, ws, in{"path": path}); !strings.Contains(got, "a/\n") {
			t.Errorf("%s: %q", path, got)
		}
	}
}

// A write through a link inside changes the file that the link leads to, and
// says so.
func TestWriteThroughLink(t *testing.T) {
	ws, _ := newWorkspace(t, map[string]string{"a/b.txt": "old\n"})
	if err := os.Symlink("a/b.txt", filepath.Join(ws.Dir, "l")); err != nil {
		t.Fatal(err)
	}
	a, err := writeFile{}.Prepare(t.Context(), callOf(t, ws, in{"path": "l", "content": "new\n"}))
	if err != nil || a.Effect.Paths[0] != "a/b.txt" || !strings.Contains(a.Effect.Summary, "through l") {
		t.Fatalf("%+v %v", a, err)
	}
	if _, err := a.Run(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	if to, err := os.Readlink(filepath.Join(ws.Dir, "l")); err != nil || to != "a/b.txt" || get(t, filepath.Join(ws.Dir, "a/b.txt")) != "new\n" {
		t.Errorf("link %q %v", to, err)
	}
}

// Covers: TOOL-19
func TestIgnoredIsOutOfReach(t *testing.T) {
	ws, _ := newWorkspace(t, map[string]string{
		".clewignore": "*.key\nprivate/\n", "id.key": "hidden", "private/a/b.txt": "hidden", "sub/x.key": "hidden", "open.txt": "shown hidden",
		"sub/.clewignore": "notes.txt\n", "sub/notes.txt": "hidden", "sub/deep/notes.txt": "hidden",
	})
	for name, to := range map[string]string{"l1": "id.key", "l2": "private", "l3": "l2/a"} {
		if err := os.Symlink(to, filepath.Join(ws.Dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	for _, path := range []string{"id.key", "private", "private/a/b.txt", "private/new.txt", "sub/x.key", "new.key", "l1", "l2", "l2/a/b.txt", "l3/b.txt", "sub/notes.txt", "sub/deep/notes.txt"} {
		for tl, input := range calls(path) {
			_, err := do(t, tl, ws, input)
			var r *refusal
			if !errors.As(err, &r) || r.say != clew.SayRooignoreError {
				t.Errorf("%s %s: %v", tl.Spec().Name, path, err)
			}
		}
	}
	if got := must(t, listFiles{}, ws, in{"path": ".", "recursive": true}); got != ".clewignore\nl1 -> id.key\nl2 -> private\nl3 -> l2/a\nopen.txt\nsub/\nsub/.clewignore\nsub/deep/\n" {
		t.Errorf("listed: %s", got)
	}
	for way, s := range searches() {
		if got := must(t, s, ws, in{"pattern": "hidden"}); !strings.HasPrefix(got, "open.txt\n") || strings.Count(got, "hidden") != 1 {
			t.Errorf("%s found %s", way, got)
		}
		_, err := do(t, s, ws, in{"pattern": "hidden", "path": "private"})
		var r *refusal
		if !errors.As(err, &r) || r.say != clew.SayRooignoreError {
			t.Errorf("%s: %v", way, err)
		}
	}
}

// What becomes ignored between the approval and the start is not touched.
func TestIgnoredMeanwhile(t *testing.T) {
	ws, _ := newWorkspace(t, map[string]string{"a.txt": "outside\n"})
	for tl, input := range calls("a.txt") {
		if _, list := tl.(listFiles); list {
			continue
		}
		_ = os.Remove(filepath.Join(ws.Dir, ".clewignore"))
		a, err := tl.Prepare(t.Context(), callOf(t, ws, input))
		if err != nil || a.Refused != "" {
			t.Fatal(err, a)
		}
		put(t, filepath.Join(ws.Dir, ".clewignore"), "a.txt\n")
		if r, err := a.Run(t.Context(), nil); err == nil {
			t.Errorf("%s: %v", tl.Spec().Name, r)
		}
	}
	if got := get(t, filepath.Join(ws.Dir, "a.txt")); got != "outside\n" {
		t.Errorf("now %q", got)
	}
}

func TestProtected(t *testing.T) {
	ws, _ := newWorkspace(t, map[string]string{"a.txt": ""})
	for path, want := range map[string]guard{
		"a.txt": guardNone, "src/config": guardNone, "hooks/x": guardNone, ".gitignore": guardNone, "git/config": guardNone,
		".clewignore": guardAsk, "sub/.clewignore": guardAsk, ".CLEWIGNORE": guardAsk, ".clew/modes.yaml": guardAsk, "sub/.clew/x/y": guardAsk,
		".github/workflows/ci.yml": guardAsk, ".gitlab-ci.yml": guardAsk, "Jenkinsfile": guardAsk, ".envrc": guardAsk, ".bashrc": guardAsk,
		".vscode/tasks.json": guardAsk, ".husky/pre-commit": guardAsk, ".git/HEAD": guardAsk, ".git/info/exclude": guardAsk,
		".git/hooks/pre-commit": guardRefuse, ".git/config": guardRefuse, ".GIT/Config": guardRefuse, "sub/.git/hooks/x": guardRefuse, ".git": guardRefuse,
		".git/modules/m/config": guardRefuse, ".git/modules/m/hooks/x": guardRefuse, ".git/config.worktree": guardRefuse, ".git/worktrees/w/commondir": guardRefuse,
		"GIT~1/config": guardRefuse,
	} {
		a, err := writeFile{}.Prepare(t.Context(), callOf(t, ws, in{"path": path, "content": "x"}))
		if err != nil {
			t.Fatal(path, err)
		}
		if got := a.Refused != ""; got != (want == guardRefuse) {
			t.Errorf("%s: refused %q", path, a.Refused)
		}
		if a.Protected != (want == guardAsk) {
			t.Errorf("%s: protected %v", path, a.Protected)
		}
	}
}

func TestGitInternalsCanBeRead(t *testing.T) {
	ws, _ := newWorkspace(t, map[string]string{".git/config": "[core]\n"})
	if got := must(t, readFile{}, ws, in{"path": ".git/config"}); !strings.Contains(got, "[core]") {
		t.Error(got)
	}
}

// Special files are refused, and nothing waits for the other end of a pipe.
func TestSpecialFiles(t *testing.T) {
	ws, _ := newWorkspace(t, map[string]string{"a.txt": "outside\n"})
	if err := syscall.Mkfifo(filepath.Join(ws.Dir, "pipe"), 0o644); err != nil {
		t.Skip("no pipes here: ", err)
	}
	if err := os.Symlink("pipe", filepath.Join(ws.Dir, "link")); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"pipe", "link", "pipe/x"} {
		for tl, input := range calls(path) {
			if _, err := do(t, tl, ws, input); err == nil {
				t.Errorf("%s %s works", tl.Spec().Name, path)
			}
		}
		for _, s := range searches() {
			if _, err := do(t, s, ws, in{"pattern": "x", "path": path}); err == nil {
				t.Errorf("search in %s works", path)
			}
		}
	}
	if got := must(t, listFiles{}, ws, in{"path": "."}); !strings.Contains(got, "pipe (a named pipe)\n") {
		t.Error(got)
	}
	for way, s := range searches() {
		if got := must(t, s, ws, in{"pattern": "outside"}); !strings.Contains(got, "a.txt") {
			t.Errorf("%s: %s", way, got)
		}
	}
}

// A pipe that takes the place of a file or of a directory on the way, after it
// was judged, does not block either.
func TestPipeInPlaceOfFile(t *testing.T) {
	ws, _ := newWorkspace(t, map[string]string{"d/a.txt": "outside\n"})
	for _, name := range []string{"d/a.txt", "d"} {
		acts := map[string]func() error{}
		for tl, input := range calls("d/a.txt") {
			if _, list := tl.(listFiles); list {
				input["path"] = "d"
			}
			a, err := tl.Prepare(t.Context(), callOf(t, ws, input))
			if err != nil {
				t.Fatal(err)
			}
			acts[tl.Spec().Name] = func() error { _, err := a.Run(t.Context(), nil); return err }
		}
		if err := os.RemoveAll(filepath.Join(ws.Dir, name)); err != nil {
			t.Fatal(err)
		}
		if err := syscall.Mkfifo(filepath.Join(ws.Dir, name), 0o644); err != nil {
			t.Skip("no pipes here: ", err)
		}
		for who, run := range acts {
			if err := run(); err == nil && (who != "list_files" || name != "d/a.txt") {
				t.Errorf("%s works on a pipe at %s", who, name)
			}
		}
		if err := os.RemoveAll(filepath.Join(ws.Dir, name)); err != nil {
			t.Fatal(err)
		}
		put(t, filepath.Join(ws.Dir, "d/a.txt"), "outside\n")
	}
}
