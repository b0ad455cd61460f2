package shell

import (
	"strconv"
	"strings"
	"testing"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/poll"
	"github.com/clew-run/clew/internal/tool"
	"github.com/clew-run/clew/internal/tool/limit"
	"github.com/clew-run/clew/internal/tool/limit/limittest"
)

// eat is a command that uses so much memory, and stops there.
func eat(mb int) string {
	return "set -o pipefail; head -c " + strconv.Itoa(mb) + "m /dev/zero | tail | wc -c"
}

// A command that meets a limit says which.
func TestCommandSaysWhichLimitItReached(t *testing.T) {
	groups := limittest.Groups(t)
	for name, c := range map[string]struct {
		limits  limit.Limits
		command string
		reached clew.CommandLimit
	}{
		"memory":       {limit.Limits{Memory: 64 << 20, Processes: 100}, eat(300), clew.LimitMemory},
		"/tmp counts":  {limit.Limits{Memory: 64 << 20, Processes: 100}, "head -c 300m /dev/zero >/tmp/x", clew.LimitMemory},
		"processes":    {limit.Limits{Memory: 256 << 20, Processes: 20}, "exec sh -c 'for i in $(seq 60); do sleep 60 & done'", clew.LimitProcesses},
		"size of file": {limit.Limits{FileSize: 1 << 20}, "head -c 3m /dev/zero >x", clew.LimitFileSize},
		"none":         {limit.Limits{Memory: 256 << 20, Processes: 100}, eat(20) + "; false", ""},
	} {
		t.Run(name, func(t *testing.T) {
			b := sandboxed(t, Options{Groups: groups, Limits: c.limits, Total: limit.Limits{Memory: 1 << 30, Processes: 1000}})
			if _, r := b.run(c.command); !r.IsError || r.LimitReached != c.reached || c.reached != "" && !strings.Contains(r.Text, "[It reached ") {
				t.Errorf("%+v", r)
			}
		})
	}
}

// All commands of a user together have a limit, too, which another user's do not
// count for.
func TestCommandsOfAUserTogether(t *testing.T) {
	total := limit.Limits{Processes: 40}
	b := sandboxed(t, Options{Groups: limittest.Groups(t), Limits: limit.Limits{Processes: 30}, Total: total})
	as := func(user clew.UserID, input map[string]any) tool.Result {
		t.Helper()
		call := b.call(input)
		call.Owner = user
		a, err := executeCommand{b.shell}.Prepare(t.Context(), call)
		if err != nil {
			t.Fatal(err)
		}
		r, err := a.Run(t.Context(), newCapture())
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	as("ann", map[string]any{"command": "for i in $(seq 20); do sleep 60 & done; touch there; wait", "background": true})
	poll.Until(t, "20 processes of ann", func() bool { _, err := b.ws.Root.Stat("there"); return err == nil })
	many := map[string]any{"command": "exec sh -c 'for i in $(seq 20); do sleep 60 & done'"}
	if r := as("ann", many); !strings.Contains(r.Text, "annot fork") {
		t.Errorf("two commands of one user: %s", r.Text)
	}
	if r := as("bob", many); strings.Contains(r.Text, "annot fork") {
		t.Errorf("another user's command: %s", r.Text)
	}
}

// What leaves its parents, session and process group is in the control group
// still, and ends with the command.
func TestGroupEndsWhatForksAway(t *testing.T) {
	groups := limittest.Version2(t)
	eachSandbox(t, func(t *testing.T, opts Options) {
		opts.Groups = groups
		b := newBench(t, opts)
		mark := secret()
		b.run("env -i setsid sh -c 'setsid sleep " + mark + " >/dev/null 2>&1 &' & sleep 0.2")
		if left := alive(mark); len(left) > 0 {
			t.Errorf("processes %v are left", left)
		}
		b.use(executeCommand{b.shell}, map[string]any{"command": "trap '' TERM; sleep " + mark + " & wait; wait", "background": true})
		poll.Until(t, "a command in the background", func() bool { return len(alive(mark)) > 0 })
		b.use(stopCommand{b.shell}, map[string]any{"id": "cmd_1"})
		if left := alive(mark); len(left) > 0 {
			t.Errorf("processes %v are left", left)
		}
	})
}
