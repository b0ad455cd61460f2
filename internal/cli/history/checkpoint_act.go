package history

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/cli/env"
	"github.com/clew-run/clew/internal/term"
)

func checkpointSave(a *env.App, r *env.Remote) *cobra.Command {
	var message string
	cmd := &cobra.Command{
		Use:   "save [SESSION]",
		Short: "Make a checkpoint of the files as they are now",
		Long: "Make a checkpoint of the files of a session's workspace as they are now. Agents do so by\n" +
			"themselves before and after they change files; this is for what you do by hand.\n\n" + env.HowSession,
		Example: "clew checkpoint save --message 'before the big change'",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			id, c, err := a.SessionChanged(cmd.Context(), env.Argument(args, 0), *r)
			if err != nil {
				return err
			}
			result := Rewound{SessionID: id}
			if err := move(cmd.Context(), c, id, clew.CommandCheckpointSave, clew.CheckpointSaveData{Message: message}, &result); err != nil {
				return err
			}
			return a.Print(result, func(w io.Writer) error { return printSaved(w, result, c.At) })
		},
	}
	cmd.Flags().StringVar(&message, "message", "", "what it is for")
	return cmd
}

func printSaved(w io.Writer, r Rewound, at env.Remote) error {
	p := &env.Page{W: w}
	d, ok := r.Data.(*clew.CheckpointSavedData)
	if !ok {
		p.Line("Saved: %s lists it.", at.Line("checkpoint", "ls", string(r.SessionID)))
		return p.Err
	}
	p.Line("Saved as %s, with %s.", Short(d.ToHash), term.Count(d.Files, "file"))
	for _, name := range d.Left {
		p.Line("  left out: %s", env.Plain(name))
	}
	return p.Err
}

func checkpointRestore(a *env.App, r *env.Remote) *cobra.Command {
	var message string
	var yes bool
	cmd := &cobra.Command{
		Use:   "restore [SESSION] HASH",
		Short: "Take the files back to a checkpoint",
		Long: "Take the files of a session's workspace back to a checkpoint, named by its hash or how\n" +
			"that begins. What would change is shown first. How the files are now is saved, so\n" +
			"that they can be taken forth again in the same way. With --message the conversation\n" +
			"also goes back to before that message; clew undo takes both forth again.\n\n" + env.HowSession,
		Example: "clew checkpoint restore sess_1 9cade7bb1cd2",
		Args:    cobra.RangeArgs(1, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			if !yes && (a.JSON || !OnTerminal(a)) {
				return env.Usagef("there is nobody to ask: --yes takes the files back, clew checkpoint diff shows what would change")
			}
			session, hash := "", args[len(args)-1]
			if len(args) == 2 {
				session = args[0]
			}
			id, c, err := a.SessionChanged(cmd.Context(), session, *r)
			if err != nil {
				return err
			}
			return restore(cmd.Context(), a, c, id, hash, message, yes)
		},
	}
	cmd.Flags().StringVar(&message, "message", "", "also take the conversation back to before this message")
	cmd.Flags().BoolVar(&yes, "yes", false, "do not ask")
	return cmd
}

func restore(ctx context.Context, a *env.App, c *env.Rest, id clew.SessionID, part, message string, yes bool) error {
	hash, err := checkpointHash(ctx, c, id, part)
	if err != nil {
		return err
	}
	d := clew.CheckpointRestoreData{CommitHash: hash, Mode: clew.RestoreFiles}
	if message != "" {
		d.Mode = clew.RestoreBoth
		if d.MessageID, err = MessageID(ctx, c, id, message); err != nil {
			return err
		}
	}
	if !a.JSON {
		var now clew.CheckpointDiffAnswer
		if _, err := command(ctx, c, id, clew.CommandCheckpointDiff, clew.CheckpointDiffData{From: hash}, &now); err != nil {
			return err
		}
		if err := printRestore(a.Out, d, now); err != nil {
			return err
		}
	}
	if !yes && !confirm(a, "Take the files back?") {
		_, _ = fmt.Fprintln(a.Err, "Nothing was changed.")
		return env.ErrReported
	}
	result := Rewound{SessionID: id}
	if err := move(ctx, c, id, clew.CommandCheckpointRestore, d, &result); err != nil {
		return err
	}
	if result.Event == "" && d.Mode == clew.RestoreFiles {
		result.Event = clew.EventCheckpointRestored // nothing that clew undo knows of
	}
	return a.Print(result, func(w io.Writer) error { return PrintMove(w, result, c.At) })
}

// printRestore says what a restore would change. It is told what was changed
// since.
func printRestore(w io.Writer, d clew.CheckpointRestoreData, since clew.CheckpointDiffAnswer) error {
	p := &env.Page{W: w}
	p.Line("Back to %s:", Short(d.CommitHash))
	if d.MessageID != "" {
		p.Line("  the conversation goes back to before %s", d.MessageID)
	}
	printChanges(p, since)
	return p.Err
}

// changes says what becomes of files that go back to how they were, told what
// was changed since.
func printChanges(p *env.Page, since clew.CheckpointDiffAnswer) {
	back := make([]clew.CheckpointFile, 0, len(since.Files))
	for _, f := range since.Files {
		back = append(back, backwards(f))
	}
	n := max(since.FilesCount, len(back))
	if n == 0 {
		p.Line("  no files change")
		return
	}
	p.Line("  %s", term.Goes(n, "file", "changes", "change"))
	printNames(p, back, n)
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

func checkpointFsck(a *env.App, r *env.Remote) *cobra.Command {
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
			cfg, err := stored(a, *r)
			if err != nil {
				return err
			}
			what := ""
			if len(args) > 0 {
				what = args[0]
				if dir, ok := directory(what); ok {
					what = dir
				} else if !clew.SessionID(what).Valid() {
					return env.Usagef("%q is not a session id", what)
				}
			}
			found, err := a.Server.Fsck(cmd.Context(), cfg, what)
			if err != nil {
				return err
			}
			err = a.Print(found, func(w io.Writer) error { return found.Write(w, verbose) })
			if err == nil && len(found.Findings) > 0 {
				return env.ErrReported
			}
			return err
		},
	}
	cmd.Flags().BoolVar(&verbose, "verbose", false, "say what git says of each damage")
	return cmd
}

func checkpointGC(a *env.App, r *env.Remote) *cobra.Command {
	return &cobra.Command{
		Use:   "gc",
		Short: "Drop the checkpoints that nobody needs, of a stopped server",
		Long: "Drop the checkpoints in the data directory that no record refers to, and those that\n" +
			"are older than the setting checkpoint_retention_days. The server must be stopped: a\n" +
			"running one does this by itself every six hours.",
		Example: "clew checkpoint gc",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, err := stored(a, *r)
			if err != nil {
				return err
			}
			got, err := a.Server.GC(cmd.Context(), cfg)
			if err != nil {
				return err
			}
			err = a.Print(got, func(w io.Writer) error {
				_, err := fmt.Fprintf(w, "%s of %d dropped in %s, %s freed\n", term.Count(got.Dropped, "checkpoint"), got.Checkpoints, term.Count(got.Workspaces, "workspace"), term.Size(got.Freed))
				for _, dir := range got.Failed {
					_, _ = fmt.Fprintf(w, "not collected: %s; clew checkpoint fsck says why\n", env.Plain(dir))
				}
				return err
			})
			if err == nil && len(got.Failed) > 0 {
				return env.ErrReported
			}
			return err
		},
	}
}
