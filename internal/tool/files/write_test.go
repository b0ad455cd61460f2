package files

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/clew-run/clew/internal/tool"
)

func prepare(t testing.TB, tl tool.Tool, ws *tool.Workspace, input in) *tool.Action {
	t.Helper()
	a, err := tl.Prepare(t.Context(), callOf(t, ws, input))
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func TestWrite(t *testing.T) {
	ws, _ := newWorkspace(t, map[string]string{"a.txt": "one\ntwo\n"})
	name := filepath.Join(ws.Dir, "a.txt")
	if err := os.Chmod(name, 0o750); err != nil {
		t.Fatal(err)
	}
	a := prepare(t, writeFile{}, ws, in{"path": "a.txt", "content": "one\n2\n"})
	if !strings.Contains(a.Effect.Diff, "--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n") || !strings.HasPrefix(a.Effect.Diff, "index ") {
		t.Errorf("diff %q", a.Effect.Diff)
	}
	if get(t, name) != "one\ntwo\n" {
		t.Error("prepare wrote")
	}
	if _, err := a.Run(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(name)
	if err != nil || info.Mode().Perm() != 0o750 || get(t, name) != "one\n2\n" {
		t.Errorf("%v %v", info.Mode(), err)
	}
	if a = prepare(t, writeFile{}, ws, in{"path": "a.txt", "content": "one\ntwo\nthree\n"}); !strings.HasSuffix(a.Effect.Summary, " a.txt (6 → 14 bytes)") {
		t.Errorf("the sizes before and after: %s", a.Effect.Summary)
	}
	a = prepare(t, writeFile{}, ws, in{"path": "x/y/z.txt", "content": "new"})
	if !strings.Contains(a.Effect.Diff, "--- /dev/null\n") || !strings.HasPrefix(a.Effect.Summary, "Create x/y/z.txt") {
		t.Errorf("%+v", a.Effect)
	}
	if _, err := a.Run(t.Context(), nil); err != nil || get(t, filepath.Join(ws.Dir, "x/y/z.txt")) != "new" {
		t.Error(err)
	}
	if got := must(t, listFiles{}, ws, in{"path": ".", "recursive": true}); got != "a.txt\nx/\nx/y/\nx/y/z.txt\n" {
		t.Errorf("left behind: %s", got)
	}
}

func TestWriteDiffIsBounded(t *testing.T) {
	ws, _ := newWorkspace(t, map[string]string{"a.txt": strings.Repeat("old\n", 50_000), "bin": "\x00old", "line": strings.Repeat("ä", 60_000)})
	for path, content := range map[string]string{
		"a.txt": strings.Repeat("new\n", 50_000), "bin": "new", "line": strings.Repeat("ö", 60_000), "big": strings.Repeat("x\n", 3<<20), "utf": "\xff\xff",
	} {
		a := prepare(t, writeFile{}, ws, in{"path": path, "content": content})
		if len(a.Effect.Diff) > maxDiff || len(a.Effect.Diff) < 60 || strings.ContainsRune(a.Effect.Diff, 0) {
			t.Errorf("%s: %d bytes", path, len(a.Effect.Diff))
		}
	}
	// Two contents that differ where nothing is shown are two effects.
	one := prepare(t, writeFile{}, ws, in{"path": "a.txt", "content": strings.Repeat("new\n", 50_000) + "one"}).Effect
	two := prepare(t, writeFile{}, ws, in{"path": "a.txt", "content": strings.Repeat("new\n", 50_000) + "two"}).Effect
	if one.Diff == two.Diff {
		t.Error("the effects are the same")
	}
}

// An approval is for the change that was shown. If the file is another one by
// then, nothing is written.
func TestChangedBetweenPrepareAndRun(t *testing.T) {
	for what, meanwhile := range map[string]func(name string) error{
		"changed": func(name string) error { return os.WriteFile(name, []byte("outside, changed\n"), 0o644) },
		"removed": os.Remove,
		"a directory": func(name string) error {
			_ = os.Remove(name)
			return os.Mkdir(name, 0o755)
		},
		"a link": func(name string) error {
			_ = os.Remove(name)
			return os.Symlink("other.txt", name)
		},
	} {
		for tl, input := range calls("a.txt") {
			if tl.Spec().Group != tool.GroupEdit {
				continue
			}
			ws, beside := newWorkspace(t, map[string]string{"a.txt": "outside\n", "other.txt": "outside\n"})
			a := prepare(t, tl, ws, input)
			if err := meanwhile(filepath.Join(ws.Dir, "a.txt")); err != nil {
				t.Fatal(err)
			}
			before := must(t, listFiles{}, ws, in{"path": "."})
			if r, err := a.Run(t.Context(), nil); err == nil {
				t.Errorf("%s, file %s: %v", tl.Spec().Name, what, r)
			}
			if after := must(t, listFiles{}, ws, in{"path": "."}); after != before || get(t, filepath.Join(ws.Dir, "other.txt")) != "outside\n" {
				t.Errorf("%s, file %s: left %s", tl.Spec().Name, what, after)
			}
			untouched(t, beside)
		}
	}
}

func TestCreatedBetweenPrepareAndRun(t *testing.T) {
	ws, _ := newWorkspace(t, nil)
	a := prepare(t, writeFile{}, ws, in{"path": "new.txt", "content": "mine"})
	put(t, filepath.Join(ws.Dir, "new.txt"), "theirs")
	if _, err := a.Run(t.Context(), nil); err == nil || !strings.Contains(err.Error(), "changed after") {
		t.Error(err)
	}
	if got := get(t, filepath.Join(ws.Dir, "new.txt")); got != "theirs" {
		t.Error(got)
	}
}

func TestReadOnlyFileIsLeft(t *testing.T) {
	ws, _ := newWorkspace(t, map[string]string{"a.txt": "outside\n"})
	if err := os.Chmod(filepath.Join(ws.Dir, "a.txt"), 0o444); err != nil {
		t.Fatal(err)
	}
	if _, err := do(t, writeFile{}, ws, in{"path": "a.txt", "content": "x"}); err == nil || !strings.Contains(err.Error(), "read-only") {
		t.Error(err)
	}
}

// A hard link to a file elsewhere is cut, not written through.
func TestHardLink(t *testing.T) {
	ws, beside := newWorkspace(t, nil)
	if err := os.Link(filepath.Join(beside, "secret.txt"), filepath.Join(ws.Dir, "a.txt")); err != nil {
		t.Skip("no hard links here: ", err)
	}
	must(t, writeFile{}, ws, in{"path": "a.txt", "content": "new"})
	untouched(t, beside)
}

// check prepares anew, as after a crash, and asks whether the call took effect.
func check(t *testing.T, tl tool.Tool, ws *tool.Workspace, input in) (bool, error) {
	t.Helper()
	done, r, err := prepare(t, tl, ws, input).Check(t.Context())
	if done && r.Text == "" {
		t.Error("no result")
	}
	return done, err
}

func TestCheckWrite(t *testing.T) {
	ws, _ := newWorkspace(t, map[string]string{"a.txt": "old"})
	input := in{"path": "a.txt", "content": "new"}
	a := prepare(t, writeFile{}, ws, input)
	left := filepath.Join(ws.Dir, (&change{callID: "call_1", at: place{real: "a.txt"}}).temp())
	put(t, left, "ne") // a crash in the middle
	if done, err := check(t, writeFile{}, ws, input); done || err != nil {
		t.Error(done, err)
	}
	if _, err := os.Stat(left); !os.IsNotExist(err) {
		t.Error("left behind: ", err)
	}
	put(t, left, "ne")
	if _, err := a.Run(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	if done, err := check(t, writeFile{}, ws, input); !done || err != nil {
		t.Error(done, err)
	}
}

func TestCheckEdit(t *testing.T) {
	const d = "@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n"
	for _, c := range []struct {
		name, before string
		input        in
		doubt        bool // the file cannot tell afterwards
	}{
		{"replace", "a\nb\nc\n", in{"old": "b", "new": "B"}, false},
		{"delete", "a\nb\nc\n", in{"old": "b\n", "new": ""}, false},
		{"replace all", "b b b\n", in{"old": "b", "new": "B", "replace_all": true}, false},
		{"new text elsewhere too", "B b\n", in{"old": "b", "new": "B"}, false},
		{"diff", "a\nb\nc\n", in{"diff": d}, false},
		{"diff crlf", "a\r\nb\r\nc\r\n", in{"diff": d}, false},
		{"insert after", "a\nb\n", in{"old": "a\n", "new": "a\nx\n"}, true},
	} {
		ws, _ := newWorkspace(t, map[string]string{"f": c.before})
		c.input["path"] = "f"
		if done, err := check(t, edit{}, ws, c.input); done || err != nil {
			t.Errorf("%s, before: %v %v", c.name, done, err)
		}
		must(t, edit{}, ws, c.input)
		if done, err := check(t, edit{}, ws, c.input); done == c.doubt || (err != nil) != c.doubt {
			t.Errorf("%s, after: %v %v", c.name, done, err)
		}
		put(t, filepath.Join(ws.Dir, "f"), "something else\n")
		if done, err := check(t, edit{}, ws, c.input); (done || err == nil) && c.name != "delete" {
			t.Errorf("%s, other: %v %v", c.name, done, err)
		}
	}
}
