package llmtest

import (
	"bytes"
	"fmt"
	"strings"
)

// maxCacheMarks is how many cache breakpoints the vendor takes.
const maxCacheMarks = 4

// check finds what the vendor would refuse.
func (in *anthropicRequest) check() *refusal {
	switch {
	case in.Model == "":
		return badRequest("model: the field is missing")
	case in.MaxTokens == nil:
		return badRequest("max_tokens: the field is missing")
	case *in.MaxTokens < 1:
		return badRequest("max_tokens: must be at least 1")
	case len(in.Messages) == 0:
		return badRequest("messages: at least one message is required")
	}
	for _, check := range []func() *refusal{in.checkThinking, in.checkTools, in.checkCacheMarks, in.checkMessages} {
		if no := check(); no != nil {
			return no
		}
	}
	return nil
}

func (in *anthropicRequest) checkThinking() *refusal {
	const least = 1024
	switch in.Thinking.Type {
	case "", "disabled", "adaptive":
		return nil
	case "enabled":
	default:
		return badRequest("thinking.type: %q is unknown", in.Thinking.Type)
	}
	if in.Thinking.Budget < least {
		return badRequest("thinking.budget_tokens: must be at least %d", least)
	}
	if in.Thinking.Budget >= *in.MaxTokens {
		return badRequest("max_tokens must be greater than thinking.budget_tokens")
	}
	if in.Temperature != nil && *in.Temperature != 1 {
		return badRequest("temperature: must be 1 or left out with thinking")
	}
	return nil
}

func (in *anthropicRequest) checkTools() *refusal {
	seen := map[string]bool{}
	for i, t := range in.Tools {
		if t.Type != "" && t.Type != "custom" {
			continue // the vendor's own tools have no schema
		}
		if no := checkTool(fmt.Sprintf("tools.%d", i), t.Name, t.InputSchema); no != nil {
			return no
		}
		if seen[t.Name] {
			return badRequest("tools: tool names must be unique, %q stands twice", t.Name)
		}
		seen[t.Name] = true
	}
	return nil
}

func (in *anthropicRequest) checkCacheMarks() *refusal {
	marks := in.System.cacheMarks()
	for _, t := range in.Tools {
		if isSet(t.CacheMark) {
			marks++
		}
	}
	for _, m := range in.Messages {
		marks += m.Content.cacheMarks()
	}
	for i, b := range in.System {
		if b.Type != "text" || (b.Text == "" && isSet(b.CacheMark)) {
			return badRequest("system.%d: must be a text, and not empty with cache_control", i)
		}
	}
	if marks > maxCacheMarks {
		return badRequest("at most %d blocks may have cache_control, the request has %d", maxCacheMarks, marks)
	}
	return nil
}

func (b blocks) cacheMarks() int {
	n := 0
	for _, x := range b {
		if isSet(x.CacheMark) {
			n++
		}
		n += x.Content.cacheMarks()
	}
	return n
}

func isSet(mark []byte) bool { return len(mark) > 0 && !bytes.Equal(mark, []byte("null")) }

func (in *anthropicRequest) checkMessages() *refusal {
	var calls ledger
	before := "assistant"
	for i, m := range in.Messages {
		path := fmt.Sprintf("messages.%d", i)
		switch {
		case m.Role != "user" && m.Role != "assistant":
			return badRequest("%s.role: must be user or assistant, not %q", path, m.Role)
		case m.Role == before && i == 0:
			return badRequest("%s: the first message must have the role user", path)
		case m.Role == before:
			return badRequest("%s: roles must alternate, two messages in a row have the role %s", path, m.Role)
		case len(m.Content) == 0:
			return badRequest("%s: messages must have non-empty content", path)
		}
		before = m.Role
		if no := m.check(path, &calls); no != nil {
			return no
		}
	}
	if before == "assistant" {
		return badRequest("messages: the last message must have the role user")
	}
	return calls.settled("messages")
}

// check looks at the blocks of one message.
func (m anthropicMessage) check(path string, calls *ledger) *refusal {
	other := false // something that is no result was seen
	for i, b := range m.Content {
		at := fmt.Sprintf("%s.content.%d", path, i)
		var no *refusal
		switch {
		case b.Type == "tool_result" && m.Role == "user":
			if other {
				return badRequest("%s: tool results must come first in a message", at)
			}
			no = calls.result(at, b.ToolUseID)
		case b.Type == "tool_use" && m.Role == "assistant":
			no = b.checkCall(at, calls)
		default:
			other = true
			no = b.check(at, m.Role)
		}
		if no != nil {
			return no
		}
	}
	if m.Role == "user" {
		return calls.settled(path)
	}
	return nil
}

func (b block) checkCall(at string, calls *ledger) *refusal {
	if !toolName.MatchString(b.ID) || b.Name == "" {
		return badRequest("%s: a tool call needs a name and an id of letters, digits, _ and -", at)
	}
	if !isObject(b.Input) {
		return badRequest("%s.input: must be an object", at)
	}
	return calls.call(at, b.ID)
}

// check looks at a block that is neither a call nor a result.
func (b block) check(at, role string) *refusal {
	switch {
	case b.Type == "text" && strings.TrimSpace(b.Text) == "":
		return badRequest("%s: text blocks must be non-empty and hold more than space", at)
	case b.Type == "text":
		return nil
	case b.Type == "image" && role == "user":
		if b.image() == "" {
			return badRequest("%s.source: the image is missing", at)
		}
		return nil
	case b.Type == "thinking" && role == "assistant":
		if b.Signature != sign(b.Thinking) {
			return badRequest("%s: invalid signature in thinking block", at)
		}
		return nil
	case b.Type == "redacted_thinking" && role == "assistant":
		return nil
	case b.Type == "document" && role == "user":
		return nil
	}
	return badRequest("%s: a block of type %q cannot stand in a message of the role %s", at, b.Type, role)
}
