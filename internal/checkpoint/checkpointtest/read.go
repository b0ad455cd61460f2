package checkpointtest

import (
	"crypto/sha256"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// A Tree is a directory as a test sees it: one line for each path.
type Tree map[string]string

// Read goes through a directory with nothing of the package under test. skip
// says what is left out; nil leaves nothing out.
func Read(root string, skip func(rel string) bool) (Tree, error) {
	return read(root, skip, describe)
}

// ReadTouched is Read with what any touch of a file changes: its time and its
// identity.
func ReadTouched(root string, skip func(rel string) bool) (Tree, error) {
	return read(root, skip, func(p string) (string, error) {
		var st unix.Stat_t
		if err := unix.Lstat(p, &st); err != nil {
			return "", err
		}
		what, err := describe(p)
		return fmt.Sprintf("%s inode %d modified %d.%09d", what, st.Ino, st.Mtim.Sec, st.Mtim.Nsec), err
	})
}

func read(root string, skip func(rel string) bool, line func(p string) (string, error)) (Tree, error) {
	got := Tree{}
	err := filepath.WalkDir(root, func(p string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(root, p)
		if skip != nil && rel != "." && skip(rel) {
			if e.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		got[rel], err = line(p)
		return err
	})
	return got, err
}

func describe(p string) (string, error) {
	var st unix.Stat_t
	if err := unix.Lstat(p, &st); err != nil {
		return "", err
	}
	switch st.Mode & unix.S_IFMT {
	case unix.S_IFLNK:
		target, err := os.Readlink(p)
		return "link " + target, err
	case unix.S_IFDIR:
		return fmt.Sprintf("dir %04o", st.Mode&0o7777), nil
	case unix.S_IFREG:
		b, err := os.ReadFile(p)
		return fmt.Sprintf("file %04o %x %d", st.Mode&0o7777, sha256.Sum256(b), len(b)), err
	}
	return fmt.Sprintf("special %o", st.Mode), nil
}

// Differ says how a tree differs from the one that is wanted, "" if it does not.
func (want Tree) Differ(is Tree) string {
	var out []string
	for _, k := range slices.Sorted(maps.Keys(want)) {
		if want[k] != is[k] {
			out = append(out, fmt.Sprintf("%q: want %q, is %q", k, want[k], is[k]))
		}
	}
	for _, k := range slices.Sorted(maps.Keys(is)) {
		if _, ok := want[k]; !ok {
			out = append(out, fmt.Sprintf("%q: not wanted, is %q", k, is[k]))
		}
	}
	return strings.Join(out, "\n")
}
