package policy

import (
	"math/rand/v2"
	"testing"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/settings"
	"github.com/clew-run/clew/internal/tool"
)

// Whatever the call: with the preset sandbox no command runs unasked that no real
// sandbox holds, that has network, that touches something protected, that the deny
// list has or may have, or in a workspace that nobody trusts.
func TestSandboxPresetAllowsNothingElse(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	pick := func(list ...string) string { return list[r.IntN(len(list))] }
	flip := func() bool { return r.IntN(4) > 0 }
	commands := []string{
		"ls", "go test ./...", "rm -rf build", "python3 x.py", "for i in 1 2; do echo $i; done", "curl example.org", "sudo ls", "bash -c 'rm x'",
		"$(echo rm) x", "echo \u202e x", "a && b || c", "echo 'open", "env X=1 make",
	}
	allowed := 0
	for range 20_000 {
		in := input(tool.GroupCommand, settings.Values{AutoApproval: flip(), Permissions: pick("", "ask", "edits", "sandbox", "sandbox", "sandbox"), DeniedCommands: [][]string{nil, {"rm *"}}[r.IntN(2)]})
		in.Spec.Class = clew.ClassOnce
		in.Trusted = flip()
		e := &in.Action.Effect
		e.Command, e.Sandbox, e.Network = pick(commands...), pick("bwrap", "bwrap", "bwrap", "none", "", "docker", "BWRAP"), !flip()
		e.Argv = []string{"bash", "--noprofile", "--norc", "-c", e.Command}
		in.Action.Protected, in.Action.Guarded = !flip(), flip()
		d := Decide(in)
		if d.Kind != Allow {
			continue
		}
		allowed++
		line, err := Parse(e.Command)
		_, hit := line.denied(in.Values.DeniedCommands)
		if in.Values.Permissions != "sandbox" || !in.Values.AutoApproval || !in.Trusted || e.Sandbox != "bwrap" || e.Network || in.Action.Protected || !in.Action.Guarded ||
			err != nil || hit != no || hidden(e.Command) != "" {
			t.Fatalf("%+v\n%+v\nis allowed: %+v", in, in.Action, d)
		}
	}
	if allowed < 100 {
		t.Errorf("only %d were allowed at all", allowed)
	}
}
