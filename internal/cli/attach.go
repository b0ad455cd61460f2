package cli

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/cli/env"
	"github.com/clew-run/clew/internal/cli/follow"
	"github.com/clew-run/clew/internal/tui"
)

// attachFlags are what a person may say about coming to a session.
type attachFlags struct {
	plain, ask, untilDone, verbose, quiet bool
	giveUp                                time.Duration
	monitor                               int // from 1, noMonitor for none in particular
	theme                                 string
	welcome                               []string // for a session in which nothing was said
	left                                  func(clew.SessionID)
}

func attachCommand(a *env.App) *cobra.Command {
	r := env.Remote{Start: true}
	var f attachFlags
	cmd := &cobra.Command{
		Use:   "attach [SESSION]",
		Short: "Open a session: watch, steer and answer",
		Long: "Open a session, the newest one if none is named. On a terminal it fills the screen:\n" +
			"the transcript, the plan, what is asked, and a place to write. With --plain, and where\n" +
			"there is no terminal, it is told line by line, and nothing is asked unless you say -i.\n" +
			"Leaving changes nothing: the work continues.",
		Example: "clew attach\nclew attach sess_1\nclew attach sess_1 --until-done -q    # wait for the end, print the answer",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if _, err := f.monitorID(); err != nil {
				return err
			}
			s, c, err := a.SessionNamed(cmd.Context(), env.Argument(args, 0), r)
			if err != nil {
				return err
			}
			return attach(cmd.Context(), a, c, s.ID, f)
		},
	}
	r.Flags(cmd)
	fs := cmd.Flags()
	fs.BoolVar(&f.plain, "plain", false, "line by line, without filling the screen")
	fs.BoolVarP(&f.ask, "interactive", "i", false, "with --plain: answer questions here")
	fs.BoolVar(&f.untilDone, "until-done", false, "leave when the work is at rest, with the exit codes of clew run; implies --plain")
	fs.BoolVarP(&f.quiet, "quiet", "q", false, "with --until-done: print the final answer and nothing else")
	fs.BoolVarP(&f.verbose, "verbose", "v", false, "with --plain: show what tools print and change, and what the model thinks")
	fs.DurationVar(&f.giveUp, "give-up", giveUpAfter, "with --plain: how long the server may be gone")
	fs.IntVar(&f.monitor, "monitor", noMonitor, "work on this monitor of the session, such as 2: its messages are shown, and its agent gets what you write")
	fs.StringVar(&f.theme, "theme", "", "light or dark (default as the terminal is)")
	return cmd
}

// noMonitor shows all monitors, and what is written goes to the main one.
const noMonitor = 0

// monitorID is the monitor that was named, "" for none in particular.
func (f attachFlags) monitorID() (clew.MonitorID, error) {
	if f.monitor == noMonitor {
		return "", nil
	}
	id := clew.MonitorID(fmt.Sprintf("monitor-%d", f.monitor-1))
	if !id.Valid() {
		return "", env.Usagef("a monitor has a number from 1 to 100, not %d", f.monitor)
	}
	if f.plain || f.untilDone {
		return "", env.Usagef("--monitor is for the screen: leave out --plain and --until-done")
	}
	return id, nil
}

func attach(ctx context.Context, a *env.App, c *env.Rest, id clew.SessionID, f attachFlags) error {
	if !f.plain && !f.untilDone && wholeScreen(a) {
		in, out := a.In.(*os.File), a.Out.(*os.File)
		if kind := a.Getenv("TERM"); kind == "" || kind == "dumb" || kind == "unknown" {
			return env.Usagef("this terminal cannot show a screen: TERM is %q. Line by line it is %s", kind, c.Line("attach", string(id), "--plain"))
		}
		restart := ""
		if c.Local {
			restart = c.Line("serve", "--detach")
		}
		monitor, err := f.monitorID()
		if err != nil {
			return err
		}
		return explained(c, tui.Run(ctx, tui.Options{
			Monitor: monitor,
			Server:  c.Base.String(), Token: c.Token, HTTP: c.Bounded(), Session: string(id), In: in, Out: out, Line: c.Line, Restart: restart, Theme: f.theme, Environ: a.Environ, Terminal: c.Terminal(a.Environ), InitPrompt: initPrompt, Welcome: f.welcome, Left: f.left,
		}))
	}
	if f.monitor != noMonitor {
		return env.Usagef("--monitor needs a terminal")
	}
	done, err := follow.Follow(ctx, a, c, follow.Options{
		Session: id, Past: !f.quiet, UntilDone: f.untilDone, Ask: f.ask, Wait: !f.untilDone, GiveUp: f.giveUp, Quiet: f.quiet, Verbose: f.verbose,
	})
	if err != nil {
		return explained(c, err)
	}
	if done.Status == follow.EndedLeft && !f.untilDone && !a.JSON {
		_, err := fmt.Fprintf(follow.StoryWriter(a, f.quiet), "\nYou left. Come back with:\n  %s\n", c.Line("attach", string(id), "--plain"))
		return err // to leave is how watching ends
	}
	return finishRun(a, c, done, f.quiet)
}
