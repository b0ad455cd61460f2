package agent

import (
	"testing"

	"github.com/clew-run/clew"
)

// A history of an earlier version, with one name for two calls, is sent with a name
// for each, and the results go with them.
func TestRepeatedCallNamesAreSentApart(t *testing.T) {
	call := func(id string) clew.ModelMessage {
		return clew.ModelMessage{Role: clew.SpeakerAssistant, Content: clew.List[clew.Part]{{Type: clew.PartToolUse, ToolCallID: id, Tool: "t"}}}
	}
	result := func(id, text string) clew.ModelMessage {
		return clew.ModelMessage{Role: clew.SpeakerUser, Content: clew.List[clew.Part]{{Type: clew.PartToolResult, ToolCallID: id, Text: text}}}
	}
	list := []clew.ModelMessage{call("x"), result("x", "1"), call("call_words"), result("call_words", "2"), call("call_words"), result("call_words", "3"), call("y"), result("y", "4")}
	sent := distinctCalls(list)
	named := map[string]bool{}
	for i := 0; i < len(sent); i += 2 {
		name := sent[i].Content[0].ToolCallID
		if named[name] || sent[i+1].Content[0].ToolCallID != name {
			t.Errorf("call %d is named %q, and its result %q", i, name, sent[i+1].Content[0].ToolCallID)
		}
		named[name] = true
	}
	if list[4].Content[0].ToolCallID != "call_words" || sent[0].Content[0].ToolCallID != "x" || sent[6].Content[0].ToolCallID != "y" {
		t.Errorf("recorded is %+v, sent is %+v", list, sent)
	}
}
