package cli

import (
	"context"
	"io"
	"log/slog"
)

// A backend is what serve, demo and doctor run.
type backend struct {
	// run serves until ctx ends and prints the ready line to stdout.
	run func(ctx context.Context, cfg config, stdout io.Writer, log *slog.Logger) error
	// demo serves like run, and plays a story.
	demo func(ctx context.Context, cfg config, opts demoOptions, stdout io.Writer, log *slog.Logger) error
	// checkup looks at what a server needs from the machine, and doctor verifies
	// the store, with the checkpoints or without.
	checkup func(ctx context.Context, cfg config) []check
	doctor  func(ctx context.Context, cfg config, checkpoints bool) (examined, error)
	// checkpoints gives what is kept of workspaces, fsck verifies it and gc drops
	// what nobody needs.
	checkpoints func(ctx context.Context, cfg config, what string) ([]inventory, error)
	fsck        func(ctx context.Context, cfg config, what string) (checked, error)
	gc          func(ctx context.Context, cfg config) (collected, error)
}

// How a check went. Only problems keep clew from working.
const (
	checkOK      = "ok"
	checkNote    = "note"
	checkWarning = "warning"
	checkProblem = "problem"
)

func checkOf(name, status, found, do string) check {
	return check{Name: name, Status: status, Found: found, Do: do}
}
