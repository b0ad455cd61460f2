package retention_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/clew-run/clew"
)

// Covers: UIC-46, CHK-18, CHK-19, CHK-20, CHK-21
func TestDiff(t *testing.T) {
	d := newDesk(t)
	d.put("text", "one\ntwo\n")
	d.put("gone", "bye\n")
	d.put("old name", strings.Repeat("the same line\n", 20))
	d.put("mode", "x")
	d.put("bytes", "\x00\x01")
	first := d.save()
	d.put("text", "one\n2\n")
	d.must(os.Remove(filepath.Join(d.at.Dir, "gone")))
	d.must(os.Rename(filepath.Join(d.at.Dir, "old name"), filepath.Join(d.at.Dir, "new name")))
	d.must(os.Chmod(filepath.Join(d.at.Dir, "mode"), 0o755))
	d.put("bytes", "\x00\x02")
	d.put("bad \xff \\ name", "x")
	second := d.save()
	d.put("text", "later\n")

	between, _, err := d.Diff(t.Context(), d.at, first.Hash, second.Hash, 100)
	d.must(err)
	root, err := filepath.EvalSymlinks(d.at.Dir)
	d.must(err)
	got := map[string]clew.CheckpointFile{}
	for _, f := range between {
		got[f.Paths.Relative] = f
		if f.Paths.Absolute != root+"/"+f.Paths.Relative && !strings.Contains(f.Paths.Relative, "bad") {
			t.Errorf("absolute path %q", f.Paths.Absolute)
		}
	}
	text := got["text"]
	if text.Content.Before != "one\ntwo\n" || text.Content.After != "one\n2\n" || text.Status != "modified" || !strings.Contains(text.Unified, "\n-two\n+2\n") || text.Mode != "0644" {
		t.Errorf("text: %+v", text)
	}
	for name, want := range map[string]string{
		"gone": "deleted file  false", "new name": "renamed file 0644 false", "mode": "mode file 0755 false", "bytes": "modified file 0644 true",
		`bad \xff \\ name`: "added file 0644 false",
	} {
		f, ok := got[name]
		if is := fmt.Sprintf("%s %s %s %t", f.Status, f.Kind, f.Mode, f.Binary); !ok || is != want {
			t.Errorf("%s: %s, want %s", name, is, want)
		}
		for _, s := range []string{f.Paths.Relative, f.Paths.Absolute, f.Unified} {
			if !utf8.ValidString(s) {
				t.Errorf("%s: %q is no text", name, s)
			}
		}
	}
	if got["new name"].Paths.Old != "old name" || len(got) != 6 {
		t.Errorf("%d files, renamed %+v", len(got), got["new name"].Paths)
	}
	now, _, err := d.Diff(t.Context(), d.at, "", "", 100) // from the first one to the files as they are
	d.must(err)
	for _, f := range now {
		if f.Paths.Relative == "text" && (f.Content.Before != "one\ntwo\n" || f.Content.After != "later\n") {
			t.Errorf("against the files: %+v", f)
		}
	}
}

// An answer is bounded and says what it leaves out.
func TestDiffIsBounded(t *testing.T) {
	d := newDesk(t)
	first := d.save()
	for i := range 20 {
		d.put(fmt.Sprintf("f%02d", i), strings.Repeat("0123456789abcde\n", 10<<10)) // 160 KiB
	}
	d.put("huge", strings.Repeat("x", 300<<10))
	files, _, err := d.Diff(t.Context(), d.at, first.Hash, "", 100)
	d.must(err)
	size, cut := 0, 0
	for _, f := range files {
		size += len(f.Content.Before) + len(f.Content.After) + len(f.Unified)
		if f.Truncated {
			cut++
		} else if f.Content.After == "" || f.Paths.Relative == "huge" {
			t.Errorf("%s is not shown and does not say so", f.Paths.Relative)
		}
	}
	if len(files) != 21 || size > 2<<20 || cut == 0 || cut > 18 {
		t.Errorf("%d files of %d bytes, %d cut", len(files), size, cut)
	}
	some, count, err := d.Diff(t.Context(), d.at, first.Hash, "", 5)
	if err != nil || len(some) != 5 || count != 21 || some[0].Paths.Relative != "f00" || some[4].Paths.Relative != "f04" {
		t.Errorf("%d files of %d, %v", len(some), count, err)
	}
	long := strings.Repeat(strings.Repeat("d", 250)+"/", 15)
	for i := range 400 {
		d.put(fmt.Sprintf("long/%s%03d", long[:3500-len(d.at.Dir)], i), "x")
	}
	d.must(os.Remove(filepath.Join(d.at.Dir, "huge")))
	some, count, err = d.Diff(t.Context(), d.at, first.Hash, "", 1000)
	names := 0
	for _, f := range some {
		names += len(f.Paths.Relative) + len(f.Paths.Absolute)
	}
	if err != nil || count != 420 || len(some) < 200 || names > 2<<20 {
		t.Errorf("%d files with names of %d bytes, of %d, %v", len(some), names, count, err)
	}
}

// A session that was brought in without its files has nothing to compare with:
// they are not shown as deleted.
func TestDiffWithoutAWorkspace(t *testing.T) {
	d := newDesk(t)
	d.at.Dir = ""
	own := filepath.Join(d.data, "workspaces", string(d.at.Session))
	d.must(os.MkdirAll(own, 0o755))
	d.must(os.WriteFile(filepath.Join(own, "a"), []byte("x"), 0o600))
	saved := d.save()
	d.must(os.RemoveAll(own))
	if files, _, err := d.Diff(t.Context(), d.at, saved.Hash, "", 100); clew.CodeOf(err) != clew.SessionInvalidState || len(files) != 0 {
		t.Errorf("%+v, %v", files, err)
	}
	if _, err := os.Stat(own); !os.IsNotExist(err) {
		t.Errorf("looking has made the directory: %v", err)
	}
	_, _, err := d.Diff(t.Context(), d.at, saved.Hash, saved.Hash, 100)
	d.must(err)
}
