package client

import (
	"context"
	"errors"
	"time"

	"github.com/clew-run/clew"
)

// Retry says how often and how soon a broken connection is opened again.
type Retry struct {
	MaxRetries   int           // attempts after a loss before the client gives up; below 0 for none
	InitialDelay time.Duration // before the first of them
	MaxDelay     time.Duration
	Multiplier   float64 // from one delay to the next
}

// DefaultRetry waits 1, 2, 4, 8 and 16 s.
var DefaultRetry = Retry{MaxRetries: 5, InitialDelay: time.Second, MaxDelay: 30 * time.Second, Multiplier: 2}

// Delay gives the wait before attempt n, counted from 0, without jitter.
func (r Retry) Delay(n int) time.Duration {
	d := float64(r.InitialDelay)
	for range n {
		d *= r.Multiplier
		if d >= float64(r.MaxDelay) {
			return r.MaxDelay
		}
	}
	return min(time.Duration(d), r.MaxDelay)
}

// jitter shortens a delay to between half and all of it; random is in [0, 1).
func jitter(d time.Duration, random float64) time.Duration {
	return d/2 + time.Duration(random*float64(d-d/2))
}

// longestWait bounds what a server may ask for; its limits count by the minute.
const longestWait = time.Minute

// retryAfter gives the wait that the server asked for with an error, if any.
func retryAfter(err error) time.Duration {
	var e *clew.Error
	if !errors.As(err, &e) {
		return 0
	}
	return min(time.Duration(e.RetryAfterMS)*time.Millisecond, longestWait)
}

// sleep waits for d or until ctx ends.
func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
