// Command clew is a session server for AI agents, and its command line.
package main

import (
	"context"
	"os"

	"github.com/clew-run/clew/internal/cli"
	"github.com/clew-run/clew/internal/cli/env"
)

func main() {
	os.Exit(cli.Main(context.Background(), os.Args[1:], env.IO{
		In:      os.Stdin,
		Out:     os.Stdout,
		Err:     os.Stderr,
		Environ: os.Environ(),
	}))
}
