package checkpoint

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/clew-run/clew/internal/checkpoint/object"
	"github.com/clew-run/clew/internal/crash"
)

// An applier makes a list of changes in the workspace: first it takes away,
// deepest first, then it puts, topmost first, and last it sets the permissions
// of directories. Each step may be done again. It goes through no link.
type applier struct {
	ctx     context.Context
	root    int
	objects *object.Store
	nonce   string // makes the names of files that are being written
	changes []change
	again   bool  // a restore that was cut off is being finished or taken back
	back    bool  // taken back: what cannot be is left as it is
	seen    *node // what was found just before; nil if again

	at     string // the directory that is open
	fd     int    // -1: none
	files  int
	gone   int
	left   []string
	lost   []string        // what could not be taken back, as it is damaged
	opened map[string]bool // directories that were given write permission
}

func newApplier(ctx context.Context, root int, o *object.Store, nonce string, changes []change) *applier {
	return &applier{ctx: ctx, root: root, objects: o, nonce: nonce, changes: changes, fd: -1, opened: map[string]bool{}}
}

func (a *applier) close() {
	if a.fd >= 0 {
		_ = unix.Close(a.fd)
		a.fd = -1
	}
}

// small reports whether the whole is one rename, which is done or not done
// without any note.
func (a *applier) small() bool { return smallChange(a.changes) }

func smallChange(changes []change) bool {
	n := 0
	for _, c := range changes {
		if c.real() {
			n++
		}
	}
	return n <= 1
}

// fewFiles is the number of files up to which each is flushed by itself.
const fewFiles = 16

func (a *applier) run() error {
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
	slices.Sort(a.left)
	a.left = slices.Compact(a.left)
	if len(a.changes) <= fewFiles {
		return a.syncDirs()
	}
	return syncAll(a.root)
}

func (a *applier) step(f func(change) error, c change) error {
	if err := a.ctx.Err(); err != nil {
		return err
	}
	err := f(c)
	switch {
	case errors.Is(err, errStrange):
		a.left = append(a.left, c.path) // it stays as it is, and is named
		return nil
	case refused(err) || errors.Is(err, unix.EROFS) || errors.Is(err, unix.EBUSY):
		a.left = append(a.left, c.path) // the system keeps it from everyone; the rest goes on
		return nil
	case a.back && errors.Is(err, object.ErrDamaged):
		a.lost = append(a.lost, c.path)
		return nil
	}
	if err != nil {
		return fmt.Errorf("%q: %w", c.path, err)
	}
	return nil
}

// parent opens the directory that a path lies in. Successive paths mostly lie
// in the same one.
func (a *applier) parent(p string) (int, string, error) {
	at, name := path.Split(p)
	at = strings.TrimSuffix(at, "/")
	if a.fd >= 0 && a.at == at {
		return a.fd, name, nil
	}
	a.close()
	fd, err := openDir(a.root, at)
	if err != nil {
		return -1, "", err
	}
	a.at, a.fd = at, fd
	return fd, name, nil
}

// writable makes sure that names in the open directory can be changed. The last
// pass sets the permissions that it has to have.
func (a *applier) writable() error {
	now, err := fstat(a.fd)
	if err != nil || now.mode&0o700 == 0o700 || a.opened[a.at] {
		return err
	}
	a.opened[a.at] = true
	return unix.Fchmod(a.fd, now.perm()|0o700)
}

// remove takes away what must not be there, or what stands in the way of
// another kind.
func (a *applier) remove(c change) error {
	if c.from.kind == absent || c.from.kind == c.to.kind || c.from.kind != directory && c.to.kind != absent && c.to.kind != directory {
		return nil
	}
	dir, name, err := a.parent(c.path)
	if err != nil {
		return ignoreGone(err)
	}
	flags := unix.AT_REMOVEDIR
	if c.from.kind != directory {
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
		a.gone++
	case errors.Is(err, unix.ENOTEMPTY) || errors.Is(err, unix.EEXIST):
		a.left = append(a.left, c.path) // something in it is left alone
	case gone(err) || errors.Is(err, unix.EISDIR) || a.isDir(dir, name):
		// Done before, and perhaps replaced already.
	default:
		return err
	}
	return nil
}

func (a *applier) isDir(dir int, name string) bool {
	now, _, err := lstat(dir, name)
	return err == nil && now.format() == unix.S_IFDIR
}

func ignoreGone(err error) error {
	if gone(err) {
		return nil
	}
	return err
}

// permit gives a directory its permissions.
func (a *applier) permit(c change) error {
	want := c.to.perm
	if c.to.kind != directory {
		if c.from.kind != directory {
			return nil
		}
		want = c.from.perm // it stays because of what lies in it
	} else if !c.real() && !a.again && !a.opened[c.path] {
		return nil
	}
	fd, err := openDir(a.root, c.path)
	if refused(err) {
		return nil
	}
	if err != nil {
		return ignoreGone(err)
	}
	defer func() { _ = unix.Close(fd) }()
	now, err := fstat(fd)
	if err != nil || now.perm() == want {
		return err
	}
	err = unix.Fchmod(fd, want)
	crash.At("checkpoint.permitted")
	return err
}

// syncDirs flushes the names in the directories that changed.
func (a *applier) syncDirs() error {
	seen := map[string]bool{}
	for _, c := range a.changes {
		at := strings.TrimSuffix(path.Dir(c.path), ".")
		if !c.real() || seen[at] || c.path == "" {
			continue
		}
		seen[at] = true
		_, _, err := a.parent(c.path)
		if gone(err) || refused(err) {
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
