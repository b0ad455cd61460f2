package git

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// place brings files of the work tree to how a tree has them. A file that has
// neither the old nor the new bytes is somebody's work and is left alone. Files are
// replaced whole, by renaming.
func (s *shadow) place(ctx context.Context, tree string, list []entry) error {
	var change []entry
	for _, e := range list {
		now, err := s.hash(ctx, e.path)
		if err != nil {
			return err
		}
		if now == e.old() && now != e.new() || now == e.old() && e.oldMode != e.newMode {
			change = append(change, e)
		}
	}
	if len(change) == 0 {
		return nil
	}
	out, err := s.export(ctx, tree, change)
	defer func() { _ = os.RemoveAll(out) }()
	if err != nil {
		return err
	}
	root, err := os.OpenRoot(s.repo.Root)
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }()
	// What goes makes room for what comes.
	slices.SortStableFunc(change, func(a, b entry) int { return strings.Compare(b.gone(), a.gone()) })
	for _, e := range change {
		if e.newMode == absent {
			err = removeFile(root, e.path)
		} else {
			err = putFile(root, e.path, filepath.Join(out, filepath.FromSlash(e.path)))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (e entry) gone() string {
	if e.newMode == absent {
		return "gone"
	}
	return ""
}

// old and new are the hashes of the bytes, "" where there is no file.
func (e entry) old() string {
	if e.oldMode == absent {
		return ""
	}
	return e.oldHash
}

func (e entry) new() string {
	if e.newMode == absent {
		return ""
	}
	return e.newHash
}

// hash is that of a file of the work tree as git would store it, "" if there is
// none. What is neither file nor link has a hash that nothing else has.
func (s *shadow) hash(ctx context.Context, name string) (string, error) {
	at := filepath.Join(s.repo.Root, filepath.FromSlash(name))
	if !plainParents(s.repo.Root, name) {
		return "", nil
	}
	info, err := os.Lstat(at)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", nil
	case err != nil:
		return "", err
	case info.IsDir():
		return "directory", nil
	case info.Mode()&fs.ModeSymlink != 0:
		target, err := os.Readlink(at)
		if err != nil {
			return "", err
		}
		return s.hashOf(ctx, strings.NewReader(target), "hash-object", "--stdin", "--no-filters")
	case !info.Mode().IsRegular():
		return "special", nil
	}
	f, err := os.Open(at)
	if err != nil {
		return "", err
	}
	defer func() { _ = f.Close() }()
	return s.hashOf(ctx, f, "hash-object", "--stdin", "--path="+name)
}

func (s *shadow) hashOf(ctx context.Context, in io.Reader, args ...string) (string, error) {
	var out bytes.Buffer
	err := s.run(ctx, "", in, &out, args...)
	return strings.TrimSpace(out.String()), err
}

// plainParents reports whether all directories above a name are there and no links.
func plainParents(root, name string) bool {
	for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
		info, err := os.Lstat(filepath.Join(root, filepath.FromSlash(dir)))
		if err != nil || !info.IsDir() {
			return false
		}
	}
	return true
}

// export writes files of a tree into a directory of our own.
func (s *shadow) export(ctx context.Context, tree string, list []entry) (string, error) {
	const index = "export"
	out, err := os.MkdirTemp(s.dir, "files-*")
	if err != nil {
		return out, err
	}
	if err := s.run(ctx, index, nil, nil, "read-tree", tree); err != nil {
		return out, err
	}
	var names bytes.Buffer
	for _, e := range list {
		if e.newMode != absent {
			names.WriteString(e.path + "\x00")
		}
	}
	return out, s.run(ctx, index, &names, nil, "checkout-index", "-f", "-z", "--stdin", "--prefix="+out+"/")
}

func removeFile(root *os.Root, name string) error {
	if err := root.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
		if root.Remove(dir) != nil {
			break // others are in it
		}
	}
	return nil
}

// putFile puts a file in its place.
func putFile(root *os.Root, name, from string) error {
	info, err := os.Lstat(from)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // a repository inside: only its entry changes
	}
	if err != nil {
		return err
	}
	if err := root.MkdirAll(path.Dir(name), 0o777); err != nil {
		return err
	}
	temp := path.Join(path.Dir(name), ".clew-"+path.Base(from)+".new")
	if err := root.Remove(temp); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if info.Mode()&fs.ModeSymlink != 0 {
		target, err := os.Readlink(from)
		if err == nil {
			err = root.Symlink(target, temp)
		}
		if err != nil {
			return err
		}
		return root.Rename(temp, name)
	}
	if err := copyInto(root, temp, from, info.Mode().Perm()); err != nil {
		return err
	}
	return root.Rename(temp, name)
}

func copyInto(root *os.Root, name, from string, perm fs.FileMode) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }() // it was only read
	out, err := root.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, perm)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	if err == nil {
		err = out.Sync()
	}
	return errors.Join(err, out.Close())
}
