package checkpoint_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/checkpoint"
)

// Each kind of difference shows as what it is, against a checkpoint and against
// the files as they are.
// Covers: CHK-18, CHK-19, CHK-21
func TestDiff(t *testing.T) {
	long := strings.Repeat("a line that stays\n", 30)
	p, root := place(t, map[string]string{
		"same": "x", "modified": "one\ntwo\nthree\n", "deleted": "bye\n", "moved": "exactly this\n", "edited": long, "binary": "\x00\x01",
		"mode": "x", "kind": "x", "link": "->a", "empty/": "", "huge": strings.Repeat("h", checkpoint.MaxDiffFile+1), "dir/in": "something of its own",
	}, checkpoint.Options{}, checkpoint.Rules{})
	first := save(t, p)
	for _, name := range []string{"deleted", "kind", "link", "empty", "dir"} {
		must(t, os.RemoveAll(filepath.Join(root, name)))
	}
	put(t, root, "modified", "one\n2\nthree\n")
	must(t, os.Rename(filepath.Join(root, "moved"), filepath.Join(root, "elsewhere")))
	must(t, os.Remove(filepath.Join(root, "edited")))
	put(t, root, "sub/edited2", long+"and one more\n")
	put(t, root, "binary", "\x00\x02")
	must(t, os.Chmod(filepath.Join(root, "mode"), 0o755))
	put(t, root, "kind/in", "x")
	put(t, root, "link", "->b")
	put(t, root, "added", "hello\n")
	put(t, root, "huge", strings.Repeat("g", checkpoint.MaxDiffFile+1))
	put(t, root, "new/", "")
	check := func(diffs []checkpoint.FileDiff) {
		t.Helper()
		got := map[string]checkpoint.FileDiff{}
		for _, d := range diffs {
			got[d.Path] = d
		}
		for path, want := range map[string]checkpoint.Status{
			"modified": checkpoint.Modified, "deleted": checkpoint.Deleted, "elsewhere": checkpoint.Renamed, "sub/edited2": checkpoint.Renamed, "binary": checkpoint.Modified,
			"mode": checkpoint.Mode, "kind": checkpoint.Modified, "kind/in": checkpoint.Added, "link": checkpoint.Modified, "added": checkpoint.Added, "empty": checkpoint.Deleted,
			"huge": checkpoint.Modified, "new": checkpoint.Added, "dir/in": checkpoint.Deleted,
		} {
			if got[path].Status != want {
				t.Errorf("%s: %q", path, got[path].Status)
			}
			delete(got, path)
		}
		for path, d := range got {
			t.Errorf("%s should not be named: %+v", path, d)
		}
		for _, d := range diffs {
			got[d.Path] = d
		}
		if u := got["modified"].Unified; u != "--- a/modified\n+++ b/modified\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n" {
			t.Errorf("%q", u)
		}
		if d := got["modified"]; d.Before != "one\ntwo\nthree\n" || d.After != "one\n2\nthree\n" {
			t.Errorf("%+v", d)
		}
		if !got["binary"].Binary || got["binary"].After != "" || !got["huge"].Truncated || got["huge"].After != "" {
			t.Errorf("%+v", got["binary"])
		}
		if got["elsewhere"].OldPath != "moved" || got["sub/edited2"].OldPath != "edited" {
			t.Errorf("%+v", got["sub/edited2"])
		}
		if d := got["mode"]; d.OldPerm != 0o644 || d.Perm != 0o755 {
			t.Errorf("%+v", d)
		}
		if d := got["link"]; d.Before != "a" || d.After != "b" || d.Kind != "link" {
			t.Errorf("%+v", d)
		}
		if d := got["added"]; !strings.HasPrefix(d.Unified, "--- /dev/null\n+++ b/added\n") {
			t.Errorf("%+v", d)
		}
	}
	now, _, err := p.Diff(t.Context(), first.Hash, "", checkpoint.DiffLimits{})
	must(t, err)
	check(now)
	list, err := p.List(t.Context(), "")
	if err != nil || len(list) != 1 {
		t.Error("a comparison is no checkpoint", list, err)
	}
	second := save(t, p)
	between, _, err := p.Diff(t.Context(), first.Hash, second.Hash, checkpoint.DiffLimits{})
	must(t, err)
	check(between)
	none, _, err := p.Diff(t.Context(), second.Hash, "", checkpoint.DiffLimits{})
	if err != nil || len(none) != 0 {
		t.Errorf("%+v %v", none, err)
	}
}

// An answer is bounded in number and size, and counts what it does not show. A
// file is shown on both sides or on none.
func TestDiffLimits(t *testing.T) {
	p, root := place(t, map[string]string{"grows": "small"}, checkpoint.Options{}, checkpoint.Rules{})
	first := save(t, p)
	put(t, root, "grows", strings.Repeat("g", 1001))
	for i := range 30 {
		put(t, root, fmt.Sprintf("f%02d", i), strings.Repeat("x", 100)+fmt.Sprint(i))
	}
	diffs, count, err := p.Diff(t.Context(), first.Hash, "", checkpoint.DiffLimits{Files: 10})
	must(t, err)
	if count != 31 || len(diffs) != 10 || diffs[0].Path != "f00" || diffs[9].Path != "f09" {
		t.Errorf("%d of %d: %+v", len(diffs), count, diffs)
	}
	diffs, count, err = p.Diff(t.Context(), first.Hash, "", checkpoint.DiffLimits{File: 1000, Total: 1020})
	must(t, err)
	shown := 0
	for _, d := range diffs {
		switch {
		case d.Truncated && (d.Before+d.After+d.Unified != ""):
			t.Errorf("half of %s is shown", d.Path)
		case !d.Truncated:
			shown += len(d.Before) + len(d.After)
		}
	}
	if last := diffs[30]; count != 31 || shown > 1020 || shown < 900 || last.Path != "grows" || !last.Truncated {
		t.Errorf("%d bytes of %d files, the last is %+v", shown, count, last)
	}
	if _, _, err := p.Diff(t.Context(), "", "", checkpoint.DiffLimits{}); clew.CodeOf(err) != clew.InvalidMessage {
		t.Errorf("compared with nothing: %v", err)
	}
}
