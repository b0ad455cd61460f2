package cli

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/cli/env"
	"github.com/clew-run/clew/internal/cli/follow"
)

func stopCommand(a *env.App) *cobra.Command {
	var r env.Remote
	var cancel, pause bool
	var reason string
	cmd := &cobra.Command{
		Use:   "stop [SESSION]",
		Short: "Stop what a session is doing",
		Long: "Stop what a session is doing, the newest one if none is named. What was done\n" +
			"stays, and it can be taken up again: say something to it, or, if it carries out a\n" +
			"plan, clew resume. --cancel ends the task for good. --pause lets the steps under\n" +
			"way come to their end first; it is for plans.",
		Example: "clew stop sess_1\nclew stop sess_1 --cancel --reason 'not needed any more'",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			typ, data, word := clew.CommandInterrupt, any(clew.InterruptData{}), "Stopped"
			switch {
			case cancel && pause:
				return env.Usagef("--cancel and --pause exclude each other")
			case cancel:
				typ, data, word = clew.CommandControlCancel, clew.ControlCancelData{Reason: reason}, "Cancelled"
			case pause:
				typ, data, word = clew.CommandControlPause, clew.ControlPauseData{Reason: reason}, "Paused"
			case reason != "":
				return env.Usagef("--reason is for --cancel and --pause")
			}
			id, c, err := a.SessionChanged(cmd.Context(), env.Argument(args, 0), r)
			if err != nil {
				return err
			}
			got, err := c.API().Command(cmd.Context(), id, "", typ, data)
			if err != nil {
				return explained(c, err)
			}
			return a.Print(map[string]any{"session_id": id, "records": records(got.Records)}, func(w io.Writer) error {
				if len(got.Records) == 0 {
					_, err := fmt.Fprintln(w, "Nothing was under way.")
					return err
				}
				_, err := fmt.Fprintf(w, "%s. Continue with %s\n", word, goingOn(cmd.Context(), c, id))
				return err
			})
		},
	}
	r.Flags(cmd)
	cmd.Flags().BoolVar(&cancel, "cancel", false, "end the task, or the plan, for good")
	cmd.Flags().BoolVar(&pause, "pause", false, "let the steps of a plan that are under way end, and begin no more")
	cmd.Flags().StringVar(&reason, "reason", "", "why, for the record")
	return cmd
}

// goingOn is the line that takes up again what was stopped: a plan is resumed, all
// else goes on with something that is said.
func goingOn(ctx context.Context, c *env.Rest, id clew.SessionID) string {
	if s, err := follow.State(ctx, c, id); err == nil && s.Status == clew.StatusPaused {
		return c.Line("resume", string(id))
	}
	return c.Line("run", "--session", string(id), "…")
}

func resumeCommand(a *env.App) *cobra.Command {
	var r env.Remote
	cmd := &cobra.Command{
		Use:     "resume [SESSION]",
		Short:   "Continue a plan that is paused",
		Long:    "Continue a plan that was paused or stopped, in the newest session if none is\nnamed. A session without a plan continues when you send it a message: clew run\n--session.",
		Example: "clew resume sess_1",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			id, c, err := a.SessionChanged(cmd.Context(), env.Argument(args, 0), r)
			if err != nil {
				return err
			}
			got, err := c.API().Command(cmd.Context(), id, "", clew.CommandControlResume, clew.ControlResumeData{})
			if clew.CodeOf(err) == clew.SessionInvalidState {
				return nothingToResume(cmd.Context(), c, id, err)
			}
			if err != nil {
				return explained(c, err)
			}
			return a.Print(map[string]any{"session_id": id, "records": records(got.Records)}, func(w io.Writer) error {
				_, err := fmt.Fprintf(w, "It continues. Watch it with %s\n", c.Line("attach", string(id)))
				return err
			})
		},
	}
	r.Flags(cmd)
	return cmd
}

// nothingToResume says what to do instead: without a plan a session goes on when
// something is said.
func nothingToResume(ctx context.Context, c *env.Rest, id clew.SessionID, err error) error {
	if s, failed := follow.State(ctx, c, id); failed != nil || len(s.Runs) > 0 {
		return err
	}
	return clew.Errorf(clew.SessionInvalidState, "there is no plan in this session. Send a message to continue: %s", c.Line("run", "--session", string(id), "continue")).Advised()
}

// records is a list that programs may loop over without looking.
func records(list []clew.MessageID) []clew.MessageID { return append([]clew.MessageID{}, list...) }
