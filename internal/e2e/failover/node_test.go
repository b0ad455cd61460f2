// Package failover shows what happens when nodes and engines die: two clew
// processes on three nats-server processes.
package failover

import (
	"os"
	"syscall"
	"testing"

	"github.com/clew-run/clew/client"
	"github.com/clew-run/clew/internal/e2e/proc"
)

func TestMain(m *testing.M) { os.Exit(proc.Main(m)) }

// node is a clew process.
type node struct {
	*proc.Proc
	t testing.TB
}

func startNode(t testing.TB, engine, archive string) *node {
	t.Helper()
	n := &node{proc.New(t, proc.Program(t, ""), t.TempDir(), map[string]string{
		"CLEW_ENGINE": engine, "CLEW_JOURNAL_ARCHIVE": "file://" + archive, "CLEW_JOURNAL_PARTITIONS": "4",
	}), t}
	n.start()
	return n
}

func (n *node) start() {
	n.t.Helper()
	if err := n.Start(); err != nil {
		n.t.Fatal(err)
	}
}

func (n *node) signal(s syscall.Signal) {
	n.t.Helper()
	if err := syscall.Kill(n.Pid(), s); err != nil {
		n.t.Fatal(err)
	}
}

// stop ends the node gracefully.
func (n *node) stop() {
	n.t.Helper()
	if err := n.Stop(); err != nil {
		n.t.Errorf("exit after SIGTERM: %v", err)
	}
}

func (n *node) api() *client.API {
	n.t.Helper()
	token, err := n.Token()
	if err != nil {
		n.t.Fatal(err)
	}
	return client.NewAPI(n.URL(), token)
}
