package chaos

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/e2e/proc"
)

// raceDeadlines answers each question about when its deadline falls due, while
// both nodes are told to look after what is due. It gives how many answers were
// taken.
func (a *arena) raceDeadlines(list []question, lead time.Duration) (taken int) {
	var wg sync.WaitGroup
	var ok atomic.Int64
	for i, q := range list {
		aim := time.UnixMilli(q.deadline).Add(5*time.Millisecond - time.Duration(a.random.Int64N(int64(2*lead)+1)))
		poke, who := i%4 == 0, a.random.IntN(len(approvers))
		wg.Go(func() {
			<-time.After(time.Until(aim))
			if poke {
				wg.Go(func() { a.poke(1-who, q) })
			}
			if a.answer(who, q) == settled {
				ok.Add(1)
			}
		})
	}
	wg.Wait()
	a.awaitEnds(list)
	return int(ok.Load())
}

// poke has the owner of a session do what is due.
func (a *arena) poke(node int, q question) {
	if err := a.hosts[node].Wake(context.Background(), q.session); err != nil {
		a.t.Errorf("wake %s: %v", q.session, err)
	}
}

// awaitEnds waits until the deadlines of questions have settled those that
// nobody answered, and notes when.
func (a *arena) awaitEnds(list []question) {
	for _, q := range list {
		proc.Eventually(a.t, "question "+string(q.id)+" ends", time.Minute, func() bool { return a.ended(q) })
	}
}

// ended reports whether a watcher has heard of the end of a question.
func (a *arena) ended(q question) bool {
	for _, w := range a.watchers {
		if w.id == q.session {
			w.mu.Lock()
			n := w.ends[q.id]
			w.mu.Unlock()
			return n > 0
		}
	}
	return false
}

// timedOut adds the deadlines that settled questions to the history: each acted
// at some time between when it fell due and the end of the test.
func (a *arena) timedOut(asked []question, ends map[clew.RequestID]clew.HitlResolvedData) {
	end := now()
	for _, q := range asked {
		if ends[q.id].ByTimeout {
			a.log.add(len(a.hosts)+1, act{id: q.id, who: nobody}, settled, q.deadline*int64(time.Millisecond), end)
		}
	}
}
