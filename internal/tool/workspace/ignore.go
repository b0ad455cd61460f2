package workspace

import (
	"io"
	"io/fs"
	"os"
	"path"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/git-pkgs/gitignore"
)

// IgnoreFile is the name of the file that says what agents do not see. It has
// the syntax of .gitignore and counts for its directory and all below.
const IgnoreFile = ".clewignore"

// maxIgnoreFile bounds the file. A larger one is no list a person wrote.
const maxIgnoreFile = 1 << 20

// everything is what a file that cannot be read stands for: where the rules are
// unknown, nothing is shown.
var everything = []byte("*\n")

// rules answers which paths are kept from the agent. The files are looked at
// again before each answer, so an edit counts at once.
type rules struct {
	root    *os.Root
	exclude *gitignore.Matcher // apart, so that no file of the workspace overrules it
	fold    bool               // names that differ in case only are the same file

	mu       sync.Mutex
	files    map[string]ignoreFile         // by directory; only those that exist
	matchers map[string]*gitignore.Matcher // by the directory of the deepest file
}

// An ignoreFile is one .clewignore as last read.
type ignoreFile struct {
	info     fs.FileInfo
	patterns []byte
	// settled says that the file was not brand new when read. A newer edit may
	// carry the same time, so one that is not settled is read again.
	settled bool
}

func newRules(root *os.Root, exclude []string) *rules {
	r := &rules{
		root:     root,
		exclude:  gitignore.New(""),
		fold:     runtime.GOOS == "darwin" || runtime.GOOS == "windows",
		files:    map[string]ignoreFile{},
		matchers: map[string]*gitignore.Matcher{},
	}
	r.add(r.exclude, []byte(strings.Join(exclude, "\n")+"\n"), "")
	return r
}

// ignored reports whether a path, or a directory that it lies in, is left out.
// As with git, what lies in a directory that is left out cannot be taken back
// by a later pattern.
func (r *rules) ignored(name string, dir bool) bool {
	name = path.Clean(name)
	if name == "." {
		return false
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	at := r.root // nil below a directory that is not there
	defer func() { r.leave(at) }()
	parent, deepest, rest := "", "", name
	for {
		if r.refresh(at, parent) {
			deepest = parent
		}
		first, after, more := strings.Cut(rest, "/")
		child := path.Join(parent, first)
		if r.match(deepest, child, more || dir) {
			return true
		}
		if !more {
			return false
		}
		at = r.down(at, first)
		parent, rest = child, after
	}
}

// down goes one directory deeper. Step by step, a long path costs no more than
// its length.
func (r *rules) down(at *os.Root, name string) *os.Root {
	if at == nil {
		return nil
	}
	defer r.leave(at)
	next, err := at.OpenRoot(name + "/.") // the dot: a pipe is no directory and must not block
	if err != nil {
		return nil
	}
	return next
}

func (r *rules) leave(at *os.Root) {
	if at != nil && at != r.root {
		_ = at.Close()
	}
}

func (r *rules) match(deepest, name string, dir bool) bool {
	m := r.matchers[deepest]
	if m == nil {
		m = r.compile(deepest)
		r.matchers[deepest] = m
	}
	return r.hit(r.exclude, name, dir) || r.hit(m, name, dir)
}

func (r *rules) hit(m *gitignore.Matcher, name string, dir bool) bool {
	return m.MatchPath(name, dir) || r.fold && m.MatchPath(strings.ToLower(name), dir)
}

func (r *rules) add(m *gitignore.Matcher, patterns []byte, dir string) {
	m.AddPatterns(patterns, dir)
	if r.fold {
		m.AddPatterns([]byte(strings.ToLower(string(patterns))), strings.ToLower(dir))
	}
}

// compile joins the files from the top down to a directory. The last match wins, so deeper files have the last word.
func (r *rules) compile(deepest string) *gitignore.Matcher {
	m := gitignore.New("")
	at := ""
	for rest := deepest; ; {
		if f, ok := r.files[at]; ok {
			r.add(m, f.patterns, at)
		}
		if rest == "" {
			return m
		}
		first, after, _ := strings.Cut(rest, "/")
		at, rest = path.Join(at, first), after
	}
}

// refresh looks whether a directory's file is still the one that was read, and
// reports whether there is one.
func (r *rules) refresh(at *os.Root, dir string) bool {
	if at == nil {
		return false
	}
	known, was := r.files[dir]
	info, err := at.Lstat(IgnoreFile)
	if err != nil {
		if was {
			delete(r.files, dir)
			clear(r.matchers)
		}
		return false
	}
	if info.Mode().Type() == fs.ModeSymlink {
		info, err = at.Stat(IgnoreFile) // from here on an error means: rules, but unknown ones
	}
	if err == nil && was && known.settled && same(known.info, info) {
		return true
	}
	fresh := ignoreFile{patterns: everything}
	if err == nil {
		fresh.info, fresh.settled = info, time.Since(info.ModTime()) > time.Second
		if b, err := read(at, info); err == nil {
			fresh.patterns = b
		}
	}
	if !was || string(known.patterns) != string(fresh.patterns) {
		clear(r.matchers)
	}
	r.files[dir] = fresh
	return true
}

func same(a, b fs.FileInfo) bool {
	return os.SameFile(a, b) && a.Size() == b.Size() && a.ModTime().Equal(b.ModTime())
}

func read(at *os.Root, info fs.FileInfo) ([]byte, error) {
	if !info.Mode().IsRegular() || info.Size() > maxIgnoreFile {
		return nil, fs.ErrInvalid
	}
	f, err := at.OpenFile(IgnoreFile, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	if now, err := f.Stat(); err != nil || !os.SameFile(info, now) {
		return nil, fs.ErrInvalid
	}
	b, err := io.ReadAll(io.LimitReader(f, maxIgnoreFile+1))
	if err == nil && len(b) > maxIgnoreFile {
		err = fs.ErrInvalid
	}
	return b, err
}
