package cli

import (
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/clew-run/clew/client"
	"github.com/clew-run/clew/internal/cli/env"
	"github.com/clew-run/clew/internal/term"
)

func worktreeCommand(a *env.App) *cobra.Command {
	var r env.Remote
	cmd := &cobra.Command{
		Use:   "worktree",
		Short: "List and remove the git work trees of sessions",
		Long: "List and remove the git work trees of sessions. clew run --worktree makes one, with a\n" +
			"branch of its own; clew merge merges that back. Deleting a session removes its work\n" +
			"tree when the session is erased.",
		Example: "clew worktree ls\nclew worktree rm sess_1",
		Args:    env.Known,
		RunE:    func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	r.Flags(cmd)
	cmd.AddCommand(worktreeList(a, &r), worktreeRemove(a, &r))
	return cmd
}

func worktreeList(a *env.App, r *env.Remote) *cobra.Command {
	return &cobra.Command{
		Use:     "ls",
		Aliases: []string{"list"},
		Short:   "List the work trees, and what is not merged yet",
		Long:    "List the work trees of sessions: the branch, where it came from, commits that are\nnot merged, and files with changes that are not committed.",
		Example: "clew worktree ls",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := a.Connect(*r)
			if err != nil {
				return err
			}
			list, err := c.PatientAPI().Worktrees(cmd.Context(), true)
			if err != nil {
				return err
			}
			return a.Print(map[string]any{"worktrees": list}, func(w io.Writer) error { return worktreeTable(w, list) })
		},
	}
}

func worktreeTable(w io.Writer, list []client.Worktree) error {
	if len(list) == 0 {
		_, err := fmt.Fprintln(w, "No session has a work tree of its own: clew run --worktree makes one.")
		return err
	}
	t := tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
	_, _ = fmt.Fprintln(t, "SESSION\tBRANCH\tFROM\tNOT MERGED\tNOT COMMITTED\tREPOSITORY")
	for _, x := range list {
		merged, dirty := term.Count(x.Commits, "commit"), term.Count(x.Dirty, "file")
		if x.Gone {
			merged, dirty = "gone", ""
		}
		_, _ = fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%s\n", env.Shorten(x.Session), env.Plain(x.Branch), env.Plain(x.From), merged, dirty, env.Plain(x.Repository))
	}
	return t.Flush()
}

func worktreeRemove(a *env.App, r *env.Remote) *cobra.Command {
	var force bool
	cmd := &cobra.Command{
		Use:     "rm SESSION",
		Aliases: []string{"remove"},
		Short:   "Remove a session's work tree",
		Long: "Remove a session's work tree. Its branch goes too, unless it has commits that are\n" +
			"merged nowhere. With changes that are not committed it is refused; --force loses\n" +
			"them. The session stays, but its agent has no files any more.\n\n" + env.HowSession,
		Example: "clew worktree rm sess_1",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			id, c, err := a.SessionChanged(cmd.Context(), args[0], *r)
			if err != nil {
				return err
			}
			kept, err := c.PatientAPI().RemoveWorktree(cmd.Context(), id, force)
			if err != nil {
				return err
			}
			return a.Print(map[string]any{"session_id": id, "kept_branch": kept}, func(w io.Writer) error {
				text := "The work tree is removed, and its branch."
				if kept != "" {
					text = "The work tree is removed. Its branch " + env.Plain(kept) + " stays: it has commits that are merged nowhere."
				}
				_, err := fmt.Fprintln(w, text)
				return err
			})
		},
	}
	cmd.Flags().BoolVar(&force, "force", false, "also lose changes that are not committed")
	return cmd
}
