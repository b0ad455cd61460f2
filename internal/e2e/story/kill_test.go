package story

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/e2e/proc"
	"github.com/clew-run/clew/internal/llm/llmtest"
	"github.com/clew-run/clew/internal/nightly"
)

// sampled is how many crash points are tried beyond one of each name, unless
// the night has time for all of them.
const sampled = 3

// killWithin bounds one story with a crash in it.
const killWithin = 90 * time.Second

// A server is killed -9 at every named place: before and after each append, each
// intent, each result, and in the middle of an answer and of a command. Started
// again it brings the task to the same end; no step that must not be repeated
// runs twice, no approval is used twice, nothing is left running.
//
// Covers: HIS-01, C-50, TSK-06, TSK-07
func TestKillAtEveryPoint(t *testing.T) {
	bin := proc.Program(t, "crashpoints")
	calm, places := undisturbed(t, bin)
	chosen := nightly.Third(choose(t, places))
	t.Logf("%d of %d crash points run", len(chosen), len(places))
	var mu sync.Mutex
	missed := 0
	t.Run("at", func(t *testing.T) {
		for i, at := range chosen {
			t.Run(at, func(t *testing.T) {
				t.Parallel()
				// Both wires, and both ways to treat a call that was cut, by turns.
				how := plot{bin: bin, vendor: vendors[i%len(vendors)], settings: map[string]any{"model_crash_retry": retries[i/2%2]}}
				if !killedAt(t, how, at, calm) {
					mu.Lock()
					missed++
					mu.Unlock()
				}
			})
		}
	})
	if missed > 1 && missed*5 > len(chosen) {
		t.Errorf("%d of %d places were not passed the second time", missed, len(chosen))
	}
}

// A question waits on record: the server that asked it may die.
//
// Covers: C-50
func TestKillWhileAQuestionWaits(t *testing.T) {
	bin := proc.Program(t, "")
	for n := 1; n <= 2; n++ {
		t.Run(fmt.Sprint("question ", n), func(t *testing.T) {
			t.Parallel()
			s := killStage(t, plot{bin: bin, vendor: vendors[n%len(vendors)]})
			asked := 0
			p := reader(s)
			p.onAsk = func(clew.Question) bool {
				if asked++; asked == n {
					s.Srv.Kill()
					return false
				}
				return true
			}
			s.live(t, p)
			calm := calmTranscript(t)
			s.check(t, calm)
		})
	}
}

func calmTranscript(t *testing.T) []string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", "kill.story.txt"))
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSpace(string(b)), "\n")
}

// retries are the ways to treat a model call that a crash cut.
var retries = []string{"ask", "auto"}

func killStage(t *testing.T, how plot) *stage {
	t.Helper()
	how.script = "kill.yaml"
	how.files = map[string]string{"list.txt": "apples\npears\n", "notes.txt": "Fruit.\n", "mark.txt": mark()}
	return newStage(t, how)
}

// mark is a time to sleep that no other process sleeps.
func mark() string { return fmt.Sprintf("97.%09d", rand.IntN(1e9)) }

func reader(s *stage) *person {
	return &person{stage: s, says: clew.UserMessageData{Text: "Correct the list and count once."}, value: "notes.txt"}
}

// undisturbed plays the story without a crash and lists the places it passes.
func undisturbed(t *testing.T, bin string) (calm []string, places []string) {
	t.Helper()
	s := killStage(t, plot{bin: bin, vendor: llmtest.Anthropic})
	log := filepath.Join(t.TempDir(), "places")
	if err := s.Srv.Start(crashLog + log); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), killWithin)
	defer cancel()
	p := reader(s)
	if err := p.play(ctx); err != nil {
		t.Fatal(err)
	}
	list, _ := s.replayed()
	calm = told(list)
	golden(t, llmtest.Anthropic, "kill.story.txt", strings.Join(calm, "\n")+"\n")
	s.check(t, calm)
	b, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	return calm, strings.Fields(string(b))
}

// choose takes the first passage of every place, of the two around an append one
// by turns, and a sample of the others that depends on a seed alone.
func choose(t *testing.T, places []string) []string {
	t.Helper()
	if nightly.On() {
		return places
	}
	var first, rest []string
	turns := map[string]int{} // of the records that are appended
	for _, at := range places {
		wanted := strings.HasSuffix(at, ":1")
		if side, record, ok := strings.Cut(at, "/"); ok && wanted && strings.HasPrefix(side, "append.") {
			turn, known := turns[record]
			if !known {
				turn = len(turns)
				turns[record] = turn
			}
			wanted = (side == "append.before") == (turn%2 == 0)
		}
		if wanted {
			first = append(first, at)
		} else {
			rest = append(rest, at)
		}
	}
	seed := uint64(20260101)
	r := rand.New(rand.NewPCG(seed, 1))
	r.Shuffle(len(rest), func(i, j int) { rest[i], rest[j] = rest[j], rest[i] })
	return append(first, rest[:min(sampled, len(rest))]...)
}

// killedAt plays the story with a crash and looks at what came of it. It reports
// whether the crash came: now and then records go together that went one by one
// in the undisturbed run.
func killedAt(t *testing.T, how plot, at string, calm []string) (died bool) {
	t.Helper()
	s := killStage(t, how)
	p := reader(s)
	died = s.live(t, p, crashAt+at)
	if !died {
		t.Logf("%s was not passed", at)
	}
	s.check(t, calm)
	return died
}

// live plays the story over as many lives of the server as it takes. Each of
// the first ones has a variable that ends it at a place, or lists the places it
// passes; a life may also end by whatever else the person does. It reports
// whether any did.
func (s *stage) live(t *testing.T, p *person, lives ...string) (died bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), killWithin)
	defer cancel()
	for life := 0; ; life++ {
		var env []string
		if life < len(lives) {
			env = []string{lives[life]}
		}
		err := s.Srv.Start(env...)
		if err == nil {
			err = p.play(ctx)
		}
		select {
		case <-s.Srv.Exited(): // perhaps before it was ready
			err = errDied
		default:
		}
		if err == nil {
			return died
		}
		if life > len(lives) || !errors.Is(err, errDied) {
			t.Fatalf("life %d: %v", life+1, err)
		}
		died = true
		s.orphans(ctx)
	}
}

// A server may die again while it finds out what the first death left behind.
//
// Covers: C-50
func TestKillTwice(t *testing.T) {
	bin := proc.Program(t, "crashpoints")
	calm := calmTranscript(t)
	for _, first := range []string{"tool.running:1", "model.delta:3", "tool.intent:2"} {
		t.Run(first, func(t *testing.T) {
			how := plot{bin: bin, vendor: llmtest.OpenAI}
			s := killStage(t, how)
			log := filepath.Join(t.TempDir(), "places")
			if !s.live(t, reader(s), crashAt+first, crashLog+log) {
				t.Fatal("the server did not die")
			}
			b, err := os.ReadFile(log)
			if err != nil {
				t.Fatal(err)
			}
			places := strings.Fields(string(b))
			if !nightly.On() {
				places = places[:min(len(places), early)]
			}
			for _, second := range places {
				t.Run(second, func(t *testing.T) {
					t.Parallel()
					s := killStage(t, how)
					s.live(t, reader(s), crashAt+first, crashAt+second)
					s.check(t, calm)
				})
			}
		})
	}
}

// early is how many of the places after a crash a second one is tried at: the
// first ones are those of the recovery.
const early = 3

// The variables of a program that is built to crash.
const (
	crashAt  = "CLEW_CRASH_AT="
	crashLog = "CLEW_CRASH_LOG="
)
