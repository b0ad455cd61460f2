//go:build linux

// Package firsthour plays what somebody does who has just installed clew: a fresh
// home, a terminal, a project, and no server.
package firsthour

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/clew-run/clew/internal/e2e/proc"
	"github.com/clew-run/clew/internal/llm/llmtest"
)

var pictures = flag.String("pictures", "", "directory to write the screens to")

func TestMain(m *testing.M) {
	flag.Parse()
	os.Exit(proc.Main(m))
}

// A person has a home, a terminal and the program.
type person struct {
	t    *testing.T
	clew string
	home string
	data string
	work string
	env  []string
}

// decided keeps a folder's first use from asking how much agents may do.
const decided = "CLEW_SET_PERMISSIONS=ask"

func newPerson(t *testing.T) *person {
	t.Helper()
	home, err := os.MkdirTemp("", "clew-home-") // a socket's path has to be short
	proc.Must(t, err)
	p := &person{t: t, clew: proc.Program(t, ""), home: home, data: filepath.Join(home, ".local/share/clew"), work: filepath.Join(home, "shop")}
	proc.Must(t, os.MkdirAll(p.work, 0o755))
	p.env = []string{
		"HOME=" + home, "PATH=" + filepath.Dir(p.clew) + ":" + os.Getenv("PATH"), "TERM=screen-256color", "LC_ALL=C.UTF-8",
		"CLEW_SECRETS_BACKEND=file", "CLEW_DISK_RESERVE=0", "SHELL=/bin/sh",
		decided,
	}
	t.Cleanup(func() {
		p.run("serve", "stop")
		_ = os.RemoveAll(home)
	})
	return p
}

// model gives the terminal the settings of a scripted model.
func (p *person) model(script string) {
	p.t.Helper()
	s, err := llmtest.Parse([]byte(script))
	proc.Must(p.t, err)
	m, err := llmtest.Start(s, llmtest.Options{})
	proc.Must(p.t, err)
	p.t.Cleanup(func() { _ = m.Close() })
	b, err := json.Marshal(map[string]any{"model_profile": "test", "model_profiles": map[string]any{
		"test": map[string]any{"provider": "anthropic", "model": "test-1", "base_url": m.URL(), "key_name": "test_key"},
	}})
	proc.Must(p.t, err)
	p.write("settings.json", string(b))
	p.env = append(p.env, "CLEW_SETTINGS="+filepath.Join(p.home, "settings.json"), "CLEW_SECRET_TEST_KEY=sk-test-0123456789")
}

func (p *person) write(name, text string) {
	p.t.Helper()
	path := filepath.Join(p.home, name)
	proc.Must(p.t, os.MkdirAll(filepath.Dir(path), 0o755))
	proc.Must(p.t, os.WriteFile(path, []byte(text), 0o644))
}

// A ran is a command that has ended.
type ran struct {
	out, errs string
	code      int
}

func (p *person) run(args ...string) ran { return p.runWith(nil, args...) }

func (p *person) runWith(env []string, args ...string) ran {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, p.clew, args...)
	cmd.Dir, cmd.Env = p.work, append(append([]string{}, p.env...), env...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	if cmd.ProcessState == nil {
		p.t.Errorf("clew %v: %v", args, err)
		return ran{code: -1}
	}
	return ran{out.String(), errs.String(), cmd.ProcessState.ExitCode()}
}

// ok is run for what has to work.
func (p *person) ok(args ...string) ran {
	p.t.Helper()
	r := p.run(args...)
	if r.code != 0 {
		p.t.Fatalf("clew %v: %+v", args, r)
	}
	return r
}

type status struct {
	PID int    `json:"pid"`
	URL string `json:"url"`
	Log string `json:"log"`
}

// status is that of the server, empty if none runs.
func (p *person) status() (s status) {
	p.t.Helper()
	r := p.run("serve", "status", "--json")
	if r.code == 3 {
		return s
	}
	if err := json.Unmarshal([]byte(r.out), &s); err != nil || r.code != 0 {
		p.t.Fatalf("%v %+v", err, r)
	}
	return s
}

const started = "Started clew in the background (pid "

// Eight commands at once start one server, and all of them use it.
func TestOneServerForAll(t *testing.T) {
	p := newPerson(t)
	all := make([]ran, 8)
	var group sync.WaitGroup
	for i := range all {
		group.Go(func() { all[i] = p.run("run", "--model", "echo", fmt.Sprintf("hello %d", i)) })
	}
	group.Wait()
	said := 0
	for i, r := range all {
		if r.code != 0 || !strings.Contains(r.out, fmt.Sprintf("You said: hello %d", i)) {
			t.Errorf("%d: %+v", i, r)
		}
		said += strings.Count(r.errs, started)
	}
	if said != 1 {
		t.Errorf("%d servers were started", said)
	}
	if list := p.ok("ls").out; strings.Count(list, "sess_") != 8 {
		t.Errorf("the sessions:\n%s", list)
	}
}

// After a kill -9 the next command starts a server, which has all that was said: the
// socket file of the dead one is in nobody's way. It keeps its address.
func TestAfterAKill(t *testing.T) {
	p := newPerson(t)
	p.ok("run", "--model", "echo", "remember the milk")
	before := p.status()
	proc.Must(t, syscall.Kill(before.PID, syscall.SIGKILL))
	if _, err := os.Lstat(filepath.Join(p.data, "clew.sock")); err != nil {
		t.Fatal(err)
	}
	r := p.ok("run", "-c", "and the bread")
	if !strings.Contains(r.errs, started) || !strings.Contains(r.out, "You said: and the bread") {
		t.Errorf("%+v", r)
	}
	if after := p.status(); after.PID == before.PID || after.URL != before.URL {
		t.Errorf("before %+v, after %+v", before, after)
	}
	if show := p.ok("show").out; !strings.Contains(show, "remember the milk") || !strings.Contains(show, "and the bread") {
		t.Errorf("something was lost:\n%s", show)
	}
}

// Who comes back after the server has left finds their sessions, whatever they type
// first. Where there never was one, and for those that only look, none is started.
func TestReadingStartsAServer(t *testing.T) {
	p := newPerson(t)
	p.model("- {reply: [{text: Hello.}]}")
	if r := p.run("ls"); r.code != 3 || !strings.Contains(r.errs, "no server runs in "+p.data) {
		t.Errorf("before anything: %+v", r)
	}
	p.ok("run", "remember the milk")
	p.ok("serve", "stop")
	p.ok() // clew alone, without a terminal
	p.run("doctor")
	p.run("__complete", "show", "")
	if s := p.status(); s.PID != 0 {
		t.Fatalf("who only looks has started a server: %+v", s)
	}
	if r := p.runWith([]string{"CLEW_AUTOSTART=0"}, "ls"); r.code != 3 || !strings.Contains(r.errs, "CLEW_AUTOSTART is off") {
		t.Errorf("%+v", r)
	}
	if r := p.ok("ls"); !strings.Contains(r.errs, started) || !strings.Contains(r.out, "remember the milk") {
		t.Errorf("%+v", r)
	}
}

// clew serve does by hand what other commands do by themselves, and says what is
// wrong.
func TestServeByHand(t *testing.T) {
	p := newPerson(t)
	if r := p.run("serve", "status"); r.code != 3 || !strings.Contains(r.errs, "no server runs in "+p.data) {
		t.Errorf("%+v", r)
	}
	if r := p.ok("serve", "--detach"); !strings.Contains(r.out, started) || !strings.Contains(r.out, "after 30 minutes without work; stop it now: "+p.clew+" serve stop\n") {
		t.Errorf("%+v", r)
	}
	first := p.status()
	if r := p.ok("serve", "--detach"); !strings.Contains(r.out, fmt.Sprintf("A server runs already (pid %d", first.PID)) {
		t.Errorf("%+v", r)
	}
	if stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", first.PID)); err == nil {
		words := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
		if session, tty := words[3], words[4]; session != fmt.Sprint(first.PID) || tty != "0" {
			t.Errorf("session %s, terminal %s", session, tty)
		}
	}
	if dir, err := os.Readlink(fmt.Sprintf("/proc/%d/cwd", first.PID)); err == nil && dir != "/" {
		t.Errorf("it keeps %s busy", dir)
	}
	if info, err := os.Stat(first.Log); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v %v", info, err)
	}
	if r := p.ok("serve", "logs", "-n", "3", "--json"); !strings.Contains(r.out, `"lines":[`) {
		t.Errorf("%+v", r)
	}
	p.ok("serve", "restart", "--json")
	if second := p.status(); second.PID == first.PID || second.PID == 0 {
		t.Errorf("%+v", second)
	}
	if r := p.ok("serve", "stop", "--json"); !strings.Contains(r.out, `"running":false`) {
		t.Errorf("%+v", r)
	}
	if r := p.run("serve", "stop"); r.code != 3 {
		t.Errorf("%+v", r)
	}
	if r := p.run("serve", "--detach", "--auth", "maybe"); r.code != 3 || !strings.Contains(r.errs, "auth mode is on or off") {
		t.Errorf("why it did not start: %+v", r)
	}
}

// The environment of the terminal is not the server's, but for keys of models.
func TestEnvironmentOfTheServer(t *testing.T) {
	p := newPerson(t)
	p.env = append(p.env, "GITHUB_TOKEN=canary", "AWS_SECRET_ACCESS_KEY=canary", "CLEW_AUTOSTART=1", "ANTHROPIC_API_KEY=sk-canary-0123456789")
	if r := p.ok("model"); !strings.Contains(r.out, "ANTHROPIC_API_KEY") {
		t.Errorf("%+v", r)
	}
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", p.status().PID))
	proc.Must(t, err)
	if env := string(b); strings.Contains(env, "=canary") || !strings.Contains(env, "ANTHROPIC_API_KEY=") || !strings.Contains(env, "HOME="+p.home) {
		t.Errorf("%q", env)
	}
}

// Where a server is not to be started, none is, and it is said why.
func TestStartsNone(t *testing.T) {
	p := newPerson(t)
	for env, says := range map[string]string{
		"CLEW_AUTOSTART=0": "CLEW_AUTOSTART is off", "CLEW_SERVER=127.0.0.1:1": "", "CLEW_SOCKET=off": "CLEW_SOCKET is off", "CI=true": "CI is set",
	} {
		if r := p.runWith([]string{env}, "model"); r.code == 0 || strings.Contains(r.errs, started) || !strings.Contains(r.errs, says) {
			t.Errorf("%s: %+v", env, r)
		}
	}
	if r := p.runWith([]string{"CI=true"}, "run", "--model", "echo", "hello"); r.code != 0 || !strings.Contains(r.errs, "CI is set: it stops with this command.") {
		t.Errorf("%+v", r)
	}
	if s := p.status(); s.PID != 0 {
		t.Errorf("%+v", s)
	}
}

// A server in the background ends by itself, and the next command starts one.
func TestIdleExit(t *testing.T) {
	p := newPerson(t)
	p.env = append(p.env, "CLEW_IDLE_EXIT=200ms")
	r := p.ok("run", "--model", "echo", "hello")
	if !strings.Contains(r.errs, started) {
		t.Errorf("%+v", r)
	}
	proc.Eventually(t, "the end of the server", time.Minute, func() bool {
		_, err := os.Lstat(filepath.Join(p.data, "clew.sock"))
		return os.IsNotExist(err)
	})
	if r := p.ok("run", "-c", "again"); !strings.Contains(r.errs, started) || !strings.Contains(r.out, "You said: again") {
		t.Errorf("%+v", r)
	}
}

// To stop a server that is at work says so, and the work goes on with the next one.
func TestStopAtWork(t *testing.T) {
	p := newPerson(t)
	p.model(`
- when: {tool_result: execute_command}
  reply: [{text: It is done.}]
- when: {last_user: wait}
  reply:
  - tool: {name: execute_command, input: {command: "sh job.sh", timeout_sec: 700}}
`)
	p.env = append(p.env, "CLEW_SET_COMMAND_SANDBOX=none")
	p.write("shop/job.sh", "touch begun\nexec sleep 600\n")
	p.ok("run", "--detach", "--allow", "sh job.sh", "wait")
	begun := func() bool { _, err := os.Stat(filepath.Join(p.work, "begun")); return err == nil }
	proc.Eventually(t, "the command", time.Minute, begun)
	if r := p.ok("serve", "stop"); !strings.Contains(r.errs, "1 session is at work; the work continues when a server starts again:") {
		t.Errorf("%+v", r)
	}
	// The next server asks: whether the command took effect is for a person to find out.
	if r := p.run("attach", "--until-done", "-q"); r.code != 4 || !strings.Contains(r.errs, started) || !strings.Contains(r.errs, "The server stopped while this was running") {
		t.Errorf("%+v", r)
	}
}

// Without a model nothing is started, and it is said how to get one.
func TestNoModel(t *testing.T) {
	p := newPerson(t)
	if r := p.run("run", "hello"); r.code != 2 || !strings.Contains(r.errs, "No model is set up") || strings.Contains(r.errs, started) {
		t.Errorf("clew run: %+v", r)
	}
	s := p.screen(80, 24)
	s.line("clew; echo left with $?")
	s.see("No model is set up. Choose one of:", "clew login", "left with 2")
	if _, err := os.Stat(p.data); !os.IsNotExist(err) {
		t.Errorf("something was started: %v", err)
	}
	if r := p.run(); r.code != 0 || !strings.Contains(r.out, "No server runs.") || strings.Contains(r.out, "Usage") {
		t.Errorf("without a terminal: %+v", r)
	}
}
