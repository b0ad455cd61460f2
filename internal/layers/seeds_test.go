package layers

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"testing"
)

// drawsItself are the functions of tests that draw at random without a seed.
var drawsItself = map[string]string{
	"internal/e2e/story.mark": "a word that no other process on the machine has",
}

// By day all tests draw the same: nightly.Seed, nightly.Check, or numbers of their own.
func TestSeedsAreFixed(t *testing.T) {
	eachTests(t, func(dir string, set *token.FileSet, b *bubbles) {
		for _, n := range b.draws() {
			name := dir + "."
			if f := b.function(n); f != nil {
				name += f.Name.Name
			}
			if drawsItself[name] == "" {
				t.Errorf("%s: %s draws without a seed", set.Position(n.Pos()), name)
			}
		}
	})
}

// draws gives the places that draw from the system's randomness, or have rapid do it.
func (b *bubbles) draws() (list []ast.Node) {
	for _, file := range b.files {
		random := slices.ContainsFunc(file.Imports, func(i *ast.ImportSpec) bool { return i.Path.Value == `"math/rand/v2"` && i.Name == nil })
		ast.Inspect(file, func(n ast.Node) bool {
			sel, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			x, ok := sel.X.(*ast.Ident)
			switch {
			case !ok:
			case x.Name == "rapid" && (sel.Sel.Name == "Check" || sel.Sel.Name == "MakeCheck"):
				list = append(list, n)
			case random && x.Name == "rand" && !slices.Contains([]string{"New", "NewPCG", "NewChaCha8", "NewZipf", "Rand", "Source", "Zipf", "PCG"}, sel.Sel.Name):
				list = append(list, n)
			}
			return true
		})
	}
	return list
}

func TestDrawsAreFound(t *testing.T) {
	for src, want := range map[string]int{
		"func f() { rand.IntN(5) }": 1,
		"func f() { r := rand.New(rand.NewPCG(rand.Uint64(), 1)); r.IntN(5) }": 1,
		"func f() { rapid.Check(t, g) }":                                       1,
		"func f(r *rand.Rand) { r.IntN(5); rand.New(rand.NewPCG(1, 2)) }":      0,
		"func f() { nightly.Check(t, g) }":                                     0,
	} {
		file, err := parser.ParseFile(token.NewFileSet(), "x_test.go", "package p\nimport \"math/rand/v2\"\n"+src, 0)
		if err != nil {
			t.Fatal(err)
		}
		if n := len(bubblesOf([]*ast.File{file}).draws()); n != want {
			t.Errorf("%s: %d were found, want %d", src, n, want)
		}
	}
}
