package cli

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/client"
	"github.com/clew-run/clew/internal/cli/env"
	"github.com/clew-run/clew/internal/cli/follow"
)

// runFlags are what a person may say about a run.
type runFlags struct {
	text      textFlags
	workspace string
	session   string
	last      bool
	title     string
	worktree  string // who has one: "", session or todos
	mode      string
	model     string
	plan      bool
	queue     bool
	yes       string
	allow     []string
	maxCost   float64
	detach    bool
	wait      bool
	noInput   bool
	giveUp    time.Duration
	stop      bool // on exit
	schema    string
	quiet     bool
	verbose   bool
	environ   []string // of this terminal
}

const giveUpAfter = 2 * time.Minute

// Who can have a work tree.
const (
	worktreeSession = "session"
	worktreeTodos   = "todos"
)

func runCommand(a *env.App) *cobra.Command {
	r := env.Remote{Start: true, Own: true}
	var f runFlags
	cmd := &cobra.Command{
		Use:   "run [TEXT | -]…",
		Short: "Give an agent something to do, and follow it",
		Long: "Give an agent something to do and follow it live, in this directory: its words\n" +
			"as they come, a line for each step, and its questions, which you answer here.\n" +
			"A line that you type while it works is told to the agent. Ctrl-C leaves; the work\n" +
			"continues, and clew attach comes back to it. With --stop-on-exit, which is the\n" +
			"default where CI is set, the work stops too.\n\n" +
			"The text is the arguments; what is piped in is added to it. @path in it gives the\n" +
			"model that file, directory or image of the workspace as well. On a terminal the\n" +
			"progress goes to standard output; elsewhere that gets the final answer alone, and\n" +
			"the progress goes to standard error. Where nobody can be asked, a question ends\n" +
			"the command with exit code 4; the work waits for the answer. clew help exit-codes\n" +
			"lists all codes.",
		Example: "clew run 'find out why the tests fail, and repair it'\n" +
			"git diff | clew run 'review this'\n" +
			"clew run 'explain @main.go'\n" +
			"clew run -c 'now the same for the other package'\n" +
			"clew run --worktree 'try the other parser'\n" +
			"clew run --plan --max-cost 2 'move the storage to the new interface'\n" +
			"clew run --plan --worktree=todos 'translate all pages'\n" +
			"clew run --yes=read,write --allow 'go test *' 'make the tests pass'\n" +
			"answer=$(clew run -q 'what does this project do?')",
		RunE: func(cmd *cobra.Command, args []string) error {
			f.workspace = flagOr(cmd, "workspace", ".")
			placed := cmd.Flags().Changed("workspace")
			f.stopInCI(a, cmd)
			return runTask(cmd.Context(), a, r, f, args, placed)
		},
	}
	cmd.ValidArgsFunction = offerMentions
	r.Flags(cmd)
	f.add(cmd)
	return cmd
}

func (f *runFlags) add(cmd *cobra.Command) {
	fs := cmd.Flags()
	f.text.add(cmd)
	fs.String("workspace", "", "directory to work in (default this one; '' is one of its own)")
	fs.BoolVarP(&f.last, "continue", "c", false, "continue the session of this directory that was used last")
	fs.StringVar(&f.session, "session", "", "continue this session instead of a new one")
	fs.StringVar(&f.title, "title", "", "title of the new session (default the beginning of the text)")
	fs.StringVar(&f.worktree, "worktree", "", "work in a git work tree and on a branch of its own; clew merge merges it back. --worktree=todos: each todo of a plan in one, merged when it is done")
	fs.Lookup("worktree").NoOptDefVal = worktreeSession
	fs.StringVar(&f.mode, "mode", "", "mode to work in: code, architect, ask, debug, orchestrator, web, compute, app, desktop or one of yours")
	fs.StringVar(&f.model, "model", "", "model for this session: a profile, PROVIDER/MODEL, a model's name, or echo (default the one that clew model shows)")
	fs.BoolVar(&f.plan, "plan", false, "make a plan first, have it reviewed, then carry it out")
	fs.BoolVar(&f.queue, "queue", false, "with --session: wait for the end of what is under way instead of steering it")
	fs.StringVar(&f.yes, "yes", "", "approve everything that is asked for; or only kinds: --yes=read,write,execute,fetch,mcp")
	fs.Lookup("yes").NoOptDefVal = yesAll
	fs.StringArrayVar(&f.allow, "allow", nil, "a command that need not be asked about, such as 'go test *'; may be repeated")
	fs.Float64Var(&f.maxCost, "max-cost", 0, "what it may cost at most, in USD; the server sees to it")
	fs.BoolVar(&f.detach, "detach", false, "start it and return at once")
	fs.BoolVar(&f.wait, "wait", false, "where nobody can be asked: wait until somebody answers elsewhere")
	fs.BoolVar(&f.noInput, "no-input", false, "ask nothing here")
	fs.DurationVar(&f.giveUp, "give-up", giveUpAfter, "how long the server may be gone")
	fs.StringVar(&f.schema, "output-schema", "", "file with a JSON Schema that the final answer must fit")
	fs.BoolVar(&f.stop, "stop-on-exit", false, "interrupt the work if a signal or a broken pipe ends this command (default true if CI is set)")
	fs.BoolVarP(&f.quiet, "quiet", "q", false, "print the final answer and nothing else")
	fs.BoolVarP(&f.verbose, "verbose", "v", false, "show what tools print and change, and what the model thinks")
}

// stopInCI is the default of --stop-on-exit where scripts run that nobody watches: work
// that goes on after its job would cost money for nobody.
func (f *runFlags) stopInCI(a *env.App, cmd *cobra.Command) {
	ci := a.Getenv("CI")
	if cmd.Flags().Changed("stop-on-exit") || ci == "" || ci == "false" || ci == "0" || f.detach {
		return
	}
	f.stop = true
	if !a.JSON && !f.quiet {
		_, _ = fmt.Fprintln(a.Err, "CI is set: if this command is ended, the work stops too. --stop-on-exit=false lets it continue.")
	}
}

// yesAll is --yes without kinds.
const yesAll = "all"

// flagOr gives a flag's value, or another if it was not given.
func flagOr(cmd *cobra.Command, name, other string) string {
	if f := cmd.Flags().Lookup(name); f != nil && f.Changed {
		return f.Value.String()
	}
	return other
}

func (f *runFlags) check() error {
	switch {
	case f.plan && f.mode != "" && f.mode != string(clew.ModeRun):
		return env.Usagef("--plan and --mode exclude each other: a plan's steps choose their own modes")
	case f.session != "" && f.title != "":
		return env.Usagef("--title is for a new session; clew run --session continues one that has a title")
	case f.worktree != "" && f.worktree != worktreeSession && f.worktree != worktreeTodos:
		return env.Usagef("--worktree is for the session, or with --worktree=todos for each todo of a plan")
	case f.session != "" && f.worktree == worktreeSession:
		return env.Usagef("--worktree is for a new session; clew run --session continues where that one works")
	case f.session == "" && f.queue:
		return env.Usagef("--queue is for --session: in a new session nothing is under way")
	case f.maxCost < 0:
		return env.Usagef("--max-cost %v is less than nothing", f.maxCost)
	case f.detach && f.yes == yesAll:
		return env.Usagef("--yes answers from here, and --detach leaves: name kinds, such as --yes=read,write, which the server keeps to")
	case f.schema != "" && (f.plan || f.detach || f.mode == string(clew.ModeRun)):
		return env.Usagef("--output-schema is for an answer that is waited for, and not for a plan")
	case f.detach && f.stop:
		return env.Usagef("--detach leaves at once, and --stop-on-exit would stop the work then")
	case f.detach && f.quiet:
		return env.Usagef("--detach does not wait for the answer that --quiet prints")
	}
	return nil
}

// runTask starts the work and follows it.
func runTask(ctx context.Context, a *env.App, r env.Remote, f runFlags, args []string, placed bool) error {
	if f.last && f.session != "" {
		return env.Usagef("--continue and --session exclude each other: both name the session to continue")
	}
	if f.last {
		f.session = env.LastUsed
	}
	if f.session != "" && placed {
		return env.Usagef("--workspace is for a new session; an existing one continues where it works")
	}
	if err := f.check(); err != nil {
		return err
	}
	if f.yes == yesAll && len(args) > 0 && follow.AllKinds(args[0]) {
		return env.Usagef("--yes %s would approve everything: write --yes=%s", args[0], args[0])
	}
	schema, err := readSchema(f.schema)
	if err != nil {
		return err
	}
	data, err := said(a, f, args)
	if err != nil {
		return err
	}
	allowed, err := f.allowance()
	if err != nil {
		return err
	}
	r.Own = r.Own && !f.detach // the work goes on without this command
	c, err := f.server(ctx, a, r)
	if err != nil {
		return err
	}
	if err := checkMode(ctx, c, f.mode); err != nil {
		return err
	}
	f.environ = a.Environ
	model, err := f.modelSettings(ctx, a, r, c)
	if err != nil {
		return err
	}
	if err := firstUse(ctx, a, c, f, placed); err != nil {
		return explained(c, err)
	}
	id, err := openFor(ctx, c, f, data.Text, placed, allowed, model)
	if err != nil {
		return explained(c, err)
	}
	if err := follow.Expand(ctx, c, id, &data); err != nil {
		if f.session == "" {
			discard(ctx, c, id)
		}
		return explained(c, err)
	}
	if f.detach {
		return startDetached(ctx, a, c, id, data)
	}
	if !a.JSON && !f.quiet {
		follow.NewScreen(a, follow.StoryWriter(a, false)).Line(follow.Faint, "%s", id)
	}
	if f.last && !a.JSON && !f.quiet {
		if line := otherTerminal(ctx, a, c, id); line != "" {
			_, _ = fmt.Fprintln(a.Err, "! "+line)
		}
	}
	if f.yes == yesAll && !a.JSON {
		_, _ = fmt.Fprintln(a.Err, "! --yes: everything that is asked for is approved without a person.")
	}
	if schema != nil {
		data.Text += schema.wanted()
	}
	done, err := followValid(ctx, a, c, follow.Options{
		Session: id, Say: &data, Fresh: f.session == "", UntilDone: true, Ask: !f.noInput, Wait: f.wait, GiveUp: f.giveUp,
		StopOnExit: f.stop, Yes: f.yes == yesAll, Quiet: f.quiet, Verbose: f.verbose,
	}, schema)
	if err != nil {
		if f.session == "" && refusedAtOnce(err) {
			discard(ctx, c, id)
		}
		return explained(c, err)
	}
	return finishRun(a, c, done, f.quiet)
}

// said is the message as the flags say it.
func said(a *env.App, f runFlags, args []string) (clew.UserMessageData, error) {
	text, err := readText(a, f.text, args)
	if err != nil {
		return clew.UserMessageData{}, err
	}
	d := clew.UserMessageData{Text: text, Mode: clew.MessageMode(f.mode)}
	if d.Images, err = readImages(f.text.images); err != nil {
		return d, err
	}
	if text == "" && len(d.Images) == 0 {
		return d, env.Usagef("tell the agent what to do: clew run 'repair the tests'")
	}
	if f.plan {
		d.Mode = clew.ModeRun
	}
	if d.Mode == clew.ModeRun && f.maxCost > 0 {
		d.Budget = &clew.Budget{USD: f.maxCost}
	}
	if f.queue {
		d.Delivery = clew.ArrivalQueue
	}
	return d, nil
}

// allowance is what the flags let be done unasked.
func (f runFlags) allowance() (follow.Allowance, error) {
	var kinds []string
	if f.yes != "" && f.yes != yesAll {
		kinds = strings.Split(f.yes, ",")
	}
	return follow.NewAllowance(kinds, f.allow)
}

// modelSettings are those for the model that was asked for. A session that is there, or
// a mode of one's own, may have a model where the server has none.
func (f runFlags) modelSettings(ctx context.Context, a *env.App, r env.Remote, c *env.Rest) (map[string]any, error) {
	if f.ownModel() {
		return map[string]any{}, nil
	}
	return modelFor(ctx, a, r, c, f.model)
}

// ownModel reports whether the work may have a model that the server's settings do not
// name.
func (f runFlags) ownModel() bool {
	ownMode := f.mode != "" && f.mode != string(clew.ModeRun) && f.mode != string(clew.ModeChat) && !slices.Contains(env.BuiltInModes(), f.mode)
	return f.model == "" && (f.session != "" || ownMode)
}

// server finds the server. None is started for work that no model could do.
func (f runFlags) server(ctx context.Context, a *env.App, r env.Remote) (*env.Rest, error) {
	if f.model != "" || f.ownModel() {
		return a.Connect(r)
	}
	return serverWithModel(ctx, a, r)
}

// openFor makes the session, or finds it, and sets what was asked for.
func openFor(ctx context.Context, c *env.Rest, f runFlags, text string, placed bool, allowed follow.Allowance, model map[string]any) (clew.SessionID, error) {
	id, err := sessionFor(ctx, c, f, text, placed)
	if err != nil {
		return "", err
	}
	set := map[string]any{}
	if !allowed.Empty() {
		now, err := approvals(ctx, c, id)
		if err != nil {
			return "", err
		}
		set = allowed.Settings(now)
	}
	maps.Copy(set, model)
	if f.maxCost > 0 && !f.plan {
		set["budget_usd"] = f.maxCost
	}
	if f.worktree == worktreeTodos {
		set["worktree"] = worktreeTodos
	}
	if len(set) == 0 {
		return id, nil
	}
	_, err = c.API().Command(ctx, id, "", clew.CommandUpdateSettings, clew.UpdateSettingsData{Settings: set})
	if err != nil && f.session == "" {
		discard(ctx, c, id)
	}
	return id, err
}

// sessionFor is the session that the flags name, or a new one.
func sessionFor(ctx context.Context, c *env.Rest, f runFlags, text string, placed bool) (clew.SessionID, error) {
	if f.session != "" {
		s, err := c.Session(ctx, f.session)
		return s.ID, err
	}
	dir, err := place(c, f.workspace, placed)
	if err != nil {
		return "", err
	}
	title := env.FirstOf(f.title, titleFrom(text))
	n := client.NewSession{Title: title, Workspace: dir, Environment: c.Terminal(f.environ)}
	if f.worktree == worktreeSession {
		own := true
		n.Worktree = &own
	}
	id, err := c.PatientAPI().CreateSession(ctx, n)
	if err != nil {
		return "", misplaced(err, dir, placed)
	}
	return id, nil
}

// detached starts the work and says how to come back.
func startDetached(ctx context.Context, a *env.App, c *env.Rest, id clew.SessionID, data clew.UserMessageData) error {
	if err := mayAnswer(ctx, a, c, id, &data); err != nil {
		return explained(c, err)
	}
	got, err := c.API().Command(ctx, id, "", clew.CommandUserMessage, data)
	if err != nil {
		return explained(c, err)
	}
	return a.Print(map[string]any{"session_id": id, "records": got.Records}, func(w io.Writer) error {
		_, _ = fmt.Fprintf(a.Err, "It is under way. Follow it with\n  %s\n", c.Line("attach", string(id)))
		_, err := fmt.Fprintln(w, id)
		return err
	})
}
