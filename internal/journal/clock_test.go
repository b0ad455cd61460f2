package journal_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/clew-run/clew/internal/clock"
	"github.com/clew-run/clew/internal/clock/clocktest"
	"github.com/clew-run/clew/internal/journal"
	"github.com/clew-run/clew/internal/journal/journaltest"
)

// wrongs are what happens to the time of day of a node.
var wrongs = map[string]func(*clocktest.Wrong){
	"an hour ahead": func(w *clocktest.Wrong) { w.Jump(time.Hour) },
	"an hour back":  func(w *clocktest.Wrong) { w.Jump(-time.Hour) },
	"it stands":     func(w *clocktest.Wrong) { w.Run(0) },
	"too fast":      func(w *clocktest.Wrong) { w.Run(10) },
}

// Whatever happens to the time of day of one node, no node loses a shard and none has
// one that another has: leases count beats, and the engine's order is what is safe.
func TestLeasesWithAWrongClock(t *testing.T) {
	if testing.Short() {
		t.Skip("starts three nats-server processes")
	}
	c := journaltest.StartCluster(t)
	shared := "file://" + t.TempDir()
	const ttl = 4 * time.Second // more than a busy machine stands still
	var gone, silent atomic.Int32
	open := func(name string) (*journal.Journal, *clocktest.Wrong) {
		t.Helper()
		wrong := clocktest.NewWrong(clock.System())
		j, err := journal.Open(t.Context(), journal.Config{
			Dir: t.TempDir(), Engine: c.URL(), Partitions: 2, Archive: shared, Node: name, NodeTTL: ttl, Clock: wrong,
		}, quiet())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { j.Close(context.Background()) })
		j.OnGone(func(string) { gone.Add(1) })
		j.OnSilence(func() { silent.Add(1) })
		return j, wrong
	}
	one, first := open("one")
	two, second := open("two")
	awaitHeard(t, one, "two")
	awaitHeard(t, two, "one")
	const shard = 7
	lease, err := one.Claim(t.Context(), shard)
	if err != nil {
		t.Fatal(err)
	}
	for name, wrong := range wrongs {
		for _, w := range []*clocktest.Wrong{first, second} {
			wrong(w)
		}
		<-time.After(ttl + time.Second)
		if n := gone.Load() + silent.Load(); n > 0 {
			t.Errorf("%s: %d times a node was taken for gone or silent", name, n)
		}
		if owner, err := two.OwnerOf(t.Context(), shard); err != nil || owner != "one" || !two.Alive("one") || !one.Alive("two") {
			t.Errorf("%s: the owner is %q, %v", name, owner, err)
		}
		if _, err := two.Claim(t.Context(), shard); err == nil {
			t.Fatalf("%s: two nodes have the shard", name)
		}
		if again, err := one.Claim(t.Context(), shard); err != nil || again.Term < lease.Term {
			t.Errorf("%s: its owner has it no more: %+v, %v", name, again, err)
		}
		first.Run(1)
		second.Run(1)
	}
}

// awaitHeard waits until a node has heard another one.
func awaitHeard(t *testing.T, j *journal.Journal, other string) {
	t.Helper()
	settled := make(chan struct{})
	j.OnSettled(func() { close(settled) })
	select {
	case <-settled:
	case <-time.After(30 * time.Second):
		t.Fatal("the node never settled")
	}
	if !j.Alive(other) {
		t.Fatalf("%s was not heard", other)
	}
}

// A node whose clock goes back an hour does not take its last append for one that is
// still to come: it looks whether it can append.
func TestReadyWithAWrongClock(t *testing.T) {
	for name, wrong := range wrongs {
		t.Run(name, func(t *testing.T) {
			hands := clocktest.New(time.Now())
			w := clocktest.NewWrong(hands)
			j, err := journal.Open(t.Context(), journal.Config{Dir: t.TempDir(), Partitions: 1, Clock: w}, quiet())
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { j.Close(context.Background()) })
			ready := func() uint64 {
				t.Helper()
				if err := j.Ready(t.Context()); err != nil {
					t.Fatal(err)
				}
				table, err := j.FadingTable(t.Context(), "PROBE", time.Hour)
				if err != nil {
					t.Fatal(err)
				}
				_, revision, err := table.Get(t.Context(), j.Node())
				if err != nil {
					t.Fatal(err)
				}
				return revision
			}
			hands.Advance(time.Minute) // since it was opened, which may append
			before := ready()
			wrong(w)
			hands.Advance(time.Second)
			if now := ready(); now != before {
				t.Error("it looked again after a second")
			}
			hands.Advance(time.Minute)
			if now := ready(); now <= before {
				t.Error("it did not look")
			}
		})
	}
}
