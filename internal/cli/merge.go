package cli

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/client"
	"github.com/clew-run/clew/internal/ask"
	"github.com/clew-run/clew/internal/cli/env"
	"github.com/clew-run/clew/internal/cli/history"
	"github.com/clew-run/clew/internal/term"
)

func mergeCommand(a *env.App) *cobra.Command {
	var r env.Remote
	var resolve bool
	cmd := &cobra.Command{
		Use:   "merge [SESSION]",
		Short: "Merge the branch of a session's work tree back",
		Long: "Merge the branch of a session that was started with --worktree into the branch that\n" +
			"it came from, with the files of your own work tree. Nothing is pushed. If a file that\n" +
			"would change has changes of yours that are not committed, nothing happens.\n\n" +
			"If there are conflicts, your files stay as they are, and you choose: the agent\n" +
			"resolves them in its own work tree, or nothing is merged. --resolve chooses the\n" +
			"agent without a question. Afterwards clew commit and clew merge finish it.\n\n" + env.HowSession,
		Example: "clew merge\nclew merge sess_1 --resolve",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			id, c, err := a.SessionChanged(cmd.Context(), env.Argument(args, 0), r)
			if err != nil {
				return err
			}
			return merge(cmd.Context(), a, c, id, resolve)
		},
	}
	r.Flags(cmd)
	cmd.Flags().BoolVar(&resolve, "resolve", false, "have the agent resolve conflicts, without a question")
	return cmd
}

// mergeResult is what the command prints for programs.
type mergeResult struct {
	SessionID clew.SessionID `json:"session_id"`
	client.Merged
	Resolving bool `json:"resolving,omitempty"` // the agent is at it
}

func merge(ctx context.Context, a *env.App, c *env.Rest, id clew.SessionID, resolve bool) error {
	m, err := c.PatientAPI().Merge(ctx, id)
	if err != nil {
		return err
	}
	result := mergeResult{SessionID: id, Merged: m}
	if len(m.Conflicts) == 0 {
		return a.Print(result, func(w io.Writer) error {
			_, err := fmt.Fprintf(w, "Merged %s into %s: %s. Not pushed.\n", env.Plain(m.Branch), env.Plain(m.Into), term.Count(m.Files, "file"))
			return err
		})
	}
	if !resolve && !a.JSON {
		resolve = askResolve(a, m, history.OnTerminal(a))
	}
	if !resolve {
		if a.JSON {
			_ = a.Print(result, nil) // a closed pipe is the reader's wish
		} else {
			_, _ = fmt.Fprintln(a.Err, "Nothing was merged.")
		}
		return env.ErrReported
	}
	if _, err := c.PatientAPI().ResolveConflicts(ctx, id); err != nil {
		return err
	}
	if _, err := c.API().Command(ctx, id, "", clew.CommandUserMessage, clew.UserMessageData{Text: ask.ResolveRequest(m)}); err != nil {
		return err
	}
	result.Resolving = true
	return a.Print(result, func(w io.Writer) error {
		_, err := fmt.Fprintf(w, "The agent resolves the conflicts in its work tree. Follow it with\n  %s\nWhen it is done: %s, then %s\n",
			c.Line("attach", string(id)), c.Line("commit", string(id)), c.Line("merge", string(id)))
		return err
	})
}

// askResolve says what is in conflict and, if somebody is there, asks what to do.
func askResolve(a *env.App, m client.Merged, person bool) bool {
	_, _ = fmt.Fprintf(a.Err, "%s and %s both changed:\n", env.Plain(m.Branch), env.Plain(m.Into))
	for _, name := range m.Conflicts {
		_, _ = fmt.Fprintln(a.Err, "  "+env.Plain(name))
	}
	_, _ = fmt.Fprintln(a.Err, "Your files are as they were.")
	if !person {
		_, _ = fmt.Fprintln(a.Err, "--resolve has the agent resolve it in its work tree.")
		return false
	}
	_, _ = fmt.Fprint(a.Err, "[a]gent resolves it in its work tree  [n]o merge\n› ")
	line, _ := bufio.NewReader(a.In).ReadString('\n')
	switch strings.ToLower(strings.TrimSpace(line)) {
	case "a", "agent":
		return true
	}
	return false
}
