package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
)

// A diagnosis is all that the doctor says. What is in the store stands beside the
// checks.
type diagnosis struct {
	examined
	Verified bool    `json:"verified"` // the store was read
	Checks   []check `json:"checks"`
	Problems int     `json:"problems"`
	Warnings int     `json:"warnings"`
}

func (a *app) doctorCommand() *cobra.Command {
	var r remote
	var file string
	var only, bare, online bool
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Check this machine and everything in a data directory",
		Long: "Look at what clew needs, and say what is missing and what to do about it: the\n" +
			"configuration, the data directory, the server that runs, credentials, git, the\n" +
			"sandbox, the web UI, the browser, model providers. If no server runs, read every\n" +
			"session in the store, check it record by record, compare its stored state with what the\n" +
			"records say, read every checkpoint, and say what is damaged, and what only a newer clew\n" +
			"can change. Nothing is changed. The exit code is 1 if there are problems; warnings are\n" +
			"none. clew checkpoint fsck --verbose says more of checkpoints.",
		Example: "clew doctor\nclew doctor --online           # try the model providers, too\nclew doctor --store --json     # verify the store, and nothing else",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			x := &doctor{app: a, remote: r, online: online, bare: bare}
			var err error
			if only {
				err = x.storeOnly(cmd.Context(), file)
			} else {
				x.all(cmd.Context(), file)
			}
			if err != nil {
				return err
			}
			if err := a.print(x.result(), x.write); err != nil {
				return err
			}
			if x.Problems > 0 {
				return errReported
			}
			return nil
		},
	}
	r.flags(cmd)
	cmd.Flags().StringVar(&file, "config", "", "YAML file with settings (CLEW_CONFIG)")
	cmd.Flags().BoolVar(&only, "store", false, "verify the store and nothing else; the server must be stopped")
	cmd.Flags().BoolVar(&bare, "no-checkpoints", false, "leave out the checkpoints, which take a while if there are many gigabytes")
	cmd.Flags().BoolVar(&online, "online", false, "find out whether the model providers can be reached")
	return cmd
}

// A doctor is one examination.
type doctor struct {
	*app
	diagnosis
	remote       remote
	online, bare bool
}

func (x *doctor) config(file string) (config, error) {
	given := map[string]any{}
	if x.remote.data != "" {
		given["data"] = x.remote.data
	}
	return x.loadConfig(file, given)
}

func (x *doctor) storeOnly(ctx context.Context, file string) error {
	cfg, err := x.config(file)
	if err != nil {
		return err
	}
	x.examined, err = x.app.server.doctor(ctx, cfg, !x.bare)
	x.Verified = err == nil
	return err
}

// all goes from what everything else needs to what is nice to have.
func (x *doctor) all(ctx context.Context, file string) {
	b := buildInfo()
	x.add(checkOf("program", checkOK, fmt.Sprintf("clew %s, %s, %s", b.Version, b.Go, b.Platform), ""))
	cfg, err := x.config(file)
	if err != nil {
		x.add(checkOf("configuration", checkProblem, err.Error(), "mend it; docs/operating.md lists what can be set"))
		return
	}
	x.add(checkOf("configuration", checkOK, firstOf(file, x.getenv(envPrefix+"CONFIG"), "no file, which is fine"), ""))
	x.add(x.app.server.checkup(ctx, cfg)...)
	x.lookAtServer(ctx, cfg)
	x.add(x.browserCheck(), x.terminalCheck())
	x.examined, err = x.app.server.doctor(ctx, cfg, !x.bare)
	switch {
	case err == nil:
		x.Verified = true
	case errors.Is(err, errNoStore):
		x.add(checkOf("store", checkNote, "there is none yet", ""))
	case errors.Is(err, errInUse):
		x.add(checkOf("store", checkNote, "not verified: a server runs on it", "stop the server and run clew doctor again, if you want every record read"))
	default:
		x.add(checkOf("store", checkProblem, err.Error(), "restore the data directory from a backup if it cannot be mended"))
	}
}

func (x *doctor) add(checks ...check) { x.Checks = append(x.Checks, checks...) }

// result counts.
func (x *doctor) result() diagnosis {
	x.Problems, x.Warnings = x.examined.Problems(), x.Warnings+x.examined.Warnings()
	for _, c := range x.Checks {
		switch c.Status {
		case checkProblem:
			x.Problems++
		case checkWarning:
			x.Warnings++
		}
	}
	if x.Checks == nil {
		x.Checks = []check{}
	}
	return x.diagnosis
}

func (x *doctor) write(w io.Writer) error {
	wide := 0
	for _, c := range x.Checks {
		wide = max(wide, len(c.Name))
	}
	width, person := columns(w)
	if !person {
		width = 1 << 16 // a line each, for those who search
	}
	var b strings.Builder
	for _, c := range x.Checks {
		b.WriteString(setIn(fmt.Sprintf("%-8s %-*s  ", c.Status, wide, c.Name), plain(c.Found), width))
		if c.Do != "" {
			b.WriteString(setIn(fmt.Sprintf("%-8s %-*s  -> ", "", wide, ""), plain(c.Do), width))
		}
	}
	if _, err := io.WriteString(w, b.String()); err != nil {
		return err
	}
	if x.Verified {
		if err := x.examined.Write(w); err != nil {
			return err
		}
	}
	if len(x.Checks) == 0 { // of the store alone, that was all
		return nil
	}
	_, err := fmt.Fprintf(w, "%s, %s\n", count(x.Problems, "problem"), count(x.Warnings, "warning"))
	return err
}
