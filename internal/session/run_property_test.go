package session

import (
	"fmt"
	"testing"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/nightly"
	"github.com/clew-run/clew/internal/session/core"
)

// restart has the session loaded anew: from a snapshot and the records after
// it, or from the first record.
func (c *crowd) restart() {
	want, err := c.s.state.Encode()
	if err != nil {
		c.t.Fatalf("encode: %v", err)
	}
	loaded := core.Loaded{Tail: c.records}
	if c.snapshot != nil && (c.big || !c.in(3)) {
		loaded = core.Loaded{State: c.snapshot, StateSeq: c.keptAt, Tail: c.records[c.keptAt:]}
	}
	s, err := core.Restore("s", loaded, c.fresh)
	if err != nil {
		c.t.Fatalf("restore: %v", err)
	}
	got, _ := s.Encode()
	if string(got) != string(want) {
		c.t.Fatalf("restored\n%s\nlive\n%s", got, want)
	}
	s.Rules = c.rules
	c.s.state, c.snapshot, c.keptAt = s, got, s.Seq
}

// time lets some of it pass. Deadlines are missed only now and then.
func (c *crowd) time() {
	c.listen(c.t)
	ms := int64(c.r.IntN(2000))
	if c.rarely() || !c.big && c.in(10) {
		ms = one[int64](c, 100_000, 310_000, 610_000)
	}
	c.now += ms
	c.settleAll()
}

// look checks what must hold after each step, and now and then all of it.
func (c *crowd) look(step int) {
	c.oracles.hear(c.bench)
	c.verifyRun(c.t)
	if !c.big && step%4 == 0 || step%200 == 0 {
		c.verify(c.t)
		return
	}
	c.listen(c.t)
}

// play has everybody do what they like until the run is over or steps are used
// up, and then cooperate until it is complete.
func (c *crowd) play(steps int) {
	c.askRun("r1")
	i := 0
	for ; i < steps && c.under() != nil; i++ {
		switch n := c.r.IntN(100); {
		case n < 12:
			c.person()
		case n < 30:
			c.answers(false)
		case n < 34:
			c.time()
		case n == 34 && (!c.big || c.in(10)):
			c.restart()
		default:
			c.agent(false)
		}
		c.look(i)
	}
	for last := i + 40*steps + 2000; c.under() != nil || c.s.state.Busy(); i++ {
		if i > last {
			c.t.Fatalf("the run does not end: %s, %s", c.run().Phase, c.statuses())
		}
		switch {
		case c.under() != nil && c.run().Paused:
			must(c.ann(&clew.ControlResumeData{}))
		case len(c.s.state.Questions) > 0:
			c.answers(true)
		default:
			c.agent(true)
		}
		c.look(i)
	}
	c.restart()
	c.verify(c.t)
	if len(c.s.state.Questions) > 0 {
		c.t.Fatalf("%d questions are open at the end", len(c.s.state.Questions))
	}
}

// Runs with random plans, people and agents, restarts and missed deadlines: the
// order respects the dependencies, counts add up, nothing runs twice, questions
// are settled once, and the state is the fold of the records at every step. A
// run that everybody lets go on is complete in the end.
//
// Covers: RUN-01, RUN-09, RUN-12, RUN-13, RUN-15, RUN-21, RUN-23, RUN-25, RUN-32, G-14
func TestRandomRuns(t *testing.T) {
	small, large := nightly.Size[uint64](40, 190), nightly.Size[uint64](1, 20)
	if raceEnabled { // it has nothing to find here
		small, large = 12, 1
	}
	ends, seen := map[clew.EventType]int{}, map[string]int{}
	todos, played := 0, uint64(0)
	for seed := range small + large {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			c := newCrowd(t, seed, seed >= small)
			steps := 60 + c.r.IntN(400)
			if c.big {
				steps = 1500
			}
			c.play(steps)
			played++
			for _, o := range c.oracles.of {
				ends[o.ended]++
				todos += len(o.todos)
			}
			for k, n := range c.seen {
				seen[k] += n
			}
		})
	}
	if played < small+large { // one that was asked for by its name, or failed
		return
	}
	if every := !raceEnabled; ends[""] > 0 || every && (ends[clew.EventComplete] < int(small)/2 || ends[clew.EventCancelled] == 0 || ends[clew.EventFailed] == 0) {
		t.Errorf("the runs ended like this: %v", ends)
	}
	t.Logf("%v with %d todos; commands that took effect: %v", ends, todos, seen)
}
