package chaos

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/nightly"
)

const raceSessions = 50

// Two approvers answer the same question at the same instant through two nodes:
// one decision is on record, the other hears that it came too late, and all
// who watch hear of one end.
//
// Covers: RUN-22, RUN-23, C-20
func TestTwoApprovers(t *testing.T) {
	nightly.InThird(t, 0)
	a := newArena(t, raceSessions)
	total, each := amount(t, "CLEW_RACES", nightly.Size(2000, 10_000)), 25
	var asked []question
	var won [2]atomic.Int64
	start := time.Now()
	for len(asked) < total {
		list := a.ask(each, 0)
		a.random.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
		delays := a.delays(list)
		many(len(list), 32, func(i int) {
			var both sync.WaitGroup
			start := make(chan struct{})
			var ok atomic.Int64
			for who := range approvers {
				both.Go(func() {
					<-start
					<-time.After(delays[i][who])
					if a.answer(who, list[i]) == settled {
						ok.Add(1)
						won[who].Add(1)
					}
				})
			}
			close(start)
			both.Wait()
			if ok.Load() != 1 {
				t.Errorf("question %s: %d answers were taken", list[i].id, ok.Load())
			}
		})
		asked = append(asked, list...)
	}
	took := time.Since(start)
	a.finish(asked)
	t.Logf("two approvers: %d questions answered twice at once through two nodes in %s, one decision each; %d by the one, %d by the other",
		len(asked), took.Round(time.Millisecond), won[0].Load(), won[1].Load())
	if won[0].Load() == 0 || won[1].Load() == 0 {
		t.Error("one of them never won: this was no race")
	}
}

// A deadline races an answer: the question has one outcome, and the one who
// answered knows which.
//
// Covers: RUN-21, RUN-22, C-20
func TestDeadlineRacesAnswer(t *testing.T) {
	nightly.InThird(t, 0)
	a := newArena(t, raceSessions)
	total, each := amount(t, "CLEW_RACES", nightly.Size(2000, 10_000)), 20
	var asked []question
	var late, inTime atomic.Int64
	lead := 200 * time.Millisecond // how long before its deadline a question is answered, on average
	start := time.Now()
	for len(asked) < total {
		list := a.ask(each, 1)
		taken := a.raceDeadlines(list, lead)
		inTime.Add(int64(taken))
		late.Add(int64(len(list) - taken))
		switch share := float64(taken) / float64(len(list)); { // as close as can be
		case share < 0.35:
			lead = min(2*lead, 600*time.Millisecond)
		case share > 0.65:
			lead /= 2
		}
		asked = append(asked, list...)
	}
	took := time.Since(start)
	for id, end := range a.finish(asked) {
		if end.ByTimeout && end.Action != clew.ResolvedAnswer {
			t.Errorf("question %s: silence became %s", id, end.Action)
		}
	}
	t.Logf("deadlines: %d questions whose deadline raced an answer in %s, one outcome each; %d answered, %d by time-out",
		len(asked), took.Round(time.Millisecond), inTime.Load(), late.Load())
	if inTime.Load() == 0 || late.Load() == 0 {
		t.Error("one side never won: this was no race")
	}
}
