// Package supervisor keeps a program alive beyond the server that started it. The same
// binary, started under another name and in a session of its own, is the program's
// parent: it reaps the program, writes down how it ended, and ends it when no server
// has cared for it for a while.
//
// A program has a directory, and all that is known of it is there:
//
//	server       locked by the server that holds the program: there is one at most
//	lock         locked, shared, by the same server; the supervisor waits for this lock
//	alive        locked by the supervisor from before it is started until it is gone
//	control      the socket on which the supervisor takes orders
//	state.json   written once the program runs
//	ended.json   how it ended
//
// The kernel lets go of the locks of a process that dies, however it dies. So a server
// that was killed at any point leaves either a program that Find finds, or none.
package supervisor

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/tool/limit"
)

// A Program is what a supervisor starts.
type Program struct {
	ID    string // what the caller calls it, for List
	About string // for people
	Argv  []string
	Env   []string // the whole environment
	Dir   string
	// Files are open in the program as 3, 4 and so on. Start closes none of them.
	Files []*os.File `json:"-"`
	// Info and Gate belong to a sandbox: see shell.Kept. nil without one.
	Info, Gate *os.File `json:"-"`
	// Group is the control group that the program is put into. Whoever has the program
	// removes it; nil without one.
	Group  limit.Group `json:"-"`
	Limits limit.Limits
	// Orphan is how long the program may run while no server holds it. 0 ends it with
	// its server.
	Orphan time.Duration
	// Record is what of the program's words is written down; nil without any.
	Record *Recording
}

// A Recording is a file of what a program publishes on a socket of ZeroMQ, in frames as
// they came. Whoever needs it no more empties it. It has all from some message on: what
// does not fit empties it too.
type Recording struct {
	Socket string // of the program, a path
	File   string
	Max    int64 // bytes
}

// Why a program ended.
type Why string

// The reasons.
const (
	WhyExited Why = "exited" // by itself
	WhyKilled Why = "killed" // Kill was called, or the supervisor was told to end
	WhyOrphan Why = "orphan" // no server held it for too long
	WhyLost   Why = "lost"   // its supervisor was killed, or never started it: how it ended is not known
)

// Ended says how a program ended.
type Ended struct {
	Why     Why               `json:"why"`
	Code    int               `json:"code"`              // as a shell has it: 128 and the signal for a killed program
	Signal  string            `json:"signal,omitempty"`  // that ended it, such as KILL
	Reached clew.CommandLimit `json:"reached,omitempty"` // the limit that it met, if a control group says so
	At      time.Time         `json:"at"`
	Stderr  string            `json:"stderr,omitempty"` // the last of it, at most 8 KiB
}

// maxStderr is how much of a program's last words is kept.
const maxStderr = 8 << 10

// A Found is a program that List knows of.
type Found struct {
	Dir, ID, About string
	PID            int // of the program, as the supervisor sees it
	Supervisor     int // its process
	Started        time.Time
	Running        bool
	Held           bool      // by a server
	AloneSince     time.Time // if it is not held
	Orphan         time.Duration
	Ended          *Ended // nil while it runs, and if nobody knows
}

// Errors of Start and Find.
var (
	// ErrNone says that there is no such program and there was none.
	ErrNone = errors.New("there is no such program")
	// ErrHeld says that another server holds the program.
	ErrHeld = errors.New("another server holds the program")
	// ErrRunning says that the directory has a program already.
	ErrRunning = errors.New("the program runs already")
	// ErrEnded says that a program cannot be signalled any more.
	ErrEnded = errors.New("the program has ended")
)

// Dir is the directory of a program, below the root of a server's data directory. The
// same id has the same one after each restart.
func Dir(root, id string) string { return filepath.Join(root, hash(id, 12)) }

// hash gives the first hex digits of a text's SHA-256.
func hash(text string, digits int) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])[:digits]
}

// state is what state.json and the greeting of a supervisor say.
type state struct {
	ID         string        `json:"id"`
	About      string        `json:"about,omitempty"`
	Supervisor int           `json:"supervisor"`
	PID        int           `json:"pid"`
	Started    time.Time     `json:"started"`
	Orphan     time.Duration `json:"orphan"`
	Held       bool          `json:"held"`
	AloneSince time.Time     `json:"alone_since,omitzero"`
}
