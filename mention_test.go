package clew_test

import (
	"strings"
	"testing"

	"github.com/clew-run/clew"
)

func TestMentions(t *testing.T) {
	for text, want := range map[string]string{
		"explain @main.go":               "main.go",
		"@a.go and @b/c.go, (@d.go)":     "a.go b/c.go, d.go)",
		"@a.go\n@a.go":                   "a.go",
		`see @"my notes.md" now`:         "my notes.md",
		"mail me@example.com":            "",
		`from "@/components" and \@a.go`: "",
		"@":                              "",
		"a @ b":                          "",
		"@../x @/etc/passwd @~/x":        "../x /etc/passwd ~/x",
		"@한글.md 파일":                      "한글.md",
		`@"open and no end`:              "",
		"@one@two":                       "one@two",
		strings.Repeat("@a @b @c ", 100): "a b c",
		"tab\t@x":                        "x",
	} {
		if got := strings.Join(clew.Mentions(text), " "); got != want {
			t.Errorf("%q mentions %q, want %q", text, got, want)
		}
	}
	var many strings.Builder
	for i := range 100 {
		many.WriteString(" @f" + strings.Repeat("x", i))
	}
	if n := len(clew.Mentions(many.String())); n != 20 {
		t.Errorf("%d mentions", n)
	}
}

// What is written as a mention is read as one.
func TestMentionIsRead(t *testing.T) {
	for path, want := range map[string]string{"main.go": "@main.go", "a/b": "@a/b/", "my notes.md": `@"my notes.md"`, "a.": `@"a."`} {
		dir := path == "a/b"
		got := clew.Mention(path, dir)
		if read := clew.Mentions("x " + got + " y"); got != want || len(read) != 1 || strings.TrimSuffix(read[0], "/") != path {
			t.Errorf("%q is written %s and read as %q", path, got, read)
		}
	}
}
