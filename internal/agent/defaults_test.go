package agent_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/clew-run/clew"
)

// With no settings at all the files of the workspace are read without a question.
// Secrets, changes and commands are asked about; what .clewignore hides and what lies
// outside is refused.
func TestDefaultsReadAndAsk(t *testing.T) {
	run(t, nil, func(w *world) {
		w.tools = append(w.tools, commander())
		for name, text := range map[string]string{"a.txt": "plain words", ".env": "TOKEN=abc", "hidden.txt": "not for agents", ".clewignore": "hidden.txt\n"} {
			if err := os.WriteFile(filepath.Join(w.dir, name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		w.say("go")
		for _, want := range []struct {
			id  string
			ask clew.Ask
		}{{"secret", clew.AskTool}, {"write", clew.AskTool}, {"command", clew.AskCommand}} {
			if q := w.asked(want.ask); q.ToolCallID != want.id {
				t.Fatalf("asked about %s, want %s", q.ToolCallID, want.id)
			}
			w.no()
		}
		w.idle()
		w.ranBy("read", "Read a.txt", &clew.AllowedBy{Scope: clew.AllowedBySettings, Rule: "always_allow_read_only"})
		said := fmt.Sprint(w.model.requests[len(w.model.requests)-1].Messages)
		for _, secret := range []string{"TOKEN=abc", "not for agents"} {
			if strings.Contains(said, secret) {
				t.Errorf("the model was shown %q", secret)
			}
		}
		if !strings.Contains(said, "plain words") {
			t.Error("the file was not read")
		}
	}, calls(call("read", "read_file", `{"path":"a.txt"}`)), calls(call("secret", "read_file", `{"path":".env"}`)),
		calls(call("ignored", "read_file", `{"path":"hidden.txt"}`)), calls(call("outside", "read_file", `{"path":"/etc/passwd"}`)),
		calls(call("search", "search_files", `{"pattern":"TOKEN"}`)),
		calls(call("write", "write_file", `{"path":"b.txt","content":"x"}`)), calls(command("command", "go test ./a")), says("Done."))
}
