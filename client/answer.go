package client

import (
	"context"
	"reflect"

	"github.com/clew-run/clew"
)

// Answer answers a question. answer is one of the catalogue's hitl_*_response
// structs, or a pointer to one; it names the question by its request id. All
// clients hear how the question was settled through hitl_resolved.
func (c *Client) Answer(ctx context.Context, answer any) (clew.ClientMessageID, error) {
	typ, ok := answerType(answer)
	if !ok {
		return "", clew.Errorf(clew.InvalidMessage, "%T is no answer to a question", answer)
	}
	return c.Send(ctx, typ, answer)
}

// answerType finds the command that carries an answer.
func answerType(answer any) (clew.CommandType, bool) {
	t := reflect.TypeOf(answer)
	if t != nil && t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	for _, info := range clew.Commands {
		if info.Hitl && reflect.TypeOf(info.Data) == t {
			return info.Type, true
		}
	}
	return "", false
}

// Pause pauses the session's run. The connection is not affected.
func (c *Client) Pause(ctx context.Context) (clew.ClientMessageID, error) {
	return c.Send(ctx, clew.CommandControlPause, clew.ControlPauseData{})
}

// Resume goes on with a paused run.
func (c *Client) Resume(ctx context.Context) (clew.ClientMessageID, error) {
	return c.Send(ctx, clew.CommandControlResume, clew.ControlResumeData{})
}
