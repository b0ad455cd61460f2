// Package notebook runs the cells of notebooks: it implements the session's port
// Notebooks. Like an agent it takes each step from the notebook as it stands on record
// and puts what came of it on record, so it does not matter who took the step before.
//
// A kernel outlives the server. The Runner keeps the connections to the kernels of this
// node; after a restart of the server they are joined again by the same identity, and a
// cell that runs goes on. A cell is sent at most once: what is on record as started is
// never sent again.
package notebook

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/clock"
	"github.com/clew-run/clew/internal/notebook/process"
	"github.com/clew-run/clew/internal/session/blob"
	"github.com/clew-run/clew/internal/settings"
	"github.com/clew-run/clew/internal/supervisor"
	"github.com/clew-run/clew/internal/tool"
)

// Settings is what the runner reads of the settings.
type Settings interface {
	For(overlay map[string]any) (settings.Values, []settings.Problem)
}

// Blobs keeps what is too large for a record.
type Blobs interface {
	PutBlob(ctx context.Context, by blob.For, data []byte) (address string, err error)
	Blob(ctx context.Context, address string) ([]byte, error)
}

// Kernels starts the processes of kernels and finds them again.
type Kernels interface {
	Specs(ctx context.Context, workspace string) []process.Spec
	Start(ctx context.Context, st process.Start) (Process, error)
	Find(ctx context.Context, id string) (Process, error)
	Left() []string // the ids of those on this machine, and of those that have ended and are not forgotten
}

// A Process is a kernel's; see process.Kernel.
type Process interface {
	ConnectionFile() string
	// NoteAnswer notes that the answer to a question is about to be given to the kernel, and
	// Answered says whether that was noted, also by an earlier server. Of the last question
	// only.
	NoteAnswer(question string) error
	Answered(question string) bool
	// Recording is the file of what it published, with or without a server, "" or none if
	// nobody wrote it down.
	Recording() string
	Signals() bool
	Interrupt() error
	Kill() error
	Done() <-chan struct{}
	Ended() (supervisor.Ended, bool)
	Release()
	Forget() error
}

// Config is what a runner works with.
type Config struct {
	Settings Settings
	Kernels  Kernels
	Blobs    Blobs
	// Workspace opens a session's directory.
	Workspace func(id clew.SessionID, owner clew.UserID, dir string, v settings.Values) (*tool.Workspace, error)
	// Trusted says whether the server trusts a session's owner with its own rights; nil
	// trusts all. Kernels of others run in a sandbox or not at all.
	Trusted func(owner clew.UserID) bool
	// MadeFrom is the directory that a session's own work tree was made from, "" if it has
	// none; nil knows of none.
	MadeFrom func(id clew.SessionID) string
	// Spool is a directory for what runs put out while they run.
	Spool string
	Clock clock.Clock // nil = the machine's
	Log   *slog.Logger
}

// A Runner does the work of the notebooks of all sessions. Safe for concurrent use.
type Runner struct {
	cfg     Config
	putting chan struct{} // holds a token for each large blob that is in memory
	// answerWithin is how long a kernel may take until it answers.
	answerWithin time.Duration
	// checkpointWithin is how long it may take to say what it knows.
	checkpointWithin time.Duration

	mu   sync.Mutex
	live map[string]*attached // by kernel id; of those that this server is joined to
	held map[string]Process   // by kernel id; of those that nobody is joined to, also ended ones
	// saved is when a notebook was last written by itself, by session and notebook.
	saved map[string]time.Duration
}

// New makes a runner. Close it after the sessions are closed.
func New(cfg Config) *Runner {
	if cfg.Clock == nil {
		cfg.Clock = clock.System()
	}
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	return &Runner{cfg: cfg, putting: make(chan struct{}, 2), answerWithin: startWithin, checkpointWithin: checkpointWithin, live: map[string]*attached{}, held: map[string]Process{}, saved: map[string]time.Duration{}}
}

// Close lets go of all kernels. They go on without this server.
func (r *Runner) Close() {
	r.mu.Lock()
	all, held := r.live, r.held
	r.live, r.held = map[string]*attached{}, map[string]Process{}
	r.mu.Unlock()
	for _, k := range all {
		k.leave()
	}
	for _, p := range held {
		p.Release()
	}
}

// values are the settings of a session.
func (r *Runner) values(overlay map[string]any) settings.Values {
	v, _ := r.cfg.Settings.For(overlay)
	return v
}
