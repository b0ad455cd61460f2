package tree

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/clew-run/clew/internal/checkpoint/object"
)

// An Item is what a checkpoint has under one name.
type Item struct {
	Kind Kind
	Perm uint32
	Oid  object.ID // of the bytes; of the tree for a directory
	Meta object.ID // of a directory's meta tree
}

// A Side is one directory of a checkpoint.
type Side struct {
	perm  uint32
	Items map[string]Item
	left  map[string]SkipReason
}

// A Reader gets at the trees of checkpoints.
type Reader struct {
	Ctx     context.Context
	Objects *object.Store
}

// Top gives the workspace as a checkpoint has it.
func (r Reader) Top(tree object.ID) (Item, error) {
	entries, err := r.Objects.Tree(r.Ctx, tree, nil)
	if err != nil {
		return Item{}, err
	}
	root := Item{Kind: Directory}
	for _, e := range entries {
		switch e.Name {
		case FilesEntry:
			root.Oid = e.ID
		case MetaEntry:
			root.Meta = e.ID
		}
	}
	if root.Oid.Zero() {
		return Item{}, fmt.Errorf("%w: %s is no checkpoint's tree", object.ErrDamaged, tree)
	}
	own, err := r.Meta(root.Meta)
	root.Perm = own.perm
	return root, err
}

// Meta reads a directory's own statement.
func (r Reader) Meta(tree object.ID) (Meta, error) {
	entries, err := r.Objects.Tree(r.Ctx, tree, nil)
	if err != nil {
		return Meta{}, err
	}
	for _, e := range entries {
		if e.Name == MetaBlob {
			data, err := r.Objects.Read(r.Ctx, e.ID, object.Blob)
			if err != nil {
				return Meta{}, err
			}
			return parseMeta(data)
		}
	}
	return parseMeta(nil)
}

// Open lists a directory, or those names of it that are in only, if it is not
// nil. Anything else than a directory has an empty list.
func (r Reader) Open(it Item, only map[string]bool) (Side, error) {
	s := Side{Items: map[string]Item{}}
	if it.Kind != Directory {
		return s, nil
	}
	files, err := r.Objects.Tree(r.Ctx, it.Oid, only)
	if err != nil {
		return s, err
	}
	metas, err := r.Objects.Tree(r.Ctx, it.Meta, nil)
	if err != nil {
		return s, err
	}
	own, err := r.Meta(it.Meta)
	if err != nil {
		return s, err
	}
	s.perm, s.left = own.perm, own.left
	below := map[string]object.ID{}
	for _, e := range metas {
		if name, ok := strings.CutPrefix(e.Name, MetaDir); ok && e.Mode == object.ModeTree {
			below[name] = e.ID
		}
	}
	for _, e := range files {
		if s.Items[e.Name], err = r.item(e, own, below[e.Name]); err != nil {
			return s, err
		}
	}
	return s, nil
}

func (r Reader) item(e object.Entry, own Meta, below object.ID) (Item, error) {
	it := Item{Oid: e.ID}
	switch e.Mode {
	case object.ModeTree:
		it.Kind, it.Meta = Directory, below
		m, err := r.Meta(below)
		it.Perm = m.perm
		return it, err
	case object.ModeLink:
		it.Kind = Link
	case object.ModeFile, object.ModeExec:
		it.Kind, it.Perm = File, defaultPerm(e.Mode)
		if p, ok := own.Perms[e.Name]; ok {
			it.Perm = p
		}
	default:
		return it, fmt.Errorf("%w: mode %o", object.ErrDamaged, e.Mode)
	}
	return it, nil
}

// A Change is a path that two checkpoints do not have in common. A directory
// comes before what lies in it, also if only that changed.
type Change struct {
	Path     string
	From, To Item
}

// A Comparison lists changes.
type Comparison struct {
	Reader
	Paths   []string // nil: all
	Changes []Change
	Blocked []string // what the second has and cannot be made, as something left alone is there
}

// Run compares two trees. seen is the workspace as last looked at, if from is
// the tree that was made of it: that saves reading.
func (c *Comparison) Run(from, to object.ID, seen *Node) error {
	b, err := c.Top(to)
	if err != nil {
		return err
	}
	if seen != nil {
		return c.Pair("", seen.item(), b, seen)
	}
	a, err := c.Top(from)
	if err != nil {
		return err
	}
	return c.Pair("", a, b, nil)
}

// selected says whether a path is asked for, and whether something below it is.
func (c *Comparison) selected(p string) (self, below bool) {
	if c.Paths == nil {
		return true, true
	}
	for _, q := range c.Paths {
		if p == q || strings.HasPrefix(p, q+"/") {
			return true, true
		}
		below = below || p == "" || strings.HasPrefix(q, p+"/")
	}
	return false, below
}

// Pair compares what the two have at a path.
func (c *Comparison) Pair(p string, a, b Item, seen *Node) error {
	if a == b {
		return nil
	}
	self, below := c.selected(p)
	target := b
	switch {
	case self:
	case !below || a.Kind == Absent && b.Kind != Directory:
		return nil
	case a.Kind == Directory: // on the way to what is asked for: it stays as it is
		target = Item{Kind: Directory, Perm: a.Perm}
	case a.Kind != Absent:
		if b.Kind == Directory {
			c.Blocked = append(c.Blocked, p)
		}
		return nil
	}
	c.Changes = append(c.Changes, Change{p, a, target})
	if a.Kind != Directory && b.Kind != Directory {
		return nil
	}
	only := c.leading(p, self)
	x, err := c.openFrom(a, only, seen)
	if err != nil {
		return err
	}
	y, err := c.Open(b, only)
	if err != nil {
		return err
	}
	return c.names(p, x, y, seen)
}

func (c *Comparison) openFrom(a Item, only map[string]bool, seen *Node) (Side, error) {
	if seen != nil && a.Kind == Directory {
		return seen.side(only), nil
	}
	return c.Open(a, only)
}

// leading gives the names in a directory that lead to what is asked for; nil if
// it is asked for itself.
func (c *Comparison) leading(p string, self bool) map[string]bool {
	if self {
		return nil
	}
	only := map[string]bool{}
	for _, q := range c.Paths {
		rest, ok := strings.CutPrefix(q, p+"/")
		if p == "" {
			rest, ok = q, true
		}
		if ok {
			name, _, _ := strings.Cut(rest, "/")
			only[name] = true
		}
	}
	return only
}

func (c *Comparison) names(p string, x, y Side, seen *Node) error {
	var all []string
	for name := range x.Items {
		all = append(all, name)
	}
	for name := range y.Items {
		if _, both := x.Items[name]; !both {
			all = append(all, name)
		}
	}
	slices.Sort(all)
	for _, name := range all {
		if x.left[name] != Kept || y.left[name] != Kept { // left alone now or then
			_, there := y.Items[name]
			if self, _ := c.selected(path.Join(p, name)); self && there {
				c.Blocked = append(c.Blocked, path.Join(p, name))
			}
			continue
		}
		if err := c.Ctx.Err(); err != nil {
			return err
		}
		if err := c.Pair(path.Join(p, name), x.Items[name], y.Items[name], seen.Below(name)); err != nil {
			return err
		}
	}
	return nil
}

// Real reports whether a change is more than a directory on the way.
func (c Change) Real() bool {
	return c.From.Kind != Directory || c.To.Kind != Directory || c.From.Perm != c.To.Perm
}

// SameBytes reports whether two files or links have the same content.
func (i Item) SameBytes(j Item) bool {
	return i.Kind == j.Kind && i.Kind != Directory && i.Oid == j.Oid
}
