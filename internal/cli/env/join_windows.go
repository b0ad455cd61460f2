package env

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"path/filepath"
	"time"

	"github.com/clew-run/clew"
)

// On Windows clew is a client: it reaches servers elsewhere, for instance in WSL.
// The server's checkpoints and commands rest on what only Unix has.

var errClientOnly = errors.New("on Windows clew is a client only: run the server in WSL, in a container or on another machine, and name it with --server or CLEW_SERVER")

// Config has what the commands here look at.
type Config struct {
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

	IdleExit   time.Duration                          `koanf:"idle_exit"`
	Background bool                                   `koanf:"-"`
	Ready      func(ctx context.Context, page string) `koanf:"-"`
}

func TakeLimits(*Config, Config) {}

func DefaultConfig() Config { return Config{Listen: "127.0.0.1:8000"} }

// Absolute makes the data directory's path one that holds everywhere.
func (c *Config) Absolute() (err error) {
	c.Data, err = filepath.Abs(c.Data)
	return err
}

type DemoOptions struct {
	Story, ModelURL, ModelKey string
	Fast, AnyPort             bool
	Ready                     func(ctx context.Context, d DemoInfo)
}

type DemoModel struct{ URL, Key string }

func (*DemoModel) Open(string) {}

func (*DemoModel) Close() {}

type DemoInfo struct {
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

type TrustedFolder struct {
	Dir, Hash                       string
	Modes, Skills, Commands, Faults []string
}

func BuiltInModes() []string {
	return []string{"code", "architect", "ask", "debug", "orchestrator", "web", "compute", "app", "desktop"}
}

func ModelVariables() []string { return nil }

func CloudVariables([]string) []string { return nil }

func CloudModels([]string) bool { return false }

func LocalModels(context.Context, []string) bool { return false }

type Around struct {
	Branch    string
	Read      []ReadFile
	Sandbox   bool
	NoSandbox string
}

type ReadFile struct {
	Path  string
	Lines int
}

func LookAround(string) Around { return Around{NoSandbox: "clew is a client only here"} }

type Kernels struct {
	Kernels []KernelSpec    `json:"kernels"`
	Running []RunningKernel `json:"running"`
}

type KernelSpec struct {
	Name, Display, Language, Missing string
	Argv                             []string
	FromWorkspace                    bool
}

type RunningKernel struct {
	KernelID  string
	About     string
	StartedMS int64
}

func (RunningKernel) Orphaned(time.Time) (time.Duration, bool) { return 0, false }

func FindKernels(context.Context, string, string, []string) Kernels {
	return Kernels{Kernels: []KernelSpec{}, Running: []RunningKernel{}}
}

func LookAt(string) (TrustedFolder, error) {
	return TrustedFolder{}, errors.New("trust is given on the server's machine")
}

func HomeFaults([]string) []string { return nil }

type Check struct {
	Name   string `json:"name"`
	Status string `json:"status"`
	Found  string `json:"found"`
	Do     string `json:"do,omitempty"`
}

type Examined struct{}

func (Examined) Problems() int         { return 0 }
func (Examined) Warnings() int         { return 0 }
func (Examined) Write(io.Writer) error { return nil }

type BackupReport struct {
	Number, Sessions, Objects int
	Bytes, MadeMS             int64
}

type Restored struct{}

func (Restored) Problems() int         { return 0 }
func (Restored) Write(io.Writer) error { return nil }

var (
	ErrInUse   = errors.New("in use")
	ErrNoStore = errors.New("no clew data")
)

func NameVersion(string) {}

var RealServer = Backend{
	Run:       func(context.Context, Config, io.Writer, *slog.Logger) error { return errClientOnly },
	Demo:      func(context.Context, Config, DemoOptions, io.Writer, *slog.Logger) error { return errClientOnly },
	DemoModel: func(context.Context, string, bool, *slog.Logger) (*DemoModel, error) { return nil, errClientOnly },
	Checkup: func(context.Context, Config) []Check {
		return []Check{{"server", CheckNote, "on Windows clew is a client only", "run the server in WSL, in a container or on another machine, and name it with --server or CLEW_SERVER"}}
	},
	Doctor:      func(context.Context, Config, bool) (Examined, error) { return Examined{}, ErrNoStore },
	Repartition: func(context.Context, Config, int) (int, int, error) { return 0, 0, errClientOnly },
	Backup:      func(context.Context, Config, string) (BackupReport, error) { return BackupReport{}, errClientOnly },
	Restore:     func(context.Context, Config, string) (Restored, error) { return Restored{}, errClientOnly },
	Checkpoints: func(context.Context, Config, string) ([]inventory, error) { return nil, errClientOnly },
	Fsck:        func(context.Context, Config, string) (checked, error) { return checked{}, errClientOnly },
	GC:          func(context.Context, Config) (collected, error) { return collected{}, errClientOnly },
}
