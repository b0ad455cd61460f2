package cli

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/clew-run/clew"
)

func (a *app) checkpointSave(r *remote) *cobra.Command {
	var message string
	cmd := &cobra.Command{
		Use:   "save [SESSION]",
		Short: "Make a checkpoint of the files as they are now",
		Long: "Make a checkpoint of the files of a session's workspace as they are now. Agents do so by\n" +
			"themselves before and after they change files; this is for what you do by hand.\n\n" + howSession,
		Example: "clew checkpoint save --message 'before the big change'",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			id, c, err := a.sessionChanged(cmd.Context(), argument(args, 0), *r)
			if err != nil {
				return err
			}
			result := rewound{SessionID: id}
			if err := c.move(cmd.Context(), id, clew.CommandCheckpointSave, clew.CheckpointSaveData{Message: message}, &result); err != nil {
				return err
			}
			return a.print(result, func(w io.Writer) error { return printSaved(w, result, c.at) })
		},
	}
	cmd.Flags().StringVar(&message, "message", "", "what it is for")
	return cmd
}

func printSaved(w io.Writer, r rewound, at remote) error {
	p := &page{w: w}
	d, ok := r.Data.(*clew.CheckpointSavedData)
	if !ok {
		p.line("Saved: %s lists it.", at.line("checkpoint", "ls", string(r.SessionID)))
		return p.err
	}
	p.line("Saved as %s, with %s.", short(d.ToHash), count(d.Files, "file"))
	for _, name := range d.Left {
		p.line("  left out: %s", plain(name))
	}
	return p.err
}

func (a *app) checkpointRestore(r *remote) *cobra.Command {
	var message string
	var yes bool
	cmd := &cobra.Command{
		Use:   "restore [SESSION] HASH",
		Short: "Take the files back to a checkpoint",
		Long: "Take the files of a session's workspace back to a checkpoint, named by its hash or how\n" +
			"that begins. What would change is shown first. How the files are now is saved, so\n" +
			"that they can be taken forth again in the same way. With --message the conversation\n" +
			"goes back to before that message, too; clew undo takes both forth again.\n\n" + howSession,
		Example: "clew checkpoint restore sess_1 9cade7bb1cd2",
		Args:    cobra.RangeArgs(1, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			if !yes && (a.json || !a.onTerminal()) {
				return usagef("there is nobody to ask: --yes takes the files back, clew checkpoint diff shows what would change")
			}
			session, hash := "", args[len(args)-1]
			if len(args) == 2 {
				session = args[0]
			}
			id, c, err := a.sessionChanged(cmd.Context(), session, *r)
			if err != nil {
				return err
			}
			return a.restore(cmd.Context(), c, id, hash, message, yes)
		},
	}
	cmd.Flags().StringVar(&message, "message", "", "take the conversation back to before this message, too")
	cmd.Flags().BoolVar(&yes, "yes", false, "do not ask")
	return cmd
}

func (a *app) restore(ctx context.Context, c *rest, id clew.SessionID, part, message string, yes bool) error {
	hash, err := c.checkpointHash(ctx, id, part)
	if err != nil {
		return err
	}
	d := clew.CheckpointRestoreData{CommitHash: hash, Mode: clew.RestoreFiles}
	if message != "" {
		d.Mode = clew.RestoreBoth
		if d.MessageID, err = c.messageID(ctx, id, message); err != nil {
			return err
		}
	}
	if !a.json {
		var now clew.CheckpointDiffAnswer
		if _, err := c.command(ctx, id, clew.CommandCheckpointDiff, clew.CheckpointDiffData{From: hash}, &now); err != nil {
			return err
		}
		if err := printRestore(a.Out, d, now); err != nil {
			return err
		}
	}
	if !yes && !a.confirm("Take the files back?") {
		_, _ = fmt.Fprintln(a.Err, "Nothing was changed.")
		return errReported
	}
	result := rewound{SessionID: id}
	if err := c.move(ctx, id, clew.CommandCheckpointRestore, d, &result); err != nil {
		return err
	}
	if result.Event == "" && d.Mode == clew.RestoreFiles {
		result.Event = clew.EventCheckpointRestored // nothing that clew undo knows of
	}
	return a.print(result, func(w io.Writer) error { return printMove(w, result, c.at) })
}

// printRestore says what a restore would change. It is told what was changed
// since.
func printRestore(w io.Writer, d clew.CheckpointRestoreData, since clew.CheckpointDiffAnswer) error {
	p := &page{w: w}
	p.line("Back to %s:", short(d.CommitHash))
	if d.MessageID != "" {
		p.line("  the conversation goes back to before %s", d.MessageID)
	}
	p.changes(since)
	return p.err
}

// changes says what becomes of files that go back to how they were, told what
// was changed since.
func (p *page) changes(since clew.CheckpointDiffAnswer) {
	back := make([]clew.CheckpointFile, 0, len(since.Files))
	for _, f := range since.Files {
		back = append(back, backwards(f))
	}
	p.files(&clew.RewindPreviewAnswer{Files: back, FilesCount: max(since.FilesCount, len(back))}, true)
}

// backwards is what undoes a change of a file. Lines are not counted then.
func backwards(f clew.CheckpointFile) clew.CheckpointFile {
	f.Unified = ""
	switch f.Status {
	case "added":
		f.Status = "deleted"
	case "deleted":
		f.Status = "added"
	}
	if f.Paths.Old != "" {
		f.Paths.Relative, f.Paths.Old = f.Paths.Old, f.Paths.Relative
	}
	return f
}

func (a *app) checkpointFsck(r *remote) *cobra.Command {
	var verbose bool
	cmd := &cobra.Command{
		Use:   "fsck [SESSION|DIR]",
		Short: "Verify the checkpoints in the data directory on this machine",
		Long: "Read all checkpoints in the data directory, or those of one session or workspace,\n" +
			"and say what is damaged. A server may be running. The exit code is 1 if there are\n" +
			"problems.",
		Example: "clew checkpoint fsck\nclew checkpoint fsck sess_1 --verbose",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			cfg, err := a.stored(*r)
			if err != nil {
				return err
			}
			what := ""
			if len(args) > 0 {
				what = args[0]
				if dir, ok := directory(what); ok {
					what = dir
				} else if !clew.SessionID(what).Valid() {
					return usagef("%q is not a session id", what)
				}
			}
			found, err := a.server.fsck(cmd.Context(), cfg, what)
			if err != nil {
				return err
			}
			err = a.print(found, func(w io.Writer) error { return found.Write(w, verbose) })
			if err == nil && len(found.Findings) > 0 {
				return errReported
			}
			return err
		},
	}
	cmd.Flags().BoolVar(&verbose, "verbose", false, "say what git says of each damage")
	return cmd
}

func (a *app) checkpointGC(r *remote) *cobra.Command {
	return &cobra.Command{
		Use:   "gc",
		Short: "Drop the checkpoints that nobody needs, of a stopped server",
		Long: "Drop the checkpoints in the data directory that no record refers to, and those that\n" +
			"are older than the setting checkpoint_retention_days. The server must be stopped: a\n" +
			"running one does this by itself every six hours.",
		Example: "clew checkpoint gc",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, err := a.stored(*r)
			if err != nil {
				return err
			}
			got, err := a.server.gc(cmd.Context(), cfg)
			if err != nil {
				return err
			}
			err = a.print(got, func(w io.Writer) error {
				_, err := fmt.Fprintf(w, "%s of %d dropped in %s, %s freed\n", count(got.Dropped, "checkpoint"), got.Checkpoints, count(got.Workspaces, "workspace"), size(got.Freed))
				for _, dir := range got.Failed {
					_, _ = fmt.Fprintf(w, "not collected: %s; clew checkpoint fsck says why\n", plain(dir))
				}
				return err
			})
			if err == nil && len(got.Failed) > 0 {
				return errReported
			}
			return err
		},
	}
}
