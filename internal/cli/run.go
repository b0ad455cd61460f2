package cli

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/client"
)

// runFlags are what a person may say about a run.
type runFlags struct {
	text      textFlags
	workspace string
	session   string
	title     string
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
	quiet     bool
	verbose   bool
}

const giveUpAfter = 2 * time.Minute

func (a *app) runCommand() *cobra.Command {
	var r remote
	var f runFlags
	cmd := &cobra.Command{
		Use:   "run [TEXT | -]…",
		Short: "Give an agent something to do, and follow it",
		Long: "Give an agent something to do and follow it live, in this directory: its words\n" +
			"as they come, a line for each step, and its questions, which you answer here.\n" +
			"A line that you type while it works is told to the agent. Ctrl-C leaves; the work\n" +
			"goes on, and clew attach comes back to it.\n\n" +
			"The text is what stands on the line, and - for standard input. On a terminal the\n" +
			"story goes to standard output; elsewhere that gets the final answer alone, and\n" +
			"the story goes to standard error. Where nobody can be asked, a question ends the\n" +
			"command with exit code 4; the work waits for the answer. clew help exit-codes\n" +
			"lists all codes.",
		Example: "clew run 'find out why the tests fail, and repair it'\n" +
			"git diff | clew run 'review this' -\n" +
			"clew run --session sess_1 'now the same for the other package'\n" +
			"clew run --plan --max-cost 2 'move the storage to the new interface'\n" +
			"clew run --yes=read,write --allow 'go test *' 'make the tests pass'\n" +
			"answer=$(clew run -q 'what does this project do?')",
		RunE: func(cmd *cobra.Command, args []string) error {
			f.workspace = flagOr(cmd, "workspace", ".")
			placed := cmd.Flags().Changed("workspace")
			if f.session != "" && placed {
				return usagef("--workspace is for a new session; clew run --session goes on where that one works")
			}
			return a.runTask(cmd.Context(), r, f, args, placed)
		},
	}
	r.flags(cmd)
	f.add(cmd)
	return cmd
}

func (f *runFlags) add(cmd *cobra.Command) {
	fs := cmd.Flags()
	f.text.add(cmd)
	fs.String("workspace", "", "directory to work in (default this one; '' is one of its own)")
	fs.StringVar(&f.session, "session", "", "go on in this session instead of a new one")
	fs.StringVar(&f.title, "title", "", "title of the new session (default the beginning of the text)")
	fs.StringVar(&f.mode, "mode", "", "mode to work in: code, architect, ask, debug, orchestrator or one of yours")
	fs.StringVar(&f.model, "model", "", "model to use in this session")
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
	fs.BoolVarP(&f.quiet, "quiet", "q", false, "print the final answer and nothing else")
	fs.BoolVarP(&f.verbose, "verbose", "v", false, "show what tools print and change, and what the model thinks")
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
		return usagef("--plan and --mode exclude each other: a plan's steps choose their own modes")
	case f.session != "" && f.title != "":
		return usagef("--title is for a new session; clew run --session goes on in one that has a title")
	case f.session == "" && f.queue:
		return usagef("--queue is for --session: in a new session nothing is under way")
	case f.maxCost < 0:
		return usagef("--max-cost %v is less than nothing", f.maxCost)
	case f.detach && f.yes == yesAll:
		return usagef("--yes answers from here, and --detach leaves: name kinds, such as --yes=read,write, which the server keeps to")
	case f.detach && f.quiet:
		return usagef("--detach does not wait for the answer that --quiet prints")
	}
	return nil
}

// runTask starts the work and follows it.
func (a *app) runTask(ctx context.Context, r remote, f runFlags, args []string, placed bool) error {
	if err := f.check(); err != nil {
		return err
	}
	if f.yes == yesAll && len(args) > 0 && allKinds(args[0]) {
		return usagef("--yes %s would approve everything: write --yes=%s", args[0], args[0])
	}
	data, err := a.said(f, args)
	if err != nil {
		return err
	}
	allowed, err := f.allowance()
	if err != nil {
		return err
	}
	c, err := a.connect(r)
	if err != nil {
		return err
	}
	if err := c.checkMode(ctx, f.mode); err != nil {
		return err
	}
	id, err := c.openFor(ctx, f, data.Text, placed, allowed)
	if err != nil {
		return c.explained(err)
	}
	if f.detach {
		return a.detached(ctx, c, id, data)
	}
	if !a.json && !f.quiet {
		a.newScreen(a.storyWriter(false)).line(faint, "%s", id)
	}
	if f.yes == yesAll && !a.json {
		_, _ = fmt.Fprintln(a.Err, "! --yes: everything that is asked for is approved without a person.")
	}
	done, err := a.follow(ctx, c, followOptions{
		session: id, say: &data, fresh: f.session == "", untilDone: true, ask: !f.noInput, wait: f.wait, giveUp: f.giveUp,
		yes: f.yes == yesAll, quiet: f.quiet, verbose: f.verbose,
	})
	if err != nil {
		if f.session == "" && refusedAtOnce(err) {
			c.discard(ctx, id)
		}
		return c.explained(err)
	}
	return a.finishRun(c, done, f.quiet)
}

// said is the message as the flags say it.
func (a *app) said(f runFlags, args []string) (clew.UserMessageData, error) {
	text, err := a.readText(f.text, args)
	if err != nil {
		return clew.UserMessageData{}, err
	}
	d := clew.UserMessageData{Text: text, Mode: clew.MessageMode(f.mode)}
	if d.Images, err = readImages(f.text.images); err != nil {
		return d, err
	}
	if text == "" && len(d.Images) == 0 {
		return d, usagef("say what there is to do: clew run 'repair the tests'")
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
func (f runFlags) allowance() (allowance, error) {
	var kinds []string
	if f.yes != "" && f.yes != yesAll {
		kinds = strings.Split(f.yes, ",")
	}
	return newAllowance(kinds, f.allow)
}

// openFor makes the session, or finds it, and sets what was asked for.
func (c *rest) openFor(ctx context.Context, f runFlags, text string, placed bool, allowed allowance) (clew.SessionID, error) {
	id, err := c.sessionFor(ctx, f, text, placed)
	if err != nil {
		return "", err
	}
	set := map[string]any{}
	if !allowed.empty() {
		now, err := c.approvals(ctx, id)
		if err != nil {
			return "", err
		}
		set = allowed.settings(now)
	}
	if f.model != "" {
		set["model"] = f.model
	}
	if f.maxCost > 0 && !f.plan {
		set["budget_usd"] = f.maxCost
	}
	if len(set) == 0 {
		return id, nil
	}
	_, err = c.api().Command(ctx, id, "", clew.CommandUpdateSettings, clew.UpdateSettingsData{Settings: set})
	if err != nil && f.session == "" {
		c.discard(ctx, id)
	}
	return id, err
}

// sessionFor is the session that the flags name, or a new one.
func (c *rest) sessionFor(ctx context.Context, f runFlags, text string, placed bool) (clew.SessionID, error) {
	if f.session != "" {
		s, err := c.session(ctx, f.session)
		return s.ID, err
	}
	dir, err := c.place(f.workspace, placed)
	if err != nil {
		return "", err
	}
	title := firstOf(f.title, titleFrom(text))
	id, err := c.api().CreateSession(ctx, client.NewSession{Title: title, Workspace: dir})
	if err != nil {
		return "", misplaced(err, dir, placed)
	}
	return id, nil
}

// detached starts the work and says how to come back.
func (a *app) detached(ctx context.Context, c *rest, id clew.SessionID, data clew.UserMessageData) error {
	if err := a.mayAnswer(ctx, c, id, &data); err != nil {
		return c.explained(err)
	}
	got, err := c.api().Command(ctx, id, "", clew.CommandUserMessage, data)
	if err != nil {
		return c.explained(err)
	}
	return a.print(map[string]any{"session_id": id, "records": got.Records}, func(w io.Writer) error {
		_, _ = fmt.Fprintf(a.Err, "It is under way. Follow it with\n  %s\n", c.line("attach", string(id)))
		_, err := fmt.Fprintln(w, id)
		return err
	})
}
