package travelcrash

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// files puts things into the workspace: "->x" is a link to x, a name that ends
// in a slash a directory, and "-" takes away what is there.
func (s *stage) files(list map[string]string) {
	s.T.Helper()
	names := make([]string, 0, len(list))
	for name := range list {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int { // what goes goes first
		if (list[a] == "-") != (list[b] == "-") {
			return strings.Compare(list[a], list[b])
		}
		return strings.Compare(a, b)
	})
	for _, name := range names {
		s.file(filepath.Join(s.Work, name), strings.HasSuffix(name, "/"), list[name])
	}
}

func (s *stage) file(at string, dir bool, content string) {
	s.T.Helper()
	s.must(os.MkdirAll(filepath.Dir(at), 0o755))
	target, link := strings.CutPrefix(content, "->")
	switch {
	case content == "-":
		s.must(os.RemoveAll(at))
	case dir:
		s.must(os.MkdirAll(at, 0o755))
	case link:
		_ = os.Remove(at) // it may be a new one
		s.must(os.Symlink(target, at))
	default:
		s.must(os.WriteFile(at, []byte(content), 0o600))
	}
}

func (s *stage) chmod(name string, mode fs.FileMode) {
	s.T.Helper()
	s.must(os.Chmod(filepath.Join(s.Work, name), mode))
}

// manifest says what a directory holds, byte by byte.
func (s *stage) manifest(root string) string {
	s.T.Helper()
	var b strings.Builder
	err := filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		name, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		content := ""
		switch info.Mode().Type() {
		case 0:
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			content = string(data)
		case fs.ModeSymlink:
			if content, err = os.Readlink(path); err != nil {
				return err
			}
		}
		fmt.Fprintf(&b, "%q %s %q\n", name, info.Mode(), content)
		return nil
	})
	if err != nil {
		return "not there: " + err.Error()
	}
	return b.String()
}

// remains lists what must not be left behind by a server that was killed: files
// that were being written, beside or in the workspace and in the store.
func (s *stage) remains() []string {
	s.T.Helper()
	var list []string
	live := filepath.Join(s.dir, "live")
	store := filepath.Join(s.Srv.Dir, "checkpoints")
	s.must(filepath.WalkDir(live, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := e.Name()
		bad := strings.HasPrefix(name, ".clew-")
		if strings.HasPrefix(path, store) {
			bad = strings.HasPrefix(name, "tmp_") || strings.HasPrefix(name, "adopted") ||
				strings.HasSuffix(name, ".lock") || strings.HasSuffix(name, ".new") || strings.Contains(name, ".tmp")
		}
		if bad {
			list = append(list, strings.TrimPrefix(path, live))
		}
		return nil
	}))
	return list
}
