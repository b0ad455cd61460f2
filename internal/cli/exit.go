package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/clew-run/clew/internal/cli/env"
)

// exitCodesTopic is a page of the help: clew help exit-codes.
func exitCodesTopic(a *env.App) *cobra.Command {
	var b strings.Builder
	_, _ = fmt.Fprintln(&b, "Exit codes of clew:")
	_, _ = fmt.Fprintln(&b)
	for _, e := range env.Exits {
		_, _ = fmt.Fprintf(&b, "  %3d  %-16s %s\n", e.Code, e.Name, e.Meaning)
	}
	return &cobra.Command{
		Use: "exit-codes", Short: "What the exit codes mean", Long: b.String(), Args: cobra.NoArgs,
		Example: "clew help exit-codes\nclew exit-codes --json",
		RunE: func(*cobra.Command, []string) error {
			return a.Print(map[string]any{"exit_codes": env.Exits}, func(w io.Writer) error {
				_, err := io.WriteString(w, b.String())
				return err
			})
		},
	}
}
