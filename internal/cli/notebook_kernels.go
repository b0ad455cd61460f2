package cli

import (
	"fmt"
	"io"
	"os"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/clew-run/clew/internal/cli/env"
	"github.com/clew-run/clew/internal/term"
)

func notebookKernelsCommand(a *env.App, r *env.Remote) *cobra.Command {
	return &cobra.Command{
		Use:   "kernels",
		Short: "List the kernels for notebooks here, and those that run",
		Long: "List the kernels that notebooks in this directory can have, with what is missing where there is none, and\n" +
			"those that run. A kernel outlives the server: one that no server holds ends by itself after a while.",
		Example: "clew notebook kernels\nclew notebook kernels --json",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			dir, err := os.Getwd()
			if err != nil {
				return err
			}
			data, err := a.DataDir(r.Data)
			if err != nil {
				return err
			}
			found := env.FindKernels(cmd.Context(), data, dir, a.Environ)
			return a.Print(found, func(w io.Writer) error { return kernelTable(w, found, time.Now()) })
		},
	}
}

func kernelTable(w io.Writer, found env.Kernels, now time.Time) error {
	t := tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
	for _, k := range found.Kernels {
		about := env.Plain(strings.Join(k.Argv[:min(len(k.Argv), 1)], ""))
		switch {
		case k.Missing != "":
			about = "missing: " + env.Plain(k.Missing)
		case k.FromWorkspace:
			about += "  (of this folder)"
		}
		_, _ = fmt.Fprintf(t, "%s\t%s\t%s\n", env.Plain(k.Name), env.Plain(k.Display), about)
	}
	if err := t.Flush(); err != nil || len(found.Running) == 0 {
		return err
	}
	_, _ = fmt.Fprintln(w, "\nRunning:")
	for _, k := range found.Running {
		state := "held by a server"
		if left, alone := k.Orphaned(now); alone {
			state = "no server holds it; it ends in " + term.Duration(left)
		}
		_, _ = fmt.Fprintf(t, "%s\t%s\t%s\n", env.Plain(k.About), term.Ago(time.UnixMilli(k.StartedMS), now), state)
	}
	return t.Flush()
}
