package cli

import (
	"fmt"
	"io"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/clew-run/clew/internal/cli/env"
)

// partitionsCommand changes how many streams a store has.
func partitionsCommand(a *env.App) *cobra.Command {
	var flags configFlags
	cmd := &cobra.Command{
		Use:   "partitions NUMBER",
		Short: "Spread a stopped server's records over another number of streams",
		Long: "Spread the records of a data directory over another number of streams. Each is\n" +
			"flushed to disk by itself: on a disk that is slow to flush, more of them let more\n" +
			"sessions write at once. A new data directory has 16. The server must be stopped. If\n" +
			"this is cut short, run it again with the same number; until then the server does not\n" +
			"start. Nothing is lost.",
		Example: "clew partitions 16\nclew partitions 16 --data ./data",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			n, err := strconv.Atoi(args[0])
			if err != nil {
				return env.Usagef("NUMBER is a number of streams, not %q", args[0])
			}
			cfg, err := a.LoadConfig(flags.file, flags.given(cmd))
			if err != nil {
				return err
			}
			from, moved, err := a.Server.Repartition(cmd.Context(), cfg, n)
			if err != nil {
				return err
			}
			return a.Print(map[string]int{"from": from, "to": n, "sessions_moved": moved}, func(w io.Writer) error {
				_, err := fmt.Fprintf(w, "%d partitions before, %d now; %d sessions moved\n", from, n, moved)
				return err
			})
		},
	}
	flags.add(cmd, "data", "data", "directory of the stopped server (CLEW_DATA, default ~/.local/share/clew)")
	return cmd
}
