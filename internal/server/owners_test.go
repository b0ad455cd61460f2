package server

import (
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/clew-run/clew/client"
)

func ownerToken(t *testing.T, s *Server) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(s.cfg.Data, "token"))
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(b))
}

func statusAs(t *testing.T, s *Server, token string) int {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.URL()+"/api/v1/me", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+token)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	return resp.StatusCode
}

// The owner of one node is the owner on all nodes of the cluster (T11).
func TestOwnerOfACluster(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	at := l.Addr().String()
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	archive := "file://" + t.TempDir()
	first := started(t, func(c *Config) { c.Journal.EngineListen, c.Journal.Archive = at, archive })
	second := started(t, func(c *Config) { c.Engine, c.Journal.Archive, c.Journal.Replicas = "nats://"+at, archive, 1 })
	one, two := ownerToken(t, first), ownerToken(t, second)
	if one == two {
		t.Fatal("both have the same token")
	}
	for _, s := range []*Server{first, second} {
		for _, token := range []string{one, two} {
			if got := statusAs(t, s, token); got != http.StatusOK {
				t.Errorf("a token of the cluster gave %d", got)
			}
		}
		if got := statusAs(t, s, one[:len(one)-1]+"_"); got != http.StatusUnauthorized {
			t.Errorf("a wrong token gave %d", got)
		}
	}
	id, err := client.NewAPI(first.URL(), one).CreateSession(t.Context(), client.NewSession{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := client.NewAPI(second.URL(), one).GetSession(t.Context(), id); err != nil {
		t.Errorf("the owner's session on the other node: %v", err)
	}
	// A node with a new token: the old one is no good any more, anywhere.
	if err := second.front.owners.put(t.Context(), first.journal.Node(), strings.Repeat("0", 64)); err != nil {
		t.Fatal(err)
	}
	if got := statusAs(t, second, one); got != http.StatusUnauthorized {
		t.Errorf("a token that was replaced gave %d", got)
	}
}
