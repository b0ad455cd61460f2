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
