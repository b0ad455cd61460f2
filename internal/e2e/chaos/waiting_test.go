package chaos

import (
	"context"
	"fmt"
	"log/slog"
	"runtime"
	"testing"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/e2e/proc"
	"github.com/clew-run/clew/internal/nightly"
	"github.com/clew-run/clew/internal/server"
	"github.com/clew-run/clew/internal/session"
)

// A rest is a node whose sessions are put to rest. Its engine is a process of
// its own: its caches come and go, and would hide what the node takes.
type rest struct {
	*server.Server
	t testing.TB
}

func startRest(t testing.TB) *rest {
	t.Helper()
	archive := "file://" + t.TempDir()
	e := newProcess(t, roleEngine, "", archive, "")
	if err := e.start(); err != nil {
		t.Fatal(err)
	}
	cfg := nodeConfig(t.TempDir(), "nats://"+e.listen, archive)
	cfg.Environ = append(cfg.Environ, "CLEW_SET_PLAN_REVIEW_TIMEOUT_SEC=86400") // they wait for as long as the test takes
	cfg.IdleAfter, cfg.Journal.SealAfter = 24*time.Hour, 24*time.Hour           // the test says when
	s, err := server.Start(t.Context(), cfg, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Stop(context.Background()) })
	return &rest{s, t}
}

// make makes sessions that were each sent the same commands.
func (r *rest) make(set string, count int, cmds ...clew.Command) []clew.SessionID {
	ids := make([]clew.SessionID, count)
	many(count, 16, func(i int) {
		ids[i] = clew.SessionID(fmt.Sprintf("sess_%s_%04d", set, i))
		_, err := r.Host().Create(context.Background(), owner, session.NewSession{ID: ids[i]})
		for _, cmd := range cmds {
			if err == nil {
				_, err = r.Host().Do(context.Background(), ids[i], cmd)
			}
		}
		if err != nil {
			r.t.Errorf("%s: %v", ids[i], err)
		}
	})
	return ids
}

// unload waits until no session is at work and takes all out of memory.
func (r *rest) unload() {
	r.t.Helper()
	proc.Eventually(r.t, "all sessions are at rest", 2*time.Minute, func() bool {
		r.Host().Unload(time.Now().Add(time.Hour).UnixMilli())
		return r.Host().Loaded() == 0
	})
}

// settle takes all sessions out of memory and their records out of the engine,
// as it happens by itself after a while.
func (r *rest) settle() {
	r.t.Helper()
	r.unload()
	ctx := context.Background()
	err := r.Journal().Flush(ctx)
	for p := 0; p < r.Journal().Partitions() && err == nil; p++ {
		err = r.Journal().SweepPartition(ctx, p, time.Now().Add(time.Minute), r.Host().Seal)
	}
	if err != nil {
		r.t.Fatal(err)
	}
	r.unload()
}

// cost is what a process takes at rest.
type cost struct {
	goroutines int
	heap       int64
}

// cost measures until it falls no more.
func (r *rest) cost() cost {
	least, since := cost{heap: 1 << 62, goroutines: 1 << 30}, 0
	for since < 12 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		since++
		if heap := int64(m.HeapAlloc); heap < least.heap-32<<10 {
			least.heap, since = heap, 0
		}
		if n := runtime.NumGoroutine(); n < least.goroutines {
			least.goroutines, since = n, 0
		}
		<-time.After(250 * time.Millisecond)
	}
	return least
}

const (
	waitingRuns = 1000
	// waitingMore bounds what each run that waits may cost a node beyond a cold
	// session. Nothing is kept of it; but the node has caches of a fixed size, a
	// few hundred kits of agents among them, which may be full or empty.
	waitingMore = 2 << 10
)

// Runs that wait for people cost no goroutine and no memory beyond that of a
// cold session, and their deadlines fire all the same.
//
// Covers: RUN-21, C-20
func TestWaitingRuns(t *testing.T) {
	nightly.InThird(t, 2)
	r := startRest(t)
	say := func(text string, mode clew.MessageMode) clew.Command {
		return clew.Command{Type: clew.CommandUserMessage, By: owner, Data: &clew.UserMessageData{Text: text, Mode: mode}}
	}
	r.make("warm", 200, say("plan something", clew.ModeRun))
	var ids []clew.SessionID
	// What a run keeps shows in every round; a buffer that happened to be held
	// while one level was measured shows in one.
	for round := range 3 {
		r.settle()
		empty := r.cost()
		r.make(fmt.Sprint("cold", round), waitingRuns, say("hello", ""))
		r.settle()
		cold := r.cost()
		ids = r.make(fmt.Sprint("wait", round), waitingRuns, say("plan something", clew.ModeRun))
		r.settle()
		waiting := r.cost()
		each, more := (cold.heap-empty.heap)/waitingRuns, ((waiting.heap-cold.heap)-(cold.heap-empty.heap))/waitingRuns
		t.Logf("waiting runs: %d of them have %d goroutines, %d cold sessions had %d, none had %d; a cold session takes %d bytes of heap, a waiting run %d more",
			waitingRuns, waiting.goroutines, waitingRuns, cold.goroutines, empty.goroutines, each, more)
		if more <= waitingMore && waiting.goroutines <= cold.goroutines+5 {
			break
		}
		if round == 2 {
			t.Errorf("a waiting run costs %d bytes and %d of them %d goroutines more than cold sessions, want at most %d and 5",
				more, waitingRuns, waiting.goroutines-cold.goroutines, waitingMore)
		}
	}
	for _, id := range ids {
		if n := r.find(id, clew.EventHitlPlanReview); len(n) != 1 {
			t.Fatalf("%s: %d reviews are on record", id, len(n))
		}
	}
	r.deadlines()
	r.approve(ids[0])
}
