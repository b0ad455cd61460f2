package journal

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"testing"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/poll"
	"github.com/clew-run/clew/internal/session"
)

// company is several nodes on one engine, each as if it were of some version.
type company struct {
	t       *testing.T
	url     string
	archive string
}

func newCompany(t *testing.T) company {
	t.Helper()
	j, err := Open(t.Context(), Config{Dir: t.TempDir(), SyncInterval: time.Minute, Listen: "127.0.0.1:0"}, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { j.Close(context.Background()) })
	return company{t, j.engine.embedded.ClientURL(), "file://" + t.TempDir()}
}

func (c company) join(name string, v version) *Journal {
	c.t.Helper()
	j, err := Open(c.t.Context(), Config{
		Dir: c.t.TempDir(), Engine: c.url, Replicas: 1, Partitions: 1, Archive: c.archive, Node: name, version: v, NodeTTL: 2 * time.Second,
	}, slog.New(slog.DiscardHandler))
	if err != nil {
		c.t.Fatal(err)
	}
	c.t.Cleanup(func() { j.Close(context.Background()) })
	return j
}

// await waits for something that the nodes find out by their beats.
func (c company) await(what string, ok func() bool) {
	c.t.Helper()
	poll.Until(c.t, what, ok)
}

// While an older node is up, the others write what it can read and seal nothing.
func TestLowestNodeCounts(t *testing.T) {
	c := newCompany(t)
	newer := c.join("newer", version{3, 7})
	if newer.Level() != 1 || !newer.HoldSeals() {
		t.Error("a node that has just come trusts that it is alone")
	}
	c.await("alone, it is as new as itself", func() bool { return newer.Level() == 3 && !newer.HoldSeals() })
	older := c.join("older", version{2, 6})
	c.await("the older one counts", func() bool { return newer.Level() == 2 && newer.HoldSeals() })
	c.await("the older one has nobody to wait for", func() bool { return older.Level() == 2 && !older.HoldSeals() })
	if older.Newer() != "newer" || newer.Newer() != "" {
		t.Errorf("newer than the older one is %q, than the newer one %q", older.Newer(), newer.Newer())
	}
	older.Close(context.Background())
	c.await("it is gone", func() bool { return newer.Level() == 3 && !newer.HoldSeals() })
}

// A beat without a version is one of the trees before there were any.
func TestBeatWithoutVersion(t *testing.T) {
	c := newCompany(t)
	j := c.join("newer", version{3, 7})
	c.await("settled", func() bool { return j.Level() == 3 })
	if err := j.engine.conn.Publish(j.nodes.subject, []byte("ancient")); err != nil {
		t.Fatal(err)
	}
	c.await("it is heard", func() bool { return j.Level() == 1 && j.HoldSeals() && j.Alive("ancient") })
}

// The owner of a shard that met a session too new for it keeps its equals away and
// lets a newer node in.
func TestNewerNodeMayTakeAYieldedShard(t *testing.T) {
	c := newCompany(t)
	older := c.join("older", version{1, 1})
	equal, newer := c.join("equal", version{1, 1}), c.join("newer", version{1, 2})
	all := []*Journal{older, equal, newer}
	c.await("all hear each other", func() bool {
		return !slices.ContainsFunc(all, func(j *Journal) bool { return len(j.nodes.others()) != 2 })
	})
	id := clew.SessionID("s1")
	shard := session.ShardOf(id)
	lease, err := older.Claim(t.Context(), shard)
	if err != nil {
		t.Fatal(err)
	}
	log, loaded, err := older.Open(t.Context(), lease, id)
	if err != nil {
		t.Fatal(err)
	}
	if err := log.Append(t.Context(), []clew.Record{loaded.Head.Next(id, lease.Term, 1, "ann", "sun_rose", []byte(`{}`))}); err != nil {
		t.Fatal(err)
	}
	owned := func(j *Journal) bool {
		_, err := j.Claim(t.Context(), shard)
		var other *session.OwnedError
		if err != nil && !errors.As(err, &other) {
			t.Fatal(err)
		}
		return err != nil
	}
	if !owned(equal) || !owned(newer) {
		t.Fatal("the shard of a live node was taken")
	}
	yielded, err := older.Yield(t.Context(), lease)
	if err != nil || yielded.Term <= lease.Term {
		t.Fatalf("yielded as %+v, %v", yielded, err)
	}
	if holds, err := older.Holds(t.Context(), yielded); !holds || err != nil {
		t.Errorf("it does not hold what it yielded and nobody took: %v", err)
	}
	if !owned(equal) {
		t.Error("an equal took it")
	}
	if recent, err := newer.Recent(t.Context()); err != nil || !slices.Contains(recent, id) {
		t.Errorf("the newer node would not take it up: %v, %v", recent, err)
	}
	if recent, err := equal.Recent(t.Context()); err != nil || slices.Contains(recent, id) {
		t.Errorf("an equal would take it up: %v, %v", recent, err)
	}
	if owned(newer) {
		t.Error("the newer node could not take it")
	}
	if holds, err := older.Holds(t.Context(), yielded); holds || err != nil {
		t.Errorf("it still holds what was taken: %v", err)
	}
	if _, err := older.Yield(t.Context(), yielded); !errors.Is(err, session.ErrLeaseLost) {
		t.Errorf("yielding what is lost: %v", err)
	}
	if !owned(older) {
		t.Error("the older node took it back")
	}
}

// others names the nodes that were heard.
func (n *nodes) others() []string {
	n.mu.Lock()
	defer n.mu.Unlock()
	var names []string
	for name := range n.seen {
		names = append(names, name)
	}
	return names
}

// A node may have a shard that its owner offers to it, and no other may.
func TestOfferedShard(t *testing.T) {
	c := newCompany(t)
	a, b, other := c.join("a", ownVersion), c.join("b", ownVersion), c.join("c", ownVersion)
	c.await("all hear each other", func() bool {
		return settled(b) && settled(other) && settled(a) && b.Alive("a") && other.Alive("a") && other.Alive("b")
	})
	lease, err := a.Claim(t.Context(), 7)
	if err != nil {
		t.Fatal(err)
	}
	var owned *session.OwnedError
	if _, err := b.Claim(t.Context(), 7); !errors.As(err, &owned) || owned.Node != "a" {
		t.Errorf("a shard that nobody offered: %v", err)
	}
	next, err := a.Offer(t.Context(), lease, "b")
	if err != nil || next.Term <= lease.Term {
		t.Fatalf("offered: %+v after %+v, %v", next, lease, err)
	}
	if _, err := other.Claim(t.Context(), 7); !errors.As(err, &owned) || owned.Node != "a" {
		t.Errorf("a shard that was offered to another node: %v", err)
	}
	if _, err := b.Claim(t.Context(), 7); err != nil {
		t.Errorf("a shard that was offered: %v", err)
	}
	if holds, err := a.Holds(t.Context(), next); holds || err != nil {
		t.Errorf("the former owner holds it: %t, %v", holds, err)
	}
	if _, err := a.Claim(t.Context(), 7); !errors.As(err, &owned) || owned.Node != "b" {
		t.Errorf("the former owner takes it back: %v", err)
	}
}

// settled reports whether a node knows which others are up.
func settled(j *Journal) bool {
	j.nodes.mu.Lock()
	defer j.nodes.mu.Unlock()
	return j.nodes.beats >= beatsPerTTL
}
