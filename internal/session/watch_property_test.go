package session

import (
	"context"
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/nightly"
	"github.com/clew-run/clew/internal/session/core"
	"github.com/clew-run/clew/internal/session/decide"
	"github.com/clew-run/clew/internal/session/rewind"
)

// A spectacle is a session in which anything happens, with an audience.
type spectacle struct {
	player
	a    *audience
	tape *tape
}

func newSpectacle(t *rapid.T) *spectacle {
	b := newBench()
	if rapid.Bool().Draw(t, "steers") {
		b.s.state.Rules = steering{}
	}
	p := &spectacle{player: player{bench: b, t: t}, a: newAudience(b, t), tape: &tape{b: b, kept: map[uint64][]byte{}}}
	b.s.host.cfg.Journal = p.tape
	b.create()
	return p
}

// travel takes the session to one of its messages, or back from there.
func (p *spectacle) travel() {
	s := p.s.state
	var c decide.RewindPlan
	switch list := s.Messages.Tail(); rapid.IntRange(0, 3).Draw(p.t, "way") {
	case 0:
		c = p.back(clew.KindUndo, s.Undo)
	case 1:
		c = p.back(clew.KindRedo, s.Redo)
	default:
		if len(list) == 0 {
			return
		}
		i := rapid.IntRange(0, len(list)-1).Draw(p.t, "to")
		var err error
		c, err = p.s.finder(p.s.positionNow()).Plan(context.Background(), rewind.Target{Target: clew.Target{MessageID: list[i].MessageID}, Keep: rapid.Bool().Draw(p.t, "keep")})
		if err != nil {
			p.t.Fatalf("no way: %v", err)
		}
	}
	if c.RewindID == "" || c.To == s.Seq {
		return
	}
	if _, _, err := p.do(clew.Command{By: by("ann"), Data: &decide.RewindCommand{RewindPlan: c}}); clew.CodeOf(err) == clew.Internal {
		p.t.Fatalf("%s: %v", c.Kind, err)
	}
	p.a.tally["returns"]++
}

func (p *spectacle) back(kind clew.RewindKind, list []core.RewindEntry) decide.RewindPlan {
	if len(list) == 0 {
		return decide.RewindPlan{}
	}
	last := list[len(list)-1]
	c := decide.RewindPlan{Kind: kind, RewindID: rewind.NewID(), To: last.Seq - 1, From: last.From, Keep: last.Keep, LastRewindSeq: p.s.state.LastRewindSeq}
	var err error
	if c.TargetState, err = p.s.host.past("s").Encoded(context.Background(), c.To); err != nil {
		p.t.Fatalf("no way to %d: %v", c.To, err)
	}
	return c
}

// fork has the session go on as a fork of itself would: its questions get other
// names.
func (p *spectacle) fork() {
	p.s.state.CreatedMS = 0 // it begins anew
	must(p.do(clew.Command{By: by("ann"), Data: &decide.CreateCommand{Owner: "ann", Title: "fork", Forked: &clew.ForkPoint{SessionID: "other", MessageID: clew.MessageIDOf(p.s.state.Seq)}}}))
	p.a.tally["forks"]++
}

// restart has the session loaded anew.
func (p *spectacle) restart() {
	encoded, err := p.s.state.Encode()
	if err == nil {
		var s *core.State
		if s, err = core.DecodeState("s", encoded); err == nil {
			s.Rules = p.s.state.Rules
			p.s.state = s
			clear(p.s.open)
		}
	}
	if err != nil {
		p.t.Fatalf("restart: %v", err)
	}
}

// grow has a task's reply grow, streamed and now and then recorded.
func (p *spectacle) grow() {
	for _, t := range p.s.state.SortedTasks() {
		if t.Turn == nil || !p.s.state.Runnable(t) {
			continue
		}
		p.at = t
		if t.Turn.Reply == "" {
			if t.Request != "" {
				must(p.begin())
			}
		} else if o := p.s.open[t.Turn.Reply]; o != nil {
			p.a.stream(o.MessageID, draw(p.player, "more", "a", "ä", " and"))
			if rapid.IntRange(0, 2).Draw(p.t, "save") == 0 {
				must(p.update(o.Text, true))
			}
		}
		p.at = nil
		return
	}
}

// cut ends a turn while a call that is shown runs, without a word about it.
func (p *spectacle) cut() {
	for _, t := range p.s.state.SortedTasks() {
		if t.Turn == nil || t.AwaitingChild != "" || !p.s.state.Runnable(t) {
			continue
		}
		for _, c := range t.Calls {
			if c.Status == core.CallRunning && c.MessageID != "" {
				p.a.tally["cut"]++
				must(p.reportAs(t, idle))
				return
			}
			if c.Status == core.CallProposed || c.Status == core.CallApproved {
				p.at = t
				p.startShown(c, clew.ClassOnce)
				p.at = nil
				return
			}
		}
	}
}

// play does anything in any order.
func (p *spectacle) play(t *rapid.T) {
	act := func(f func()) func(*rapid.T) {
		return func(step *rapid.T) {
			p.t, p.a.t = step, step
			f()
		}
	}
	steps := map[string]func(*rapid.T){
		"":         func(step *rapid.T) { p.a.t = step; p.a.look() },
		"message":  act(func() { p.message() }),
		"new task": act(func() { p.person(&clew.NewTaskData{Text: p.text()}) }),
		"queue":    act(func() { p.queue() }),
		"time":     act(func() { p.player.time() }),
		"settle":   act(func() { p.settle() }),
		"rights":   act(func() { p.rights() }),
		"respond":  act(func() { p.respond() }),
		"control":  act(func() { p.control() }),
		"agent":    act(func() { p.agent() }),
		"agent 2":  act(func() { p.agent() }),
		"agent 3":  act(func() { p.agent() }),
		"agent 4":  act(func() { p.agent() }),
		"grow":     act(p.grow),
		"agent 5":  act(func() { p.agent() }),
		"agent 6":  act(func() { p.agent() }),
		"cut":      act(p.cut),
		"cut 2":    act(p.cut),
		"grow 2":   act(p.grow),
		"windows":  act(p.windows),
		"travel":   act(p.travel),
		"fork": act(func() {
			if rapid.IntRange(0, 9).Draw(p.t, "forks") == 0 {
				p.fork()
			}
		}),
		"restart": act(func() {
			if rapid.IntRange(0, 3).Draw(p.t, "dies") == 0 {
				p.restart()
			}
		}),
		"leave":  act(p.a.leave),
		"return": act(p.a.comesBack),
	}
	t.Repeat(steps)
	t.Repeat(steps)
}

// What changes are sent, put in their places, is what session_state shows, at
// every moment and for whoever was away meanwhile.
//
// Covers: EVT-05
func TestStateFromChanges(t *testing.T) {
	alone(t)
	tally := map[string]int{}
	nightly.CheckTimes(t, 0, 100, func(t *rapid.T) {
		p := newSpectacle(t)
		p.play(t)
		for k, n := range p.a.tally {
			tally[k] += n
		}
	})
	t.Logf("0 deviations: %v", tally)
	for _, k := range []string{"resets", "since", "whole", "texts", "returns", "forks", "cut"} {
		if !t.Failed() && !testing.Short() && tally[k] == 0 {
			t.Errorf("no play had %s: %v", k, tally)
		}
	}
}

// The same with runs, their plans and the people who change them.
func TestStateFromChangesOfRuns(t *testing.T) {
	plays := nightly.Size[uint64](6, 24)
	if testing.Short() || raceEnabled {
		plays = 4
	}
	tally := map[string]int{}
	for seed := range plays {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			p := newPilgrims(t, seed)
			a := newAudience(p.bench, t)
			p.askRun("r1")
			for range 40 + p.r.IntN(80) {
				p.step()
				p.listen(t)
				a.look()
				switch p.r.IntN(6) {
				case 0:
					a.leave()
				case 1, 2:
					a.comesBack()
				}
			}
			for k, n := range a.tally {
				tally[k] += n
			}
		})
	}
	t.Logf("0 deviations: %v", tally)
}
