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
	stamp stamp
	bytes bool // the bytes are those that have to be there
	done  bool // and so is the rest
}

// expect looks at a name before it is changed. A restore that begins knows what
// was saved a moment ago; anything else is strange. One that goes on after a
// crash, or goes back, may find each name before or after its change; it looks
// at the bytes. Directories need no such care, as only empty ones are removed.
func (a *applier) expect(dir int, name string, c change) (expectation, error) {
	now, _, err := lstat(dir, name)
	switch {
	case gone(err) || refused(err) && c.from.kind == absent:
		return expectation{}, nil
	case err != nil:
		return expectation{}, err
	case a.again:
		return a.recognise(dir, name, now, c)
	case a.seen == nil: // a directory of our own
		return expectation{there: true, stamp: now}, nil
	case c.from.kind == absent || c.from.kind == directory:
		return expectation{}, errStrange
	}
	was, ok := a.seen.stampAt(c.path)
	if !ok || !was.similar(now) {
		return expectation{}, errStrange
	}
	return expectation{there: true, stamp: now, bytes: c.from.kind == file && c.to.kind == file && c.from.oid == c.to.oid}, nil
}

// recognise tells whether a name is as it was before its change or after it.
func (a *applier) recognise(dir int, name string, now stamp, c change) (expectation, error) {
	if now.format() == unix.S_IFDIR && c.to.kind == directory {
		return expectation{there: true, stamp: now, done: true}, nil
	}
	is, err := a.content(dir, name, now)
	switch {
	case gone(err) || errors.Is(err, object.ErrChanged):
		return expectation{}, errStrange // it is being changed now
	case err != nil:
		return expectation{}, err
	case !is.sameBytes(c.from) && !is.sameBytes(c.to):
		return expectation{}, errStrange
	}
	e := expectation{there: true, stamp: now, bytes: is.sameBytes(c.to)}
	e.done = e.bytes && (is.kind == link || is.perm == c.to.perm)
	return e, nil
}

// content gives a file or a link as a checkpoint of it would have it; its kind is
// leftAlone if it is something else. It fails if it is not what now says.
func (a *applier) content(dir int, name string, now stamp) (item, error) {
	switch now.format() {
	case unix.S_IFLNK:
		target, err := readlink(dir, name)
		return item{kind: link, oid: object.Hash(object.Blob, []byte(target))}, err
	case unix.S_IFREG:
	default:
		return item{kind: leftAlone}, nil
	}
	fd, err := unix.Openat(dir, name, unix.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_NOCTTY|unix.O_CLOEXEC, 0)
	if err != nil {
		return item{}, err
	}
	f := os.NewFile(uintptr(fd), "file of a restore")
	defer func() { _ = f.Close() }()
	if opened, err := fstat(fd); err != nil || opened != now {
		return item{}, errors.Join(err, object.ErrChanged)
	}
	oid, err := object.HashFrom(object.Blob, f, now.size)
	if after, serr := fstat(fd); err == nil && (serr != nil || after != now) {
		err = errors.Join(serr, object.ErrChanged)
	}
	return item{kind: file, perm: now.perm(), oid: oid}, err
}
