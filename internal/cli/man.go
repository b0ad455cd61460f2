package cli

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/clew-run/clew/internal/cli/env"
)

// manCommand writes the man pages, for packages. They are made of the same words
// as the help, so that they cannot drift apart.
func manCommand(a *env.App) *cobra.Command {
	return &cobra.Command{
		Use:     "man DIR",
		Short:   "Write the man pages into a directory",
		Long:    "Write the man pages of all commands into a directory, which is made. Packages do this.",
		Example: "clew man ./man && man ./man/clew.1",
		Hidden:  true,
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := os.MkdirAll(args[0], 0o755); err != nil {
				return err
			}
			var names []string
			for _, c := range pagesOf(cmd.Root()) {
				name := manName(c) + ".1"
				if err := os.WriteFile(filepath.Join(args[0], name), []byte(manPage(c)), 0o644); err != nil { //nolint:gosec // for everybody to read
					return err
				}
				names = append(names, name)
			}
			return a.Print(map[string]any{"dir": args[0], "pages": names}, func(w io.Writer) error {
				_, err := fmt.Fprintf(w, "%d pages in %s\n", len(names), args[0])
				return err
			})
		},
	}
}

// pagesOf lists the commands that people use, each before those below it.
func pagesOf(cmd *cobra.Command) []*cobra.Command {
	list := []*cobra.Command{cmd}
	for _, sub := range cmd.Commands() {
		if sub.IsAvailableCommand() && sub.Name() != "help" {
			list = append(list, pagesOf(sub)...)
		}
	}
	return list
}

func manName(cmd *cobra.Command) string { return strings.ReplaceAll(cmd.CommandPath(), " ", "-") }

// manPage has no date in it: the same program makes the same pages.
func manPage(cmd *cobra.Command) string {
	var b strings.Builder
	section := func(title string) { fmt.Fprintf(&b, ".SH %s\n", title) }
	fmt.Fprintf(&b, ".TH \"%s\" \"1\" \"\" \"clew\" \"clew\"\n", strings.ToUpper(manName(cmd)))
	section("NAME")
	fmt.Fprintf(&b, "%s \\- %s\n", roff(manName(cmd)), roff(cmd.Short))
	section("SYNOPSIS")
	fmt.Fprintf(&b, ".B %s\n", roff(cmd.UseLine()))
	section("DESCRIPTION")
	b.WriteString(roff(cmd.Long) + "\n")
	if subs := pagesOf(cmd)[1:]; len(subs) > 0 {
		section("COMMANDS")
		for _, sub := range subs {
			if sub.Parent() == cmd {
				fmt.Fprintf(&b, ".TP\n.B %s\n%s\n", roff(sub.CommandPath()), roff(sub.Short))
			}
		}
	}
	manFlags(&b, "OPTIONS", cmd.NonInheritedFlags())
	manFlags(&b, "OPTIONS OF ALL COMMANDS", cmd.InheritedFlags())
	if cmd.Example != "" {
		section("EXAMPLES")
		fmt.Fprintf(&b, ".nf\n%s\n.fi\n", roff(cmd.Example))
	}
	if !cmd.HasParent() {
		section("EXIT STATUS")
		for _, e := range env.Exits {
			fmt.Fprintf(&b, ".TP\n.B %d\n%s\n", e.Code, roff(e.Meaning))
		}
	}
	section("SEE ALSO")
	if cmd.HasParent() {
		fmt.Fprintf(&b, ".BR %s (1)\n", roff(manName(cmd.Parent())))
	} else {
		b.WriteString("https://github.com/clew\\-run/clew\n")
	}
	return b.String()
}

func manFlags(b *strings.Builder, title string, flags *pflag.FlagSet) {
	if !flags.HasAvailableFlags() {
		return
	}
	fmt.Fprintf(b, ".SH %s\n", title)
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Hidden {
			return
		}
		name, usage := pflag.UnquoteUsage(f)
		line := "--" + f.Name
		if f.Shorthand != "" {
			line = "-" + f.Shorthand + ", " + line
		}
		if name != "" {
			line += " " + name
		}
		fmt.Fprintf(b, ".TP\n.B %s\n%s\n", roff(line), roff(usage))
	})
}

// roff keeps a text what it is: no line of it is a request.
func roff(s string) string {
	s = strings.NewReplacer(`\`, `\e`, "-", `\-`, "'", `\(aq`, "`", `\(ga`).Replace(s)
	lines := strings.Split(strings.TrimRight(s, "\n"), "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, ".") {
			lines[i] = `\&` + line
		}
	}
	return strings.Join(lines, "\n")
}
