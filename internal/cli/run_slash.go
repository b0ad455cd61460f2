package cli

import (
	"context"
	"net/http"
	"net/url"
	"regexp"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/cli/env"
)

// slashed is a text that calls a command: /name, and then its arguments. A path such
// as /etc/hosts does not.
var slashed = regexp.MustCompile(`^/[A-Za-z0-9][A-Za-z0-9_.:-]*(\s|$)`)

// expand puts what a command of the project or the person stands for in its place.
// The server knows them; an unknown one is refused there, and never sent.
func expand(ctx context.Context, c *env.Rest, id clew.SessionID, data *clew.UserMessageData) error {
	if !slashed.MatchString(data.Text) {
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
