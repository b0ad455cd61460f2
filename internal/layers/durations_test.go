package layers

import (
	"go/ast"
	"go/token"
	"strings"
)

// durations gives the comparisons of a measured duration with a fixed one that a test
// fails on. What was measured in the same run may be compared with it, and too short a
// time may fail: a busy machine makes none shorter.
func (b *bubbles) durations() (list []ast.Node) {
	measuring := b.measuring()
	for _, file := range b.files {
		for _, decl := range file.Decls {
			measured := measuredIn(decl, measuring)
			ast.Inspect(decl, func(n ast.Node) bool {
				cmp, ok := n.(*ast.BinaryExpr)
				if !ok || !compares(cmp.Op) || measured.has(cmp.X) == measured.has(cmp.Y) || b.inside(cmp) {
					return true
				}
				other, most := cmp.Y, cmp.Op == token.GTR || cmp.Op == token.GEQ
				if measured.has(cmp.Y) {
					other, most = cmp.X, !most
				}
				if !isZero(other) && b.failsOn(cmp, most) {
					list = append(list, cmp)
				}
				return true
			})
		}
	}
	return list
}

func compares(op token.Token) bool {
	switch op {
	case token.LSS, token.GTR, token.LEQ, token.GEQ:
		return true
	}
	return false
}

func isZero(e ast.Expr) bool {
	lit, ok := e.(*ast.BasicLit)
	return ok && lit.Value == "0"
}

// durationsOf knows what holds measured durations: variables of a function, and functions.
type durationsOf struct {
	names map[string]bool
	calls map[string]bool
}

func (d durationsOf) has(e ast.Node) (found bool) {
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.BinaryExpr:
			if n.Op == token.QUO && d.has(n.X) && d.has(n.Y) {
				return false // a ratio
			}
		case *ast.Ident:
			found = found || d.names[n.Name]
		case *ast.CallExpr:
			if isTime(n, "Since") {
				found = true
			}
			switch f := n.Fun.(type) {
			case *ast.SelectorExpr:
				found = found || f.Sel.Name == "Sub" && len(n.Args) == 1 && isTime(f.X, "Now") || f.Sel.Name == "Elapsed" || d.calls[f.Sel.Name]
			case *ast.Ident:
				found = found || d.calls[f.Name]
				return f.Name != "len" && f.Name != "cap"
			}
		}
		return !found
	})
	return found
}

// measuredIn are the variables of a declaration that get a measured duration.
func measuredIn(f ast.Node, calls map[string]bool) durationsOf {
	d := durationsOf{names: map[string]bool{}, calls: calls}
	for changed := true; changed; {
		changed = false
		note := func(left, right []ast.Expr) {
			for i, l := range left {
				if index, ok := l.(*ast.IndexExpr); ok {
					l = index.X
				}
				id, ok := l.(*ast.Ident)
				if !ok || id.Name == "_" || d.names[id.Name] || i >= len(right) && len(right) != 1 {
					continue
				}
				if r := right[min(i, len(right)-1)]; (len(right) > 1 || i == 0) && d.has(r) && !isComparison(r) {
					d.names[id.Name], changed = true, true
				}
			}
		}
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.AssignStmt:
				note(n.Lhs, n.Rhs)
			case *ast.RangeStmt:
				if n.Value != nil {
					note([]ast.Expr{n.Value}, []ast.Expr{n.X})
				}
			}
			return true
		})
	}
	return d
}

func isComparison(e ast.Expr) bool {
	b, ok := e.(*ast.BinaryExpr)
	return ok && (compares(b.Op) || b.Op == token.LAND || b.Op == token.LOR || b.Op == token.EQL || b.Op == token.NEQ)
}

// measuring are the functions of the tests that give a duration which they measured.
func (b *bubbles) measuring() map[string]bool {
	all := map[string]bool{}
	for changed := true; changed; {
		changed = false
		for name, decls := range b.funcs {
			for _, f := range decls {
				if all[name] || f.Body == nil || !givesDuration(f) {
					continue
				}
				measured := measuredIn(f, all)
				ast.Inspect(f.Body, func(n ast.Node) bool {
					if r, ok := n.(*ast.ReturnStmt); ok {
						for _, e := range r.Results {
							if measured.has(e) && !isComparison(e) {
								all[name], changed = true, true
							}
						}
					}
					return true
				})
			}
		}
	}
	return all
}

func givesDuration(f *ast.FuncDecl) bool {
	if f.Type.Results == nil {
		return false
	}
	for _, r := range f.Type.Results.List {
		if sel, ok := r.Type.(*ast.SelectorExpr); ok && sel.Sel.Name == "Duration" {
			return true
		}
	}
	return false
}

// failsOn reports whether a comparison decides about the test: it is the condition of
// what fails it, or is handed to a function that judges. most says that it holds when too
// much time went by.
func (b *bubbles) failsOn(n ast.Node, most bool) bool {
	for child := n; ; {
		parent := b.parents[child]
		switch p := parent.(type) {
		case *ast.BinaryExpr, *ast.ParenExpr:
		case *ast.UnaryExpr:
			most = !most
		case *ast.IfStmt:
			return child == p.Cond && (most && fails(p.Body) || !most && p.Else != nil && fails(p.Else))
		case *ast.CallExpr:
			return !most
		case *ast.CaseClause:
			for _, s := range p.Body {
				if most && fails(s) {
					return true
				}
			}
			return false
		default:
			return false
		}
		child = parent
	}
}

func fails(n ast.Node) (found bool) {
	ast.Inspect(n, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok {
			if sel, ok := call.Fun.(*ast.SelectorExpr); ok {
				name := strings.ToLower(sel.Sel.Name)
				found = found || strings.HasPrefix(name, "error") || strings.HasPrefix(name, "fatal") || strings.HasPrefix(name, "fail") || strings.HasPrefix(name, "problem")
			}
		}
		return !found
	})
	return found
}
