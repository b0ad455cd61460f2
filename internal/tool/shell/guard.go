package shell

import (
	"errors"
	"io/fs"
	"path/filepath"
	"slices"

	"github.com/clew-run/clew/internal/tool"
)

// What a workspace may have of guarded files, and how much is looked at to find them.
const (
	maxGuarded   = 200
	maxGuardLook = 50_000
)

// A guarded file of the workspace is hidden from a command, or read-only.
type guarded struct {
	name string // relative, with slashes
	hide bool
	dir  bool
}

var errTooMuch = errors.New("too much to guard")

// findGuarded looks for what commands are kept from. ok is false if not all of it can
// be guarded: then nothing may rely on it.
func findGuarded(ws *tool.Workspace, guard func(string) (hide, readOnly bool)) (list []guarded, ok bool) {
	if ws == nil || guard == nil {
		return nil, false
	}
	seen := 0
	err := fs.WalkDir(ws.Root.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		if seen++; err != nil || seen > maxGuardLook || len(list) > maxGuarded {
			return errors.Join(errTooMuch, err)
		}
		if name == "." {
			return nil
		}
		if d.IsDir() && (d.Name() == ".git" || d.Name() == "node_modules") {
			return fs.SkipDir // the one has guards of its own, the other is what others published
		}
		hide, readOnly := guard(name)
		switch {
		case !hide && !readOnly:
			return nil
		case d.Type() == fs.ModeSymlink:
			return addTarget(ws, &list, name, hide)
		}
		list = append(list, guarded{name: name, hide: hide, dir: d.IsDir()})
		if d.IsDir() {
			return fs.SkipDir
		}
		return nil
	})
	return list, err == nil
}

// addTarget guards what a link leads to. Outside of the workspace a command sees
// nothing of it, and what is not there cannot be read.
func addTarget(ws *tool.Workspace, list *[]guarded, name string, hide bool) error {
	real, err := filepath.EvalSymlinks(filepath.Join(ws.Dir, name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	rel, err := filepath.Rel(ws.Dir, real)
	if err != nil {
		return err
	}
	if !filepath.IsLocal(rel) {
		return nil
	}
	info, err := ws.Root.Lstat(rel)
	if err != nil || rel == "." {
		return errors.Join(errTooMuch, err)
	}
	*list = append(*list, guarded{name: filepath.ToSlash(rel), hide: hide, dir: info.IsDir()})
	return nil
}

// A Masked file is one that was kept from a program when it began.
type Masked struct {
	Name   string `json:"name"`
	Hidden bool   `json:"hidden,omitempty"`
	// File tells it from another file that has its name later, "" if nobody knows.
	File string `json:"file"`
}

// maskedFiles notes which files are about to be kept from a program.
func maskedFiles(ws *tool.Workspace, guard []guarded) []Masked {
	var list []Masked
	for _, g := range guard {
		list = append(list, Masked{Name: g.name, Hidden: g.hide, File: fileIdentity(filepath.Join(ws.Dir, g.name))})
	}
	return list
}

// StillGuarded reports whether a program that files were kept from when it began is kept
// from all that should be by now. A mount masks a file, whatever is put in its place: one
// that was made since, or that an editor saved under its name, the program can read.
func StillGuarded(ws *tool.Workspace, guard func(string) (hide, readOnly bool), was []Masked) bool {
	list, ok := findGuarded(ws, guard)
	return ok && !slices.ContainsFunc(maskedFiles(ws, list), func(m Masked) bool { return m.File == "" || !slices.Contains(was, m) })
}
