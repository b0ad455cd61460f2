// Package nightly says how much a long test does. Campaigns and property tests
// have a short form, which every CI run plays, and a full one, which make nightly
// plays: CLEW_NIGHTLY=1 asks all of them for it. A short form checks the same
// things, fewer times.
package nightly

import "os"

// On says that tests have the night for themselves.
func On() bool { return os.Getenv("CLEW_NIGHTLY") == "1" }

// Size chooses between the size of a test in CI and its full size.
func Size[T any](short, full T) T {
	if On() {
		return full
	}
	return short
}
