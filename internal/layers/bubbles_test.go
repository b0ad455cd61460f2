package layers

import (
	"go/ast"
	"go/token"
	"strings"
)

// A bubble is what testing/synctest runs: its clock is not the world's. What is in one
// is told from the source of a package's tests alone, without types: functions are known
// by their names, and one name that is used outside of bubbles too counts as outside.
type bubbles struct {
	files   []*ast.File
	parents map[ast.Node]ast.Node
	funcs   map[string][]*ast.FuncDecl
	uses    map[string][]ast.Node // of functions and methods, by name
	runners map[string]bool       // functions that run what they are given in a bubble
	outside map[string]bool       // functions that are called outside of bubbles
}

func bubblesOf(files []*ast.File) *bubbles {
	b := &bubbles{
		files: files, parents: map[ast.Node]ast.Node{}, funcs: map[string][]*ast.FuncDecl{}, uses: map[string][]ast.Node{},
		runners: map[string]bool{}, outside: map[string]bool{},
	}
	for _, file := range files {
		var stack []ast.Node
		ast.Inspect(file, func(n ast.Node) bool {
			if n == nil {
				stack = stack[:len(stack)-1]
				return true
			}
			if len(stack) > 0 {
				b.parents[n] = stack[len(stack)-1]
			}
			stack = append(stack, n)
			if f, ok := n.(*ast.FuncDecl); ok {
				b.funcs[f.Name.Name] = append(b.funcs[f.Name.Name], f)
			}
			return true
		})
	}
	for n, parent := range b.parents {
		if id, ok := n.(*ast.Ident); ok && b.funcs[id.Name] != nil {
			if _, declared := parent.(*ast.FuncDecl); !declared {
				b.uses[id.Name] = append(b.uses[id.Name], id)
			}
		}
	}
	b.settle()
	return b
}

// settle finds runners and what is called outside, until nothing changes.
func (b *bubbles) settle() {
	for changed := true; changed; {
		changed = false
		for name, decls := range b.funcs {
			if !b.runners[name] && len(decls) == 1 && b.runs(decls[0]) {
				b.runners[name], changed = true, true
			}
		}
	}
	for changed := true; changed; {
		changed = false
		for name, decls := range b.funcs {
			if !b.outside[name] && b.isOutside(name, decls) {
				b.outside[name], changed = true, true
			}
		}
	}
}

func (b *bubbles) isOutside(name string, decls []*ast.FuncDecl) bool {
	for _, prefix := range []string{"Test", "Benchmark", "Fuzz", "Example"} {
		if decls[0].Recv == nil && strings.HasPrefix(name, prefix) {
			return true
		}
	}
	for _, use := range b.uses[name] {
		if !b.inside(use) {
			return true
		}
	}
	return len(b.uses[name]) == 0 // others call it: an interface, another package
}

// runs reports whether a function runs one that it gets in a bubble, and only there.
func (b *bubbles) runs(f *ast.FuncDecl) bool {
	if f.Body == nil {
		return false
	}
	for _, field := range f.Type.Params.List {
		if _, ok := field.Type.(*ast.FuncType); !ok {
			continue
		}
		for _, param := range field.Names {
			in, out := false, false
			ast.Inspect(f.Body, func(n ast.Node) bool {
				if id, ok := n.(*ast.Ident); ok && id.Name == param.Name {
					lit := b.literal(id)
					in, out = in || lit, out || !lit
				}
				return true
			})
			if in && !out {
				return true
			}
		}
	}
	return false
}

// literal reports whether a node is, or is within, an argument of what runs a bubble.
func (b *bubbles) literal(n ast.Node) bool {
	for {
		parent := b.parents[n]
		if parent == nil {
			return false
		}
		if call, ok := parent.(*ast.CallExpr); ok && n != call.Fun && b.isRunner(call.Fun) {
			return true
		}
		n = parent
	}
}

func (b *bubbles) isRunner(fun ast.Expr) bool {
	switch f := fun.(type) {
	case *ast.SelectorExpr:
		if x, ok := f.X.(*ast.Ident); ok && x.Name == "synctest" {
			return f.Sel.Name == "Test"
		}
		return b.runners[f.Sel.Name]
	case *ast.Ident:
		return b.runners[f.Name]
	}
	return false
}

// inside reports whether a node runs in bubbles only.
func (b *bubbles) inside(n ast.Node) bool {
	if b.literal(n) {
		return true
	}
	f := b.function(n)
	return f != nil && !b.outside[f.Name.Name]
}

// function is the declared function around a node, nil if there is none.
func (b *bubbles) function(n ast.Node) *ast.FuncDecl {
	for n != nil {
		if f, ok := n.(*ast.FuncDecl); ok {
			return f
		}
		n = b.parents[n]
	}
	return nil
}

// isTime reports whether an expression calls one of these functions of the package time.
func isTime(e ast.Expr, names ...string) bool {
	call, ok := e.(*ast.CallExpr)
	if !ok {
		return false
	}
	sel, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	x, ok := sel.X.(*ast.Ident)
	for _, name := range names {
		if ok && x.Name == "time" && sel.Sel.Name == name {
			return true
		}
	}
	return false
}

// sleeps gives the places that wait for the world's clock alone.
func (b *bubbles) sleeps() (list []ast.Node) {
	for _, file := range b.files {
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CallExpr:
				if isTime(n, "Sleep") && !b.inside(n) {
					list = append(list, n)
				}
			case *ast.ExprStmt: // <-time.After(d) alone is another word for it
				_, timeout := b.parents[n].(*ast.CommClause)
				if wait, ok := n.X.(*ast.UnaryExpr); ok && !timeout && wait.Op == token.ARROW && isTime(wait.X, "After", "Tick") && !b.inside(n) {
					list = append(list, n)
				}
			}
			return true
		})
	}
	return list
}
