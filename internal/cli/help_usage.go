package cli

import (
	"fmt"
	"io"
	"strings"
	"unicode"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/clew-run/clew/internal/cli/env"
)

// usage writes how a command is called, as cobra does but no wider than
// helpWidth. It is a function and not a template of cobra's, because a template
// calls methods by their names: with one in the program the linker would have to
// keep every exported method of every package.
func usage(w io.Writer, cmd *cobra.Command) error {
	var b strings.Builder
	b.WriteString("Usage:")
	if cmd.Runnable() {
		fmt.Fprintf(&b, "\n  %s", cmd.UseLine())
	}
	if cmd.HasAvailableSubCommands() {
		fmt.Fprintf(&b, "\n  %s [command]", cmd.CommandPath())
	}
	if len(cmd.Aliases) > 0 {
		fmt.Fprintf(&b, "\n\nAliases:\n  %s", cmd.NameAndAliases())
	}
	if cmd.HasExample() {
		fmt.Fprintf(&b, "\n\nExamples:\n%s", cmd.Example)
	}
	if cmd.HasAvailableSubCommands() {
		usageOfCommands(&b, cmd)
	}
	usageOfFlags(&b, "Flags", cmd.LocalFlags())
	usageOfFlags(&b, "Global Flags", cmd.InheritedFlags())
	if cmd.HasAvailableSubCommands() {
		fmt.Fprintf(&b, "\n\nUse \"%s [command] --help\" for more information about a command.", cmd.CommandPath())
	}
	b.WriteString("\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// usageOfCommands lists commands below the headings of their groups. A command
// without a group stands below the last heading.
func usageOfCommands(b *strings.Builder, cmd *cobra.Command) {
	list := func(title, group string) {
		fmt.Fprintf(b, "\n\n%s", title)
		for _, sub := range cmd.Commands() {
			if sub.GroupID == group && (sub.IsAvailableCommand() || sub.Name() == "help") {
				fmt.Fprintf(b, "\n  %-*s %s", sub.NamePadding(), sub.Name(), sub.Short)
			}
		}
	}
	for _, g := range cmd.Groups() {
		list(g.Title, g.ID)
	}
	switch {
	case len(cmd.Groups()) == 0:
		list("Available Commands:", "")
	case !cmd.AllChildCommandsHaveGroup():
		list("Additional Commands:", "")
	}
}

func usageOfFlags(b *strings.Builder, title string, flags *pflag.FlagSet) {
	if flags.HasAvailableFlags() {
		fmt.Fprintf(b, "\n\n%s:\n%s", title, strings.TrimRightFunc(flags.FlagUsagesWrapped(env.HelpWidth), unicode.IsSpace))
	}
}
