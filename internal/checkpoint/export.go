package checkpoint

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/checkpoint/apply"
	"github.com/clew-run/clew/internal/checkpoint/beneath"
	"github.com/clew-run/clew/internal/checkpoint/tree"
	"github.com/clew-run/clew/internal/crash"
	"github.com/clew-run/clew/internal/tool/workspace"
)

// Export writes a checkpoint into a directory that is missing or empty. It is
// whole there or not at all: it is made beside it and then takes its place. A
// second call by the same name does nothing if the first one's copy is there,
// and begins anew if the process died in it.
func (p *Place) Export(ctx context.Context, name, hash, dir string) error {
	c, err := p.repository.store.openCopying(name)
	if err != nil {
		return failed(err, "the checkpoint could not be copied")
	}
	defer c.close()
	dir = filepath.Clean(dir)
	if c.made() && c.Dir == dir && c.Hash == hash {
		return nil
	}
	c.clean()
	if err = p.export(ctx, c, hash, dir); err != nil {
		c.forget()
	}
	return failed(err, "the checkpoint could not be copied")
}

func (p *Place) export(ctx context.Context, c *copyLock, hash, dir string) error {
	if err := p.repository.store.mayExport(dir); err != nil {
		return err
	}
	release, err := p.begin(ctx)
	if err != nil {
		return err
	}
	defer release()
	target, err := p.repository.checkpoint(ctx, hash)
	if err == nil && len(target.Paths) > 0 {
		err = clew.Errorf(clew.InvalidMessage, "a checkpoint of some files alone cannot be copied")
	}
	if err != nil {
		return err
	}
	return p.repository.export(ctx, c, target, dir)
}

func (s *Store) mayExport(dir string) error {
	if !filepath.IsAbs(dir) || strings.ContainsRune(dir, 0) {
		return clew.Errorf(clew.InvalidMessage, "a workspace is an absolute path of a directory")
	}
	dir = filepath.Clean(dir)
	real := dir
	if up, err := filepath.EvalSymlinks(filepath.Dir(dir)); err == nil {
		real = filepath.Join(up, filepath.Base(dir))
	}
	for _, d := range []string{dir, real} {
		if workspace.Protected(d) || sharedFolder(d) {
			return clew.Errorf(clew.Forbidden, "no copy into %s: it is a folder of the system or of the whole account", d)
		}
		if d == s.dir || strings.HasPrefix(d, s.dir+string(filepath.Separator)) {
			return clew.Errorf(clew.Forbidden, "no copy into the directory that holds the checkpoints")
		}
	}
	names, err := os.ReadDir(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return clew.WrapError(clew.InvalidMessage, err, "the new workspace %s is not a directory that can be read", dir)
	case len(names) > 0:
		return clew.Errorf(clew.InvalidMessage, "the new workspace %s is not empty", dir)
	}
	return nil
}

func (d *repository) export(ctx context.Context, note *copyLock, target Checkpoint, dir string) error {
	c := &tree.Comparison{Reader: tree.Reader{Ctx: ctx, Objects: d.objects}}
	top, err := c.Top(target.tree)
	if err == nil {
		err = c.Pair("", tree.Item{Kind: tree.Directory, Perm: 0o700}, top, nil)
	}
	if err == nil {
		err = d.complete(c)
	}
	if err != nil {
		return err
	}
	if err = note.begin(target.Hash, dir); err == nil {
		crash.At("checkpoint.staged")
		err = d.fill(ctx, note.Stage, c.Changes)
	}
	if err == nil {
		crash.At("checkpoint.exported")
		err = unix.Rename(note.Stage, dir) // replaces an empty directory
	}
	if err != nil {
		discard(note.Stage)
		return err
	}
	crash.At("checkpoint.copied")
	up, err := os.Open(filepath.Dir(dir))
	if err != nil {
		return err
	}
	return errors.Join(up.Sync(), up.Close())
}

// fill makes everything that a checkpoint has. Unlike a restore, it fails if
// anything cannot be made.
func (d *repository) fill(ctx context.Context, stage string, changes []tree.Change) error {
	root, err := beneath.OpenRoot(stage)
	if err != nil {
		return err
	}
	defer func() { _ = unix.Close(root) }()
	a := apply.New(ctx, root, d.objects, nonce(), changes)
	defer a.Close()
	if err := a.Run(); err != nil {
		return err
	}
	if len(a.Left) > 0 {
		return fmt.Errorf("%q and %d others could not be made", slices.Min(a.Left), len(a.Left)-1)
	}
	return nil
}

// discard removes a copy that failed. Directories may keep what is in them from
// being removed.
func discard(stage string) {
	_ = filepath.WalkDir(stage, func(path string, e fs.DirEntry, err error) error {
		if e != nil && e.IsDir() {
			_ = os.Chmod(path, 0o700) //nolint:gosec // a directory needs it to be emptied
		}
		return nil //nolint:nilerr // what can be removed is
	})
	_ = os.RemoveAll(stage)
}
