// Package apply makes the files of a workspace those of a checkpoint. Each step
// may be done again, and nothing is replaced that is in no checkpoint.
package apply

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/clew-run/clew/internal/checkpoint/beneath"
	"github.com/clew-run/clew/internal/checkpoint/object"
	"github.com/clew-run/clew/internal/checkpoint/tree"
	"github.com/clew-run/clew/internal/crash"
)

// An Applier makes a list of changes in the workspace: first it takes away,
// deepest first, then it puts, topmost first, and last it sets the permissions
// of directories. Each step may be done again. It goes through no link.
type Applier struct {
	ctx     context.Context
	root    int
	objects *object.Store
	nonce   string // makes the names of files that are being written
	changes []tree.Change
	Again   bool       // a restore that was cut off is being finished or taken back
	Back    bool       // taken back: what cannot be is left as it is
	Seen    *tree.Node // what was found just before; nil if again

	at     string // the directory that is open
	fd     int    // -1: none
	Files  int
	Gone   int
	Left   []string
	Lost   []string        // what could not be taken back, as it is damaged
	opened map[string]bool // directories that were given write permission
}

// New makes an Applier for the workspace that root is open on.
func New(ctx context.Context, root int, o *object.Store, nonce string, changes []tree.Change) *Applier {
	return &Applier{ctx: ctx, root: root, objects: o, nonce: nonce, changes: changes, fd: -1, opened: map[string]bool{}}
}

// Close closes the directory that is open.
func (a *Applier) Close() {
	if a.fd >= 0 {
		_ = unix.Close(a.fd)
		a.fd = -1
	}
}

// Small reports whether the whole is one rename, which is done or not done
// without any note.
func (a *Applier) Small() bool { return Small(a.changes) }

// Small reports whether changes are one rename, as Applier.Small does.
func Small(changes []tree.Change) bool {
	n := 0
	for _, c := range changes {
		if c.Real() {
			n++
		}
	}
	return n <= 1
}

// fewFiles is the number of files up to which each is flushed by itself.
const fewFiles = 16

// Run makes the changes and flushes them.
func (a *Applier) Run() error {
	for _, c := range slices.Backward(a.changes) {
		if err := a.step(a.remove, c); err != nil {
			return err
		}
	}
	for _, c := range a.changes {
		if err := a.step(a.put, c); err != nil {
			return err
		}
	}
	for _, c := range slices.Backward(a.changes) {
		if err := a.step(a.permit, c); err != nil {
			return err
		}
	}
	slices.Sort(a.Left)
	a.Left = slices.Compact(a.Left)
	if len(a.changes) <= fewFiles {
		return a.syncDirs()
	}
	return beneath.SyncAll(a.root)
}

func (a *Applier) step(f func(tree.Change) error, c tree.Change) error {
	if err := a.ctx.Err(); err != nil {
		return err
	}
	err := f(c)
	switch {
	case errors.Is(err, errStrange):
		a.Left = append(a.Left, c.Path) // it stays as it is, and is named
		return nil
	case beneath.Refused(err) || errors.Is(err, unix.EROFS) || errors.Is(err, unix.EBUSY):
		a.Left = append(a.Left, c.Path) // the system keeps it from everyone; the rest goes on
		return nil
	case a.Back && errors.Is(err, object.ErrDamaged):
		a.Lost = append(a.Lost, c.Path)
		return nil
	}
	if err != nil {
		return fmt.Errorf("%q: %w", c.Path, err)
	}
	return nil
}

// parent opens the directory that a path lies in. Successive paths mostly lie
// in the same one.
func (a *Applier) parent(p string) (int, string, error) {
	at, name := path.Split(p)
	at = strings.TrimSuffix(at, "/")
	if a.fd >= 0 && a.at == at {
		return a.fd, name, nil
	}
	a.Close()
	fd, err := beneath.OpenDir(a.root, at)
	if err != nil {
		return -1, "", err
	}
	a.at, a.fd = at, fd
	return fd, name, nil
}

// writable makes sure that names in the open directory can be changed. The last
// pass sets the permissions that it has to have.
func (a *Applier) writable() error {
	now, err := beneath.Fstat(a.fd)
	if err != nil || now.Mode&0o700 == 0o700 || a.opened[a.at] {
		return err
	}
	a.opened[a.at] = true
	return unix.Fchmod(a.fd, now.Perm()|0o700)
}

// remove takes away what must not be there, or what stands in the way of
// another kind.
func (a *Applier) remove(c tree.Change) error {
	if c.From.Kind == tree.Absent || c.From.Kind == c.To.Kind || c.From.Kind != tree.Directory && c.To.Kind != tree.Absent && c.To.Kind != tree.Directory {
		return nil
	}
	dir, name, err := a.parent(c.Path)
	if err != nil {
		return ignoreGone(err)
	}
	flags := unix.AT_REMOVEDIR
	if c.From.Kind != tree.Directory {
		flags = 0
		if e, err := a.expect(dir, name, c); err != nil || !e.there || e.done {
			return err
		}
	}
	if err := a.writable(); err != nil {
		return err
	}
	err = unix.Unlinkat(dir, name, flags)
	crash.At("checkpoint.removed")
	switch {
	case err == nil:
		a.Gone++
	case errors.Is(err, unix.ENOTEMPTY) || errors.Is(err, unix.EEXIST):
		a.Left = append(a.Left, c.Path) // something in it is left alone
	case beneath.Gone(err) || errors.Is(err, unix.EISDIR) || a.isDir(dir, name):
		// Done before, and perhaps replaced already.
	default:
		return err
	}
	return nil
}

func (a *Applier) isDir(dir int, name string) bool {
	now, _, err := beneath.Lstat(dir, name)
	return err == nil && now.Format() == unix.S_IFDIR
}

func ignoreGone(err error) error {
	if beneath.Gone(err) {
		return nil
	}
	return err
}

// permit gives a directory its permissions.
func (a *Applier) permit(c tree.Change) error {
	want := c.To.Perm
	if c.To.Kind != tree.Directory {
		if c.From.Kind != tree.Directory {
			return nil
		}
		want = c.From.Perm // it stays because of what lies in it
	} else if !c.Real() && !a.Again && !a.opened[c.Path] {
		return nil
	}
	fd, err := beneath.OpenDir(a.root, c.Path)
	if beneath.Refused(err) {
		return nil
	}
	if err != nil {
		return ignoreGone(err)
	}
	defer func() { _ = unix.Close(fd) }()
	now, err := beneath.Fstat(fd)
	if err != nil || now.Perm() == want {
		return err
	}
	err = unix.Fchmod(fd, want)
	crash.At("checkpoint.permitted")
	return err
}

// syncDirs flushes the names in the directories that changed.
func (a *Applier) syncDirs() error {
	seen := map[string]bool{}
	for _, c := range a.changes {
		at := strings.TrimSuffix(path.Dir(c.Path), ".")
		if !c.Real() || seen[at] || c.Path == "" {
			continue
		}
		seen[at] = true
		_, _, err := a.parent(c.Path)
		if beneath.Gone(err) || beneath.Refused(err) {
			continue
		}
		if err == nil {
			err = unix.Fsync(a.fd)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
