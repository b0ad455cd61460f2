// Package tree holds what is known of the directories of a workspace, how a
// checkpoint keeps them, and how two checkpoints differ.
package tree

import (
	"path"
	"runtime"
	"slices"
	"sort"
	"strings"
	"sync/atomic"

	"github.com/clew-run/clew/internal/checkpoint/beneath"
	"github.com/clew-run/clew/internal/checkpoint/object"
)

// A Kind says what a name in a directory stands for.
type Kind uint8

// The kinds.
const (
	Absent Kind = iota
	File
	Link
	Directory
	LeftAlone
)

// A SkipReason says why something is left alone.
type SkipReason uint8

// The reasons; Kept is none.
const (
	Kept SkipReason = iota
	Excluded
	Ignored
	TooLarge
	Special
	Unreadable
	TooDeep
)

var skipNames = []string{"", "excluded", "ignored", "large", "special", "unreadable", "deep"}

func (w SkipReason) String() string { return skipNames[w] }

// An Excluder says why a path is left alone, given that the directory it lies in
// is not.
type Excluder interface {
	Left(path string, dir bool) SkipReason
}

// A Node is what is known about one directory. The place's lock guards all
// nodes; during a scan each node belongs to the worker that scans it.
type Node struct {
	Stamp   beneath.Stamp
	Read    int64    // when the names were listed
	Entries []Entry  // by name
	Rules   Excluder // that the verdicts on the entries are of

	Dirty atomic.Bool // the trees below are not those of the entries
	dirs  []*Node     // the directories among the entries, when it was last not dirty
	Trees Summary
}

// Summary names the objects that stand for a directory, and sums it up.
type Summary struct {
	Files, Meta object.ID
	Count       int
	Bytes       int64
}

// An Entry is one name in a directory.
type Entry struct {
	Name  string
	Kind  Kind
	why   SkipReason
	Stamp beneath.Stamp
	Read  int64 // when the content was read; 0: not to be relied on
	Oid   object.ID
	Dir   *Node

	Ruled   bool // verdict holds for the node's rules
	Verdict SkipReason
}

// Find gives the place of a name among the entries, and whether it is there.
func (n *Node) Find(name string) (int, bool) {
	i := sort.Search(len(n.Entries), func(i int) bool { return n.Entries[i].Name >= name })
	return i, i < len(n.Entries) && n.Entries[i].Name == name
}

// Update brings the list of names up to date and keeps what is known of those
// that stay.
func (n *Node) Update(list []string) {
	slices.Sort(list)
	entries := make([]Entry, 0, len(list))
	at := 0
	for _, name := range list {
		for at < len(n.Entries) && n.Entries[at].Name < name {
			at++
			n.Dirty.Store(true)
		}
		if at < len(n.Entries) && n.Entries[at].Name == name {
			entries = append(entries, n.Entries[at])
			at++
			continue
		}
		entries = append(entries, Entry{Name: name})
		n.Dirty.Store(true)
	}
	if at < len(n.Entries) {
		n.Dirty.Store(true)
	}
	n.Entries = entries
}

// Become changes what a name stands for.
func (n *Node) Become(k *Entry, to Kind, w SkipReason) {
	if k.Kind == to && k.why == w {
		return
	}
	k.Kind, k.why, k.Oid, k.Read, k.Dir = to, w, object.ID{}, 0, nil
	n.Dirty.Store(true)
}

// gitMode gives the mode of an entry as git has it.
func (k *Entry) gitMode() uint32 {
	switch {
	case k.Kind == Directory:
		return object.ModeTree
	case k.Kind == Link:
		return object.ModeLink
	case k.Stamp.Mode&0o100 != 0:
		return object.ModeExec
	}
	return object.ModeFile
}

// LeftBelow lists what is left alone, with the reason.
func (n *Node) LeftBelow(dir string, add func(path string, w SkipReason)) {
	for i := range n.Entries {
		k := &n.Entries[i]
		switch k.Kind {
		case LeftAlone:
			add(path.Join(dir, k.Name), k.why)
		case Directory:
			k.Dir.LeftBelow(path.Join(dir, k.Name), add)
		}
	}
}

// forget makes the next scan read a path again.
func (n *Node) forget(name string) {
	n.Read = 0
	if i, ok := n.Find(name); ok {
		n.Entries[i].Read = 0
		n.Entries[i].Ruled = false
	}
}

// ForgetPath forgets a path and that of each directory that leads to it.
func (n *Node) ForgetPath(p string) {
	for {
		name, rest, more := strings.Cut(p, "/")
		n.forget(name)
		i, ok := n.Find(name)
		if !more || !ok || n.Entries[i].Kind != Directory {
			return
		}
		n, p = n.Entries[i].Dir, rest
	}
}

// StampAt gives what was found at a path.
func (n *Node) StampAt(p string) (beneath.Stamp, bool) {
	for n != nil {
		name, rest, more := strings.Cut(p, "/")
		i, ok := n.Find(name)
		if !ok {
			break
		}
		if !more {
			return n.Entries[i].Stamp, true
		}
		n, p = n.Entries[i].Dir, rest
	}
	return beneath.Stamp{}, false
}

// item gives the directory as a checkpoint made of it has it.
func (n *Node) item() Item {
	return Item{Kind: Directory, Perm: n.Stamp.Perm(), Oid: n.Trees.Files, Meta: n.Trees.Meta}
}

func (k *Entry) item() Item {
	switch k.Kind {
	case Directory:
		return k.Dir.item()
	case File:
		return Item{Kind: File, Perm: k.Stamp.Perm(), Oid: k.Oid}
	}
	return Item{Kind: k.Kind, Oid: k.Oid}
}

// side lists the directory as a checkpoint made of it has it.
func (n *Node) side(only map[string]bool) Side {
	s := Side{perm: n.Stamp.Perm(), Items: map[string]Item{}, left: map[string]SkipReason{}}
	take := func(k *Entry) {
		switch k.Kind {
		case Absent:
		case LeftAlone:
			s.left[k.Name] = k.why
		default:
			s.Items[k.Name] = k.item()
		}
	}
	if only == nil {
		for i := range n.Entries {
			take(&n.Entries[i])
		}
	}
	for name := range only {
		if i, ok := n.Find(name); ok {
			take(&n.Entries[i])
		}
	}
	return s
}

// Below gives a subdirectory, nil if there is none.
func (n *Node) Below(name string) *Node {
	if n == nil {
		return nil
	}
	if i, ok := n.Find(name); ok {
		return n.Entries[i].Dir
	}
	return nil
}

// Know notes what a name holds now.
func (n *Node) Know(k *Entry, h object.ID, at beneath.Stamp, read int64) {
	if k.Oid != h || k.Stamp.Size != at.Size || k.Stamp.Perm() != at.Perm() {
		n.Dirty.Store(true)
	}
	k.Oid, k.Stamp, k.Read = h, at, read
}

// Mention adds a name to those of a directory.
func (n *Node) Mention(name string) {
	if i, ok := n.Find(name); !ok && !IsGit(name) {
		n.Entries = slices.Insert(n.Entries, i, Entry{Name: name})
	}
}

// IsGit reports whether a name is that of a repository's own directory, or of
// the file that stands for one.
func IsGit(name string) bool {
	if name == ".git" {
		return true
	}
	return runtime.GOOS == "darwin" && strings.EqualFold(name, ".git")
}
