// Package beneath reaches files below a directory through descriptors and goes
// through no link, whatever others do there meanwhile.
package beneath

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

// maxStep is the longest path that goes to the kernel in one call.
const maxStep = 2048

// OpenRoot opens the workspace. Its path was resolved before, so a link at its
// end is one that somebody put there since.
func OpenRoot(dir string) (int, error) {
	fd, err := unix.Open(dir, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return -1, fmt.Errorf("the workspace %s: %w", dir, err)
	}
	return fd, nil
}

// OpenDir opens a directory of the workspace. No part of the path may be a
// link. "" is the workspace itself.
func OpenDir(root int, path string) (int, error) {
	const flags = unix.O_RDONLY | unix.O_DIRECTORY | unix.O_NOFOLLOW
	if path == "" {
		return openStep(root, ".", flags, 0)
	}
	at, rest := root, path
	for len(rest) > maxStep {
		cut := strings.LastIndexByte(rest[:maxStep], '/')
		next, err := openStep(at, rest[:cut], flags, 0)
		closeStep(at, root)
		if err != nil {
			return -1, err
		}
		at, rest = next, rest[cut+1:]
	}
	fd, err := openStep(at, rest, flags, 0)
	closeStep(at, root)
	return fd, err
}

func closeStep(fd, root int) {
	if fd != root {
		_ = unix.Close(fd)
	}
}

// openNames opens a path name by name.
func openNames(dir int, path string, flags int, mode uint32) (int, error) {
	at, rest := dir, path
	for {
		name, after, more := strings.Cut(rest, "/")
		f, m := unix.O_RDONLY|unix.O_DIRECTORY, uint32(0)
		if !more {
			f, m = flags, mode
		}
		next, err := unix.Openat(at, name, f|unix.O_NOFOLLOW|unix.O_CLOEXEC, m)
		closeStep(at, dir)
		if err != nil || !more {
			return next, err
		}
		at, rest = next, after
	}
}

// A Stamp tells whether something is still what it was.
type Stamp struct {
	Size, Mtime, Ctime int64
	Ino                uint64
	Mode               uint32
}

func stampOf(st *unix.Stat_t) Stamp {
	//nolint:unconvert // the type is another one on other systems
	return Stamp{st.Size, st.Mtim.Nano(), st.Ctim.Nano(), st.Ino, uint32(st.Mode)}
}

// Perm gives the twelve permission bits.
func (s Stamp) Perm() uint32 { return s.Mode & 0o7777 }

// Format gives what it is: a file, a directory, a link or something else.
func (s Stamp) Format() uint32 { return s.Mode & unix.S_IFMT }

// Similar compares all but the time of change, which a new name or one less of
// the same file moves, too.
func (s Stamp) Similar(t Stamp) bool {
	s.Ctime, t.Ctime = 0, 0
	return s == t
}

// Settled reports whether a change after the moment t, in nanoseconds, would
// show in the stamp. Clocks of file systems tick coarsely: what changed in the
// tick of the last look has the same time. The time of change counts, as no
// program can set it.
func (s Stamp) Settled(t int64) bool {
	slack := int64(30e6)
	if s.Ctime%1e9 == 0 {
		slack = 21e8 // a file system that keeps seconds, or pairs of them
	}
	return t != 0 && s.Ctime+slack < t
}

// Lstat gives the stamp of a name, and how many names the file has.
func Lstat(dir int, name string) (Stamp, uint64, error) {
	var st unix.Stat_t
	for {
		err := unix.Fstatat(dir, name, &st, unix.AT_SYMLINK_NOFOLLOW)
		if errors.Is(err, unix.EINTR) {
			continue
		}
		return stampOf(&st), uint64(st.Nlink), err //nolint:unconvert // the type is another one on other systems
	}
}

// Fstat gives the stamp of what is open.
func Fstat(fd int) (Stamp, error) {
	var st unix.Stat_t
	err := unix.Fstat(fd, &st)
	return stampOf(&st), err
}

// Readlink gives a link's target, of any length.
func Readlink(dir int, name string) (string, error) {
	for size := 256; ; size *= 4 {
		b := make([]byte, size)
		n, err := unix.Readlinkat(dir, name, b)
		if err != nil || n < size {
			return string(b[:max(n, 0)]), err
		}
	}
}

// Names lists a directory.
func Names(fd int) ([]string, error) {
	again, err := unix.Openat(fd, ".", unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	f := os.NewFile(uintptr(again), "workspace")
	defer func() { _ = f.Close() }()
	return f.Readdirnames(-1)
}

// Gone reports whether a path does not lead to what it led to: it is not there,
// or something else is, or somebody moves it about.
func Gone(err error) bool {
	return errors.Is(err, unix.EXDEV) || errors.Is(err, unix.ENOENT) || errors.Is(err, unix.ENOTDIR) || errors.Is(err, unix.ELOOP)
}

// Refused reports whether the system does not permit it.
func Refused(err error) bool {
	return errors.Is(err, unix.EACCES) || errors.Is(err, unix.EPERM)
}
