package env

import (
	"errors"

	"github.com/clew-run/clew"
)

// Exit codes of the program.
const (
	ExitOK          = 0
	ExitFailure     = 1   // the command ran and failed, or found problems
	ExitUsage       = 2   // the command line or the configuration is wrong
	ExitNoServer    = 3   // no server could be reached, or it went away for too long
	ExitQuestion    = 4   // the work waits for somebody: an answer, or that a plan is resumed
	ExitRefused     = 5   // the credentials or the rights do not allow it
	ExitCancelled   = 6   // the work was cancelled or interrupted
	ExitBudget      = 7   // the budget is used up
	ExitTemporary   = 75  // the server ended because its store failed; another start may help
	ExitInterrupted = 130 // Ctrl-C: the work goes on without us
)

// Exits is the table for people and programs.
var Exits = []struct {
	Code    int    `json:"code"`
	Name    string `json:"name"`
	Meaning string `json:"meaning"`
}{
	{ExitOK, "ok", "It is done."},
	{ExitFailure, "failed", "It ran and failed, or found problems."},
	{ExitUsage, "usage", "The command line or the configuration is wrong."},
	{ExitNoServer, "no server", "No server was reached, or it stayed away (--give-up)."},
	{ExitQuestion, "needs an answer", "The work waits for somebody: an answer, or clew resume."},
	{ExitRefused, "refused", "The credentials or the rights do not allow it."},
	{ExitCancelled, "cancelled", "The work was cancelled or interrupted."},
	{ExitBudget, "budget", "The budget is used up."},
	{ExitTemporary, "store failed", "clew serve: its disk failed. Start it again."},
	{ExitInterrupted, "left", "Ctrl-C. The work continues; clew attach returns to it."},
}

// An exitError ends the program with a code of its own.
type exitError struct {
	code int
	err  error
}

func (e *exitError) Error() string { return e.err.Error() }

func (e *exitError) Unwrap() error { return e.err }

// ExitWith ends a command whose output said why already.
func ExitWith(code int) error {
	if code == ExitOK {
		return nil
	}
	return &exitError{code, ErrReported}
}

// ExitAs ends a command with a code and its error.
func ExitAs(code int, err error) error { return &exitError{code, err} }

// ExitCode is the code with which the program ends after an error.
func ExitCode(err error) int {
	var usage *UsageError
	var exit *exitError
	switch {
	case err == nil:
		return ExitOK
	case errors.As(err, &exit):
		return exit.code
	case errors.As(err, &usage):
		return ExitUsage
	}
	var none *NoTokenError
	if errors.As(err, &none) {
		return ExitRefused
	}
	var e *clew.Error
	if !errors.As(err, &e) {
		return ExitFailure
	}
	switch e.Code {
	case clew.ConnectionFailed, clew.ConnectionTimeout:
		return ExitNoServer
	case clew.AuthRequired, clew.AuthFailed, clew.TokenExpired, clew.Forbidden:
		return ExitRefused
	case clew.BudgetExceeded:
		return ExitBudget
	}
	return ExitFailure
}
