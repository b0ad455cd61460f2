package files

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"strings"
	"syscall"
)

// errSwapped says that a path is not what it was a moment ago.
var errSwapped = errors.New("changed while it was being opened; try again")

// enter opens a directory of the workspace step by step and accepts no link on
// the way: what was judged by its path is what is opened. With create, missing
// directories are made.
func enter(root *os.Root, dir string, create bool) (*os.Root, error) {
	at, err := root.OpenRoot(".")
	if err != nil || dir == "." {
		return at, err
	}
	for name := range strings.SplitSeq(dir, "/") {
		next, err := step(at, name, create)
		_ = at.Close()
		if err != nil {
			return nil, err
		}
		at = next
	}
	return at, nil
}

func step(at *os.Root, name string, create bool) (*os.Root, error) {
	before, err := at.Lstat(name)
	if create && errors.Is(err, fs.ErrNotExist) {
		if err := at.Mkdir(name, 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
			return nil, err
		}
		before, err = at.Lstat(name)
	}
	if err != nil {
		return nil, err
	}
	if !before.IsDir() {
		return nil, errSwapped
	}
	// The dot makes the name a directory on the way, which is opened as one: a
	// pipe put in its place cannot block.
	next, err := at.OpenRoot(name + "/.")
	if err != nil {
		return nil, err
	}
	if after, err := next.Stat("."); err != nil || !os.SameFile(before, after) {
		_ = next.Close()
		return nil, errSwapped
	}
	return next, nil
}

// open opens a regular file of the workspace for reading, by a path without
// links. Pipes, devices and sockets are refused and never waited for.
func open(root *os.Root, real string) (*os.File, fs.FileInfo, error) {
	dir, err := enter(root, path.Dir(real), false)
	if err != nil {
		return nil, nil, err
	}
	defer func() { _ = dir.Close() }()
	return openIn(dir, path.Base(real))
}

// openIn opens a regular file of a directory.
func openIn(dir *os.Root, name string) (*os.File, fs.FileInfo, error) {
	before, err := dir.Lstat(name)
	if err != nil {
		return nil, nil, err
	}
	if !before.Mode().IsRegular() {
		return nil, nil, refuse("%s is %s, not a file", show(name), kind(before.Mode()))
	}
	f, err := dir.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, nil, err
	}
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() || !os.SameFile(before, info) {
		_ = f.Close()
		return nil, nil, errSwapped
	}
	return f, info, nil
}
