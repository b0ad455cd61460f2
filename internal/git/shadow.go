package git

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/clew-run/clew"
)

// A Keeper works on repositories for the server. It keeps git directories of its
// own and, while something is under way, a note of it. It is safe for concurrent
// use; two works on one repository follow each other.
type Keeper struct {
	dir string

	mu    sync.Mutex
	locks map[string]*sync.Mutex // by the common directory
	added map[clew.SessionID]bool
}

// Open makes a keeper that keeps its things in dir. No other may have the same.
func Open(dir string) (*Keeper, error) {
	k := &Keeper{dir: dir, locks: map[string]*sync.Mutex{}, added: map[clew.SessionID]bool{}}
	if err := os.RemoveAll(k.shadows()); err != nil { // they are made anew when needed
		return nil, fmt.Errorf("git: %w", err)
	}
	for _, d := range []string{k.shadows(), k.intents()} {
		if err := os.MkdirAll(d, 0o700); err != nil {
			return nil, fmt.Errorf("git: %w", err)
		}
	}
	return k, nil
}

func (k *Keeper) shadows() string { return filepath.Join(k.dir, "shadows") }
func (k *Keeper) intents() string { return filepath.Join(k.dir, "intents") }

// lock keeps others off a repository.
func (k *Keeper) lock(common string) (unlock func()) {
	k.mu.Lock()
	l := k.locks[common]
	if l == nil {
		l = &sync.Mutex{}
		k.locks[common] = l
	}
	k.mu.Unlock()
	l.Lock()
	return l.Unlock
}

// A shadow is a git directory of our own for a work tree. It borrows the
// repository's objects and knows nothing of its configuration.
type shadow struct {
	repo   *Repository
	dir    string
	config []string
}

// passed are the keys of the repository's and the person's configuration that say
// how files look, and name no program.
const passed = `^core\.(autocrlf|eol|filemode|symlinks|ignorecase|precomposeunicode|quotepath)$`

// shadow makes the git directory of our own for a work tree.
func (k *Keeper) shadow(ctx context.Context, r *Repository) (*shadow, error) {
	sum := sha256.Sum256([]byte(r.gitDir))
	s := &shadow{repo: r, dir: filepath.Join(k.shadows(), hex.EncodeToString(sum[:12]))}
	if r.config(ctx, false, `^core\.sparsecheckout$`)["core.sparsecheckout"] == "true" {
		return nil, errElsewhere("it has a sparse checkout, which clew does not know")
	}
	if strings.ContainsAny(r.common, "\n\r\"") {
		return nil, errElsewhere("its path has unusual characters")
	}
	if _, err := os.Lstat(filepath.Join(s.dir, "HEAD")); errors.Is(err, fs.ErrNotExist) {
		if err := os.MkdirAll(s.dir, 0o700); err != nil {
			return nil, err
		}
		if err := s.run(ctx, "", nil, nil, "init", "-q", "--bare", "--template=", "--object-format="+r.format); err != nil {
			return nil, err
		}
	}
	if err := s.borrow(); err != nil {
		return nil, err
	}
	s.config = []string{"core.bare=false"}
	for _, global := range []bool{true, false} {
		for key, value := range r.config(ctx, global, passed) {
			s.config = append(s.config, key+"="+value)
		}
	}
	if excludes := personExcludes(r.config(ctx, true, `^core\.excludesfile$`)["core.excludesfile"]); excludes != "" {
		s.config = append(s.config, "core.excludesFile="+excludes)
	}
	return s, nil
}

// borrow lets the shadow see the repository's objects, and what says which files
// and commits do not count.
func (s *shadow) borrow() error {
	if err := os.MkdirAll(filepath.Join(s.dir, "objects", "info"), 0o700); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Join(s.dir, "info"), 0o700); err != nil {
		return err
	}
	objects := filepath.Join(s.repo.common, "objects")
	if err := os.WriteFile(filepath.Join(s.dir, "objects", "info", "alternates"), []byte(objects+"\n"), 0o600); err != nil {
		return err
	}
	for _, name := range []string{"info/exclude", "info/attributes", "shallow"} {
		if err := copyPlain(filepath.Join(s.repo.common, name), filepath.Join(s.dir, name)); err != nil {
			return err
		}
	}
	return nil
}

// personExcludes is the file with what the person never wants in a repository.
func personExcludes(set string) string {
	if rest, ok := strings.CutPrefix(set, "~/"); ok {
		set = filepath.Join(os.Getenv("HOME"), rest)
	}
	if set == "" {
		base := os.Getenv("XDG_CONFIG_HOME")
		if base == "" {
			base = filepath.Join(os.Getenv("HOME"), ".config")
		}
		set = filepath.Join(base, "git", "ignore")
	}
	if info, err := os.Stat(set); err != nil || !info.Mode().IsRegular() || !filepath.IsAbs(set) {
		return ""
	}
	return set
}

// maxCopied bounds a file that is copied out of a repository.
const maxCopied = 512 << 20

// copyPlain copies a file with its time, which git compares with those of the
// files in an index. A file that is not there leaves none.
func copyPlain(from, to string) error {
	info, err := os.Lstat(from)
	if errors.Is(err, fs.ErrNotExist) {
		err = os.Remove(to)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	}
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() || info.Size() > maxCopied {
		return errElsewhere(filepath.Base(from) + " is no plain file")
	}
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }() // it was only read
	out, err := os.OpenFile(to, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	if err = errors.Join(err, out.Close()); err != nil {
		return err
	}
	return os.Chtimes(to, info.ModTime(), info.ModTime())
}

// run runs git in the shadow, on the files of the work tree. index is a file in
// the shadow.
func (s *shadow) run(ctx context.Context, index string, in io.Reader, out io.Writer, args ...string) error {
	return s.runAt(ctx, s.repo.Root, index, in, out, args...)
}

func (s *shadow) runAt(ctx context.Context, dir, index string, in io.Reader, out io.Writer, args ...string) error {
	cmd := call(ctx, s.dir, dir, s.config, args...)
	if args[0] != "init" {
		cmd.Env = append(cmd.Env, "GIT_WORK_TREE="+s.repo.Root)
	}
	if index != "" {
		cmd.Env = append(cmd.Env, "GIT_INDEX_FILE="+filepath.Join(s.dir, index))
	}
	return Run(cmd, in, out)
}

func (s *shadow) ask(ctx context.Context, index string, args ...string) (string, error) {
	var out bytes.Buffer
	err := s.run(ctx, index, nil, &out, args...)
	return strings.TrimSpace(out.String()), err
}

// list runs a command that answers with names, each ended by a zero byte.
func (s *shadow) list(ctx context.Context, dir, index string, args ...string) ([]string, error) {
	var out bytes.Buffer
	if err := s.runAt(ctx, dir, index, nil, &out, args...); err != nil {
		return nil, err
	}
	if out.Len() == 0 {
		return nil, nil
	}
	return strings.Split(strings.TrimSuffix(out.String(), "\x00"), "\x00"), nil
}

// emptyTree writes the tree without files.
func (s *shadow) emptyTree(ctx context.Context) (string, error) {
	return s.ask(ctx, "", "hash-object", "-t", "tree", "-w", "--stdin")
}

// now writes the files of the work tree as a tree, into the shadow. Files that git
// ignores are left out; so are repositories inside, into which git must not look:
// theirs would be the next configuration that names programs.
func (s *shadow) now(ctx context.Context) (tree string, err error) {
	const index = "index"
	_ = os.Remove(filepath.Join(s.dir, index+".lock")) // of a call that was killed
	if err := s.copyIndex(ctx, index); err != nil {
		return "", err
	}
	changed, err := s.list(ctx, s.repo.Dir, index, "ls-files", "-z", "-m", "-s", "--full-name")
	if err != nil {
		return "", err
	}
	var paths []string
	for _, line := range changed {
		head, path, ok := strings.Cut(line, "\t")
		if ok && !strings.HasPrefix(head, "160000 ") {
			paths = append(paths, path)
		}
	}
	others, err := s.list(ctx, s.repo.Dir, index, "ls-files", "-z", "-o", "--exclude-standard", "--full-name")
	if err != nil {
		return "", err
	}
	for _, path := range others {
		if !strings.HasSuffix(path, "/") {
			paths = append(paths, path)
		}
	}
	if len(paths) > 0 {
		if err := s.run(ctx, index, strings.NewReader(strings.Join(paths, "\x00")+"\x00"), nil, "update-index", "-z", "--add", "--remove", "--replace", "--stdin"); err != nil {
			return "", clew.WrapError(clew.SessionInvalidState, err, "git cannot read the files: %s", said(err))
		}
	}
	tree, err = s.ask(ctx, index, "write-tree")
	if err != nil {
		return "", clew.WrapError(clew.SessionInvalidState, err, "git cannot write the files down: %s", said(err))
	}
	return tree, nil
}

// said is the last line of what git said of a failure.
func said(err error) string {
	var e *Error
	if !errors.As(err, &e) {
		return err.Error()
	}
	lines := strings.Split(e.Said, "\n")
	return strings.TrimPrefix(strings.TrimPrefix(lines[len(lines)-1], "fatal: "), "error: ")
}

// copyIndex takes the index of the work tree, which has the times of files, so
// that only changed ones are read.
func (s *shadow) copyIndex(ctx context.Context, index string) error {
	shared, err := filepath.Glob(filepath.Join(escapeGlob(s.repo.gitDir), "sharedindex.*"))
	if err != nil {
		return err
	}
	for _, name := range shared {
		if err := copyPlain(name, filepath.Join(s.dir, filepath.Base(name))); err != nil {
			return err
		}
	}
	if err := copyPlain(filepath.Join(s.repo.gitDir, "index"), filepath.Join(s.dir, index)); err != nil {
		return err
	}
	if _, err := os.Lstat(filepath.Join(s.dir, index)); err == nil {
		return nil
	}
	if s.repo.Head == "" {
		return s.run(ctx, index, nil, nil, "read-tree", "--empty")
	}
	return s.run(ctx, index, nil, nil, "read-tree", s.repo.Head)
}

func escapeGlob(name string) string {
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`).Replace(name)
}

// filtered lists those of some paths that a filter of the repository would change
// on their way into a commit. Filters are programs and do not run here.
func (s *shadow) filtered(ctx context.Context, index string, paths []string) ([]string, error) {
	if len(paths) == 0 {
		return nil, nil
	}
	var out bytes.Buffer
	if err := s.run(ctx, index, strings.NewReader(strings.Join(paths, "\x00")+"\x00"), &out, "check-attr", "-z", "--stdin", "filter"); err != nil {
		return nil, err
	}
	var found []string
	fields := strings.Split(strings.TrimSuffix(out.String(), "\x00"), "\x00")
	for i := 0; i+2 < len(fields); i += 3 {
		if v := fields[i+2]; v != "unspecified" && v != "unset" {
			found = append(found, fields[i])
		}
	}
	return found, nil
}
