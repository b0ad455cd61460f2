package cli

import (
	"context"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/cli/env"
)

// configFlags are the flags of the commands that work on a data directory.
type configFlags struct {
	file string
	keys map[string]string // flag name to configuration key
}

func (f *configFlags) add(cmd *cobra.Command, name, key, usage string) {
	if f.keys == nil {
		f.keys = make(map[string]string)
		cmd.Flags().StringVar(&f.file, "config", "", "YAML file with settings (CLEW_CONFIG)")
	}
	cmd.Flags().String(name, "", usage)
	f.keys[name] = key
}

// given collects the flags that are on the command line.
func (f *configFlags) given(cmd *cobra.Command) map[string]any {
	out := make(map[string]any)
	for name, key := range f.keys {
		if flag := cmd.Flags().Lookup(name); flag.Changed {
			out[key] = flag.Value.String()
		}
	}
	return out
}

func serveCommand(a *env.App) *cobra.Command {
	var flags configFlags
	var open, detach, background bool
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Run the server",
		Long: "Run the server until SIGTERM or SIGINT. Once it takes connections it prints one\n" +
			"line: clew: ready http://ADDRESS. Settings come from the defaults, the file of\n" +
			"--config, the environment (CLEW_LISTEN, CLEW_AUTH_MODE, …) and the flags; the\n" +
			"later one counts. The log goes to standard error.\n\n" +
			"With --detach it runs in the background, away from this terminal, and writes its\n" +
			"log to log/server.log in the data directory. It ends by itself when nobody has\n" +
			"needed it for idle_exit (CLEW_IDLE_EXIT, default 30m, 0 is never). Commands such as\n" +
			"clew run start one like this by themselves, unless CLEW_AUTOSTART is 0.",
		Example: "clew serve\nclew serve --open\nclew serve --detach              # in the background\nclew serve --listen 127.0.0.1:0 --data ./data",
		Args:    env.Known,
		RunE: func(cmd *cobra.Command, _ []string) error {
			given := flags.given(cmd)
			if a.JSON {
				given["log.format"] = "json"
			}
			cfg, err := a.LoadConfig(flags.file, given)
			if err != nil {
				return err
			}
			if detach {
				return serveDetached(cmd.Context(), a, env.Remote{Data: flagOr(cmd, "data", "")}, cfg.Data, flags.again(given), open)
			}
			if background {
				return serveInBackground(cmd.Context(), a, cfg)
			}
			if open {
				cfg.Ready = func(_ context.Context, page string) {
					showOwn(a, page, env.Remote{Server: withoutTicket(page), Data: cfg.Data}.Line("open", "--no-open"))
				}
			}
			return serve(cmd.Context(), a, cfg)
		},
	}
	flags.add(cmd, "listen", "listen", "address to listen on, port 0 picks one (default 127.0.0.1:8000)")
	flags.add(cmd, "data", "data", "directory for everything the server keeps (CLEW_DATA, default ~/.local/share/clew)")
	flags.add(cmd, "engine", "engine", "embedded, or nats://host:port,… of a running cluster (default embedded)")
	flags.add(cmd, "auth", "auth.mode", "on or off; off works on a loopback address only (default on)")
	flags.add(cmd, "socket", "socket", "path of the local socket for programs on this machine, or off (CLEW_SOCKET, default clew.sock in the data directory)")
	flags.add(cmd, "log-format", "log.format", "short, text or json (default short on a terminal, json elsewhere)")
	cmd.Flags().BoolVar(&open, "open", false, "open the web UI in a browser, signed in as the owner")
	cmd.Flags().BoolVar(&detach, "detach", false, "run in the background, and return when it is ready")
	cmd.Flags().BoolVar(&background, env.Background, false, "this is the server that --detach starts")
	_ = cmd.Flags().MarkHidden(env.Background) // there is such a flag
	cmd.AddCommand(serveStatus(a), serveStop(a), serveRestart(a), serveLogs(a))
	return cmd
}

// serve runs the server until ctx ends or a signal comes. A second signal ends
// the process at once, for those who do not want to wait.
func serve(ctx context.Context, a *env.App, cfg env.Config) error {
	log, err := newLogger(a.Err, cfg.Log.Level, cfg.Log.Format)
	if err != nil {
		return err
	}
	if err := noCores(); err != nil {
		log.Warn("a crash may leave a core file", "err", err)
	}
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	defer context.AfterFunc(ctx, stop)()
	err = a.Server.Run(ctx, cfg, a.Out, log)
	if clew.CodeOf(err) == clew.StorageFailed {
		return env.ExitAs(env.ExitTemporary, err)
	}
	return err
}
