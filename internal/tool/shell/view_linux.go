package shell

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/git"
)

// A view is what a sandboxed command sees beyond the system.
type view struct{ mounts []mount }

type mount struct {
	kind string // --bind, --ro-bind or --tmpfs
	src  string
	dest string
	file *os.File // bound instead of src
}

func (m mount) args() []string {
	if m.kind == "--tmpfs" {
		return []string{"--perms", "0700", "--size", "1073741824", m.kind, m.dest}
	}
	return []string{m.kind, m.src, m.dest}
}

// view lays the mounts out: those of outer directories first, so that the more
// exact one holds.
func (p plan) view() (view, error) {
	var v view
	hidden := resolveAll(p.opts.Hide)
	v.cover(hidden)
	for _, share := range p.opts.Share {
		if err := v.readOnly(share, filepath.Clean(share), hidden); err != nil {
			p.opts.log().Warn("directory not shared with commands", "dir", share, "err", err)
		}
	}
	for _, dir := range p.reads {
		if err := v.readOnly(dir, filepath.Clean(dir), hidden); err != nil {
			v.close()
			return view{}, clew.Errorf(clew.ToolExecutionFailed, "%s cannot be shown in the sandbox: %s", dir, err)
		}
	}
	for _, dir := range p.writes {
		v.mounts = append(v.mounts, mount{kind: "--bind", src: dir, dest: dir})
	}
	if p.ws != nil {
		if err := errors.Join(v.toolchains(p, hidden), v.workspace(p, hidden)); err != nil {
			v.close()
			return view{}, err
		}
	}
	if p.opts.Home != "" {
		if err := os.MkdirAll(p.opts.Home, 0o700); err != nil {
			v.close()
			return view{}, err
		}
		v.mounts = append(v.mounts, mount{kind: "--bind", src: p.opts.Home, dest: privateHome})
	} else {
		v.mounts = append(v.mounts, mount{kind: "--tmpfs", dest: privateHome})
	}
	slices.SortStableFunc(v.mounts, func(a, b mount) int { return len(a.dest) - len(b.dest) })
	return v, nil
}

func (v *view) close() {
	for _, m := range v.mounts {
		if m.file != nil {
			_ = m.file.Close()
		}
	}
}

func (v *view) workspace(p plan, hidden []string) error {
	dest := filepath.Clean(p.ws.Dir)
	src, err := filepath.EvalSymlinks(dest)
	if err != nil {
		return err
	}
	if src == "/" || inside(privateHome, src) || slices.ContainsFunc(hidden, func(h string) bool { return exposes(src, h) }) {
		return clew.Errorf(clew.ToolExecutionFailed, "commands cannot be held in a sandbox in this workspace: %s", dest)
	}
	m := mount{kind: "--bind", src: src, dest: dest}
	if bindsByFD() {
		if m.file, err = p.ws.Root.Open("."); err != nil {
			return err
		}
	}
	v.mounts = append(v.mounts, m)
	if err := v.shared(p, src, dest); err != nil {
		return err
	}
	if err := v.git(p, src, dest); err != nil {
		return err
	}
	// A work tree's history is read where its repository has it. Both point to each
	// other, so no file of the workspace chooses what is seen.
	if repo := git.LinkedTo(src); repo != "" && src == dest && !slices.ContainsFunc(hidden, func(h string) bool { return exposes(repo, h) }) {
		v.mounts = append(v.mounts, mount{kind: "--ro-bind", src: repo, dest: repo})
	}
	return v.guard(p, src, dest)
}

// guard puts something empty over what a command must not see, and makes read-only
// what it must not change. What is gone by now needs no guard.
func (v *view) guard(p plan, src, dest string) error {
	for _, g := range p.guarded {
		if _, err := p.ws.Root.Lstat(g.name); errors.Is(err, os.ErrNotExist) {
			continue
		}
		at := filepath.Join(dest, g.name)
		switch {
		case g.hide && g.dir:
			v.mounts = append(v.mounts, mount{kind: "--tmpfs", dest: at})
		case g.hide:
			v.mounts = append(v.mounts, mount{kind: "--ro-bind", src: "/dev/null", dest: at})
		default:
			if err := v.pin(p, src, dest, "--ro-bind", g.name); err != nil && !errors.Is(err, os.ErrNotExist) {
				return err
			}
		}
	}
	return nil
}

// ownWorkspaces is where the hidden directory keeps the workspaces of sessions
// that were made without one.
const ownWorkspaces = "workspaces"

// exposes reports whether a workspace would show what is hidden. One around it
// does, whatever is put over it: a command can move the directories between, and
// the next one finds the hidden one under another name.
func exposes(workspace, hidden string) bool {
	own := filepath.Join(hidden, ownWorkspaces)
	if workspace != own && inside(workspace, own) {
		return false
	}
	return inside(workspace, hidden) || inside(hidden, workspace)
}

// cover puts something empty over what is hidden among the programs of the
// system, which every command sees.
func (v *view) cover(hidden []string) {
	for _, h := range hidden {
		if !slices.ContainsFunc(systemDirs, func(dir string) bool { return h != dir && inside(h, dir) }) {
			continue
		}
		m := mount{kind: "--tmpfs", dest: h}
		if fi, err := os.Stat(h); err == nil && !fi.IsDir() {
			m.kind, m.src = "--ro-bind", "/dev/null"
		}
		v.mounts = append(v.mounts, m)
	}
}

// git keeps a repository's configuration and hooks as they are: git runs what
// they name, later and outside. The repository itself becomes a mount too, so
// that it cannot be moved aside for another one.
func (v *view) git(p plan, src, dest string) error {
	fi, err := p.ws.Root.Lstat(".git")
	switch {
	case err != nil:
		return nil // none, or none that can be looked at
	case fi.Mode().IsRegular(): // a work tree: the file names its repository
		return v.pin(p, src, dest, "--ro-bind", ".git")
	case !fi.IsDir():
		return nil
	}
	if err := p.ws.Root.Mkdir(".git/hooks", 0o755); err != nil && !errors.Is(err, os.ErrExist) {
		return err // one made later would be writable
	}
	if err := v.pin(p, src, dest, "--bind", ".git"); err != nil {
		return err
	}
	for _, name := range []string{".git/config", ".git/hooks"} {
		if err := v.pin(p, src, dest, "--ro-bind", name); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	return nil
}

// pin mounts a file of the workspace on itself.
func (v *view) pin(p plan, src, dest, kind, name string) error {
	fi, err := p.ws.Root.Lstat(name)
	if err != nil {
		return err
	}
	if fi.Mode()&os.ModeSymlink != 0 {
		return clew.Errorf(clew.ToolExecutionFailed, "%s is a link: commands do not run in a sandbox beside it", name)
	}
	m := mount{kind: kind, src: filepath.Join(src, name), dest: filepath.Join(dest, name)}
	if bindsByFD() {
		if m.file, err = p.ws.Root.OpenFile(name, unix.O_NOFOLLOW|unix.O_NONBLOCK, 0); err != nil {
			return err
		}
	}
	v.mounts = append(v.mounts, m)
	return nil
}

func resolveAll(paths []string) []string {
	var list []string
	for _, path := range paths {
		if real, err := filepath.EvalSymlinks(path); err == nil {
			list = append(list, real)
		}
	}
	return list
}

// inside reports whether path is dir or lies below it. Both are clean.
func inside(path, dir string) bool {
	return path == dir || strings.HasPrefix(path, strings.TrimSuffix(dir, "/")+"/")
}

func memoryFile() (*os.File, error) {
	fd, err := unix.MemfdCreate("clew", unix.MFD_CLOEXEC)
	if err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(fd), "memory"), nil
}
