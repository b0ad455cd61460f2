package server

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/tool"
	"github.com/clew-run/clew/internal/tool/limit"
	"github.com/clew-run/clew/internal/tool/shell"
	"github.com/clew-run/clew/internal/toolchain"
)

// tryWithin bounds the trial of one toolchain, in seconds.
const tryWithin = 20

// trials are commands that show that a toolchain works, each in an empty
// directory with a tiny program. The first line that it prints is the version.
var trials = map[string]string{
	"go":     "go build ./... && go env GOVERSION",
	"cargo":  "cargo --version",
	"node":   "node -e 'console.log(process.version)'",
	"python": `python3 -c 'import sys; print("%d.%d.%d" % sys.version_info[:3])'`,
	"uv":     "uv --version",
	"mvn":    "mvn --offline --version",
}

var trialFiles = map[string]string{"go.mod": "module example.org/try\n\ngo 1.21\n", "try.go": "package try\n\nfunc One() int { return 1 }\n"}

// toolChecks tries every toolchain that is found from this terminal inside the
// sandbox, as a command of an agent would have it.
func toolChecks(ctx context.Context, environ []string) []Check {
	home, err := os.UserHomeDir()
	if kind, _ := shell.Probe(); kind != shell.SandboxBwrap || err != nil || slices.Contains(environ, "CLEW_SET_COMMAND_TOOLCHAINS=off") {
		return nil
	}
	env := toolchain.Filter(environ)
	found := toolchain.Find(toolchain.Request{Environ: env, Home: home})
	checks := make([]Check, len(found.Tools))
	var all sync.WaitGroup
	for i, t := range found.Tools {
		all.Go(func() { checks[i] = toolCheck(ctx, t, env, home) })
	}
	all.Wait()
	if hidden := hiddenCheck(found.Dropped, home); hidden != nil {
		checks = append(checks, *hidden)
	}
	return checks
}

func toolCheck(ctx context.Context, t toolchain.Tool, env map[string]string, home string) Check {
	version, err := try(ctx, trials[t.Name], env, home)
	text := tilde(t.Dir, home)
	if len(t.Read) > 0 {
		var read []string
		for _, dir := range t.Read {
			read = append(read, tilde(dir, home))
		}
		text += ", reads " + strings.Join(read, ", ")
	}
	if err != nil {
		return Check{t.Name, CheckWarning, fmt.Sprintf("does not work inside the sandbox (%s): %v", text, err), firstOf(t.Fix, "clew settings set command_share shows commands another directory; docs/toolchains.md has the rest")}
	}
	c := Check{t.Name, CheckOK, strings.TrimPrefix(strings.TrimPrefix(version, "go"), "v") + " in the sandbox: " + text, ""}
	if t.Note != "" {
		c.Status, c.Found, c.Do = CheckNote, c.Found+"; "+t.Note, t.Fix
	}
	return c
}

func firstOf(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

// hiddenCheck says which entries of PATH commands do not have.
func hiddenCheck(dropped []toolchain.Dropped, home string) *Check {
	var list []string
	for _, d := range dropped {
		if _, err := os.Stat(d.Dir); err != nil {
			continue // nobody misses it
		}
		if line := fmt.Sprintf("%q: %s", tilde(d.Dir, home), d.Reason); !slices.Contains(list, line) {
			list = append(list, line)
		}
	}
	if len(list) == 0 {
		return nil
	}
	return &Check{"PATH", CheckNote, "commands do not have these entries of it: " + strings.Join(list, "; "),
		"to show one: clew settings set command_share '[\"/home/me/.deno\"]'"}
}

func tilde(path, home string) string {
	if rest, ok := strings.CutPrefix(path, home+"/"); ok {
		return "~/" + rest
	}
	return path
}

// try runs a command in a sandbox of its own and gives the first line that it
// prints.
func try(ctx context.Context, command string, env map[string]string, home string) (string, error) {
	dir, err := os.MkdirTemp("", "clew-doctor-")
	if err != nil {
		return "", err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	work := filepath.Join(dir, "work")
	if err := os.Mkdir(work, 0o755); err != nil {
		return "", err
	}
	for name, text := range trialFiles {
		if err := os.WriteFile(filepath.Join(work, name), []byte(text), 0o600); err != nil {
			return "", err
		}
	}
	root, err := os.OpenRoot(work)
	if err != nil {
		return "", err
	}
	defer func() { _ = root.Close() }()
	s := shell.New(func(context.Context) shell.Options {
		return shell.Options{
			Sandbox: shell.SandboxBwrap, TimeoutSec: tryWithin, Limits: limit.Default(), Marker: "doctor", Cache: filepath.Join(dir, "cache"),
			Toolchains: func(tool.Call) (toolchain.Request, bool) { return toolchain.Request{Environ: env, Home: home}, true },
		}
	})
	defer s.Close()
	input, err := json.Marshal(map[string]string{"command": command})
	if err != nil {
		return "", err
	}
	execute := s.Tools()[slices.IndexFunc(s.Tools(), func(t tool.Tool) bool { return t.Spec().Name == "execute_command" })]
	action, err := execute.Prepare(ctx, tool.Call{ID: "doctor", Input: input, Workspace: &tool.Workspace{Dir: work, Root: root, Ignored: func(string, bool) bool { return false }}})
	if err != nil {
		return "", err
	}
	r, err := action.Run(ctx, silence{})
	if err != nil {
		return "", err
	}
	lines := strings.Split(strings.TrimSpace(r.Shown), "\n")
	last := strings.TrimSpace(lines[len(lines)-1])
	if r.IsError {
		return "", fmt.Errorf("%s said: %s", strings.Fields(command)[0], firstOf(last, "nothing"))
	}
	return strings.TrimSpace(lines[0]), nil
}

// silence is an Output that nobody hears.
type silence struct{}

func (silence) Write(p []byte) (int, error) { return len(p), nil }

func (silence) Progress(clew.ProgressStatus) {}

func (silence) Ask(context.Context, clew.HitlInputRequestData) (clew.HitlResolvedData, error) {
	return clew.HitlResolvedData{}, clew.Errorf(clew.Unavailable, "nobody is there to ask")
}
