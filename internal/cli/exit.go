package cli

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/clew-run/clew"
)

// Exit codes of the program.
const (
	exitOK          = 0
	exitFailure     = 1   // the command ran and failed, or found problems
	exitUsage       = 2   // the command line or the configuration is wrong
	exitNoServer    = 3   // no server could be reached, or it went away for too long
	exitQuestion    = 4   // the work waits for somebody: an answer, or that a plan is resumed
	exitRefused     = 5   // the credentials or the rights do not allow it
	exitCancelled   = 6   // the work was cancelled or interrupted
	exitBudget      = 7   // the budget is used up
	exitInterrupted = 130 // Ctrl-C: the work goes on without us
)

// exits is the table for people and programs.
var exits = []struct {
	Code    int    `json:"code"`
	Name    string `json:"name"`
	Meaning string `json:"meaning"`
}{
	{exitOK, "ok", "It is done."},
	{exitFailure, "failed", "It ran and failed, or found problems."},
	{exitUsage, "usage", "The command line or the configuration is wrong."},
	{exitNoServer, "no server", "No server was reached, or it stayed away (--give-up)."},
	{exitQuestion, "needs an answer", "The work waits for somebody: an answer, or clew resume."},
	{exitRefused, "refused", "The credentials or the rights do not allow it."},
	{exitCancelled, "cancelled", "The work was cancelled or interrupted."},
	{exitBudget, "budget", "The budget is used up."},
	{exitInterrupted, "left", "Ctrl-C. The work goes on; clew attach comes back to it."},
}

// An exitError ends the program with a code of its own.
type exitError struct {
	code int
	err  error
}

func (e *exitError) Error() string { return e.err.Error() }
func (e *exitError) Unwrap() error { return e.err }

// exitWith ends a command whose output said why already.
func exitWith(code int) error {
	if code == exitOK {
		return nil
	}
	return &exitError{code, errReported}
}

func exitCode(err error) int {
	var usage *usageError
	var exit *exitError
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &exit):
		return exit.code
	case errors.As(err, &usage):
		return exitUsage
	}
	var none *noTokenError
	if errors.As(err, &none) {
		return exitRefused
	}
	var e *clew.Error
	if !errors.As(err, &e) {
		return exitFailure
	}
	switch e.Code {
	case clew.ConnectionFailed, clew.ConnectionTimeout:
		return exitNoServer
	case clew.AuthRequired, clew.AuthFailed, clew.TokenExpired, clew.Forbidden:
		return exitRefused
	case clew.BudgetExceeded:
		return exitBudget
	}
	return exitFailure
}

// exitCodesTopic is a page of the help: clew help exit-codes.
func (a *app) exitCodesTopic() *cobra.Command {
	var b strings.Builder
	_, _ = fmt.Fprintln(&b, "Exit codes of clew:")
	_, _ = fmt.Fprintln(&b)
	for _, e := range exits {
		_, _ = fmt.Fprintf(&b, "  %3d  %-16s %s\n", e.Code, e.Name, e.Meaning)
	}
	return &cobra.Command{
		Use: "exit-codes", Short: "What the exit codes mean", Long: b.String(), Args: cobra.NoArgs,
		Example: "clew help exit-codes\nclew exit-codes --json",
		RunE: func(*cobra.Command, []string) error {
			return a.print(map[string]any{"exit_codes": exits}, func(w io.Writer) error {
				_, err := io.WriteString(w, b.String())
				return err
			})
		},
	}
}
