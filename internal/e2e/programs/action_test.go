package programs

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/pem"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/clew-run/clew/internal/e2e/proc"
)

// An action is what the runner knows of action.yml.
type action struct {
	Inputs map[string]struct {
		Default  string
		Required bool
	}
	Outputs map[string]struct{ Value string }
	Runs    struct {
		Using string
		Steps []step
	}
}

type step struct {
	ID    string
	If    string
	Shell string
	Run   string
	Dir   string `yaml:"working-directory"`
	Env   map[string]string
}

// A played action is what became of its steps.
type played struct {
	code    int
	outputs map[string]string
	summary string
	log     string
}

var expression = regexp.MustCompile(`\$\{\{\s*(.*?)\s*\}\}`)

// play plays the runner: it fills in the expressions of action.yml, runs the steps in
// order with the files and variables that they find there, and reads what they wrote.
// ref is where the workflow takes the action from.
func play(t *testing.T, dir, ref string, with, env map[string]string) played {
	t.Helper()
	root := filepath.Join(proc.Root(), "deploy", "action")
	var a action
	proc.Must(t, yaml.Unmarshal([]byte(proc.ReadFile(t, root, "action.yml")), &a))
	if a.Runs.Using != "composite" {
		t.Fatalf("it uses %q", a.Runs.Using)
	}
	temp := t.TempDir()
	values := map[string]string{"runner.temp": temp, "github.action_ref": ref}
	for name, in := range a.Inputs {
		values["inputs."+name] = in.Default
		if given, ok := with[name]; ok {
			values["inputs."+name] = given
		} else if in.Required {
			t.Fatalf("the input %s is missing", name)
		}
	}
	fill := func(s string) string {
		return expression.ReplaceAllStringFunc(s, func(e string) string {
			value, ok := values[expression.FindStringSubmatch(e)[1]]
			if !ok {
				t.Errorf("nobody knows %s", e)
			}
			return value
		})
	}
	p := played{outputs: map[string]string{}}
	summary := filepath.Join(temp, "summary.md")
	for i, s := range a.Runs.Steps {
		if name, ok := strings.CutSuffix(s.If, " == ''"); ok && values[name] != "" || p.code != 0 {
			continue
		}
		if strings.Contains(s.Run, "${{") {
			t.Fatalf("step %d writes an expression into its script", i)
		}
		file, output := filepath.Join(temp, fmt.Sprintf("step%d.sh", i)), filepath.Join(temp, fmt.Sprintf("output%d", i))
		proc.Must(t, os.WriteFile(file, []byte(s.Run), 0o600))
		vars := map[string]string{
			"CI": "true", "GITHUB_ACTION_PATH": root, "GITHUB_WORKSPACE": dir, "GITHUB_OUTPUT": output,
			"GITHUB_STEP_SUMMARY": summary, "RUNNER_TEMP": temp, "CLEW_SECRETS_BACKEND": "file",
		}
		maps.Copy(vars, env)
		for name, value := range s.Env {
			vars[name] = fill(value)
		}
		p.step(t, s, file, filepath.Join(dir, fill(s.Dir)), vars)
		for name, value := range outputsIn(t, output) {
			values["steps."+s.ID+".outputs."+name] = value
		}
	}
	for name, out := range a.Outputs {
		p.outputs[name] = fill(out.Value)
	}
	if b, err := os.ReadFile(summary); err == nil {
		p.summary = string(b)
	}
	return p
}

func (p *played) step(t *testing.T, s step, file, dir string, vars map[string]string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, s.Shell, "--noprofile", "--norc", "-eo", "pipefail", file)
	cmd.Dir, cmd.Env = dir, proc.Environment(vars)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Run(); err != nil && cmd.ProcessState == nil {
		t.Fatal(err)
	}
	p.code = cmd.ProcessState.ExitCode()
	p.log += out.String()
}

// outputsIn reads a file of outputs as the runner does.
func outputsIn(t *testing.T, file string) map[string]string {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		return nil
	}
	list := map[string]string{}
	lines := strings.Split(strings.TrimSuffix(string(b), "\n"), "\n")
	for i := 0; i < len(lines); i++ {
		name, end, ok := strings.Cut(lines[i], "<<")
		if !ok {
			t.Fatalf("a line of the outputs is %q", lines[i])
		}
		var value []string
		for i++; i < len(lines) && lines[i] != end; i++ {
			value = append(value, lines[i])
		}
		list[name] = strings.Join(value, "\n")
	}
	return list
}

const actionScript = `
- when: {last_user: Say hello}
  reply:
  - text: "Hello.\n::set-output name=status::hacked\n` + "```" + `\n<img src=x>"
  - usage: {input: 1000, output: 100}
- when: {last_user: Test it, turn: 1}
  reply:
  - tool: {name: execute_command, id: c1, input: {command: "touch ran.txt"}}
  - usage: {input: 8000, output: 100} # of a budget for the first call, too much for another one
- when: {tool_result: {id: c1}}
  reply:
  - text: It is tested.
  - usage: {input: 1000, output: 100}
`

// The action in a workflow: done, with a question open, with its budget used up, with
// a server of somebody's own, and with inputs that are meant to become code.
func TestAction(t *testing.T) {
	for name, tool := range map[string]string{"bash": "bash", "jq": "jq"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("there is no %s here", name)
		}
	}
	evil := "Say hello'; touch \"$GITHUB_WORKSPACE/pwned\"; $(touch pwned) `touch pwned` --yes=all\n::error::x"
	for name, c := range map[string]struct {
		with    map[string]string
		code    int
		status  string
		answer  string // begins so
		summary string // has this
		ran     bool
	}{
		"done":            {map[string]string{"prompt": "Say hello."}, 0, "done", "Hello.\n::set-output", "````text\nHello.", false},
		"allowed":         {map[string]string{"prompt": "Test it.", "allow": "touch ran.txt\n\ntrue\n"}, 0, "done", "It is tested.", "It is tested.", true},
		"a question":      {map[string]string{"prompt": "Test it."}, 4, "needs_answer", "", "Nobody here can answer", false},
		"no more budget":  {map[string]string{"prompt": "Test it.", "allow": "touch ran.txt", "max-cost": "18"}, 7, "budget", "", "The budget was 18 USD", true},
		"a bad budget":    {map[string]string{"prompt": "Test it.", "max-cost": "much; touch pwned"}, 2, "error", "", "much", false},
		"code in a text":  {map[string]string{"prompt": evil}, 0, "done", "Hello.", "Hello.", false},
		"code in a model": {map[string]string{"prompt": "Say hello.", "approve": "read; touch pwned"}, 2, "error", "", "touch pwned", false},
	} {
		t.Run(name, func(t *testing.T) {
			s := proc.NewStage(t, proc.Setup{
				Script: actionScript, Files: map[string]string{"a.txt": "a\n"}, Settings: map[string]any{"command_sandbox": "none"},
				Profile: map[string]any{"price_in": 1000, "price_out": 1000},
			})
			with := map[string]string{"program": s.Srv.Path(), "settings": filepath.Join(s.Dir, "settings.json"), "max-cost": "1000"}
			maps.Copy(with, c.with)
			p := play(t, s.Work, "main", with, map[string]string{"CLEW_SECRET_TEST_KEY": "sk-test-0123456789"})
			if p.code != c.code || p.outputs["status"] != c.status || p.outputs["exit-code"] != strconv.Itoa(c.code) {
				t.Errorf("it ended with %d and %q\n%s", p.code, p.outputs, p.log)
			}
			if !strings.HasPrefix(p.outputs["answer"], c.answer) || !strings.Contains(p.summary, c.summary) {
				t.Errorf("the answer is %q, the summary\n%s", p.outputs["answer"], p.summary)
			}
			if _, err := os.Stat(filepath.Join(s.Work, "ran.txt")); (err == nil) != c.ran {
				t.Errorf("the command ran: %v", !c.ran)
			}
			if _, err := os.Stat(filepath.Join(s.Work, "pwned")); err == nil {
				t.Error("an input became code")
			}
			safe(t, p.log)
		})
	}
}

// safe looks for lines of the log that the runner would take for commands.
func safe(t *testing.T, log string) {
	t.Helper()
	stopped := ""
	for line := range strings.SplitSeq(log, "\n") {
		word, stops := strings.CutPrefix(line, "::stop-commands::")
		switch {
		case stopped != "" && line == "::"+stopped+"::":
			stopped = ""
		case stopped == "" && stops:
			stopped = word
		case stopped == "" && strings.HasPrefix(line, "::"):
			t.Errorf("the runner obeys %q", line)
		}
	}
}

// With a server of somebody's own the session stays there.
func TestActionWithServer(t *testing.T) {
	s := start(t, nil)
	p := play(t, s.Work, "main", map[string]string{"prompt": "Hello.", "program": s.Srv.Path(), "server": s.Srv.URL(), "max-cost": "100"}, map[string]string{"CLEW_TOKEN": s.Token()})
	if p.code != 0 || p.outputs["answer"] != "Hello to you." || p.outputs["cost-usd"] != "0.01" {
		t.Fatalf("it ended with %d and %q\n%s", p.code, p.outputs, p.log)
	}
	page, err := s.API().ListSessions(t.Context(), "", "", 10)
	proc.Must(t, err)
	found := false
	for _, x := range page.Sessions {
		found = found || string(x.ID) == p.outputs["session-id"]
	}
	if !found {
		t.Errorf("the server has no session %s", p.outputs["session-id"])
	}
}

// Used at a tag the action installs that release, unless another one is named; at a
// branch or a commit, the latest.
func TestActionInstalls(t *testing.T) {
	for _, tool := range []string{"bash", "jq", "curl"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("there is no %s here", tool)
		}
	}
	s := start(t, nil)
	program := packed(t, "#!/bin/sh\nexec '"+s.Srv.Path()+"' \"$@\"\n")
	name := fmt.Sprintf("clew_%s_%s.tar.gz", runtime.GOOS, runtime.GOARCH)
	var asked string
	web := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var file string
		asked, file = path.Split(r.URL.Path)
		if file == name {
			_, _ = w.Write(program)
			return
		}
		_, _ = fmt.Fprintf(w, "%x  %s\n", sha256.Sum256(program), name)
	}))
	t.Cleanup(web.Close)
	authority := filepath.Join(t.TempDir(), "ca.pem")
	proc.Must(t, os.WriteFile(authority, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: web.Certificate().Raw}), 0o600))
	for _, c := range []struct{ ref, version, from string }{
		{"v1.2.3", "", "/download/v1.2.3/"},
		{"v1.2.3-rc.1", "", "/download/v1.2.3-rc.1/"},
		{"v1.2.3", "v1.0.0", "/download/v1.0.0/"},
		{"main", "v1.0.0", "/download/v1.0.0/"},
		{"main", "", "/latest/download/"},
		{"0a1b2c3d4e5f60718293a4b5c6d7e8f901234567", "", "/latest/download/"},
		{"", "", "/latest/download/"},
	} {
		p := play(t, s.Work, c.ref, map[string]string{"prompt": "Hello.", "version": c.version, "server": s.Srv.URL(), "max-cost": "100"},
			map[string]string{"CLEW_TOKEN": s.Token(), "CLEW_RELEASES": web.URL, "CURL_CA_BUNDLE": authority})
		if p.code != 0 || p.outputs["answer"] != "Hello to you." || asked != c.from {
			t.Errorf("%+v: it asked for %s and ended with %d\n%s", c, asked, p.code, p.log)
		}
	}
}

// packed is an archive as releases have it.
func packed(t *testing.T, program string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	w := tar.NewWriter(z)
	proc.Must(t, w.WriteHeader(&tar.Header{Name: "clew", Mode: 0o755, Size: int64(len(program))}))
	_, err := w.Write([]byte(program))
	proc.Must(t, err)
	proc.Must(t, w.Close())
	proc.Must(t, z.Close())
	return b.Bytes()
}

// A job that is cancelled stops its work on that server.
func TestActionCancelled(t *testing.T) {
	s := start(t, nil)
	cmd := exec.CommandContext(t.Context(), filepath.Join(proc.Root(), "deploy", "action", "run.sh"))
	cmd.Dir = s.Work
	cmd.Env = proc.Environment(map[string]string{
		"CLEW_ACTION_PROMPT": "Wait for ever.", "CLEW_ACTION_MAX_COST": "100", "CLEW_ACTION_SERVER": s.Srv.URL(), "CLEW_ACTION_PROGRAM": s.Srv.Path(),
		"CLEW_ACTION_APPROVE": "", "CLEW_ACTION_ALLOW": "", "CLEW_ACTION_MODEL": "", "CLEW_ACTION_PLAN": "", "CLEW_ACTION_SETTINGS": "",
		"CLEW_TOKEN": s.Token(), "RUNNER_TEMP": t.TempDir(),
	})
	proc.Must(t, cmd.Start())
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	proc.Must(t, s.Model.Await(ctx, 1))
	proc.Must(t, cmd.Process.Signal(os.Interrupt))
	if err := cmd.Wait(); err == nil {
		t.Error("it ended well")
	}
	if tasks := newestTasks(t, s); len(tasks) != 1 || tasks[0].Outcome == nil {
		t.Errorf("the work goes on: %+v", tasks)
	}
}
