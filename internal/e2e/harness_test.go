// Package e2e runs the real program: it builds clew, starts it as a process of
// its own, and looks at it from outside.
package e2e

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	procs "github.com/clew-run/clew/internal/e2e/proc"
)

// The tests' own limits on an outside process.
const (
	readyWithin = 60 * time.Second
	stopWithin  = 30 * time.Second
)

var tmp string // of this run: the program, and nothing that outlives it

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "clew-e2e-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	tmp = dir
	code := m.Run()
	_ = os.RemoveAll(tmp)
	os.Exit(code)
}

// program builds clew once per run. CLEW_E2E_RACE=1 builds it with the race
// detector; CLEW_E2E_PROGRAM names one that is built already.
var program = sync.OnceValues(func() (string, error) {
	if bin := os.Getenv("CLEW_E2E_PROGRAM"); bin != "" {
		return bin, nil
	}
	bin := filepath.Join(tmp, "clew")
	args := []string{"build", "-o", bin}
	if os.Getenv("CLEW_E2E_RACE") == "1" {
		args = append(args, "-race")
	}
	cmd := exec.Command("go", append(args, "./cmd/clew")...)
	cmd.Dir = root()
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("go build: %w\n%s", err, out)
	}
	return bin, nil
})

func programPath(t testing.TB) string {
	t.Helper()
	bin, err := program()
	if err != nil {
		t.Fatal(err)
	}
	return bin
}

// root is the top of the repository.
func root() string {
	_, file, _, _ := runtime.Caller(0)
	return filepath.Join(filepath.Dir(file), "..", "..")
}

// options say how a server is started. Rates are off unless env sets them.
type options struct {
	dir string            // data directory; "" makes one
	env map[string]string // settings, without the prefix CLEW_
}

// A proc is the program as a process, on one directory and one port over all
// its lives. It belongs to one goroutine, except for the output.
type proc struct {
	t    testing.TB
	bin  string
	dir  string
	env  []string
	port int

	cmd    *exec.Cmd
	exited chan error
	out    *output
}

// unlimited switches off the rates, which a test would reach at once.
var unlimited = map[string]string{
	"LIMITS_CONNECTS_PER_MINUTE": "0", "LIMITS_LOCAL_CONNECTS_PER_MINUTE": "0",
	"LIMITS_MESSAGES_PER_MINUTE": "0", "LIMITS_HITL_PER_MINUTE": "0", "LIMITS_REQUESTS_PER_MINUTE": "0",
	"LOG_LEVEL": "warn", "STOP_AFTER": "20s",
}

func newProc(t testing.TB, o options) *proc {
	t.Helper()
	p := &proc{t: t, bin: programPath(t), dir: o.dir, port: freePort(t), out: &output{}}
	if p.dir == "" {
		p.dir = t.TempDir()
	}
	p.env = environment(o.env)
	t.Cleanup(func() {
		p.kill()
		if bad := p.out.fault(); bad != "" {
			t.Errorf("the server broke:\n%s", bad)
		}
		if t.Failed() {
			t.Logf("what the server said:\n%s", p.out.tail(3000))
		}
	})
	return p
}

// environment is that of the tests without their CLEW_ variables, and settings.
func environment(settings map[string]string) []string {
	var env []string
	for _, kv := range os.Environ() {
		if !strings.HasPrefix(kv, "CLEW_") {
			env = append(env, kv)
		}
	}
	for k, v := range unlimited {
		if _, set := settings[k]; !set {
			env = append(env, "CLEW_"+k+"="+v)
		}
	}
	for k, v := range settings {
		env = append(env, "CLEW_"+k+"="+v)
	}
	return env
}

// startServer starts a server and waits until it is ready.
func startServer(t testing.TB, o options) *proc {
	t.Helper()
	p := newProc(t, o)
	if err := p.start(); err != nil {
		t.Fatal(err)
	}
	return p
}

// spawn starts the process; ready is closed when it says so.
func (p *proc) spawn() (ready <-chan struct{}, err error) {
	p.cmd = exec.Command(p.bin, "serve", "--listen", fmt.Sprintf("127.0.0.1:%d", p.port), "--data", p.dir)
	p.cmd.Env = p.env
	p.cmd.Stderr = p.out
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	stdout, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	up := make(chan struct{})
	exited := make(chan error, 1)
	p.exited = exited
	started := make(chan error)
	cmd := p.cmd
	go func() {
		// The kernel sends the death signal when the thread that started the
		// process ends, so the thread stays until the process is gone.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		if err := cmd.Start(); err != nil {
			started <- err
			return
		}
		started <- nil
		p.listen(stdout, up)
		exited <- cmd.Wait()
		close(exited)
	}()
	return up, <-started
}

// listen copies stdout and notices the ready line.
func (p *proc) listen(stdout io.Reader, up chan struct{}) {
	lines := bufio.NewScanner(stdout)
	for lines.Scan() {
		fmt.Fprintln(p.out, lines.Text())
		if strings.HasPrefix(lines.Text(), "clew: ready ") {
			close(up)
		}
	}
}

func (p *proc) start() error {
	ready, err := p.spawn()
	if err != nil {
		return err
	}
	select {
	case <-ready:
		return nil
	case err := <-p.exited:
		p.cmd = nil
		return fmt.Errorf("the server ended before it was ready: %w\n%s", err, p.out.tail(4000))
	case <-time.After(readyWithin):
		p.kill()
		return errors.New("the server was not ready in time")
	}
}

// kill is kill -9.
func (p *proc) kill() {
	if p.cmd == nil {
		return
	}
	_ = p.cmd.Process.Kill() // it may be gone already
	<-p.exited
	p.cmd = nil
}

// dump ends the server with all its goroutines on record, in the file that
// CLEW_E2E_DUMP names.
func (p *proc) dump() {
	path := os.Getenv("CLEW_E2E_DUMP")
	if path == "" || p.cmd == nil {
		return
	}
	_ = p.cmd.Process.Signal(syscall.SIGQUIT) // it may be gone already
	<-p.exited
	p.cmd = nil
	if err := os.WriteFile(path, []byte(p.out.String()), 0o600); err != nil {
		p.t.Log(err)
	}
}

// stop is SIGTERM; it gives the exit code's error.
func (p *proc) stop() error {
	if p.cmd == nil {
		return errors.New("the server is not running")
	}
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		return err
	}
	select {
	case err := <-p.exited:
		p.cmd = nil
		return err
	case <-time.After(stopWithin):
		p.kill()
		return errors.New("the server did not stop in time")
	}
}

// Kill, Restart, URL and Token make a proc the server of transcripts.
func (p *proc) Kill() error { p.kill(); return nil }

func (p *proc) Restart() error { return p.start() }

func (p *proc) URL() string { return fmt.Sprintf("http://127.0.0.1:%d", p.port) }

// ownerToken reads the token that the first start made.
func (p *proc) ownerToken() string {
	b, err := os.ReadFile(filepath.Join(p.dir, "token"))
	if err != nil {
		p.t.Fatal(err)
	}
	return strings.TrimSpace(string(b))
}

// clew runs another command of the program to its end.
func (p *proc) clew(args ...string) (stdout, stderr string, code int) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, p.bin, args...)
	cmd.Env = p.env
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		p.t.Fatal(err)
	}
	return out.String(), errs.String(), cmd.ProcessState.ExitCode()
}

func freePort(t testing.TB) int {
	t.Helper()
	port, err := procs.FreePort()
	if err != nil {
		t.Fatal(err)
	}
	return port
}

// output keeps what a process says. Safe for concurrent use.
type output struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (o *output) Write(b []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.buf.Write(b)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.buf.String()
}

// fault gives what a process says when it panics or has a data race, "" if it
// did not.
func (o *output) fault() string {
	s := o.String()
	for _, sign := range []string{"DATA RACE", "panic: ", "fatal error: ", "\"panic"} {
		if i := strings.Index(s, sign); i >= 0 {
			return s[i:min(len(s), i+4000)]
		}
	}
	return ""
}

func (o *output) tail(n int) string {
	s := o.String()
	return s[max(0, len(s)-n):]
}
