package shell

import (
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/planted"
	"github.com/clew-run/clew/internal/tool"
	"github.com/clew-run/clew/internal/tool/limit"
	"github.com/clew-run/clew/internal/toolchain"
)

// A plan is a command as it will be run: everything is decided.
type plan struct {
	argv    []string
	dir     string
	env     map[string]string
	sandbox string // bwrap or none
	opts    Options
	ws      *tool.Workspace
	guarded []guarded   // what of the workspace is kept from it
	user    clew.UserID // who it is for
	tools   toolchain.Found
	shared  []string      // directories of the workspace that commands only read
	cache   string        // the directory with the workspace's caches
	limit   time.Duration // after which it is stopped; 0 if somebody waits and does that
	// reads and writes are directories outside of the workspace that a Kept program has.
	reads, writes []string
}

// A launch is a command that can be started.
type launch struct {
	cmd   *exec.Cmd
	files []*os.File // which the server closes once it has started
	held
}

// held are the files that the server holds for a command while it runs.
type held struct {
	alive *os.File // the warden ends when this closes; nil in a sandbox
	info  *os.File // where bwrap tells of the sandbox; nil without one
	gate  *os.File // a sandboxed command begins when this is written to; nil without one
}

// begin lets a sandboxed command begin.
func (h held) begin() { _, _ = h.gate.Write([]byte{1}) }

// release lets go of them.
func (h held) release() {
	for _, f := range []*os.File{h.alive, h.info, h.gate} {
		if f != nil {
			_ = f.Close()
		}
	}
}

func (l *launch) close() {
	for _, f := range l.files {
		_ = f.Close()
	}
}

func (p plan) launch(g limit.Group) (*launch, error) {
	if p.sandbox == SandboxBwrap {
		return p.launchBwrap()
	}
	return p.launchBare(g)
}

// group makes the control group of the command, nil where there are none.
func (p plan) group() (limit.Group, error) {
	if p.opts.Groups == nil {
		return nil, nil
	}
	return p.opts.Groups.New(limit.Share{User: string(p.user), Call: p.env[callVariable], Command: p.opts.Limits, Total: p.opts.Total})
}

// heldByGroup says which limits a control group holds.
func (p plan) heldByGroup() limit.Held {
	if p.opts.Groups == nil {
		return limit.Held{}
	}
	return p.opts.Groups.Held()
}

// keepers is how many generations, from the started process down, belong to
// the machinery and not to the command.
func (p plan) keepers() int {
	if p.sandbox == SandboxBwrap {
		return 2 // bwrap outside, and bwrap as the first process inside
	}
	return 1
}

// callVariable marks every process of a call, so that those which got away
// from their parents are found.
const callVariable = "CLEW_CALL"

// Marker gives the marker of a data directory.
func Marker(dataDir string) string {
	if abs, err := filepath.Abs(dataDir); err == nil {
		dataDir = abs
	}
	return shortHash(dataDir)
}

func callMark(opts Options, call tool.Call) string {
	return opts.Marker + "." + shortHash(string(call.SessionID)+"\x00"+string(call.TaskID)+"\x00"+call.ID)
}

func shortHash(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:8])
}

// privateHome is HOME in a sandbox without a home of the operator's choice.
const privateHome = "/run/clew/home"

// environment is the whole environment of a command, made from nothing: what
// the server has in its own is the server's.
func environment(opts Options, sandbox, dir string, call tool.Call, tools map[string]string) map[string]string {
	env := map[string]string{
		"PATH": toolchain.SystemPath,
		"HOME": home(opts, sandbox, call.Workspace.Dir),
		"LANG": "C.UTF-8",
		"TERM": "dumb",
		// Nobody turns pages or types passwords.
		"PAGER":               "cat",
		"GIT_PAGER":           "cat",
		"GIT_TERMINAL_PROMPT": "0",
	}
	maps.Copy(env, tools)
	for k, v := range opts.Env {
		if !settable(k) || strings.ContainsRune(v, 0) {
			opts.log().Warn("variable not set for a command", "name", k)
			continue
		}
		env[k] = v
	}
	if planted.Bug("server's environment handed on") {
		for _, kv := range os.Environ() {
			k, v, _ := strings.Cut(kv, "=")
			env[k] = v
		}
	}
	if planted.Bug("hidden process left") {
		env["CLEW_PLANTED"] = "hidden process left" // for the warden, which has this environment
	}
	env["CLEW"] = "1"
	env["PWD"] = dir
	env[callVariable] = callMark(opts, call)
	return env
}

// shownEnvironment is what an approval covers: everything but the mark. That names
// the call, which is another one after a rewind, though it does the same.
func shownEnvironment(env map[string]string) map[string]string {
	shown := maps.Clone(env)
	delete(shown, callVariable)
	return shown
}

// settable refuses what is no name, and what would change the meaning of a
// command after it was read and approved.
func settable(name string) bool {
	switch name {
	case "", "BASH_ENV", "ENV", "SHELLOPTS", "BASHOPTS", "PS4", "PROMPT_COMMAND", "IFS":
		return false
	}
	for i, r := range name {
		letter := r == '_' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z'
		if !letter && (i == 0 || r < '0' || r > '9') {
			return false // BASH_FUNC_x%% too
		}
	}
	return true
}

func home(opts Options, sandbox, workspace string) string {
	switch {
	case sandbox == SandboxBwrap:
		return privateHome
	case opts.Home != "":
		return opts.Home
	default:
		return workspace
	}
}

func environ(env map[string]string) []string {
	list := make([]string, 0, len(env))
	for _, k := range slices.Sorted(maps.Keys(env)) {
		list = append(list, k+"="+env[k])
	}
	return list
}

// shellArgv says how a command is run: by the system's bash, without anybody's
// start-up files.
func shellArgv(command string) []string {
	for _, bash := range []string{"/bin/bash", "/usr/bin/bash"} {
		if _, err := os.Stat(bash); err == nil {
			return []string{bash, "--noprofile", "--norc", "-c", command}
		}
	}
	return []string{"/bin/sh", "-c", command}
}
