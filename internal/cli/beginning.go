package cli

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/client"
	"github.com/clew-run/clew/internal/cli/env"
	"github.com/clew-run/clew/internal/term"
)

// checkMode finds out before a session is made that there is no such mode. Who may
// not see the server's settings hears it from the server.
func checkMode(ctx context.Context, c *env.Rest, mode string) error {
	if mode == "" || mode == string(clew.ModeRun) || mode == string(clew.ModeChat) {
		return nil
	}
	list, err := settings(ctx, c)
	if err != nil {
		return nil //nolint:nilerr // what is wrong will show when the session is made
	}
	names := env.BuiltInModes()
	if s, ok := find(list, "custom_modes"); ok {
		var own []struct {
			Slug string `json:"slug"`
		}
		_ = json.Unmarshal(s.Value, &own) // what cannot be read has no names
		for _, m := range own {
			names = append(names, m.Slug)
		}
	}
	if slices.Contains(names, mode) {
		return nil
	}
	return env.Usagef("there is no mode %q%s", mode, env.FirstOf(env.Meant(term.Suggest(mode, names)), "; there are "+strings.Join(names, ", ")))
}

// discard puts a session away that was made for something that the server refused:
// nobody wants to find it empty. One in which something was said stays.
func discard(ctx context.Context, c *env.Rest, id clew.SessionID) (gone bool) {
	if page, err := c.API().Messages(ctx, id, client.PageOf{Limit: 1}); err != nil || page.Total > 0 {
		return false
	}
	_ = c.Call(ctx, http.MethodDelete, "sessions/"+url.PathEscape(string(id)), nil, nil) // it is empty; if it stays, so be it
	return true
}

// refusedAtOnce reports whether the server did not take what a session was made for.
func refusedAtOnce(err error) bool {
	switch clew.CodeOf(err) {
	case clew.InvalidMessage, clew.SettingsInvalid, clew.MessageTooLarge, clew.Forbidden:
		return true
	}
	return false
}

// titleFrom makes a title of what somebody said: its first line, without the quotes
// around it.
func titleFrom(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	line = env.Plain(strings.TrimSpace(line))
	for _, pair := range []string{`""`, "''", "``", "“”", "‘’", "«»", "「」"} {
		open, shut := string([]rune(pair)[0]), string([]rune(pair)[1])
		if inner, ok := strings.CutPrefix(line, open); ok {
			if inner, ok = strings.CutSuffix(inner, shut); ok && inner != "" && !strings.Contains(inner, open) {
				line = strings.TrimSpace(inner)
			}
		}
	}
	return env.Cut(line, 60)
}
