package policy_test

import (
	"context"
	"encoding/json"
	"reflect"
	"testing"

	"github.com/clew-run/clew/internal/settings"
	"github.com/clew-run/clew/internal/tool"
	"github.com/clew-run/clew/internal/tool/policy"
	"github.com/clew-run/clew/internal/tool/shell"
	"github.com/clew-run/clew/internal/tool/workspace"
)

// The tool for commands and the policy must mean the same by an effect: a
// covered command is allowed as the tool prepares it, and again as rewritten.
func TestCommandsAsTheToolPreparesThem(t *testing.T) {
	v := settings.Values{AutoApproval: true, AllowExecute: true, AllowedCommands: []string{"echo *"},
		CommandEnv: map[string]string{"GIT_DIR": "elsewhere"}}
	s := shell.New(func(context.Context) shell.Options {
		return shell.Options{Sandbox: shell.SandboxNone, Env: v.CommandEnv}
	})
	t.Cleanup(s.Close)
	ws, err := workspace.Open(t.TempDir(), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = workspace.Close(ws) })
	execute := s.Tools()[0]
	decide := func(input json.RawMessage) policy.Decision {
		action, err := execute.Prepare(t.Context(), tool.Call{ID: "1", Input: input, Workspace: ws})
		if err != nil {
			t.Fatal(err)
		}
		return policy.Decide(policy.Input{Spec: execute.Spec(), Action: action, Values: v, Trusted: true})
	}
	first := decide(json.RawMessage(`{"command":"echo \"a b\" | echo c"}`))
	if first.Kind != policy.Allow || first.Run != `'echo' 'a b' | 'echo' 'c'` {
		t.Fatalf("%+v", first)
	}
	input, err := first.Rewrite(json.RawMessage(`{"command":"echo \"a b\" | echo c"}`))
	if err != nil {
		t.Fatal(err)
	}
	if again := decide(input); !reflect.DeepEqual(again, first) {
		t.Errorf("%+v", again)
	}
	if d := decide(json.RawMessage(`{"command":"echo $(id)"}`)); d.Kind != policy.Ask {
		t.Errorf("%+v", d)
	}
}
