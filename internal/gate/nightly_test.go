package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// A night is a repository of its own with tools/nightly, which has one planted shard.
type night struct {
	t   *testing.T
	dir string
}

func newNight(t *testing.T, shards string) *night {
	t.Helper()
	script, err := os.ReadFile("../../tools/nightly")
	if err != nil {
		t.Fatal(err)
	}
	text := regexp.MustCompile(`(?s)\nshards='\n.*?\n'\n`).ReplaceAllLiteralString(string(script), "\nshards='\n"+shards+"\n'\n")
	text = strings.Replace(text, "\nold=300 ", "\nold=2 ", 1)
	n := &night{t: t, dir: t.TempDir()}
	for _, dir := range []string{"tools", "docs"} {
		if err := os.Mkdir(filepath.Join(n.dir, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(n.dir, "tools/nightly"), []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
	n.must("git", "init", "-q")
	n.commit()
	return n
}

// must is do, for what cannot fail.
func (n *night) must(name string, args ...string) string {
	n.t.Helper()
	out, err := n.do(name, args...)
	if err != nil {
		n.t.Fatal(out)
	}
	return out
}

func (n *night) do(name string, args ...string) (string, error) {
	n.t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir = n.dir
	cmd.Env = append(os.Environ(), "XDG_CACHE_HOME="+n.dir+"/.git/cache", "CLEW_SEED=", "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.com", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.com")
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func (n *night) commit() {
	n.t.Helper()
	n.must("git", "add", "-A")
	n.must("git", "commit", "-q", "--allow-empty", "-m", "all: go on")
}

// A shard that was cut goes on where it was and leaves its result, commit and seed; a pass
// that is long ago is warned of.
func TestNight(t *testing.T) {
	n := newNight(t, "short | 1 | one part and another\n\techo one >>ran\n\techo two $CLEW_SEED $CLEW_NIGHTLY >>ran; test -e mended")
	row := func() string {
		table, _ := os.ReadFile(filepath.Join(n.dir, "docs/nightly.md"))
		return regexp.MustCompile(`(?m)^\| short .*`).FindString(string(table))
	}
	if out, err := n.do("tools/nightly", "stale"); err != nil || !strings.Contains(out, "shard short has not passed") {
		t.Fatalf("%v\n%s", err, out)
	}
	if out, err := n.do("tools/nightly", "short"); err == nil || !strings.HasPrefix(row(), "| short | failed |") {
		t.Fatalf("%v, %s\n%s", err, row(), out)
	}
	n.must("touch", "mended")
	n.must("tools/nightly")
	ran, _ := os.ReadFile(filepath.Join(n.dir, "ran"))
	commit := n.must("git", "rev-parse", "--short=10", "HEAD")
	parts := regexp.MustCompile(`^one\ntwo (\d+) 1\ntwo (\d+) 1\n$`).FindStringSubmatch(string(ran))
	if parts == nil || parts[1] != parts[2] || !strings.HasPrefix(row(), "| short | passed | `"+strings.TrimSpace(commit)+"` | "+parts[1]+" |") {
		t.Fatalf("%s\n%s", ran, row())
	}
	for commits, warned := range []bool{false, false, false, true} {
		if out, _ := n.do("tools/nightly", "stale"); strings.Contains(out, "warning") != warned {
			t.Errorf("after %d commits: %s", commits, out)
		}
		n.commit()
	}
}
