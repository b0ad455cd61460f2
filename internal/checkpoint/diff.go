package checkpoint

import (
	"bytes"
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/clew-run/clew/internal/checkpoint/object"
	"github.com/clew-run/clew/internal/checkpoint/tree"
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
	// Truncated says that the contents are over the limit of size.
	Truncated bool
	// Unified shows the change of a text with three lines of context.
	Unified string
}

// MaxDiffFile is the size up to which contents are shown.
const MaxDiffFile = 1 << 20

// DiffLimits bound an answer. The zero value stands for all files, MaxDiffFile
// and 64 MiB.
type DiffLimits struct {
	Files int   // that are shown
	File  int64 // bytes of a file, before and after
	Total int64 // bytes of all contents shown
}

func (l DiffLimits) filled() DiffLimits {
	if l.Files <= 0 {
		l.Files = math.MaxInt
	}
	if l.File <= 0 {
		l.File = MaxDiffFile
	}
	if l.Total <= 0 {
		l.Total = 64 << 20
	}
	return l
}

var kindNames = map[tree.Kind]string{tree.Absent: "", tree.File: "file", tree.Link: "link", tree.Directory: "directory"}

// Diff tells how files differ between two checkpoints, in order of their paths,
// and counts all that do. Without to it compares with the files as they are now.
// Directories are named only if nothing in them is.
func (p *Place) Diff(ctx context.Context, from, to string, l DiffLimits) (diffs []FileDiff, count int, err error) {
	diffs, count, err = p.contents(ctx, from, to, l.filled())
	if err == nil {
		err = unifyAll(ctx, diffs)
	}
	if err != nil {
		return nil, 0, failed(err, "the files could not be compared")
	}
	return diffs, count, nil
}

// contents reads what differs. It alone needs the lock: to find out line by line
// how texts differ takes longer, and others want to work in the place.
func (p *Place) contents(ctx context.Context, from, to string, l DiffLimits) ([]FileDiff, int, error) {
	release, err := p.begin(ctx)
	if err != nil {
		return nil, 0, err
	}
	defer release()
	before, err := p.repository.checkpoint(ctx, from)
	if err != nil {
		return nil, 0, err
	}
	after, err := p.treeOf(ctx, to)
	if err != nil {
		return nil, 0, err
	}
	c := &tree.Comparison{Reader: tree.Reader{Ctx: ctx, Objects: p.repository.objects}}
	if err := c.Run(before.tree, after, nil); err != nil {
		return nil, 0, err
	}
	v := &diffReader{Reader: c.Reader, limits: l}
	return v.show(leaves(c.Changes))
}

// treeOf gives the tree of a checkpoint, of the present state if hash is "".
func (p *Place) treeOf(ctx context.Context, hash string) (object.ID, error) {
	if hash != "" {
		c, err := p.repository.checkpoint(ctx, hash)
		return c.tree, err
	}
	shot, err := p.snapshot(ctx, nil)
	if err != nil {
		return object.ID{}, err
	}
	return shot.tree, shot.publish(nil)
}

// leaves leaves out the directories that only lead to changes.
func leaves(changes []tree.Change) []tree.Change {
	var out []tree.Change
	for i, c := range changes {
		leads := i+1 < len(changes) && (c.Path == "" || strings.HasPrefix(changes[i+1].Path, c.Path+"/"))
		samePerm := c.From.Kind != tree.Directory || c.To.Kind != tree.Directory || c.From.Perm == c.To.Perm
		if c.Path == "" && samePerm || leads && samePerm && (c.From.Kind == tree.Directory || c.From.Kind == tree.Absent) && (c.To.Kind == tree.Directory || c.To.Kind == tree.Absent) {
			continue
		}
		if c.From.Kind == tree.Directory && c.To.Kind == tree.Directory && samePerm {
			continue
		}
		out = append(out, c)
	}
	return out
}

// A view reads contents to show them.
type diffReader struct {
	tree.Reader
	limits DiffLimits
}

// show reads the first of the changes, and counts all.
func (v *diffReader) show(changes []tree.Change) ([]FileDiff, int, error) {
	pairs, err := v.renames(changes)
	if err != nil {
		return nil, 0, err
	}
	slices.SortStableFunc(pairs, func(a, b pair) int { return strings.Compare(a.Path, b.Path) })
	room := v.limits.Total
	var diffs []FileDiff
	for _, c := range pairs[:min(len(pairs), v.limits.Files)] {
		d, err := v.one(c, &room)
		if err != nil {
			return nil, 0, err
		}
		diffs = append(diffs, d)
	}
	return diffs, len(pairs), nil
}

func (v *diffReader) one(c pair, room *int64) (FileDiff, error) {
	d := FileDiff{
		Status: Modified, Path: c.Path, OldPath: c.old, Perm: c.To.Perm, OldPerm: c.From.Perm,
		Kind: kindNames[c.To.Kind], OldKind: kindNames[c.From.Kind],
	}
	switch {
	case c.old != "":
		d.Status = Renamed
	case c.From.Kind == tree.Absent:
		d.Status = Added
	case c.To.Kind == tree.Absent:
		d.Status, d.Kind = Deleted, d.OldKind
	case c.From.Kind == c.To.Kind && c.From.Oid == c.To.Oid || c.From.Kind == tree.Directory && c.To.Kind == tree.Directory:
		d.Status = Mode
		return d, nil
	}
	before, over, err := v.content(c.From, *room)
	if err != nil {
		return d, err
	}
	after, over2, err := v.content(c.To, *room-int64(len(before)))
	if err != nil {
		return d, err
	}
	d.Binary = isBinary(before) || isBinary(after)
	if d.Truncated = over || over2; d.Truncated || d.Binary { // one side alone would tell a lie
		return d, nil
	}
	*room -= int64(len(before) + len(after))
	d.Before, d.After = string(before), string(after)
	return d, nil
}

// content reads a file or link, if it is not too large to be shown.
func (v *diffReader) content(it tree.Item, room int64) (data []byte, over bool, err error) {
	if err := v.Ctx.Err(); err != nil || it.Kind != tree.File && it.Kind != tree.Link {
		return nil, false, err
	}
	b := limited{room: min(v.limits.File, room)}
	_, err = v.Objects.CopyTo(v.Ctx, it.Oid, object.Blob, &b)
	if errors.Is(err, errOver) {
		return nil, true, nil
	}
	return b.Bytes(), false, err
}

// limited keeps what is written to it up to a limit.
type limited struct {
	bytes.Buffer
	room int64
}

var errOver = errors.New("there is more than can be shown")

func (l *limited) Write(b []byte) (int, error) {
	if int64(l.Len()+len(b)) > l.room {
		return 0, errOver
	}
	return l.Buffer.Write(b)
}

// isBinary reports whether bytes are no text.
func isBinary(b []byte) bool {
	return bytes.IndexByte(b, 0) >= 0 || !utf8.Valid(b)
}
