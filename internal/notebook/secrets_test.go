package notebook_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/clew-run/clew/internal/notebook"
	"github.com/clew-run/clew/internal/notebook/kernel"
	"github.com/clew-run/clew/internal/notebook/process"
)

// What somebody typed at getpass() is not among the variables, though the kernel was never
// asked for them before. A kernel that does not remember what was typed tells nothing of them.
func TestPasswordIsNoVariable(t *testing.T) {
	for name, env := range map[string]map[string]string{
		"as clew starts it":     nil,
		"with its own settings": {"IPYTHONDIR": "/tmp/own"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k, client := startKernel(t, process.Start{ID: "kn_secret", Env: env}, t.TempDir())
			t.Cleanup(k.Release)
			told := variablesAfter(t, client, "import getpass\npw = getpass.getpass('key? ')\nkept = 'kept'", "geheim")
			if strings.Contains(told, "geheim") || (env == nil) != strings.Contains(told, "'kept'") {
				t.Errorf("of the variables is told %q", told)
			}
		})
	}
}

// variablesAfter runs a cell that asks something, and gives what the kernel tells of its
// variables then, "" for nothing.
func variablesAfter(t *testing.T, client *kernel.Client, code, answer string) string {
	t.Helper()
	err := client.Execute(t.Context(), kernel.Execute{MsgID: "cell", Code: code, AllowStdin: true})
	if err == nil {
		err = client.Execute(t.Context(), kernel.Execute{MsgID: "told", Silent: true, UserExpressions: map[string]string{"v": notebook.VariablesExpression}})
	}
	if err != nil {
		t.Fatal(err)
	}
	for m := range client.Messages() {
		switch {
		case m.Type == "input_request":
			if err := client.Reply(t.Context(), m, []byte(answer)); err != nil {
				t.Fatal(err)
			}
		case m.Type == "execute_reply" && m.ParentID == "told":
			var r struct {
				Expressions map[string]struct {
					Data map[string]string `json:"data"`
				} `json:"user_expressions"`
			}
			if err := json.Unmarshal(m.Content, &r); err != nil {
				t.Fatal(err)
			}
			return r.Expressions["v"].Data["text/plain"]
		}
	}
	t.Fatal("the kernel is gone")
	return ""
}
