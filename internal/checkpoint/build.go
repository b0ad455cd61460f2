package checkpoint

import "github.com/clew-run/clew/internal/checkpoint/object"

// The names of the entries in a commit's tree.
const (
	filesEntry = "files"
	metaEntry  = "meta"
)

// A builder makes the trees of directories that changed.
type builder struct {
	pack     *object.Packer
	deflater *object.Deflater
	err      error
}

// top makes the tree of a checkpoint.
func (b *builder) top(root *node) object.ID {
	b.dir(root)
	return b.put(object.Tree, topTree(root.trees))
}

// topTree is the tree of a checkpoint of the workspace with these trees.
func topTree(t trees) []byte {
	entries := []object.Entry{{Mode: object.ModeTree, Name: filesEntry, ID: t.files}}
	if !t.meta.Zero() {
		entries = append(entries, object.Entry{Mode: object.ModeTree, Name: metaEntry, ID: t.meta})
	}
	return object.EncodeTree(entries)
}

// dir makes a directory's trees, if they are not those it has, and reports
// whether they are new.
func (b *builder) dir(n *node) bool {
	dirty := n.dirty.Load()
	if dirty {
		n.dirs = n.dirs[:0]
		for i := range n.kids {
			if k := &n.kids[i]; k.kind == directory {
				n.dirs = append(n.dirs, k.dir)
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
	sum := trees{}
	for i := range n.kids {
		k := &n.kids[i]
		switch k.kind {
		case file, link:
			files = append(files, object.Entry{Mode: k.gitMode(), Name: k.name, ID: k.oid})
			sum.count++
			sum.bytes += k.stamp.size
		case directory:
			below := k.dir.trees
			files = append(files, object.Entry{Mode: object.ModeTree, Name: k.name, ID: below.files})
			if !below.meta.Zero() {
				metas = append(metas, object.Entry{Mode: object.ModeTree, Name: metaDir + k.name, ID: below.meta})
			}
			sum.count += below.count
			sum.bytes += below.bytes
		}
	}
	if m := encodeMeta(n); len(m) > 0 {
		metas = append(metas, object.Entry{Mode: object.ModeFile, Name: metaBlob, ID: b.put(object.Blob, m)})
	}
	sum.files = b.put(object.Tree, object.EncodeTree(files))
	if len(metas) > 0 {
		sum.meta = b.put(object.Tree, object.EncodeTree(metas))
	}
	changed := sum != n.trees
	n.trees = sum
	if b.err == nil {
		n.dirty.Store(false)
	}
	return changed
}

func (b *builder) put(k object.Kind, data []byte) object.ID {
	h, err := b.pack.Put(k, data, b.deflater)
	if b.err == nil {
		b.err = err
	}
	return h
}
