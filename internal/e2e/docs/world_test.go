//go:build linux

package docs

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/clew-run/clew/internal/e2e/proc"
	"github.com/clew-run/clew/internal/llm/llmtest"
	"github.com/clew-run/clew/internal/notebook/jupytertest"
)

// A world is what the blocks of one page find: a home, a project in Git, the program,
// a model, and a server that the first command starts.
type world struct {
	t      *testing.T
	home   string
	env    []string
	listen string
	groups []int // of the blocks, for what they left in the background
}

// model is what the scripted model says where the page has no words of its own.
const model = `
- when: {last_user: Write a greeting, tool_result: write_file}
  times: 0
  reply: [{text: The greeting is written.}]
- when: {last_user: Write a greeting}
  times: 0
  reply:
  - tool: {name: write_file, id: c_greeting, input: {path: greeting.txt, content: "Hello!\n"}}
- when: {last_user: Ask me, tool_result: execute_command}
  times: 0
  reply: [{text: It is done.}]
- when: {last_user: Ask me}
  times: 0
  reply:
  - tool: {name: execute_command, id: c_ask, input: {command: "go test ./..."}}
- times: 0
  reply: [{text: That is done.}]
`

// message is what it says to a commit, which is asked for with the words of the session.
const message = `
- when: {last_user: "The differences:"}
  times: 0
  reply: [{text: Greet people}]
`

// begin is what every page finds done; its functions are for <!-- before … -->.
//
//go:embed testdata/begin.sh
var begin string

func newWorld(t *testing.T, p page) *world {
	t.Helper()
	program := proc.Program(t, "")
	port, err := proc.FreePort()
	proc.Must(t, err)
	home, err := os.MkdirTemp("", "clew-docs-") // a socket's path has to be short
	proc.Must(t, err)
	w := &world{t: t, home: home, listen: fmt.Sprintf("127.0.0.1:%d", port)}
	t.Cleanup(w.end)
	bin := filepath.Join(home, ".bin")
	for _, dir := range []string{bin, w.state()} {
		proc.Must(t, os.MkdirAll(dir, 0o755))
	}
	proc.Must(t, os.Symlink(program, filepath.Join(bin, "clew")))
	curl, err := exec.LookPath("curl")
	proc.Must(t, err)
	fails := "#!/bin/sh\nexec " + curl + " --fail-with-body \"$@\"\n" // a request that is refused is a failure
	proc.Must(t, os.WriteFile(filepath.Join(bin, "curl"), []byte(fails), 0o755))
	w.env = []string{
		"HOME=" + home, "PATH=" + bin + ":" + os.Getenv("PATH"), "TERM=xterm-256color", "LC_ALL=C.UTF-8", "SHELL=/bin/bash",
		"STATE=" + w.state(), "REPOSITORY=" + proc.Root(), "BROWSER=true", "EDITOR=true", "MANPAGER=cat", "GIT_CONFIG_NOSYSTEM=1",
		"CLEW_LISTEN=" + w.listen, "CLEW_SECRETS_BACKEND=file", "CLEW_DISK_RESERVE=0", "CLEW_IDLE_EXIT=2m", "CLEW_SECRET_TEST_KEY=sk-test-0123456789",
		"CLEW_SET_PERMISSIONS=ask", "CLEW_SET_COMMAND_SANDBOX=none", "CLEW_SET_COMMAND_TOOLCHAINS=off",
	}
	for _, name := range []string{"GOCACHE", "GOMODCACHE", "GOFLAGS"} { // those of this machine are warm
		out, err := exec.CommandContext(t.Context(), "go", "env", name).Output()
		proc.Must(t, err)
		w.env = append(w.env, name+"="+strings.TrimSpace(string(out)))
	}
	if p.uses("$JUPYTER") { // an environment of Python with a kernel
		w.env = append(w.env, "JUPYTER="+filepath.Dir(filepath.Dir(jupytertest.Python(t))))
	}
	w.env = append(w.env, "GOTOOLCHAIN=local", "GOPROXY=off", "CGO_ENABLED=0", "NO_COLOR=1")
	w.play(message + p.model + model)
	return w
}

// uses reports whether what is hidden on a page has this text.
func (p page) uses(text string) bool {
	return slices.ContainsFunc(p.blocks, func(b block) bool { return strings.Contains(b.before, text) })
}

func (w *world) state() string { return filepath.Join(w.home, ".state") }

// play starts the model and puts it into the settings file.
func (w *world) play(script string) {
	w.t.Helper()
	s, err := llmtest.Parse([]byte(script))
	proc.Must(w.t, err)
	m, err := llmtest.Start(s, llmtest.Options{})
	proc.Must(w.t, err)
	w.t.Cleanup(func() { _ = m.Close() })
	b, err := json.Marshal(map[string]any{"model_profile": "test", "model_profiles": map[string]any{
		"test": map[string]any{"provider": "anthropic", "model": "test-1", "base_url": m.URL(), "key_name": "test_key"},
	}})
	proc.Must(w.t, err)
	file := filepath.Join(w.home, ".settings.json")
	proc.Must(w.t, os.WriteFile(file, b, 0o600))
	w.env = append(w.env, "CLEW_SETTINGS="+file)
}

// end stops the servers of this home and what blocks left in the background.
func (w *world) end() {
	_ = filepath.WalkDir(w.home, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Name() == "clew.sock" {
			cmd := exec.Command(proc.Program(w.t, ""), "serve", "stop", "--data", filepath.Dir(path))
			cmd.Env = w.env
			_ = cmd.Run() // it may be gone
		}
		return nil
	})
	for _, group := range w.groups {
		_ = syscall.Kill(-group, syscall.SIGKILL) // most are gone
	}
	_ = os.RemoveAll(w.home)
}
