package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/client"
)

func (a *app) forkCommand() *cobra.Command {
	var r remote
	var data clew.ForkSessionData
	cmd := &cobra.Command{
		Use:   "fork [SESSION] [MESSAGE]",
		Short: "Make a new session that goes on from a point of this one",
		Long: "Make a new session with the past of this one up to before a message, or with all\n" +
			"of it. This one stays as it is. With --workspace the new session gets the files as\n" +
			"they were then, in an empty directory; without it both work in the same one.\n\n" +
			howSession + "\n\n" + howNamed,
		Example: "clew fork sess_1 msg_000000000042 --workspace ./other-try",
		Args:    cobra.MaximumNArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			session, message, err := sessionAndMessage("fork", args)
			if err != nil {
				return err
			}
			if message == "" && data.KeepTarget {
				return usagef("--keep-target is about a message: name it")
			}
			id, c, err := a.sessionChanged(cmd.Context(), session, r)
			if err != nil {
				return err
			}
			return a.fork(cmd.Context(), c, id, message, data)
		},
	}
	r.flags(cmd)
	cmd.Flags().BoolVar(&data.KeepTarget, "keep-target", false, "begin after the message instead of before it")
	cmd.Flags().StringVar(&data.Title, "title", "", "title of the new session")
	cmd.Flags().StringVar(&data.Workspace, "workspace", "", "an empty directory that gets the files as they were then")
	return cmd
}

// forked is what the command prints for programs.
type forked struct {
	SessionID  clew.SessionID   `json:"session_id"` // the new session
	ForkedFrom clew.ForkPoint   `json:"forked_from"`
	Workspace  string           `json:"workspace,omitempty"`
	Records    []clew.MessageID `json:"records"`
}

func (a *app) fork(ctx context.Context, c *rest, id clew.SessionID, message string, data clew.ForkSessionData) error {
	var err error
	if message != "" {
		if data.MessageID, err = c.messageID(ctx, id, message); err != nil {
			return err
		}
	}
	made := ""
	if data.Workspace != "" {
		if err := c.checkFiles(ctx, id, data); err != nil {
			return err
		}
		if data.Workspace, made, err = c.workspaceArg(data.Workspace, true); err != nil {
			return err
		}
	}
	r, err := c.command(ctx, id, clew.CommandForkSession, data, nil)
	if err != nil {
		if made != "" {
			_ = os.Remove(made) // only if it is empty still
		}
		return err
	}
	f := forked{SessionID: r.SessionID, Workspace: data.Workspace, Records: r.Records}
	f.ForkedFrom.SessionID = id
	if s, err := c.api().GetSession(ctx, f.SessionID); err == nil && forkPoint(s) != nil {
		f.ForkedFrom = *forkPoint(s)
	}
	within := f.Workspace != "" && c.inside(ctx, id, f.Workspace)
	return a.print(f, func(w io.Writer) error {
		p := &page{w: w}
		p.line("%s", f.SessionID)
		if f.Workspace == "" {
			p.line("It works in the same directory as %s; --workspace DIR would give it files of its own.", id)
		} else {
			p.line("Its files are in %s", plain(f.Workspace))
		}
		if within {
			p.line("That is inside the workspace of %s: a rewind there takes these files back, too. A directory beside it would not be touched.", id)
		}
		return p.err
	})
}

// inside reports whether a directory lies in the workspace of a session. Only
// this machine's paths can be told.
func (c *rest) inside(ctx context.Context, id clew.SessionID, dir string) bool {
	s, err := c.api().GetSession(ctx, id)
	if err != nil || s.Workspace == "" || !loopback(c.base.Hostname()) {
		return false
	}
	of, err := filepath.EvalSymlinks(s.Workspace)
	if err != nil {
		return false
	}
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	rel, err := filepath.Rel(of, dir)
	return err == nil && filepath.IsLocal(rel)
}

// checkFiles makes sure that there are files for a directory of the fork's own:
// an empty one is not what somebody expects.
func (c *rest) checkFiles(ctx context.Context, id clew.SessionID, data clew.ForkSessionData) error {
	target := clew.Target{MessageID: data.MessageID}
	if data.MessageID == "" {
		page, err := c.api().Messages(ctx, id, client.PageOf{Limit: 1})
		if err != nil {
			return err
		}
		target.Index = &page.Total
	}
	ask := clew.RewindPreviewData{Target: target, KeepTarget: data.KeepTarget, RestoreCheckpoint: true}
	_, err := c.command(ctx, id, clew.CommandRewindPreview, ask, new(clew.RewindPreviewAnswer))
	if e := (*clew.Error)(nil); errors.As(err, &e) && e.Code == clew.SessionInvalidState {
		return clew.Errorf(e.Code, "%s; without --workspace the new session works where this one does", e.Message).Advised()
	}
	return err
}

// workspaceArg makes a path the server understands. On this machine a directory
// that is missing is made; made names it then. It may have to be empty.
func (c *rest) workspaceArg(dir string, empty bool) (path, made string, err error) {
	if !loopback(c.base.Hostname()) {
		if !filepath.IsAbs(dir) {
			return "", "", usagef("--workspace must be an absolute path on %s", c.base.Host)
		}
		return dir, "", nil
	}
	if path, err = filepath.Abs(dir); err != nil {
		return "", "", err
	}
	entries, err := os.ReadDir(path)
	switch {
	case os.IsNotExist(err):
		return path, path, os.MkdirAll(path, 0o700)
	case err == nil && empty && len(entries) > 0:
		return "", "", fmt.Errorf("%s is not empty: the files of the new session need a directory of their own", dir)
	}
	return path, "", err
}

// forkPoint gives where a session branched off, nil for most.
func forkPoint(s client.Session) *clew.ForkPoint {
	var d struct {
		ForkedFrom *clew.ForkPoint `json:"forked_from"`
	}
	_ = json.Unmarshal(s.Raw, &d)
	return d.ForkedFrom
}

func printFork(w io.Writer, from *clew.ForkPoint) error {
	if from == nil {
		return nil
	}
	_, err := fmt.Fprintf(w, "forked from %s after %s\n", from.SessionID, from.MessageID)
	return err
}
