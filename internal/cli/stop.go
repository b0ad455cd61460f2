package cli

import (
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
		Use:   "stop SESSION",
		Short: "Stop what a session is doing",
		Long: "Stop what a session is doing. What was done stays, and it can be taken up again: say\n" +
			"something to it, or, if it carries out a plan, clew resume. --cancel ends the task for\n" +
			"good. --pause lets the steps under way come to their end first; it is for plans.",
		Example: "clew stop sess_1\nclew stop sess_1 --cancel --reason 'not needed any more'",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			id, c, err := a.sessionArg(args[0], r)
			if err != nil {
				return err
			}
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
			got, err := c.api().Command(cmd.Context(), id, "", typ, data)
			if err != nil {
				return c.explained(err)
			}
			return a.print(map[string]any{"session_id": id, "records": records(got.Records)}, func(w io.Writer) error {
				if len(got.Records) == 0 {
					_, err := fmt.Fprintln(w, "Nothing was under way.")
					return err
				}
				_, err := fmt.Fprintf(w, "%s. Go on with %s\n", word, c.line("run", "--session", string(id), "…"))
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

func (a *app) resumeCommand() *cobra.Command {
	var r remote
	cmd := &cobra.Command{
		Use:     "resume SESSION",
		Short:   "Go on with a plan that is paused",
		Long:    "Go on with a plan that was paused or stopped. A session without a plan goes on when you\nsay something to it: clew run --session.",
		Example: "clew resume sess_1",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			id, c, err := a.sessionArg(args[0], r)
			if err != nil {
				return err
			}
			got, err := c.api().Command(cmd.Context(), id, "", clew.CommandControlResume, clew.ControlResumeData{})
			if clew.CodeOf(err) == clew.SessionInvalidState {
				return clew.Errorf(clew.SessionInvalidState, "%s; where there is no plan, say something: %s", errorText(err), c.line("run", "--session", string(id), "go on"))
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

// records is a list that programs may loop over without looking.
func records(list []clew.MessageID) []clew.MessageID { return append([]clew.MessageID{}, list...) }
