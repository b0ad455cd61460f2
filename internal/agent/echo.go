// Package agent works on turns. Until a model provider is configured there is
// one agent: the echo.
package agent

import (
	"context"
	"strings"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/session"
)

// Echo answers each message with its own text. It streams word by word, so that
// everything a real agent uses is in use.
type Echo struct{}

// Work implements session.Agent.
func (Echo) Work(ctx context.Context, turn session.Turn, prompt clew.Message, desk *session.Desk) error {
	if err := desk.Begin(); err != nil {
		return err
	}
	for word := range strings.SplitAfterSeq("You said: "+prompt.Text, " ") {
		if err := desk.Write(word); err != nil {
			return err
		}
	}
	return desk.End()
}
