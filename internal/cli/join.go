package cli

import (
	"context"
	"io"
	"log/slog"

	"github.com/clew-run/clew/internal/server"
)

// config is the server's configuration. This file is the only one that knows
// where it comes from.
type config = server.Config

// demoOptions and demoInfo are the demo's, likewise.
type (
	demoOptions = server.DemoOptions
	demoInfo    = server.DemoInfo
)

func defaultConfig() config { return server.DefaultConfig() }

// inventory is what is kept of a workspace, checked what is damaged of it, and
// collected what a collection did.
type (
	inventory = server.Inventory
	checked   = server.Checked
	collected = server.Collected
)

// trustedFolder is a workspace that a person wants to trust.
type trustedFolder = server.TrustedFolder

var lookAt = server.LookAt

// A backend is what serve, demo and doctor run.
type backend struct {
	// run serves until ctx ends and prints the ready line to stdout.
	run func(ctx context.Context, cfg config, stdout io.Writer, log *slog.Logger) error
	// demo serves like run, and plays a story.
	demo func(ctx context.Context, cfg config, opts demoOptions, stdout io.Writer, log *slog.Logger) error
	// doctor verifies the store, with the checkpoints or without, and writes its
	// findings to w.
	doctor func(ctx context.Context, cfg config, w io.Writer, json, checkpoints bool) (problems int, err error)
	// checkpoints gives what is kept of workspaces, fsck verifies it and gc drops
	// what nobody needs.
	checkpoints func(ctx context.Context, cfg config, what string) ([]inventory, error)
	fsck        func(ctx context.Context, cfg config, what string) (checked, error)
	gc          func(ctx context.Context, cfg config) (collected, error)
}

var realServer = backend{
	run: server.Run, demo: server.Demo, doctor: server.Doctor,
	checkpoints: server.Checkpoints, fsck: server.CheckCheckpoints, gc: server.CollectCheckpoints,
}
