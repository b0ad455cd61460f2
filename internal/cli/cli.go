package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/clew-run/clew/internal/cli/env"
	"github.com/clew-run/clew/internal/cli/history"
)

// Main runs the program with these arguments (without its name) and returns
// its exit code. It returns when the command ends; a cancelled ctx ends it.
func Main(ctx context.Context, args []string, streams env.IO) int {
	env.NameVersion(env.BuildInfo().Version)
	program, _ := os.Executable() // without a name no server is started in the background
	return execute(ctx, &env.App{IO: streams, Server: env.RealServer, Program: program}, args)
}

func execute(ctx context.Context, a *env.App, args []string) int {
	root := rootCommand(a)
	root.SetArgs(history.WithoutDashes(args))
	root.SetIn(a.In)
	root.SetOut(a.Out)
	root.SetErr(a.Err)
	err := root.ExecuteContext(ctx)
	a.Release(context.WithoutCancel(ctx))
	if err != nil {
		a.PrintError(a.Err, err)
	}
	return env.ExitCode(err)
}

// colours are what --color takes.
var colours = []string{"auto", "always", "never"}

func rootCommand(a *env.App) *cobra.Command {
	r := env.Remote{Start: true}
	var last bool
	root := &cobra.Command{
		Use:   "clew",
		Short: "A session server for AI agents",
		Long: "clew keeps the work of AI agents in durable sessions that people watch live,\n" +
			"steer and resume, from any device.\n\n" +
			"Without a command clew begins a session in this directory, on a terminal; elsewhere it\n" +
			"lists the newest sessions and what waits for you. A server is started in the background if none runs.",
		Example: "clew                             # begin in this directory\n" +
			"clew -c                          # continue where you left off\n" +
			"clew demo                        # an agent at work: no key, no network\n" +
			"clew run 'what is in here?'      # something to do, in this directory\n" +
			"clew open                        # in the browser, signed in\n" +
			"clew doctor                      # what is missing, and what to do about it",
		Args: env.Known,
		RunE: func(cmd *cobra.Command, _ []string) error { return start(a, cmd, r, last) },
		PersistentPreRunE: func(*cobra.Command, []string) error {
			if !slices.Contains(colours, a.Color) {
				return env.Usagef("--color %q is none of %s", a.Color, strings.Join(colours, ", "))
			}
			return nil
		},
		Version:       env.BuildInfo().Version,
		SilenceErrors: true, // printError has the last word
		SilenceUsage:  true,
	}
	root.PersistentFlags().BoolVar(&a.JSON, "json", false, "print JSON for programs instead of text for people")
	root.PersistentFlags().StringVar(&a.Color, "color", "auto", "colours: auto, always or never")
	root.Flags().BoolVarP(&last, "continue", "c", false, "continue the session of this directory that was used last")
	root.Flags().StringVar(&r.Data, "data", "", "data directory of the server (CLEW_DATA, default ~/.local/share/clew)")
	root.SetFlagErrorFunc(env.WrongFlag)
	root.AddCommand(demoCommand(a), serveCommand(a), openCommand(a), exitCodesTopic(a), doctorCommand(a), lsCommand(a), showCommand(a), searchCommand(a), usageCommand(a),
		history.RewindCommand(a), history.UndoCommand(a), history.RedoCommand(a), history.ForkCommand(a), history.CheckpointCommand(a), history.DeleteCommand(a),
		exportCommand(a), importCommand(a), loginCommand(a), modelCommand(a), mcpCommand(a), permissionsCommand(a), rulesCommand(a), settingsCommand(a), secretCommand(a), tokenCommand(a), versionCommand(a))
	root.AddCommand(runCommand(a), initCommand(a), attachCommand(a), inboxCommand(a), answerCommand(a), stopCommand(a), resumeCommand(a), renameCommand(a), archiveCommand(a), shareCommand(a))
	root.AddCommand(completionCommand(a), manCommand(a), partitionsCommand(a), backupCommand(a), restoreCommand(a), cacheCommand(a), unlinkCommand(a))
	root.AddCommand(notebookCommand(a), diffCommand(a), commitCommand(a), mergeCommand(a), worktreeCommand(a))
	root.CompletionOptions.DisableDefaultCmd = true
	finish(root)
	group(root)
	offer(a, root)
	helpFor(a, root)
	return root
}

// finish does what all commands have in common: a wrong number of arguments is
// the caller's mistake, and examples are set in like the rest of the help.
func finish(cmd *cobra.Command) {
	if check := cmd.Args; check != nil {
		cmd.Args = func(cmd *cobra.Command, args []string) error {
			if err := check(cmd, args); err != nil {
				return &env.UsageError{Err: wrongArguments(cmd, args, err)}
			}
			return nil
		}
	}
	cmd.Long = env.Reflow(cmd.Long, env.HelpWidth)
	if cmd.Example != "" {
		cmd.Example = "  " + strings.ReplaceAll(cmd.Example, "\n", "\n  ")
	}
	for _, sub := range cmd.Commands() {
		finish(sub)
	}
}

// wrongArguments says what a command takes instead of how many things.
func wrongArguments(cmd *cobra.Command, args []string, err error) error {
	_, takes, some := strings.Cut(cmd.Use, " ")
	switch text := err.Error(); {
	case strings.HasPrefix(text, "unknown command ") && !cmd.HasSubCommands(): // cobra's words for any argument
		return fmt.Errorf("%s takes no arguments", cmd.CommandPath())
	case !some || !strings.Contains(text, " arg(s)") && !strings.HasPrefix(text, "invalid argument "): // it says something better
		return err
	}
	text := "usage: " + cmd.CommandPath() + " " + takes
	if strings.HasPrefix(err.Error(), "invalid argument ") {
		text += fmt.Sprintf(", not %q", strings.Join(args, " "))
	}
	if strings.Contains(takes, "SESSION") {
		text += "; clew ls lists the sessions"
	}
	return errors.New(text)
}
