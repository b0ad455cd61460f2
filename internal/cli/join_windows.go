package cli

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"path/filepath"

	"github.com/clew-run/clew"
)

// On Windows clew is a client: it reaches servers elsewhere, for instance in WSL.
// The server's checkpoints and commands rest on what only Unix has.

var errClientOnly = errors.New("on Windows clew is a client only: run the server in WSL, in a container or on another machine, and name it with --server or CLEW_SERVER")

// config has what the commands here look at.
type config struct {
	Listen string `koanf:"listen"`
	Data   string `koanf:"data"`
	Engine string `koanf:"engine"`
	Socket string `koanf:"socket"`
	Auth   struct {
		Mode string `koanf:"mode"`
	} `koanf:"auth"`
	Log struct {
		Level  string `koanf:"level"`
		Format string `koanf:"format"`
	} `koanf:"log"`

	Ready func(ctx context.Context, page string) `koanf:"-"`
}

func takeLimits(*config, config) {}

func defaultConfig() config { return config{Listen: "127.0.0.1:8000"} }

// Absolute makes the data directory's path one that holds everywhere.
func (c *config) Absolute() (err error) {
	c.Data, err = filepath.Abs(c.Data)
	return err
}

type demoOptions struct {
	Fast, AnyPort bool
	Ready         func(ctx context.Context, d demoInfo)
}

type demoInfo struct {
	URL       string         `json:"url"`
	Session   clew.SessionID `json:"session_id"`
	Data      string         `json:"data"`
	TokenFile string         `json:"token_file"`
	Workspace string         `json:"workspace"`
	Kept      bool           `json:"kept"`
	Page      string         `json:"-"`
}

type inventory struct {
	Bytes       int64
	Checkpoints []struct {
		Hash, SessionID, Reason string
		TS                      int64
		Files                   int
	}
}

type checked struct{ Findings []string }

func (checked) Write(io.Writer, bool) error { return errClientOnly }

type collected struct {
	Dropped, Checkpoints, Workspaces int
	Freed                            int64
	Failed                           []string
}

type trustedFolder struct {
	Dir, Hash string
	Modes     []string
}

func builtInModes() []string { return []string{"code", "architect", "ask", "debug", "orchestrator"} }

func lookAt(string) (trustedFolder, error) {
	return trustedFolder{}, errors.New("trust is given on the server's machine")
}

type check struct {
	Name   string `json:"name"`
	Status string `json:"status"`
	Found  string `json:"found"`
	Do     string `json:"do,omitempty"`
}

type examined struct{}

func (examined) Problems() int         { return 0 }
func (examined) Warnings() int         { return 0 }
func (examined) Write(io.Writer) error { return nil }

var (
	errInUse   = errors.New("in use")
	errNoStore = errors.New("no clew data")
)

func nameVersion(string) {}

var realServer = backend{
	run:  func(context.Context, config, io.Writer, *slog.Logger) error { return errClientOnly },
	demo: func(context.Context, config, demoOptions, io.Writer, *slog.Logger) error { return errClientOnly },
	checkup: func(context.Context, config) []check {
		return []check{{"server", checkNote, "on Windows clew is a client only", "run the server in WSL, in a container or on another machine, and name it with --server or CLEW_SERVER"}}
	},
	doctor:      func(context.Context, config, bool) (examined, error) { return examined{}, errNoStore },
	checkpoints: func(context.Context, config, string) ([]inventory, error) { return nil, errClientOnly },
	fsck:        func(context.Context, config, string) (checked, error) { return checked{}, errClientOnly },
	gc:          func(context.Context, config) (collected, error) { return collected{}, errClientOnly },
}
