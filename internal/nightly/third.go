package nightly

import (
	"os"
	"testing"
)

// Third is a third of the cases of a campaign: each commit plays the one that its hash
// says, in CLEW_THIRD, and three commits have about all of them. The night plays all, and
// so does whoever sets no third.
func Third[T any](cases []T) []T {
	n := chosen()
	if n < 0 {
		return cases
	}
	var third []T
	for i := n; i < len(cases); i += 3 {
		third = append(third, cases[i])
	}
	return third
}

// InThird is for campaigns that have no cases: only commits of one third (0, 1 or 2) play
// them.
func InThird(t testing.TB, third int) {
	t.Helper()
	if n := chosen(); n >= 0 && n != third {
		t.Skip("commits of another third play it, and make nightly")
	}
}

// Whole says that no third was chosen: all cases are played.
func Whole() bool { return chosen() < 0 }

// chosen is the third of this commit, or -1 for all.
func chosen() int {
	if text := os.Getenv("CLEW_THIRD"); !On() && len(text) == 1 && text >= "1" && text <= "3" {
		return int(text[0] - '1')
	}
	return -1
}
