package toolchain

import (
	"os"
	"path/filepath"
	"strings"
)

// entries reads PATH. Those that may be looked into for toolchains are kept as
// real directories; those inside the workspace are not among them.
func (s *search) entries() []string {
	text := s.Environ["PATH"]
	if text == "" {
		text = SystemPath
	}
	var list []string
	for _, dir := range strings.Split(text, ":") {
		if reason := s.unfit(dir); reason != "" {
			s.Dropped = append(s.Dropped, Dropped{dir, reason})
			continue
		}
		dir = filepath.Clean(dir)
		list = append(list, dir)
		if real, err := filepath.EvalSymlinks(dir); err == nil && !s.inWorkspace(dir) && !s.inWorkspace(real) {
			s.path = append(s.path, dir)
		}
	}
	return list
}

// unfit says why an entry of PATH is not for commands, "" if it may be.
func (s *search) unfit(dir string) string {
	switch {
	case dir == "":
		return "it is empty, which stands for the current directory"
	case !filepath.IsAbs(dir):
		return "it is not an absolute path"
	}
	info, err := os.Stat(dir)
	switch {
	case err != nil || !info.IsDir():
		return "it is no directory"
	case info.Mode().Perm()&0o022 != 0 && !s.inWorkspace(filepath.Clean(dir)):
		return "others can write to it"
	}
	return ""
}

// setPath makes the PATH of commands, in the person's order.
func (s *search) setPath(entries []string) {
	var list []string
	seen := map[string]bool{}
	add := func(dir string) {
		if !seen[dir] {
			seen[dir] = true
			list = append(list, dir)
		}
	}
	for _, dir := range s.front {
		add(dir)
	}
	for _, dir := range entries {
		if other := s.swap[dir]; other != "" {
			add(other)
			continue
		}
		if s.shown(dir) {
			add(dir)
			continue
		}
		if real, err := filepath.EvalSymlinks(dir); err == nil && s.shown(real) {
			add(real)
			continue
		}
		if !s.single(dir) {
			s.Dropped = append(s.Dropped, Dropped{dir, "it is not shown to commands"})
			continue
		}
		add(dir)
	}
	for _, dir := range strings.Split(SystemPath, ":") {
		add(dir) // a terminal without them is no reason for a command without ls
	}
	s.set("PATH", strings.Join(list, ":"))
}

// single reports whether single programs of a directory are shown.
func (s *search) single(dir string) bool {
	for _, b := range s.Binds {
		if filepath.Dir(b.Dest) == dir {
			return true
		}
	}
	return false
}

// look finds a program on PATH as the person's shell would, and its real path.
func (s *search) look(name string) (path, real string) {
	for _, dir := range s.path {
		path := filepath.Join(dir, name)
		info, err := os.Stat(path)
		if err != nil || !info.Mode().IsRegular() || info.Mode().Perm()&0o111 == 0 {
			continue
		}
		if real, err := filepath.EvalSymlinks(path); err == nil && !s.inWorkspace(real) {
			return path, real
		}
	}
	return "", ""
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// above gives the directory so many levels above.
func above(path string, levels int) string {
	for range levels {
		path = filepath.Dir(path)
	}
	return path
}
