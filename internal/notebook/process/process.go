// Package process finds kernels of notebooks on this machine, starts one in the sandbox
// of commands under a supervisor, and finds it again after a restart of the server.
//
// A kernel's directory is that of its program (see supervisor). Of it the sandbox shows
// one part, "k": a connection file and the sockets. So a kernel reaches neither its
// supervisor nor another kernel. What it can change there the server does not read: it has
// a connection file of its own. It does connect to the sockets; whoever a cell puts in
// their place does not have the key.
package process

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/supervisor"
	"github.com/clew-run/clew/internal/tool"
	"github.com/clew-run/clew/internal/tool/shell"
)

// How a kernel is interrupted.
const (
	InterruptSignal  = "signal"  // SIGINT: Kernel.Interrupt
	InterruptMessage = "message" // on the control channel
)

// A Spec is a kernel that can be started, or one of which something is missing.
type Spec struct {
	Name     string `json:"name"` // "python3"; unique in a list
	Display  string `json:"display"`
	Language string `json:"language"`
	// Argv starts it; {connection_file} stands for the file's path. The first is an
	// absolute path.
	Argv      []string          `json:"argv"`
	Env       map[string]string `json:"env,omitempty"`
	Interrupt string            `json:"interrupt"`
	// FromWorkspace says that the program is the workspace's own: a person is always
	// asked before it is started.
	FromWorkspace bool `json:"from_workspace,omitempty"`
	// Missing says what is missing and how to get it, "" if it can be started.
	Missing string `json:"missing,omitempty"`
	// Read are directories outside of the system's that it needs to see.
	Read []string `json:"read,omitempty"`
}

// IPyKernel says whether it is the kernel of IPython, be it with a starter of its own.
func (s Spec) IPyKernel() bool {
	return slices.ContainsFunc(s.Argv, func(word string) bool { return strings.HasPrefix(word, "ipykernel") })
}

// A Start says which kernel to start, and for whom.
type Start struct {
	ID        string // stable over restarts; unique in a data directory
	Spec      Spec
	Workspace *tool.Workspace
	Dir       string // where it begins; "" is the workspace
	Owner     clew.UserID
	SessionID clew.SessionID
	Network   bool
	MemoryMB  int               // 0 is the limit of commands
	Env       map[string]string // further variables; none of the server's own are passed
	Terminal  map[string]string // what the session has of its person's terminal: see tool.Call
}

// A Starter starts kernels and finds them again. It is safe for concurrent use, but not
// for two calls with one id.
type Starter struct {
	// Root is the directory of the kernels: see supervisor.Root.
	Root string
	// Options are those of commands. Limits, network and variables of a kernel replace
	// them.
	Options func(context.Context) shell.Options
	// Orphan says how long a kernel may run while no server holds it.
	Orphan func() time.Duration
}

// A Kernel is a kernel that this server holds.
type Kernel struct {
	held *supervisor.Held
	about
}

// about is what is on record of a kernel beside its program.
type about struct {
	ID        string `json:"id"`
	Name      string `json:"name"`
	Interrupt string `json:"interrupt"`
	Sandbox   string `json:"sandbox"`
	Workspace string `json:"workspace"`
	// Offline says that it has no network, Guarded that all of the workspace is guarded
	// from it. An earlier version wrote neither, and nothing relies on its kernels.
	Offline bool `json:"offline,omitempty"`
	Guarded bool `json:"guarded,omitempty"`
	// Masked is what was to be guarded when it began.
	Masked []shell.Masked `json:"masked,omitempty"`
}

// A Hold is what holds a kernel that was started, whatever the settings say by now.
type Hold struct {
	Sandbox          string // bwrap or none
	Network, Guarded bool
	// Masked is what it was guarded from: shell.StillGuarded says whether that is all.
	Masked []shell.Masked
}

// ErrNone says that there is no kernel with an id on this machine, and there was none.
var ErrNone = errors.New("there is no such kernel on this machine")
