// Package tool is the contract between an agent and its tools. A tool says what
// a call would do before anything is done: so it can be approved, recorded and,
// after a crash, judged. The built-in tools are the sub-packages.
package tool

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/disk"
)

// A Tool is something an agent can call. Implementations are safe for
// concurrent use.
type Tool interface {
	Spec() Spec
	// Prepare checks a call's input and says what would be done. It changes
	// nothing. An error that is a *clew.Error or an *InputError is shown to the
	// model; it can try again.
	Prepare(ctx context.Context, call Call) (*Action, error)
}

// A Spec describes a tool to models, to policy and to people.
type Spec struct {
	Name        string
	Description string          // from the .md file beside the tool
	Schema      json.RawMessage // JSON Schema of the input, an object
	Class       clew.ToolClass
	Group       Group
	// Parallel says that calls may run beside each other.
	Parallel bool
	// Server names the MCP server that the tool belongs to, "" for a built-in.
	Server string
}

// A Group is a set of tools that modes name and auto-approval decides on.
type Group string

// The groups.
const (
	GroupRead    Group = "read"
	GroupEdit    Group = "edit"
	GroupCommand Group = "command"
	GroupFetch   Group = "fetch"
	GroupMCP     Group = "mcp"
	// GroupNotebook is that of notebooks: their cells run as commands do.
	GroupNotebook Group = "notebook"
	GroupControl  Group = "control" // questions, completion, todos, modes, subtasks: the agent's own
)

// A Call is one call of a tool.
type Call struct {
	ID        string // the key under which a repeatable tool runs again
	SessionID clew.SessionID
	TaskID    clew.TaskID
	Owner     clew.UserID // of the session
	Input     json.RawMessage
	Workspace *Workspace
	// Environment is what the session has of its person's terminal: PATH and
	// variables of toolchains. nil if it began elsewhere.
	Environment map[string]string
}

// A Workspace is the directory that a session works in. All file access goes
// through Root, which no path and no link leaves.
type Workspace struct {
	Dir  string // absolute, for commands and for people
	Root *os.Root
	// Ignored reports whether .clewignore keeps a path (slash-separated,
	// relative) from the agent. Never nil.
	Ignored func(path string, dir bool) bool
	// Share is the part that it has of what its user may keep on disk; nil has no
	// limit.
	Share *disk.Share
}

// An Action is a prepared call.
type Action struct {
	Effect clew.Effect // Digest is filled in by Digest
	Ask    clew.Ask    // how a person is asked: tool, command or use_mcp_server
	// Protected says that flags do not cover it: a person is always asked.
	Protected bool
	// Guarded says of a command, or of a kernel that cells run in, that it cannot read the
	// secrets of the workspace, nor change what is protected there.
	Guarded bool
	// Runs says of a call for a notebook that it runs cells or starts a kernel: then it is
	// no edit, whatever else there is to show of it.
	Runs bool
	// Wary names programs that the workspace may have turned into others, with
	// the reason: flags do not cover a command line with one of them.
	Wary map[string]string
	// Refused, if set, says why the call may not run at all; shown to the model
	// and to the person.
	Refused string
	// RefusedSay is the kind of message that shows a refusal, error if "".
	RefusedSay clew.Say
	// Run carries it out. The error is shown to the model like a result.
	Run func(ctx context.Context, out Output) (Result, error)
	// Check finds out whether an earlier start of the same call took effect.
	// Only for checkable tools.
	Check func(ctx context.Context) (done bool, result Result, err error)
}

// Output is how a running tool is heard before it ends.
type Output interface {
	// Write shows output as it arrives: it is streamed, not stored.
	Write(p []byte) (int, error)
	// Progress says how far it is.
	Progress(clew.ProgressStatus)
	// Ask puts a question to a person and waits for the answer.
	Ask(ctx context.Context, q clew.HitlInputRequestData) (clew.HitlResolvedData, error)
}

// A Result is what a call came to.
type Result struct {
	// Text is for the model. What is too long is cut by the agent and kept as a
	// blob.
	Text   string
	Images []string // data URLs
	// IsError marks an outcome that the tool reports as a failure, such as an
	// exit code that is not 0.
	IsError bool
	// ExitCode is that of a command which ended, nil for all else.
	ExitCode *int
	// LimitReached is the limit that a command met, "" if none is known.
	LimitReached clew.CommandLimit
	// Say, if set, shows a message of this kind with Shown as its text.
	Say   clew.Say
	Shown string
	// View is a page that shows it, nil if the tool has none.
	View *View
	// Answer is the result as a page is told it that asked for the call: JSON.
	Answer json.RawMessage
}

// Digest fills in what an approval of the action is bound to: everything that
// the effect says, the tool's schema and the session.
func (a *Action) Digest(spec Spec, call Call) error {
	a.Effect.Digest = ""
	b, err := json.Marshal(struct {
		Effect  clew.Effect
		Tool    string
		Server  string
		Schema  json.RawMessage
		Session clew.SessionID
		Input   json.RawMessage
	}{a.Effect, spec.Name, spec.Server, spec.Schema, call.SessionID, call.Input})
	if err != nil {
		return err
	}
	sum := sha256.Sum256(b)
	a.Effect.Digest = hex.EncodeToString(sum[:])
	return nil
}

// An InputError says what is wrong with a call's input, in words for the model.
type InputError struct{ Message string }

func (e *InputError) Error() string { return e.Message }
