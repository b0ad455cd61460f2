// Package workspace opens the directory that a session works in: a root that no
// path leaves, and the rules on what the agent does not get to see.
package workspace

import (
	"os"
	"os/user"
	"path/filepath"
	"slices"
	"strings"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/tool"
)

// Open opens a directory as a workspace. exclude holds patterns like those of
// .clewignore that hold in every workspace; no file in it can take one back.
// Close it when done.
func Open(dir string, exclude []string) (*tool.Workspace, error) {
	dir, err := locate(dir)
	if err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, clew.WrapError(clew.Forbidden, err, "the workspace directory cannot be opened")
	}
	rules := newRules(root, exclude)
	return &tool.Workspace{Dir: dir, Root: root, Ignored: rules.ignored}, nil
}

// Close lets go of the directory. Calls still under way fail.
func Close(ws *tool.Workspace) error { return ws.Root.Close() }

// locate gives the directory's real path, or says why it is no workspace.
func locate(dir string) (string, error) {
	if dir == "" || strings.ContainsRune(dir, 0) || !filepath.IsAbs(dir) {
		return "", clew.Errorf(clew.InvalidMessage, "a workspace is an absolute path of a directory")
	}
	named := filepath.Clean(dir)
	resolved, err := filepath.EvalSymlinks(named)
	if err != nil {
		return "", clew.WrapError(clew.InvalidMessage, err, "the workspace directory cannot be found")
	}
	info, err := os.Stat(resolved)
	if err != nil {
		return "", clew.WrapError(clew.InvalidMessage, err, "the workspace directory cannot be read")
	}
	if !info.IsDir() {
		return "", clew.Errorf(clew.InvalidMessage, "the workspace is not a directory")
	}
	// The name is looked at too: /bin may be a link to somewhere harmless today.
	names := []string{named, resolved}
	for _, d := range slices.Compact(names) {
		if Protected(d) {
			return "", clew.Errorf(clew.Forbidden, "%s is a folder of the system or of the whole account and cannot be a workspace; choose a project folder", d)
		}
	}
	return resolved, nil
}

// top lists folders that hold other people's or other programs' folders. What
// lies below can be a workspace.
var top = []string{
	"/", "/home", "/root", "/usr", "/usr/local", "/usr/share", "/var", "/var/lib", "/var/tmp", "/opt", "/srv",
	"/mnt", "/media", "/run", "/tmp", "/dev/shm",
	"/Users", "/Volumes", "/Applications", "/private", "/private/tmp", "/private/var",
}

// trees lists folders that no workspace lies in.
var trees = []string{
	"/etc", "/proc", "/sys", "/dev", "/boot", "/bin", "/sbin", "/lib", "/lib32", "/lib64",
	"/usr/bin", "/usr/sbin", "/usr/lib", "/var/run", "/var/spool",
	"/System", "/Library", "/private/etc",
}

// secretTrees lists folders of an account that hold keys.
var secretTrees = []string{".ssh", ".gnupg", ".aws", ".kube", ".docker", ".config", "Library"}

// Protected reports whether a directory is too much, or too delicate, to be
// handed to an agent: the file system, an account's home, the system's own.
func Protected(dir string) bool {
	dir = filepath.Clean(dir)
	if filepath.Dir(dir) == dir || slices.Contains(top, dir) {
		return true
	}
	if within(dir, trees) && !strings.HasPrefix(dir, "/dev/shm/") {
		return true
	}
	for _, home := range homes() {
		if home == dir || strings.HasPrefix(home, dir+string(filepath.Separator)) {
			return true
		}
		if !strings.HasPrefix(dir, home+string(filepath.Separator)) {
			continue
		}
		for _, name := range secretTrees {
			if within(dir, []string{filepath.Join(home, name)}) {
				return true
			}
		}
	}
	return false
}

func within(dir string, trees []string) bool {
	return slices.ContainsFunc(trees, func(t string) bool {
		return dir == t || strings.HasPrefix(dir, t+string(filepath.Separator))
	})
}

// homes lists the account's home directory by both of the names it may have,
// and where links lead from there.
func homes() []string {
	var found []string
	add := func(h string) {
		if !filepath.IsAbs(h) || filepath.Clean(h) == string(filepath.Separator) {
			return
		}
		found = append(found, filepath.Clean(h))
		if real, err := filepath.EvalSymlinks(h); err == nil {
			found = append(found, real)
		}
	}
	if h, err := os.UserHomeDir(); err == nil {
		add(h)
	}
	if u, err := user.Current(); err == nil {
		add(u.HomeDir)
	}
	return found
}
