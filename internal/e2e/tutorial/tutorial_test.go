//go:build linux

// Package tutorial does what docs/tutorial.md says, and nothing else.
package tutorial

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/clew-run/clew/internal/e2e/proc"
)

func TestMain(m *testing.M) { os.Exit(proc.Main(m)) }

// At a terminal every command of the tutorial works and prints what the page shows, and at
// the end the change is merged.
func TestTutorial(t *testing.T) {
	r := newReader(t)
	for _, s := range readPage(t, "docs/tutorial.md").steps() {
		if missing := s.missing(r.at(s), r.home); missing != "" {
			t.Fatal(missing)
		}
	}
	r.merged()
}

// As a script, with nobody to ask, its commands come to the same end.
func TestTutorialAsScript(t *testing.T) {
	r := newReader(t)
	var all strings.Builder
	for _, s := range readPage(t, "docs/tutorial.md").steps() {
		all.WriteString(s.commands)
	}
	file := filepath.Join(r.home, "tutorial.sh")
	proc.Must(t, os.WriteFile(file, []byte(all.String()), 0o600))
	if out, err := r.plain("bash " + file); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	r.dir = filepath.Join(r.home, "shop")
	r.merged()
}

// merged looks with git alone: the change is on main, in one commit of the reader's, and the
// project's test passes.
func (r *reader) merged() {
	r.t.Helper()
	for command, want := range map[string]string{
		"git branch --format='%(refname:short)'":       "main\n",
		"git log --format='%an: %s'":                   "Ada: Take the discount before dividing\nAda: A shop\n",
		"git diff --name-only HEAD~1":                  "price.sh\n",
		"git status --porcelain":                       "",
		"git worktree list --porcelain | grep -c tree": "1\n",
		"sh test.sh": "ok\n",
	} {
		if got, err := r.plain(command); err != nil || got != want {
			r.t.Errorf("%s: %v\n%s", command, err, got)
		}
	}
}

// missing says which line of the page was not printed, in its order.
func (s step) missing(printed, home string) string {
	rest := strings.FieldsFunc(escape.ReplaceAllString(printed, ""), func(c rune) bool { return c == '\n' || c == '\r' })
	for _, line := range s.output {
		want := usual(line, home)
		i := 0
		for i < len(rest) && !strings.Contains(usual(rest[i], home), want) {
			i++
		}
		if i == len(rest) {
			return s.commands + "did not print " + want + "\n" + printed
		}
		rest = rest[i+1:]
	}
	return ""
}

var escape = regexp.MustCompile("\x1b\\[[0-9;?]*[a-zA-Z]")

// differs is what is different each time and on each machine.
var differs = regexp.MustCompile(`\b(?:sess|msg|req)_[0-9a-f]+|\b[0-9a-f]{7,8}\b|\d\d:\d\d|\$\d+\.\d+|[\d.,]+k? tokens|pid \d+|127\.0\.0\.1:\d+|^clew \S+ \(go\S+, \S+\)|  +`)

// usual gives a line without what differs.
func usual(line, home string) string {
	line = strings.ReplaceAll(strings.TrimSpace(line), home, "~")
	return differs.ReplaceAllStringFunc(line, func(s string) string {
		if strings.TrimSpace(s) == "" {
			return " "
		}
		return "…"
	})
}
