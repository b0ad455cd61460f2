package checkpoint

import (
	"bytes"
	"context"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"znkr.io/diff"
	"znkr.io/diff/textdiff"

	"github.com/clew-run/clew/internal/checkpoint/object"
)

// A Status says how a file differs.
type Status string

// The statuses.
const (
	Added    Status = "added"
	Deleted  Status = "deleted"
	Modified Status = "modified"
	Renamed  Status = "renamed"
	Mode     Status = "mode" // only the permissions
)

// A FileDiff is one path that differs between two states.
type FileDiff struct {
	Status  Status
	Path    string // below the workspace; before the change if it was deleted
	OldPath string // set if it was renamed
	Kind    string // file, link or directory, after the change
	OldKind string // before; "" if it was not there
	OldPerm uint32
	Perm    uint32
	Binary  bool
	// Before and After are the contents, "" for directories, binary files,
	// files over the limit, and where there is none.
	Before, After string
	// Truncated says that a side is over the limit of size.
	Truncated bool
	// Unified shows the change of a text with three lines of context.
	Unified string
}

// MaxDiffFile is the size up to which contents are shown.
const MaxDiffFile = 1 << 20

// maxDiffTotal bounds the contents of one answer.
const maxDiffTotal = 64 << 20

var kindNames = map[kind]string{absent: "", file: "file", link: "link", directory: "directory"}

// Diff tells how files differ between two checkpoints. Without from it compares
// with the first checkpoint of the workspace, without to with the files as they
// are now. Directories are named only if nothing in them is.
func (p *Place) Diff(ctx context.Context, from, to string) ([]FileDiff, error) {
	release, err := p.begin(ctx)
	if err != nil {
		return nil, failed(err, "the files could not be compared")
	}
	defer release()
	diffs, err := p.diff(ctx, from, to)
	return diffs, failed(err, "the files could not be compared")
}

func (p *Place) diff(ctx context.Context, from, to string) ([]FileDiff, error) {
	a, err := p.treeOf(ctx, from, true)
	if err != nil {
		return nil, err
	}
	b, err := p.treeOf(ctx, to, false)
	if err != nil {
		return nil, err
	}
	c := &comparison{reader: reader{ctx, p.depot.objects}}
	if err := c.run(a, b, nil); err != nil {
		return nil, err
	}
	v := &view{reader: c.reader, room: maxDiffTotal}
	return v.show(leaves(c.changes))
}

// treeOf gives the tree of a checkpoint; of the first one or of the present
// state if hash is "".
func (p *Place) treeOf(ctx context.Context, hash string, first bool) (object.ID, error) {
	d := p.depot
	if hash != "" {
		c, err := d.checkpoint(ctx, hash)
		return c.tree, err
	}
	if first && len(d.list) > 0 {
		return d.list[0].tree, nil
	}
	shot, err := p.snapshot(ctx, nil)
	if err != nil {
		return object.ID{}, err
	}
	return shot.tree, shot.publish(nil)
}

// leaves leaves out the directories that only lead to changes.
func leaves(changes []change) []change {
	var out []change
	for i, c := range changes {
		leads := i+1 < len(changes) && (c.path == "" || strings.HasPrefix(changes[i+1].path, c.path+"/"))
		samePerm := c.from.kind != directory || c.to.kind != directory || c.from.perm == c.to.perm
		if c.path == "" && samePerm || leads && samePerm && (c.from.kind == directory || c.from.kind == absent) && (c.to.kind == directory || c.to.kind == absent) {
			continue
		}
		if c.from.kind == directory && c.to.kind == directory && samePerm {
			continue
		}
		out = append(out, c)
	}
	return out
}

// A view reads contents and shows them.
type view struct {
	reader
	room int64
}

func (v *view) show(changes []change) ([]FileDiff, error) {
	pairs, err := v.renames(changes)
	if err != nil {
		return nil, err
	}
	var diffs []FileDiff
	for _, c := range pairs {
		d, err := v.one(c)
		if err != nil {
			return nil, err
		}
		diffs = append(diffs, d)
	}
	slices.SortStableFunc(diffs, func(a, b FileDiff) int { return strings.Compare(a.Path, b.Path) })
	return diffs, nil
}

func (v *view) one(c pair) (FileDiff, error) {
	d := FileDiff{
		Status: Modified, Path: c.path, OldPath: c.old, Perm: c.to.perm, OldPerm: c.from.perm,
		Kind: kindNames[c.to.kind], OldKind: kindNames[c.from.kind],
	}
	switch {
	case c.old != "":
		d.Status = Renamed
	case c.from.kind == absent:
		d.Status = Added
	case c.to.kind == absent:
		d.Status, d.Kind = Deleted, d.OldKind
	case c.from.kind == c.to.kind && c.from.oid == c.to.oid || c.from.kind == directory && c.to.kind == directory:
		d.Status = Mode
		return d, nil
	}
	before, over, err := v.content(c.from)
	if err != nil {
		return d, err
	}
	after, over2, err := v.content(c.to)
	if err != nil {
		return d, err
	}
	d.Truncated = over || over2
	if d.Binary = isBinary(before) || isBinary(after); d.Binary {
		return d, nil
	}
	d.Before, d.After = string(before), string(after)
	if !d.Truncated {
		d.Unified = unified(c, d)
	}
	return d, nil
}

// content reads a file or link, if it is not too large to be shown.
func (v *view) content(it item) ([]byte, bool, error) {
	if it.kind != file && it.kind != link {
		return nil, false, nil
	}
	var b limited
	b.room = min(MaxDiffFile, v.room)
	if _, err := v.objects.CopyTo(v.ctx, it.oid, object.Blob, &b); err != nil {
		return nil, false, err
	}
	if b.over {
		return nil, true, nil
	}
	v.room -= int64(b.Len())
	return b.Bytes(), false, nil
}

// limited keeps what is written to it up to a limit.
type limited struct {
	bytes.Buffer
	room int64
	over bool
}

func (l *limited) Write(b []byte) (int, error) {
	if int64(l.Len()+len(b)) > l.room {
		l.over = true
		return len(b), nil
	}
	return l.Buffer.Write(b)
}

// isBinary reports whether bytes are no text.
func isBinary(b []byte) bool {
	return bytes.IndexByte(b, 0) >= 0 || !utf8.Valid(b)
}

func unified(c pair, d FileDiff) string {
	body := textdiff.Unified(d.Before, d.After, diff.Context(3))
	if body == "" {
		return ""
	}
	old, now := path.Join("a", c.path), path.Join("b", c.path)
	if c.old != "" {
		old = path.Join("a", c.old)
	}
	if c.from.kind == absent {
		old = "/dev/null"
	}
	if c.to.kind == absent {
		now = "/dev/null"
	}
	return "--- " + old + "\n+++ " + now + "\n" + body
}
