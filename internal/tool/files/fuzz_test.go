package files

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"
	"znkr.io/diff/textdiff"

	"github.com/clew-run/clew/internal/nightly"
)

// Whatever the path, what it leads to lies in the workspace and is reached by a
// path without links.
func FuzzResolve(f *testing.F) {
	for _, path := range escapes {
		f.Add(path)
	}
	for _, path := range []string{"a/b/c.txt", ".", "deep/up", "in/c.txt", "in/../x", "a//b/./c.txt", "DIR/a"} {
		f.Add(path)
	}
	ws, beside := newWorkspace(f, map[string]string{"a/b/c.txt": "inside\n"})
	hostileLinks(f, ws.Dir, beside)
	if err := os.Symlink("a/b", filepath.Join(ws.Dir, "in")); err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, path string) {
		path = strings.NewReplacer("DIR", ws.Dir, "BESIDE", beside).Replace(path)
		p, err := locate(ws, path)
		if err != nil {
			return
		}
		if !filepath.IsLocal(p.real) || strings.Contains("/"+p.real+"/", "/../") {
			t.Fatalf("%q leads to %q", path, p.real)
		}
		if !p.exists() {
			return
		}
		full, err := filepath.EvalSymlinks(filepath.Join(ws.Dir, p.real))
		if err != nil || full != filepath.Join(ws.Dir, p.real) {
			t.Fatalf("%q leads to %q, which is %q %v", path, p.real, full, err)
		}
	})
}

func FuzzEdit(f *testing.F) {
	f.Add("a b c", "b", "x", false)
	f.Add("a\r\nb\r\n", "a\nb", "x\n", true)
	f.Add("aaa", "aa", "", true)
	f.Add(" \r\n", "\r", "\x00", false)
	f.Add("a\nba\r\nb", "a\nb", "x\x7f", false)
	f.Fuzz(func(t *testing.T, text, old, new string, all bool) {
		if old == "" || old == new {
			return
		}
		r := replacement{old, new, all}
		got, err := r.apply(text)
		if err != nil {
			if !allCRLF(text) && strings.Count(text, old) == 1 && len(places(text, old, 2)) == 1 {
				t.Fatalf("refused: %v", err)
			}
			return
		}
		if !allCRLF(text) && got != strings.ReplaceAll(text, old, new) {
			t.Fatalf("%q", got)
		}
		// Who names a CR by itself means it, in the old text as in the new one.
		bareCR := strings.Contains(strings.ReplaceAll(old, "\r\n", "")+strings.ReplaceAll(new, "\r\n", ""), "\r")
		if allCRLF(text) && !bareCR && strings.Count(got, "\n") != strings.Count(got, "\r\n") {
			t.Fatalf("line endings changed: %q", got)
		}
		if !all && !allCRLF(text) && !r.applied(got) {
			t.Fatalf("%q is not seen as the outcome", got)
		}
	})
}

func FuzzDiff(f *testing.F) {
	f.Add("1\n2\n3\n", "@@ -1,3 +1,3 @@\n 1\n-2\n+two\n 3\n")
	f.Add("1\n2", "@@ -1,2 +1,2 @@\n 1\n-2\n\\ No newline at end of file\n+2\n")
	f.Add("", "@@ -0,0 +1 @@\n+x\n")
	f.Add("a\r\n", "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n")
	f.Add("a\n", "@@ -9223372036854775807,1 +1 @@\n-a\n+b\n")
	f.Fuzz(func(t *testing.T, text, d string) {
		p := patch{d}
		if out, err := p.apply(text); err == nil {
			_ = p.applied(out)
		}
		_ = p.applied(text)
		roundTrip(t, text, d) // any two texts will do
	})
}

type fataler interface{ Fatalf(string, ...any) }

// roundTrip checks that applying the difference of two texts to one gives the
// other, and that taking it back gives the first.
func roundTrip(t fataler, a, b string) {
	if a == b {
		return
	}
	d := textdiff.Unified(a, b)
	got, err := patch{d}.apply(a)
	if err != nil || got != b {
		t.Fatalf("apply(diff(%q, %q)) = %q, %v\n%s", a, b, got, err, d)
	}
	back, err := patch{d}.put(b, true)
	if err != nil || back != a {
		t.Fatalf("taken back: %q, %v; want %q", back, err, a)
	}
}

var anyText = rapid.Custom(func(t *rapid.T) string {
	lines := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "", " ", "-x", "+y", "--- a", "+++ b", "@@ -1 +1 @@", "\\ No newline", "ü", "\r", "a\r", "\x1b[0m"}), 0, 30).Draw(t, "lines")
	s := strings.Join(lines, "\n")
	if rapid.Bool().Draw(t, "ends") {
		s += "\n"
	}
	return s
})

func TestDiffRoundTrip(t *testing.T) {
	nightly.Check(t, func(t *rapid.T) { roundTrip(t, anyText.Draw(t, "a"), anyText.Draw(t, "b")) })
}

// What clew shows as a diff is one that its own edit takes.
func TestShownDiffCanBeApplied(t *testing.T) {
	nightly.Check(t, func(rt *rapid.T) {
		a, b := anyText.Draw(rt, "a"), anyText.Draw(rt, "b")
		if a == b || a == "" {
			return
		}
		c := &change{at: place{real: "f"}, before: state{exists: true, data: []byte(a)}, after: []byte(b)}
		c.sum[0] = 1
		diff, _ := c.diff()
		if got, err := (patch{diff}).apply(a); err != nil || got != b {
			rt.Fatalf("%q %v", got, err)
		}
	})
}

// git has the same opinion on what a diff makes of a file.
func TestDiffLikeGit(t *testing.T) {
	git, err := exec.LookPath("git")
	if err != nil {
		missing(t, "git is not there")
	}
	dir := t.TempDir()
	tries := 0
	nightly.Check(t, func(rt *rapid.T) {
		a, b := anyText.Draw(rt, "a"), anyText.Draw(rt, "b")
		if tries++; tries > 40 || a == b || a == "" || b == "" {
			return
		}
		d := textdiff.Unified(a, b)
		put(t, filepath.Join(dir, "f"), a)
		put(t, filepath.Join(dir, "d"), "--- a/f\n+++ b/f\n"+d)
		cmd := exec.CommandContext(t.Context(), git, "apply", "--whitespace=nowarn", "d")
		cmd.Dir = dir
		cmd.Env = []string{"GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1", "GIT_CEILING_DIRECTORIES=" + filepath.Dir(dir)}
		if out, err := cmd.CombinedOutput(); err != nil {
			rt.Fatalf("git: %s", out)
		}
		ours, err := patch{d}.apply(a)
		if err != nil || ours != get(t, filepath.Join(dir, "f")) {
			rt.Fatalf("ours %q %v, git's %q", ours, err, get(t, filepath.Join(dir, "f")))
		}
	})
}
