package policy

import (
	"math/rand/v2"
	"testing"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/settings"
	"github.com/clew-run/clew/internal/tool"
)

// notebookCall is a call of a tool for notebooks in a sandbox that holds the kernel.
func notebookCall(class clew.ToolClass, runs bool, v settings.Values) Input {
	v.AutoApproval = true
	in := input(tool.GroupNotebook, v)
	in.Spec.Class, in.Trusted = class, true
	in.Action.Runs, in.Action.Guarded, in.Action.Effect.Sandbox = runs, true, "bwrap"
	return in
}

// A call is decided by what it does, whatever there is to show of it: a cell without a
// source starts a kernel, too.
func TestNotebookCalls(t *testing.T) {
	edits, executes, sandbox := settings.Values{AllowWrite: true}, settings.Values{AllowExecute: true}, settings.Values{Permissions: settings.PresetSandbox}
	denies := settings.Values{AllowExecute: true, Permissions: settings.PresetSandbox, DeniedCommands: []string{"rm *"}}
	online := settings.Values{AllowExecute: true, CommandNetwork: true}
	unheld := func(a *tool.Action) { a.Effect.Sandbox, a.Effect.Network, a.Guarded = "none", true, false }
	network := func(a *tool.Action) { a.Effect.Network = true }
	bare := func(a *tool.Action) { a.Guarded = false }
	for name, c := range map[string]struct {
		class  clew.ToolClass
		runs   bool
		values settings.Values
		change func(*tool.Action)
		want   Kind
	}{
		"an edit":                                  {clew.ClassCheckable, false, edits, nil, Allow},
		"an edit, not allowed":                     {clew.ClassCheckable, false, executes, nil, Ask},
		"an empty cell is no edit":                 {clew.ClassCheckable, true, edits, nil, Ask},
		"a cell":                                   {clew.ClassCheckable, true, executes, nil, Allow},
		"a cell, denied commands":                  {clew.ClassCheckable, true, denies, nil, Ask},
		"a cell, no sandbox":                       {clew.ClassCheckable, true, executes, unheld, Ask},
		"a cell, a network that there should be":   {clew.ClassCheckable, true, online, network, Allow},
		"a cell, a network that is off by now":     {clew.ClassCheckable, true, executes, network, Ask},
		"a cell, preset":                           {clew.ClassCheckable, true, sandbox, nil, Allow},
		"a cell, preset, network":                  {clew.ClassCheckable, true, sandbox, network, Ask},
		"a cell, preset, not guarded":              {clew.ClassCheckable, true, sandbox, bare, Ask},
		"a restart":                                {clew.ClassRepeatable, true, executes, nil, Allow},
		"a restart with the right to edit":         {clew.ClassRepeatable, true, edits, nil, Ask},
		"a restart, no sandbox":                    {clew.ClassRepeatable, true, executes, unheld, Ask},
		"a restart, denied commands":               {clew.ClassRepeatable, true, denies, nil, Ask},
		"a restart, the workspace's own":           {clew.ClassRepeatable, true, executes, func(a *tool.Action) { a.Protected = true }, Ask},
		"a restart, preset":                        {clew.ClassRepeatable, true, sandbox, nil, Allow},
		"a restart, preset, not guarded":           {clew.ClassRepeatable, true, sandbox, bare, Ask},
		"an interrupt":                             {clew.ClassRepeatable, false, executes, unheld, Allow},
		"an interrupt, denied commands":            {clew.ClassRepeatable, false, denies, nil, Allow},
		"an interrupt with the right to edit only": {clew.ClassRepeatable, false, edits, nil, Ask},
	} {
		in := notebookCall(c.class, c.runs, c.values)
		if c.change != nil {
			c.change(in.Action)
		}
		if d := Decide(in); d.Kind != c.want {
			t.Errorf("%s: %s, %s", name, d.Kind, d.Reason)
		}
	}
}

// Whatever the call: nothing of a notebook runs unasked that no real sandbox holds, that
// has a network which the settings do not give, or where a command is forbidden; and with
// the preset alone nothing that has a network at all or could read secrets.
func TestNothingRunsUnheld(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	flip := func() bool { return r.IntN(3) > 0 }
	allowed := 0
	for range 20_000 {
		v := settings.Values{AllowWrite: flip(), AllowExecute: flip(), AllowReadOnly: flip(), CommandNetwork: flip(), Permissions: []string{"", settings.PresetSandbox}[r.IntN(2)]}
		v.DeniedCommands = [][]string{nil, nil, {"rm *"}}[r.IntN(3)]
		in := notebookCall([]clew.ToolClass{clew.ClassCheckable, clew.ClassRepeatable}[r.IntN(2)], true, v)
		a := in.Action
		a.Effect.Command = []string{"", "1+1"}[r.IntN(2)]
		a.Effect.Sandbox, a.Effect.Network = []string{"bwrap", "bwrap", "none", "", "BWRAP"}[r.IntN(5)], !flip()
		a.Guarded, a.Protected = flip(), !flip()
		if Decide(in).Kind != Allow {
			continue
		}
		allowed++
		if a.Effect.Sandbox != "bwrap" || a.Protected || len(v.DeniedCommands) > 0 || a.Effect.Network && !v.CommandNetwork ||
			!v.AllowExecute && (v.Permissions != settings.PresetSandbox || a.Effect.Network || !a.Guarded) {
			t.Fatalf("%+v\n%+v\nis allowed", v, a)
		}
	}
	if allowed < 100 {
		t.Errorf("only %d were allowed at all", allowed)
	}
}
