package cli

import (
	"fmt"
	"io"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/clew-run/clew/internal/cli/env"
	"github.com/clew-run/clew/internal/term"
	"github.com/clew-run/clew/internal/toolchain"
)

// cacheCommand is about what commands of agents keep between calls.
func cacheCommand(a *env.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "cache",
		Short: "See and clear what builds of agents keep",
		Long: "Commands of agents read the caches of your build tools and write to one of the\n" +
			"workspace's own, in the data directory. It can be cleared at any time; the next build\n" +
			"takes longer.",
		Example: "clew cache ls\nclew cache clear ~/code/shop",
		Args:    env.Known,
		RunE:    func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(cacheLsCommand(a), cacheClearCommand(a))
	return cmd
}

func cacheLsCommand(a *env.App) *cobra.Command {
	var flags configFlags
	cmd := &cobra.Command{
		Use:     "ls",
		Short:   "List the build caches of workspaces",
		Long:    "List the build caches of workspaces, the largest first: size, last use, workspace.",
		Example: "clew cache ls",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			list, err := cachesOf(a, cmd, &flags)
			if err != nil {
				return err
			}
			return a.Print(map[string]any{"caches": list}, func(w io.Writer) error {
				if len(list) == 0 {
					_, err := fmt.Fprintln(w, "There are none: no command has built anything yet.")
					return err
				}
				for _, c := range list {
					if _, err := fmt.Fprintf(w, "%8.1f MB  %s  %s\n", float64(c.Bytes)/1e6, c.Used.Format(time.DateOnly), env.Plain(c.Workspace)); err != nil {
						return err
					}
				}
				return nil
			})
		},
	}
	flags.add(cmd, "data", "data", "data directory of the server (CLEW_DATA, default ~/.local/share/clew)")
	return cmd
}

func cacheClearCommand(a *env.App) *cobra.Command {
	var flags configFlags
	var all bool
	cmd := &cobra.Command{
		Use:     "clear [WORKSPACE]",
		Short:   "Remove the build cache of a workspace",
		Long:    "Remove what commands keep for a workspace, that of this directory if none is named.\nNothing of your own caches is touched.",
		Example: "clew cache clear\nclew cache clear ~/code/shop\nclew cache clear --all",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if all && len(args) > 0 {
				return env.Usagef("--all and a workspace exclude each other")
			}
			dir := "."
			if len(args) > 0 {
				dir = args[0]
			}
			dir, err := filepath.Abs(dir)
			if err != nil {
				return err
			}
			list, err := cachesOf(a, cmd, &flags)
			if err != nil {
				return err
			}
			var freed int64
			cleared := 0
			for _, c := range list {
				if !all && c.Workspace != dir {
					continue
				}
				if err := c.Clear(); err != nil {
					return err
				}
				freed += c.Bytes
				cleared++
			}
			return a.Print(map[string]any{"cleared": cleared, "bytes": freed}, func(w io.Writer) error {
				_, err := fmt.Fprintf(w, "%s cleared, %.1f MB\n", term.Count(cleared, "cache"), float64(freed)/1e6)
				return err
			})
		},
	}
	cmd.Flags().BoolVar(&all, "all", false, "those of all workspaces")
	flags.add(cmd, "data", "data", "data directory of the server (CLEW_DATA, default ~/.local/share/clew)")
	return cmd
}

func cachesOf(a *env.App, cmd *cobra.Command, flags *configFlags) ([]toolchain.Cache, error) {
	cfg, err := a.LoadConfig(flags.file, flags.given(cmd))
	if err != nil {
		return nil, err
	}
	return toolchain.Caches(filepath.Join(cfg.Data, "cache"))
}

// unlinkCommand gives a project its own copies of what it shares with a cache.
func unlinkCommand(a *env.App) *cobra.Command {
	return &cobra.Command{
		Use:   "unlink DIR",
		Short: "Give a directory its own copies of files it shares with a cache",
		Long: "uv and pnpm save room by hard links: a file in .venv or node_modules is then the same\n" +
			"file as in their cache, and in your other projects. Commands of agents can only read\n" +
			"such a directory. This replaces each shared file by a copy of its own; the cache stays\n" +
			"as it is.",
		Example: "clew unlink .venv\nclew unlink node_modules",
		Args:    cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			n, err := toolchain.Unlink(args[0])
			if err != nil {
				return err
			}
			return a.Print(map[string]any{"files": n}, func(w io.Writer) error {
				_, err := fmt.Fprintf(w, "%s copied\n", term.Count(n, "file"))
				return err
			})
		},
	}
}
