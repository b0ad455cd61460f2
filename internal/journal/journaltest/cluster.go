package journaltest

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/clew-run/clew/internal/child"
)

// A Cluster is three real nats-server processes, on loopback if they are given no
// other place.
type Cluster struct {
	t     testing.TB
	at    []Place
	dir   string
	ports []int
	peers []int
	procs []*exec.Cmd
	logs  []*bytes.Buffer
}

// A Place is where a server of a cluster is.
type Place struct {
	Host    string
	By      []string // the words that its program is started with, as those that enter a namespace
	Program string   // "" for the usual one
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
	here := Place{Host: "127.0.0.1"}
	return StartClusterAt(t, t.TempDir(), []Place{here, here, here})
}

// StartClusterAt is StartCluster with all that is kept below a directory, at three
// places.
func StartClusterAt(t testing.TB, dir string, at []Place) *Cluster {
	t.Helper()
	c := &Cluster{t: t, at: at, dir: dir, procs: make([]*exec.Cmd, 3), logs: make([]*bytes.Buffer, 3)}
	ports := freePorts(t, 6) // at once, so that none is given twice
	c.ports, c.peers = ports[:3], ports[3:]
	for i := range 3 {
		c.Start(i)
	}
	t.Cleanup(c.Stop)
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
	bin, err := natsServer()
	if err != nil {
		c.t.Fatal(err)
	}
	if c.at[i].Program != "" {
		bin = c.at[i].Program
	}
	var routes []string
	for n, p := range c.peers {
		routes = append(routes, fmt.Sprintf("nats-route://%s:%d", c.at[n].Host, p))
	}
	conf := fmt.Sprintf(`
server_name: n%d
listen: %s:%d
max_payload: 8MB
jetstream { store_dir: %q, sync_interval: always, max_mem: 256MB, max_file: 20GB }
cluster { name: clew, listen: %s:%d, routes: [%s], ping_interval: "2s", ping_max: 2 }
`, i, c.at[i].Host, c.ports[i], c.store(i), c.at[i].Host, c.peers[i], strings.Join(routes, ", "))
	file := filepath.Join(c.dir, fmt.Sprintf("n%d.conf", i))
	if err := os.WriteFile(file, []byte(conf), 0o600); err != nil {
		c.t.Fatal(err)
	}
	c.logs[i] = new(bytes.Buffer)
	words := append(slices.Clone(c.at[i].By), bin, "-c", file)
	cmd := exec.Command(words[0], words[1:]...)
	cmd.Stderr = c.logs[i]
	child.EndWithParent(cmd)
	if err := cmd.Start(); err != nil {
		c.t.Fatal(err)
	}
	c.procs[i] = cmd
}

// store is what node i has on disk.
func (c *Cluster) store(i int) string { return filepath.Join(c.dir, fmt.Sprint(i)) }

// Wipe kills node i and takes away what it had on disk.
func (c *Cluster) Wipe(i int) {
	c.t.Helper()
	c.Kill(i)
	if err := os.RemoveAll(c.store(i)); err != nil {
		c.t.Fatal(err)
	}
}

// Replace has node i be of another program when it starts again, "" for the usual
// one.
func (c *Cluster) Replace(i int, program string) { c.at[i].Program = program }

// StepDown has the leader of a stream leave that to another.
func (c *Cluster) StepDown(stream string) error {
	return c.do(func(ctx context.Context, js jetstream.JetStream) error {
		_, err := js.Conn().RequestWithContext(ctx, "$JS.API.STREAM.LEADER.STEPDOWN."+stream, nil)
		return err
	})
}

// Kill kills node i with SIGKILL.
func (c *Cluster) Kill(i int) {
	if p := c.procs[i]; p != nil {
		_ = p.Process.Kill()
		_ = p.Wait()
		c.procs[i] = nil
	}
}

// Stop kills all nodes.
func (c *Cluster) Stop() {
	for i := range c.procs {
		c.Kill(i)
	}
}

// URL gives the addresses of all nodes.
func (c *Cluster) URL() string {
	var urls []string
	for i := range c.ports {
		urls = append(urls, c.URLOf(i))
	}
	return strings.Join(urls, ",")
}

// URLOf gives the address of node i.
func (c *Cluster) URLOf(i int) string { return fmt.Sprintf("nats://%s:%d", c.at[i].Host, c.ports[i]) }

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
	return c.do(func(ctx context.Context, js jetstream.JetStream) error {
		if _, err := js.CreateStream(ctx, jetstream.StreamConfig{Name: "PROBE", Subjects: []string{"probe"}, Replicas: 3}); err != nil {
			return err
		}
		return js.DeleteStream(ctx, "PROBE")
	})
}

// do does something on a connection of its own.
func (c *Cluster) do(what func(context.Context, jetstream.JetStream) error) error {
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
	return what(ctx, js)
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

func (c *Cluster) info(stream string) (info *jetstream.StreamInfo, err error) {
	err = c.do(func(ctx context.Context, js jetstream.JetStream) error {
		s, err := js.Stream(ctx, stream)
		if err == nil {
			info = s.CachedInfo()
		}
		return err
	})
	return info, err
}
