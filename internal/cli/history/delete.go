package history

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/client"
	"github.com/clew-run/clew/internal/cli/env"
	"github.com/clew-run/clew/internal/deletion"
)

type deleteFlags struct{ preview, now, undo, yes bool }

// DeleteCommand is clew delete.
func DeleteCommand(a *env.App) *cobra.Command {
	var r env.Remote
	var f deleteFlags
	cmd := &cobra.Command{
		Use:   "delete SESSION",
		Short: "Delete a session, and erase it after a while",
		Long: "Delete a session. What would be erased is shown first. Nobody sees the session any\n" +
			"more; for some days, as the server's setting erase_after_days says, clew delete --undo\n" +
			"brings it back. Then it is erased: what was said, tool output, files that the server\n" +
			"kept for it, questions and its place in lists. Forks and backups keep their copies.\n\n" +
			"SESSION is its whole id.",
		Example: "clew delete sess_1\nclew delete sess_1 --preview\nclew delete sess_1 --undo\nclew ls --deleted",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.check(a, args[0]); err != nil {
				return err
			}
			c, err := a.Connect(r)
			if err != nil {
				return err
			}
			id := clew.SessionID(args[0])
			if f.undo {
				return undelete(cmd.Context(), a, c, id)
			}
			return deleteSession(cmd.Context(), a, c, id, f)
		},
	}
	r.Flags(cmd)
	cmd.Flags().BoolVar(&f.preview, "preview", false, "only show what would be erased")
	cmd.Flags().BoolVar(&f.now, "now", false, "erase it at once: it cannot be brought back")
	cmd.Flags().BoolVar(&f.undo, "undo", false, "bring a deleted session back")
	cmd.Flags().BoolVar(&f.yes, "yes", false, "do not ask")
	return cmd
}

func (f deleteFlags) check(a *env.App, name string) error {
	if name == "" {
		return env.Usagef("a session is named by its id")
	}
	if err := env.CheckName(name); err != nil {
		return err
	}
	if f.undo && (f.now || f.preview) {
		return env.Usagef("--undo goes with neither --now nor --preview")
	}
	if !f.yes && !f.preview && !f.undo && (a.JSON || !OnTerminal(a)) {
		return env.Usagef("there is nobody to ask: --yes deletes the session, --preview only shows what would be erased")
	}
	return nil
}

func undelete(ctx context.Context, a *env.App, c *env.Rest, id clew.SessionID) error {
	if err := c.API().RestoreSession(ctx, id); err != nil {
		return err
	}
	return a.Print(map[string]any{"session_id": id, "restored": true}, func(w io.Writer) error {
		_, err := fmt.Fprintf(w, "Session %s is back: %s\n", id, c.Line("show", string(id)))
		return err
	})
}

func deleteSession(ctx context.Context, a *env.App, c *env.Rest, id clew.SessionID, f deleteFlags) error {
	p, err := c.API().PreviewDeletion(ctx, id)
	if err != nil {
		return err
	}
	if f.now {
		p.EraseMS = time.Now().UnixMilli()
	}
	if f.preview {
		return a.Print(p, func(w io.Writer) error { return PrintDeletion(w, p, f.now) })
	}
	if !a.JSON {
		if err := PrintDeletion(a.Out, p, f.now); err != nil {
			return err
		}
	}
	if p.Deleted != nil && !a.JSON {
		return env.ErrReported
	}
	if !f.yes && !confirm(a, "Delete the session?") {
		_, _ = fmt.Fprintln(a.Err, "Nothing was changed.")
		return env.ErrReported
	}
	d, err := c.API().DeleteSession(ctx, id, f.now)
	if err != nil {
		return err
	}
	return a.Print(d, func(w io.Writer) error {
		text := "It is deleted, and is being erased."
		if d.EraseMS > d.DeletedMS {
			text = fmt.Sprintf("It is deleted. Until %s this brings it back: %s", deletion.Day(d.EraseMS), c.Line("delete", "--undo", string(id)))
		}
		_, err := fmt.Fprintln(w, text)
		return err
	})
}

// PrintDeletion says what deleting a session would erase, and what would stay.
func PrintDeletion(w io.Writer, p client.DeletionPreview, now bool) error {
	out := &env.Page{W: w}
	if d := p.Deleted; d != nil {
		switch {
		case d.ErasedMS > 0:
			out.Line("Session %s was deleted on %s and erased on %s.", p.SessionID, deletion.Day(d.DeletedMS), deletion.Day(d.ErasedMS))
		default:
			out.Line("Session %s was deleted on %s. It is erased on %s.", p.SessionID, deletion.Day(d.DeletedMS), deletion.Day(d.EraseMS))
		}
		return out.Err
	}
	out.Line("Session %s  %s", p.SessionID, env.Cut(env.Plain(p.Title), 60))
	words, label := deletion.Of(p, now), "erases"
	for _, text := range words.Erases {
		out.Line("  %-6s  %s", label, text)
		label = ""
	}
	for _, text := range words.Keeps {
		out.Line("  keeps   %s", text)
	}
	out.Line("  %s", words.Until)
	return out.Err
}
