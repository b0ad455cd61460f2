package journaltest

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// A Cluster is three real nats-server processes on loopback.
type Cluster struct {
	t     testing.TB
	bin   string
	dir   string
	ports []int
	peers []int
	procs []*exec.Cmd
	logs  []*bytes.Buffer
}

// Program is the engine's server, built once in a run.
func Program() (string, error) { return natsServer() }

var natsServer = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "clew-nats-")
	if err != nil {
		return "", err
	}
	bin := filepath.Join(dir, "nats-server")
	out, err := exec.Command("go", "build", "-o", bin, "github.com/nats-io/nats-server/v2").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("build nats-server: %w\n%s", err, out)
	}
	return bin, nil
})

// StartCluster starts three nodes that flush before every acknowledgement, and
// waits until they can make streams.
func StartCluster(t testing.TB) *Cluster {
	t.Helper()
	bin, err := natsServer()
	if err != nil {
		t.Fatal(err)
	}
	c := &Cluster{t: t, bin: bin, dir: t.TempDir(), procs: make([]*exec.Cmd, 3), logs: make([]*bytes.Buffer, 3)}
	c.ports, c.peers = freePorts(t, 3), freePorts(t, 3)
	for i := range 3 {
		c.Start(i)
	}
	t.Cleanup(func() {
		for i := range c.procs {
			c.Kill(i)
		}
	})
	c.awaitLeader()
	return c
}

func freePorts(t testing.TB, n int) []int {
	t.Helper()
	ports := make([]int, n)
	for i := range ports {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		ports[i] = l.Addr().(*net.TCPAddr).Port
	}
	return ports
}

// Start starts node i, with what it had on disk.
func (c *Cluster) Start(i int) {
	c.t.Helper()
	var routes []string
	for _, p := range c.peers {
		routes = append(routes, fmt.Sprintf("nats-route://127.0.0.1:%d", p))
	}
	conf := fmt.Sprintf(`
server_name: n%d
listen: 127.0.0.1:%d
max_payload: 8MB
jetstream { store_dir: %q, sync_interval: always, max_mem: 256MB, max_file: 20GB }
cluster { name: clew, listen: 127.0.0.1:%d, routes: [%s] }
`, i, c.ports[i], filepath.Join(c.dir, fmt.Sprint(i)), c.peers[i], strings.Join(routes, ", "))
	file := filepath.Join(c.dir, fmt.Sprintf("n%d.conf", i))
	if err := os.WriteFile(file, []byte(conf), 0o600); err != nil {
		c.t.Fatal(err)
	}
	c.logs[i] = new(bytes.Buffer)
	cmd := exec.Command(c.bin, "-c", file)
	cmd.Stderr = c.logs[i]
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := cmd.Start(); err != nil {
		c.t.Fatal(err)
	}
	c.procs[i] = cmd
}

// Kill kills node i with SIGKILL.
func (c *Cluster) Kill(i int) {
	if p := c.procs[i]; p != nil {
		_ = p.Process.Kill()
		_ = p.Wait()
		c.procs[i] = nil
	}
}

// URL gives the addresses of all nodes.
func (c *Cluster) URL() string {
	var urls []string
	for _, p := range c.ports {
		urls = append(urls, fmt.Sprintf("nats://127.0.0.1:%d", p))
	}
	return strings.Join(urls, ",")
}

func (c *Cluster) awaitLeader() {
	c.t.Helper()
	deadline := time.Now().Add(60 * time.Second)
	for time.Now().Before(deadline) {
		if c.tryStream() == nil {
			return
		}
		time.Sleep(100 * time.Millisecond) // an outside process: nothing to wait on
	}
	c.t.Fatalf("the cluster did not elect a leader\n%s", c.logs[0])
}

func (c *Cluster) tryStream() error {
	nc, err := nats.Connect(c.URL(), nats.Timeout(time.Second))
	if err != nil {
		return err
	}
	defer nc.Close()
	js, err := jetstream.New(nc)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Second)
	defer cancel()
	if _, err := js.CreateStream(ctx, jetstream.StreamConfig{Name: "PROBE", Subjects: []string{"probe"}, Replicas: 3}); err != nil {
		return err
	}
	return js.DeleteStream(ctx, "PROBE")
}

// LeaderOf tells which node leads a stream.
func (c *Cluster) LeaderOf(stream string) (int, error) {
	info, err := c.info(stream)
	if err != nil {
		return -1, err
	}
	var n int
	if _, err := fmt.Sscanf(info.Cluster.Leader, "n%d", &n); err != nil {
		return -1, err
	}
	return n, nil
}

// Whole reports whether all replicas of a stream are there and have all of it.
func (c *Cluster) Whole(stream string) bool {
	info, err := c.info(stream)
	if err != nil || info.Cluster.Leader == "" || len(info.Cluster.Replicas) != len(c.procs)-1 {
		return false
	}
	for _, r := range info.Cluster.Replicas {
		if !r.Current || r.Offline {
			return false
		}
	}
	return true
}

func (c *Cluster) info(stream string) (*jetstream.StreamInfo, error) {
	nc, err := nats.Connect(c.URL(), nats.Timeout(time.Second))
	if err != nil {
		return nil, err
	}
	defer nc.Close()
	js, err := jetstream.New(nc)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Second)
	defer cancel()
	s, err := js.Stream(ctx, stream)
	if err != nil {
		return nil, err
	}
	return s.CachedInfo(), nil
}
