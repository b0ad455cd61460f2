package cli

import (
	"context"
	"io"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/clew-run/clew/client"
	"github.com/clew-run/clew/internal/ask"
	"github.com/clew-run/clew/internal/cli/env"
)

func permissionsCommand(a *env.App) *cobra.Command {
	var r env.Remote
	var session, dir string
	cmd := &cobra.Command{
		Use:   "permissions [PRESET]",
		Short: "Show or choose how much agents may do without asking",
		Long: "Show or choose how much agents may do without asking in your sessions in this\n" +
			"folder:\n\n" +
			"  ask      ask before every command and every edit\n" +
			"  edits    edit files in this folder; ask before commands\n" +
			"  sandbox  everything inside the sandbox: edits, and commands that run in a real\n" +
			"           sandbox without network. They see no secrets such as .env and\n" +
			"           cannot change protected files such as .github.\n\n" +
			"Protected files are always asked about, and denied_commands stay denied.\n" +
			"The choice is kept by the server for you and this folder. With --session it is\n" +
			"for one session; clew settings set permissions PRESET is for the whole server.\n" +
			"default takes the choice back.",
		Example:   "clew permissions\nclew permissions edits\nclew permissions ask --session -",
		Args:      cobra.MaximumNArgs(1),
		ValidArgs: []string{"ask", "edits", "sandbox", "default"},
		RunE: func(cmd *cobra.Command, args []string) error {
			preset, err := presetOf(args)
			if err != nil {
				return err
			}
			c, err := a.Connect(r)
			if err != nil {
				return err
			}
			if session != "" {
				return sessionPermissions(cmd.Context(), a, c, session, args, preset)
			}
			at, err := filepath.Abs(dir)
			if err == nil {
				at, err = filepath.EvalSymlinks(at)
			}
			if err != nil {
				return env.Usagef("%s is not a folder of this machine: %w", dir, err)
			}
			p, err := c.API().Permissions(cmd.Context(), at)
			if err == nil && len(args) > 0 {
				p, err = c.API().SetPermissions(cmd.Context(), at, preset)
			}
			if err != nil {
				return err
			}
			return a.Print(p, func(w io.Writer) error { return showPermissions(w, p) })
		},
	}
	r.Flags(cmd)
	cmd.Flags().StringVar(&session, "session", "", "only for this session; - is the newest")
	cmd.Flags().StringVar(&dir, "workspace", ".", "the folder")
	return cmd
}

// presetOf is the preset on the line, "" for none.
func presetOf(args []string) (string, error) {
	if len(args) == 0 || args[0] == "default" {
		return "", nil
	}
	for _, p := range ask.Presets {
		if p.Name == args[0] {
			return p.Name, nil
		}
	}
	return "", env.Usagef("there is no preset %q: it is ask, edits, sandbox or default", args[0])
}

func sessionPermissions(ctx context.Context, a *env.App, c *env.Rest, session string, args []string, preset string) error {
	if len(args) == 0 {
		return env.Usagef("which preset? clew permissions ask|edits|sandbox|default --session %s", session)
	}
	if preset == "" {
		return change(ctx, a, c, session, "permissions", nil, "reset")
	}
	return change(ctx, a, c, session, "permissions", preset, "set")
}

func showPermissions(w io.Writer, p client.Permissions) error {
	page := &env.Page{W: w}
	page.Line("In %s", env.Plain(p.Workspace))
	for _, preset := range ask.Presets {
		mark := " "
		if preset.Name == p.Holds {
			mark = "*"
		}
		page.Line("%s %-8s %s", mark, preset.Name, preset.Text)
	}
	if p.Chosen == "" {
		page.Line("Nobody has chosen for this folder. Choose with: clew permissions PRESET")
	}
	return page.Err
}
