package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/clew-run/clew/internal/cli/env"
	"github.com/clew-run/clew/internal/term"
)

// A checkReport is all that the doctor says. What is in the store stands beside the
// checks.
type checkReport struct {
	env.Examined
	Verified bool        `json:"verified"` // the store was read
	Checks   []env.Check `json:"checks"`
	Problems int         `json:"problems"`
	Warnings int         `json:"warnings"`
}

func doctorCommand(a *env.App) *cobra.Command {
	r := env.Remote{Running: true}
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
		Example: "clew doctor\nclew doctor --online           # also try the model providers\nclew doctor --store --json     # verify the store, and nothing else",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			x := &doctor{App: a, remote: r, online: online, bare: bare}
			var err error
			if only {
				err = x.storeOnly(cmd.Context(), file)
			} else {
				x.all(cmd.Context(), file)
			}
			if err != nil {
				return err
			}
			if err := a.Print(x.result(), x.write); err != nil {
				return err
			}
			if x.Problems > 0 {
				return env.ErrReported
			}
			return nil
		},
	}
	r.Flags(cmd)
	cmd.Flags().StringVar(&file, "config", "", "YAML file with settings (CLEW_CONFIG)")
	cmd.Flags().BoolVar(&only, "store", false, "verify the store and nothing else; the server must be stopped")
	cmd.Flags().BoolVar(&bare, "no-checkpoints", false, "leave out the checkpoints, which take a while if there are many gigabytes")
	cmd.Flags().BoolVar(&online, "online", false, "find out whether the model providers can be reached")
	return cmd
}

// A doctor is one examination.
type doctor struct {
	*env.App
	checkReport
	remote       env.Remote
	online, bare bool
}

func (x *doctor) config(file string) (env.Config, error) {
	given := map[string]any{}
	if x.remote.Data != "" {
		given["data"] = x.remote.Data
	}
	return x.LoadConfig(file, given)
}

func (x *doctor) storeOnly(ctx context.Context, file string) error {
	cfg, err := x.config(file)
	if err != nil {
		return err
	}
	x.Examined, err = x.App.Server.Doctor(ctx, cfg, !x.bare)
	x.Verified = err == nil
	return err
}

// all goes from what everything else needs to what is nice to have.
func (x *doctor) all(ctx context.Context, file string) {
	b := env.BuildInfo()
	x.add(env.CheckOf("program", env.CheckOK, fmt.Sprintf("clew %s, %s, %s", b.Version, b.Go, b.Platform), ""))
	cfg, err := x.config(file)
	if err != nil {
		x.add(env.CheckOf("configuration", env.CheckProblem, err.Error(), "mend it; docs/server-settings.md lists what can be set"))
		return
	}
	x.add(env.CheckOf("configuration", env.CheckOK, env.FirstOf(file, x.Getenv(env.EnvPrefix+"CONFIG"), "no file, which is fine"), ""))
	x.add(x.App.Server.Checkup(ctx, cfg)...)
	x.lookAtServer(ctx, cfg)
	x.lookAtSkills()
	x.add(x.browserCheck(), x.terminalCheck())
	x.Examined, err = x.App.Server.Doctor(ctx, cfg, !x.bare)
	switch {
	case err == nil:
		x.Verified = true
	case errors.Is(err, env.ErrNoStore):
		x.add(env.CheckOf("store", env.CheckNote, "there is none yet", ""))
	case errors.Is(err, env.ErrInUse):
		x.add(env.CheckOf("store", env.CheckNote, "not verified: a server runs on it", "stop the server and run clew doctor again, if you want every record read"))
	default:
		x.add(env.CheckOf("store", env.CheckProblem, err.Error(), "restore the data directory from a backup if it cannot be mended"))
	}
}

func (x *doctor) add(checks ...env.Check) { x.Checks = append(x.Checks, checks...) }

// result counts.
func (x *doctor) result() checkReport {
	x.Problems, x.Warnings = x.Examined.Problems(), x.Warnings+x.Examined.Warnings()
	for _, c := range x.Checks {
		switch c.Status {
		case env.CheckProblem:
			x.Problems++
		case env.CheckWarning:
			x.Warnings++
		}
	}
	if x.Checks == nil {
		x.Checks = []env.Check{}
	}
	return x.checkReport
}

func (x *doctor) write(w io.Writer) error {
	wide := 0
	for _, c := range x.Checks {
		wide = max(wide, len(c.Name))
	}
	width, person := env.Columns(w)
	if !person {
		width = 1 << 16 // a line each, for those who search
	}
	var b strings.Builder
	for _, c := range x.Checks {
		b.WriteString(setIn(fmt.Sprintf("%-8s %-*s  ", c.Status, wide, c.Name), env.Plain(c.Found), width))
		if c.Do != "" {
			b.WriteString(setIn(fmt.Sprintf("%-8s %-*s  -> ", "", wide, ""), env.Plain(c.Do), width))
		}
	}
	if _, err := io.WriteString(w, b.String()); err != nil {
		return err
	}
	if x.Verified {
		if err := x.Examined.Write(w); err != nil {
			return err
		}
	}
	if len(x.Checks) == 0 { // of the store alone, that was all
		return nil
	}
	_, err := fmt.Fprintf(w, "%s, %s\n", term.Count(x.Problems, "problem"), term.Count(x.Warnings, "warning"))
	return err
}
