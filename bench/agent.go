package main

import (
	"context"
	"fmt"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/session"
	"github.com/clew-run/clew/internal/session/core"
)

// streamer is an agent that streams stamped deltas, one a millisecond. The
// message that starts it says how many, and of how many bytes. Any other
// message it leaves lying.
type streamer struct{}

// Work implements session.Agent.
func (streamer) Work(ctx context.Context, _ core.Turn, prompt clew.Message, desk *session.TurnContext) error {
	var count, size int
	if _, err := fmt.Sscanf(prompt.Text, "%d %d", &count, &size); err != nil {
		<-ctx.Done()
		return nil
	}
	if err := desk.Begin(); err != nil {
		return err
	}
	var failed error
	pace(count, func() bool {
		failed = desk.Write(string(stamped(size)))
		return failed == nil
	})
	if failed != nil {
		return failed
	}
	return desk.End()
}
