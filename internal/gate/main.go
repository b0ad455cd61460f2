// Command gate runs suites for .ci/run: it leaves out what passed before with the same
// content, tries failed tests again, and says what that was and how long all took.
//
//	gate once NAME INPUT… -- COMMAND…   run a command unless it passed with these inputs
//	gate test [FLAGS] PACKAGE… [-- ARGS…]  run Go tests, package by package on the same terms
//	gate report                         the flaky tests and the timings of the whole run
//	gate exec BINARY ARGS…              what go test runs a test binary with (-exec)
//
// An input is a path below the root of the repository, or go:PATTERN for all that Go
// packages and their tests are made of, or program for all that clew is made of.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
)

func main() {
	if err := run(context.Background(), os.Args[1:]); err != nil {
		var exit *exec.ExitError
		if errors.As(err, &exit) && exit.ExitCode() > 0 {
			os.Exit(exit.ExitCode())
		}
		fmt.Fprintln(os.Stderr, "gate:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	if len(args) == 0 {
		return errors.New("want once, test, report or exec")
	}
	switch command, args := args[0], args[1:]; command {
	case "once":
		return once(ctx, args)
	case "test":
		return test(ctx, args)
	case "report":
		return report(os.Stdout)
	case "exec":
		return execute(args)
	default:
		return fmt.Errorf("unknown command %q", command)
	}
}
