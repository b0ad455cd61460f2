package layers

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var runsGit = regexp.MustCompile(`exec\.Command(Context)?\([^\n]*"git"`)

// Only internal/git runs git: there alone are the rules by which a repository that
// somebody else made has nothing run.
func TestOneCallerOfGit(t *testing.T) {
	if !runsGit.MatchString(`exec.CommandContext(ctx, "git", "status")`) {
		t.Fatal("the pattern does not find what it is for")
	}
	err := filepath.WalkDir(repository, func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(repository, name)
		if err != nil {
			return err
		}
		if entry.IsDir() && (entry.Name() == "node_modules" || within(filepath.ToSlash(rel), outside) || strings.HasSuffix(entry.Name(), "test")) {
			return fs.SkipDir // tests play the person, who runs git as they like
		}
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") || filepath.ToSlash(filepath.Dir(rel)) == "internal/git" {
			return nil
		}
		text, err := os.ReadFile(name)
		if err == nil && runsGit.Match(text) {
			t.Errorf("%s runs git: internal/git does", rel)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
