package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/cli/env"
)

// changeSession sends a command to a session and says in a line what it came to.
func changeSession(cmd *cobra.Command, a *env.App, r env.Remote, session string, typ clew.CommandType, data any, said string) error {
	id, c, err := a.SessionChanged(cmd.Context(), session, r)
	if err != nil {
		return err
	}
	got, err := c.API().Command(cmd.Context(), id, "", typ, data)
	if err != nil {
		return explained(c, err)
	}
	return a.Print(map[string]any{"session_id": id, "records": records(got.Records)}, func(w io.Writer) error {
		_, err := fmt.Fprintln(w, said)
		return err
	})
}

func renameCommand(a *env.App) *cobra.Command {
	var r env.Remote
	cmd := &cobra.Command{
		Use:     "rename SESSION TITLE…",
		Short:   "Give a session another title",
		Long:    "Give a session another title.\n\n" + env.HowSession,
		Example: "clew rename sess_1 Repair the parser\nclew rename - 'Repair the parser'    # the newest one here",
		Args:    cobra.MinimumNArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			title := strings.TrimSpace(strings.Join(args[1:], " "))
			if title == "" {
				return env.Usagef("the title is empty")
			}
			return changeSession(cmd, a, r, args[0], clew.CommandRenameSession, clew.RenameSessionData{Title: title}, "Renamed to "+env.Plain(title)+".")
		},
	}
	r.Flags(cmd)
	return cmd
}

func archiveCommand(a *env.App) *cobra.Command {
	var r env.Remote
	var undo bool
	cmd := &cobra.Command{
		Use:   "archive [SESSION]",
		Short: "Take a session off the list, without deleting it",
		Long: "Take a session off the list. Nothing of it is lost: --undo brings it back, and so does\n" +
			"saying something to it.\n\n" + env.HowSession,
		Example: "clew archive sess_1\nclew archive sess_1 --undo",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			said := "Archived. It is on the list again when you say something to it, or with --undo."
			if undo {
				said = "It is on the list again."
			}
			return changeSession(cmd, a, r, env.Argument(args, 0), clew.CommandArchiveSession, clew.ArchiveSessionData{Archived: !undo}, said)
		},
	}
	r.Flags(cmd)
	cmd.Flags().BoolVar(&undo, "undo", false, "put it on the list again")
	return cmd
}

func shareCommand(a *env.App) *cobra.Command {
	var r env.Remote
	var role string
	var revoke bool
	cmd := &cobra.Command{
		Use:   "share SESSION USER",
		Short: "Let another user watch a session, or answer its questions",
		Long: "Give another user of this server access to a session: a viewer watches, an approver\n" +
			"also answers questions. --revoke takes the access back.\n\n" + env.HowSession,
		Example: "clew share sess_1 bob\nclew share sess_1 bob --role approver\nclew share sess_1 bob --revoke",
		Args:    cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			user := env.Plain(args[1])
			said := user + " may watch it now."
			switch {
			case revoke:
				role, said = "", user+" has no access now."
			case role == string(clew.RoleApprover):
				said = user + " may watch it and answer its questions now."
			case role != string(clew.RoleViewer):
				return env.Usagef("--role is viewer or approver")
			}
			data := clew.SetAccessData{UserID: clew.UserID(args[1]), Role: clew.Role(role)}
			return changeSession(cmd, a, r, args[0], clew.CommandSetAccess, data, said)
		},
	}
	r.Flags(cmd)
	cmd.Flags().StringVar(&role, "role", string(clew.RoleViewer), "viewer or approver")
	cmd.Flags().BoolVar(&revoke, "revoke", false, "take the access back")
	return cmd
}
