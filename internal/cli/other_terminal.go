package cli

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/cli/env"
)

// otherTerminal says that a session, which is continued here, has another PATH than this
// terminal or other variables of toolchains, and what to do about it. "" if they are the
// same, and if it has none of a terminal.
func otherTerminal(ctx context.Context, a *env.App, c *env.Rest, id clew.SessionID) string {
	now := c.Terminal(a.Environ)
	had, err := environmentOf(ctx, c, id)
	if err != nil || len(now) == 0 || len(had) == 0 {
		return ""
	}
	if list, err := settings(ctx, c); err == nil {
		if s, ok := find(list, "command_path"); ok && string(s.Value) != `""` {
			delete(now, "PATH") // all sessions have the server's
			delete(had, "PATH")
		}
	}
	if !slices.Equal(searched(now["PATH"]), searched(had["PATH"])) {
		return "Your PATH differs from this session's, and its commands keep that. To use yours: " + c.Line("settings", "set", "--session", string(id), "command_path") + ` "$PATH"`
	}
	if other := otherVariables(had, now); len(other) > 0 {
		return fmt.Sprintf("Other than when this session began: %s. Its commands keep what it was; a new session takes yours: %s", strings.Join(other, ", "), c.Line())
	}
	return ""
}

// searched are the directories of a PATH, each where it counts.
func searched(path string) (list []string) {
	for _, dir := range filepath.SplitList(path) {
		if dir = filepath.Clean(dir); !slices.Contains(list, dir) {
			list = append(list, dir)
		}
	}
	return list
}

// otherVariables names what is not the same, language and time apart: commands work
// alike in all of them.
func otherVariables(had, now map[string]string) (list []string) {
	all := maps.Clone(had)
	maps.Copy(all, now)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if name != "PATH" && name != "LANG" && name != "TZ" && !strings.HasPrefix(name, "LC_") && had[name] != now[name] {
			list = append(list, name)
		}
	}
	return list
}
