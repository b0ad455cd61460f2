package process

import (
	"cmp"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// A Look says where kernels are looked for.
type Look struct {
	Workspace string            // absolute; "" looks in none
	Environ   map[string]string // of the person: PATH, HOME, JUPYTER_PATH, VIRTUAL_ENV and the like
	Python    string            // a Python to look at before all others, "" for none
}

// Kernels lists the kernels that are found, those that can be started first. There is
// always one for Python, if only to say what is missing. No program of the workspace is
// run to find out: that is asked for first.
func Kernels(ctx context.Context, l Look) []Spec {
	f := &finder{Look: l, names: map[string]bool{}}
	for _, name := range []string{".venv", "venv"} {
		f.addVenv(name)
	}
	pythons := f.pythons(ctx)
	for _, dir := range f.specDirs(pythons) {
		f.addSpecs(ctx, dir)
	}
	for _, p := range pythons {
		f.addPython(p)
	}
	if !slices.ContainsFunc(f.found, func(s Spec) bool { return s.Language == "python" }) {
		f.add(Spec{Name: "python3", Display: "Python 3", Language: "python", Interrupt: InterruptSignal, Missing: "there is no Python; install Python 3, then: " + venvLine})
	}
	slices.SortStableFunc(f.found, func(a, b Spec) int { return cmp.Compare(missing(a), missing(b)) })
	return f.found
}

// Pick takes the kernel of a name. A notebook from elsewhere may name one that is not
// here, and all of them name python3, whatever it is called here: then it is a Python that
// can be started, such as that of the folder's .venv. It reports false if there is none.
func Pick(list []Spec, name string) (Spec, bool) {
	named := slices.IndexFunc(list, func(s Spec) bool { return s.Name == name })
	if named >= 0 && (list[named].Missing == "" || name != "python3") {
		return list[named], true
	}
	usual := slices.IndexFunc(list, func(s Spec) bool { return s.Name == "python3" })
	starts := slices.IndexFunc(list, func(s Spec) bool { return s.Language == "python" && s.Missing == "" })
	switch {
	case usual >= 0 && (list[usual].Missing == "" || starts < 0):
		return list[usual], true
	case starts >= 0:
		return list[starts], true
	}
	return Spec{}, false
}

func missing(s Spec) int {
	if s.Missing != "" {
		return 1
	}
	return 0
}

// A finder is one search.
type finder struct {
	Look
	found []Spec
	names map[string]bool
}

// add takes a kernel unless there is one of its name, or the same one under another.
func (f *finder) add(s Spec) {
	same := func(o Spec) bool { return s.Missing == "" && o.Missing == "" && slices.Equal(o.Argv, s.Argv) }
	if f.names[s.Name] || slices.ContainsFunc(f.found, same) {
		return
	}
	f.names[s.Name] = true
	f.found = append(f.found, s)
}

// specDirs lists the directories with kernelspecs, in Jupyter's order.
func (f *finder) specDirs(pythons []pythonInfo) []string {
	dirs := filepath.SplitList(f.Environ["JUPYTER_PATH"])
	if dir := f.Environ["JUPYTER_DATA_DIR"]; dir != "" {
		dirs = append(dirs, dir)
	} else if home := f.Environ["HOME"]; home != "" {
		dirs = append(dirs, filepath.Join(home, ".local/share/jupyter"), filepath.Join(home, "Library/Jupyter"))
	}
	for _, p := range pythons {
		dirs = append(dirs, filepath.Join(p.Prefix, "share/jupyter"))
	}
	dirs = append(dirs, "/usr/local/share/jupyter", "/usr/share/jupyter")
	var list []string
	for _, dir := range dirs {
		if filepath.IsAbs(dir) && !slices.Contains(list, filepath.Join(dir, "kernels")) {
			list = append(list, filepath.Join(dir, "kernels"))
		}
	}
	return list
}

// pythons looks at those that a person would get, each once.
func (f *finder) pythons(ctx context.Context) []pythonInfo {
	candidates := []string{f.Python}
	for _, name := range []string{"VIRTUAL_ENV", "CONDA_PREFIX"} {
		if dir := f.Environ[name]; dir != "" {
			candidates = append(candidates, filepath.Join(dir, "bin/python"))
		}
	}
	candidates = append(candidates, f.onPath("python3"), f.onPath("python"))
	var list []pythonInfo
	for _, path := range candidates {
		if path == "" || f.inWorkspace(path) {
			continue
		}
		p := inspect(ctx, path, f.Environ)
		if p.Executable == "" || slices.ContainsFunc(list, func(o pythonInfo) bool { return o.Executable == p.Executable }) {
			continue
		}
		list = append(list, p)
	}
	return list
}

// onPath finds a program in the person's PATH, outside of the workspace.
func (f *finder) onPath(name string) string {
	for _, dir := range filepath.SplitList(f.Environ["PATH"]) {
		path := filepath.Join(dir, name)
		if !filepath.IsAbs(path) || f.inWorkspace(path) {
			continue
		}
		if executable(path) {
			return path
		}
	}
	return ""
}

func executable(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && info.Mode().Perm()&0o111 != 0
}

// inWorkspace reports whether a path, or what it leads to, is the workspace's.
func (f *finder) inWorkspace(path string) bool {
	if f.Workspace == "" {
		return false
	}
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		real = path
	}
	root, err := filepath.EvalSymlinks(f.Workspace)
	if err != nil {
		root = f.Workspace
	}
	return below(path, f.Workspace) || below(path, root) || below(real, root)
}

func below(path, dir string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(rel)
}

// outside keeps the directories that a sandbox does not show anyway, and that show no
// more than an installation: not a person's home, nor what is around it.
func (f *finder) outside(dirs ...string) []string {
	var list []string
	for _, dir := range dirs {
		home := f.Environ["HOME"]
		switch {
		case dir == "" || dir == "/" || strings.HasPrefix(dir+"/", "/usr/") || slices.Contains(list, dir):
		case home != "" && (below(home, dir) || dir == filepath.Join(home, ".local")):
		case f.Workspace != "" && (below(dir, f.Workspace) || below(f.Workspace, dir)):
		default:
			list = append(list, dir)
		}
	}
	return list
}
