package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/ask"
	"github.com/clew-run/clew/internal/cli/env"
)

// A listedNotebook is an open notebook with its session.
type listedNotebook struct {
	SessionID clew.SessionID `json:"session_id"`
	clew.NotebookInfo
}

func notebookListCommand(a *env.App, r *env.Remote) *cobra.Command {
	return &cobra.Command{
		Use:   "ls [SESSION]",
		Short: "List open notebooks",
		Long: "List the notebooks that are open in the sessions of this directory, or in one session: their files, how\n" +
			"many cells they have, what their kernels do, and how that went where cells ran again after a rewind.",
		Example: "clew notebook ls\nclew notebook ls sess_1 --json",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			name := env.Argument(args, 0)
			if err := env.CheckName(name); err != nil {
				return err
			}
			at := *r
			at.Start = false
			c, err := a.Connect(at)
			if err != nil {
				return err
			}
			list, err := openNotebooks(cmd.Context(), c, name)
			if err != nil {
				return err
			}
			return a.Print(map[string]any{"notebooks": list}, func(w io.Writer) error { return notebookTable(w, list, c) })
		},
	}
}

// openNotebooks finds those of a session, or of the newest sessions of this directory.
func openNotebooks(ctx context.Context, c *env.Rest, name string) ([]listedNotebook, error) {
	if name != "" || !c.SeesFiles() {
		s, err := c.Session(ctx, name)
		if err != nil {
			return nil, err
		}
		return notebooksOf(ctx, c, s.ID)
	}
	dirs, err := workingDirectories()
	if err != nil {
		return nil, err
	}
	list := []listedNotebook{}
	for _, dir := range dirs {
		in, err := notebooksIn(ctx, c, dir)
		if err != nil {
			return nil, err
		}
		list = append(list, in...)
	}
	return list, nil
}

// workingDirectories are the names that this directory may have as the workspace of a
// session: without links first, and as it was entered if that is another one.
func workingDirectories() ([]string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	linkless, err := filepath.EvalSymlinks(dir)
	return slices.Compact([]string{linkless, dir}), err
}

// notebooksIn finds those of the newest sessions of a directory, "" for any.
func notebooksIn(ctx context.Context, c *env.Rest, dir string) ([]listedNotebook, error) {
	page, err := c.API().SessionsIn(ctx, dir, "", offered)
	if err != nil {
		return nil, err
	}
	var ids []clew.SessionID
	for _, s := range page.Sessions {
		ids = append(ids, s.ID)
	}
	return notebooksOf(ctx, c, ids...)
}

func notebooksOf(ctx context.Context, c *env.Rest, ids ...clew.SessionID) ([]listedNotebook, error) {
	list := []listedNotebook{}
	for _, id := range ids {
		state, err := stateOf(ctx, c, id)
		if err != nil {
			return nil, err
		}
		for _, n := range state.Notebooks {
			list = append(list, listedNotebook{id, n})
		}
	}
	return list, nil
}

func notebookTable(w io.Writer, list []listedNotebook, c *env.Rest) error {
	if len(list) == 0 {
		_, err := fmt.Fprintf(w, "No notebook is open here. Open one: %s\n", c.Line("notebook", "FILE"))
		return err
	}
	rows := [][]string{{"SESSION", "CELLS", "KERNEL", "FILE"}}
	for _, n := range list {
		file := env.FirstOf(n.Path, "(no file yet)")
		switch {
		case n.Conflict:
			file += "  (changed by somebody else)"
		case n.Problem != "":
			file += "  (" + n.Problem + ")"
		case n.Unsaved:
			file += "  (not saved yet)"
		}
		if note := ask.KernelNote(&n.NotebookInfo); note != "" {
			file += "  (" + note + ")"
		}
		rows = append(rows, []string{env.Shorten(n.SessionID), strconv.Itoa(len(n.Cells)), string(n.Kernel.State), env.Plain(file)})
	}
	t := tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
	for _, row := range rows {
		_, _ = fmt.Fprintln(t, strings.Join(row, "\t"))
	}
	return t.Flush()
}
