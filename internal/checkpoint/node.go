package checkpoint

import (
	"path"
	"runtime"
	"slices"
	"sort"
	"strings"
	"sync/atomic"

	"github.com/clew-run/clew/internal/checkpoint/object"
)

// A kind says what a name in a directory stands for.
type kind uint8

const (
	absent kind = iota
	file
	link
	directory
	leftAlone
)

// A why says why something is left alone.
type why uint8

const (
	kept why = iota
	excluded
	ignored
	tooLarge
	special
	unreadable
	tooDeep
)

var whyNames = []string{"", "excluded", "ignored", "large", "special", "unreadable", "deep"}

func (w why) String() string { return whyNames[w] }

// An excluder says why a path is left alone, given that the directory it lies in
// is not.
type excluder interface {
	left(path string, dir bool) why
}

// A node is what is known about one directory. The place's lock guards all
// nodes; during a scan each node belongs to the worker that scans it.
type node struct {
	stamp stamp
	read  int64    // when the names were listed
	kids  []kid    // by name
	rules excluder // that the verdicts on the kids are of

	dirty atomic.Bool // the trees below are not those of the kids
	dirs  []*node     // the directories among the kids, when it was last not dirty
	trees trees
}

// trees names the objects that stand for a directory, and sums it up.
type trees struct {
	files, meta object.ID
	count       int
	bytes       int64
}

// A kid is one name in a directory.
type kid struct {
	name  string
	kind  kind
	why   why
	stamp stamp
	read  int64 // when the content was read; 0: not to be relied on
	oid   object.ID
	dir   *node

	ruled   bool // verdict holds for the node's rules
	verdict why
}

func (n *node) find(name string) (int, bool) {
	i := sort.Search(len(n.kids), func(i int) bool { return n.kids[i].name >= name })
	return i, i < len(n.kids) && n.kids[i].name == name
}

// take brings the list of names up to date and keeps what is known of those
// that stay.
func (n *node) take(list []string) {
	slices.Sort(list)
	kids := make([]kid, 0, len(list))
	at := 0
	for _, name := range list {
		for at < len(n.kids) && n.kids[at].name < name {
			at++
			n.dirty.Store(true)
		}
		if at < len(n.kids) && n.kids[at].name == name {
			kids = append(kids, n.kids[at])
			at++
			continue
		}
		kids = append(kids, kid{name: name})
		n.dirty.Store(true)
	}
	if at < len(n.kids) {
		n.dirty.Store(true)
	}
	n.kids = kids
}

// become changes what a name stands for.
func (n *node) become(k *kid, to kind, w why) {
	if k.kind == to && k.why == w {
		return
	}
	k.kind, k.why, k.oid, k.read, k.dir = to, w, object.ID{}, 0, nil
	n.dirty.Store(true)
}

// gitMode gives the mode of a kid's entry in the tree.
func (k *kid) gitMode() uint32 {
	switch {
	case k.kind == directory:
		return object.ModeTree
	case k.kind == link:
		return object.ModeLink
	case k.stamp.mode&0o100 != 0:
		return object.ModeExec
	}
	return object.ModeFile
}

// leftBelow lists what is left alone, with the reason.
func (n *node) leftBelow(dir string, add func(path string, w why)) {
	for i := range n.kids {
		k := &n.kids[i]
		switch k.kind {
		case leftAlone:
			add(path.Join(dir, k.name), k.why)
		case directory:
			k.dir.leftBelow(path.Join(dir, k.name), add)
		}
	}
}

// forget makes the next scan read a path again.
func (n *node) forget(name string) {
	n.read = 0
	if i, ok := n.find(name); ok {
		n.kids[i].read = 0
		n.kids[i].ruled = false
	}
}

// forgetPath forgets a path and that of each directory that leads to it.
func (n *node) forgetPath(p string) {
	for {
		name, rest, more := strings.Cut(p, "/")
		n.forget(name)
		i, ok := n.find(name)
		if !more || !ok || n.kids[i].kind != directory {
			return
		}
		n, p = n.kids[i].dir, rest
	}
}

// stampAt gives what was found at a path.
func (n *node) stampAt(p string) (stamp, bool) {
	for n != nil {
		name, rest, more := strings.Cut(p, "/")
		i, ok := n.find(name)
		if !ok {
			break
		}
		if !more {
			return n.kids[i].stamp, true
		}
		n, p = n.kids[i].dir, rest
	}
	return stamp{}, false
}

// item gives the directory as a checkpoint made of it has it.
func (n *node) item() item {
	return item{kind: directory, perm: n.stamp.perm(), oid: n.trees.files, meta: n.trees.meta}
}

func (k *kid) item() item {
	switch k.kind {
	case directory:
		return k.dir.item()
	case file:
		return item{kind: file, perm: k.stamp.perm(), oid: k.oid}
	}
	return item{kind: k.kind, oid: k.oid}
}

// side lists the directory as a checkpoint made of it has it.
func (n *node) side(only map[string]bool) side {
	s := side{perm: n.stamp.perm(), items: map[string]item{}, left: map[string]why{}}
	take := func(k *kid) {
		switch k.kind {
		case absent:
		case leftAlone:
			s.left[k.name] = k.why
		default:
			s.items[k.name] = k.item()
		}
	}
	if only == nil {
		for i := range n.kids {
			take(&n.kids[i])
		}
	}
	for name := range only {
		if i, ok := n.find(name); ok {
			take(&n.kids[i])
		}
	}
	return s
}

// below gives a subdirectory, nil if there is none.
func (n *node) below(name string) *node {
	if n == nil {
		return nil
	}
	if i, ok := n.find(name); ok {
		return n.kids[i].dir
	}
	return nil
}

// know notes what a name holds now.
func (n *node) know(k *kid, h object.ID, at stamp, read int64) {
	if k.oid != h || k.stamp.size != at.size || k.stamp.perm() != at.perm() {
		n.dirty.Store(true)
	}
	k.oid, k.stamp, k.read = h, at, read
}

// mention adds a name to those of a directory.
func (n *node) mention(name string) {
	if i, ok := n.find(name); !ok && !isGit(name) {
		n.kids = slices.Insert(n.kids, i, kid{name: name})
	}
}

// isGit reports whether a name is that of a repository's own directory, or of
// the file that stands for one.
func isGit(name string) bool {
	if name == ".git" {
		return true
	}
	return runtime.GOOS == "darwin" && strings.EqualFold(name, ".git")
}
