package shell

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/clew-run/clew/internal/tool"
	"github.com/clew-run/clew/internal/toolchain"
)

// A person is somebody with toolchains in a home of their own.
type person struct {
	home string
	env  map[string]string
}

func (p person) options(data string) Options {
	return Options{
		Sandbox: SandboxBwrap, Hide: []string{data}, Cache: filepath.Join(data, "cache"),
		Toolchains: func(tool.Call) (toolchain.Request, bool) {
			return toolchain.Request{Environ: p.env, Home: p.home}, true
		},
	}
}

func put(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// credentials are files that tools keep beside what commands may read.
var credentials = map[string]string{
	".cargo/credentials.toml": "canary", ".npmrc": "canary", ".netrc": "canary", ".aws/credentials": "canary", ".config/gh/hosts.yml": "canary",
	".docker/config.json": "canary", ".pypirc": "canary", ".m2/settings.xml": "canary", ".ssh/id_ed25519": "canary", ".config/go/env": "GOPRIVATE=canary\n",
}

// missing skips a test, except where all toolchains must be there.
func missing(t *testing.T, why string) {
	t.Helper()
	if os.Getenv("CLEW_TEST_TOOLCHAINS") == "required" {
		t.Fatalf("%s, and CLEW_TEST_TOOLCHAINS requires it", why)
	}
	t.Skip(why)
}

// state tells of every file of a directory what changes when it is written.
func state(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		all[path] = fmt.Sprint(info.Size(), info.ModTime().UnixNano(), info.Mode(), info.Sys().(*syscall.Stat_t).Ino)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func sameState(t *testing.T, dir string, before map[string]string) {
	t.Helper()
	after := state(t, dir)
	for path, was := range before {
		if after[path] != was {
			t.Errorf("%s changed: %s, was %s", path, after[path], was)
		}
	}
	for path := range after {
		if before[path] == "" {
			t.Errorf("%s is new", path)
		}
	}
}

// A build inside the sandbox uses the person's build cache, keeps what it adds
// for the next command, and changes nothing of the person's.
func TestGoBuildsWarmAndChangesNothing(t *testing.T) {
	needBwrap(t)
	goroot, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		missing(t, "there is no Go")
	}
	home := t.TempDir()
	put(t, home, credentials)
	root := strings.TrimSpace(string(goroot))
	me := person{home, map[string]string{"PATH": root + "/bin:/usr/bin:/bin", "GOFLAGS": "-trimpath", "CGO_ENABLED": "0", "GOTOOLCHAIN": "local"}}
	project := map[string]string{
		"go.mod": "module example.org/hello\n\ngo 1.24\n\nrequire example.org/dep v1.0.0\n",
		"x.go":   "package hello\n\nimport \"example.org/dep\"\n\nfunc Two() int { return dep.One + 1 }\n",
	}
	proxy := t.TempDir()
	fileProxy(t, proxy, "example.org/dep", "package dep\n\nconst One = 1\n")
	outside := t.TempDir()
	put(t, outside, project)
	warm := exec.Command(root+"/bin/go", "build", "./...") // without the standard library, which takes a minute to compile
	warm.Dir = outside
	warm.Env = []string{"HOME=" + home, "PATH=" + me.env["PATH"], "GOFLAGS=-trimpath -modcacherw -mod=mod", "GOPROXY=file://" + proxy, "GONOSUMDB=*", "GOTOOLCHAIN=local", "CGO_ENABLED=0"}
	if out, err := warm.CombinedOutput(); err != nil {
		t.Fatalf("outside: %v\n%s", err, out)
	}
	before := state(t, home)

	b := newBench(t, me.options(t.TempDir()))
	put(t, b.ws.Dir, project)
	sum, err := os.ReadFile(filepath.Join(outside, "go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	put(t, b.ws.Dir, map[string]string{"go.sum": string(sum)})
	if out, r := b.run("go build -x ./... 2>&1; go env GOPROXY"); r.IsError || strings.Contains(out, "compile") || !strings.HasSuffix(strings.TrimSpace(out), "off") {
		t.Fatalf("inside: %s", r.Text)
	}
	for _, hostile := range []string{
		"for f in $(find " + home + " -type f | head -200); do echo x >>$f; rm -f $f; mv $f $f.x; chmod 777 $f; done; touch " + home + "/.cache/go-build/new",
		"mount -o remount,rw " + home + "/go/pkg/mod; umount -l " + home + "/go/pkg/mod; ln -f " + home + "/go/pkg/mod/cache/lock stolen; ln -f " + home + "/.cache/go-build/README stolen2; echo x >>stolen; true",
		"cat " + home + "/.netrc " + home + "/.config/go/env " + home + "/.cargo/credentials.toml; find / -name '.npmrc' -o -name id_ed25519 2>/dev/null | xargs -r cat; grep -r canary " + home + " /run; true",
	} {
		if out, r := b.run(hostile); strings.Contains(out, "canary\n") || strings.Contains(out, "=canary") {
			t.Errorf("a secret came out: %s", r.Text)
		}
	}
	sameState(t, home, before)
	put(t, b.ws.Dir, map[string]string{"y.go": "package hello\n\nconst Three = 3\n"})
	if out, r := b.run("go build -x ./..."); r.IsError || strings.Count(out, "/compile ") != 1 {
		t.Errorf("after an edit: %s", r.Text)
	}
	if out, r := b.run("go build -x ./..."); r.IsError || strings.Contains(out, "/compile ") {
		t.Errorf("the next command does not have what the last one built: %s", r.Text)
	}
	sameState(t, home, before)
}

// fileProxy makes a directory that Go can take for a proxy, with one module.
func fileProxy(t *testing.T, dir, module, text string) {
	t.Helper()
	mod := "module " + module + "\n"
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for name, text := range map[string]string{"go.mod": mod, "dep.go": text} {
		f, err := w.Create(module + "@v1.0.0/" + name)
		if err == nil {
			_, err = f.Write([]byte(text))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	put(t, filepath.Join(dir, module, "@v"), map[string]string{"list": "v1.0.0\n", "v1.0.0.info": `{"Version":"v1.0.0"}`, "v1.0.0.mod": mod, "v1.0.0.zip": b.String()})
}

// A virtual environment whose files are those of a cache can be read and run, and
// nothing a command does reaches the cache.
func TestLinkedFilesAreReadOnly(t *testing.T) {
	needBwrap(t)
	for _, dir := range linkedDirs {
		t.Run(dir, func(t *testing.T) {
			b := newBench(t, Options{Sandbox: SandboxBwrap})
			cache := filepath.Join(t.TempDir(), "attr.py")
			put(t, b.ws.Dir, map[string]string{dir + "/lib/own.py": "own\n"})
			if _, r := b.run("echo x >>" + dir + "/lib/own.py && mkdir " + dir + "/lib/more"); r.IsError {
				t.Fatalf("without links it cannot be written to: %s", r.Text)
			}
			if err := os.WriteFile(cache, []byte("theirs\n"), 0o644); err != nil {
				t.Fatal(err)
			}
			if err := os.Link(cache, filepath.Join(b.ws.Dir, dir, "attr.py")); err != nil {
				t.Fatal(err)
			}
			if out, r := b.run("cat " + dir + "/attr.py"); r.IsError || out != "theirs" {
				t.Errorf("it cannot be read: %s", r.Text)
			}
			top, _, _ := strings.Cut(dir, "/")
			for _, hostile := range []string{
				"echo bad >>" + dir + "/attr.py", "chmod 777 " + dir + "/attr.py", "ln " + dir + "/attr.py stolen && echo bad >>stolen",
				"mv " + dir + " aside && echo bad >>aside/attr.py", "mv " + top + " aside2", "rm -rf " + top + "; test ! -e " + dir + "/attr.py",
			} {
				if _, r := b.run(hostile); !r.IsError || !strings.Contains(r.Text, "clew unlink "+dir) {
					t.Errorf("%s: %s", hostile, r.Text)
				}
			}
			if text, err := os.ReadFile(cache); err != nil || string(text) != "theirs\n" {
				t.Errorf("the cache has %q, %v", text, err)
			}
		})
	}
}
