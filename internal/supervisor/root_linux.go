package supervisor

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
)

// maxSocketPath is the longest path of a Unix socket, and longestBelow what a program's
// directory adds to its root: a name of 12 characters and what lies in there.
const (
	maxSocketPath = 107
	longestBelow  = len("/0123456789ab/") + 24
)

// Root gives the directory that holds the programs of a server, and makes it. It lies in
// the runtime directory of the user (XDG_RUNTIME_DIR) if there is one, else in the data
// directory if its name is short enough for sockets, else in /tmp. The data directory
// remembers which, so that a server with another environment finds them again.
func Root(data, runtime string) (string, error) {
	data, err := filepath.Abs(data)
	if err != nil {
		return "", err
	}
	if root := LookForRoot(data); root != "" {
		return root, nil
	}
	link := filepath.Join(data, rootName)
	if info, err := os.Lstat(link); err == nil && info.Mode().Type() == fs.ModeSymlink {
		if err := os.Remove(link); err != nil { // it leads to what a reboot has removed
			return "", err
		}
	} else if err == nil && len(link)+longestBelow > maxSocketPath { // copied from elsewhere: it cannot have been used here
		if err := os.RemoveAll(link); err != nil {
			return "", err
		}
	}
	name := hash(data, 8)
	var errs []error
	for _, above := range []string{inRuntime(runtime), link, filepath.Join("/tmp", "clew-"+strconv.Itoa(os.Getuid()))} {
		root := above
		if above != link {
			root = filepath.Join(above, name)
		}
		if above == "" || len(root)+longestBelow > maxSocketPath {
			continue
		}
		err := errors.Join(makePrivate(above), makePrivate(root))
		if err == nil && above != link {
			err = os.Symlink(root, link)
		}
		if err == nil {
			return root, nil
		}
		errs = append(errs, err)
	}
	return "", fmt.Errorf("no directory for programs that outlive the server: %w", errors.Join(errs...))
}

// rootName is the directory in the data directory, or the link to where it is instead.
const rootName = "run"

// LookForRoot gives the directory that Root made, "" if there is none that can be used. The
// link in a copy of a data directory leads to the programs of the other server: it counts
// for none.
func LookForRoot(data string) string {
	data, err := filepath.Abs(data)
	if err != nil {
		return ""
	}
	link := filepath.Join(data, rootName)
	info, err := os.Lstat(link)
	if err != nil {
		return ""
	}
	root, err := filepath.EvalSymlinks(link)
	if err != nil || len(root)+longestBelow > maxSocketPath || private(root) != nil {
		return ""
	}
	if info.Mode().Type() == fs.ModeSymlink && filepath.Base(root) != hash(data, 8) {
		return ""
	}
	return root
}

// inRuntime gives the place in a runtime directory that is ours, "" if it is not.
func inRuntime(dir string) string {
	if !filepath.IsAbs(dir) || private(dir) != nil {
		return ""
	}
	return filepath.Join(dir, "clew")
}

// makePrivate makes a directory that is ours alone. One that others can only look into, as
// in a data directory that was copied, is closed to them.
func makePrivate(dir string) error {
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	err := private(dir)
	if info, stat := os.Lstat(dir); errors.Is(err, errOpen) && stat == nil && info.Mode().Perm()&0o022 == 0 {
		return os.Chmod(dir, 0o700)
	}
	return err
}

// errOpen says that others can look into a directory.
var errOpen = errors.New("is open to others")

// private says what is wrong with a directory that should be ours alone.
func private(dir string) error {
	info, err := os.Lstat(dir)
	if err != nil {
		return err
	}
	owner, ok := info.Sys().(*syscall.Stat_t)
	switch {
	case !info.IsDir():
		return fmt.Errorf("%s is not a directory", dir)
	case !ok || owner.Uid != uint32(os.Getuid()): //nolint:gosec // a user's number is no larger
		return fmt.Errorf("%s belongs to somebody else", dir)
	case info.Mode().Perm()&0o077 != 0:
		return fmt.Errorf("%s %w (mode %04o)", dir, errOpen, info.Mode().Perm())
	}
	return nil
}
