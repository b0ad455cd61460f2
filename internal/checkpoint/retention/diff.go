package retention

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/clew-run/clew/internal/session/rewind"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/checkpoint"
)

// An answer goes over the wire as one message, so it is bounded: each file, and
// all of them together, and their names.
const (
	maxShown = 256 << 10
	maxTotal = 2 << 20
)

// Diff implements rewind.Files.
func (k *Keeper) Diff(ctx context.Context, w rewind.Workspace, from, to string, most int) ([]clew.CheckpointFile, int, error) {
	if to == "" && !k.hasFiles(w) {
		return nil, 0, clew.Errorf(clew.SessionInvalidState, "the session has no workspace on this server, so there is nothing to compare")
	}
	p, err := k.place(ctx, w, k.o.Settings(w.Settings))
	if err == nil && from == "" {
		from, err = k.first(ctx, p, w)
	}
	if err == nil {
		err = k.check(ctx, p, w, from, to)
	}
	if err != nil {
		return nil, 0, err
	}
	diffs, count, err := p.Diff(ctx, from, to, checkpoint.DiffLimits{Files: most, File: maxShown, Total: maxTotal})
	if err != nil {
		return nil, 0, explain(err)
	}
	files, room, names := make([]clew.CheckpointFile, 0, len(diffs)), maxTotal, maxTotal
	for _, d := range diffs {
		f := fileOf(p.Root(), d)
		if names -= len(f.Paths.Relative) + len(f.Paths.Absolute) + len(f.Paths.Old); names < 0 {
			break
		}
		size := len(f.Content.Before) + len(f.Content.After) + len(f.Unified)
		if size > room {
			f.Content, f.Unified, f.Truncated, size = clew.FileContent{}, "", true, 0
		}
		room -= size
		files = append(files, f)
	}
	return files, count, nil
}

// hasFiles reports whether there is a directory to compare with. A session that
// was brought in has none of its own until an agent works in it: its files are not
// gone, they were never here.
func (k *Keeper) hasFiles(w rewind.Workspace) bool {
	dir, err := k.dir(w, false)
	if err != nil || w.Dir != "" {
		return true // to be found out, and said, by who opens it
	}
	_, err = os.Lstat(dir)
	return !errors.Is(err, fs.ErrNotExist)
}

func fileOf(root string, d checkpoint.FileDiff) clew.CheckpointFile {
	f := clew.CheckpointFile{
		Paths:   clew.FilePaths{Relative: shown(d.Path), Absolute: shown(filepath.Join(root, d.Path)), Old: shown(d.OldPath)},
		Content: clew.FileContent{Before: d.Before, After: d.After},
		Status:  string(d.Status), Kind: d.Kind, Binary: d.Binary, Truncated: d.Truncated,
		Unified: strings.ToValidUTF8(d.Unified, "\uFFFD"), // names in its head may be no text
	}
	if d.Status != checkpoint.Deleted && d.Kind != "link" {
		f.Mode = fmt.Sprintf("%04o", d.Perm)
	}
	return f
}
