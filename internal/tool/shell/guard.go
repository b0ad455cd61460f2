package shell

import (
	"errors"
	"io/fs"
	"path/filepath"

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
