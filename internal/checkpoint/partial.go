package checkpoint

import (
	"path"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// A spot is a name in a directory that is looked at alone.
type spot struct {
	node  *node
	at    string
	name  string
	rules *ruleset
}

// paths prepares a scan of some paths alone. It reports false if what is known
// is not enough for that; then everything has to be scanned.
func (s *scan) paths(root *node, paths []string) bool {
	var spots []spot
	for _, p := range paths {
		at, ok := s.spot(root, p)
		if !ok {
			return false
		}
		spots = append(spots, at)
	}
	for _, at := range spots { // all names first: the lists must not move later
		at.node.mention(at.name)
	}
	seen := map[string]bool{}
	for _, at := range spots {
		if full := path.Join(at.at, at.name); !isGit(at.name) && !seen[full] {
			seen[full] = true
			s.lookAlone(at)
		}
	}
	return true
}

// spot goes down to a path, or to the first part of it that is no directory.
func (s *scan) spot(root *node, p string) (spot, bool) {
	n, at, rules := root, "", s.rules
	for {
		fd, err := openDir(s.root, at)
		if err != nil {
			return spot{}, false
		}
		_, _, err = lstat(fd, IgnoreFile)
		rules = rules.below(s.root, fd, at, err == nil)
		_ = unix.Close(fd)
		if n.rules != rules || rules.ignore != nil {
			return spot{}, false
		}
		name, rest, more := strings.Cut(p, "/")
		i, ok := n.find(name)
		if !more || !ok || n.kids[i].kind != directory {
			return spot{n, at, name, rules}, true
		}
		n, at, p = n.kids[i].dir, path.Join(at, name), rest
	}
}

func (s *scan) lookAlone(at spot) {
	s.push(func(w *worker) {
		fd, err := openDir(s.root, at.at)
		if err != nil {
			s.fail(err)
			return
		}
		defer func() { _ = unix.Close(fd) }()
		i, _ := at.node.find(at.name)
		k := &at.node.kids[i]
		if !s.look(fd, at.at, at.node, k, at.rules) {
			return
		}
		if err := s.readSome(w, fd, at.at, at.node, []*kid{k}); err != nil {
			s.fail(err)
		}
	})
}

// cleanPaths makes paths of a request safe to work with: relative, without
// dots, and not in a repository of the person.
func cleanPaths(paths []string) ([]string, bool) {
	var out []string
	for _, p := range paths {
		c := path.Clean(p)
		if p == "" || path.IsAbs(c) || c == "." || c == ".." || strings.HasPrefix(c, "../") || strings.ContainsRune(c, 0) {
			return nil, false
		}
		if slices.ContainsFunc(strings.Split(c, "/"), isGit) {
			return nil, false
		}
		out = append(out, c)
	}
	slices.Sort(out)
	return slices.Compact(out), true
}
