package apply

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/clew-run/clew/internal/checkpoint/beneath"
	"github.com/clew-run/clew/internal/checkpoint/tree"
	"github.com/clew-run/clew/internal/crash"
)

// temp is the name that a file of a restore has before it is in its place, and
// that what was there has afterwards, for a moment. It is the name of one path in
// one restore, so that after a crash it is known what it belongs to.
func temp(nonce, path string) string {
	sum := sha256.Sum256([]byte(nonce + "/" + path))
	return ".clew-restore-" + hex.EncodeToString(sum[:8])
}

// halfPerm are the permissions of a file that is not yet wholly written. So after
// a crash anything else of that name was in its place.
const halfPerm = 0

// place gives what was written its name. What it replaces must be what was
// expected at that very moment: what comes out is looked at again, and if
// somebody changed it after all, it goes back.
func (a *Applier) place(dir int, name string, c tree.Change, e expectation) error {
	tmp := temp(a.nonce, c.Path)
	if e.there {
		return a.trade(dir, name, tmp, e)
	}
	err := placeNew(dir, name, tmp)
	if err != nil {
		_ = unix.Unlinkat(dir, tmp, 0)
	}
	return err
}

func placeNew(dir int, name, tmp string) error {
	err := beneath.RenameNew(dir, tmp, name)
	if unsupported(err) {
		if _, _, err = beneath.Lstat(dir, name); err == nil {
			return errStrange
		}
		err = unix.Renameat(dir, tmp, dir, name)
	}
	if errors.Is(err, unix.EEXIST) {
		return errStrange
	}
	return err
}

// trade has a new file, tmp, and what is in its place change places.
func (a *Applier) trade(dir int, name, tmp string, e expectation) error {
	ours, _, err := beneath.Lstat(dir, tmp)
	if err != nil {
		return err
	}
	err = beneath.Exchange(dir, tmp, name)
	switch {
	case err == nil:
		crash.At("checkpoint.exchanged")
		return comeOut(dir, name, tmp, ours, e.stamp)
	case errors.Is(err, unix.ENOENT): // somebody removed it, so there is nothing to lose
		err = placeNew(dir, name, tmp)
	case unsupported(err):
		if now, _, lerr := beneath.Lstat(dir, name); lerr == nil && !e.stamp.Similar(now) {
			err = errStrange
		} else {
			err = unix.Renameat(dir, tmp, dir, name)
		}
	}
	if err != nil {
		_ = unix.Unlinkat(dir, tmp, 0)
	}
	return err
}

// comeOut looks at what the new file took the place of. If it cannot be put
// back, it stays under its other name, see giveBack.
func comeOut(dir int, name, tmp string, ours, expected beneath.Stamp) error {
	now, _, err := beneath.Lstat(dir, tmp)
	if err != nil {
		return err
	}
	if expected.Similar(now) {
		return unix.Unlinkat(dir, tmp, 0)
	}
	err = beneath.Exchange(dir, tmp, name)
	if errors.Is(err, unix.ENOENT) {
		if err = beneath.RenameNew(dir, tmp, name); err == nil {
			return errStrange
		}
	}
	if err != nil {
		return fmt.Errorf("%q holds a file that somebody changed: %w", tmp, err)
	}
	// Whoever saved it may have saved it once more, and that is the later one.
	if now, _, err := beneath.Lstat(dir, tmp); err == nil && !ours.Similar(now) {
		if err := beneath.Exchange(dir, tmp, name); err != nil {
			return fmt.Errorf("%q holds a file that somebody changed: %w", tmp, err)
		}
	}
	_ = unix.Unlinkat(dir, tmp, 0)
	return errStrange
}

// unsupported reports whether a file system cannot exchange names.
func unsupported(err error) bool {
	return errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ENOSYS) || errors.Is(err, unix.ENOTSUP)
}

// clean removes what a restore that was cut off left under other names than the
// right ones. made gives the side of a change that it was making.
func (a *Applier) clean(nonce string, made func(tree.Change) tree.Item) {
	for _, c := range a.changes {
		if k := made(c).Kind; k != tree.File && k != tree.Link {
			continue
		}
		dir, name, err := a.parent(c.Path)
		if err != nil {
			continue
		}
		tmp := temp(nonce, c.Path)
		if a.giveBack(dir, name, tmp, c, made(c)) {
			_ = unix.Unlinkat(dir, tmp, 0)
		}
	}
}

// giveBack puts back what came out of its place when the process died before it
// looked at it, if it is in no checkpoint. It reports whether what is then under
// the other name can go.
func (a *Applier) giveBack(dir int, name, tmp string, c tree.Change, made tree.Item) bool {
	now, _, err := beneath.Lstat(dir, tmp)
	if err != nil {
		return false
	}
	if now.Format() == unix.S_IFREG && now.Perm() == halfPerm {
		return true
	}
	out, err := a.content(dir, tmp, now)
	if err != nil {
		return false
	}
	if out.SameBytes(c.From) || out.SameBytes(c.To) {
		return true
	}
	now, _, err = beneath.Lstat(dir, name)
	if beneath.Gone(err) {
		_ = beneath.RenameNew(dir, tmp, name)
		return false
	}
	if err != nil {
		return false
	}
	in, err := a.content(dir, name, now)
	if err != nil {
		return false
	}
	if !in.SameBytes(made) {
		return true // never exchanged, or saved again by somebody since
	}
	return beneath.Exchange(dir, tmp, name) == nil
}

// BackNonce tells the files that are written to take a restore back from those
// of the restore itself.
const BackNonce = "-back"

// Tidy removes what was left under other names when a restore was cut off.
func (a *Applier) Tidy() {
	a.clean(a.nonce, func(c tree.Change) tree.Item { return c.To })
	if forth, ok := strings.CutSuffix(a.nonce, BackNonce); ok {
		a.clean(forth, func(c tree.Change) tree.Item { return c.From })
	}
}
