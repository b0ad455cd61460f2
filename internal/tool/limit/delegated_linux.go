package limit

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// The parts of the server's control group.
const (
	serverGroup  = "server"
	commandGroup = "commands"
)

// OpenGroups divides the control group that this process was given, and moves the
// process into a part of it. The error says why there is none to divide.
func OpenGroups() (Groups, error) {
	dir, err := ownGroup()
	if err != nil {
		return nil, err
	}
	return divide(dir)
}

// LookForGroups says why OpenGroups would find no control group to divide, nil if
// it would find one. It changes nothing.
func LookForGroups() error {
	dir, err := ownGroup()
	if err != nil {
		return err
	}
	if has := strings.Fields(read(dir, "cgroup.controllers")); len(has) == 0 {
		return fmt.Errorf("the control group %s has no controllers", dir)
	}
	return nil
}

// ownGroup finds the control group of this process, if it is ours to divide.
func ownGroup() (string, error) {
	mounts, err1 := os.ReadFile("/proc/self/mountinfo")
	groups, err2 := os.ReadFile("/proc/self/cgroup")
	if err := errors.Join(err1, err2); err != nil {
		return "", err
	}
	dir, path, err := locate(string(mounts), string(groups))
	if err != nil {
		return "", err
	}
	if _, err := os.Stat(filepath.Join(dir, "cgroup.type")); errors.Is(err, fs.ErrNotExist) {
		return "", errors.New("the process is in the machine's root control group, which is nobody's to divide")
	}
	if parent := filepath.Dir(dir); filepath.Base(dir) == serverGroup && exists(filepath.Join(parent, commandGroup)) {
		dir, path = parent, filepath.Dir(path) // divided by an earlier server
	}
	for _, file := range []string{"", "cgroup.procs", "cgroup.subtree_control"} {
		if err := unix.Access(filepath.Join(dir, file), unix.W_OK); err != nil {
			return "", fmt.Errorf("the control group %s is not the server's to divide: %w", dir, err)
		}
	}
	if !delegated(dir, path) {
		return "", fmt.Errorf("the control group %s was not delegated to the server", dir)
	}
	return dir, nil
}

// locate finds the directory of a process's control group, and its path among all
// groups, in what the kernel says of mounts and groups.
func locate(mounts, groups string) (dir, path string, err error) {
	found := false
	for line := range strings.Lines(groups) {
		if p, ok := strings.CutPrefix(strings.TrimSuffix(line, "\n"), "0::"); ok {
			path, found = p, true
		}
	}
	if !found {
		return "", "", errors.New("the kernel has no control groups of version 2")
	}
	for line := range strings.Lines(mounts) {
		before, after, _ := strings.Cut(line, " - ")
		f := strings.Fields(before)
		if len(f) < 5 || !strings.HasPrefix(after, "cgroup2 ") {
			continue
		}
		// A container may see a part of all groups, and name them as outside.
		below, ok := strings.CutPrefix(path, strings.TrimSuffix(f[3], "/"))
		if !ok {
			below = path
		}
		return filepath.Join(f[4], below), path, nil
	}
	return "", "", errors.New("control groups of version 2 are not mounted")
}

// delegated reports whether a group that we can write to was meant for us to
// divide, and not another program's, such as systemd's. In a container, whose
// group is the root of all that it sees, there is no other. systemd marks what it
// delegates; older versions in a way that only root can see. What it gives to
// another user than root is delegated, but for what a person's own systemd
// divides.
func delegated(dir, path string) bool {
	if path == "/" {
		return true
	}
	for _, name := range []string{"user.delegate", "trusted.delegate"} {
		value := make([]byte, 8)
		if n, err := unix.Getxattr(dir, name, value); err == nil && string(value[:n]) == "1" {
			return true
		}
	}
	return os.Getuid() != 0 && !strings.Contains(path, "/user@")
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
