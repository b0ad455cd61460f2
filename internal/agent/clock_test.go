package agent_test

import (
	"context"
	"testing/synctest"
	"time"
)

// sleep lets so many seconds pass on the test's clock.
func sleep(seconds int) {
	time.Sleep(time.Duration(seconds) * time.Second)
	synctest.Wait()
}

func pauseFor(ctx context.Context, seconds int) error {
	select {
	case <-time.After(time.Duration(seconds) * time.Second):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
