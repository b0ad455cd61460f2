package layers

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// readers are the parts that show a session to people.
var readers = []string{"client", "internal/cli", "internal/tui"}

// ownWords are the functions that may look into a text, each with the reason.
var ownWords = map[string]string{
	"cli.wrongArguments": "the sentence is the command line library's, in the same program",
	"env.WrongFlag":      "the sentence is the command line library's, in the same program",
	"cli.Handle":         "lines of libraries in the same program's log",
	"follow.person":      "a person's own words, typed here a moment ago",
	"cli.reasonOf":       "the sentence is the schema library's, in the same program",
	"client.text":        "what is yielded of a growing text, beside its new form",
	"follow.speech":      "what is shown of a growing text, beside its new form",
}

// What a client acts on is a field with a code. None compares, searches or splits
// a sentence that the server wrote, for it may change at any time.
func TestNoClientReadsSentences(t *testing.T) {
	used := map[string]bool{}
	for _, dir := range readers {
		for _, m := range readingsIn(t, filepath.Join(repository, dir)) {
			if ownWords[m.function] == "" {
				t.Errorf("%s: %s looks into %s: use a field with a code", m.place, m.function, m.text)
			}
			used[m.function] = true
		}
	}
	for name := range ownWords {
		if !used[name] {
			t.Errorf("%s looks into no text any more: take it off the list", name)
		}
	}
}

func TestSentencesAreFound(t *testing.T) {
	const begin, end = "package p\nfunc f() bool {\n", "\nreturn false }\n"
	for name, body := range map[string]string{
		"search":     `return strings.Contains(m.Text, "by the user")`,
		"trimmed":    `return strings.HasPrefix(strings.TrimSpace(d.Reason), "stopped")`,
		"converted":  `return strings.HasPrefix(string(a.AgentID), "task-")`,
		"an error":   `return strings.Contains(err.Error(), "already")`,
		"comparison": `return d.Reason == "failed"`,
		"reversed":   `return "failed" != d.Comment`,
		"a switch":   `switch d.Error { case "failed": return true }`,
		"a regexp":   `return exit.MatchString(m.Text)`,
		"a prefix":   `x, ok := strings.CutPrefix(m.Message, "run: ")`,
		"a table":    `return words[d.Reason] != 0`,
		"a variable": `text := d.Message; return strings.Contains(text, "already")`,
	} {
		if n := len(readingsOf(t, begin+body+end)); n != 1 {
			t.Errorf("%s: %d found", name, n)
		}
	}
	for name, body := range map[string]string{
		"empty":       `return m.Text != ""`,
		"a code":      `return d.Code == "SESSION_EXISTS" || d.WhyCode == clew.EndDenied`,
		"two texts":   `return a.Text == b.Text`,
		"other words": `return strings.Contains(line, "x")`,
		"shown":       `fmt.Println(strings.TrimSpace(m.Text), d.Reason)`,
	} {
		if n := len(readingsOf(t, begin+body+end)); n != 0 {
			t.Errorf("%s: %d found", name, n)
		}
	}
}

// A reading is a place where a text is looked into.
type reading struct {
	place    string
	function string // package.function
	text     string
}

func readingsIn(t *testing.T, dir string) (list []reading) {
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, path, nil, 0)
		if err == nil {
			list = append(list, readings(set, file)...)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func readingsOf(t *testing.T, source string) []reading {
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, "p.go", source, 0)
	if err != nil {
		t.Fatal(err)
	}
	return readings(set, file)
}

func readings(set *token.FileSet, file *ast.File) (list []reading) {
	for _, d := range file.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if !ok {
			continue
		}
		r := reader{texts: map[string]bool{}}
		ast.Inspect(fn, func(n ast.Node) bool {
			r.node(n, func(at ast.Node, text string) {
				list = append(list, reading{set.Position(at.Pos()).String(), file.Name.Name + "." + fn.Name.Name, text})
			})
			return true
		})
	}
	return list
}

// A reader goes through one function. texts are its variables that hold a sentence.
type reader struct{ texts map[string]bool }

func (r reader) node(n ast.Node, found func(ast.Node, string)) {
	switch n := n.(type) {
	case *ast.AssignStmt:
		r.assign(n)
	case *ast.CallExpr:
		if text := r.searched(n); text != "" {
			found(n, text)
		}
	case *ast.BinaryExpr:
		if n.Op != token.EQL && n.Op != token.NEQ {
			return
		}
		for _, side := range [][2]ast.Expr{{n.X, n.Y}, {n.Y, n.X}} {
			if text := r.sentence(side[0]); text != "" && wording(side[1]) {
				found(n, text)
			}
		}
	case *ast.SwitchStmt:
		if text := r.sentence(n.Tag); text != "" {
			found(n, text)
		}
	case *ast.IndexExpr:
		if text := r.sentence(n.Index); text != "" {
			found(n, text)
		}
	}
}

// assign notes variables that are a sentence from here on.
func (r reader) assign(n *ast.AssignStmt) {
	if len(n.Lhs) != len(n.Rhs) {
		return
	}
	for i := range n.Lhs {
		if v, ok := n.Lhs[i].(*ast.Ident); ok && n.Tok == token.DEFINE && r.sentence(n.Rhs[i]) != "" {
			r.texts[v.Name] = true
		}
	}
}

// searches are the functions that look for something in a text.
var searches = []string{
	"Contains", "ContainsAny", "ContainsFunc", "HasPrefix", "HasSuffix", "EqualFold", "Index", "IndexAny", "LastIndex", "Count",
	"Cut", "CutPrefix", "CutSuffix", "Fields", "Split", "SplitN", "SplitSeq", "TrimPrefix", "TrimSuffix", "Replace", "ReplaceAll",
}

// searched gives the sentence that a call looks into, "" if it looks into none.
func (r reader) searched(call *ast.CallExpr) string {
	fun, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return ""
	}
	of, _ := fun.X.(*ast.Ident)
	library := of != nil && of.Name == "strings" && slices.Contains(searches, fun.Sel.Name)
	pattern := strings.HasPrefix(fun.Sel.Name, "Match") || strings.HasPrefix(fun.Sel.Name, "Find") || strings.HasPrefix(fun.Sel.Name, "ReplaceAll")
	if !library && !pattern {
		return ""
	}
	for _, arg := range call.Args {
		if text := r.sentence(arg); text != "" {
			return text
		}
	}
	return ""
}

// sentences are the fields that hold what is written for people, or an agent's
// name, whose kind is a field.
var sentences = []string{"Text", "Error", "Reason", "Message", "Comment", "AgentID"}

// sentence gives the field that an expression is, "" if it is none.
func (r reader) sentence(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		if r.texts[e.Name] {
			return e.Name
		}
	case *ast.SelectorExpr:
		if slices.Contains(sentences, e.Sel.Name) {
			return fmt.Sprintf("%v.%s", e.X, e.Sel.Name)
		}
	case *ast.ParenExpr:
		return r.sentence(e.X)
	case *ast.CallExpr:
		return r.passed(e)
	}
	return ""
}

// passed is the sentence that a call gives back: an error's, or the one that it was
// given to trim or convert.
func (r reader) passed(call *ast.CallExpr) string {
	fun, selected := call.Fun.(*ast.SelectorExpr)
	if selected && len(call.Args) == 0 {
		if fun.Sel.Name == "Error" {
			return "Error()"
		}
		return ""
	}
	name, _ := call.Fun.(*ast.Ident)
	if len(call.Args) == 1 && (name != nil && name.Name == "string" || selected && slices.Contains([]string{"TrimSpace", "ToLower"}, fun.Sel.Name)) {
		return r.sentence(call.Args[0])
	}
	return ""
}

// wording reports a text in quotes that says something.
func wording(e ast.Expr) bool {
	l, ok := e.(*ast.BasicLit)
	return ok && l.Kind == token.STRING && len(l.Value) > 2
}
