package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/client"
	"github.com/clew-run/clew/internal/cli/env"
	"github.com/clew-run/clew/internal/cli/follow"
	"github.com/clew-run/clew/internal/term"
	"github.com/clew-run/clew/wire"
)

func demoCommand(a *env.App) *cobra.Command {
	var listen, data, socket string
	var fast, closed, part bool
	cmd := &cobra.Command{
		Use:   "demo [STORY]",
		Short: "Play a story with a scripted agent: no key, no network",
		Long: "Run a server whose model is a script, and watch agents work. There are two stories:\n\n" +
			"  till      An agent repairs a small project: it reads, searches, edits, runs\n" +
			"            commands that you approve, asks, and hands out a subtask. It takes\n" +
			"            about five minutes and waits for your answers. This one is played\n" +
			"            if you name none. A second session, notebook, waits beside it: an\n" +
			"            agent plots data in a Jupyter notebook, if there is a Python with\n" +
			"            ipykernel.\n" +
			"  desktop   Several agents work at once: on two monitors, in a window with a\n" +
			"            form, and in the background. Then the server is killed, and the\n" +
			"            session rewound. It plays by itself in about two minutes.\n\n" +
			"You see it in the browser that opens, or by the command line. Without --data everything\n" +
			"is kept in a temporary directory and removed at the end.",
		Example:   "clew demo\nclew demo desktop\nclew demo --data ./demo    # stop it and start it again: it continues",
		Args:      cobra.MatchAll(cobra.MaximumNArgs(1), cobra.OnlyValidArgs),
		ValidArgs: []string{"till", desktopStory},
		RunE: func(cmd *cobra.Command, args []string) error {
			cfg, err := demoConfig(a)
			if err != nil {
				return err
			}
			cfg.Data, cfg.Socket, cfg.Log.Level = data, env.FirstOf(socket, a.Getenv(env.EnvPrefix+"SOCKET")), "error"
			if a.JSON { // else it would stand between what a newcomer is told
				cfg.Log.Level = "warn"
			}
			if listen != "" {
				cfg.Listen = listen
			}
			opts := env.DemoOptions{Story: env.Argument(args, 0), Fast: fast, AnyPort: listen == ""}
			switch {
			case part:
				return demoPart(cmd.Context(), a, cfg, opts)
			case opts.Story == desktopStory:
				return demoDesktop(cmd.Context(), a, cfg, opts, !closed)
			}
			return demo(cmd.Context(), a, cfg, opts, !closed)
		},
	}
	cmd.Flags().StringVar(&listen, "listen", "", "address to listen on (default 127.0.0.1:8000, or another port if it is taken)")
	cmd.Flags().StringVar(&data, "data", "", "directory to keep the demo in, new or of an earlier demo (default a temporary one)")
	cmd.Flags().StringVar(&socket, "socket", "", "path of the local socket, or off (CLEW_SOCKET, default clew.sock in the directory)")
	cmd.Flags().BoolVar(&fast, "fast", false, "without the pauses of a model that thinks")
	cmd.Flags().BoolVar(&closed, "no-open", false, "do not open the browser")
	cmd.Flags().BoolVar(&part, demoPartFlag, false, "this is the server of a story whose model runs elsewhere")
	_ = cmd.Flags().MarkHidden(demoPartFlag) // there is such a flag
	return cmd
}

// demoConfig is what serve would read, but for the limits alone: the demo keeps to
// itself, and nothing of it goes where a person's own server keeps things.
func demoConfig(a *env.App) (env.Config, error) {
	cfg := env.DefaultConfig()
	own, err := a.LoadConfig("", nil)
	if err == nil {
		env.TakeLimits(&cfg, own)
	}
	return cfg, err
}

func demoLog(a *env.App, cfg env.Config) (*slog.Logger, error) {
	format := "short"
	if a.JSON {
		format = "json"
	}
	return newLogger(a.Err, cfg.Log.Level, format)
}

// demo runs the demo until ctx ends or a signal comes.
func demo(ctx context.Context, a *env.App, cfg env.Config, opts env.DemoOptions, open bool) error {
	log, err := demoLog(a, cfg)
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	defer context.AfterFunc(ctx, stop)()
	var telling sync.WaitGroup
	defer telling.Wait()
	opts.Ready = func(ctx context.Context, d env.DemoInfo) {
		if a.JSON {
			_ = json.NewEncoder(a.Err).Encode(d)
		} else {
			_, _ = io.WriteString(a.Err, welcome(d)+withoutGit())
		}
		if open && d.Page != "" {
			showOwn(a, d.Page, demoLine(d, "open", string(d.Session), "--no-open"))
		}
		if a.JSON {
			return
		}
		telling.Go(func() { tell(ctx, a, d) })
	}
	return a.Server.Demo(ctx, cfg, opts, a.Out, log)
}

// welcome says what a newcomer can do now. The token is not in it: terminals are
// logged and shared.
func welcome(d env.DemoInfo) string {
	end := "Ctrl-C. This removes the directory; use --data DIR to keep it."
	if d.Kept {
		end = "Ctrl-C. Start it again with the same --data, and it continues."
	}
	return fmt.Sprintf(`
A scripted agent fixes a small shop's till. It needs no key and no network,
and waits for your answers. This terminal says when it asks. In another one:

  Look   %s
  Join   %s
           in a terminal: watch, answer, send a message
  Ask    %s
           lists its open questions, with the command that answers each
  Read   %s
  Back   %s
           lists your messages and answers; add one of them to rewind to before
           it, files included, after a preview
  See    %s
  Data   %s
           a second session: an agent plots data in a notebook, with a real
           kernel. Send the message that is written there
  Stop   %s

`, demoLine(d, "open", string(d.Session)), demoLine(d, "attach", string(d.Session)), demoLine(d, "inbox"), showLine(d), demoLine(d, "rewind", string(d.Session)), d.Workspace, demoLine(d, "open", "notebook"), end)
}

// withoutGit says what does not work on a machine without git.
func withoutGit() string {
	if _, err := exec.LookPath("git"); err == nil {
		return ""
	}
	return told("git is not installed, so a rewind restores the conversation but not the files. Install git to see both.")
}

func showLine(d env.DemoInfo) string { return demoLine(d, "show", string(d.Session)) }

// demoLine is a command line that reaches the demo. Where its local socket is, the
// directory alone says all.
func demoLine(d env.DemoInfo, words ...string) string {
	r := env.Remote{Server: d.URL, Data: d.Data}
	if _, err := os.Lstat(filepath.Join(d.Data, client.LocalSocket)); err == nil && os.Getenv(env.EnvPrefix+"SERVER") == "" {
		r.Server = ""
	}
	return r.Line(words...)
}

// tell follows the story and says what it asks and how it ends. It is a client
// like any other; if it fails, the demo goes on without it.
func tell(ctx context.Context, a *env.App, d env.DemoInfo) {
	token, err := os.ReadFile(d.TokenFile)
	if err != nil {
		return
	}
	c, err := client.Dial(ctx, client.Options{URL: d.URL, Session: d.Session, Token: strings.TrimSpace(string(token)), View: clew.ViewState})
	if err != nil {
		return
	}
	defer c.Close()
	n := newNarrator(d)
	for frame, err := range c.Follow(ctx) {
		if err != nil {
			return
		}
		if text := n.hear(frame); text != "" {
			_, _ = io.WriteString(a.Err, text)
		}
	}
}

// A demoPrinter puts into words what a newcomer should know of.
type demoPrinter struct {
	d     env.DemoInfo
	state client.Replica
	told  map[clew.RequestID]bool
	ends  map[clew.MessageID]bool // results that are told
	move  clew.MessageID
}

func newNarrator(d env.DemoInfo) *demoPrinter {
	return &demoPrinter{d: d, told: map[clew.RequestID]bool{}, ends: map[clew.MessageID]bool{}}
}

// hear gives the words for an envelope, "" for most.
func (n *demoPrinter) hear(frame wire.Envelope) string {
	first := !n.state.Known()
	ev, err := n.state.Take(frame)
	d, changed := ev.Data.(*clew.StateChangedData)
	if err != nil || !changed {
		return ""
	}
	text := n.moved(first)
	if len(n.state.Questions) > 0 {
		if q := n.state.Questions[0]; !n.told[q.RequestID()] {
			n.told[q.RequestID()] = true
			text += n.question(q)
		}
	}
	for i := range d.Put.Message {
		text += n.ended(&d.Put.Message[i], first)
	}
	if first && len(n.ends) > 0 && len(n.state.Questions) == 0 && n.state.Status.Status == clew.StatusIdle {
		text += told("The story is finished:") + "   " + showLine(n.d) + "\n"
	}
	return text
}

// moved tells that the session went elsewhere. What is open there is told again.
func (n *demoPrinter) moved(first bool) string {
	to := n.state.Status.LastMove
	if to == nil || to.MessageID == n.move {
		return ""
	}
	n.move = to.MessageID
	switch {
	case first || to.Failed != "" || to.Kind == clew.KindFiles:
		return ""
	case to.Kind == clew.KindUndo:
		clear(n.told)
		return told("The rewind was undone.")
	}
	clear(n.told)
	return told("Rewound, %s removed. Send a message or answer the open question. To undo the rewind:", term.Count(to.Removed, "message")) +
		"   " + demoLine(n.d, "undo", string(n.d.Session)) + "\n"
}

// ended tells the result of the work, unless it was there when we came.
func (n *demoPrinter) ended(m *clew.Message, first bool) string {
	result := m.Say == clew.SayCompletionResult && m.Role == clew.SpeakerAssistant && m.AgentKind == clew.AgentMain && !m.Partial
	if !result || n.ends[m.MessageID] {
		return ""
	}
	n.ends[m.MessageID] = true
	if first {
		return ""
	}
	return told("Done: %s", paragraph(m.Text)) + "   To read all of it:\n   " + showLine(n.d) + "\n"
}

func (n *demoPrinter) question(q clew.Question) string {
	switch d := q.Data.(type) {
	case *clew.HitlApprovalRequestData:
		about := d.Reason
		if d.Effect != nil && d.Effect.Command != "" {
			about = "Run `" + d.Effect.Command + "`?"
		} else if d.Effect != nil && d.Effect.Summary != "" {
			about = d.Effect.Summary + "?"
		}
		return told("The agent asks: %s", env.Plain(about)) + "   Answer yes or no:\n   " + demoLine(n.d, follow.AnswerWords(q)...) + "\n"
	case *clew.HitlInputRequestData:
		text := told("The agent asks: %s", env.Plain(d.Question))
		for i, o := range d.Options {
			text += setIn(fmt.Sprintf("   %d. ", i+1), env.Plain(o.Label), env.HelpWidth)
		}
		return text + "   Answer with a number, or in your own words:\n   " + demoLine(n.d, follow.AnswerWords(q)...) + "\n"
	}
	return ""
}

// told is something that the narrator says, for a terminal of 80 columns.
func told(format string, args ...any) string {
	return setIn("-- ", fmt.Sprintf(format, args...), env.HelpWidth)
}

// setIn breaks a text into lines of at most width columns and sets those after the
// first one in as far.
func setIn(first, text string, width int) string {
	lines := term.Wrap(text, max(20, width-len(first)))
	return first + strings.Join(lines, "\n"+strings.Repeat(" ", len(first))) + "\n"
}

// paragraph is the first one of a text, as one line.
func paragraph(s string) string {
	first, _, _ := strings.Cut(s, "\n\n")
	return env.Plain(first)
}
