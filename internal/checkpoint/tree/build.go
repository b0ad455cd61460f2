package tree

import (
	"github.com/clew-run/clew/internal/checkpoint/object"
)

// The names of the entries in a commit's tree.
const (
	FilesEntry = "files"
	MetaEntry  = "meta"
)

// A Builder makes the trees of directories that changed.
type Builder struct {
	Pack     *object.Packer
	Deflater *object.Deflater
	Err      error
}

// Top makes the tree of a checkpoint.
func (b *Builder) Top(root *Node) object.ID {
	b.dir(root)
	return b.put(object.Tree, TopTree(root.Trees))
}

// TopTree is the tree of a checkpoint of the workspace with these trees.
func TopTree(t Summary) []byte {
	entries := []object.Entry{{Mode: object.ModeTree, Name: FilesEntry, ID: t.Files}}
	if !t.Meta.Zero() {
		entries = append(entries, object.Entry{Mode: object.ModeTree, Name: MetaEntry, ID: t.Meta})
	}
	return object.EncodeTree(entries)
}

// dir makes a directory's trees, if they are not those it has, and reports
// whether they are new.
func (b *Builder) dir(n *Node) bool {
	dirty := n.Dirty.Load()
	if dirty {
		n.dirs = n.dirs[:0]
		for i := range n.Entries {
			if k := &n.Entries[i]; k.Kind == Directory {
				n.dirs = append(n.dirs, k.Dir)
			}
		}
	}
	for _, below := range n.dirs {
		if b.dir(below) {
			dirty = true
		}
	}
	if !dirty {
		return false
	}
	var files, metas []object.Entry
	sum := Summary{}
	for i := range n.Entries {
		k := &n.Entries[i]
		switch k.Kind {
		case File, Link:
			files = append(files, object.Entry{Mode: k.gitMode(), Name: k.Name, ID: k.Oid})
			sum.Count++
			sum.Bytes += k.Stamp.Size
		case Directory:
			below := k.Dir.Trees
			files = append(files, object.Entry{Mode: object.ModeTree, Name: k.Name, ID: below.Files})
			if !below.Meta.Zero() {
				metas = append(metas, object.Entry{Mode: object.ModeTree, Name: MetaDir + k.Name, ID: below.Meta})
			}
			sum.Count += below.Count
			sum.Bytes += below.Bytes
		}
	}
	if m := encodeMeta(n); len(m) > 0 {
		metas = append(metas, object.Entry{Mode: object.ModeFile, Name: MetaBlob, ID: b.put(object.Blob, m)})
	}
	sum.Files = b.put(object.Tree, object.EncodeTree(files))
	if len(metas) > 0 {
		sum.Meta = b.put(object.Tree, object.EncodeTree(metas))
	}
	changed := sum != n.Trees
	n.Trees = sum
	if b.Err == nil {
		n.Dirty.Store(false)
	}
	return changed
}

func (b *Builder) put(k object.Kind, data []byte) object.ID {
	h, err := b.Pack.Put(k, data, b.Deflater)
	if b.Err == nil {
		b.Err = err
	}
	return h
}
