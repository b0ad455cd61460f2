package llmtest

import (
	"encoding/json"
	"strings"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/llm"
)

type openaiRequest struct {
	Model               string          `json:"model"`
	Messages            []openaiMessage `json:"messages"`
	Tools               []openaiTool    `json:"tools"`
	MaxTokens           *int            `json:"max_tokens"`
	MaxCompletionTokens *int            `json:"max_completion_tokens"`
	Temperature         *float64        `json:"temperature"`
	ReasoningEffort     string          `json:"reasoning_effort"`
	User                string          `json:"user"`
	SafetyIdentifier    string          `json:"safety_identifier"`
	Stream              bool            `json:"stream"`
	StreamOptions       *struct {
		IncludeUsage bool `json:"include_usage"`
	} `json:"stream_options"`
}

type openaiMessage struct {
	Role             string           `json:"role"`
	Content          blocks           `json:"content"`
	ReasoningContent string           `json:"reasoning_content"`
	Refusal          string           `json:"refusal"`
	ToolCalls        *[]openaiRawCall `json:"tool_calls"`
	ToolCallID       string           `json:"tool_call_id"`
}

type openaiRawCall struct {
	ID       string `json:"id"`
	Type     string `json:"type"`
	Function struct {
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
	} `json:"function"`
}

type openaiTool struct {
	Type     string `json:"type"`
	Function struct {
		Name        string          `json:"name"`
		Description string          `json:"description"`
		Parameters  json.RawMessage `json:"parameters"`
	} `json:"function"`
}

// decodeOpenAI reads and checks a request to /v1/chat/completions.
func decodeOpenAI(body []byte) (*Request, *refusal) {
	r := &Request{Vendor: OpenAI}
	var in openaiRequest
	if err := json.Unmarshal(body, &in); err != nil {
		return r, badRequest("the body is no request: %v", err)
	}
	r.Model, r.Stream, r.Temperature = in.Model, in.Stream, in.Temperature
	r.User = in.User + in.SafetyIdentifier
	r.Thinking = in.ReasoningEffort != "" && in.ReasoningEffort != "none"
	r.includeUsage = in.StreamOptions != nil && in.StreamOptions.IncludeUsage
	for _, limit := range []*int{in.MaxTokens, in.MaxCompletionTokens} {
		if limit != nil {
			r.MaxTokens = *limit
		}
	}
	for _, t := range in.Tools {
		r.Tools = append(r.Tools, llm.Tool{Name: t.Function.Name, Description: t.Function.Description, Schema: t.Function.Parameters})
	}
	in.decodeMessages(r)
	return r, in.check()
}

// decodeMessages brings the messages into our form: what the system says stands
// apart, and all that came between two answers stands in one message.
func (in *openaiRequest) decodeMessages(r *Request) {
	var system []string
	names := map[string]string{}
	for _, m := range in.Messages {
		switch m.Role {
		case "system", "developer":
			system = append(system, m.Content.text())
			continue
		case "tool":
			r.add(clew.SpeakerUser, m.result(names))
		default:
			r.add(clew.Speaker(m.Role), m.parts(names)...)
		}
	}
	r.System = strings.Join(system, "\n")
}

func (r *Request) add(role clew.Speaker, parts ...clew.Part) {
	if n := len(r.Messages); n > 0 && role == clew.SpeakerUser && r.Messages[n-1].Role == role {
		r.Messages[n-1].Content = append(r.Messages[n-1].Content, parts...)
		return
	}
	r.Messages = append(r.Messages, clew.ModelMessage{Role: role, Content: parts})
}

// result reads the result of a tool. The wire has no mark for errors; by custom
// the text begins with the word.
func (m openaiMessage) result(names map[string]string) clew.Part {
	text := m.Content.text()
	return clew.Part{
		Type: clew.PartToolResult, ToolCallID: m.ToolCallID, Tool: names[m.ToolCallID],
		Text: text, IsError: strings.HasPrefix(strings.ToLower(text), "error"),
	}
}

func (m openaiMessage) parts(names map[string]string) []clew.Part {
	var parts []clew.Part
	if m.ReasoningContent != "" {
		parts = append(parts, clew.Part{Type: clew.PartThinking, Text: m.ReasoningContent})
	}
	for _, b := range m.Content {
		if b.Type == "image_url" {
			parts = append(parts, clew.Part{Type: clew.PartImage, Images: []string{b.image()}})
		} else if text := b.Text + b.Refusal; text != "" {
			parts = append(parts, clew.Part{Type: clew.PartText, Text: text})
		}
	}
	for _, c := range m.calls() {
		names[c.ID] = c.Function.Name
		input := json.RawMessage(c.Function.Arguments)
		if !isObject(input) {
			input = json.RawMessage(`{}`) // the check refuses the request
		}
		parts = append(parts, clew.Part{Type: clew.PartToolUse, ToolCallID: c.ID, Tool: c.Function.Name, Input: input})
	}
	return parts
}

func (m openaiMessage) calls() []openaiRawCall {
	if m.ToolCalls == nil {
		return nil
	}
	return *m.ToolCalls
}
