// Package shell runs commands for an agent: on a pseudo-terminal, with a time
// limit, in a bubblewrap sandbox, and so that nothing they start outlives them
// or the server.
package shell

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/tool"
	"github.com/clew-run/clew/internal/tool/limit"
	"github.com/clew-run/clew/internal/toolchain"
)

// The kinds of sandbox. Auto is a setting only: it comes to one of the others.
const (
	SandboxAuto  = "auto"
	SandboxBwrap = "bwrap"
	SandboxNone  = "none"
)

// Options are the settings that hold for one call.
type Options struct {
	Sandbox string            // auto, bwrap or none; "" is auto
	Network bool              // commands may reach the network
	Env     map[string]string // set for commands
	Share   []string          // further directories that commands may read
	// Hide names directories and files that no sandboxed command sees: the
	// server's data. What is in them or around them is not shared, and no command
	// runs in a sandbox there, except below workspaces/ in one of them: there it
	// sees its own workspace.
	Hide []string
	// Home is the directory that commands have as HOME. Without one a sandboxed
	// command has an empty HOME of its own, another one the workspace.
	Home string
	// Toolchains says for whom toolchains are looked for, if for anybody: whose
	// PATH, variables and home. nil shows none.
	Toolchains func(tool.Call) (toolchain.Request, bool) `json:"-"`
	// Cache is the directory with the caches of workspaces; "" keeps none.
	Cache      string
	TimeoutSec int // 0 is 120
	// Limits are those of a command, Total those of all commands of a user
	// together, which only Groups can hold. Without Groups less is held.
	Limits, Total limit.Limits
	Groups        limit.Groups
	// Room says whether the disk of a directory has room beyond what is kept in
	// reserve. While it has not, a command that writes is stopped. nil is always.
	Room func(dir string) error `json:"-"`
	// Guard says of a path in the workspace whether commands must not see it, or not
	// change it. Without one nothing is guarded.
	Guard func(path string) (hide, readOnly bool) `json:"-"`
	// Marker stands for the data directory; see Marker and Sweep.
	Marker string
	Log    *slog.Logger
}

func (o Options) log() *slog.Logger {
	if o.Log == nil {
		return slog.New(slog.DiscardHandler)
	}
	return o.Log
}

// A Shell runs commands. It is safe for concurrent use.
type Shell struct {
	options func(context.Context) Options
	spawner *spawner
	longest time.Duration // how long a background command may run

	linked linkSearch

	mu      sync.Mutex
	closed  bool
	running map[*process]struct{}
	jobs    map[clew.SessionID]*jobs // none is empty
	lastJob int                      // numbers them; none is given twice
	wg      sync.WaitGroup           // one for each process
}

// New makes a shell. Options is asked at each call, so that settings change
// while the server runs.
func New(options func(context.Context) Options) *Shell {
	closeInherited()
	return &Shell{
		options: options,
		spawner: newSpawner(),
		longest: maxAge,
		running: map[*process]struct{}{},
		jobs:    map[clew.SessionID]*jobs{},
	}
}

// Tools lists execute_command, read_output and stop_command.
func (s *Shell) Tools() []tool.Tool {
	return []tool.Tool{executeCommand{s}, readOutput{s}, stopCommand{s}}
}

// Close ends every command and waits until all are gone. Later calls fail.
func (s *Shell) Close() {
	s.mu.Lock()
	wasClosed := s.closed
	s.closed = true
	for p := range s.running {
		p.Stop(stoppedByServer)
	}
	s.mu.Unlock()
	s.wg.Wait()
	if !wasClosed {
		s.spawner.Close()
	}
}

// Running counts the commands that run now, those in the background among them.
func (s *Shell) Running() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.running)
}

// EndSession ends the background commands of a session and forgets them.
func (s *Shell) EndSession(id clew.SessionID) {
	s.mu.Lock()
	jobs := s.jobs[id]
	delete(s.jobs, id)
	s.mu.Unlock()
	if jobs != nil {
		jobs.end()
	}
}

// enter counts a process in, unless the shell is closed.
func (s *Shell) enter(p *process) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return clew.Errorf(clew.Unavailable, "the server is stopping: no command is started")
	}
	s.running[p] = struct{}{}
	s.wg.Add(1)
	return nil
}

func (s *Shell) leave(p *process) {
	s.mu.Lock()
	delete(s.running, p)
	s.mu.Unlock()
	s.wg.Done()
}
