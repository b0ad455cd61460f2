package cli

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/clew-run/clew"
)

func (a *app) stopCommand() *cobra.Command {
	var r remote
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
				return usagef("--cancel and --pause exclude each other")
			case cancel:
				typ, data, word = clew.CommandControlCancel, clew.ControlCancelData{Reason: reason}, "Cancelled"
			case pause:
				typ, data, word = clew.CommandControlPause, clew.ControlPauseData{Reason: reason}, "Paused"
			case reason != "":
				return usagef("--reason is for --cancel and --pause")
			}
			id, c, err := a.sessionChanged(cmd.Context(), argument(args, 0), r)
			if err != nil {
				return err
			}
			got, err := c.api().Command(cmd.Context(), id, "", typ, data)
			if err != nil {
				return c.explained(err)
			}
			return a.print(map[string]any{"session_id": id, "records": records(got.Records)}, func(w io.Writer) error {
				if len(got.Records) == 0 {
					_, err := fmt.Fprintln(w, "Nothing was under way.")
					return err
				}
				_, err := fmt.Fprintf(w, "%s. Go on with %s\n", word, c.goingOn(cmd.Context(), id))
				return err
			})
		},
	}
	r.flags(cmd)
	cmd.Flags().BoolVar(&cancel, "cancel", false, "end the task, or the plan, for good")
	cmd.Flags().BoolVar(&pause, "pause", false, "let the steps of a plan that are under way end, and begin no more")
	cmd.Flags().StringVar(&reason, "reason", "", "why, for the record")
	return cmd
}

// goingOn is the line that takes up again what was stopped: a plan is resumed, all
// else goes on with something that is said.
func (c *rest) goingOn(ctx context.Context, id clew.SessionID) string {
	if s, err := c.state(ctx, id); err == nil && s.Status == clew.StatusPaused {
		return c.line("resume", string(id))
	}
	return c.line("run", "--session", string(id), "…")
}

func (a *app) resumeCommand() *cobra.Command {
	var r remote
	cmd := &cobra.Command{
		Use:     "resume [SESSION]",
		Short:   "Go on with a plan that is paused",
		Long:    "Go on with a plan that was paused or stopped, in the newest session if none is\nnamed. A session without a plan goes on when you say something to it: clew run\n--session.",
		Example: "clew resume sess_1",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			id, c, err := a.sessionChanged(cmd.Context(), argument(args, 0), r)
			if err != nil {
				return err
			}
			got, err := c.api().Command(cmd.Context(), id, "", clew.CommandControlResume, clew.ControlResumeData{})
			if clew.CodeOf(err) == clew.SessionInvalidState {
				return c.nothingToResume(cmd.Context(), id, err)
			}
			if err != nil {
				return c.explained(err)
			}
			return a.print(map[string]any{"session_id": id, "records": records(got.Records)}, func(w io.Writer) error {
				_, err := fmt.Fprintf(w, "It goes on. Watch it with %s\n", c.line("attach", string(id)))
				return err
			})
		},
	}
	r.flags(cmd)
	return cmd
}

// nothingToResume says what to do instead: without a plan a session goes on when
// something is said.
func (c *rest) nothingToResume(ctx context.Context, id clew.SessionID, err error) error {
	if s, failed := c.state(ctx, id); failed != nil || len(s.Runs) > 0 {
		return err
	}
	return clew.Errorf(clew.SessionInvalidState, "there is no plan in this session. Say something, and it goes on: %s", c.line("run", "--session", string(id), "go on")).Advised()
}

// records is a list that programs may loop over without looking.
func records(list []clew.MessageID) []clew.MessageID { return append([]clew.MessageID{}, list...) }
