package layers

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// habits are words that people stumbled over. What there is to say in them is in the
// common words of the field: continue, should, approve, needs approval, also.
var habits = regexp.MustCompile(`(?i)\bshall\b|\byour yes\b|\b(go|goes|going) on\b|\b(is|are) asked about\b|\ba yes (allows|lets|counts)\b|, too([.,;:)]|$)|\bnobody knows whether\b`)

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
