// Package nightly says how much a long test does. Campaigns and property tests
// have a short form, which every CI run plays, and a full one, which make nightly
// plays: CLEW_NIGHTLY=1 asks all of them for it. A short form checks the same
// things, fewer times.
package nightly

import (
	"os"
	"testing"
	"time"
)

// On says that tests have the night for themselves.
func On() bool { return os.Getenv("CLEW_NIGHTLY") == "1" }

// Raced says that the tests were built with the race detector.
func Raced() bool { return race }

// Size chooses between the size of a test in CI and its full size.
func Size[T any](short, full T) T {
	if On() {
		return full
	}
	return short
}

// Plays is Size for how often a random test plays. The race detector takes ten times
// as long: with it CI plays a third.
func Plays(short, full int) int {
	if race && !On() {
		return max(1, short/3)
	}
	return Size(short, full)
}

// Alone is for long tests in one goroutine, where the race detector has nothing to
// find: with it they are left to the night.
func Alone(t testing.TB) {
	t.Helper()
	if race && !On() {
		t.Skip("with the race detector make nightly runs it")
	}
}

// Promise holds what was promised in seconds. It is for whole programs, whose time
// other tests add to: the night has the machine for itself, by day it is only told.
func Promise(t testing.TB, what string, took, limit time.Duration) {
	t.Helper()
	t.Logf("%s: %s of at most %s", what, took.Round(time.Millisecond), limit)
	if On() && took > limit {
		t.Errorf("%s took %s, want at most %s", what, took, limit)
	}
}
