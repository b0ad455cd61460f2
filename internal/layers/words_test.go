package layers

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// phrases are words that people stumbled over. What there is to say in them is in the
// common words of the field: continue, should, approve, needs approval, also.
const phrases = `\bshall\b|\byour yes\b|\b(go|goes|going) on\b|\b(is|are) asked about\b|\ba yes (allows|lets|counts)\b|, too([.,;:)]|$)|\bnobody knows whether\b`

// inDocuments are further ones that the documents had: rewind, remove, restore, revoke,
// running, again, anyway and "is in" say the same.
const inDocuments = `|\bwent on\b|\basked about\b|, too \||\b(take|takes|took|taken) (it |them |that |this |one )?back\b|\bsaid no\b|\ball the same\b|\bunder way\b|\banew\b|\bfor the sake of\b|\bthat which\b|\bwhat one may\b|\bstands? (in|at|there|behind|beside|above|below|before|after)\b|\b(say|says) something\b`

var (
	habits         = regexp.MustCompile("(?i)" + phrases)
	documentHabits = regexp.MustCompile("(?i)" + strings.ReplaceAll(phrases+inDocuments, " ", `\s+`)) // lines are wrapped
)

// old are texts that earlier versions wrote into journals, and have to be known.
var old = map[string]bool{
	"The server stopped while this was running, and nobody knows whether it took effect: ": true,
	". It will not be run again by itself. Go on and let the agent find out?":              true,
}

// bound is part of a schema that approvals are bound to: with another one, what a person
// approved before an upgrade would be asked again after it.
const bound = "let the command go on."

// No text that the program shows, says to a model or writes on record has them.
func TestWords(t *testing.T) {
	seen := 0
	err := filepath.WalkDir(repository, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			switch d.Name() {
			case "node_modules", "testdata", "e2e", "dist", "tools", "licenses":
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
				seen++
				if text, err := strconv.Unquote(lit.Value); err == nil && habits.MatchString(text) && !old[text] && !strings.HasPrefix(text, "yes do it |") && !strings.Contains(text, bound) { // what people may say
					t.Errorf("%s: %q in %q", path, habits.FindString(text), text)
				}
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if seen < 10_000 {
		t.Errorf("only %d texts were looked at", seen)
	}
}

// shown is what a page shows and does not say: blocks, comments, and words between ticks.
var shown = regexp.MustCompile("(?ms)^```.*?^```|<!--.*?-->|^    [^\n]*$|`[^`\n]*`")

// No document has them either. Requirements are quoted from elsewhere.
func TestWordsOfDocuments(t *testing.T) {
	pages, err := filepath.Glob(filepath.Join(repository, "docs", "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"README.md", "ARCHITECTURE.md", "CONTRIBUTING.md"} {
		pages = append(pages, filepath.Join(repository, name))
	}
	if len(pages) < 40 {
		t.Fatalf("only %d pages were found", len(pages))
	}
	for _, page := range pages {
		if strings.HasSuffix(page, ".ko.md") || filepath.Base(page) == "requirements.md" {
			continue
		}
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, found := range habitsOf(string(text)) {
			t.Errorf("%s:%s", page, found)
		}
	}
}

// habitsOf gives what a page says in such words, each with its line.
func habitsOf(page string) []string {
	page = shown.ReplaceAllStringFunc(page, func(block string) string { // lines stay where they are
		return "_" + strings.Repeat("\n", strings.Count(block, "\n"))
	})
	var found []string
	for _, at := range documentHabits.FindAllStringIndex(page, -1) {
		found = append(found, strconv.Itoa(1+strings.Count(page[:at[0]], "\n"))+": "+strings.Join(strings.Fields(page[at[0]:at[1]]), " "))
	}
	return found
}

// What is wrapped is found, and what is code is not.
func TestHabitsOf(t *testing.T) {
	const page = "# Page\n\nThe work goes\non, and `it goes on`, too.\n\n```sh\nclew go on\n```\n\n    it goes on\n\n<!-- run: goes on\n-->\nIt is taken back.\n"
	if got, want := strings.Join(habitsOf(page), "; "), "3: goes on; 4: , too.; 14: taken back"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
