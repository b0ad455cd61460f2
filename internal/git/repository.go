package git

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/clew-run/clew"
)

// A Repository is a person's repository with one of its work trees.
type Repository struct {
	Root   string // of the work tree
	Dir    string // the directory that was asked about, Root or below it
	Branch string // "" if HEAD is detached
	Head   string // the commit, "" if there is none yet

	gitDir string // of this work tree
	common string // with refs and objects, the same for all work trees
	format string // of hashes
}

// ErrNone is the cause of an error about a directory that is in no repository.
var ErrNone = errors.New("git: no repository")

// Find finds the repository that a directory lies in. Where its parts are is
// checked here and not left to git: an agent may have made them, and no commit of
// this session may go to a repository elsewhere.
func Find(ctx context.Context, dir string) (*Repository, error) {
	for at := filepath.Clean(dir); ; at = filepath.Dir(at) {
		r, err := open(at)
		if err == nil {
			r.Dir = filepath.Clean(dir)
			return r, r.read(ctx)
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		if at == filepath.Dir(at) {
			return nil, clew.WrapError(clew.SessionInvalidState, ErrNone, "%s is in no git repository", dir)
		}
	}
}

func errElsewhere(what string) error {
	return clew.Errorf(clew.SessionInvalidState, "the repository cannot be used: %s. Use git yourself", what)
}

// open looks whether a directory is the root of a work tree.
func open(root string) (*Repository, error) {
	at := filepath.Join(root, ".git")
	info, err := os.Lstat(at)
	if err != nil {
		return nil, err
	}
	r := &Repository{Root: root, gitDir: at, common: at}
	switch {
	case info.IsDir():
		if _, err := os.Lstat(filepath.Join(at, "commondir")); err == nil {
			return nil, errElsewhere("parts of it are kept elsewhere")
		}
		if _, err := os.Lstat(filepath.Join(at, "HEAD")); err != nil {
			return nil, fs.ErrNotExist // an empty directory of that name is none
		}
	case info.Mode().IsRegular():
		if err := r.linked(at); err != nil {
			return nil, err
		}
	default:
		return nil, errElsewhere(".git is a link")
	}
	return r, r.plain()
}

// linked follows the file .git of a work tree that was added to a repository. Both
// have to point to each other, in the layout that git makes.
func (r *Repository) linked(at string) error {
	text, err := readSmall(at)
	if err != nil {
		return err
	}
	target, ok := strings.CutPrefix(text, "gitdir: ")
	if !ok {
		return errElsewhere(".git cannot be read")
	}
	if !filepath.IsAbs(target) {
		target = filepath.Join(r.Root, target)
	}
	target = filepath.Clean(target)
	common := filepath.Dir(filepath.Dir(target))
	back, err := readSmall(filepath.Join(target, "gitdir"))
	if err != nil || !sameFile(back, at) || filepath.Base(filepath.Dir(target)) != "worktrees" {
		return errElsewhere("it is kept elsewhere")
	}
	where, err := readSmall(filepath.Join(target, "commondir"))
	if err == nil && !filepath.IsAbs(where) {
		where = filepath.Join(target, where)
	}
	rel, relErr := filepath.Rel(r.Root, target)
	if err != nil || filepath.Clean(where) != common || relErr != nil || filepath.IsLocal(rel) {
		return errElsewhere("parts of it are kept elsewhere")
	}
	r.gitDir, r.common = target, common
	return nil
}

// LinkedTo gives the repository that a work tree was added to, "" if a directory is
// no such work tree or the two do not point to each other.
func LinkedTo(root string) string {
	if info, err := os.Lstat(filepath.Join(root, ".git")); err != nil || !info.Mode().IsRegular() {
		return ""
	}
	r, err := open(root)
	if err != nil {
		return ""
	}
	return r.common
}

func sameFile(a, b string) bool {
	x, err := os.Lstat(a)
	if err != nil {
		return false
	}
	y, err := os.Lstat(b)
	return err == nil && os.SameFile(x, y)
}

// readSmall reads a file of one line.
func readSmall(name string) (string, error) {
	info, err := os.Lstat(name)
	if err != nil {
		return "", err
	}
	if !info.Mode().IsRegular() || info.Size() > 1<<16 {
		return "", errors.New("not a small file")
	}
	b, err := os.ReadFile(name)
	return strings.TrimRight(string(b), "\r\n"), err
}

// plain refuses a repository with links in it: git would write where they lead.
func (r *Repository) plain() error {
	for _, dir := range []string{r.gitDir, r.common} {
		for _, name := range []string{".", "HEAD", "config", "index", "objects", "refs", "refs/heads", "packed-refs", "logs", "logs/HEAD", "logs/refs", "logs/refs/heads", "info", "info/exclude", "info/attributes", "shallow", "worktrees", "MERGE_HEAD"} {
			if isLink(filepath.Join(dir, name)) {
				return errElsewhere("it has links in it")
			}
		}
	}
	fans, err := os.ReadDir(filepath.Join(r.common, "objects"))
	if err != nil {
		return errElsewhere("its objects cannot be read")
	}
	for _, e := range fans {
		if e.Type()&fs.ModeSymlink != 0 {
			return errElsewhere("it has links in it")
		}
	}
	return nil
}

func isLink(name string) bool {
	info, err := os.Lstat(name)
	return err == nil && info.Mode()&fs.ModeSymlink != 0
}

// plainRef refuses a branch whose file git would write through a link.
func (r *Repository) plainRef(ref string) error {
	for _, top := range []string{r.common, filepath.Join(r.common, "logs")} {
		for at := ref; at != "." && at != "/"; at = filepath.Dir(at) {
			if isLink(filepath.Join(top, at)) {
				return errElsewhere("it has links in it")
			}
		}
	}
	return nil
}

// read asks git where HEAD is.
func (r *Repository) read(ctx context.Context) error {
	format, err := r.ask(ctx, "rev-parse", "--show-object-format")
	if err != nil {
		return clew.WrapError(clew.SessionInvalidState, err, "git cannot read the repository in %s", r.Root)
	}
	r.format = format
	if ref, err := r.ask(ctx, "symbolic-ref", "-q", "HEAD"); err == nil {
		branch, ok := strings.CutPrefix(ref, "refs/heads/")
		if !ok {
			return errElsewhere("HEAD is no branch")
		}
		r.Branch = branch
	}
	r.Head = ""
	if head, err := r.ask(ctx, "rev-parse", "-q", "--verify", "HEAD^{commit}"); err == nil {
		r.Head = head
	}
	return nil
}

// ask has git read or change refs and commits of the repository. Only commands that
// touch no file of a work tree, and no index, may be given to it.
func (r *Repository) ask(ctx context.Context, args ...string) (string, error) {
	cmd := call(ctx, r.gitDir, r.Root, nil, args...)
	cmd.Env = append(cmd.Env, "GIT_WORK_TREE="+r.Root)
	var out bytes.Buffer
	err := Run(cmd, nil, &out)
	return strings.TrimSpace(out.String()), err
}

// config reads keys of the repository's configuration, of the person's if global.
func (r *Repository) config(ctx context.Context, global bool, pattern string) map[string]string {
	args := []string{"config", "-z", "--get-regexp", pattern}
	cmd := call(ctx, r.gitDir, r.Root, nil, append(args[:1:1], append([]string{"--local"}, args[1:]...)...)...)
	if global {
		cmd = call(ctx, r.gitDir, r.Root, nil, append(args[:1:1], append([]string{"--global", "--includes"}, args[1:]...)...)...)
		cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + os.Getenv("HOME"), "XDG_CONFIG_HOME=" + os.Getenv("XDG_CONFIG_HOME"), "LC_ALL=C"}
	}
	var out bytes.Buffer
	found := map[string]string{}
	if Run(cmd, nil, &out) != nil {
		return found // none of them is set, or it cannot be read: then git's defaults hold
	}
	for entry := range strings.SplitSeq(out.String(), "\x00") {
		if key, value, ok := strings.Cut(entry, "\n"); ok {
			found[strings.ToLower(key)] = value
		}
	}
	return found
}

// hookNames are the hooks that git would run for a commit.
var hookNames = []string{"pre-commit", "prepare-commit-msg", "commit-msg", "post-commit"}

// Hooks lists the hooks that a commit by hand would run. Here none does.
func (r *Repository) Hooks(ctx context.Context) []string {
	dir := filepath.Join(r.common, "hooks")
	for _, global := range []bool{true, false} {
		if path := r.config(ctx, global, `^core\.hookspath$`)["core.hookspath"]; path != "" {
			dir = path
			if !filepath.IsAbs(dir) {
				dir = filepath.Join(r.Root, dir)
			}
		}
	}
	found := []string{}
	for _, name := range hookNames {
		if info, err := os.Stat(filepath.Join(dir, name)); err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0 {
			found = append(found, name)
		}
	}
	return found
}
