package cli

import (
	"context"
	"fmt"
	"io"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/cli/env"
	"github.com/clew-run/clew/internal/tui/paint"
)

// windowColumns is how wide windows are printed: what is printed may go into a file.
const windowColumns = 100

// showWindows prints what agents show beside the transcript.
func showWindows(ctx context.Context, a *env.App, c *env.Rest, id clew.SessionID) error {
	got, err := c.API().Windows(ctx, id)
	if err != nil {
		return err
	}
	return a.Print(got, func(w io.Writer) error {
		for _, n := range got.Notices {
			text := n.Text
			if n.Title != "" {
				text = n.Title + ": " + text
			}
			if _, err := fmt.Fprintln(w, "notice  "+env.Plain(text)); err != nil {
				return err
			}
		}
		if len(got.Windows) == 0 {
			_, err := fmt.Fprintln(w, "No window is open.")
			return err
		}
		for i := range got.Windows {
			if err := printWindow(w, &got.Windows[i]); err != nil {
				return err
			}
		}
		return nil
	})
}

// printWindow writes a window with a line about it. The rest is set in, so that no
// text looks like another window.
func printWindow(w io.Writer, x *clew.WindowState) error {
	kind := "empty"
	if x.Content != nil {
		kind = string(x.Content.Kind)
	}
	head := fmt.Sprintf("%s  %s  version %d  %s", env.Plain(x.WindowID), env.Plain(kind), x.Version, env.Plain(x.Title))
	if x.LockedBy != "" {
		head += "  (locked by " + env.Plain(string(x.LockedBy)) + ")"
	}
	if x.Failed != "" {
		head += "  (could not be drawn: " + env.Plain(x.Failed) + ")"
	}
	if _, err := fmt.Fprintln(w, head); err != nil {
		return err
	}
	for _, line := range paint.Window(x.Content, windowColumns-4) {
		if _, err := fmt.Fprintln(w, "    "+line.String()); err != nil {
			return err
		}
	}
	return nil
}
