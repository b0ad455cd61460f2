package nightly_test

import (
	"testing"

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
