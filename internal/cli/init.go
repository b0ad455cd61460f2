package cli

import (
	_ "embed"
	"strings"

	"github.com/spf13/cobra"

	"github.com/clew-run/clew/internal/cli/env"
)

//go:embed init.md
var initPrompt string

// initCommand has an agent write a project's first AGENTS.md. It is an ordinary
// session: what the agent does is asked about as always.
func initCommand(a *env.App) *cobra.Command {
	r := env.Remote{Start: true, Own: true}
	var f runFlags
	cmd := &cobra.Command{
		Use:   "init [TEXT]…",
		Short: "Write AGENTS.md for this project, with an agent's help",
		Long: "Have an agent look at the project in this directory and write AGENTS.md: how to build\n" +
			"and test it, where things are, what to leave alone. Agents read the file at the start\n" +
			"of each turn. One that exists is improved. You are asked before it is written. What\n" +
			"you add on the line is told to the agent.\n\n" +
			"It is clew run with a text of its own, and takes the same flags.",
		Example: "clew init\nclew init 'the tests need Docker; say so'\nclew init --yes=read,write",
		RunE: func(cmd *cobra.Command, args []string) error {
			f.workspace = flagOr(cmd, "workspace", ".")
			placed := cmd.Flags().Changed("workspace")
			if f.session == "" && f.title == "" {
				f.title = "Write AGENTS.md"
			}
			text := strings.TrimSpace(initPrompt)
			if len(args) > 0 {
				text += "\n\nThe user adds: " + strings.Join(args, " ")
			}
			return runTask(cmd.Context(), a, r, f, []string{text}, placed)
		},
	}
	r.Flags(cmd)
	f.add(cmd)
	return cmd
}
