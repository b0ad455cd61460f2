package env

import (
	"context"
	"io"
	"log/slog"
)

// A Backend is what serve, demo and doctor run.
type Backend struct {
	// Run serves until ctx ends and prints the ready line to stdout.
	Run func(ctx context.Context, cfg Config, stdout io.Writer, log *slog.Logger) error
	// Demo serves like run, and plays a story.
	Demo func(ctx context.Context, cfg Config, opts DemoOptions, stdout io.Writer, log *slog.Logger) error
	// DemoModel plays the model of a story, for a demo in another process.
	DemoModel func(ctx context.Context, story string, fast bool, log *slog.Logger) (*DemoModel, error)
	// Checkup looks at what a server needs from the machine, and doctor verifies
	// the store, with the checkpoints or without.
	Checkup func(ctx context.Context, cfg Config) []Check
	Doctor  func(ctx context.Context, cfg Config, Checkpoints bool) (Examined, error)
	// Repartition spreads a stopped server's records over n streams.
	Repartition func(ctx context.Context, cfg Config, n int) (from, moved int, err error)
	// Backup copies what a stopped server keeps to a place, and Restore makes a data
	// directory of that.
	Backup  func(ctx context.Context, cfg Config, to string) (BackupReport, error)
	Restore func(ctx context.Context, cfg Config, from string) (Restored, error)
	// Checkpoints gives what is kept of workspaces, fsck verifies it and gc drops
	// what nobody needs.
	Checkpoints func(ctx context.Context, cfg Config, what string) ([]inventory, error)
	Fsck        func(ctx context.Context, cfg Config, what string) (checked, error)
	GC          func(ctx context.Context, cfg Config) (collected, error)
}

// How a check went. Only problems keep clew from working.
const (
	CheckOK      = "ok"
	CheckNote    = "note"
	CheckWarning = "warning"
	CheckProblem = "problem"
)

// CheckOf is a check with its result and what to do about it.
func CheckOf(name, status, found, do string) Check {
	return Check{Name: name, Status: status, Found: found, Do: do}
}
