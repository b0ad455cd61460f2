package checkpoint

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/clew-run/clew/internal/checkpoint/object"
	"github.com/clew-run/clew/internal/checkpoint/scan"
	"github.com/clew-run/clew/internal/checkpoint/tree"
)

// What a name, a link and a path can be on any system that we run on. A restore
// that the system refuses half-way would be tried again for ever.
const (
	maxNameBytes = 255
	maxLinkBytes = 4095
	maxDirDepth  = scan.MaxDepth + 2 // of paths that a save may have had
	maxMetaBytes = 32 << 20
)

// aheadMost is how far another server's clock may be ahead of ours.
const aheadMost = 24 * time.Hour

// An inspector looks through checkpoints of strangers.
type inspector struct {
	tree.Reader
	all    map[object.ID]object.Info
	limits ParcelLimits
	known  map[tree.Summary]treeSize // directories
}

// A weight is what a directory comes to.
type treeSize struct {
	files, height int
	bytes         int64
}

// inspect gives the checkpoints of a repository. All commits in it must be some,
// as a record may name any of them.
func inspect(ctx context.Context, repo string, objects *object.Store, l ParcelLimits, now time.Time) ([]Checkpoint, error) {
	all, err := object.All(ctx, repo)
	if err != nil {
		return nil, err
	}
	in := &inspector{tree.Reader{Ctx: ctx, Objects: objects}, all, l, map[tree.Summary]treeSize{}}
	var list []Checkpoint
	for h, info := range all {
		if info.Kind != object.Commit {
			continue
		}
		c, err := in.checkpoint(h, now)
		if err != nil {
			return nil, fmt.Errorf("checkpoint %s: %w", h, err)
		}
		list = append(list, c)
	}
	slices.SortFunc(list, func(a, b Checkpoint) int { return a.Time.Compare(b.Time) })
	return list, nil
}

// errRights is told apart because people do have such files.
var errRights = fmt.Errorf("%w: a file would run with the rights of another user", object.ErrHostile)

func wrong(format string, args ...any) error {
	return fmt.Errorf("%w: %s", object.ErrHostile, fmt.Sprintf(format, args...))
}

func (in *inspector) checkpoint(h object.ID, now time.Time) (Checkpoint, error) {
	data, err := in.Objects.Read(in.Ctx, h, object.Commit)
	if err != nil {
		return Checkpoint{}, err
	}
	// Three lines: no parents, no signature.
	head, _, _ := strings.Cut(string(data), "\n\n")
	lines := strings.Split(head, "\n")
	if len(lines) != 3 || !strings.HasPrefix(lines[1], "author ") || !strings.HasPrefix(lines[2], "committer ") {
		return Checkpoint{}, wrong("its commit is not one of ours")
	}
	c, err := parseCommit(h, data)
	if err != nil {
		return c, err
	}
	if err := in.statement(c, now); err != nil {
		return c, err
	}
	entries, err := in.tree(c.tree)
	if err != nil {
		return c, err
	}
	var top tree.Summary
	for _, e := range entries {
		switch {
		case e.Mode == object.ModeTree && e.Name == tree.FilesEntry:
			top.Files = e.ID
		case e.Mode == object.ModeTree && e.Name == tree.MetaEntry:
			top.Meta = e.ID
		default:
			return c, wrong("its tree has %q", e.Name)
		}
	}
	if top.Files.Zero() {
		return c, wrong("it has no files")
	}
	_, err = in.directory(top, 0)
	return c, err
}

// statement checks what a checkpoint says of itself.
func (in *inspector) statement(c Checkpoint, now time.Time) error {
	paths, ok := scan.CleanPaths(c.Paths)
	switch at := c.Time.UnixNano(); {
	case checkRef(Ref{Session: c.Session, ID: c.ID}) != nil || len(c.ID) > 100: // there is room for an ending
		return wrong("it is called %.100q", c.ID)
	case at <= 0 || at == math.MaxInt64 || c.Time.After(now.Add(aheadMost)):
		return wrong("it is of %v", c.Time)
	case c.Files < 0 || c.Bytes < 0:
		return wrong("it has %d files", c.Files)
	case !ok || !slices.Equal(paths, c.Paths):
		return wrong("it is of paths outside of the workspace")
	}
	return nil
}

// tree reads a tree, after a look at what it is.
func (in *inspector) tree(h object.ID) ([]object.Entry, error) {
	if h.Zero() {
		return nil, nil
	}
	if in.all[h].Kind != object.Tree {
		return nil, wrong("tree %s is missing", h)
	}
	if err := in.Ctx.Err(); err != nil {
		return nil, err
	}
	entries, err := in.Objects.Tree(in.Ctx, h, nil)
	seen := map[string]bool{}
	for _, e := range entries {
		if seen[e.Name] {
			return nil, wrong("tree %s has %q twice", h, e.Name)
		}
		seen[e.Name] = true
	}
	return entries, err
}

// directory checks a directory with all below it, and sums it up: the same tree
// may stand in many places.
func (in *inspector) directory(of tree.Summary, depth int) (treeSize, error) {
	w, ok := in.known[of]
	if depth+w.height > maxDirDepth {
		return w, wrong("directories are nested too deep")
	}
	if ok {
		return w, nil
	}
	below, err := in.metaTree(of.Meta)
	if err != nil {
		return w, err
	}
	entries, err := in.tree(of.Files)
	if err != nil {
		return w, err
	}
	for _, e := range entries {
		if err := in.entry(e); err != nil {
			return w, err
		}
		sub := treeSize{bytes: in.all[e.ID].Size}
		if e.Mode == object.ModeTree {
			if sub, err = in.directory(tree.Summary{Files: e.ID, Meta: below[e.Name]}, depth+1); err != nil {
				return w, err
			}
			delete(below, e.Name)
			w.height = max(w.height, sub.height+1)
		}
		w.files, w.bytes = w.files+sub.files+1, w.bytes+sub.bytes
		if w.files > in.limits.Files || w.bytes > in.limits.Bytes {
			return w, wrong("a restore would make more than %d files or %d bytes", in.limits.Files, in.limits.Bytes)
		}
	}
	if len(below) > 0 {
		return w, wrong("it speaks of directories that it does not have")
	}
	in.known[of] = w
	return w, nil
}

// metaTree checks what stands beside a directory's tree, and gives what stands
// beside those below it.
func (in *inspector) metaTree(h object.ID) (below map[string]object.ID, err error) {
	entries, err := in.tree(h)
	if err != nil {
		return nil, err
	}
	below = map[string]object.ID{}
	for _, e := range entries {
		name, dir := strings.CutPrefix(e.Name, tree.MetaDir)
		switch {
		case e.Name == tree.MetaBlob && e.Mode == object.ModeFile && in.all[e.ID].Kind == object.Blob:
			if in.all[e.ID].Size > maxMetaBytes {
				return nil, wrong("a directory has too much to say of itself")
			}
		case dir && e.Mode == object.ModeTree:
			below[name] = e.ID
		default:
			return nil, wrong("%q stands beside a directory", e.Name)
		}
	}
	own, err := in.Meta(h)
	for name, perm := range own.Perms {
		// On a server that runs as root they would be root's. Directories may have
		// these bits: there they only say whose group new files get, and people who
		// share a machine set them.
		if perm&0o6000 != 0 {
			return nil, fmt.Errorf("%w: %q", errRights, name)
		}
	}
	return below, err
}

// entry checks one name of a directory.
func (in *inspector) entry(e object.Entry) error {
	info := in.all[e.ID]
	switch {
	case len(e.Name) > maxNameBytes || strings.EqualFold(e.Name, ".git"): // some file systems take .GIT for it
		return wrong("it has a file %.300q", e.Name)
	case e.Mode == object.ModeTree:
		return nil
	case info.Kind != object.Blob:
		return wrong("the content of %q is missing", e.Name)
	case e.Mode == object.ModeFile, e.Mode == object.ModeExec:
		return nil
	case e.Mode != object.ModeLink:
		return wrong("%q has mode %o", e.Name, e.Mode)
	case info.Size == 0 || info.Size > maxLinkBytes:
		return wrong("the link %q leads nowhere", e.Name)
	}
	target, err := in.Objects.Read(in.Ctx, e.ID, object.Blob)
	if err == nil && bytes.IndexByte(target, 0) >= 0 {
		err = wrong("the link %q leads nowhere", e.Name)
	}
	return err
}
