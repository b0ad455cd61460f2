// Package poll waits for a condition by asking again and again. It is for tests of other
// processes that give no signal; where there is a signal, a test waits for that.
package poll

import (
	"testing"
	"time"
)

const (
	every = 5 * time.Millisecond
	// guard ends a test that hangs. Nothing is meant to take nearly as long.
	guard = 90 * time.Second
)

// Until waits until a condition holds, and ends the test if it never does.
func Until(t testing.TB, what string, holds func() bool) {
	t.Helper()
	if !Within(guard, holds) {
		t.Fatalf("in vain: %s", what)
	}
}

// Within reports whether a condition came to hold. The limit is a guard as well.
func Within(limit time.Duration, holds func() bool) bool {
	for end := time.Now().Add(limit); !holds(); time.Sleep(every) {
		if time.Now().After(end) {
			return false
		}
	}
	return true
}
