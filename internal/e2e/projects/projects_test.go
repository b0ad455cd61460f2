//go:build linux

// Package projects runs real projects with real toolchains: the agent edits a
// file and runs the project's own tests inside the sandbox, without a network.
package projects

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/clew-run/clew/internal/e2e/proc"
	"github.com/clew-run/clew/internal/tool/shell"
)

func TestMain(m *testing.M) { os.Exit(proc.Main(m)) }

// within bounds one project, toolchains included: machines are busy.
const within = 10 * time.Minute

// A project is one that a person has on their machine.
type project struct {
	files map[string]string // before the agent comes
	path  string            // the file that the agent writes
	text  string            // and what it writes there
	test  string            // the command that tests the project
	says  string            // what it prints when all is well, as a regular expression
}

// A person has a home with toolchains, a terminal, and files that nobody is to
// see.
type person struct {
	t    *testing.T
	home string
	env  []string
	path []string
}

func newPerson(t *testing.T) *person {
	t.Helper()
	if kind, reason := shell.Probe(); kind != shell.SandboxBwrap {
		proc.Missing(t, "there is no sandbox: "+reason)
	}
	p := &person{t: t, home: t.TempDir()}
	for _, name := range []string{".netrc", ".npmrc", ".aws/credentials", ".cargo/credentials.toml", ".ssh/id_ed25519", ".config/gh/hosts.yml"} {
		text := "# canary\n"
		if name == ".cargo/credentials.toml" {
			text = "[registry]\ntoken = \"canary\"\n"
		}
		p.write(filepath.Join(p.home, name), text)
	}
	return p
}

func (p *person) write(path, text string) {
	p.t.Helper()
	proc.Must(p.t, os.MkdirAll(filepath.Dir(path), 0o755))
	proc.Must(p.t, os.WriteFile(path, []byte(text), 0o644))
}

// find gives the real path of a program of this machine.
func (p *person) find(name string) string {
	p.t.Helper()
	path, err := exec.LookPath(name)
	if err == nil {
		path, err = filepath.EvalSymlinks(path)
	}
	if err != nil {
		proc.Missing(p.t, "there is no "+name)
	}
	return path
}

// environ is the person's terminal.
func (p *person) environ() []string {
	path := strings.Join(append(append([]string{}, p.path...), "/usr/local/bin", "/usr/bin", "/bin"), ":")
	return append([]string{"HOME=" + p.home, "PATH=" + path, "LANG=C.UTF-8", "GITHUB_TOKEN=canary"}, p.env...)
}

// do runs a command in the person's terminal, with the network.
func (p *person) do(dir, line string) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.t.Context(), within)
	defer cancel()
	cmd := exec.CommandContext(ctx, "/bin/bash", "-c", line)
	cmd.Dir = dir
	cmd.Env = p.environ()
	for _, kv := range os.Environ() { // how this machine reaches the registries
		name, _, _ := strings.Cut(kv, "=")
		switch name {
		case "GOPROXY", "GOSUMDB", "GONOSUMDB", "HTTPS_PROXY", "HTTP_PROXY", "NO_PROXY", "https_proxy", "http_proxy", "no_proxy", "SSL_CERT_FILE",
			"PIP_INDEX_URL", "PIP_FIND_LINKS", "PIP_CERT", "NPM_CONFIG_REGISTRY", "npm_config_registry", "NODE_EXTRA_CA_CERTS", "CARGO_HTTP_CAINFO":
			cmd.Env = append(cmd.Env, kv)
		}
	}
	if out, err := cmd.CombinedOutput(); err != nil {
		p.t.Fatalf("%s: %v\n%s", line, err, out)
	}
}

// clew is what the person types, with nothing set up but where the model is.
func (p *person) clew(ctx context.Context, s *proc.Stage, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, s.Srv.Path(), args...)
	cmd.Dir = s.Work
	cmd.Env = append(p.environ(), "CLEW_SECRETS_BACKEND=file", "CLEW_DISK_RESERVE=0",
		"CLEW_SETTINGS="+filepath.Join(s.Dir, "settings.json"), "CLEW_SECRET_TEST_KEY=sk-test-0123456789")
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// play has the agent do its work, and wants the tests green. The server is the one
// that the first command starts by itself.
func (p *person) play(s *proc.Stage) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.t.Context(), within)
	defer cancel()
	p.t.Cleanup(func() {
		if out, err := p.clew(context.Background(), s, "serve", "stop"); err != nil {
			p.t.Errorf("clew serve stop: %v\n%s", err, out)
		}
	})
	out, err := p.clew(ctx, s, "run", "--yes", "--verbose", "make the tests pass")
	p.t.Logf("clew run: %s", out)
	if err != nil || !strings.Contains(out, "All tests pass.") {
		p.t.Fatalf("the tests are not green: %v", err)
	}
	if strings.Contains(out, "canary") {
		p.t.Error("a secret came out")
	}
	environment, err := p.clew(ctx, s, "show", "--environment")
	if err != nil || !strings.Contains(environment, "PATH="+strings.Join(p.path, ":")) || strings.Contains(environment, "canary") {
		p.t.Errorf("clew show --environment: %v\n%s", err, environment)
	}
}

// stage is the project and the model. Nobody starts a server for the person.
func (p *person) stage(x project) *proc.Stage {
	p.t.Helper()
	script := fmt.Sprintf(`
- when: {tool_result: {tool: execute_command, is_error: false, regexp: %s}}
  reply: [{text: All tests pass.}]
- when: {tool_result: execute_command}
  reply: [{text: The tests fail.}]
- when: {tool_result: write_file}
  reply:
  - tool: {name: execute_command, input: {command: %s, timeout_sec: 300}}
- when: {last_user: make the tests pass}
  reply:
  - tool: {name: write_file, input: {path: %s, content: %s}}
`, strconv.Quote(x.says), strconv.Quote(x.test+" && { cat "+p.home+"/.netrc "+p.home+"/.*/* || true; }"), strconv.Quote(x.path), strconv.Quote(x.text))
	return proc.NewStage(p.t, proc.Setup{Script: script, Files: x.files})
}

// goProject has Go in the person's home, and a project with a mistake.
func (p *person) goProject() project {
	p.t.Helper()
	root := filepath.Dir(filepath.Dir(p.find("go")))
	proc.Must(p.t, os.MkdirAll(filepath.Join(p.home, "sdk"), 0o755))
	home := filepath.Join(p.home, "sdk/go")
	p.do("/", "cp -al "+root+" "+home+" 2>/dev/null || { rm -rf "+home+"; cp -a "+root+" "+home+"; }")
	p.path = []string{home + "/bin"}
	// The build cache is this machine's: to fill another one takes minutes.
	p.env = []string{"GOFLAGS=-trimpath -modcacherw", "CGO_ENABLED=0", "GOTOOLCHAIN=local", "GOCACHE=" + output(p.t, "go", "env", "GOCACHE")}
	return project{
		files: map[string]string{
			"go.mod":       "module example.org/shop\n\ngo 1.24\n",
			"shop.go":      "package shop\n\nimport \"github.com/google/uuid\"\n\nfunc ID() string { return uuid.Nil.String() }\n\nfunc Two() int { return 1 }\n",
			"shop_test.go": "package shop\n\nimport \"testing\"\n\nfunc TestTwo(t *testing.T) {\n\tif Two() != 2 || len(ID()) != 36 {\n\t\tt.Fatal(Two(), ID())\n\t}\n}\n",
		},
		path: "shop.go", text: "package shop\n\nimport \"github.com/google/uuid\"\n\nfunc ID() string { return uuid.Nil.String() }\n\nfunc Two() int { return 2 }\n",
		test: "go vet ./... && go test ./...", says: `ok\s+example.org/shop`,
	}
}

// getGo fetches what the project needs, as a person has done before.
func (p *person) getGo(dir string) {
	p.t.Helper()
	p.do(dir, "go get github.com/google/uuid@v1.6.0 && go mod tidy && go vet ./... ; ! go test ./...")
}

func TestGo(t *testing.T) {
	p := newPerson(t)
	s := p.stage(p.goProject())
	p.getGo(s.Work)
	p.play(s)
}

func output(t testing.TB, name string, args ...string) string {
	t.Helper()
	out, err := exec.Command(name, args...).Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}

func TestRust(t *testing.T) {
	p := newPerson(t)
	p.find("cargo")
	bin, err := exec.LookPath("cargo")
	proc.Must(t, err)
	rustup := os.Getenv("RUSTUP_HOME")
	if rustup == "" {
		home, err := os.UserHomeDir()
		proc.Must(t, err)
		rustup = filepath.Join(home, ".rustup")
	}
	p.path, p.env = []string{filepath.Dir(bin)}, []string{"RUSTUP_HOME=" + rustup}
	lib := "pub fn two() -> String {\n    itoa::Buffer::new().format(%d).to_string()\n}\n\n#[cfg(test)]\nmod tests {\n    #[test]\n    fn two() {\n        assert_eq!(super::two(), \"2\");\n    }\n}\n"
	s := p.stage(project{
		files: map[string]string{"Cargo.toml": "[package]\nname = \"shop\"\nversion = \"0.1.0\"\nedition = \"2021\"\n\n[dependencies]\nitoa = \"=1.0.6\"\n", "src/lib.rs": fmt.Sprintf(lib, 1)},
		path:  "src/lib.rs", text: fmt.Sprintf(lib, 2), test: "cargo test", says: "1 passed; 0 failed",
	})
	p.do(s.Work, "cargo fetch")
	p.play(s)
}

func TestNode(t *testing.T) {
	p := newPerson(t)
	p.find("npm")
	bin := filepath.Join(p.home, ".nvm/versions/node/v22/bin")
	proc.Must(t, os.MkdirAll(bin, 0o755))
	p.do("/", "cp "+p.find("node")+" "+bin+"/node")
	p.path = []string{bin}
	s := p.stage(project{
		files: map[string]string{
			"package.json": `{"name": "shop", "version": "1.0.0", "private": true, "scripts": {"test": "node --test"}, "dependencies": {"ms": "2.1.3"}}`,
			"shop.js":      "const ms = require('ms');\nexports.minute = () => 0;\n",
			"shop.test.js": "const test = require('node:test');\nconst assert = require('node:assert');\ntest('minute', () => assert.equal(require('./shop').minute(), 60000));\n",
		},
		path: "shop.js", text: "const ms = require('ms');\nexports.minute = () => ms('1m');\n",
		test: "npm ci && npm test", says: "pass 1",
	})
	p.do(s.Work, "npm install --no-audit --no-fund && rm -rf node_modules")
	p.play(s)
}

func TestPython(t *testing.T) {
	p := newPerson(t)
	python := "python3"
	if _, err := exec.LookPath("pyenv"); err == nil {
		python = output(t, "pyenv", "which", "python3")
	}
	p.find(python)
	s := p.stage(project{
		files: map[string]string{
			"shop.py":      "def two():\n    return 1\n",
			"test_shop.py": "import shop\n\n\ndef test_two():\n    assert shop.two() == 2\n",
		},
		path: "shop.py", text: "def two():\n    return 2\n", test: "pytest -q", says: "1 passed",
	})
	p.do(s.Work, python+" -m venv .venv && .venv/bin/pip install -q pytest")
	p.path = []string{filepath.Join(s.Work, ".venv/bin")}
	p.env = []string{"VIRTUAL_ENV=" + filepath.Join(s.Work, ".venv")}
	p.play(s)
}
