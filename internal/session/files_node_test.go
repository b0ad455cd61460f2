package session_test

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/session"
	"github.com/clew-run/clew/internal/session/core"
	"github.com/clew-run/clew/internal/session/decide"
)

// needsFiles is an agent that is at work until it is let go, or, where it is told
// that files are on another node, asks for them.
type needsFiles struct{ from string }

func (a needsFiles) Work(ctx context.Context, _ core.Turn, prompt clew.Message, desk *session.TurnContext) error {
	if prompt.Text == "work" {
		<-ctx.Done()
		return nil
	}
	_, err := desk.Do(decide.AskForFiles{Missing: clew.MissingWorkspace{Node: a.from, Here: "a"}})
	return err
}

// offering counts the shards that a node offers.
type offering struct {
	nodes
	offers atomic.Int64
}

func (o *offering) Offer(_ context.Context, l session.Lease, _ string) (session.Lease, error) {
	o.offers.Add(1)
	return l, nil
}

// A session that waits for files goes to the node that has them once that is
// there, but not while another session of its shard works on files of this node.
func TestShardStaysWithWorkOnFiles(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPair(t, nil)
		c := &offering{}
		h := start(t, p.m.Node("c"), session.Config{Peers: p.net.join("c"), Cluster: c, Agent: needsFiles{from: "away"}})
		waits := create(t, h, "waits")
		busy, err := h.Create(t.Context(), ann, session.NewSession{ID: sameShard(waits), Workspace: "/w"})
		if err != nil {
			t.Fatal(err)
		}
		do(t, h, busy, say("m1", "work"))
		do(t, h, waits, say("m2", "go"))
		time.Sleep(10 * time.Second)
		if n := c.offers.Load(); n != 0 {
			t.Errorf("%d offers to a node that is away", n)
		}
		p.net.join("away")
		time.Sleep(10 * time.Second)
		if n := c.offers.Load(); n != 0 {
			t.Errorf("%d offers while another session works on files here", n)
		}
		do(t, h, busy, clew.Command{Type: clew.CommandInterrupt, By: ann, ClientMessageID: "m3", Data: &clew.InterruptData{}})
		time.Sleep(10 * time.Second)
		if c.offers.Load() == 0 {
			t.Error("the shard is never offered to the node that has the files")
		}
	})
}
