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

func defaultConfig() config { return server.DefaultConfig() }

// A backend is what serve and doctor run.
type backend struct {
	// run serves until ctx ends and prints the ready line to stdout.
	run func(ctx context.Context, cfg config, stdout io.Writer, log *slog.Logger) error
	// doctor verifies the store and writes its findings to w.
	doctor func(ctx context.Context, cfg config, w io.Writer, json bool) (problems int, err error)
}

var realServer = backend{run: server.Run, doctor: server.Doctor}
