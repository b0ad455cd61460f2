package nightly_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/clew-run/clew/internal/nightly"
)

func TestSize(t *testing.T) {
	for value, want := range map[string]int{"": 3, "0": 3, "1": 500} {
		t.Setenv("CLEW_NIGHTLY", value)
		if got := nightly.Size(3, 500); got != want || nightly.On() != (want == 500) {
			t.Errorf("CLEW_NIGHTLY=%q: %d, want %d", value, got, want)
		}
	}
}

// With the race detector there are fewer plays by day, and as many at night.
func TestPlays(t *testing.T) {
	t.Setenv("CLEW_NIGHTLY", "1")
	if got := nightly.Plays(30, 500); got != 500 {
		t.Errorf("%d plays at night", got)
	}
	t.Setenv("CLEW_NIGHTLY", "")
	raced := true
	t.Run("alone", func(t *testing.T) {
		nightly.Alone(t)
		raced = false
	})
	want := map[bool]int{false: 30, true: 10}[raced]
	if got := nightly.Plays(30, 500); got != want {
		t.Errorf("%d plays by day, want %d", got, want)
	}
}

// The thirds of a campaign have all of it between them; by night there are none.
func TestThird(t *testing.T) {
	cases := []int{0, 1, 2, 3, 4, 5, 6}
	var all []int
	for _, third := range []string{"1", "2", "3"} {
		t.Setenv("CLEW_THIRD", third)
		part := nightly.Third(cases)
		if nightly.Whole() || len(part) < 2 || len(part) > 3 {
			t.Errorf("third %s: %v", third, part)
		}
		all = append(all, part...)
	}
	slices.Sort(all)
	if !slices.Equal(all, cases) {
		t.Errorf("together %v", all)
	}
	played := 0
	for third := range 3 {
		t.Run("in", func(t *testing.T) {
			nightly.InThird(t, third)
			played++
		})
	}
	if played != 1 {
		t.Errorf("one third is played %d times", played)
	}
	t.Setenv("CLEW_NIGHTLY", "1")
	if got := nightly.Third(cases); !nightly.Whole() || len(got) != len(cases) {
		t.Errorf("at night %v", got)
	}
}

// By day the seed is always the same, at night it is another one, and CLEW_SEED sets it.
func TestSeed(t *testing.T) {
	t.Setenv("CLEW_SEED", "")
	t.Setenv("CLEW_NIGHTLY", "")
	day := nightly.Seed(t)
	t.Setenv("CLEW_NIGHTLY", "1")
	if night := nightly.Seed(t); night == day || night != nightly.Seed(t) {
		t.Errorf("%d by day, %d and then %d at night", day, night, nightly.Seed(t))
	}
	t.Setenv("CLEW_SEED", "42")
	if given := nightly.Seed(t); given != 42 {
		t.Errorf("%d, and 42 was given", given)
	}
}

// A property is tried on the same examples each time, and a series has its own.
func TestCheck(t *testing.T) {
	t.Setenv("CLEW_SEED", "7")
	drawn := func(check func(func(*rapid.T))) (list []int) {
		check(func(t *rapid.T) { list = append(list, rapid.Int().Draw(t, "n")) })
		return list
	}
	one := drawn(func(p func(*rapid.T)) { nightly.CheckTimes(t, 0, 20, p) })
	again := drawn(func(p func(*rapid.T)) { nightly.CheckTimes(t, 0, 20, p) })
	other := drawn(func(p func(*rapid.T)) { nightly.CheckTimes(t, 5, 20, p) })
	if !slices.Equal(one, again) || slices.Equal(one, other) {
		t.Errorf("%v\n%v\n%v", one, again, other)
	}
	if usual := drawn(func(p func(*rapid.T)) { nightly.Check(t, p) }); !slices.Equal(usual[:20], one) {
		t.Errorf("%v\n%v", usual, one)
	}
}
