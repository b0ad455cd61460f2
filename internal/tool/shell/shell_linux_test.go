package shell

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/tool"
	"github.com/clew-run/clew/internal/tool/limit"
)

func TestMain(m *testing.M) {
	switch {
	case os.Getenv("CLEW_TEST_SERVER") != "":
		os.Exit(serve())
	case os.Getenv("CLEW_TEST_CALLS") != "":
		os.Exit(tryCalls(os.Args[1:]))
	}
	os.Exit(m.Run())
}

// needBwrap skips where there is no sandbox, except where there has to be one.
func needBwrap(t *testing.T) {
	t.Helper()
	if kind, reason := Probe(); kind != SandboxBwrap {
		if os.Getenv("CI") == "true" {
			t.Fatalf("the sandbox must be tested here: %s", reason)
		}
		t.Skipf("no sandbox to test: %s", reason)
	}
}

// eachSandbox runs a test with and without a sandbox.
func eachSandbox(t *testing.T, f func(t *testing.T, opts Options)) {
	t.Helper()
	for _, kind := range []string{SandboxBwrap, SandboxNone} {
		t.Run(kind, func(t *testing.T) {
			if kind == SandboxBwrap {
				needBwrap(t)
			}
			f(t, Options{Sandbox: kind, Marker: "test"})
		})
	}
}

func openWorkspace(tb testing.TB, dir string) *tool.Workspace {
	tb.Helper()
	root, err := os.OpenRoot(dir)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = root.Close() })
	return &tool.Workspace{Dir: dir, Root: root, Ignored: func(p string, _ bool) bool { return p == "ignored" }}
}

// A bench is a shell with a workspace for one test.
type bench struct {
	t     *testing.T
	shell *Shell
	ws    *tool.Workspace
	mu    sync.Mutex
	calls int
}

func newBench(t *testing.T, opts Options) *bench {
	t.Helper()
	if opts.Limits == (limit.Limits{}) {
		opts.Limits = limit.Default()
	}
	b := &bench{t: t, ws: openWorkspace(t, t.TempDir())}
	b.shell = New(func(context.Context) Options { return opts })
	t.Cleanup(b.shell.Close)
	return b
}

func (b *bench) call(input map[string]any) tool.Call {
	raw, err := json.Marshal(input)
	if err != nil {
		b.t.Fatal(err)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.calls++
	return tool.Call{
		ID: fmt.Sprintf("call_%d", b.calls), SessionID: clew.SessionID(b.t.Name()), TaskID: "task",
		Input: raw, Workspace: b.ws,
	}
}

// capture is an Output that keeps what it is given.
type capture struct {
	mu    sync.Mutex
	text  bytes.Buffer
	wrote chan struct{} // closed at the first Write
	once  sync.Once
}

func newCapture() *capture { return &capture{wrote: make(chan struct{})} }

func (c *capture) Write(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.once.Do(func() { close(c.wrote) })
	return c.text.Write(p)
}

func (c *capture) String() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.text.String()
}

func (*capture) Progress(clew.ProgressStatus) {}

func (*capture) Ask(context.Context, clew.HitlInputRequestData) (clew.HitlResolvedData, error) {
	return clew.HitlResolvedData{}, nil
}

func (b *bench) use(tl tool.Tool, input map[string]any) tool.Result {
	b.t.Helper()
	a, err := tl.Prepare(b.t.Context(), b.call(input))
	if err != nil {
		b.t.Fatalf("prepare: %v", err)
	}
	r, err := a.Run(b.t.Context(), newCapture())
	if err != nil {
		b.t.Fatalf("run: %v", err)
	}
	return r
}

// run runs a command and gives its output and result.
func (b *bench) run(command string) (string, tool.Result) {
	b.t.Helper()
	r := b.use(executeCommand{b.shell}, map[string]any{"command": command})
	out, _, _ := strings.Cut(r.Text, "\n\n[")
	return strings.TrimSuffix(out, "(no output)"), r
}

// secret gives a number that only one test's processes have on their command
// lines: sleep takes it as a very long time.
func secret() string { return strconv.Itoa(1_000_000_000 + int(time.Now().UnixNano()%900_000_000)) }

// alive lists processes with a word on their command line.
func alive(word string) []int {
	var list []int
	for _, pid := range pids() {
		b, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
		if err == nil && pid != os.Getpid() && bytes.Contains(b, []byte("sleep\x00"+word)) {
			list = append(list, pid)
		}
	}
	return list
}

func TestPrepareSaysWhatWillRun(t *testing.T) {
	eachSandbox(t, func(t *testing.T, opts Options) {
		opts.Env = map[string]string{"EXTRA": "x y", "BASH_ENV": "/evil", "BASH_FUNC_ls%%": "() { evil; }", "CLEW_CALL": "mine", "": "z"}
		b := newBench(t, opts)
		if err := os.Mkdir(filepath.Join(b.ws.Dir, "sub"), 0o755); err != nil {
			t.Fatal(err)
		}
		call := b.call(map[string]any{"command": "echo hi\necho there", "cwd": "sub"})
		a, err := executeCommand{b.shell}.Prepare(t.Context(), call)
		if err != nil {
			t.Fatal(err)
		}
		e := a.Effect
		if got := strings.Join(e.Argv, "|"); got != "/bin/bash|--noprofile|--norc|-c|echo hi\necho there" {
			t.Errorf("argv %q", got)
		}
		if e.Directory != filepath.Join(b.ws.Dir, "sub") || e.Sandbox != opts.Sandbox || e.Summary != "run: echo hi …" {
			t.Errorf("effect %+v", e)
		}
		if e.Network != (opts.Sandbox == SandboxNone) || a.Protected || a.Refused != "" || a.Ask != clew.AskCommand {
			t.Errorf("action %+v", a)
		}
		if e.Environment["EXTRA"] != "x y" || e.Environment["BASH_ENV"] != "" || len(e.Environment) != 10 {
			t.Errorf("environment %v", e.Environment)
		}
		again, err := executeCommand{b.shell}.Prepare(t.Context(), call)
		if err != nil {
			t.Fatal(err)
		}
		spec := executeCommand{b.shell}.Spec()
		if a.Digest(spec, call) != nil || again.Digest(spec, call) != nil || a.Effect.Digest != again.Effect.Digest {
			t.Error("the same call has two digests: an approval would not survive a restart")
		}
	})
}

// After a rewind the same call has another key, and so another mark. What was
// approved is the same.
func TestMarkIsNotApproved(t *testing.T) {
	b := newBench(t, Options{Sandbox: SandboxNone, Marker: "here"})
	spec, digests, marks := executeCommand{b.shell}.Spec(), map[string]bool{}, map[string]bool{}
	for _, id := range []string{"task_1/0.2/call_1", "task_1/9.2/call_1"} {
		call := b.call(map[string]any{"command": "echo $CLEW_CALL"})
		call.ID = id
		a, err := executeCommand{b.shell}.Prepare(t.Context(), call)
		if err != nil {
			t.Fatal(err)
		}
		if err := a.Digest(spec, call); err != nil {
			t.Fatal(err)
		}
		r, err := a.Run(t.Context(), newCapture())
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(r.Text, "here.") {
			t.Errorf("the process has the mark %q", r.Text)
		}
		digests[a.Effect.Digest] = true
		mark, _, _ := strings.Cut(r.Text, "\n")
		marks[mark] = true
	}
	if len(digests) != 1 || len(marks) != 2 {
		t.Errorf("one call before and after a rewind has %d digests and %d marks", len(digests), len(marks))
	}
}

// Limits are a part of what is approved where they are not the usual ones.
func TestUnusualLimitsAreShown(t *testing.T) {
	for memory, want := range map[int64]*clew.CommandLimits{limit.Default().Memory: nil, 64 << 20: {MemoryMB: 64}} {
		limits := limit.Default()
		limits.Memory = memory
		b := newBench(t, Options{Limits: limits})
		a, err := executeCommand{b.shell}.Prepare(t.Context(), b.call(map[string]any{"command": "true"}))
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(a.Effect.Limits, want) {
			t.Errorf("with %d bytes of memory: %+v", memory, a.Effect.Limits)
		}
	}
}

func TestPrepareRefuses(t *testing.T) {
	b := newBench(t, Options{Sandbox: SandboxNone})
	outside := t.TempDir()
	for _, err := range []error{
		os.Symlink(outside, filepath.Join(b.ws.Dir, "out")),
		os.Symlink("../..", filepath.Join(b.ws.Dir, "up")),
		os.Mkdir(filepath.Join(b.ws.Dir, "ignored"), 0o755),
		os.WriteFile(filepath.Join(b.ws.Dir, "file"), nil, 0o600),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, in := range []map[string]any{
		{}, {"command": ""}, {"command": " \n"}, {"command": 7}, {"command": "a\x00b"}, {"command": "x", "unknown": 1},
		{"command": strings.Repeat("x", maxCommand+1)}, {"command": "x", "timeout_sec": -1}, {"command": "x", "timeout_sec": 3601},
		{"command": "x", "cwd": ".."}, {"command": "x", "cwd": "/"}, {"command": "x", "cwd": outside}, {"command": "x", "cwd": "out"},
		{"command": "x", "cwd": "up"}, {"command": "x", "cwd": "file"}, {"command": "x", "cwd": "missing"}, {"command": "x", "cwd": "ignored"},
		{"command": "x", "cwd": "a\x00b"},
	} {
		_, err := executeCommand{b.shell}.Prepare(t.Context(), b.call(in))
		var input *tool.InputError
		if !asInput(err, &input) {
			t.Errorf("%.60v: %v", in, err)
		}
	}
}

func asInput(err error, into **tool.InputError) bool {
	e, ok := err.(*tool.InputError) //nolint:errorlint // it is never wrapped
	*into = e
	return ok
}

func TestSpecs(t *testing.T) {
	s := New(func(context.Context) Options { return Options{} })
	defer s.Close()
	want := map[string]clew.ToolClass{
		"execute_command": clew.ClassOnce, "read_output": clew.ClassReadOnly, "stop_command": clew.ClassRepeatable,
	}
	for _, tl := range s.Tools() {
		spec := tl.Spec()
		if spec.Class != want[spec.Name] || spec.Group != tool.GroupCommand || len(spec.Description) < 40 || !json.Valid(spec.Schema) {
			t.Errorf("%+v", spec)
		}
		delete(want, spec.Name)
	}
	if len(want) > 0 {
		t.Errorf("missing: %v", want)
	}
}

func TestChooseSandbox(t *testing.T) {
	kind, _ := Probe()
	if got, protected, refused := chooseSandbox(SandboxNone); got != SandboxNone || protected || refused != "" {
		t.Error("none was chosen by the operator")
	}
	got, protected, _ := chooseSandbox(SandboxAuto)
	if got != kind || protected != (kind == SandboxNone) {
		t.Errorf("auto came to %s, protected %v; the machine has %s", got, protected, kind)
	}
	_, _, refused := chooseSandbox(SandboxBwrap)
	if (refused != "") != (kind == SandboxNone) {
		t.Errorf("refused %q; the machine has %s", refused, kind)
	}
}
