package process

import (
	"bytes"
	"context"
	"encoding/json"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

// inspectLimit is how long a Python may take to say what it is, on a busy machine, and
// failureKept how long one that did not is not asked again.
const (
	inspectLimit = 10 * time.Second
	failureKept  = time.Minute
)

// A pythonInfo is what a Python says of itself.
type pythonInfo struct {
	Executable string `json:"executable"` // "" if it did not say
	Version    string `json:"version"`
	Prefix     string `json:"prefix"`
	BasePrefix string `json:"base_prefix"`
	Site       string `json:"site"`      // where packages are installed
	UserBase   string `json:"user_base"` // and where a person's own are
	UserSite   string `json:"user_site"`
	Kernel     string `json:"kernel"` // the path of ipykernel, "" if it cannot be imported
	// Managed says that the system installs its packages: pip refuses to.
	Managed bool `json:"managed"`
}

const askPython = `
import json, os, site, sys, sysconfig
try:
    import ipykernel
    kernel = ipykernel.__file__
except Exception:
    kernel = ""
print(json.dumps({"executable": sys.executable, "version": "%d.%d" % sys.version_info[:2], "prefix": sys.prefix, "base_prefix": sys.base_prefix,
    "site": sysconfig.get_path("purelib"), "user_base": site.getuserbase(), "user_site": site.getusersitepackages(), "kernel": kernel,
    "managed": sys.prefix == sys.base_prefix and os.path.exists(os.path.join(sysconfig.get_path("stdlib"), "EXTERNALLY-MANAGED"))}))
`

// asked remembers what each Python said, until something of it changes.
var asked struct {
	sync.Mutex
	of map[string]inspected
}

type inspected struct {
	info  pythonInfo
	stamp string
	at    time.Time
}

// inspect runs a Python to find out what it is. The zero value says that it is none.
func inspect(ctx context.Context, path string, environ map[string]string) pythonInfo {
	key := path + "\x00" + environ["HOME"] + "\x00" + environ["PYENV_VERSION"]
	asked.Lock()
	defer asked.Unlock()
	if was, ok := asked.of[key]; ok && was.stamp == was.info.stamp(path) && (was.info.Executable != "" || time.Since(was.at) < failureKept) {
		return was.info
	}
	info := ask(ctx, path, environ)
	if ctx.Err() != nil {
		return info // who gave up learned nothing
	}
	if asked.of == nil || len(asked.of) > 100 {
		asked.of = map[string]inspected{}
	}
	asked.of[key] = inspected{info, info.stamp(path), time.Now()}
	return info
}

// stamp changes when a package is installed, or the Python is another one.
func (p pythonInfo) stamp(path string) string {
	var b strings.Builder
	for _, name := range []string{path, p.Executable, p.Site, p.UserSite} {
		if info, err := os.Stat(name); err == nil {
			b.WriteString(info.ModTime().String())
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func ask(ctx context.Context, path string, environ map[string]string) (info pythonInfo) {
	ctx, cancel := context.WithTimeout(ctx, inspectLimit)
	defer cancel()
	cmd := exec.CommandContext(ctx, path, "-c", askPython)
	cmd.Dir, cmd.WaitDelay = "/", time.Second
	for _, name := range []string{"PATH", "HOME", "PYENV_VERSION", "PYENV_ROOT", "LANG"} {
		if value := environ[name]; value != "" {
			cmd.Env = append(cmd.Env, name+"="+value)
		}
	}
	out, err := cmd.Output()
	if err != nil || json.Unmarshal(bytes.TrimSpace(out), &info) != nil || !filepath.IsAbs(info.Executable) {
		return pythonInfo{}
	}
	return info
}

// venvLine makes a Python that has the kernel, in the folder in which it is typed.
const venvLine = "python3 -m venv .venv && .venv/bin/pip install ipykernel"

// addPython takes a Python that has the kernel, or says what it lacks.
func (f *finder) addPython(p pythonInfo) {
	s := Spec{Name: "python3", Display: "Python " + p.Version, Language: "python", Interrupt: InterruptSignal, Argv: launcher(p.Executable)}
	f.equip(&s, p)
	f.add(s)
}

func launcher(python string) []string {
	return []string{python, "-m", "ipykernel_launcher", "-f", "{connection_file}"}
}

// isPython reports whether a program is a Python, by its name.
func isPython(program string) bool { return strings.HasPrefix(filepath.Base(program), "python") }

// runElsewhere is what -m does, for the first argument, but without the directory in which
// the kernel begins: a file of the workspace with the name of a module is not taken for
// it. IPython adds that directory again, so that cells import from it; it would not with
// -P, which older Pythons do not have anyway.
const runElsewhere = `import sys; sys.path = [p for p in sys.path if p]; import runpy; runpy.run_module(sys.argv.pop(1), run_name="__main__", alter_sys=True)`

// elsewhere has a Python run its module so. People and models are shown what they know: -m.
func elsewhere(argv []string) []string {
	if len(argv) == 0 || !isPython(argv[0]) {
		return argv
	}
	for i := 1; i+1 < len(argv); i++ {
		switch word := argv[i]; {
		case word == "-m":
			return slices.Concat(argv[:i], []string{"-c", runElsewhere}, argv[i+1:])
		case word == "-W" || word == "-X":
			i++
		case word == "-c" || !strings.HasPrefix(word, "-"):
			return argv // it runs no module
		}
	}
	return argv
}

// equip shows a kernel what its Python is made of, or says that the Python lacks it.
func (f *finder) equip(s *Spec, p pythonInfo) {
	s.Read = f.outside(append(s.Read, p.Prefix, p.BasePrefix)...)
	if !slices.Contains(s.Argv, "ipykernel_launcher") && !slices.Contains(s.Argv, "ipykernel") {
		return // a kernel of another kind
	}
	if p.Kernel == "" {
		s.Missing = p.Executable + " cannot import ipykernel; get it with: " + p.Executable + " -m pip install ipykernel"
		if p.Managed {
			s.Missing = p.Executable + " cannot import ipykernel, and pip may not install into it; make an environment with: " + venvLine
		}
		return
	}
	if below(p.Kernel, p.UserSite) { // in a home that the sandbox does not show
		s.Read = append(s.Read, f.outside(p.UserSite)...)
		env := map[string]string{"PYTHONUSERBASE": p.UserBase}
		maps.Copy(env, s.Env)
		s.Env = env
	}
}

// addVenv takes a virtual environment of the workspace. Its Python is not run to find out
// what it has: it is whatever the workspace's files say.
func (f *finder) addVenv(name string) {
	if f.Workspace == "" {
		return
	}
	dir := filepath.Join(f.Workspace, name)
	python := filepath.Join(dir, "bin/python")
	if !executable(python) {
		return
	}
	s := Spec{
		Name: name, Display: "Python 3 (" + name + ")", Language: "python", Interrupt: InterruptSignal, FromWorkspace: true,
		Argv: launcher(python), Read: f.outside(base(python)...),
	}
	if found, _ := filepath.Glob(filepath.Join(dir, "lib/python3*/site-packages/ipykernel/__init__.py")); len(found) == 0 {
		s.Missing = "it has no ipykernel; get it with: " + filepath.Join(name, "bin/python") + " -m pip install ipykernel"
	}
	f.add(s)
}

// base gives the Python that a virtual environment was made of, if that is what its link
// leads to. A workspace could name any directory, so it has to look like a Python.
func base(python string) []string {
	real, err := filepath.EvalSymlinks(python)
	if err != nil || !strings.HasPrefix(filepath.Base(real), "python3") {
		return nil
	}
	prefix := filepath.Dir(filepath.Dir(real))
	if found, _ := filepath.Glob(filepath.Join(prefix, "lib/python3*/os.py")); len(found) == 0 {
		return nil
	}
	return []string{prefix}
}
