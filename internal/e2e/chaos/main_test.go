// Package chaos shows what runs and questions promise when people race each
// other, deadlines fall due and nodes die: several clew nodes on one engine.
package chaos

import (
	"os"
	"runtime/debug"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/clew-run/clew/internal/e2e/proc"
)

// TestMain turns the test binary into a node when it was started as one.
func TestMain(m *testing.M) {
	debug.SetGCPercent(400) // there is memory enough, and two cores for all
	if os.Getenv(roleVar) != "" {
		os.Exit(serve())
	}
	os.Exit(m.Run())
}

// amount is a number that a variable of the environment can change.
func amount(t testing.TB, name string, usual int) int {
	t.Helper()
	text := os.Getenv(name)
	if text == "" {
		return usual
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		t.Fatalf("%s=%q is no number", name, text)
	}
	return n
}

func freePort(t testing.TB) int {
	t.Helper()
	port, err := proc.FreePort()
	if err != nil {
		t.Fatal(err)
	}
	return port
}

// many runs fn for 0..count-1 on workers goroutines.
func many(count, workers int, fn func(i int)) {
	var next atomic.Int64
	var wg sync.WaitGroup
	for range min(workers, count) {
		wg.Go(func() {
			for i := int(next.Add(1)) - 1; i < count; i = int(next.Add(1)) - 1 {
				fn(i)
			}
		})
	}
	wg.Wait()
}
