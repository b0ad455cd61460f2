package follow

import (
	"context"
	"net/http"
	"net/url"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/cli/env"
	"github.com/clew-run/clew/internal/term"
)

// Expand puts what a command of the project or the person stands for in its place.
// The server knows them; an unknown one is refused there, and never sent.
func Expand(ctx context.Context, c *env.Rest, id clew.SessionID, data *clew.UserMessageData) error {
	if _, _, ok := term.Slash(data.Text); !ok {
		return nil
	}
	var got struct {
		Text string `json:"text"`
		Mode string `json:"mode"`
	}
	path := "sessions/" + url.PathEscape(string(id)) + "/slash-commands"
	if err := c.Call(ctx, http.MethodPost, path, map[string]string{"text": data.Text}, &got); err != nil {
		return err
	}
	data.Text = got.Text
	if data.Mode == "" {
		data.Mode = clew.MessageMode(got.Mode)
	}
	return nil
}

// call looks a command up that was typed while the agent works. What it stands for
// is told to the agent; if there is no such command, nothing is.
func (f *follower) call(ctx context.Context, line string) {
	f.running.Go(func() {
		data := clew.UserMessageData{Text: line}
		err := Expand(ctx, f.c, f.o.Session, &data)
		select {
		case f.sent <- sentCommand{called: line, stands: data.Text, err: err}:
		case <-ctx.Done():
		}
	})
}

// called goes on once the server has said what a command stands for.
func (f *follower) called(ctx context.Context, s sentCommand) {
	if s.err != nil {
		f.note(Waiting, "! %s: %s. Nothing was sent.", Quoted(s.called), clew.AsError(s.err).Message)
		return
	}
	f.tell(ctx, s.stands)
}
