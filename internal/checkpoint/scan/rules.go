package scan

import (
	"io"
	"os"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/git-pkgs/gitignore"
	"golang.org/x/sys/unix"

	"github.com/clew-run/clew/internal/checkpoint/beneath"
	"github.com/clew-run/clew/internal/checkpoint/tree"
)

// IgnoreFile is the name of the files in a workspace that say what is not
// saved. They have the syntax of .gitignore and count for all below.
const IgnoreFile = ".clewignore"

const maxIgnoreFile = 1 << 20

// DefaultExclude lists names under which package managers and tools put things
// that they can make again. Whatever has such a name is not saved, and is left
// alone on restore.
var DefaultExclude = []string{
	"node_modules", "bower_components", ".pnpm-store", ".npm", ".parcel-cache", ".turbo", ".angular", ".svelte-kit", ".nuxt", ".next",
	".venv", "__pycache__", ".mypy_cache", ".pytest_cache", ".ruff_cache", ".hypothesis", ".tox", ".nox", ".eggs", ".ipynb_checkpoints",
	".gradle", ".m2", ".ivy2", ".dart_tool", ".pub-cache", ".terraform", ".direnv", ".cache", ".ccache", ".sass-cache",
}

// Rules say what of a workspace is left alone, beyond what is never saved.
type Rules struct {
	// Names under which nothing is saved. Nil stands for DefaultExclude.
	Names []string
	// Exclude holds patterns with the syntax of .gitignore. No file in the
	// workspace can take one back.
	Exclude []string
	// Ignore is asked about each path, if it is set, by several goroutines at
	// once. It is slower than patterns, whose answers are remembered.
	Ignore func(path string, dir bool) bool
}

// A Ruleset is the rules that hold in one directory. While they stay the same,
// the pointer does.
type Ruleset struct {
	names  []string
	top    *gitignore.Matcher // nil without patterns
	files  *gitignore.Matcher // of the ignore files from the top down to here; nil without any
	chain  []ignoreFile
	ignore func(string, bool) bool
	own    string // the path of the store, if it lies in the workspace

	mu       sync.Mutex
	children map[ignoreFile]*Ruleset
}

type ignoreFile struct{ dir, patterns string }

// NewRuleset makes the rules of a workspace. own is the path of the store in it, ""
// if it lies elsewhere.
func NewRuleset(r Rules, own string) *Ruleset {
	s := &Ruleset{names: r.Names, ignore: r.Ignore, own: own}
	if r.Names == nil {
		s.names = DefaultExclude
	}
	if len(r.Exclude) > 0 {
		s.top = gitignore.New("")
		s.top.AddPatterns([]byte(strings.Join(r.Exclude, "\n")+"\n"), "")
	}
	return s
}

// with gives the rules below a directory that has an ignore file.
func (s *Ruleset) with(dir, patterns string) *Ruleset {
	s.mu.Lock()
	defer s.mu.Unlock()
	f := ignoreFile{dir, patterns}
	if k := s.children[f]; k != nil {
		return k
	}
	k := &Ruleset{names: s.names, top: s.top, ignore: s.ignore, own: s.own, chain: append(slices.Clone(s.chain), f)}
	k.files = gitignore.New("")
	for _, f := range k.chain {
		k.files.AddPatterns([]byte(f.patterns), f.dir)
	}
	if s.children == nil || len(s.children) > 64 { // old versions of the files
		s.children = map[ignoreFile]*Ruleset{}
	}
	s.children[f] = k
	return k
}

// Left says why a path is left alone, given that the directory it lies in is
// not.
func (s *Ruleset) Left(p string, dir bool) tree.SkipReason {
	switch {
	case slices.Contains(s.names, path.Base(p)):
		return tree.Excluded
	case s.own != "" && p == s.own:
		return tree.Excluded
	case s.top != nil && s.top.MatchPath(p, dir):
		return tree.Ignored
	case s.files != nil && s.files.MatchPath(p, dir):
		return tree.Ignored
	case s.ignore != nil && s.ignore(p, dir):
		return tree.Ignored
	}
	return tree.Kept
}

// below gives the rules for a directory, which has an ignore file if has.
func (s *Ruleset) below(root, fd int, dir string, has bool) *Ruleset {
	if !has {
		return s
	}
	patterns, err := readIgnore(root, fd, dir)
	if err != nil {
		patterns = "*\n" // where the rules are unknown, nothing is saved
	}
	return s.with(dir, patterns)
}

func readIgnore(root, fd int, dir string) (string, error) {
	n, err := unix.Openat(fd, IgnoreFile, unix.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err != nil {
		return readIgnoreLink(root, fd, dir, err)
	}
	return readRules(os.NewFile(uintptr(n), IgnoreFile))
}

// readIgnoreLink follows a link that stays in the workspace.
func readIgnoreLink(root, fd int, dir string, err error) (string, error) {
	target, lerr := beneath.Readlink(fd, IgnoreFile)
	if lerr != nil || path.IsAbs(target) {
		return "", err
	}
	p := path.Join(dir, target)
	if p == ".." || strings.HasPrefix(p, "../") || strings.Contains("/"+p+"/", "/.git/") {
		return "", err
	}
	parent, name := path.Split(p)
	d, err := beneath.OpenDir(root, strings.TrimSuffix(parent, "/"))
	if err != nil {
		return "", err
	}
	defer func() { _ = unix.Close(d) }()
	n, err := unix.Openat(d, name, unix.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err != nil {
		return "", err
	}
	return readRules(os.NewFile(uintptr(n), IgnoreFile))
}

func readRules(f *os.File) (string, error) {
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err == nil && (!info.Mode().IsRegular() || info.Size() > maxIgnoreFile) {
		err = os.ErrInvalid
	}
	if err != nil {
		return "", err
	}
	b, err := io.ReadAll(io.LimitReader(f, maxIgnoreFile))
	return string(b), err
}
