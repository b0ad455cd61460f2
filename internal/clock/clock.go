// Package clock tells the time. What matters is which time somebody asks for: the
// time of day can jump, stand still or run at another pace than it should, and what
// lasts so long must not become shorter or longer by that.
package clock

import "time"

// A Clock tells the time. It is safe for concurrent use.
type Clock interface {
	// Now is the time of day, for what people see, for what is stored, and for what
	// was agreed with others, such as the end of a token. It has no monotonic part:
	// two of them do not tell how much time went by.
	Now() time.Time
	// Elapsed is the time since a moment that stays the same for as long as the
	// process runs. It only goes forward, whatever happens to the time of day: for
	// all that takes, lasts or waits so long.
	Elapsed() time.Duration
	// After gives a channel that gets one value once so much time has gone by, unless
	// stop is called before.
	After(d time.Duration) (c <-chan time.Time, stop func())
}

// System is the machine's clock.
func System() Clock { return system{time.Now()} }

type system struct{ start time.Time }

func (system) Now() time.Time { return wall().Round(0) }

func (s system) Elapsed() time.Duration { return time.Since(s.start) }

func (system) After(d time.Duration) (<-chan time.Time, func()) {
	t := time.NewTimer(d)
	return t.C, func() { t.Stop() }
}

// Steady gives what elapsed as a time, for those who compare times and do not mind
// the time of day.
func Steady(c Clock) func() time.Time {
	return func() time.Time { return time.Unix(0, 0).Add(c.Elapsed()) }
}
