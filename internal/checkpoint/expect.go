package checkpoint

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"

	"github.com/clew-run/clew/internal/checkpoint/object"
)

// errStrange says that a name is not what a restore may replace: somebody has
// worked on it, and no checkpoint has that work.
var errStrange = errors.New("somebody changed it meanwhile")

// An expectation is what a restore found at a name and may replace.
type expectation struct {
	there bool // if not, nothing may be there when the new thing comes
	stamp Stamp
	bytes bool // the bytes are those that have to be there
	done  bool // and so is the rest
}

// expect looks at a name before it is changed. A restore that begins knows what
// was saved a moment ago; anything else is strange. One that goes on after a
// crash, or goes back, may find each name before or after its change; it looks
// at the bytes. Directories need no such care, as only empty ones are removed.
func (a *Applier) expect(dir int, name string, c Change) (expectation, error) {
	now, _, err := Lstat(dir, name)
	switch {
	case Gone(err) || Refused(err) && c.From.Kind == Absent:
		return expectation{}, nil
	case err != nil:
		return expectation{}, err
	case a.Again:
		return a.recognise(dir, name, now, c)
	case a.Seen == nil: // a directory of our own
		return expectation{there: true, stamp: now}, nil
	case c.From.Kind == Absent || c.From.Kind == Directory:
		return expectation{}, errStrange
	}
	was, ok := a.Seen.StampAt(c.Path)
	if !ok || !was.Similar(now) {
		return expectation{}, errStrange
	}
	return expectation{there: true, stamp: now, bytes: c.From.Kind == File && c.To.Kind == File && c.From.Oid == c.To.Oid}, nil
}

// recognise tells whether a name is as it was before its change or after it.
func (a *Applier) recognise(dir int, name string, now Stamp, c Change) (expectation, error) {
	if now.Format() == unix.S_IFDIR && c.To.Kind == Directory {
		return expectation{there: true, stamp: now, done: true}, nil
	}
	is, err := a.content(dir, name, now)
	switch {
	case Gone(err) || errors.Is(err, object.ErrChanged):
		return expectation{}, errStrange // it is being changed now
	case err != nil:
		return expectation{}, err
	case !is.SameBytes(c.From) && !is.SameBytes(c.To):
		return expectation{}, errStrange
	}
	e := expectation{there: true, stamp: now, bytes: is.SameBytes(c.To)}
	e.done = e.bytes && (is.Kind == Link || is.Perm == c.To.Perm)
	return e, nil
}

// content gives a file or a link as a checkpoint of it would have it; its kind is
// leftAlone if it is something else. It fails if it is not what now says.
func (a *Applier) content(dir int, name string, now Stamp) (Item, error) {
	switch now.Format() {
	case unix.S_IFLNK:
		target, err := Readlink(dir, name)
		return Item{Kind: Link, Oid: object.Hash(object.Blob, []byte(target))}, err
	case unix.S_IFREG:
	default:
		return Item{Kind: LeftAlone}, nil
	}
	fd, err := unix.Openat(dir, name, unix.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_NOCTTY|unix.O_CLOEXEC, 0)
	if err != nil {
		return Item{}, err
	}
	f := os.NewFile(uintptr(fd), "file of a restore")
	defer func() { _ = f.Close() }()
	if opened, err := Fstat(fd); err != nil || opened != now {
		return Item{}, errors.Join(err, object.ErrChanged)
	}
	oid, err := object.HashFrom(object.Blob, f, now.Size)
	if after, serr := Fstat(fd); err == nil && (serr != nil || after != now) {
		err = errors.Join(serr, object.ErrChanged)
	}
	return Item{Kind: File, Perm: now.Perm(), Oid: oid}, err
}
