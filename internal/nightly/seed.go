package nightly

import (
	"flag"
	"maps"
	"math/rand/v2"
	"os"
	"strconv"
	"sync"
	"testing"

	"pgregory.net/rapid"
)

// bySeed is the variable that repeats a run.
const bySeed = "CLEW_SEED"

var drawn = sync.OnceValue(rand.Uint64)

// Seed gives a random test its seed: by day the same one each time, at night another
// one in each run. CLEW_SEED sets it. It is logged, so that a failure can be repeated.
func Seed(t testing.TB) uint64 {
	t.Helper()
	seed := uint64(1)
	if text := os.Getenv(bySeed); text != "" {
		n, err := strconv.ParseUint(text, 10, 64)
		if err != nil {
			t.Fatalf("%s: %v", bySeed, err)
		}
		seed = n
	} else if On() {
		seed = drawn()
	}
	t.Logf("%s=%d repeats this", bySeed, seed)
	return seed
}

// Check is rapid.Check with the seed of the run.
func Check(t testing.TB, prop func(*rapid.T)) {
	t.Helper()
	fixed(t, 0, nil, prop)
}

// CheckTimes is Check with a number of examples, and leaves no files behind. Tests with
// different series get different examples.
func CheckTimes(t testing.TB, series uint64, plays int, prop func(*rapid.T)) {
	t.Helper()
	if testing.Short() {
		plays *= 5 // rapid plays a fifth of them then
	}
	fixed(t, series, map[string]string{"rapid.nofailfile": "true", "rapid.checks": strconv.Itoa(plays)}, prop)
}

// fixed has rapid check a property with these flags, which are the process's: a test that
// runs beside others cannot use it. A seed given by -rapid.seed holds.
func fixed(t testing.TB, series uint64, flags map[string]string, prop func(*rapid.T)) {
	t.Helper()
	values := map[string]string{}
	maps.Copy(values, flags)
	if flag.Lookup("rapid.seed").Value.String() == "0" {
		values["rapid.seed"] = strconv.FormatUint(max(Seed(t)+series, 1), 10) // 0 would be any seed
	}
	for name, value := range values {
		was := flag.Lookup(name).Value.String()
		if err := flag.Set(name, value); err != nil {
			t.Fatal(err)
		}
		defer func() { _ = flag.Set(name, was) }()
	}
	rapid.Check(t, prop)
}
