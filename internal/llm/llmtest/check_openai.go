package llmtest

import (
	"encoding/json"
	"fmt"
)

// check finds what the vendor would refuse.
func (in *openaiRequest) check() *refusal {
	switch {
	case in.Model == "":
		return badRequest("you must provide a model parameter")
	case len(in.Messages) == 0:
		return badRequest("messages: the list is too short")
	case in.StreamOptions != nil && !in.Stream:
		return badRequest("stream_options: only allowed with stream")
	case in.MaxTokens != nil && in.MaxCompletionTokens != nil:
		return badRequest("max_tokens and max_completion_tokens cannot both be set")
	}
	for i, t := range in.Tools {
		path := fmt.Sprintf("tools[%d]", i)
		if t.Type != "function" {
			return badRequest("%s.type: must be function", path)
		}
		if no := checkTool(path, t.Function.Name, t.Function.Parameters); no != nil {
			return no
		}
	}
	return in.checkMessages()
}

func (in *openaiRequest) checkMessages() *refusal {
	var calls ledger
	answered := false // the last message, system aside, is an answer
	for i, m := range in.Messages {
		path := fmt.Sprintf("messages[%d]", i)
		if no := m.check(path, &calls); no != nil {
			return no
		}
		answered = m.Role == "assistant"
	}
	if answered {
		return badRequest("messages: the last message must not be the assistant's")
	}
	return calls.settled("messages")
}

func (m openaiMessage) check(path string, calls *ledger) *refusal {
	if m.Role != "tool" {
		if no := calls.settled(path); no != nil {
			return no
		}
	}
	switch m.Role {
	case "system", "developer", "user":
		return m.checkContent(path)
	case "assistant":
		return m.checkAnswer(path, calls)
	case "tool":
		for _, b := range m.Content {
			if b.Type != "text" {
				return badRequest("%s.content: the result of a tool is text, not %q", path, b.Type)
			}
		}
		return calls.result(path, m.ToolCallID)
	}
	return badRequest("%s.role: %q is unknown", path, m.Role)
}

func (m openaiMessage) checkContent(path string) *refusal {
	if len(m.Content) == 0 {
		return badRequest("%s.content: must not be empty", path)
	}
	for _, b := range m.Content {
		switch {
		case b.Type == "text" && b.Text != "":
		case b.Type == "image_url" && b.ImageURL.URL != "" && m.Role == "user":
		default:
			return badRequest("%s.content: an empty block, or one of type %q that cannot stand here", path, b.Type)
		}
	}
	return nil
}

func (m openaiMessage) checkAnswer(path string, calls *ledger) *refusal {
	if m.ToolCalls != nil && len(*m.ToolCalls) == 0 {
		return badRequest("%s.tool_calls: the list is too short", path)
	}
	if m.Content.text() == "" && m.Refusal == "" && m.ToolCalls == nil {
		return badRequest("%s.content: must not be empty", path)
	}
	for i, c := range m.calls() {
		at := fmt.Sprintf("%s.tool_calls[%d]", path, i)
		if c.Type != "function" || c.Function.Name == "" {
			return badRequest("%s: must be a function with a name", at)
		}
		if !isObject(json.RawMessage(c.Function.Arguments)) {
			return badRequest("%s.function.arguments: must be a JSON object", at)
		}
		if no := calls.call(at, c.ID); no != nil {
			return no
		}
	}
	return nil
}
