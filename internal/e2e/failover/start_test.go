package failover

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/clew-run/clew/internal/e2e/proc"
	"github.com/clew-run/clew/internal/journal/journaltest"
)

// A node that starts before its engine waits, alive and not ready, and its log
// names the servers that are away. It is ready when they are there, and
// stops at once when it is told to.
//
// Covers: C-66
func TestNodeWaitsForTheEngine(t *testing.T) {
	if testing.Short() {
		t.Skip("starts four processes")
	}
	cluster := journaltest.StartCluster(t)
	for i := range 3 {
		cluster.Kill(i)
	}
	n := &node{proc.New(t, proc.Program(t, ""), t.TempDir(), map[string]string{
		"CLEW_ENGINE": cluster.URL(), "CLEW_JOURNAL_ARCHIVE": "file://" + t.TempDir(), "CLEW_JOURNAL_PARTITIONS": "2",
	}), t}
	servers := strings.Split(strings.ReplaceAll(cluster.URL(), "nats://", ""), ",")

	_, err := n.Spawn()
	proc.Must(t, err)
	n.says("no server answers at " + strings.Join(servers, ", "))
	if alive, serves := n.status("/healthz"), n.status("/readyz"); alive != http.StatusOK || serves != http.StatusServiceUnavailable {
		t.Errorf("while it waits, /healthz gives %d and /readyz %d", alive, serves)
	}
	if code := n.status("/api/v1/sessions"); code != http.StatusServiceUnavailable {
		t.Errorf("while it waits, sessions give %d", code)
	}
	n.stop() // without an error: it did not wait until CLEW_STOP_AFTER cut it short

	ready, err := n.Spawn()
	proc.Must(t, err)
	cluster.Start(0) // one of three is not enough
	n.says("no server answers at " + strings.Join(servers[1:], ", ") + ", and the others cannot continue")
	select {
	case <-ready:
		t.Error("it is ready with one server of three")
	default:
	}
	cluster.Start(1)
	cluster.Start(2) // streams are made on all three
	select {
	case <-ready:
	case <-n.Exited():
		t.Fatal("it gave up")
	case <-time.After(time.Minute):
		t.Fatal("it is not ready with all servers")
	}
	proc.Eventually(t, "it can append", 30*time.Second, func() bool { return n.status("/readyz") == http.StatusOK })
}

// says waits until the log has a text.
func (n *node) says(text string) {
	n.t.Helper()
	proc.Eventually(n.t, fmt.Sprintf("the log says %q", text), 30*time.Second, func() bool { return strings.Contains(n.Out.Tail(1<<20), text) })
}

// status is how the node answers a request without credentials, 0 if not at all.
func (n *node) status(path string) int { return statusOf(n.URL() + path) }

func statusOf(url string) int {
	resp, err := http.Get(url)
	if err != nil {
		return 0
	}
	_ = resp.Body.Close()
	return resp.StatusCode
}
