package shell

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/clew-run/clew/internal/tool/limit"
)

// Limits that need no control group hold with and without a sandbox.
func TestProcessLimits(t *testing.T) {
	eachSandbox(t, func(t *testing.T, opts Options) {
		opts.Limits = limit.Limits{Memory: 300 << 20, Processes: 64, FileSize: 1 << 20, OpenFiles: 123}
		b := newBench(t, opts)
		if out, _ := b.run("ulimit -Hc; ulimit -Hf; ulimit -Hn; ulimit -Hd"); out != "0\n1024\n123\n307200" {
			t.Errorf("%s", out)
		}
		out, r := b.run("head -c 3000000 /dev/zero >large; echo $?; stat -c %s large; head -c 3000000 /dev/zero >large")
		if !strings.Contains(out, "\n153\n1048576\n") || r.ExitCode == nil || *r.ExitCode != 128+int(syscall.SIGXFSZ) {
			t.Errorf("a file larger than the limit: %+v", r)
		}
		if opts.Sandbox == SandboxNone && os.Getuid() == 0 {
			return // root may give itself more
		}
		if out, r := b.run("ulimit -n 200 2>&1; ulimit -f 4096 2>&1"); !r.IsError || strings.Count(out, "cannot modify limit") != 2 {
			t.Errorf("a command gives itself more: %s", out)
		}
	})
}

// In a sandbox the kernel counts the processes of each command by itself, unless
// the server is root: so this asks as somebody else.
func TestProcessesAreCountedInTheSandbox(t *testing.T) {
	needBwrap(t)
	const nobody = 65534
	if os.Getuid() == 0 {
		runAs(t, nobody)
		return
	}
	b := sandboxed(t, Options{Limits: limit.Limits{Processes: 40}})
	out, r := b.run("ulimit -u; exec sh -c 'for i in $(seq 60); do sleep 60 & done'") // bash would try again for long
	if !strings.HasPrefix(out, "40\n") || !strings.Contains(out, "annot fork") {
		t.Errorf("%+v", r)
	}
	// Those of another command do not count.
	b.use(executeCommand{b.shell}, map[string]any{"command": "for i in $(seq 30); do sleep 60 & done; wait", "background": true})
	if out, r := b.run("for i in $(seq 30); do sleep 60 & done; jobs -rp | wc -l; kill $(jobs -rp)"); out != "30" {
		t.Errorf("beside another command: %+v", r)
	}
}

// runAs runs this test again as another user.
func runAs(t *testing.T, uid uint32) {
	t.Helper()
	dir, err := os.MkdirTemp("", "clew-as-*") // which that user reaches
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	self := filepath.Join(dir, "test")
	b, err := os.ReadFile("/proc/self/exe")
	if err == nil {
		err = os.WriteFile(self, b, 0o755) //nolint:gosec // that other user runs it
	}
	if err == nil {
		err = os.Chmod(dir, 0o777) //nolint:gosec // that other user writes here
	}
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), self, "-test.run=^"+t.Name()+"$", "-test.v")
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "TMPDIR="+dir)
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uid, Gid: uid}}
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "--- PASS: "+t.Name()) {
		t.Errorf("%v\n%s", err, out)
	}
}
