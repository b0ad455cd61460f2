package cli

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/clew-run/clew/internal/cli/env"
)

func versionCommand(a *env.App) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Long: "Print the version of this program, with what it was built by and for. clew doctor says\n" +
			"whether the server that runs is the same.",
		Example: "clew version\nclew version --json",
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			b := env.BuildInfo()
			return a.Print(b, func(w io.Writer) error {
				commit := ""
				if b.Commit != "" {
					commit = ", commit " + b.Commit[:min(12, len(b.Commit))]
				}
				_, err := fmt.Fprintf(w, "clew %s (%s, %s%s)\n", b.Version, b.Go, b.Platform, commit)
				return err
			})
		},
	}
}
