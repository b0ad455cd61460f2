// Package agent works on turns. Until a model provider is configured there is
// one agent: the echo.
package agent

import (
	"context"
	"strings"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/session"
)

// Echo answers each message with its own text, and says how to get a real
// answer. It streams word by word, so that everything a real agent uses is in
// use.
type Echo struct{}

const advice = "This is the built-in echo: no model provider is configured. See docs/providers.md."

// Work implements session.Agent.
func (Echo) Work(ctx context.Context, turn session.Turn, prompt clew.Message, desk *session.Desk) error {
	if err := desk.Begin(); err != nil {
		return err
	}
	text := "You said: " + prompt.Text
	if prompt.Text == "" {
		text = advice
	}
	for word := range strings.SplitAfterSeq(text, " ") {
		if err := desk.Write(word); err != nil {
			return err
		}
	}
	return desk.End()
}
