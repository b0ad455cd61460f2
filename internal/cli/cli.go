package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/clew-run/clew"
)

// A usageError is the caller's mistake.
type usageError struct{ err error }

func (e *usageError) Error() string { return e.err.Error() }
func (e *usageError) Unwrap() error { return e.err }

func usagef(format string, args ...any) error {
	return &usageError{fmt.Errorf(format, args...)}
}

// errReported ends a command with exitFailure whose output said why already.
var errReported = errors.New("reported")

// IO is where a command reads, writes, and finds its environment.
type IO struct {
	In       io.Reader
	Out, Err io.Writer
	Environ  []string // as os.Environ gives it
}

// An app is one run of the program.
type app struct {
	IO
	server backend
	json   bool   // --json
	color  string // --color
	// browse opens an address in a browser; nil is the system's way.
	browse func(address string) error
}

// Main runs the program with these arguments (without its name) and returns
// its exit code. It returns when the command ends; a cancelled ctx ends it.
func Main(ctx context.Context, args []string, streams IO) int {
	nameVersion(buildInfo().Version)
	return (&app{IO: streams, server: realServer}).main(ctx, args)
}

func (a *app) main(ctx context.Context, args []string) int {
	root := a.rootCommand()
	root.SetArgs(withoutDashes(args))
	root.SetIn(a.In)
	root.SetOut(a.Out)
	root.SetErr(a.Err)
	err := root.ExecuteContext(ctx)
	if err != nil {
		a.printError(a.Err, err)
	}
	return exitCode(err)
}

// colours are what --color takes.
var colours = []string{"auto", "always", "never"}

func (a *app) rootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:   "clew",
		Short: "A session server for AI agents",
		Long: "clew keeps the work of AI agents in durable sessions that people watch live,\n" +
			"steer and resume, from any device.",
		Example: "clew demo                        # an agent at work: no key, no network\n" +
			"clew serve &                     # a server of your own\n" +
			"clew run 'what is in here?'      # something to do, in this directory\n" +
			"clew open                        # in the browser, signed in\n" +
			"clew doctor                      # what is missing, and what to do about it",
		Args: known,
		RunE: a.start,
		PersistentPreRunE: func(*cobra.Command, []string) error {
			if !slices.Contains(colours, a.color) {
				return usagef("--color %q is none of %s", a.color, strings.Join(colours, ", "))
			}
			return nil
		},
		Version:       buildInfo().Version,
		SilenceErrors: true, // printError has the last word
		SilenceUsage:  true,
	}
	root.PersistentFlags().BoolVar(&a.json, "json", false, "print JSON for programs instead of text for people")
	root.PersistentFlags().StringVar(&a.color, "color", "auto", "colours: auto, always or never")
	root.SetFlagErrorFunc(wrongFlag)
	root.AddCommand(a.demoCommand(), a.serveCommand(), a.openCommand(), a.exitCodesTopic(), a.doctorCommand(), a.lsCommand(), a.showCommand(),
		a.rewindCommand(), a.undoCommand(), a.redoCommand(), a.forkCommand(), a.checkpointCommand(),
		a.exportCommand(), a.importCommand(), a.settingsCommand(), a.secretCommand(), a.tokenCommand(), a.versionCommand())
	root.AddCommand(a.runCommand(), a.attachCommand(), a.inboxCommand(), a.answerCommand(), a.stopCommand(), a.resumeCommand())
	root.AddCommand(a.completionCommand(), a.manCommand())
	root.CompletionOptions.DisableDefaultCmd = true
	finish(root)
	group(root)
	a.offer(root)
	a.helpFor(root)
	return root
}

// finish does what all commands have in common: a wrong number of arguments is
// the caller's mistake, and examples are set in like the rest of the help.
func finish(cmd *cobra.Command) {
	if check := cmd.Args; check != nil {
		cmd.Args = func(cmd *cobra.Command, args []string) error {
			if err := check(cmd, args); err != nil {
				return &usageError{wrongArguments(cmd, err)}
			}
			return nil
		}
	}
	cmd.Long = reflow(cmd.Long, helpWidth)
	if cmd.Example != "" {
		cmd.Example = "  " + strings.ReplaceAll(cmd.Example, "\n", "\n  ")
	}
	for _, sub := range cmd.Commands() {
		finish(sub)
	}
}

// wrongArguments says what a command takes instead of how many things.
func wrongArguments(cmd *cobra.Command, err error) error {
	_, takes, some := strings.Cut(cmd.Use, " ")
	if !some || !strings.Contains(err.Error(), " arg(s)") { // it says something better
		return err
	}
	text := "this is how it goes: " + cmd.CommandPath() + " " + takes
	if strings.Contains(takes, "SESSION") {
		text += "; clew ls lists the sessions"
	}
	return errors.New(text)
}

// printError writes one line, so that scripts and people read the same, and below
// it what to do next.
func (a *app) printError(w io.Writer, err error) {
	switch {
	case errors.Is(err, errReported):
	case a.json:
		_ = json.NewEncoder(w).Encode(map[string]any{"error": errorBody(err)})
	case exitCode(err) == exitUsage:
		_, _ = fmt.Fprintf(w, "clew: %s (--help says more)\n", errorText(err))
		if many := (*ambiguousError)(nil); errors.As(err, &many) {
			many.write(w)
		}
	default:
		_, _ = fmt.Fprintf(w, "clew: %s\n", errorText(err))
		if do := advice(err); do != "" {
			_, _ = fmt.Fprintf(w, "  %s\n", do)
		}
	}
}

// errorText says what went wrong; the code of a wire error is for programs.
func errorText(err error) string {
	var e *clew.Error
	switch {
	case !errors.As(err, &e):
		return err.Error()
	case e.Err != nil:
		cause := e.Err
		if u := (*url.Error)(nil); errors.As(cause, &u) {
			cause = u.Err // the address is known, and its path helps nobody
		}
		return e.Message + ": " + cause.Error()
	}
	return e.Message
}

func errorBody(err error) map[string]string {
	var e *clew.Error
	var usage *usageError
	switch {
	case errors.As(err, &e):
		body := map[string]string{"code": string(e.Code), "message": e.Message}
		if do := advice(err); do != "" {
			body["hint"] = do
		}
		return body
	case errors.As(err, &usage):
		body := map[string]string{"code": "USAGE", "message": err.Error()}
		if many := (*ambiguousError)(nil); errors.As(err, &many) {
			body["hint"] = many.ids()
		}
		return body
	default:
		return map[string]string{"code": string(clew.Internal), "message": err.Error()}
	}
}

// print writes v as JSON with --json, else calls text.
func (a *app) print(v any, text func(w io.Writer) error) error {
	if !a.json {
		return text(a.Out)
	}
	enc := json.NewEncoder(a.Out)
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}

// getenv looks a variable up in the program's environment.
func (a *app) getenv(name string) string {
	value := ""
	for _, kv := range a.Environ { // the last one counts, as in os/exec
		if v, ok := strings.CutPrefix(kv, name+"="); ok {
			value = v
		}
	}
	return value
}
