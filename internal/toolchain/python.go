package toolchain

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// venv finds the virtual environment: the one that is active in the terminal,
// else that of the workspace.
func (s *search) venv() {
	dirs := []string{s.given("VIRTUAL_ENV", "")}
	if s.Workspace != "" {
		dirs = append(dirs, filepath.Join(s.Workspace, ".venv"), filepath.Join(s.Workspace, "venv"))
	}
	for _, dir := range dirs {
		if dir == "" {
			continue
		}
		home := interpreterHome(filepath.Join(dir, "pyvenv.cfg"))
		if home == "" || !s.bind(dir) {
			continue
		}
		t := Tool{Name: "python", Dir: dir}
		// The file may be an agent's, so what it names must be an interpreter.
		prefix := filepath.Dir(home)
		if real, err := filepath.EvalSymlinks(prefix); err == nil {
			if !isPython(real) || !s.bind(prefix) || !s.bind(real) {
				t.Note = "its interpreter in " + prefix + " is not shown to commands"
				t.Fix = "clew settings set command_share '[\"" + prefix + "\"]', if Python is there"
			}
		}
		s.set("VIRTUAL_ENV", dir)
		s.front = append(s.front, filepath.Join(dir, "bin"))
		s.Tools = append(s.Tools, t)
		return
	}
}

// interpreterHome reads where the interpreter of a virtual environment is.
func interpreterHome(file string) string {
	info, err := os.Lstat(file)
	if err != nil || !info.Mode().IsRegular() || info.Size() > 1<<20 {
		return ""
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return ""
	}
	for line := range strings.Lines(string(text)) {
		name, value, _ := strings.Cut(line, "=")
		if value = strings.TrimSpace(value); strings.TrimSpace(name) == "home" && filepath.IsAbs(value) {
			return filepath.Clean(value)
		}
	}
	return ""
}

// isPython reports whether a directory is where a Python was installed.
func isPython(prefix string) bool {
	if slices.Contains([]string{"/usr", "/usr/local"}, prefix) {
		return true
	}
	found, _ := filepath.Glob(filepath.Join(escape(prefix), "lib/python[23].*/os.py"))
	return slices.ContainsFunc(found, isFile)
}

func escape(path string) string {
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`).Replace(path)
}

func (s *search) pyenv() {
	root := s.given("PYENV_ROOT", ".pyenv")
	if root == "" || !isDir(filepath.Join(root, "versions")) || !s.onPath(filepath.Join(root, "shims")) || !s.bind(root) {
		return
	}
	s.set("PYENV_ROOT", root)
	s.foundPython(root)
}

// python finds an interpreter that no other way has shown yet, conda's too.
func (s *search) python() {
	if prefix := s.given("CONDA_PREFIX", ""); prefix != "" && isPython(prefix) && s.bind(prefix) {
		s.set("CONDA_PREFIX", prefix)
		s.foundPython(prefix)
	}
	path, real := s.look("python3")
	if real == "" {
		return
	}
	prefix := above(real, 2)
	if !isPython(prefix) || !s.bind(prefix) {
		return
	}
	if dir := filepath.Dir(path); !s.shown(dir) {
		s.swap[dir] = filepath.Dir(real)
	}
	s.foundPython(prefix)
}

func (s *search) foundPython(dir string) {
	if !slices.ContainsFunc(s.Tools, func(t Tool) bool { return t.Name == "python" }) {
		s.Tools = append(s.Tools, Tool{Name: "python", Dir: dir})
	}
}

// uv finds uv. It writes to its cache even to read from it, so the large parts are
// shown inside one of the workspace's own, and the small part with links is
// copied.
func (s *search) uv() {
	path, real := s.look("uv")
	if real == "" {
		return
	}
	for _, program := range []string{path, filepath.Join(filepath.Dir(path), "uvx")} {
		if isFile(program) && !s.shown(program) {
			s.bindProgram(program)
		}
	}
	t := Tool{Name: "uv", Dir: path}
	if s.Home != "" {
		if dir := filepath.Join(s.Home, ".local/share/uv/python"); isDir(dir) {
			s.bind(dir)
		}
	}
	private := s.cache("uv")
	cache := s.given("UV_CACHE_DIR", ".cache/uv")
	for _, kind := range []string{"archive-v", "simple-v"} {
		for _, dir := range versions(cache, kind) {
			if s.bindAt(dir, filepath.Join(private, filepath.Base(dir))) && s.bind(dir) {
				t.Read = append(t.Read, dir)
			}
		}
	}
	for _, dir := range versions(cache, "wheels-v") {
		if s.shareable(dir) {
			s.Copies = append(s.Copies, Copy{Source: dir, Dest: filepath.Join(private, filepath.Base(dir))})
		}
	}
	s.set("UV_CACHE_DIR", private)
	s.set("UV_PYTHON_DOWNLOADS", "never")
	s.set("UV_LINK_MODE", "copy")
	s.offline("UV_OFFLINE", "1")
	s.Tools = append(s.Tools, t)
}

// bindProgram shows one program of a directory that is not shown.
func (s *search) bindProgram(path string) {
	if real, err := filepath.EvalSymlinks(path); err == nil && s.shareable(real) {
		s.Binds = append(s.Binds, Bind{Source: real, Dest: path})
	}
}

// versions lists directories such as archive-v0.
func versions(dir, kind string) []string {
	if dir == "" {
		return nil
	}
	found, _ := filepath.Glob(filepath.Join(escape(dir), kind+"[0-9]*"))
	return slices.DeleteFunc(found, func(path string) bool { return !isDir(path) })
}
