package process

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/clew-run/clew/internal/notebook/jupytertest"
	"github.com/clew-run/clew/internal/supervisor"
	"github.com/clew-run/clew/internal/tool"
	"github.com/clew-run/clew/internal/tool/limit"
	"github.com/clew-run/clew/internal/tool/shell"
)

const (
	serverVariable = "CLEW_TEST_KERNEL_SERVER"
	marker         = "0123456789abcdef"
)

// TestMain also plays the server that is killed.
func TestMain(m *testing.M) {
	if os.Getenv(serverVariable) != "" {
		os.Exit(playServer())
	}
	os.Exit(m.Run())
}

// A served is what the test binary starts when it plays the server.
type served struct {
	Root, Workspace string
	Spec            Spec
}

func playServer() int {
	var s served
	if err := json.Unmarshal([]byte(os.Getenv(serverVariable)), &s); err != nil {
		fmt.Println(err)
		return 2
	}
	root, err := os.OpenRoot(s.Workspace)
	if err != nil {
		fmt.Println(err)
		return 2
	}
	k, err := starter(s.Root, time.Hour).Start(context.Background(), Start{ID: "kernel", Spec: s.Spec, Workspace: workspaceOf(s.Workspace, root)})
	if err != nil {
		fmt.Println(err)
		return 2
	}
	fmt.Println("started")
	_, _ = io.Copy(io.Discard, os.Stdin)
	k.Release()
	return 0
}

func workspaceOf(dir string, root *os.Root) *tool.Workspace {
	return &tool.Workspace{Dir: dir, Root: root, Ignored: func(string, bool) bool { return false }}
}

func starter(root string, orphan time.Duration) *Starter {
	return &Starter{
		Root: root,
		Options: func(context.Context) shell.Options {
			return shell.Options{Limits: limit.Default(), Marker: marker}
		},
		Orphan: func() time.Duration { return orphan },
	}
}

// A bench is a starter with a workspace and a kernel. At the end nothing of it is left.
type bench struct {
	*Starter
	t    *testing.T
	ws   *tool.Workspace
	spec Spec
}

// newBench has the real kernel.
func newBench(t *testing.T, orphan time.Duration) *bench {
	t.Helper()
	python := jupytertest.Python(t)
	b := newSleeper(t, orphan)
	b.spec = Kernels(t.Context(), Look{Workspace: b.ws.Dir, Python: python, Environ: map[string]string{"PATH": "/usr/bin:/bin", "HOME": "/nonexistent"}})[0]
	if b.spec.Missing != "" || b.spec.Language != "python" {
		t.Fatalf("the kernel of %s: %+v", python, b.spec)
	}
	return b
}

// newSleeper has a kernel that does nothing.
func newSleeper(t *testing.T, orphan time.Duration) *bench {
	t.Helper()
	root := filepath.Join(t.TempDir(), "r")
	if err := os.Mkdir(root, 0o700); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	opened, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = opened.Close() })
	b := &bench{Starter: starter(root, orphan), t: t, ws: workspaceOf(dir, opened)}
	b.spec = Spec{Name: "sleeper", Argv: []string{"/bin/sleep", "1000"}, Interrupt: InterruptSignal}
	t.Cleanup(func() {
		if left := b.leftovers(); len(left) > 0 {
			t.Errorf("processes are left: %v", left)
		}
	})
	return b
}

// leftovers lists the processes of kernels and their supervisors.
func (b *bench) leftovers() (list []string) {
	names, _ := filepath.Glob("/proc/[0-9]*")
	for _, name := range names {
		env, _ := os.ReadFile(filepath.Join(name, "environ"))
		args, _ := os.ReadFile(filepath.Join(name, "cmdline"))
		if bytes.Contains(env, []byte(supervisor.Mark(supervisor.Dir(b.Root, "kernel")))) || bytes.Contains(args, []byte(b.Root)) {
			list = append(list, filepath.Base(name)+" "+string(bytes.ReplaceAll(args, []byte{0}, []byte{' '})))
		}
	}
	return list
}

// start starts a kernel that is ended with the test.
func (b *bench) start(change func(*Start)) *Kernel {
	b.t.Helper()
	st := Start{ID: "kernel", Spec: b.spec, Workspace: b.ws, MemoryMB: 4096}
	if change != nil {
		change(&st)
	}
	k, err := b.Start(b.t.Context(), st)
	if err != nil {
		b.t.Fatal(err)
	}
	b.t.Cleanup(func() { b.end(k) })
	return k
}

func (b *bench) end(k *Kernel) {
	b.t.Helper()
	if err := k.Kill(); err == nil {
		b.ended(k)
	}
	k.Release()
}

func (b *bench) ended(k *Kernel) supervisor.Ended {
	b.t.Helper()
	select {
	case <-k.Done():
	case <-time.After(time.Minute):
		b.t.Fatal("the kernel does not end")
	}
	e, _ := k.Ended()
	return e
}

// forgotten says how a kernel that was found had ended, and forgets it then.
func (b *bench) forgotten(k *Kernel) (e supervisor.Ended, ended bool) {
	b.t.Helper()
	if k == nil {
		return e, false
	}
	if e, ended = k.Ended(); !ended {
		return e, false
	}
	if err := k.Forget(); err != nil {
		b.t.Error(err)
	}
	return e, true
}

// client runs code in a kernel as Jupyter does, and prints what comes of it.
const client = `
import sys, jupyter_client
c = jupyter_client.BlockingKernelClient(connection_file=sys.argv[1])
c.load_connection_file()
c.start_channels()
c.wait_for_ready(timeout=100)
if sys.argv[2] == "send":
    c.execute(sys.argv[3])
    print("sent")
else:
    print(c.execute_interactive(sys.argv[3], timeout=100)["content"]["status"])
`

func (b *bench) command(ctx context.Context, k *Kernel, how, code string) *exec.Cmd {
	return exec.CommandContext(ctx, jupytertest.Python(b.t), "-W", "ignore", "-c", client, k.ConnectionFile(), how, code)
}

// run runs code in a kernel: its output, and the status as the last line.
func (b *bench) run(k *Kernel, code string) string {
	b.t.Helper()
	out, err := b.command(b.t.Context(), k, "run", code).CombinedOutput()
	if err != nil {
		b.t.Fatalf("%v %s", err, out)
	}
	return strings.TrimSpace(string(out))
}

func needBwrap(t *testing.T) {
	t.Helper()
	if kind, reason := shell.Probe(); kind != shell.SandboxBwrap {
		if os.Getenv("CI") != "" {
			t.Fatal("the sandbox must be tested here: " + reason)
		}
		t.Skip(reason)
	}
}
