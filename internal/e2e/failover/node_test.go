// Package failover shows what happens when nodes and engines die: two clew
// processes on three nats-server processes.
package failover

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/clew-run/clew/client"
)

var program = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "clew-e2e-")
	if err != nil {
		return "", err
	}
	bin := filepath.Join(dir, "clew")
	out, err := exec.Command("go", "build", "-o", bin, "github.com/clew-run/clew/cmd/clew").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("build clew: %w\n%s", err, out)
	}
	return bin, nil
})

// node is a clew process.
type node struct {
	t    testing.TB
	dir  string
	env  []string
	cmd  *exec.Cmd
	log  lockedBuffer
	url  string
	port string
}

type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

func startNode(t testing.TB, engine, archive string) *node {
	t.Helper()
	n := &node{t: t, dir: t.TempDir(), port: "0"}
	n.env = append(os.Environ(),
		"CLEW_ENGINE="+engine, "CLEW_JOURNAL_ARCHIVE=file://"+archive, "CLEW_JOURNAL_PARTITIONS=4",
		"CLEW_LIMITS_CONNECTS_PER_MINUTE=0", "CLEW_LIMITS_LOCAL_CONNECTS_PER_MINUTE=0",
		"CLEW_LIMITS_MESSAGES_PER_MINUTE=0", "CLEW_LIMITS_REQUESTS_PER_MINUTE=0", "CLEW_LOG_LEVEL=warn")
	n.start()
	t.Cleanup(func() {
		n.kill()
		if t.Failed() {
			s := n.log.String()
			t.Logf("node %s said:\n%s", n.url, s[max(0, len(s)-6000):])
		}
	})
	return n
}

func (n *node) start() {
	n.t.Helper()
	bin, err := program()
	if err != nil {
		n.t.Fatal(err)
	}
	n.cmd = exec.Command(bin, "serve", "--listen", "127.0.0.1:"+n.port, "--data", n.dir)
	n.cmd.Env, n.cmd.Stderr = n.env, &n.log
	n.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	out, err := n.cmd.StdoutPipe()
	if err != nil {
		n.t.Fatal(err)
	}
	if err := n.cmd.Start(); err != nil {
		n.t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		n.t.Fatalf("no ready line: %v\n%s", err, n.log.String())
	}
	n.url = strings.TrimSpace(strings.TrimPrefix(line, "clew: ready "))
	n.port = n.url[strings.LastIndexByte(n.url, ':')+1:]
}

func (n *node) signal(s syscall.Signal) {
	if err := n.cmd.Process.Signal(s); err != nil {
		n.t.Fatal(err)
	}
}

func (n *node) kill() {
	if n.cmd != nil {
		_ = n.cmd.Process.Signal(syscall.SIGCONT)
		_ = n.cmd.Process.Kill()
		_ = n.cmd.Wait()
		n.cmd = nil
	}
}

// stop ends the node gracefully.
func (n *node) stop() {
	n.signal(syscall.SIGTERM)
	if err := n.cmd.Wait(); err != nil {
		n.t.Errorf("exit after SIGTERM: %v", err)
	}
	n.cmd = nil
}

func (n *node) api() *client.API {
	n.t.Helper()
	token, err := os.ReadFile(filepath.Join(n.dir, "token"))
	if err != nil {
		n.t.Fatal(err)
	}
	return client.NewAPI(n.url, strings.TrimSpace(string(token)))
}

// eventually waits for an outside process.
func eventually(t testing.TB, what string, limit time.Duration, ok func() bool) time.Duration {
	t.Helper()
	start := time.Now()
	for time.Since(start) < limit {
		if ok() {
			return time.Since(start)
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatalf("%s: not within %s", what, limit)
	return 0
}
