// Package proc runs the real program for tests: it builds clew, starts it as a
// process of its own, kills it and starts it again.
package proc

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/clew-run/clew/internal/child"
)

// The limits on an outside process.
const (
	readyWithin = 60 * time.Second
	stopWithin  = 30 * time.Second
)

// A Proc is the program as a process, on one directory and one port over all
// its lives. It belongs to one goroutine, except for Out and Exited.
type Proc struct {
	Dir string // the data directory
	Out *Output

	bin  string
	env  []string
	host string
	port int
	by   []string // the words that the program is started with
	cmd  *exec.Cmd
	quit bool          // a dump is no fault
	gone chan struct{} // closed when the process has ended
	err  error         // how it ended; read after gone
}

// usual switches off the rates, which a test would reach at once, and the reserve
// of the disk, which is the machine's affair.
var usual = map[string]string{
	"CLEW_LIMITS_CONNECTS_PER_MINUTE": "0", "CLEW_LIMITS_LOCAL_CONNECTS_PER_MINUTE": "0",
	"CLEW_LIMITS_MESSAGES_PER_MINUTE": "0", "CLEW_LIMITS_HITL_PER_MINUTE": "0", "CLEW_LIMITS_REQUESTS_PER_MINUTE": "0", "CLEW_DISK_RESERVE": "0",
	"CLEW_SET_COMMAND_TOOLCHAINS": "off", // what this machine has is no part of what happens
	"CLEW_AUTOSTART":              "0",   // a test says when a server starts
	"CLEW_LOG_LEVEL":              "warn", "CLEW_STOP_AFTER": "20s", "CLEW_SECRETS_BACKEND": "file",
}

// New makes a process that is not started yet. env holds further variables by
// their full names. At the end of the test the process is killed, and the test
// fails if it ever panicked.
func New(t testing.TB, bin, data string, env map[string]string) *Proc {
	t.Helper()
	port, err := FreePort()
	if err != nil {
		t.Fatal(err)
	}
	p := &Proc{Dir: data, bin: bin, host: "127.0.0.1", port: port, Out: &Output{}, env: Environment(env)}
	t.Cleanup(func() {
		p.Kill()
		if bad := p.Out.Fault(); bad != "" && !p.quit {
			t.Errorf("the server broke:\n%s", bad)
		}
		if t.Failed() {
			t.Logf("what the server said:\n%s", p.Out.Tail(3000))
		}
	})
	return p
}

// Settle has the next lives listen on another address, started by further words, as
// those that enter a namespace.
func (p *Proc) Settle(host string, by ...string) { p.host, p.by = host, by }

// Become has the next lives be of another program.
func (p *Proc) Become(bin string) { p.bin = bin }

// Setenv gives the next lives other variables than New did.
func (p *Proc) Setenv(env map[string]string) { p.env = Environment(env) }

// Environment is that of the tests without what clew reads, and more.
func Environment(more map[string]string) []string {
	var env []string
	for _, kv := range os.Environ() {
		if (!strings.HasPrefix(kv, "CLEW_") || strings.HasPrefix(kv, "CLEW_PLANTED=")) && !strings.HasPrefix(kv, "ANTHROPIC_") && !strings.HasPrefix(kv, "OPENAI_") {
			env = append(env, kv)
		}
	}
	for k, v := range usual {
		if _, set := more[k]; !set {
			env = append(env, k+"="+v)
		}
	}
	for k, v := range more {
		env = append(env, k+"="+v)
	}
	return env
}

// Start starts the program, with further variables for this life alone, and
// waits until it is ready or gone.
func (p *Proc) Start(env ...string) error {
	ready, err := p.Spawn(env...)
	if err != nil {
		return err
	}
	select {
	case <-ready:
		return nil
	case <-p.gone:
		return fmt.Errorf("the server ended before it was ready: %w\n%s", p.err, p.Out.Tail(4000))
	case <-time.After(readyWithin):
		p.Kill()
		return errors.New("the server was not ready in time")
	}
}

// Spawn starts the program without waiting for it; ready is closed when it says so.
func (p *Proc) Spawn(env ...string) (ready <-chan struct{}, err error) {
	words := append(slices.Clone(p.by), p.bin, "serve", "--listen", p.address(), "--data", p.Dir)
	cmd := exec.Command(words[0], words[1:]...)
	cmd.Env = append(append([]string{}, p.env...), env...)
	cmd.Stderr = p.Out
	child.EndWithParent(cmd)
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	up, gone, started := make(chan struct{}), make(chan struct{}), make(chan error)
	p.cmd, p.gone = cmd, gone
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
		p.err = cmd.Wait()
		close(gone)
	}()
	return up, <-started
}

// listen copies stdout and notices the ready line.
func (p *Proc) listen(stdout io.Reader, up chan struct{}) {
	lines := bufio.NewScanner(stdout)
	for lines.Scan() {
		_, _ = fmt.Fprintln(p.Out, lines.Text())
		if strings.HasPrefix(lines.Text(), "clew: ready ") {
			close(up)
		}
	}
}

// Exited is closed when the process has ended.
func (p *Proc) Exited() <-chan struct{} { return p.gone }

// Kill is kill -9. It returns when the process is gone.
func (p *Proc) Kill() {
	if p.cmd == nil || p.cmd.Process == nil {
		return
	}
	_ = p.cmd.Process.Kill() // it may be gone already
	<-p.gone
}

// Quit is SIGQUIT: the process ends as in a crash, with all goroutines in Out.
func (p *Proc) Quit() error {
	p.MayPanic()
	return p.end(syscall.SIGQUIT)
}

// MayPanic says that the test makes it panic: that is no fault.
func (p *Proc) MayPanic() { p.quit = true }

// Path is the program.
func (p *Proc) Path() string { return p.bin }

// Pid is the number of the process.
func (p *Proc) Pid() int { return p.cmd.Process.Pid }

// Stop is SIGTERM; it gives the error of the exit code.
func (p *Proc) Stop() error { return p.end(syscall.SIGTERM) }

func (p *Proc) end(signal syscall.Signal) error {
	if err := p.cmd.Process.Signal(signal); err != nil {
		return err
	}
	select {
	case <-p.gone:
		return p.err
	case <-time.After(stopWithin):
		p.Kill()
		return errors.New("the server did not stop in time")
	}
}

// URL is where the server listens.
func (p *Proc) URL() string { return "http://" + p.address() }

func (p *Proc) address() string { return fmt.Sprintf("%s:%d", p.host, p.port) }

// Token is the owner's, which the first start made.
func (p *Proc) Token() (string, error) {
	b, err := os.ReadFile(filepath.Join(p.Dir, "token"))
	return strings.TrimSpace(string(b)), err
}

// Run runs another command of the program to its end.
func (p *Proc) Run(ctx context.Context, args ...string) (stdout, stderr string, code int, err error) {
	cmd := exec.CommandContext(ctx, p.bin, args...)
	cmd.Env = p.env
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err = cmd.Run()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		err = nil
	}
	return out.String(), errs.String(), cmd.ProcessState.ExitCode(), err
}

// FreePort picks a port below those that the system gives to clients: a client
// that tries to reach a server while it is away would otherwise now and then get
// the server's port for itself and connect to itself.
func FreePort() (int, error) {
	for range 100 {
		port := 15000 + rand.IntN(15000)
		if l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port)); err == nil {
			return port, l.Close()
		}
	}
	return 0, errors.New("no free port")
}

// Output keeps what a process says. Safe for concurrent use.
type Output struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

// Write implements io.Writer.
func (o *Output) Write(b []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.buf.Write(b)
}

// String is all that was said.
func (o *Output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.buf.String()
}

// Fault gives what a process says when it panics or has a data race, "" if it
// did not.
func (o *Output) Fault() string {
	s := o.String()
	first := -1
	for _, sign := range []string{"DATA RACE", "panic: ", "fatal error: ", "\"panic", "panic="} {
		if i := strings.Index(s, sign); i >= 0 && (first < 0 || i < first) {
			first = i
		}
	}
	if first < 0 {
		return ""
	}
	line := strings.LastIndexByte(s[:first], '\n') + 1
	return s[line:min(len(s), first+8000)]
}

// Tail is the last n bytes of it.
func (o *Output) Tail(n int) string {
	s := o.String()
	return s[max(0, len(s)-n):]
}
