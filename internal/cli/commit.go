package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"

	"github.com/spf13/cobra"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/client"
	"github.com/clew-run/clew/internal/ask"
	"github.com/clew-run/clew/internal/cli/env"
	"github.com/clew-run/clew/internal/cli/history"
)

type commitFlags struct {
	message string
	yes     bool
}

func commitCommand(a *env.App) *cobra.Command {
	var r env.Remote
	var f commitFlags
	cmd := &cobra.Command{
		Use:   "commit [SESSION]",
		Short: "Commit what a session changed, with a message by the model",
		Long: "Commit what a session changed, on the branch of its repository. The session's model\n" +
			"writes the message; you see it first, and say yes, edit it, or say no. Files that\n" +
			"the session did not change are left out, and what you have staged stays staged.\n\n" +
			"The server commits exactly what was shown. Hooks of the repository do not run: to\n" +
			"run one in the sandbox, tell the agent to (git hook run pre-commit). Nothing is\n" +
			"pushed.\n\n" + env.HowSession,
		Example: "clew commit\nclew commit --message 'Round the discount once' --yes",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if !f.yes && (a.JSON || !history.OnTerminal(a)) {
				return env.Usagef("there is nobody to ask: --yes commits without a question")
			}
			id, c, err := a.SessionChanged(cmd.Context(), env.Argument(args, 0), r)
			if err != nil {
				return err
			}
			return commit(cmd.Context(), a, c, id, f)
		},
	}
	r.Flags(cmd)
	cmd.Flags().StringVarP(&f.message, "message", "m", "", "the message, in place of the model's")
	cmd.Flags().BoolVar(&f.yes, "yes", false, "do not ask; the message is printed")
	return cmd
}

func commit(ctx context.Context, a *env.App, c *env.Rest, id clew.SessionID, f commitFlags) error {
	p, err := c.PatientAPI().PreviewCommit(ctx, id, f.message == "")
	if err != nil {
		return err
	}
	message := env.FirstOf(f.message, p.Message)
	if !f.yes {
		if message, err = askCommit(ctx, a, p, message); err != nil {
			return err
		}
		if message == "" {
			_, _ = fmt.Fprintln(a.Err, "Nothing was committed.")
			return env.ErrReported
		}
	}
	done, err := c.PatientAPI().Commit(ctx, id, p, message)
	if err != nil {
		return err
	}
	result := struct {
		SessionID clew.SessionID `json:"session_id"`
		client.Committed
		Message string `json:"message"`
		Files   int    `json:"files"`
	}{id, done, message, len(p.Files)}
	return a.Print(result, func(w io.Writer) error {
		lines := []string{ask.Committed(done)}
		if f.yes { // nobody saw it before
			lines = append(ask.CommitQuestion(p, message)[1:], lines...)
		}
		_, err := fmt.Fprintln(w, strings.Join(lines, "\n"))
		return err
	})
}

// askCommit shows a commit and asks. It gives the message, "" if the answer is no.
func askCommit(ctx context.Context, a *env.App, p client.CommitPreview, message string) (string, error) {
	in := bufio.NewReader(a.In)
	for {
		lines := ask.CommitQuestion(p, message)
		_, _ = fmt.Fprintln(a.Err, "┌ "+lines[0])
		for _, line := range lines[1:] {
			_, _ = fmt.Fprintln(a.Err, strings.TrimRight("│ "+line, " "))
		}
		_, _ = fmt.Fprint(a.Err, "└ "+ask.CommitChoices+"\n› ")
		line, err := in.ReadString('\n')
		switch strings.ToLower(strings.TrimSpace(line)) {
		case "y", "yes":
			return message, nil
		case "n", "no":
			return "", nil
		case "e", "edit":
			if message, err = editMessage(ctx, a, in, message); err != nil {
				return "", err
			}
			if message == "" {
				return "", nil
			}
		default:
			if err != nil { // nobody is there any more
				return "", nil
			}
		}
	}
}

// editMessage has the person change a message, in their editor or, without one,
// by typing a new first line.
func editMessage(ctx context.Context, a *env.App, in *bufio.Reader, message string) (string, error) {
	editor := env.FirstOf(a.Getenv("VISUAL"), a.Getenv("EDITOR"))
	if editor == "" {
		_, _ = fmt.Fprint(a.Err, "The message (set EDITOR to write more than a line): ")
		line, _ := in.ReadString('\n')
		return strings.TrimSpace(line), nil
	}
	f, err := os.CreateTemp("", "clew-commit-*.txt")
	if err != nil {
		return "", err
	}
	defer func() { _ = os.Remove(f.Name()) }()
	_, err = io.WriteString(f, message+"\n")
	if err = errors.Join(err, f.Close()); err != nil {
		return "", err
	}
	// EDITOR may have words of its own, such as "code --wait".
	cmd := exec.CommandContext(ctx, "sh", "-c", editor+` "$1"`, "sh", f.Name())
	cmd.Stdin, cmd.Stdout, cmd.Stderr = a.In, a.Err, a.Err
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("the editor %q failed: %w", editor, err)
	}
	text, err := os.ReadFile(f.Name())
	return strings.TrimSpace(string(text)), err
}
