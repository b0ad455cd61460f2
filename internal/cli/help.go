package cli

import (
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/clew-run/clew/internal/cli/env"
)

// groups are the headings of clew --help, and what stands below each.
var groups = []struct {
	id, title string
	commands  []string
}{
	{"start", "Start:", []string{"demo", "serve", "open", "doctor"}},
	{"work", "Work with agents:", []string{"run", "notebook", "init", "attach", "inbox", "answer", "stop", "resume", "ls", "show", "search", "usage", "rename", "archive", "share"}},
	{"git", "Keep the result:", []string{"diff", "commit", "merge", "worktree"}},
	{"back", "Rewind, fork, delete:", []string{"rewind", "undo", "redo", "fork", "checkpoint", "delete"}},
	{"keep", "Back up and move:", []string{"export", "import", "backup", "restore"}},
	{"set", "Set up:", []string{"login", "model", "mcp", "permissions", "rules", "settings", "secret", "token", "cache", "unlink", "partitions", "completion"}},
	{"know", "More:", []string{"help", "exit-codes", "version"}},
}

// group puts the commands below their headings.
func group(root *cobra.Command) {
	of := map[string]string{}
	for _, g := range groups {
		root.AddGroup(&cobra.Group{ID: g.id, Title: g.title})
		for _, name := range g.commands {
			of[name] = g.id
		}
	}
	for _, cmd := range root.Commands() {
		cmd.GroupID = of[cmd.Name()]
	}
	help := helpCommand(root)
	help.GroupID = "know"
	root.SetHelpCommand(help)
}

// helpCommand is clew help. It knows when there is no such command.
func helpCommand(root *cobra.Command) *cobra.Command {
	return &cobra.Command{
		Use:     "help [COMMAND]…",
		Short:   "Help about any command",
		Long:    "Say what a command does, with its flags and examples. clew COMMAND --help does the same.",
		Example: "  clew help run\n  clew help settings set\n  clew help --json",
		RunE: func(_ *cobra.Command, args []string) error {
			cmd, rest, err := root.Find(args)
			if err != nil {
				return &env.UsageError{Err: err}
			}
			if len(rest) > 0 && cmd.HasSubCommands() {
				return env.Known(cmd, rest)
			}
			cmd.InitDefaultHelpFlag()
			return cmd.Help()
		},
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) (list []string, _ cobra.ShellCompDirective) {
			cmd, _, err := root.Find(args)
			if err != nil {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			for _, sub := range cmd.Commands() {
				if sub.IsAvailableCommand() {
					list = append(list, sub.Name()+"\t"+sub.Short)
				}
			}
			return list, cobra.ShellCompDirectiveNoFileComp
		},
	}
}

// A described is a command for programs: clew help --json.
type described struct {
	Command  string        `json:"command"`
	Usage    string        `json:"usage"`
	Short    string        `json:"short"`
	Long     string        `json:"long,omitempty"`
	Examples []string      `json:"examples,omitempty"`
	Flags    []describedBy `json:"flags,omitempty"`
	Commands []described   `json:"commands,omitempty"`
}

type describedBy struct {
	Name      string `json:"name"`
	Shorthand string `json:"shorthand,omitempty"`
	Type      string `json:"type"`
	Default   string `json:"default,omitempty"`
	Usage     string `json:"usage"`
}

func describe(cmd *cobra.Command) described {
	d := described{Command: cmd.CommandPath(), Usage: cmd.UseLine(), Short: cmd.Short, Long: cmd.Long}
	for line := range strings.Lines(cmd.Example) {
		d.Examples = append(d.Examples, strings.TrimSpace(line))
	}
	cmd.InitDefaultHelpFlag()
	flags := pflag.NewFlagSet("", pflag.ContinueOnError)
	flags.AddFlagSet(cmd.LocalFlags())
	flags.AddFlagSet(cmd.InheritedFlags())
	flags.VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			d.Flags = append(d.Flags, describedBy{f.Name, f.Shorthand, f.Value.Type(), f.DefValue, f.Usage})
		}
	})
	for _, sub := range cmd.Commands() {
		if sub.IsAvailableCommand() {
			d.Commands = append(d.Commands, describe(sub))
		}
	}
	return d
}

// helpFor makes help something that programs can read with --json.
func helpFor(a *env.App, root *cobra.Command) {
	root.SetUsageFunc(func(cmd *cobra.Command) error { return usage(cmd.OutOrStderr(), cmd) })
	text := root.HelpFunc()
	root.SetHelpFunc(func(cmd *cobra.Command, args []string) {
		if !a.JSON {
			text(cmd, args)
			return
		}
		_ = a.Print(describe(cmd), nil) // a closed pipe is the reader's wish
	})
}
