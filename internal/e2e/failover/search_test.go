package failover

import (
	"testing"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/client"
	"github.com/clew-run/clew/internal/e2e/proc"
	"github.com/clew-run/clew/internal/journal/journaltest"
)

// Every node finds what is said on any, and none finds what was erased on another.
func TestSearchOnEveryNode(t *testing.T) {
	engine, archive := journaltest.StartCluster(t).URL(), t.TempDir()
	a, b := startNode(t, engine, archive), startNode(t, engine, archive)
	finds := func(n *node, total int) {
		t.Helper()
		proc.Eventually(t, "the index follows", time.Minute, func() bool {
			r, err := n.api().Search(t.Context(), client.SearchQuery{Q: "zebra", Kind: "message", Person: "owner"})
			return err == nil && r.Total == total && !r.Indexing
		})
	}
	id, err := a.api().CreateSession(t.Context(), client.NewSession{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := a.api().Command(t.Context(), id, "", clew.CommandUserMessage, &clew.UserMessageData{Text: "a zebra"}); err != nil {
		t.Fatal(err)
	}
	finds(a, 1)
	finds(b, 1)
	if _, err := b.api().DeleteSession(t.Context(), id, true); err != nil {
		t.Fatal(err)
	}
	finds(a, 0)
	finds(b, 0)
	a.stop()
	b.stop()
}
