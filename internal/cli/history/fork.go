package history

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
	"github.com/clew-run/clew/internal/cli/env"
)

// ForkCommand is clew fork.
func ForkCommand(a *env.App) *cobra.Command {
	var r env.Remote
	var data clew.ForkSessionData
	cmd := &cobra.Command{
		Use:   "fork [SESSION] [MESSAGE]",
		Short: "Make a new session that continues from a point of this one",
		Long: "Make a new session with the past of this one up to before a message, or with all\n" +
			"of it. This one stays as it is. With --workspace the new session gets the files as\n" +
			"they were then, in an empty directory; without it both work in the same one.\n\n" +
			env.HowSession + "\n\n" + howNamed,
		Example: "clew fork sess_1 msg_000000000042 --workspace ./other-try",
		Args:    cobra.MaximumNArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			session, message, err := env.SessionAndMessage("fork", args)
			if err != nil {
				return err
			}
			if message == "" && data.KeepTarget {
				return env.Usagef("--keep-target is about a message: name it")
			}
			id, c, err := a.SessionChanged(cmd.Context(), session, r)
			if err != nil {
				return err
			}
			return fork(cmd.Context(), a, c, id, message, data)
		},
	}
	r.Flags(cmd)
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

func fork(ctx context.Context, a *env.App, c *env.Rest, id clew.SessionID, message string, data clew.ForkSessionData) error {
	var err error
	if message != "" {
		if data.MessageID, err = MessageID(ctx, c, id, message); err != nil {
			return err
		}
	}
	made := ""
	if data.Workspace != "" {
		if err := checkFiles(ctx, c, id, data); err != nil {
			return err
		}
		if data.Workspace, made, err = WorkspaceArg(c, data.Workspace, true); err != nil {
			return err
		}
	}
	r, err := command(ctx, c, id, clew.CommandForkSession, data, nil)
	if err != nil {
		if made != "" {
			_ = os.Remove(made) // only if it is empty still
		}
		return err
	}
	f := forked{SessionID: r.SessionID, Workspace: data.Workspace, Records: r.Records}
	f.ForkedFrom.SessionID = id
	if s, err := c.API().GetSession(ctx, f.SessionID); err == nil && ForkPoint(s) != nil {
		f.ForkedFrom = *ForkPoint(s)
	}
	within := f.Workspace != "" && inside(ctx, c, id, f.Workspace)
	return a.Print(f, func(w io.Writer) error {
		p := &env.Page{W: w}
		p.Line("%s", f.SessionID)
		if f.Workspace == "" {
			p.Line("It works in the same directory as %s; --workspace DIR would give it files of its own.", id)
		} else {
			p.Line("Its files are in %s", env.Plain(f.Workspace))
		}
		if within {
			p.Line("That is inside the workspace of %s: a rewind there also takes these files back. A directory beside it would not be touched.", id)
		}
		return p.Err
	})
}

// inside reports whether a directory lies in the workspace of a session. Only
// this machine's paths can be told.
func inside(ctx context.Context, c *env.Rest, id clew.SessionID, dir string) bool {
	s, err := c.API().GetSession(ctx, id)
	if err != nil || s.Workspace == "" || !env.Loopback(c.Base.Hostname()) {
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
func checkFiles(ctx context.Context, c *env.Rest, id clew.SessionID, data clew.ForkSessionData) error {
	target := clew.Target{MessageID: data.MessageID}
	if data.MessageID == "" {
		page, err := c.API().Messages(ctx, id, client.PageOf{Limit: 1})
		if err != nil {
			return err
		}
		target.Index = &page.Total
	}
	ask := clew.RewindPreviewData{Target: target, KeepTarget: data.KeepTarget, RestoreCheckpoint: true}
	_, err := command(ctx, c, id, clew.CommandRewindPreview, ask, new(clew.RewindPreviewAnswer))
	if e := (*clew.Error)(nil); errors.As(err, &e) && e.Code == clew.SessionInvalidState {
		return clew.Errorf(e.Code, "%s; without --workspace the new session works where this one does", e.Message).Advised()
	}
	return err
}

// WorkspaceArg makes a path the server understands. On this machine a directory
// that is missing is made; made names it then. It may have to be empty.
func WorkspaceArg(c *env.Rest, dir string, empty bool) (path, made string, err error) {
	if !env.Loopback(c.Base.Hostname()) {
		if !filepath.IsAbs(dir) {
			return "", "", env.Usagef("--workspace must be an absolute path on %s", c.Base.Host)
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

// ForkPoint gives where a session branched off, nil for most.
func ForkPoint(s client.Session) *clew.ForkPoint {
	var d struct {
		ForkedFrom *clew.ForkPoint `json:"forked_from"`
	}
	_ = json.Unmarshal(s.Raw, &d)
	return d.ForkedFrom
}

// PrintFork says where a session was forked.
func PrintFork(w io.Writer, from *clew.ForkPoint) error {
	if from == nil {
		return nil
	}
	_, err := fmt.Fprintf(w, "forked from %s after %s\n", from.SessionID, from.MessageID)
	return err
}
