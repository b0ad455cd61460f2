// Package hostile attacks the real program: a scripted model calls tools as an
// enemy would, secrets are put in through every door, and the tests look for
// what came of it outside.
package hostile

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// patience is how long a test waits for an outside process.
const patience = 60 * time.Second

var tmp string // of this run: the program

func TestMain(m *testing.M) {
	if os.Getenv(peerVar) != "" {
		if err := peer(); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
		return
	}
	dir, err := os.MkdirTemp("", "clew-hostile-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	tmp = dir
	code := m.Run()
	if err := tally.print(); err != nil && code == 0 {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	_ = os.RemoveAll(tmp)
	os.Exit(code)
}

// program builds clew once per run, unless CLEW_E2E_PROGRAM names one.
var program = sync.OnceValues(func() (string, error) {
	if bin := os.Getenv("CLEW_E2E_PROGRAM"); bin != "" {
		return bin, nil
	}
	bin := filepath.Join(tmp, "clew")
	cmd := exec.Command("go", "build", "-o", bin, "./cmd/clew")
	cmd.Dir = root()
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("go build: %w\n%s", err, out)
	}
	return bin, nil
})

// root is the top of the repository.
func root() string {
	_, file, _, _ := runtime.Caller(0)
	return filepath.Join(filepath.Dir(file), "..", "..", "..")
}

// A proc is the program as a process. It belongs to the test's goroutine, except
// for the output.
type proc struct {
	t      testing.TB
	bin    string
	dir    string
	env    []string
	port   int
	cmd    *exec.Cmd
	exited chan error
	out    *output
	quit   bool // the test ended it with a dump: that is no fault
}

// startProc starts a server with further variables of its environment, as given.
func startProc(t testing.TB, env map[string]string) *proc {
	t.Helper()
	bin, err := program()
	must(t, err)
	p := &proc{t: t, bin: bin, dir: t.TempDir(), port: freePort(t), out: &output{}}
	p.env = environment(env)
	t.Cleanup(func() {
		p.kill()
		if bad := p.out.fault(); bad != "" && !p.quit {
			t.Errorf("the server broke:\n%s", bad)
		}
		if t.Failed() {
			t.Logf("what the server said:\n%s", p.out.tail(3000))
		}
	})
	must(t, p.start())
	return p
}

// environment is that of the tests without what clew reads, and more.
func environment(more map[string]string) []string {
	all := map[string]string{
		"CLEW_LIMITS_CONNECTS_PER_MINUTE": "0", "CLEW_LIMITS_LOCAL_CONNECTS_PER_MINUTE": "0", "CLEW_LIMITS_MESSAGES_PER_MINUTE": "0",
		"CLEW_LIMITS_HITL_PER_MINUTE": "0", "CLEW_LIMITS_REQUESTS_PER_MINUTE": "0",
		"CLEW_LOG_LEVEL": "warn", "CLEW_STOP_AFTER": "10s", "CLEW_SECRETS_BACKEND": "file",
	}
	for k, v := range more {
		all[k] = v
	}
	var env []string
	for _, kv := range os.Environ() {
		if !strings.HasPrefix(kv, "CLEW_") && !strings.HasPrefix(kv, "ANTHROPIC_") && !strings.HasPrefix(kv, "OPENAI_") {
			env = append(env, kv)
		}
	}
	for k, v := range all {
		env = append(env, k+"="+v)
	}
	return env
}

func (p *proc) start() error {
	// Cores are allowed as far as they can be: the server has to forbid them.
	var cores syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_CORE, &cores) == nil {
		cores.Cur = cores.Max
		_ = syscall.Setrlimit(syscall.RLIMIT_CORE, &cores)
	}
	p.cmd = exec.Command(p.bin, "serve", "--listen", fmt.Sprintf("127.0.0.1:%d", p.port), "--data", p.dir)
	p.cmd.Env, p.cmd.Stderr = p.env, p.out
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	stdout, err := p.cmd.StdoutPipe()
	if err != nil {
		return err
	}
	ready, started := make(chan struct{}), make(chan error)
	p.exited = make(chan error, 1)
	go func() {
		// The death signal comes when the thread that started the process ends.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := p.cmd.Start()
		started <- err
		if err != nil {
			return
		}
		p.listen(stdout, ready)
		p.exited <- p.cmd.Wait()
		close(p.exited)
	}()
	if err := <-started; err != nil {
		return err
	}
	select {
	case <-ready:
		return nil
	case err := <-p.exited:
		return fmt.Errorf("the server ended before it was ready: %w\n%s", err, p.out.tail(4000))
	case <-time.After(patience):
		return errors.New("the server was not ready in time")
	}
}

// listen copies stdout and notices the ready line.
func (p *proc) listen(stdout io.Reader, ready chan struct{}) {
	lines := bufio.NewScanner(stdout)
	for lines.Scan() {
		fmt.Fprintln(p.out, lines.Text())
		if strings.HasPrefix(lines.Text(), "clew: ready ") {
			close(ready)
		}
	}
}

func (p *proc) kill() {
	if p.cmd == nil {
		return
	}
	_ = p.cmd.Process.Kill() // it may be gone already
	<-p.exited
	p.cmd = nil
}

// dump ends the server as a crash would, with all goroutines on stderr.
func (p *proc) dump() {
	p.quit = true
	_ = p.cmd.Process.Signal(syscall.SIGQUIT)
	select {
	case <-p.exited:
		p.cmd = nil
	case <-time.After(patience):
		p.t.Fatal("the server did not end")
	}
}

func (p *proc) url() string { return fmt.Sprintf("http://127.0.0.1:%d", p.port) }

func (p *proc) token() string {
	b, err := os.ReadFile(filepath.Join(p.dir, "token"))
	must(p.t, err)
	return strings.TrimSpace(string(b))
}

// rest makes a request as the owner and gives all that came back, headers too.
func (p *proc) rest(method, path, body string) string {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, method, p.url()+path, strings.NewReader(body))
	must(p.t, err)
	req.Header.Set("Authorization", "Bearer "+p.token())
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	resp, err := http.DefaultClient.Do(req)
	must(p.t, err)
	defer func() { _ = resp.Body.Close() }()
	var all bytes.Buffer
	fmt.Fprintln(&all, resp.Status, resp.Header)
	_, err = io.Copy(&all, resp.Body)
	must(p.t, err)
	return all.String()
}

// clew runs another command of the program and gives all it says.
func (p *proc) clew(args ...string) string {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, p.bin, args...)
	cmd.Env = p.env
	out, _ := cmd.CombinedOutput() // what it says is what counts
	return string(out)
}

// freePort picks a port below those that the system gives to clients.
func freePort(t testing.TB) int {
	t.Helper()
	for range 100 {
		port := 15000 + rand.IntN(15000)
		l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port))
		if err != nil {
			continue
		}
		_ = l.Close()
		return port
	}
	t.Fatal("no free port")
	return 0
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

// fault gives what a process says when it breaks, "" if it did not.
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

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
