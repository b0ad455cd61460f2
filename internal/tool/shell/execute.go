package shell

import (
	"context"
	_ "embed" // the descriptions
	"encoding/json"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/tool"
)

const (
	maxCommand     = 64 << 10
	defaultTimeout = 120
	maxTimeout     = 3600
)

//go:embed execute_command.md
var executeDescription string

var executeSchema = json.RawMessage(`{
  "type": "object",
  "properties": {
    "command": {"type": "string", "description": "The command, as bash reads it."},
    "cwd": {"type": "string", "description": "Directory in the workspace. The workspace itself if left out."},
    "timeout_sec": {"type": "integer", "minimum": 1, "maximum": 3600, "description": "Seconds after which the command is stopped."},
    "background": {"type": "boolean", "description": "Return at once and let the command go on."}
  },
  "required": ["command"],
  "additionalProperties": false
}`)

type executeCommand struct{ shell *Shell }

type executeInput struct {
	Command    string `json:"command"`
	Cwd        string `json:"cwd"`
	TimeoutSec int    `json:"timeout_sec"`
	Background bool   `json:"background"`
}

func (executeCommand) Spec() tool.Spec {
	return tool.Spec{
		Name: "execute_command", Description: strings.TrimSpace(executeDescription), Schema: executeSchema,
		Class: clew.ClassOnce, Group: tool.GroupCommand,
	}
}

func (t executeCommand) Prepare(ctx context.Context, call tool.Call) (*tool.Action, error) {
	var in executeInput
	if err := decode(call.Input, &in); err != nil {
		return nil, err
	}
	if err := in.check(); err != nil {
		return nil, err
	}
	dir, err := directory(call.Workspace, in.Cwd)
	if err != nil {
		return nil, err
	}
	opts := t.shell.options(ctx)
	kind, protected, refused := chooseSandbox(opts.Sandbox)
	pl := plan{argv: shellArgv(in.Command), dir: dir, sandbox: kind, opts: opts, ws: call.Workspace, user: call.Owner}
	pl.env = environment(opts, kind, dir, call, pl.equip(call))
	safe := false
	if opts.Guard != nil && kind == SandboxBwrap {
		pl.guarded, safe = findGuarded(call.Workspace, opts.Guard)
	}
	wary := gitWary(call.Workspace, dir, in.Command)
	return &tool.Action{
		Effect: clew.Effect{
			Summary: in.summary(), Command: in.Command, Argv: pl.argv, Directory: dir, Environment: shownEnvironment(pl.env),
			Network: opts.Network || kind == SandboxNone, Sandbox: kind, Limits: opts.Limits.Unusual(),
		},
		Ask: clew.AskCommand, Protected: protected, Guarded: safe, Refused: refused, Wary: map[string]string{"git": wary},
		Run: func(ctx context.Context, out tool.Output) (tool.Result, error) {
			if _, err := directory(call.Workspace, in.Cwd); err != nil {
				return tool.Result{}, err // it was there when the call was approved
			}
			if gitWary(call.Workspace, dir, in.Command) != wary {
				return tool.Result{}, &tool.InputError{Message: "the repository's configuration changed meanwhile: try again"}
			}
			if err := ctx.Err(); err != nil {
				return tool.Result{}, err
			}
			if in.Background {
				return t.shell.runBackground(ctx, call.SessionID, pl, in.TimeoutSec)
			}
			return t.shell.run(ctx, pl, timeLimit(in, opts), out)
		},
	}, nil
}

func decode(input json.RawMessage, into any) error {
	d := json.NewDecoder(strings.NewReader(string(input)))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return &tool.InputError{Message: "the input does not fit: " + err.Error()}
	}
	return nil
}

func (in executeInput) check() error {
	switch {
	case strings.TrimSpace(in.Command) == "":
		return &tool.InputError{Message: "command is empty"}
	case len(in.Command) > maxCommand:
		return &tool.InputError{Message: fmt.Sprintf("command is longer than %d bytes: put it into a script", maxCommand)}
	case strings.ContainsRune(in.Command, 0):
		return &tool.InputError{Message: "command contains a NUL character"}
	case !utf8.ValidString(in.Command):
		return &tool.InputError{Message: "command is not valid UTF-8"}
	case in.TimeoutSec < 0 || in.TimeoutSec > maxTimeout:
		return &tool.InputError{Message: fmt.Sprintf("timeout_sec must be from 1 to %d", maxTimeout)}
	}
	return nil
}

func (in executeInput) summary() string {
	line, rest, _ := strings.Cut(strings.TrimSpace(in.Command), "\n")
	if r := []rune(line); len(r) > 120 {
		line, rest = string(r[:120]), "cut"
	}
	if rest != "" {
		line += " …"
	}
	if in.Background {
		return "run in the background: " + visible(line)
	}
	return "run: " + visible(line)
}

// directory gives the absolute directory that a call runs in. Links out of the
// workspace are refused by its root.
func directory(ws *tool.Workspace, cwd string) (string, error) {
	refuse := func(why string) (string, error) {
		return "", &tool.InputError{Message: fmt.Sprintf("cwd %q: %s", cwd, why)}
	}
	rel := cwd
	if filepath.IsAbs(cwd) {
		var err error
		if rel, err = filepath.Rel(ws.Dir, cwd); err != nil {
			return refuse("it is not in the workspace")
		}
	}
	rel = filepath.Clean(rel)
	if strings.ContainsRune(rel, 0) || !filepath.IsLocal(rel) {
		return refuse("it is not in the workspace")
	}
	fi, err := ws.Root.Stat(rel)
	switch {
	case err != nil:
		return refuse("there is no such directory in the workspace")
	case !fi.IsDir():
		return refuse("it is not a directory")
	case rel != "." && ws.Ignored(filepath.ToSlash(rel), true):
		return refuse("it is kept from you by .clewignore")
	}
	return filepath.Join(ws.Dir, rel), nil
}

// Holds says what would hold a program that is started as commands are, by the setting
// command_sandbox: whether a person is always asked about it, and why it may not run.
func Holds(setting string) (kind string, protected bool, refused string) {
	return chooseSandbox(setting)
}

// chooseSandbox decides what holds a command. Where auto finds no sandbox a
// person is always asked; where one is demanded, nothing runs without it.
func chooseSandbox(setting string) (kind string, protected bool, refused string) {
	if setting == SandboxNone {
		return SandboxNone, false, ""
	}
	kind, reason := Probe()
	switch {
	case kind == SandboxBwrap:
		return kind, false, ""
	case setting == SandboxBwrap:
		return SandboxBwrap, true, "commands must run in a sandbox, and there is none: " + reason
	default:
		return SandboxNone, true, ""
	}
}

func timeLimit(in executeInput, opts Options) time.Duration {
	sec := in.TimeoutSec
	if sec == 0 {
		sec = opts.TimeoutSec
	}
	if sec <= 0 {
		sec = defaultTimeout
	}
	return time.Duration(sec) * time.Second
}

// run runs a plan to its end.
func (s *Shell) run(ctx context.Context, pl plan, limit time.Duration, out tool.Output) (tool.Result, error) {
	live := newStream()
	p, err := s.start(pl, newOutput(keepForeground, live))
	if err != nil {
		return tool.Result{}, err
	}
	shown := make(chan struct{})
	go func() { defer close(shown); live.Run(out, p.done) }()
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-p.done:
	case <-timer.C:
		p.Stop(stoppedByLimit)
	case <-ctx.Done():
		p.Stop(stoppedByCancel)
	}
	<-p.done
	<-shown
	return p.result(), nil
}

// result is what the model gets: the output and how it ended.
func (p *process) result() tool.Result {
	text := p.out.Take()
	r := tool.Result{
		Text: join(text, p.ending()), IsError: p.code != 0 || p.lost || p.cause != "",
		Say: clew.SayCommandOutput, Shown: strings.TrimRight(text, "\n"), LimitReached: p.reached,
	}
	if !p.lost {
		r.ExitCode = &p.code
	}
	return r
}

// ending says how a process that is done ended.
func (p *process) ending() string {
	var b strings.Builder
	took := p.took.Round(time.Millisecond)
	switch {
	case p.lost:
		fmt.Fprintf(&b, "[stopped after %s: %s; the system has not ended it yet]", took, p.cause)
		return b.String()
	case p.cause != "":
		fmt.Fprintf(&b, "[stopped after %s: %s; ", took, p.cause)
	default:
		fmt.Fprintf(&b, "[ended after %s; ", took)
	}
	fmt.Fprintf(&b, "exit code %d", p.code)
	if name := signalName(p.code); name != "" {
		fmt.Fprintf(&b, ", signal %s", name)
	}
	b.WriteString("]")
	if why := p.reachedText(); why != "" {
		b.WriteString("\n[" + why + "]")
	}
	if p.code != 0 {
		for _, dir := range p.plan.shared {
			b.WriteString("\n[" + sharedText(dir) + "]")
		}
	}
	return b.String()
}

// reachedText says which limit the command met, for the model and for people.
func (p *process) reachedText() string {
	l, total := p.plan.opts.Limits, p.plan.opts.Total
	switch p.reached {
	case clew.LimitMemory:
		return fmt.Sprintf("It reached its memory limit and was ended: %s for a command, %s for all commands of a user together.", megabytes(l.Memory), megabytes(total.Memory))
	case clew.LimitProcesses:
		return fmt.Sprintf("It reached its limit of processes and threads and could not start more: %s for a command, %s for all commands of a user together.", number(l.Processes), number(total.Processes))
	case clew.LimitDisk:
		return "The server keeps the rest of the disk for the records of its sessions."
	case clew.LimitWorkspace:
		if p.full != nil {
			return clew.AsError(p.full).Message + "."
		}
		return fmt.Sprintf("Your workspaces take more room than they may, so what it writes was bounded: %s for a file. Delete what you do not need first.", megabytes(overFile))
	case clew.LimitFileSize:
		return fmt.Sprintf("It reached the limit for the size of a file, %s, and what wrote it was ended.", megabytes(l.FileSize))
	}
	return ""
}

func megabytes(n int64) string {
	if n <= 0 {
		return "no limit"
	}
	return fmt.Sprintf("%d MB", n>>20)
}

func number(n int) string {
	if n <= 0 {
		return "no limit"
	}
	return strconv.Itoa(n)
}

func join(text, note string) string {
	text = strings.TrimRight(text, "\n")
	if text == "" {
		text = "(no output)"
	}
	return text + "\n\n" + note
}
