package travelcrash

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/e2e/proc"
	"github.com/clew-run/clew/internal/nightly"
)

const (
	// theName is what the command is called that a crash cuts.
	theName  = "the-journey"
	crashAt  = "CLEW_CRASH_AT="
	crashLog = "CLEW_CRASH_LOG="
	// sampled is how many places of a journey are tried beyond one of each name,
	// unless the night has time for all of them.
	sampled = 1
)

// looseAfter says that the session goes on by itself when it has arrived.
func (j journey) looseAfter() bool { return j.name == "edit" }

// settledFor waits until the session stands still. One that a turn is under way
// in does not.
func (s *stage) settledFor(j journey) scene {
	s.T.Helper()
	if !j.loose {
		return s.settled(sessionID)
	}
	return s.await(sessionID, func(sc scene) bool { return sc.state.Returning == nil })
}

// calm goes a journey without a crash and lists the places it passes.
func (s *stage) calm(t testing.TB, j journey) trip {
	t.Helper()
	s.again()
	log := filepath.Join(s.dir, "places")
	s.must(os.RemoveAll(log))
	s.Start(crashLog + log)
	if j.begin != nil {
		j.begin(s)
	}
	sc, err := s.look(sessionID)
	s.must(err)
	c := trip{before: s.picture(sc, ""), records: len(sc.records)}
	if j.fork {
		c.before.aside = s.manifest(aside(s))
	}
	typ, data := j.command(s)
	before, began := len(placesIn(t, log)), time.Now()
	_, err = s.send(theName, typ, data)
	s.must(err)
	c.took = time.Since(began)
	places := placesIn(t, log)
	c.places = places[before:]
	sc = s.settledFor(j)
	for _, e := range sc.records {
		if d, ok := e.Data.(*clew.SessionForkedData); ok {
			c.fork = d.SessionID
		}
	}
	c.after = s.picture(sc, c.fork)
	if c.before.files == c.after.files && !j.fork || len(c.places) < 10 {
		t.Fatalf("the journey does nothing, at %v", c.places)
	}
	return c
}

func placesIn(t testing.TB, log string) []string {
	t.Helper()
	b, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Fields(string(b))
}

// choose takes the first passage of places, and a sample of the others that
// depends on a seed alone: the first and the last place, which decide whether a
// journey is done, and of those between every third one, by turns of the journeys.
func choose(places []string, turn int) []string {
	if nightly.On() {
		return places
	}
	var first, rest []string
	seen := map[string]bool{}
	for _, at := range places {
		name, _, _ := strings.Cut(at, ":")
		if !seen[name] {
			first = append(first, at)
		} else {
			rest = append(rest, at)
		}
		seen[name] = true
	}
	var chosen []string
	for i, at := range first {
		if i%3 == turn%3 || i == 0 || i == len(first)-1 {
			chosen = append(chosen, at)
		}
	}
	r := rand.New(rand.NewPCG(20260101, 1))
	r.Shuffle(len(rest), func(i, j int) { rest[i], rest[j] = rest[j], rest[i] })
	return append(chosen, rest[:min(sampled, len(rest))]...)
}

// notAtAll is how long a server may live on after it has answered.
const notAtAll = 2 * time.Second

// depart begins a journey in a server that is about to die, and waits until it
// is dead. It reports whether it died by itself.
func (s *stage) depart(j journey, kill <-chan time.Time, env ...string) (died bool) {
	s.T.Helper()
	s.again()
	s.Start(env...)
	if j.begin != nil {
		j.begin(s)
	}
	_, err := s.look(sessionID) // as in the calm trip
	s.must(err)
	typ, data := j.command(s)
	answered := make(chan error, 1)
	go func() {
		_, err := s.send(theName, typ, data)
		answered <- err
	}()
	select {
	case err := <-answered:
		if err == nil { // the place comes after the answer, or not at all
			select {
			case <-s.Srv.Exited():
				return true
			case <-time.After(notAtAll):
				s.Srv.Kill()
				return false
			}
		}
	case <-kill:
		s.Srv.Kill()
	}
	s.Srv.Kill()
	return true
}

// A server is killed -9 at every named place of a journey with files. Started
// again, the journey is wholly done or wholly not: what was said, the state and
// the files agree, and the records say which. Asked for again under its name it
// is done, once; it can be taken back; nothing is damaged or left behind.
//
// Covers: CHK-01, C-42
func TestKillAtEveryPlace(t *testing.T) {
	bin := proc.Program(t, "crashpoints")
	for turn, j := range journeys {
		t.Run(j.name, func(t *testing.T) {
			t.Parallel()
			s := prepared(t, bin, j)
			calm := s.calm(t, j)
			chosen := nightly.Third(choose(calm.places, turn))
			done, missed := 0, 0
			for _, at := range chosen {
				t.Run(at, func(t *testing.T) {
					s := s.in(t)
					if !s.depart(j, nil, crashAt+at) {
						missed++
					}
					s.Start()
					if s.check(t, j, calm) {
						done++
					}
				})
			}
			t.Logf("%d of %d places, %d of them left it done, %d were not passed again", len(chosen), len(calm.places), done, missed)
			if nightly.Whole() && (done == 0 || done == len(chosen)) || missed > 1 && missed*5 > len(chosen) {
				t.Errorf("of %d crashes %d left it done, and %d did not come", len(chosen), done, missed)
			}
		})
	}
}

// Crashes come at any moment, not only where a name is.
func TestKillAtAnyMoment(t *testing.T) {
	bin := proc.Program(t, "crashpoints")
	r := rand.New(rand.NewPCG(20260102, 1))
	t.Parallel()
	j := journeys[0]
	s := prepared(t, bin, j)
	calm := s.calm(t, j)
	done := 0
	moments := make([]time.Duration, nightly.Size(6, 200))
	for i := range moments {
		moments[i] = time.Duration(r.Int64N(int64(4 * calm.took)))
	}
	played := nightly.Third(moments)
	for i, wait := range played {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			s := s.in(t)
			s.depart(j, time.After(wait))
			s.Start()
			if s.check(t, j, calm) {
				done++
			}
		})
	}
	t.Logf("%d of %d left it done, in %s", done, len(played), calm.took)
}

// A server may die again while it finishes what the first death cut off.
func TestKillTwice(t *testing.T) {
	bin := proc.Program(t, "crashpoints")
	t.Parallel()
	j := journeys[0]
	s := prepared(t, bin, j)
	calm := s.calm(t, j)
	firsts := []string{"checkpoint.written:2"}
	if nightly.On() {
		firsts = append(firsts, "append.after/rewind_started:1", "checkpoint.before:1", "checkpoint.removed:2", "checkpoint.permitted:1", "checkpoint.restored:1", "append.before/history_rewound:1")
	}
	for _, first := range firsts {
		t.Run(first, func(t *testing.T) {
			s := s.in(t)
			log := filepath.Join(s.dir, "places")
			s.must(os.RemoveAll(log))
			s.depart(j, nil, crashAt+first)
			s.Start(crashLog + log)
			s.settled(sessionID)
			places := placesIn(t, log)
			if len(places) < 3 {
				t.Fatalf("it was finished at %v alone", places)
			}
			for _, second := range nightly.Third(choose(places, 0)) {
				t.Run(second, func(t *testing.T) {
					s := s.in(t)
					s.depart(j, nil, crashAt+first)
					s.dies(second)
					s.Start()
					if !s.check(t, j, calm) {
						t.Error("what was begun is not done")
					}
				})
			}
		})
	}
}

// dies starts a server that dies at a place while it goes on with what it finds.
// Nobody asks it for anything.
func (s *stage) dies(at string) {
	s.T.Helper()
	if err := s.Srv.Start(crashAt + at); err != nil {
		return // it died before it was ready
	}
	select {
	case <-s.Srv.Exited():
	case <-time.After(within):
		s.T.Fatalf("it did not get to %s by itself", at)
	}
}
