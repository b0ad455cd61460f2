package layers

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"
)

// TestLinks checks that the documents point to files that are there: a map
// with dead ends is worse than none.
func TestLinks(t *testing.T) {
	dead, err := deadLinks(os.DirFS(repository))
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range dead {
		t.Error(d)
	}
}

func TestDeadLinksAreFound(t *testing.T) {
	root := fstest.MapFS{
		"README.md":  {Data: []byte("[a](docs/a.md#part) [b](missing.go) [c](https://example.org/x) [d](#here) `[e](no.go)`\n```\n[f](no.go)\n```\n")},
		"docs/a.md":  {Data: []byte("[up](../README.md) [gone](gone.md)")},
		".x/skip.md": {Data: []byte("[x](gone.md)")},
	}
	dead, err := deadLinks(root)
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(dead, "; "); got != "README.md links to missing.go, which is not there; docs/a.md links to gone.md, which is not there" {
		t.Errorf("got %q", got)
	}
}

var (
	link = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	code = regexp.MustCompile("(?s)```.*?```|`\\[[^`\n]*`")
)

func deadLinks(root fs.FS) ([]string, error) {
	var dead []string
	err := fs.WalkDir(root, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		base := entry.Name()
		if entry.IsDir() {
			if base == "node_modules" || base == "testdata" || base != "." && strings.HasPrefix(base, ".") {
				return fs.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(base, ".md") {
			return nil
		}
		text, err := fs.ReadFile(root, name)
		if err != nil {
			return err
		}
		for _, m := range link.FindAllStringSubmatch(string(code.ReplaceAll(text, nil)), -1) {
			target, _, _ := strings.Cut(m[1], "#")
			if target == "" || strings.Contains(target, "://") {
				continue
			}
			if _, err := fs.Stat(root, path.Join(path.Dir(name), target)); err != nil {
				dead = append(dead, fmt.Sprintf("%s links to %s, which is not there", name, target))
			}
		}
		return nil
	})
	return dead, err
}
