package session

import (
	"fmt"
	"testing"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/nightly"
)

// pilgrims are a crowd that travels.
type pilgrims struct {
	*crowd
	x *traveller
}

func newPilgrims(t tester, seed uint64) *pilgrims {
	c := newCrowd(t, seed, false)
	return &pilgrims{crowd: c, x: newTraveller(c.bench, t, c.r.IntN)}
}

// look checks what must hold after each step.
func (p *pilgrims) look(step int) {
	p.x.listen()
	p.crowd.look(step)
}

// step is anything that anybody may do. Where there is no run, somebody asks for
// one.
func (p *pilgrims) step() {
	n := p.r.IntN(100)
	switch {
	case n < 12:
		p.x.travel()
	case n < 14:
		p.x.leaveAtLast()
	case p.root() == nil, p.under() == nil && n < 40:
		p.names++
		p.askRun(fmt.Sprint("run ", p.names))
	case n < 24:
		p.person()
	case n < 42:
		p.answers(false)
	case n < 45:
		p.time()
	default:
		p.agent(false)
	}
}

// arrive has everybody cooperate until nothing is left to do: wherever a run was
// taken back to, it can be brought to its end from there.
func (p *pilgrims) arrive(i int) {
	for last := i + 5000; p.under() != nil || p.s.state.Busy(); i++ {
		if i > last {
			p.t.Fatalf("the run does not end: %s, %s", p.run().Phase, p.statuses())
		}
		switch {
		case p.under() != nil && p.run().Paused:
			must(p.ann(&clew.ControlResumeData{}))
		case len(p.s.state.Questions) > 0:
			p.answers(true)
		default:
			p.agent(true)
		}
		p.look(i)
	}
}

func (p *pilgrims) play(steps int) {
	p.askRun("r1")
	for i := range steps {
		p.step()
		p.look(i)
	}
	p.arrive(steps)
	p.x.restart()
	p.x.readBack()
	p.verify(p.t)
	p.x.tour(1)
	p.look(steps)
	p.x.rewind() // and from its end, too
	p.look(steps)
	p.arrive(steps)
}

// Runs that are taken back and forth at any moment: while they are understood,
// planned, reviewed, carried out, paused and answered, and after they ended.
// Each return gives exactly what was, and from wherever it leads the run can be
// brought to its end.
//
// Covers: HIS-12, HIS-13, HIS-15, HIS-26, C-13, C-75, C-76
func TestAnywhereInARun(t *testing.T) {
	alone(t)
	plays := nightly.Size[uint64](10, 100)
	book := logbook{}
	for seed := range plays {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			p := newPilgrims(t, seed)
			t.Cleanup(func() {
				if t.Failed() {
					p.x.log(t)
				}
			})
			p.play(40 + p.r.IntN(80))
			book.add(p.x)
		})
	}
	book.close(t, "runs", int(plays)*7/2)
}
