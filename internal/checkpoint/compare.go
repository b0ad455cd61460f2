package checkpoint

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/clew-run/clew/internal/checkpoint/object"
)

// An item is what a checkpoint has under one name.
type item struct {
	kind kind
	perm uint32
	oid  object.ID // of the bytes; of the tree for a directory
	meta object.ID // of a directory's meta tree
}

// A side is one directory of a checkpoint.
type side struct {
	perm  uint32
	items map[string]item
	left  map[string]why
}

// A reader gets at the trees of checkpoints.
type reader struct {
	ctx     context.Context
	objects *object.Store
}

// top gives the workspace as a checkpoint has it.
func (r reader) top(tree object.ID) (item, error) {
	entries, err := r.objects.Tree(r.ctx, tree, nil)
	if err != nil {
		return item{}, err
	}
	root := item{kind: directory}
	for _, e := range entries {
		switch e.Name {
		case filesEntry:
			root.oid = e.ID
		case metaEntry:
			root.meta = e.ID
		}
	}
	if root.oid.Zero() {
		return item{}, fmt.Errorf("%w: %s is no checkpoint's tree", object.ErrDamaged, tree)
	}
	own, err := r.meta(root.meta)
	root.perm = own.perm
	return root, err
}

// meta reads a directory's own statement.
func (r reader) meta(tree object.ID) (meta, error) {
	entries, err := r.objects.Tree(r.ctx, tree, nil)
	if err != nil {
		return meta{}, err
	}
	for _, e := range entries {
		if e.Name == metaBlob {
			data, err := r.objects.Read(r.ctx, e.ID, object.Blob)
			if err != nil {
				return meta{}, err
			}
			return parseMeta(data)
		}
	}
	return parseMeta(nil)
}

// open lists a directory, or those names of it that are in only, if it is not
// nil. Anything else than a directory has an empty list.
func (r reader) open(it item, only map[string]bool) (side, error) {
	s := side{items: map[string]item{}}
	if it.kind != directory {
		return s, nil
	}
	files, err := r.objects.Tree(r.ctx, it.oid, only)
	if err != nil {
		return s, err
	}
	metas, err := r.objects.Tree(r.ctx, it.meta, nil)
	if err != nil {
		return s, err
	}
	own, err := r.meta(it.meta)
	if err != nil {
		return s, err
	}
	s.perm, s.left = own.perm, own.left
	below := map[string]object.ID{}
	for _, e := range metas {
		if name, ok := strings.CutPrefix(e.Name, metaDir); ok && e.Mode == object.ModeTree {
			below[name] = e.ID
		}
	}
	for _, e := range files {
		if s.items[e.Name], err = r.item(e, own, below[e.Name]); err != nil {
			return s, err
		}
	}
	return s, nil
}

func (r reader) item(e object.Entry, own meta, below object.ID) (item, error) {
	it := item{oid: e.ID}
	switch e.Mode {
	case object.ModeTree:
		it.kind, it.meta = directory, below
		m, err := r.meta(below)
		it.perm = m.perm
		return it, err
	case object.ModeLink:
		it.kind = link
	case object.ModeFile, object.ModeExec:
		it.kind, it.perm = file, defaultPerm(e.Mode)
		if p, ok := own.perms[e.Name]; ok {
			it.perm = p
		}
	default:
		return it, fmt.Errorf("%w: mode %o", object.ErrDamaged, e.Mode)
	}
	return it, nil
}

// A change is a path that two checkpoints do not have in common. A directory
// comes before what lies in it, also if only that changed.
type change struct {
	path     string
	from, to item
}

// A comparison lists changes.
type comparison struct {
	reader
	paths   []string // nil: all
	changes []change
	blocked []string // what the second has and cannot be made, as something left alone is there
}

// run compares two trees. seen is the workspace as last looked at, if from is
// the tree that was made of it: that saves reading.
func (c *comparison) run(from, to object.ID, seen *node) error {
	b, err := c.top(to)
	if err != nil {
		return err
	}
	if seen != nil {
		return c.pair("", seen.item(), b, seen)
	}
	a, err := c.top(from)
	if err != nil {
		return err
	}
	return c.pair("", a, b, nil)
}

// selected says whether a path is asked for, and whether something below it is.
func (c *comparison) selected(p string) (self, below bool) {
	if c.paths == nil {
		return true, true
	}
	for _, q := range c.paths {
		if p == q || strings.HasPrefix(p, q+"/") {
			return true, true
		}
		below = below || p == "" || strings.HasPrefix(q, p+"/")
	}
	return false, below
}

func (c *comparison) pair(p string, a, b item, seen *node) error {
	if a == b {
		return nil
	}
	self, below := c.selected(p)
	target := b
	switch {
	case self:
	case !below || a.kind == absent && b.kind != directory:
		return nil
	case a.kind == directory: // on the way to what is asked for: it stays as it is
		target = item{kind: directory, perm: a.perm}
	case a.kind != absent:
		if b.kind == directory {
			c.blocked = append(c.blocked, p)
		}
		return nil
	}
	c.changes = append(c.changes, change{p, a, target})
	if a.kind != directory && b.kind != directory {
		return nil
	}
	only := c.leading(p, self)
	x, err := c.openFrom(a, only, seen)
	if err != nil {
		return err
	}
	y, err := c.open(b, only)
	if err != nil {
		return err
	}
	return c.names(p, x, y, seen)
}

func (c *comparison) openFrom(a item, only map[string]bool, seen *node) (side, error) {
	if seen != nil && a.kind == directory {
		return seen.side(only), nil
	}
	return c.open(a, only)
}

// leading gives the names in a directory that lead to what is asked for; nil if
// it is asked for itself.
func (c *comparison) leading(p string, self bool) map[string]bool {
	if self {
		return nil
	}
	only := map[string]bool{}
	for _, q := range c.paths {
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

func (c *comparison) names(p string, x, y side, seen *node) error {
	var all []string
	for name := range x.items {
		all = append(all, name)
	}
	for name := range y.items {
		if _, both := x.items[name]; !both {
			all = append(all, name)
		}
	}
	slices.Sort(all)
	for _, name := range all {
		if x.left[name] != kept || y.left[name] != kept { // left alone now or then
			_, there := y.items[name]
			if self, _ := c.selected(path.Join(p, name)); self && there {
				c.blocked = append(c.blocked, path.Join(p, name))
			}
			continue
		}
		if err := c.ctx.Err(); err != nil {
			return err
		}
		if err := c.pair(path.Join(p, name), x.items[name], y.items[name], seen.below(name)); err != nil {
			return err
		}
	}
	return nil
}

// real reports whether a change is more than a directory on the way.
func (c change) real() bool {
	return c.from.kind != directory || c.to.kind != directory || c.from.perm != c.to.perm
}

func (i item) sameBytes(j item) bool {
	return i.kind == j.kind && i.kind != directory && i.oid == j.oid
}
