package llmtest

import (
	"os"
	"strings"
	"testing"
)

// The examples in the document are scripts, and every item and condition has its
// place there.
func TestDocument(t *testing.T) {
	data, err := os.ReadFile("../../../docs/scripted-model.md")
	if err != nil {
		t.Fatal(err)
	}
	text := string(data)
	examples := 0
	for _, block := range strings.Split(text, "```yaml\n")[1:] {
		script, _, _ := strings.Cut(block, "```")
		if _, err := Parse([]byte(script)); err != nil {
			t.Errorf("%v in\n%s", err, script)
		}
		examples++
	}
	if examples == 0 {
		t.Error("there are no examples")
	}
	conditions := []string{"last_user", "system", "model", "tool_result", "has_tool", "call", "turn"}
	for _, name := range append(conditions, kinds...) {
		if !strings.Contains(text, "`"+name+"`") {
			t.Errorf("%s is not described", name)
		}
	}
}
