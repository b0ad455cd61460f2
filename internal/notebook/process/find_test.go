package process

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/clew-run/clew/internal/notebook/jupytertest"
)

// files makes files in a directory; those in a bin directory can be run.
func files(t *testing.T, dir string, contents map[string]string) string {
	t.Helper()
	for name, content := range contents {
		path := filepath.Join(dir, name)
		mode := os.FileMode(0o600)
		if filepath.Base(filepath.Dir(name)) == "bin" {
			mode = 0o700
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), mode); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// python is a program that says what a Python says.
func python(t *testing.T, prefix string, kernel bool) string {
	t.Helper()
	info := pythonInfo{Executable: prefix + "/bin/python3", Version: "3.11", Prefix: prefix, BasePrefix: prefix, Site: prefix + "/lib/site", UserSite: "/nonexistent", UserBase: "/nonexistent"}
	if kernel {
		info.Kernel = prefix + "/lib/site/ipykernel/__init__.py"
	}
	said, err := json.Marshal(info)
	if err != nil {
		t.Fatal(err)
	}
	return "#!/bin/sh\necho run >> " + prefix + "/runs\necho '" + string(said) + "'\n"
}

func named(t *testing.T, list []Spec, name string) Spec {
	t.Helper()
	i := slices.IndexFunc(list, func(s Spec) bool { return s.Name == name })
	if i < 0 {
		t.Fatalf("there is no %s in %+v", name, list)
	}
	return list[i]
}

func TestNothingFound(t *testing.T) {
	list := Kernels(t.Context(), Look{Workspace: t.TempDir(), Environ: map[string]string{"PATH": t.TempDir(), "HOME": t.TempDir()}})
	if s := named(t, list, "python3"); !strings.Contains(s.Missing, "pip install ipykernel") || s.Argv != nil {
		t.Errorf("%+v", list)
	}
}

// A notebook names python3, and gets a Python that can be started, if there is one.
func TestPick(t *testing.T) {
	lacks := Spec{Name: "python3", Language: "python", Missing: "ipykernel"}
	whole := Spec{Name: "python3", Language: "python"}
	venv := Spec{Name: ".venv", Language: "python"}
	bare := Spec{Name: ".venv", Language: "python", Missing: "ipykernel"}
	julia := Spec{Name: "julia", Language: "julia", Missing: "julia"}
	for _, c := range []struct {
		list       []Spec
		name, want string
	}{
		{[]Spec{venv, whole}, "python3", "python3 "},
		{[]Spec{venv, lacks}, "python3", ".venv "},
		{[]Spec{venv, lacks}, "", ".venv "},
		{[]Spec{venv, lacks}, "elsewhere", ".venv "},
		{[]Spec{whole, bare}, ".venv", ".venv ipykernel"}, // asked for by its name
		{[]Spec{bare, lacks}, "python3", "python3 ipykernel"},
		{[]Spec{venv, julia}, "julia", "julia julia"},
		{[]Spec{julia}, "python3", " "},
	} {
		if s, ok := Pick(c.list, c.name); s.Name+" "+s.Missing != c.want || ok != (c.want != " ") {
			t.Errorf("%v, %q: %+v", c.list, c.name, s)
		}
	}
}

// Where pip may not install, the hint is one that works.
func TestPythonOfTheSystem(t *testing.T) {
	prefix := t.TempDir()
	script := strings.Replace(python(t, prefix, false), `"managed":false`, `"managed":true`, 1)
	files(t, prefix, map[string]string{"bin/python3": script, "lib/site/x": ""})
	s := named(t, Kernels(t.Context(), Look{Environ: map[string]string{"PATH": prefix + "/bin", "HOME": t.TempDir()}}), "python3")
	if !strings.Contains(s.Missing, "pip may not install into it") || !strings.HasSuffix(s.Missing, venvLine) {
		t.Errorf("%q", s.Missing)
	}
}

// A plain Python on PATH is a kernel if it has ipykernel, says how to get it if not, and
// is asked again only when something was installed.
func TestPythonOnPath(t *testing.T) {
	prefix := t.TempDir()
	files(t, prefix, map[string]string{"bin/python3": python(t, prefix, false), "lib/site/x": ""})
	l := Look{Environ: map[string]string{"PATH": "/nonexistent:" + prefix + "/bin", "HOME": t.TempDir()}}
	for range 3 {
		s := named(t, Kernels(t.Context(), l), "python3")
		if want := prefix + "/bin/python3 cannot import ipykernel; get it with: " + prefix + "/bin/python3 -m pip install ipykernel"; s.Missing != want {
			t.Errorf("%q", s.Missing)
		}
	}
	if b, _ := os.ReadFile(prefix + "/runs"); string(b) != "run\n" {
		t.Errorf("it was run %q", b)
	}
	files(t, prefix, map[string]string{"bin/python3": python(t, prefix, true), "lib/site/ipykernel/__init__.py": ""})
	s := named(t, Kernels(t.Context(), l), "python3")
	if s.Missing != "" || s.FromWorkspace || !slices.Equal(s.Argv, []string{prefix + "/bin/python3", "-m", "ipykernel_launcher", "-f", "{connection_file}"}) || !slices.Equal(s.Read, []string{prefix}) || s.Interrupt != InterruptSignal {
		t.Errorf("%+v", s)
	}
}

// What the workspace brings is found, marked, and never run before somebody is asked.
func TestWorkspace(t *testing.T) {
	ws := t.TempDir()
	files(t, ws, map[string]string{
		".venv/bin/python": python(t, ws, true), ".venv/lib/python3.11/site-packages/ipykernel/__init__.py": "",
		"venv/bin/python":                        python(t, ws, true),
		"bin/python3":                            python(t, ws, true),
		"share/jupyter/kernels/evil/kernel.json": `{"argv":["{resource_dir}/run","{connection_file}"],"display_name":"Evil","language":"python"}`,
		"share/jupyter/kernels/evil/run":         "",
	})
	if err := os.Chmod(filepath.Join(ws, "share/jupyter/kernels/evil/run"), 0o700); err != nil {
		t.Fatal(err)
	}
	list := Kernels(t.Context(), Look{Workspace: ws, Environ: map[string]string{
		"PATH": ws + "/bin", "HOME": t.TempDir(), "VIRTUAL_ENV": ws + "/.venv", "JUPYTER_PATH": ws + "/share/jupyter",
	}})
	if s := list[0]; s.Name != ".venv" || !s.FromWorkspace || s.Missing != "" || s.Argv[0] != ws+"/.venv/bin/python" {
		t.Errorf("%+v", s)
	}
	if s := named(t, list, "venv"); !s.FromWorkspace || !strings.Contains(s.Missing, "venv/bin/python -m pip install ipykernel") {
		t.Errorf("%+v", s)
	}
	if s := named(t, list, "evil"); !s.FromWorkspace || len(s.Read) != 0 {
		t.Errorf("%+v", s)
	}
	if _, err := os.Stat(ws + "/runs"); err == nil {
		t.Error("a program of the workspace was run")
	}
}

// A link of the workspace does not choose what the sandbox shows.
func TestBaseOfAVenv(t *testing.T) {
	secret := files(t, t.TempDir(), map[string]string{"bin/python3": "", "key": ""})
	real := files(t, t.TempDir(), map[string]string{"bin/python3": "", "lib/python3.11/os.py": ""})
	for _, target := range []string{secret, real} {
		ws := files(t, t.TempDir(), map[string]string{".venv/bin/x": "", ".venv/lib/python3.11/site-packages/ipykernel/__init__.py": ""})
		if err := os.Symlink(target+"/bin/python3", ws+"/.venv/bin/python"); err != nil {
			t.Fatal(err)
		}
		got := Kernels(t.Context(), Look{Workspace: ws})[0].Read
		if want := target == real; slices.Contains(got, target) != want {
			t.Errorf("%s: it reads %v", target, got)
		}
	}
	ws := files(t, t.TempDir(), map[string]string{".venv/bin/x": ""})
	if err := os.Symlink(real+"/bin/python3", ws+"/.venv/bin/python"); err != nil {
		t.Fatal(err)
	}
	if got := Kernels(t.Context(), Look{Workspace: ws, Environ: map[string]string{"HOME": real + "/home"}})[0].Read; len(got) != 0 {
		t.Errorf("what is around a home is shown: %v", got)
	}
}

func TestKernelspecs(t *testing.T) {
	home, first, opt := t.TempDir(), t.TempDir(), t.TempDir()
	files(t, first, map[string]string{"kernels/same/kernel.json": `{"argv":["/bin/sh","{connection_file}"],"display_name":"First","language":"sh","interrupt_mode":"message","env":{"A":"b"}}`})
	files(t, opt, map[string]string{"bin/julia": ""})
	files(t, home, map[string]string{
		".local/share/jupyter/kernels/same/kernel.json":   `{"argv":["/bin/sh"],"display_name":"Second","language":"sh"}`,
		".local/share/jupyter/kernels/Julia/kernel.json":  `{"argv":["` + opt + `/bin/julia","{connection_file}"],"display_name":"Julia 1","language":"julia"}`,
		".local/share/jupyter/kernels/gone/kernel.json":   `{"argv":["no-such-program"],"language":"x"}`,
		".local/share/jupyter/kernels/broken/kernel.json": `{"argv":`,
		".local/share/jupyter/kernels/empty/kernel.json":  `{"argv":[]}`,
		".local/share/jupyter/kernels/large/kernel.json":  `{"argv":["/bin/sh"],"language":"` + strings.Repeat("x", maxSpec) + `"}`,
	})
	list := Kernels(t.Context(), Look{Environ: map[string]string{"HOME": home, "JUPYTER_PATH": "relative:" + first, "PATH": t.TempDir()}})
	if s := named(t, list, "same"); s.Display != "First" || s.Interrupt != InterruptMessage || s.Env["A"] != "b" {
		t.Errorf("%+v", s)
	}
	if s := named(t, list, "julia"); s.Display != "Julia 1" || s.Missing != "" || !slices.Contains(s.Read, opt) || s.Interrupt != InterruptSignal {
		t.Errorf("%+v", s)
	}
	if s := named(t, list, "gone"); !strings.Contains(s.Missing, "no-such-program is not there") {
		t.Errorf("%+v", s)
	}
	for _, name := range []string{"broken", "empty", "large"} {
		if slices.ContainsFunc(list, func(s Spec) bool { return s.Name == name }) {
			t.Errorf("%s is a kernel", name)
		}
	}
	missing := false
	for _, s := range list {
		if s.Missing == "" && missing {
			t.Errorf("what can be started comes last: %+v", list)
		}
		missing = missing || s.Missing != ""
	}
}

// The real one: by its kernelspec, with the Python that it belongs to.
func TestRealPython(t *testing.T) {
	path := jupytertest.Python(t)
	s := named(t, Kernels(t.Context(), Look{Python: path, Environ: map[string]string{"PATH": "/usr/bin:/bin", "HOME": t.TempDir()}}), "python3")
	if s.Missing != "" || !filepath.IsAbs(s.Argv[0]) || s.Language != "python" || s.FromWorkspace {
		t.Errorf("%+v", s)
	}
	t.Logf("%+v", s)
}
