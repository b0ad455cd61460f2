package scan

import (
	"path"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/clew-run/clew/internal/checkpoint/beneath"
	"github.com/clew-run/clew/internal/checkpoint/tree"
)

// A pathEntry is a name in a directory that is looked at alone.
type pathEntry struct {
	node  *tree.Node
	at    string
	name  string
	rules *Ruleset
}

// Paths prepares a scan of some paths alone. It reports false if what is known
// is not enough for that; then everything has to be scanned.
func (s *Scan) Paths(root *tree.Node, paths []string) bool {
	var spots []pathEntry
	for _, p := range paths {
		at, ok := s.pathEntry(root, p)
		if !ok {
			return false
		}
		spots = append(spots, at)
	}
	for _, at := range spots { // all names first: the lists must not move later
		at.node.Mention(at.name)
	}
	seen := map[string]bool{}
	for _, at := range spots {
		if full := path.Join(at.at, at.name); !tree.IsGit(at.name) && !seen[full] {
			seen[full] = true
			s.lookAlone(at)
		}
	}
	return true
}

// pathEntry goes down to a path, or to the first part of it that is no directory.
func (s *Scan) pathEntry(root *tree.Node, p string) (pathEntry, bool) {
	n, at, rules := root, "", s.rules
	for {
		fd, err := beneath.OpenDir(s.root, at)
		if err != nil {
			return pathEntry{}, false
		}
		_, _, err = beneath.Lstat(fd, IgnoreFile)
		rules = rules.below(s.root, fd, at, err == nil)
		_ = unix.Close(fd)
		if n.Rules != rules || rules.ignore != nil {
			return pathEntry{}, false
		}
		name, rest, more := strings.Cut(p, "/")
		i, ok := n.Find(name)
		if !more || !ok || n.Entries[i].Kind != tree.Directory {
			return pathEntry{n, at, name, rules}, true
		}
		n, at, p = n.Entries[i].Dir, path.Join(at, name), rest
	}
}

func (s *Scan) lookAlone(at pathEntry) {
	s.push(func(w *worker) {
		fd, err := beneath.OpenDir(s.root, at.at)
		if err != nil {
			s.fail(err)
			return
		}
		defer func() { _ = unix.Close(fd) }()
		i, _ := at.node.Find(at.name)
		k := &at.node.Entries[i]
		if !s.look(fd, at.at, at.node, k, at.rules) {
			return
		}
		if err := s.readSome(w, fd, at.at, at.node, []*tree.Entry{k}); err != nil {
			s.fail(err)
		}
	})
}

// CleanPaths makes paths of a request safe to work with: relative, without
// dots, and not in a repository of the person.
func CleanPaths(paths []string) ([]string, bool) {
	var out []string
	for _, p := range paths {
		c := path.Clean(p)
		if p == "" || path.IsAbs(c) || c == "." || c == ".." || strings.HasPrefix(c, "../") || strings.ContainsRune(c, 0) {
			return nil, false
		}
		if slices.ContainsFunc(strings.Split(c, "/"), tree.IsGit) {
			return nil, false
		}
		out = append(out, c)
	}
	slices.Sort(out)
	return slices.Compact(out), true
}
