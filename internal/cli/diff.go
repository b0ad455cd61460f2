package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/clew-run/clew/client"
	"github.com/clew-run/clew/internal/ask"
	"github.com/clew-run/clew/internal/cli/env"
)

func diffCommand(a *env.App) *cobra.Command {
	var r env.Remote
	var against string
	var stat bool
	cmd := &cobra.Command{
		Use:   "diff [SESSION]",
		Short: "Show what a session changed",
		Long: "Show what a session changed in its files: a line for each file, then the changed\n" +
			"lines. A session with a work tree of its own is compared with the commit that it\n" +
			"began with, any other with its files when it began. --against chooses: start (the\n" +
			"files when the session began, also without git), head (the last commit) or base\n" +
			"(the commit that the work tree began with).\n\n" + env.HowSession,
		Example: "clew diff\nclew diff --stat\nclew diff --against head",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			s, c, err := a.SessionNamed(cmd.Context(), env.Argument(args, 0), r)
			if err != nil {
				return err
			}
			d, err := c.PatientAPI().Diff(cmd.Context(), s.ID, against)
			if err != nil {
				return err
			}
			return a.Print(d, func(w io.Writer) error { return printDiff(w, d, stat) })
		},
	}
	r.Flags(cmd)
	cmd.Flags().StringVar(&against, "against", "", "what to compare with: start, head or base")
	cmd.Flags().BoolVar(&stat, "stat", false, "only the line for each file")
	return cmd
}

func printDiff(w io.Writer, d client.Diff, stat bool) error {
	p := &env.Page{W: w}
	for _, line := range ask.DiffStat(d) {
		p.Line("%s", line)
	}
	for _, f := range d.Files {
		if stat {
			break
		}
		p.Line("")
		if f.Unified == "" {
			p.Line("%s: %s", env.Plain(f.Path), whyNoText(f))
		}
		for line := range strings.Lines(f.Unified) {
			p.Line("%s", env.Plain(strings.TrimRight(line, "\n")))
		}
	}
	return p.Err
}

// whyNoText says why a file has no changed lines to show.
func whyNoText(f client.Change) string {
	switch {
	case f.Binary:
		return "binary, " + f.Status
	case f.Truncated:
		return fmt.Sprintf("%s, too large to show", f.Status)
	}
	return f.Status
}
