package apply

import (
	"errors"
	"os"
	"strconv"

	"golang.org/x/sys/unix"

	"github.com/clew-run/clew/internal/checkpoint/beneath"
	"github.com/clew-run/clew/internal/checkpoint/object"
	"github.com/clew-run/clew/internal/checkpoint/tree"
	"github.com/clew-run/clew/internal/crash"
	"github.com/clew-run/clew/internal/planted"
)

// put makes what has to be there. Directories can be entered and written to
// until the last pass.
func (a *Applier) put(c tree.Change) error {
	if c.To.Kind == tree.Absent || c.Path == "" || c.From.Kind == tree.Directory && c.To.Kind == tree.Directory {
		return nil
	}
	dir, name, err := a.parent(c.Path)
	if err != nil {
		if beneath.Gone(err) { // the directory could not be made: something left alone is in its place
			a.Left = append(a.Left, c.Path)
			return nil
		}
		return err
	}
	var e expectation
	if c.To.Kind != tree.Directory {
		if e, err = a.expect(dir, name, c); err != nil || e.done {
			return err
		}
	}
	if err := a.writable(); err != nil {
		return err
	}
	switch {
	case c.To.Kind == tree.Directory:
		err = a.makeDir(dir, name)
	case c.To.Kind == tree.Link:
		err = a.makeLink(dir, name, c, e)
	case e.bytes && a.change(dir, name, c.To.Perm):
	default:
		err = a.makeFile(dir, name, c, e)
	}
	crash.At("checkpoint.put")
	if errors.Is(err, unix.EISDIR) || errors.Is(err, unix.ENOTEMPTY) || errors.Is(err, unix.EEXIST) {
		a.Left = append(a.Left, c.Path)
		return nil
	}
	if err == nil {
		a.Files++
	}
	return err
}

// own gives something new the owner of what it replaces, or else of the directory
// it lies in. Only the system's administrator can, and only for them it matters:
// the person whose workspace it is must be able to use it.
func (a *Applier) own(dir int, name, instead string) error {
	if os.Geteuid() != 0 {
		return nil
	}
	var st unix.Stat_t
	if err := unix.Fstatat(dir, instead, &st, unix.AT_SYMLINK_NOFOLLOW); err != nil {
		if err := unix.Fstat(dir, &st); err != nil {
			return err
		}
	}
	if st.Uid == 0 && st.Gid == 0 {
		return nil
	}
	return unix.Fchownat(dir, name, int(st.Uid), int(st.Gid), unix.AT_SYMLINK_NOFOLLOW)
}

func (a *Applier) makeDir(dir int, name string) error {
	err := unix.Mkdirat(dir, name, 0o700)
	if err == nil {
		return a.own(dir, name, "")
	}
	if !errors.Is(err, unix.EEXIST) {
		return err
	}
	now, _, serr := beneath.Lstat(dir, name)
	if serr == nil && now.Format() == unix.S_IFDIR {
		return nil
	}
	return err
}

func (a *Applier) makeLink(dir int, name string, c tree.Change, e expectation) error {
	target, err := a.objects.Read(a.ctx, c.To.Oid, object.Blob)
	if err != nil {
		return err
	}
	tmp := temp(a.nonce, c.Path)
	if planted.Bug("link put back to another place") {
		target = append(target, "-elsewhere"...)
	}
	if err := unix.Symlinkat(string(target), dir, tmp); err != nil {
		return err
	}
	if err := a.own(dir, tmp, name); err != nil {
		_ = unix.Unlinkat(dir, tmp, 0)
		return err
	}
	return a.place(dir, name, c, e)
}

// change sets a file's permissions in place and reports whether it did. A file
// with several names may have one outside of the workspace, so it is written
// anew instead.
func (a *Applier) change(dir int, name string, perm uint32) bool {
	now, links, err := beneath.Lstat(dir, name)
	if err != nil || now.Format() != unix.S_IFREG || links != 1 {
		return false
	}
	fd, err := unix.Openat(dir, name, unix.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err != nil {
		return false
	}
	defer func() { _ = unix.Close(fd) }()
	if opened, err := beneath.Fstat(fd); err != nil || opened.Ino != now.Ino {
		return false
	}
	return unix.Fchmod(fd, perm) == nil
}

// makeFile writes a file under another name and puts it in its place at once.
func (a *Applier) makeFile(dir int, name string, c tree.Change, e expectation) error {
	tmp := temp(a.nonce, c.Path)
	if err := a.writeFile(dir, tmp, name, c); err != nil {
		_ = unix.Unlinkat(dir, tmp, 0)
		return err
	}
	return a.place(dir, name, c, e)
}

func (a *Applier) writeFile(dir int, tmp, name string, c tree.Change) error {
	fd, err := unix.Openat(dir, tmp, unix.O_WRONLY|unix.O_CREAT|unix.O_EXCL|unix.O_NOFOLLOW|unix.O_CLOEXEC, halfPerm)
	if err != nil {
		return err
	}
	f := os.NewFile(uintptr(fd), "restored file "+strconv.Quote(name))
	_, err = a.objects.CopyTo(a.ctx, c.To.Oid, object.Blob, f)
	crash.At("checkpoint.written")
	if err == nil {
		err = a.own(dir, tmp, name) // first: it takes away special permissions
	}
	if err == nil {
		perm := c.To.Perm
		if planted.Bug("mode lost") {
			perm = 0o644
		}
		err = unix.Fchmod(fd, perm)
	}
	if err == nil && len(a.changes) <= fewFiles {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}
