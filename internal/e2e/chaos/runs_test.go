package chaos

import (
	"context"
	"crypto/sha256"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/nightly"
	"github.com/clew-run/clew/internal/server"
	"github.com/clew-run/clew/internal/session"
	"github.com/clew-run/clew/internal/session/core"
)

// runsLimit bounds the whole test.
const runsLimit = 15 * time.Minute

// Runs of many todos in random graphs, with failures, retries, skips, pauses,
// edits and questions, on nodes that are killed and restarted all the time: the
// order respects the dependencies, counts add up, nothing is done twice, and
// the state is the fold of the journal.
//
// Covers: RUN-12, RUN-15, RUN-16, RUN-17, RUN-18, RUN-25, RUN-26, C-79, G-14
func TestRuns(t *testing.T) {
	nightly.InThird(t, 1)
	if testing.Short() {
		t.Skip("kills nodes for minutes")
	}
	s := nightly.Seed(t)
	runs, todos, beside := amount(t, "CLEW_RUNS", nightly.Size(40, 200)), amount(t, "CLEW_RUN_TODOS", nightly.Size(200, 500)), amount(t, "CLEW_RUNS_BESIDE", 24)
	f := startFleet(t, 2)
	ctx, cancel := context.WithTimeout(t.Context(), runsLimit)
	defer cancel()
	pilots := make([]*pilot, runs)
	start := time.Now()
	f.under(rand.New(rand.NewPCG(s, 4)), func() {
		many(runs, beside, func(i int) {
			pilots[i] = newPilot(t, f, clew.SessionID(fmt.Sprintf("sess_run_%04d", i)), s+uint64(i))
			pilots[i].fly(ctx, sizeOf(i, todos))
		})
	})
	took := time.Since(start)
	f.stop()
	tally := f.audit(pilots)
	t.Logf("runs: %d of up to %d todos in %s: %d todos completed, %d attempts, %d records; %v; kill -9 %d times, planned restarts %d; %d steps in doubt asked about; CPU time %s",
		runs, todos, took.Round(time.Millisecond), tally.completed, tally.attempts, tally.records, tally.ends, f.kills, f.restarts, tally.doubts, worked())
	t.Logf("people: %s", counts(tally.did))
	f.doctor()
}

// sizeOf is how many todos a run's plan begins with: all that were asked for in
// every other one, fewer in those between. At night all have their full size.
func sizeOf(i, todos int) int {
	if i%2 == 0 || nightly.On() {
		return todos
	}
	return max(1, todos/5+i*7%(todos*2/5+1))
}

// A tally sums runs up.
type tally struct {
	mu                                   sync.Mutex
	completed, attempts, records, doubts int
	ends                                 map[clew.EventType]int
	did                                  map[string]int
}

// audit goes through the records of all runs.
func (f *fleet) audit(pilots []*pilot) *tally {
	f.t.Helper()
	all := &tally{ends: map[clew.EventType]int{}, did: map[string]int{}}
	lines := map[clew.SessionID]map[entry]int{}
	for line, n := range readLedger(f.t, f.ledger) {
		if lines[line.session] == nil {
			lines[line.session] = map[entry]int{}
		}
		lines[line.session][line] = n
	}
	many(len(pilots), 2, func(i int) {
		p := pilots[i]
		a := newAudit(f.t, p.id)
		n := f.fold(p.id, a)
		a.finish(lines[p.id])
		if a.ended != clew.EventComplete && !p.doom {
			f.t.Errorf("run %s (seed %d) ended as %s, and nobody wanted that; %s", p.id, p.seed, a.ended, p)
		}
		all.mu.Lock()
		defer all.mu.Unlock()
		all.completed, all.attempts, all.records, all.doubts = all.completed+len(a.done), all.attempts+len(a.tasks), all.records+n, all.doubts+len(a.doubted)
		all.ends[a.ended]++
		for what, n := range p.did {
			all.did[what] += n
		}
	})
	return all
}

// fold reads a session, audits its records and compares the state that they
// come to with the one that its owners kept.
func (f *fleet) fold(id clew.SessionID, a *audit) (records int) {
	fresh := &core.State{ID: id}
	for r, err := range f.engine.Read(context.Background(), id, 1, 1<<40) { // it verifies the chain
		var ev clew.Event
		if err == nil {
			ev, err = clew.DecodeEvent(r.Type, r.Data())
		}
		if err != nil {
			f.t.Errorf("session %s: %v", id, err)
			return records
		}
		core.Apply(fresh, r, ev.Data)
		a.take(r, ev.Data)
		records++
	}
	if fresh.Busy() || len(fresh.Questions) > 0 {
		f.t.Errorf("session %s: its run has ended, and it is still at work (%v) or asks (%d)", id, fresh.Busy(), len(fresh.Questions))
	}
	for _, task := range fresh.Tasks {
		if !task.Ended() {
			f.t.Errorf("session %s: its run has ended, and task %s (todo %q) has not", id, task.TaskID, task.TodoID)
		}
	}
	_, loaded, err := f.engine.Open(context.Background(), session.Lease{}, id)
	if err != nil {
		f.t.Errorf("session %s: %v", id, err)
		return records
	}
	kept, err := core.Restore(id, loaded, nil)
	if err != nil {
		f.t.Errorf("session %s: %v", id, err)
		return records
	}
	if hash(f.t, kept) != hash(f.t, fresh) {
		f.t.Errorf("session %s: the kept state at %d with %d records is not the fold of all %d", id, loaded.StateSeq, len(loaded.Tail), records)
	}
	return records
}

func hash(t testing.TB, s *core.State) [sha256.Size]byte {
	t.Helper()
	b, err := s.Encode()
	if err != nil {
		t.Errorf("session %s: %v", s.ID, err)
	}
	return sha256.Sum256(b)
}

// doctor has the whole store verified, with the nodes and the engine stopped.
func (f *fleet) doctor() {
	f.t.Helper()
	f.engine.close()
	cfg := server.DefaultConfig()
	cfg.Data, cfg.Journal.Archive, cfg.Journal.Partitions = f.engine.cfg.Dir, f.engine.cfg.Archive, f.engine.cfg.Partitions
	var said strings.Builder
	start := time.Now()
	found, err := server.Examine(context.Background(), cfg, true)
	_ = found.Write(&said) // a strings.Builder takes everything
	if err != nil || found.Problems() > 0 {
		f.t.Errorf("doctor: %d problems, %v\n%s", found.Problems(), err, said.String())
	}
	f.t.Logf("doctor: %s in %s", strings.TrimSpace(said.String()), time.Since(start).Round(time.Millisecond))
}

func counts(m map[string]int) string {
	var list []string
	for _, what := range slices.Sorted(maps.Keys(m)) {
		list = append(list, fmt.Sprintf("%s %d", what, m[what]))
	}
	return strings.Join(list, ", ")
}

// worked is the CPU time of the test and of the nodes that have ended: how long
// it takes depends on who else is at work.
func worked() time.Duration {
	var sum time.Duration
	for _, who := range []int{syscall.RUSAGE_SELF, syscall.RUSAGE_CHILDREN} {
		var u syscall.Rusage
		if err := syscall.Getrusage(who, &u); err != nil {
			return 0
		}
		sum += time.Duration(u.Utime.Nano() + u.Stime.Nano())
	}
	return sum.Round(time.Second)
}
