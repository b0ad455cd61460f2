package history

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/charmbracelet/x/term"
	"github.com/spf13/cobra"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/cli/env"
)

// rewindFlags are what a person may say about a rewind.
type rewindFlags struct {
	files, keep, preview, yes bool
}

// RewindCommand is clew rewind.
func RewindCommand(a *env.App) *cobra.Command {
	var r env.Remote
	f := rewindFlags{}
	cmd := &cobra.Command{
		Use:   "rewind [SESSION] [MESSAGE]",
		Short: "Take a session back to a message, files included",
		Long: "Take a session back to before a message: the conversation, what the model knows,\n" +
			"plans, todos, questions and the files of the workspace. What would change is shown\n" +
			"first. Nothing is lost: clew undo takes the rewind back.\n\n" +
			env.HowSession + "\n\n" + howNamed + "\nWithout MESSAGE, the places to go back to are listed.",
		Example: "clew rewind                          # lists the places, in the newest session\n" +
			"clew rewind -1                       # shows what would change, and asks\n" +
			"clew rewind sess_1 msg_000000000042\n" +
			"clew rewind sess_1 14:30 --preview\n" +
			"clew rewind sess_1 12 --keep-target --files=false --yes",
		Args: cobra.MaximumNArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			session, message, err := env.SessionAndMessage("rewind", args)
			if err != nil {
				return err
			}
			if err := f.check(a, message); err != nil {
				return err
			}
			id, c, err := a.SessionChanged(cmd.Context(), session, r)
			if err != nil {
				return err
			}
			if message == "" {
				return listTargets(cmd.Context(), a, c, id)
			}
			return rewind(cmd.Context(), a, c, id, message, f)
		},
	}
	r.Flags(cmd)
	cmd.Flags().BoolVar(&f.files, "files", true, "take the files of the workspace back too")
	cmd.Flags().BoolVar(&f.keep, "keep-target", false, "go to after the message instead of before it")
	cmd.Flags().BoolVar(&f.preview, "preview", false, "only show what would change")
	cmd.Flags().BoolVar(&f.yes, "yes", false, "do not ask")
	return cmd
}

// check finds out before anything is asked of the server that there is nobody to
// say yes.
func (f rewindFlags) check(a *env.App, message string) error {
	if message != "" && !f.yes && !f.preview && (a.JSON || !OnTerminal(a)) {
		return env.Usagef("there is nobody to ask: --yes takes the session back, --preview only shows what would change")
	}
	return nil
}

// Rewound is what the command prints for programs.
type Rewound struct {
	SessionID clew.SessionID            `json:"session_id"`
	Preview   *clew.RewindPreviewAnswer `json:"preview,omitempty"`
	Records   []clew.MessageID          `json:"records"`
	Done      bool                      `json:"done"`
	// Event and Data are the record that took the session there.
	Event clew.EventType `json:"event,omitempty"`
	Data  any            `json:"data,omitempty"`
	// Asked are the questions about kernels that are ahead now. Rerun says that one runs
	// cells again.
	Asked []clew.RequestID `json:"-"`
	Rerun bool             `json:"-"`

	undone time.Time                  // when the rewind was made that is undone now
	files  *clew.CheckpointDiffAnswer // what became of files, if nobody was told before
}

func rewind(ctx context.Context, a *env.App, c *env.Rest, id clew.SessionID, message string, f rewindFlags) error {
	ask := !f.yes && !f.preview
	target, err := MessageID(ctx, c, id, message)
	if err != nil {
		return err
	}
	p, err := previewOf(ctx, c, id, target, f)
	if err != nil {
		return err
	}
	result := Rewound{SessionID: id, Preview: p, Records: []clew.MessageID{}}
	if f.preview {
		return a.Print(result, func(w io.Writer) error { return PrintPreview(w, p, f.files) })
	}
	if !a.JSON {
		if err := PrintPreview(a.Out, p, f.files); err != nil {
			return err
		}
	}
	if ask && !confirm(a, "Take the session back?") {
		_, _ = fmt.Fprintln(a.Err, "Nothing was changed.")
		return env.ErrReported
	}
	data := clew.RewindData{Target: clew.Target{MessageID: target}, KeepTarget: f.keep, RestoreCheckpoint: f.files}
	if err := move(ctx, c, id, clew.CommandRewind, data, &result); err != nil {
		return err
	}
	return a.Print(result, func(w io.Writer) error { return PrintMove(w, result, c.At) })
}

// previewOf asks what a rewind would change. Files that cannot be taken back are
// a reason to stop: whoever wants to go without them says so.
func previewOf(ctx context.Context, c *env.Rest, id clew.SessionID, message clew.MessageID, f rewindFlags) (*clew.RewindPreviewAnswer, error) {
	data := clew.RewindPreviewData{Target: clew.Target{MessageID: message}, KeepTarget: f.keep, RestoreCheckpoint: f.files}
	p := new(clew.RewindPreviewAnswer)
	_, err := command(ctx, c, id, clew.CommandRewindPreview, data, p)
	if err == nil && f.files && p.FilesProblem != "" {
		return nil, clew.Errorf(clew.CheckpointFailed, "%s; %s", p.FilesProblem, withoutFiles).Advised()
	}
	if e := (*clew.Error)(nil); f.files && errors.As(err, &e) && e.Code == clew.SessionInvalidState {
		data.RestoreCheckpoint = false
		if _, other := command(ctx, c, id, clew.CommandRewindPreview, data, p); other == nil {
			return nil, clew.Errorf(e.Code, "%s; %s", e.Message, withoutFiles).Advised()
		}
	}
	return p, err
}

const withoutFiles = "--files=false takes the conversation back and leaves the files as they are"

// OnTerminal reports whether a person can be asked.
func OnTerminal(a *env.App) bool {
	f, ok := a.In.(*os.File)
	return ok && term.IsTerminal(f.Fd())
}

// confirm asks a question that is answered no unless somebody says yes.
func confirm(a *env.App, question string) bool {
	_, _ = fmt.Fprintf(a.Err, "%s [y/N] ", question)
	line, _ := bufio.NewReader(a.In).ReadString('\n')
	switch strings.ToLower(strings.TrimSpace(line)) {
	case "y", "yes":
		return true
	}
	return false
}
