package apply

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"

	"github.com/clew-run/clew/internal/checkpoint/beneath"
	"github.com/clew-run/clew/internal/checkpoint/object"
	"github.com/clew-run/clew/internal/checkpoint/tree"
)

// errStrange says that a name is not what a restore may replace: somebody has
// worked on it, and no checkpoint has that work.
var errStrange = errors.New("somebody changed it meanwhile")

// An expectation is what a restore found at a name and may replace.
type expectation struct {
	there bool // if not, nothing may be there when the new thing comes
	stamp beneath.Stamp
	bytes bool // the bytes are those that have to be there
	done  bool // and so is the rest
}

// expect looks at a name before it is changed. A restore that begins knows what
// was saved a moment ago; anything else is strange. One that goes on after a
// crash, or goes back, may find each name before or after its change; it looks
// at the bytes. Directories need no such care, as only empty ones are removed.
func (a *Applier) expect(dir int, name string, c tree.Change) (expectation, error) {
	now, _, err := beneath.Lstat(dir, name)
	switch {
	case beneath.Gone(err) || beneath.Refused(err) && c.From.Kind == tree.Absent:
		return expectation{}, nil
	case err != nil:
		return expectation{}, err
	case a.Again:
		return a.recognise(dir, name, now, c)
	case a.Seen == nil: // a directory of our own
		return expectation{there: true, stamp: now}, nil
	case c.From.Kind == tree.Absent || c.From.Kind == tree.Directory:
		return expectation{}, errStrange
	}
	was, ok := a.Seen.StampAt(c.Path)
	if !ok || !was.Similar(now) {
		return expectation{}, errStrange
	}
	return expectation{there: true, stamp: now, bytes: c.From.Kind == tree.File && c.To.Kind == tree.File && c.From.Oid == c.To.Oid}, nil
}

// recognise tells whether a name is as it was before its change or after it.
func (a *Applier) recognise(dir int, name string, now beneath.Stamp, c tree.Change) (expectation, error) {
	if now.Format() == unix.S_IFDIR && c.To.Kind == tree.Directory {
		return expectation{there: true, stamp: now, done: true}, nil
	}
	is, err := a.content(dir, name, now)
	switch {
	case beneath.Gone(err) || errors.Is(err, object.ErrChanged):
		return expectation{}, errStrange // it is being changed now
	case err != nil:
		return expectation{}, err
	case !is.SameBytes(c.From) && !is.SameBytes(c.To):
		return expectation{}, errStrange
	}
	e := expectation{there: true, stamp: now, bytes: is.SameBytes(c.To)}
	e.done = e.bytes && (is.Kind == tree.Link || is.Perm == c.To.Perm)
	return e, nil
}

// content gives a file or a link as a checkpoint of it would have it; its kind is
// leftAlone if it is something else. It fails if it is not what now says.
func (a *Applier) content(dir int, name string, now beneath.Stamp) (tree.Item, error) {
	switch now.Format() {
	case unix.S_IFLNK:
		target, err := beneath.Readlink(dir, name)
		return tree.Item{Kind: tree.Link, Oid: object.Hash(object.Blob, []byte(target))}, err
	case unix.S_IFREG:
	default:
		return tree.Item{Kind: tree.LeftAlone}, nil
	}
	fd, err := unix.Openat(dir, name, unix.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_NOCTTY|unix.O_CLOEXEC, 0)
	if err != nil {
		return tree.Item{}, err
	}
	f := os.NewFile(uintptr(fd), "file of a restore")
	defer func() { _ = f.Close() }()
	if opened, err := beneath.Fstat(fd); err != nil || opened != now {
		return tree.Item{}, errors.Join(err, object.ErrChanged)
	}
	oid, err := object.HashFrom(object.Blob, f, now.Size)
	if after, serr := beneath.Fstat(fd); err == nil && (serr != nil || after != now) {
		err = errors.Join(serr, object.ErrChanged)
	}
	return tree.Item{Kind: tree.File, Perm: now.Perm(), Oid: oid}, err
}
