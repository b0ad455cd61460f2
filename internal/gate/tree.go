package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// A tree is the repository as it lies on the disk: files that Git ignores are no part of it.
type tree struct {
	root  string
	files []string // sorted, relative to root
	sums  map[string]string
	list  map[string][]pkg // what go list said, by pattern
}

func readTree() (*tree, error) {
	root, err := exec.Command("git", "rev-parse", "--show-toplevel").Output()
	if err != nil {
		return nil, fmt.Errorf("git rev-parse: %w", err)
	}
	t := &tree{root: strings.TrimSpace(string(root)), sums: map[string]string{}, list: map[string][]pkg{}}
	cmd := exec.Command("git", "ls-files", "-co", "--exclude-standard", "-z")
	cmd.Dir = t.root
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("git ls-files: %w", err)
	}
	t.files = strings.Split(strings.TrimRight(string(out), "\x00"), "\x00")
	slices.Sort(t.files)
	t.files = slices.Compact(t.files)
	return t, nil
}

// below lists the files at a path and below it.
func (t *tree) below(path string) []string {
	path = filepath.Clean(path)
	var found []string
	for _, f := range t.files {
		if path == "." || f == path || strings.HasPrefix(f, path+"/") {
			found = append(found, f)
		}
	}
	return found
}

// sum is the hash of what is at a path: of a file's bytes, or of a directory's names. It
// also knows files that Git ignores, such as the built web UI.
func (t *tree) sum(path string) (string, error) {
	if s, known := t.sums[path]; known {
		return s, nil
	}
	s, err := sumOf(filepath.Join(t.root, path))
	if err != nil {
		return "", err
	}
	t.sums[path] = s
	return s, nil
}

func sumOf(path string) (string, error) {
	h := sha256.New()
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return "absent", nil
	case err != nil:
		return "", err
	case info.IsDir():
		names, err := os.ReadDir(path)
		if err != nil {
			return "", err
		}
		for _, n := range names {
			fmt.Fprintln(h, n.Name(), n.IsDir())
		}
	case info.Mode().IsRegular():
		f, err := os.Open(path)
		if err != nil {
			return "", err
		}
		defer func() { _ = f.Close() }()
		if _, err := io.Copy(h, f); err != nil {
			return "", err
		}
	default:
		return "special", nil
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// key is the hash of words and of what is at the paths.
func (t *tree) key(words, paths []string) (string, error) {
	h := sha256.New()
	for _, w := range words {
		fmt.Fprintf(h, "%q\n", w)
	}
	paths = slices.Clone(paths)
	slices.Sort(paths)
	for _, p := range slices.Compact(paths) {
		s, err := t.sum(p)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(h, "%q %s\n", p, s)
	}
	return hex.EncodeToString(h.Sum(nil))[:24], nil
}

// inputs are the files that the inputs of a step mean.
func (t *tree) inputs(inputs []string) ([]string, error) {
	var files []string
	for _, in := range inputs {
		pattern, isGo := strings.CutPrefix(in, "go:")
		switch {
		case in == "program":
			made, err := t.program()
			if err != nil {
				return nil, err
			}
			files = append(files, made...)
		case isGo:
			all, err := t.packages(pattern)
			if err != nil {
				return nil, err
			}
			for _, p := range all {
				files = append(files, t.closure(all, p)...)
			}
		default:
			found := t.below(in)
			if len(found) == 0 {
				return nil, fmt.Errorf("nothing is at %s", in)
			}
			files = append(files, found...)
		}
	}
	slices.Sort(files)
	return slices.Compact(files), nil
}

// pkg is a package as go list describes it.
type pkg struct {
	ImportPath string
	Dir        string
	ForTest    string
	Deps       []string
	Module     *struct{ Main bool }
	EmbedFiles []string
	// The files that the package is made of: without its tests.
	GoFiles, CgoFiles, SFiles, IgnoredGoFiles, OtherFiles []string
}

// packages lists the packages of a pattern, their tests and all that either imports.
func (t *tree) packages(patterns ...string) ([]pkg, error) {
	name := strings.Join(patterns, " ")
	if known, ok := t.list[name]; ok {
		return known, nil
	}
	cmd := exec.Command("go", append([]string{"list", "-deps", "-test", "-json=ImportPath,Dir,ForTest,Deps,Module,EmbedFiles,GoFiles,CgoFiles,SFiles,IgnoredGoFiles,OtherFiles"}, patterns...)...)
	cmd.Dir = t.root
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	var all []pkg
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p pkg
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, fmt.Errorf("go list: %w", err)
		}
		if p.Module != nil && p.Module.Main {
			all = append(all, p)
		}
	}
	t.list[name] = all
	return all, nil
}

// closure lists the files that a package and its tests are made of: its whole directory with
// its testdata, and the sources of what it imports.
func (t *tree) closure(all []pkg, p pkg) []string {
	files := t.own(p)
	wanted := map[string]bool{}
	for _, q := range all {
		if q.ImportPath == p.ImportPath || q.ImportPath == p.ImportPath+".test" || q.ForTest == p.ImportPath {
			wanted[q.ImportPath] = true
			for _, d := range q.Deps {
				wanted[d] = true
			}
		}
	}
	for _, q := range all {
		if wanted[q.ImportPath] {
			files = append(files, t.sources(q)...)
		}
	}
	return append(files, "go.mod", "go.sum")
}

// own lists what is in the directory of a package and in its testdata.
func (t *tree) own(p pkg) []string {
	dir, _ := filepath.Rel(t.root, p.Dir)
	var files []string
	for _, f := range t.below(dir) {
		if filepath.Dir(f) == dir || strings.HasPrefix(f, filepath.Join(dir, "testdata")+"/") {
			files = append(files, f)
		}
	}
	return files
}

func (t *tree) sources(p pkg) []string {
	dir, err := filepath.Rel(t.root, p.Dir)
	if err != nil || strings.HasPrefix(dir, "..") || strings.HasSuffix(p.ImportPath, ".test") {
		return nil
	}
	var files []string
	for _, names := range [][]string{p.GoFiles, p.CgoFiles, p.SFiles, p.IgnoredGoFiles, p.OtherFiles, p.EmbedFiles} {
		for _, n := range names {
			if !filepath.IsAbs(n) {
				files = append(files, filepath.Join(dir, n))
			}
		}
	}
	return files
}

// program lists what clew is made of.
func (t *tree) program() ([]string, error) {
	all, err := t.packages("./cmd/clew")
	if err != nil {
		return nil, err
	}
	files := []string{"go.mod", "go.sum"}
	for _, p := range all {
		if p.ForTest == "" {
			files = append(files, t.sources(p)...)
		}
	}
	return files, nil
}

// helpers lists what tests of the program may run or read beside Go's own files: scripts,
// examples and settings of the tree, without documents, pages and clients.
func (t *tree) helpers() []string {
	var files []string
	for _, f := range t.files {
		top, _, _ := strings.Cut(f, "/")
		switch {
		case top == "docs", top == "web", top == "changelog.d", top == ".github":
		case strings.HasSuffix(f, ".go"), strings.Contains(f, "/testdata/"):
		case strings.HasSuffix(f, ".md") && top != "examples":
		default:
			files = append(files, f)
		}
	}
	return files
}
