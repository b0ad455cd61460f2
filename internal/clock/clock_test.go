package clock_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/clew-run/clew/internal/clock"
	"github.com/clew-run/clew/internal/clock/clocktest"
)

var _ clock.Clock = (*clocktest.Clock)(nil)

// The machine's time of day has no monotonic part, so that nobody takes two of them
// for how much time went by: what would go wrong at a jump goes wrong in tests, too.
func TestSystem(t *testing.T) {
	c := clock.System()
	first := time.Now().Round(0)
	if now := c.Now(); now != now.Round(0) || now.Before(first) || now.After(time.Now().Round(0)) {
		t.Errorf("%v", now)
	}
	before := c.Elapsed()
	fired, _ := c.After(time.Millisecond)
	<-fired
	if went := c.Elapsed() - before; went < time.Millisecond {
		t.Errorf("%v went by", went)
	}
	never, stop := c.After(time.Hour)
	stop()
	select {
	case <-never:
		t.Error("a stopped timer")
	default:
	}
}

// Jumps, a standstill and drift are of the time of day alone; timers go by what
// elapsed.
func TestTestClock(t *testing.T) {
	start := time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)
	c := clocktest.New(start)
	due, _ := c.After(time.Minute)
	is := func(now, elapsed time.Duration, fired bool) {
		t.Helper()
		if c.Now().Sub(start) != now || c.Elapsed() != elapsed {
			t.Errorf("%v after %v", c.Now().Sub(start), c.Elapsed())
		}
		select {
		case <-due:
			if !fired {
				t.Error("the timer fired")
			}
		default:
			if fired {
				t.Error("the timer did not fire")
			}
		}
	}
	c.Jump(time.Hour)
	is(time.Hour, 0, false)
	c.Jump(-2 * time.Hour)
	is(-time.Hour, 0, false)
	c.Run(0)
	c.Advance(30 * time.Second)
	is(-time.Hour, 30*time.Second, false)
	c.Run(2)
	c.Advance(30 * time.Second)
	is(-time.Hour+time.Minute, time.Minute, true)
}

// The ordinary program knows nothing of a clock that can be set from outside.
func TestOrdinaryProgramHasNoFaults(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a program twice")
	}
	for _, c := range []struct {
		tags string
		has  bool
	}{{"", false}, {"faults", true}} {
		program := filepath.Join(t.TempDir(), "probe")
		build := exec.CommandContext(t.Context(), "go", "build", "-tags", c.tags, "-o", program, "./testdata/probe")
		if out, err := build.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		b, err := os.ReadFile(program)
		if err != nil {
			t.Fatal(err)
		}
		if has := bytes.Contains(b, []byte("CLEW_FAULT"+"_CLOCK")); has != c.has {
			t.Errorf("with the tags %q the variable is there: %v", c.tags, has)
		}
		if c.has {
			checkJumps(t, program)
		}
	}
}

// checkJumps has a running program's clock jump, stand and drift. The program prints
// the time of day and what elapsed, in ms, for each line that it reads.
func checkJumps(t *testing.T, program string) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "clock")
	cmd := exec.CommandContext(t.Context(), program)
	cmd.Env = append(os.Environ(), "CLEW_FAULT"+"_CLOCK="+file)
	in, err1 := cmd.StdinPipe()
	out, err2 := cmd.StdoutPipe()
	if err := errors.Join(err1, err2, cmd.Start()); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = in.Close(); _ = cmd.Wait() }()
	ask := func() (ahead, elapsed time.Duration) {
		t.Helper()
		var now, ms int64
		if _, err := fmt.Fprintln(in); err != nil {
			t.Fatal(err)
		}
		if _, err := fmt.Fscan(out, &now, &ms); err != nil {
			t.Fatal(err)
		}
		return time.Until(time.UnixMilli(now)).Round(time.Minute), time.Duration(ms) * time.Millisecond
	}
	_, before := ask()
	for _, c := range []struct {
		says  string
		ahead time.Duration
	}{{"1h 1", time.Hour}, {"-1h 1", -time.Hour}, {"0s 0", 0}, {"2h 0", 2 * time.Hour}} {
		if err := os.WriteFile(file, []byte(c.says+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		ahead, elapsed := ask()
		if ahead != c.ahead || elapsed < before || elapsed > before+time.Minute {
			t.Errorf("%s: ahead by %v, %v elapsed", c.says, ahead, elapsed-before)
		}
	}
}
