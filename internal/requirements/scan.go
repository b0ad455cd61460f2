package requirements

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// A Ref is one test, or one transcript, that shows a requirement.
type Ref struct {
	Label string // package.TestName, or the transcript's path
	Path  string // file, from the root of the repository
}

// Coverage maps a requirement id to the tests that show it, sorted by label.
type Coverage map[string][]Ref

// Scan reads all test files and transcripts below root. What cannot be read,
// names an unknown id, or stands where it belongs to no test is an error: a
// claim that nobody can follow is worse than none.
func Scan(root fs.FS) (Coverage, error) {
	rows, err := List()
	if err != nil {
		return nil, err
	}
	s := &scanner{root: root, rows: rows, found: make(Coverage)}
	if err := fs.WalkDir(root, ".", s.visit); err != nil {
		return nil, err
	}
	for _, refs := range s.found {
		slices.SortFunc(refs, func(a, b Ref) int { return strings.Compare(a.Label+a.Path, b.Label+b.Path) })
	}
	return s.found, errors.Join(s.problems...)
}

type scanner struct {
	root     fs.FS
	rows     []Row
	found    Coverage
	problems []error
}

func (s *scanner) visit(name string, entry fs.DirEntry, err error) error {
	if err != nil {
		return err
	}
	base := path.Base(name)
	if entry.IsDir() {
		if base == "node_modules" || base != "." && strings.HasPrefix(base, ".") {
			return fs.SkipDir
		}
		return nil
	}
	inTestdata := strings.Contains("/"+name, "/testdata/")
	switch {
	case strings.HasSuffix(base, "_test.go") && !inTestdata:
		return s.goFile(name)
	case strings.HasSuffix(base, ".txtar") && inTestdata:
		return s.comments(name, "# Covers:", "-- ")
	case strings.HasSuffix(base, ".test.ts"), strings.HasSuffix(base, ".test.tsx"), strings.HasSuffix(base, ".spec.ts"):
		return s.comments(name, "// Covers:", "")
	}
	return nil
}

func (s *scanner) goFile(name string) error {
	src, err := fs.ReadFile(s.root, name)
	if err != nil {
		return err
	}
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, name, src, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		s.problem(name, 0, err)
		return nil
	}
	pkg := strings.TrimSuffix(file.Name.Name, "_test")
	for _, group := range file.Comments {
		owner := ownerOf(file, group)
		for _, c := range group.List {
			list, ok := strings.CutPrefix(c.Text, "// Covers:")
			if !ok {
				continue
			}
			line := files.Position(c.Pos()).Line
			if owner == "" {
				s.problem(name, line, errors.New("a Covers line must stand directly above a test or inside one"))
				continue
			}
			s.add(list, Ref{Label: pkg + "." + owner, Path: name}, line)
		}
	}
	return nil
}

// ownerOf gives the test function that a comment documents or stands in.
func ownerOf(file *ast.File, group *ast.CommentGroup) string {
	for _, decl := range file.Decls {
		fn, ok := decl.(*ast.FuncDecl)
		if !ok || fn.Recv != nil || !isTest(fn.Name.Name) {
			continue
		}
		if fn.Doc == group || fn.Pos() <= group.Pos() && group.End() <= fn.End() {
			return fn.Name.Name
		}
	}
	return ""
}

func isTest(name string) bool {
	for _, prefix := range []string{"Test", "Fuzz", "Example", "Benchmark"} {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return false
}

// comments reads the lines of a file that begin with mark, up to the first that
// begins with end: a transcript's head ends at its first file, a test in TypeScript
// has them anywhere.
func (s *scanner) comments(name, mark, end string) error {
	src, err := fs.ReadFile(s.root, name)
	if err != nil {
		return err
	}
	line := 0
	for text := range strings.Lines(string(src)) {
		line++
		if end != "" && strings.HasPrefix(text, end) {
			break
		}
		if list, ok := strings.CutPrefix(strings.TrimSpace(text), mark); ok {
			s.add(list, Ref{Label: name, Path: name}, line)
		}
	}
	return nil
}

func (s *scanner) add(list string, ref Ref, line int) {
	ids, err := expand(list, s.rows)
	if err != nil {
		s.problem(ref.Path, line, err)
		return
	}
	for _, id := range ids {
		if !slices.Contains(s.found[id], ref) {
			s.found[id] = append(s.found[id], ref)
		}
	}
}

func (s *scanner) problem(name string, line int, err error) {
	s.problems = append(s.problems, fmt.Errorf("%s:%d: %w", name, line, err))
}
