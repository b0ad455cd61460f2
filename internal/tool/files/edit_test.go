package files

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/clew-run/clew"
)

func TestEdit(t *testing.T) {
	for _, c := range []struct {
		name, before string
		input        in
		want         string
	}{
		{"once", "a b c\n", in{"old": "b", "new": "B"}, "a B c\n"},
		{"all", "x\nx\n", in{"old": "x", "new": "yy", "replace_all": true}, "yy\nyy\n"},
		{"no last line break", "a\nb", in{"old": "b", "new": "c"}, "a\nc"},
		{"crlf", "a\r\nb\r\nc\r\n", in{"old": "a\nb\n", "new": "x\ny\nz\n"}, "x\r\ny\r\nz\r\nc\r\n"},
		{"crlf given", "a\r\nb\r\n", in{"old": "a\r\nb", "new": "x\r\ny"}, "x\r\ny\r\n"},
		{"mixed stays", "a\r\nb\nc\n", in{"old": "b\nc", "new": "d"}, "a\r\nd\n"},
		{"not UTF-8 stays", "\xff a\n", in{"old": "a", "new": "b"}, "\xff b\n"},
		{"escape codes", "\x1b[0m\u202e\n", in{"old": "\x1b[0m", "new": "\x1b[1m"}, "\x1b[1m\u202e\n"},
		{"diff", "1\n2\n3\n4\n", in{"diff": "--- a/x\n+++ b/y\n@@ -1,3 +1,3 @@\n 1\n-2\n+two\n 3\n"}, "1\ntwo\n3\n4\n"},
		{"git diff", "1\n2\n", in{"diff": "diff --git a/x b/x\nindex 1..2 100644\n--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n-1\n+one\n 2\n"}, "one\n2\n"},
		{"header outside", "1\n", in{"diff": "--- a/../../etc/passwd\n+++ b/../../etc/passwd\n@@ -1 +1 @@\n-1\n+2\n"}, "2\n"},
		{"bare hunk", "1\n2\n", in{"diff": "@@ -1,2 +1,1 @@\n 1\n-2"}, "1\n"},
		{"two hunks", "1\n2\n3\n4\n5\n6\n7\n8\n9\n", in{"diff": "@@ -1,2 +1,3 @@\n 1\n+x\n 2\n@@ -8,2 +9,1 @@\n-8\n 9\n"}, "1\nx\n2\n3\n4\n5\n6\n7\n9\n"},
		{"diff crlf", "1\r\n2\r\n", in{"diff": "@@ -1,2 +1,2 @@\n 1\n-2\n+two\n"}, "1\r\ntwo\r\n"},
		{"diff to crlf", "1\n", in{"diff": "@@ -1 +1 @@\n-1\n+1\r\n"}, "1\r\n"},
		{"diff, no last line break", "1\n2", in{"diff": "@@ -1,2 +1,2 @@\n 1\n-2\n+two\n"}, "1\ntwo"},
		{"diff adds last line break", "1\n2", in{"diff": "@@ -1,2 +1,2 @@\n 1\n-2\n\\ No newline at end of file\n+2\n"}, "1\n2\n"},
		{"diff fills empty file", "", in{"diff": "@@ -0,0 +1 @@\n+1\n"}, "1\n"},
	} {
		ws, _ := newWorkspace(t, map[string]string{"f": c.before})
		c.input["path"] = "f"
		if _, err := do(t, edit{}, ws, c.input); err != nil {
			t.Errorf("%s: %v", c.name, err)
		} else if got := get(t, filepath.Join(ws.Dir, "f")); got != c.want {
			t.Errorf("%s: %q", c.name, got)
		}
	}
}

// Covers: TOOL-19
func TestEditThatDoesNotFit(t *testing.T) {
	for _, c := range []struct {
		name, before string
		input        in
		want         string
	}{
		{"not there", "a\n", in{"old": "zebra", "new": "x"}, "not in the file"},
		{"other indentation", "x\n\tfoo(bar)\ny\n", in{"old": "    foo(bar)\n", "new": "x"}, "     2\t\tfoo(bar)"},
		{"nearly", "let alpha = 1;\n", in{"old": "let alpha = 2;", "new": "x"}, "     1\tlet alpha = 1;"},
		{"twice", "a\nb\na\n", in{"old": "a", "new": "x"}, "lines 1, 3"},
		{"overlapping", "aaa\n", in{"old": "aa", "new": "x"}, "more than once"},
		{"many", strings.Repeat("a\n", 50), in{"old": "a", "new": "x"}, "10, …"},
		{"no hunk", "a\n", in{"diff": "hello"}, "no hunk"},
		{"other context", "1\n2\n3\n", in{"diff": "@@ -1,3 +1,3 @@\n 1\n-two\n+2\n 3\n"}, `line 2 of the file is "2", the diff has "two"`},
		{"other place", "0\n1\n2\n3\n", in{"diff": "@@ -1,3 +1,3 @@\n 1\n-2\n+two\n 3\n"}, "does not fit"},
		{"beyond the end", "1\n", in{"diff": "@@ -5,1 +5,1 @@\n-1\n+2\n"}, "fewer lines"},
		{"wrong count", "1\n2\n", in{"diff": "@@ -1,1 +1,1 @@\n-1\n+one\n 2\n"}, "belong to no hunk"},
		{"two files", "1\n", in{"diff": "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-1\n+2\n--- a/y\n+++ b/y\n@@ -1 +1 @@\n-1\n+2\n"}, "one file"},
		{"removal of the file", "1\n", in{"diff": "--- a/x\n+++ /dev/null\n@@ -1 +0,0 @@\n-1\n"}, "more than change"},
		{"rename", "1\n", in{"diff": "diff --git a/x b/y\nrename from x\nrename to y\n--- a/x\n+++ b/y\n@@ -1 +1 @@\n-1\n+2\n"}, "more than change"},
		{"mode", "1\n", in{"diff": "diff --git a/x b/x\nold mode 100644\nnew mode 100755\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-1\n+2\n"}, "more than change"},
		{"no context", "1\n2\n", in{"diff": "@@ -1,0 +2 @@\n+x\n"}, "context"},
		{"overlapping hunks", "1\n2\n3\n", in{"diff": "@@ -1,2 +1,2 @@\n 1\n-2\n+x\n@@ -2,1 +2,1 @@\n-2\n+y\n"}, "does not fit"},
		{"binary", "1\n", in{"diff": "GIT binary patch\nliteral 0\nHcmV?d00001\n"}, "no hunk"},
	} {
		ws, _ := newWorkspace(t, map[string]string{"f": c.before})
		c.input["path"] = "f"
		_, err := do(t, edit{}, ws, c.input)
		var r *refusal
		if !errors.As(err, &r) || r.say != clew.SayDiffError || !strings.Contains(r.text, c.want) {
			t.Errorf("%s: %v", c.name, err)
		}
		if got := get(t, filepath.Join(ws.Dir, "f")); got != c.before {
			t.Errorf("%s wrote %q", c.name, got)
		}
	}
}

func TestEditBinary(t *testing.T) {
	ws, _ := newWorkspace(t, map[string]string{"f": "a\x00b"})
	if _, err := do(t, edit{}, ws, in{"path": "f", "old": "a", "new": "b"}); err == nil {
		t.Error("edited")
	}
}
