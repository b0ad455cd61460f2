package cli

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/client"
	"github.com/clew-run/clew/internal/cli/env"
	"github.com/clew-run/clew/internal/term"
)

// again are the flags that were given, for a server that is started with them. The data
// directory is named by who starts it.
func (f *configFlags) again(given map[string]any) (words []string) {
	for name, key := range f.keys {
		if value, ok := given[key]; ok && name != "data" {
			words = append(words, "--"+name+"="+fmt.Sprint(value))
		}
	}
	if f.file != "" {
		file := f.file
		if abs, err := filepath.Abs(file); err == nil {
			file = abs
		}
		words = append(words, "--config="+file)
	}
	slices.Sort(words)
	return words
}

// serveDetached starts a server in the background, unless one runs.
func serveDetached(ctx context.Context, a *env.App, at env.Remote, dir string, flags []string, open bool) error {
	s, err := a.StartServer(ctx, dir, flags)
	if err != nil {
		return err
	}
	err = a.Print(newBackground(s), func(w io.Writer) error {
		text := s.Tell(at)
		if !s.Started {
			text = fmt.Sprintf("A server runs already (pid %d, %s).", s.Ack.PID, s.Ack.URL)
		}
		_, err := fmt.Fprintln(w, text)
		return err
	})
	if err != nil || !open {
		return err
	}
	c, err := a.Connect(at)
	if err != nil {
		return err
	}
	opened, err := page(ctx, c, "")
	if err != nil {
		return err
	}
	showOwn(a, opened.URL, at.Line("open", "--no-open"))
	return nil
}

// serveInBackground is the server that was started so: its log is a file that does not
// grow without an end.
func serveInBackground(ctx context.Context, a *env.App, cfg env.Config) error {
	log, err := env.OpenLogFile(env.LogFile(cfg.Data))
	if err != nil {
		return err
	}
	// It stays open: the last word of this process is why it ended.
	if err := log.TakeCrashes(); err != nil {
		return err
	}
	a.Err, a.Out = log, log
	cfg.Background = true
	if cfg.Log.Format == "" || cfg.Log.Format == "auto" {
		cfg.Log.Format = "text"
	}
	return serve(ctx, a, cfg)
}

// A background is a server as programs read of it.
type background struct {
	Running bool   `json:"running"`
	Started bool   `json:"started,omitempty"` // by this command
	PID     int    `json:"pid,omitempty"`
	URL     string `json:"url,omitempty"`
	Data    string `json:"data"`
	Log     string `json:"log"`
	AtWork  []work `json:"at_work,omitempty"`
}

// work is a session in which something is under way.
type work struct {
	Session clew.SessionID `json:"session_id"`
	Title   string         `json:"title"`
}

func newBackground(s env.StartedServer) background {
	return background{Running: true, Started: s.Started, PID: s.Ack.PID, URL: s.Ack.URL, Data: s.Dir, Log: env.LogFile(s.Dir)}
}

// dataFlag is --data of the commands about the server of a data directory.
func dataFlag(cmd *cobra.Command, data *string) *cobra.Command {
	cmd.Args = cobra.NoArgs
	cmd.Flags().StringVar(data, "data", "", "data directory of the server (CLEW_DATA, default ~/.local/share/clew)")
	return cmd
}

// lookFor finds the server of a data directory.
func lookFor(ctx context.Context, a *env.App, data string) (background, error) {
	at := env.Remote{Data: data, Quiet: true, Running: true}
	socket, dir, err := a.SocketOf(at)
	if err != nil {
		return background{}, err
	}
	b := background{Data: dir, Log: env.LogFile(dir)}
	ack, err := client.FindLocal(ctx, socket)
	if err != nil {
		return b, nil //nolint:nilerr // nobody answers, so none runs
	}
	b.Running, b.PID, b.URL = true, ack.PID, ack.URL
	b.AtWork = atWork(ctx, a, at)
	return b, nil
}

// mostWork is how many sessions are looked through.
const mostWork = 200

// atWork lists what is under way, as far as it can be known.
func atWork(ctx context.Context, a *env.App, at env.Remote) (list []work) {
	c, err := a.Connect(at)
	if err != nil {
		return nil
	}
	page, err := c.API().ListSessions(ctx, "", "", mostWork)
	if err != nil {
		return nil
	}
	for _, s := range page.Sessions {
		if s.Status == clew.StatusExecuting || s.Status == clew.StatusPlanning {
			list = append(list, work{s.ID, s.Title})
		}
	}
	return list
}

func (b background) writeWork(p *env.Page) {
	for _, w := range b.AtWork {
		p.Line("  %s  %s", env.Shorten(w.Session), env.Cut(env.Plain(w.Title), 60))
	}
}

// running is lookFor where there has to be one.
func running(ctx context.Context, a *env.App, data string) (background, error) {
	b, err := lookFor(ctx, a, data)
	if err == nil && !b.Running {
		err = clew.Errorf(clew.ConnectionFailed, "no server runs in %s. Start one: clew serve --detach", b.Data).Advised()
	}
	return b, err
}

// end stops the server, and waits for that.
func (b background) end(ctx context.Context) error {
	if err := env.StopServer(ctx, b.Data, b.PID); err != nil {
		return fmt.Errorf("the server (pid %d) has not stopped: %w. Its log is %s", b.PID, err, b.Log)
	}
	return nil
}

func serveStatus(a *env.App) *cobra.Command {
	var data string
	return dataFlag(&cobra.Command{
		Use:     "status",
		Short:   "Say whether a server runs, and what is at work",
		Long:    "Say whether a server runs in the data directory, where it is reached, and what is at work there.\nThe exit code is 3 if none runs.",
		Example: "clew serve status\nclew serve status --json",
		RunE: func(cmd *cobra.Command, _ []string) error {
			b, err := running(cmd.Context(), a, data)
			if err != nil {
				return err
			}
			return a.Print(b, func(w io.Writer) error {
				p := &env.Page{W: w}
				p.Line("A server runs at %s (pid %d).", b.URL, b.PID)
				p.Line("Data: %s", b.Data)
				if len(b.AtWork) == 0 {
					p.Line("Nothing is at work.")
				} else {
					p.Line("At work: %s", term.Count(len(b.AtWork), "session"))
				}
				b.writeWork(p)
				return p.Err
			})
		},
	}, &data)
}

func serveStop(a *env.App) *cobra.Command {
	var data string
	return dataFlag(&cobra.Command{
		Use:   "stop",
		Short: "Stop the server",
		Long: "Stop the server of the data directory, and wait until it has ended. Work that is under way is\n" +
			"on record: it continues when a server starts again. About a command that was cut off you are\n" +
			"asked first.",
		Example: "clew serve stop",
		RunE: func(cmd *cobra.Command, _ []string) error {
			b, err := running(cmd.Context(), a, data)
			if err != nil {
				return err
			}
			return stopServer(cmd.Context(), a, b)
		},
	}, &data)
}

func stopServer(ctx context.Context, a *env.App, b background) error {
	say := func(format string, args ...any) {
		if !a.JSON {
			_, _ = fmt.Fprintf(a.Err, format+"\n", args...)
		}
	}
	if len(b.AtWork) > 0 {
		say("%s at work; the work continues when a server starts again:", term.Goes(len(b.AtWork), "session", "is", "are"))
		if !a.JSON {
			b.writeWork(&env.Page{W: a.Err})
		}
	}
	if err := b.end(ctx); err != nil {
		return err
	}
	b.Running = false
	return a.Print(b, func(w io.Writer) error {
		_, err := fmt.Fprintf(w, "Stopped the server (pid %d).\n", b.PID)
		return err
	})
}

func serveRestart(a *env.App) *cobra.Command {
	var data string
	return dataFlag(&cobra.Command{
		Use:     "restart",
		Short:   "Stop the server, and start one in the background",
		Long:    "Stop the server of the data directory if one runs, and start one in the background, with this\nprogram and this terminal's environment. Work that is under way continues.",
		Example: "clew serve restart",
		RunE: func(cmd *cobra.Command, _ []string) error {
			b, err := lookFor(cmd.Context(), a, data)
			if err != nil {
				return err
			}
			if b.Running {
				if err := b.end(cmd.Context()); err != nil {
					return err
				}
			}
			return serveDetached(cmd.Context(), a, env.Remote{Data: data}, b.Data, nil, false)
		},
	}, &data)
}

func serveLogs(a *env.App) *cobra.Command {
	var data string
	var lines int
	cmd := dataFlag(&cobra.Command{
		Use:     "logs",
		Short:   "Show the log of the server in the background",
		Long:    "Show the last lines of the log of the server in the background. The file is log/server.log in the data\ndirectory; three older ones are kept beside it.",
		Example: "clew serve logs\nclew serve logs -n 200",
		RunE: func(_ *cobra.Command, _ []string) error {
			_, dir, err := a.SocketOf(env.Remote{Data: data})
			if err != nil {
				return err
			}
			name := env.LogFile(dir)
			list := env.LastLines(name, 0, lines)
			if list == nil {
				return fmt.Errorf("there is no log in %s: no server ran in the background there", name)
			}
			return a.Print(map[string]any{"log": name, "lines": list}, func(w io.Writer) error {
				p := &env.Page{W: w}
				for _, line := range list {
					p.Line("%s", env.Plain(line))
				}
				return p.Err
			})
		},
	}, &data)
	cmd.Flags().IntVarP(&lines, "lines", "n", 50, "how many lines")
	return cmd
}
