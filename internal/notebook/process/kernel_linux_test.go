package process

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/clew-run/clew/internal/poll"
	"github.com/clew-run/clew/internal/supervisor"
	"github.com/clew-run/clew/internal/tool/limit"
	"github.com/clew-run/clew/internal/tool/shell"
)

// A kernel runs in the sandbox: it has its sockets and the workspace, and neither the
// network, nor other files, nor the server's secrets, nor its supervisor.
func TestSandbox(t *testing.T) {
	needBwrap(t)
	t.Setenv("CLEW_SECRET_KEY", "hunter2")
	b := newBench(t, time.Hour)
	outside := filepath.Join(t.TempDir(), "outside")
	k := b.start(func(s *Start) { s.Env = map[string]string{"MINE": "yes"} })
	if k.Sandbox() != "bwrap" || !k.Signals() {
		t.Errorf("%+v", k.about)
	}
	for code, want := range map[string]string{
		"print(6*7)": "42\nok",
		"open('made', 'w').write('x'); import os; print(os.getcwd(), os.environ['MINE'])":                                b.ws.Dir + " yes\nok",
		"import os; print([k for k in os.environ if 'SECRET' in k])":                                                     "[]\nok",
		"import socket; s = socket.socket(); s.settimeout(5); print(s.connect_ex(('192.0.2.1', 80)) in (101, 100, 113))": "True\nok",
		"import os; os.makedirs('" + filepath.Dir(outside) + "', exist_ok=True); open('" + outside + "', 'w').close()":   "ok", // in a /tmp of its own
		"open('/usr/clew-test', 'w')":                                  "error",
		"import sys; open(sys.prefix + '/clew-test', 'w')":             "error",
		"import os; print(sorted(os.listdir('" + k.held.Dir() + "')))": "['k']\nok",
	} {
		got := b.run(k, code)
		if want == "error" && !strings.HasSuffix(got, "error") || want != "error" && got != want {
			t.Errorf("%s\ngives %s\nand not %s", code, got, want)
		}
	}
	if _, err := os.Stat(filepath.Join(b.ws.Dir, "made")); err != nil {
		t.Error("the workspace:", err)
	}
	if _, err := os.Stat(outside); err == nil {
		t.Error("it wrote outside of the workspace")
	}
	for _, name := range []string{k.ConnectionFile(), shownConnectionFile(k.held.Dir())} {
		if info, err := os.Stat(name); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("the connection file: %v %v", info, err)
		}
	}
	if sockets, _ := filepath.Glob(filepath.Join(socketDir(k.held.Dir()), "s-*")); len(sockets) != 5 {
		t.Errorf("sockets: %v", sockets)
	}
}

// To start a kernel runs nothing of the workspace, whatever its files are called, and yet
// cells import from where they run.
func TestStartRunsNothingOfTheWorkspace(t *testing.T) {
	b := newBench(t, time.Hour)
	shadow := "open('ran', 'a').write(__name__ + ' ')\nraise ImportError\n"
	files(t, b.ws.Dir, map[string]string{
		"ipykernel_launcher.py": shadow, "ipykernel/__init__.py": shadow, "runpy.py": shadow, "sitecustomize.py": shadow, "traitlets.py": shadow, "json.py": shadow,
		"mymodule.py": "x = 42\n",
	})
	spec := b.spec
	jupyter := files(t, t.TempDir(), map[string]string{
		"kernels/own/kernel.json": `{"argv":["` + spec.Argv[0] + `","-Xfrozen_modules=off","-m","ipykernel_launcher","-f","{connection_file}"],"display_name":"Own","language":"python"}`,
	})
	found := Kernels(t.Context(), Look{Workspace: b.ws.Dir, Python: spec.Argv[0], Environ: map[string]string{"PATH": "/usr/bin:/bin", "HOME": "/nonexistent", "JUPYTER_PATH": jupyter}})
	// Without a sandbox the workspace is HOME, where a Python that is no environment has
	// packages of its person.
	ran := map[string]string{}
	for minor := range 20 {
		site := fmt.Sprintf(".local/lib/python3.%d/site-packages/", minor)
		ran[site+"usercustomize.py"], ran[site+"planted.pth"] = shadow, "import os; open('ran', 'a').write('pth ')\n"
	}
	files(t, b.ws.Dir, ran)
	tried := []Spec{spec, named(t, found, "own")}
	real, err := filepath.EvalSymlinks(spec.Argv[0])
	packages, _ := filepath.Glob(filepath.Join(filepath.Dir(filepath.Dir(spec.Argv[0])), "lib/python3*/site-packages"))
	if err == nil && len(packages) == 1 {
		bare := spec
		bare.Argv, bare.Env = append([]string{real}, spec.Argv[1:]...), map[string]string{"PYTHONPATH": packages[0]}
		tried = append(tried, bare)
	}
	held := b.Options
	for i, s := range tried {
		b.Options = func(ctx context.Context) shell.Options {
			o := held(ctx)
			if i == 2 {
				o.Sandbox = shell.SandboxNone
			}
			return o
		}
		k := b.start(func(st *Start) { st.Spec = s })
		if got := b.run(k, "import os; print(os.path.exists('ran'))"); got != "False\nok" {
			said, _ := os.ReadFile(filepath.Join(b.ws.Dir, "ran"))
			t.Errorf("%q: %s %s", s.Argv, got, said)
		}
		if got := b.run(k, "import mymodule, sys; print(mymodule.x, sys.argv[0].endswith('ipykernel_launcher.py'))"); got != "42 True\nok" {
			t.Errorf("%q: %s", s.Argv, got)
		}
		b.end(k)
	}
}

// SIGINT reaches the kernel inside of the sandbox, and not the sandbox.
func TestInterrupt(t *testing.T) {
	b := newBench(t, time.Hour)
	k := b.start(nil)
	cmd := b.command(t.Context(), k, "run", "open('begun', 'w').close()\nimport time\nfor _ in range(6000): time.sleep(0.01)")
	var out strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	poll.Until(t, "the cell begins", func() bool { _, err := os.Stat(filepath.Join(b.ws.Dir, "begun")); return err == nil })
	if err := k.Interrupt(); err != nil {
		t.Error(err)
	}
	if err := cmd.Wait(); err != nil || !strings.Contains(out.String(), "KeyboardInterrupt") {
		t.Errorf("%v %s", err, &out)
	}
	if got := b.run(k, "print('alive')"); got != "alive\nok" {
		t.Error(got)
	}
}

// A server that is killed leaves the kernel, with all that it knows.
func TestServerKilled(t *testing.T) {
	b := newBench(t, time.Hour)
	raw, err := json.Marshal(served{Root: b.Root, Workspace: b.ws.Dir, Spec: b.spec})
	if err != nil {
		t.Fatal(err)
	}
	server := exec.Command(os.Args[0])
	server.Env = append(os.Environ(), serverVariable+"="+string(raw))
	if _, err := server.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := server.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil || line != "started\n" {
		t.Fatalf("%q %v", line, err)
	}
	before, err := os.ReadFile(connectionFile(supervisor.Dir(b.Root, "kernel")))
	if err != nil {
		t.Fatal(err)
	}
	_ = server.Process.Kill()
	_ = server.Wait()
	// As a server does first: what is left of commands is ended, and kernels are not.
	if n, err := shell.Sweep(t.Context(), marker); n != 0 || err != nil {
		t.Errorf("%d processes were ended: %v", n, err)
	}
	k, err := b.Find(t.Context(), "kernel")
	if err != nil {
		t.Fatal(err)
	}
	if after, err := os.ReadFile(k.ConnectionFile()); err != nil || string(after) != string(before) {
		t.Errorf("the connection is another: %v", err)
	}
	b.run(k, "x = 41")
	k.Release()
	started := time.Now()
	if k, err = b.Find(t.Context(), "kernel"); err != nil {
		t.Fatal(err)
	}
	t.Logf("found again after %v", time.Since(started))
	if got := b.run(k, "print(x + 1)"); got != "42\nok" {
		t.Error(got)
	}
	if k.ID() != "kernel" || k.Name() != b.spec.Name || !k.Signals() {
		t.Errorf("%+v", k.about)
	}
	b.end(k)
	k, err = b.Find(t.Context(), "kernel")
	if e, ended := b.forgotten(k); !ended || e.Why != supervisor.WhyKilled {
		t.Errorf("after its end: %v %v", e, err)
	}
	if _, err := b.Find(t.Context(), "kernel"); !errors.Is(err, ErrNone) {
		t.Errorf("forgotten: %v", err)
	}
}

// A supervisor that is killed takes the kernel along.
func TestSupervisorKilled(t *testing.T) {
	b := newBench(t, time.Hour)
	k := b.start(nil)
	b.run(k, "import subprocess; subprocess.Popen(['sleep', '1000'], start_new_session=True)")
	if err := syscall.Kill(b.All()[0].Supervisor, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	if e := b.ended(k); e.Why != supervisor.WhyLost {
		t.Errorf("%+v", e)
	}
	if left := b.leftovers(); len(left) > 0 {
		t.Errorf("left at Done: %v", left)
	}
}

// Nobody comes back: the kernel ends.
func TestOrphan(t *testing.T) {
	b := newBench(t, 0)
	k := b.start(nil)
	b.run(k, "1")
	k.Release()
	poll.Until(t, "its end", func() bool { return !b.All()[0].Running })
	k, err := b.Find(t.Context(), "kernel")
	if e, ended := b.forgotten(k); !ended || e.Why != supervisor.WhyOrphan {
		t.Errorf("%v %v", e, err)
	}
	if left := b.leftovers(); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}

// What a kernel may use of memory is bounded, and a kernel that ends by itself is known
// with its last words.
func TestHowAKernelEnds(t *testing.T) {
	b := newBench(t, time.Hour)
	k := b.start(func(s *Start) { s.MemoryMB = 1024 })
	if got := b.run(k, "x = bytearray(1 << 30)"); !strings.Contains(got, "MemoryError") {
		t.Errorf("it has more memory than it may: %s", got)
	}
	if out, err := b.command(t.Context(), k, "send", "import os, sys; os.write(2, b'the end\\n'); sys.__stderr__.flush(); os._exit(9)").CombinedOutput(); err != nil {
		t.Fatalf("%v %s", err, out)
	}
	e := b.ended(k)
	if e.Why != supervisor.WhyExited || e.Code != 9 {
		t.Errorf("%+v", e)
	}
	t.Logf("%s", How(e))
}

// A kernel that eats memory at its start ends, and says why.
func TestMemoryEater(t *testing.T) {
	b := newBench(t, time.Hour)
	eater := b.spec
	eater.Argv = []string{b.spec.Argv[0], "-c", "x = []\nwhile True: x.append(bytearray(1 << 24))", "{connection_file}"}
	k := b.start(func(s *Start) { s.Spec, s.MemoryMB = eater, 256 })
	e := b.ended(k)
	if e.Code != 1 || !strings.Contains(How(e), "MemoryError") {
		t.Errorf("%+v", e)
	}
}

func TestWhatIsNotStarted(t *testing.T) {
	b := newBench(t, time.Hour)
	lacking := b.spec
	lacking.Missing = "get it with: pip install ipykernel"
	if _, err := b.Start(t.Context(), Start{ID: "kernel", Spec: lacking, Workspace: b.ws}); err == nil || !strings.Contains(err.Error(), "pip install") {
		t.Errorf("%v", err)
	}
	if _, err := b.Find(t.Context(), "kernel"); !errors.Is(err, ErrNone) {
		t.Errorf("%v", err)
	}
	k := b.start(nil)
	if _, err := b.Start(t.Context(), Start{ID: "kernel", Spec: b.spec, Workspace: b.ws}); !errors.Is(err, supervisor.ErrRunning) {
		t.Errorf("twice: %v", err)
	}
	if got := b.run(k, "print(1)"); got != "1\nok" {
		t.Error("the first one is not as it was:", got)
	}
}

// Where commands have no sandbox, kernels have none either: a person is always asked,
// and all that they start is still ended.
func TestWithoutSandbox(t *testing.T) {
	b := newBench(t, time.Hour)
	options := b.Options
	b.Options = func(ctx context.Context) shell.Options { o := options(ctx); o.Sandbox = shell.SandboxNone; return o }
	k := b.start(nil)
	if k.Sandbox() != shell.SandboxNone {
		t.Error(k.Sandbox())
	}
	b.run(k, "import subprocess; subprocess.Popen(['setsid', 'sleep', '1000'], start_new_session=True)")
	if err := k.Interrupt(); err != nil {
		t.Error(err)
	}
	if got := b.run(k, "print('alive')"); got != "alive\nok" {
		t.Error(got)
	}
	b.end(k)
	if left := b.leftovers(); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}

func TestEffect(t *testing.T) {
	b := newBench(t, time.Hour)
	own := b.spec
	own.FromWorkspace = true
	e, protected, refused := b.Effect(t.Context(), Start{ID: "kernel", Spec: own, Workspace: b.ws, Network: true})
	if !protected || refused != "" || !e.Network || e.Directory != b.ws.Dir || e.Argv[0] != own.Argv[0] || !strings.Contains(e.Command, " -m ipykernel_launcher -f /") {
		t.Errorf("%+v %v %v", e, protected, refused)
	}
	if e, protected, _ = b.Effect(t.Context(), Start{ID: "kernel", Spec: b.spec, Workspace: b.ws}); protected != (e.Sandbox == shell.SandboxNone) || e.Limits != nil && limit.Default().Unusual() == nil {
		t.Errorf("%+v %v", e, protected)
	}
}

// A kernel is guarded from the files that there were when it began. It can read what
// somebody saves since, and then it does not count as guarded any more.
func TestGuardedUntilSaved(t *testing.T) {
	needBwrap(t)
	b := newBench(t, time.Hour)
	files(t, b.ws.Dir, map[string]string{".env": "old"})
	guard := func(name string) (hide, readOnly bool) { return name == ".env", false }
	held := b.Options
	b.Options = func(ctx context.Context) shell.Options { o := held(ctx); o.Guard = guard; return o }
	k := b.start(nil)
	h, _ := b.Hold("kernel")
	if got := b.run(k, "print(open('.env').read())"); strings.Contains(got, "old") || !h.Guarded || !shell.StillGuarded(b.ws, guard, h.Masked) {
		t.Errorf("%s, %+v", got, h)
	}
	files(t, b.ws.Dir, map[string]string{".env.tmp": "new"})
	if err := os.Rename(filepath.Join(b.ws.Dir, ".env.tmp"), filepath.Join(b.ws.Dir, ".env")); err != nil {
		t.Fatal(err)
	}
	if shell.StillGuarded(b.ws, guard, h.Masked) {
		t.Errorf("it counts as guarded, and reads %s", b.run(k, "print(open('.env').read())"))
	}
}

// What a kernel was started with is on record, and stays so whatever is wanted later.
func TestHold(t *testing.T) {
	needBwrap(t)
	b := newSleeper(t, time.Hour)
	if h, ok := b.Hold("kernel"); ok {
		t.Errorf("before there is one: %+v", h)
	}
	guard := func(name string) (hide, readOnly bool) { return strings.HasSuffix(name, ".env"), false }
	for range 210 { // more than can be guarded
		d, err := os.MkdirTemp(b.ws.Dir, "d")
		if err != nil {
			t.Fatal(err)
		}
		files(t, d, map[string]string{".env": ""})
	}
	none := func(string) (hide, readOnly bool) { return false, false }
	for name, c := range map[string]struct {
		sandbox string
		network bool
		guard   func(string) (hide, readOnly bool)
		want    Hold
	}{
		"offline":           {"bwrap", false, nil, Hold{Sandbox: "bwrap"}},
		"online":            {"bwrap", true, nil, Hold{Sandbox: "bwrap", Network: true}},
		"guarded":           {"bwrap", false, none, Hold{Sandbox: "bwrap", Guarded: true}},
		"too much to guard": {"bwrap", false, guard, Hold{Sandbox: "bwrap"}},
		"none":              {"none", false, none, Hold{Sandbox: "none", Network: true}},
	} {
		s := &Starter{Root: b.Root, Orphan: b.Orphan, Options: func(ctx context.Context) shell.Options {
			o := b.Options(ctx)
			o.Sandbox, o.Guard = c.sandbox, c.guard
			return o
		}}
		k, err := s.Start(t.Context(), Start{ID: "kernel", Spec: b.spec, Workspace: b.ws, Network: c.network})
		if err != nil {
			t.Fatal(err)
		}
		if h, ok := b.Hold("kernel"); !ok || !reflect.DeepEqual(h, c.want) {
			t.Errorf("%s: %+v %v", name, h, ok)
		}
		b.end(k)
		if err := k.Forget(); err != nil {
			t.Fatal(err)
		}
		if h, ok := b.Hold("kernel"); ok {
			t.Errorf("%s: of one that is gone: %+v", name, h)
		}
	}
	if err := errors.Join(os.Mkdir(supervisor.Dir(b.Root, "early"), 0o700), prepare(supervisor.Dir(b.Root, "early"), about{ID: "early"})); err != nil {
		t.Fatal(err)
	}
	if h, ok := b.Hold("early"); ok {
		t.Errorf("before it is decided what holds it: %+v", h)
	}
	files(t, supervisor.Dir(b.Root, "old"), map[string]string{"kernel.json": `{"id":"old","sandbox":"bwrap"}`})
	if h, _ := b.Hold("old"); !reflect.DeepEqual(h, Hold{Sandbox: "bwrap", Network: true}) {
		t.Errorf("of an earlier version: %+v", h)
	}
}
