package transfer

import (
	"encoding/json"
	"strings"

	"github.com/clew-run/clew"
)

// A fileModel is a message to or from a model in api_conversation.json.
type fileModel struct {
	Role               string          `json:"role"`
	Content            json.RawMessage `json:"content,omitempty"` // a list of parts, or a text
	TS                 int64           `json:"ts,omitempty"`
	IsSummary          bool            `json:"isSummary,omitempty"`
	CondenseID         string          `json:"condenseId,omitempty"`
	CondenseParent     string          `json:"condenseParent,omitempty"`
	IsTruncationMarker bool            `json:"isTruncationMarker,omitempty"`
	TruncationID       string          `json:"truncationId,omitempty"`
	TruncationParent   string          `json:"truncationParent,omitempty"`

	// Read, and never written: a thought as a message of its own.
	ID        string          `json:"id,omitempty"`
	Type      string          `json:"type,omitempty"` // reasoning
	Summary   json.RawMessage `json:"summary,omitempty"`
	Encrypted string          `json:"encrypted_content,omitempty"`
	Text      string          `json:"text,omitempty"`
}

// A filePart is one piece of it.
type filePart struct {
	Type      string          `json:"type"`
	Text      *string         `json:"text,omitempty"`
	Source    *fileSource     `json:"source,omitempty"` // image
	Thinking  *string         `json:"thinking,omitempty"`
	Signature string          `json:"signature,omitempty"`
	Encrypted string          `json:"encrypted_content,omitempty"`
	ID        string          `json:"id,omitempty"` // tool_use
	Name      string          `json:"name,omitempty"`
	Input     json.RawMessage `json:"input,omitempty"`
	ToolUseID string          `json:"tool_use_id,omitempty"` // tool_result
	Content   json.RawMessage `json:"content,omitempty"`
	IsError   bool            `json:"is_error,omitempty"`
}

type fileSource struct {
	Type      string `json:"type"` // base64 or url
	MediaType string `json:"media_type,omitempty"`
	Data      string `json:"data,omitempty"`
	URL       string `json:"url,omitempty"`
}

func toFileModel(m clew.ModelMessage, p imageCodec) (fileModel, error) {
	f := fileModel{
		Role: string(m.Role), TS: m.TS, IsSummary: m.IsSummary, CondenseID: m.CondenseID, CondenseParent: m.CondenseParent,
		IsTruncationMarker: m.IsTruncationMarker, TruncationID: m.TruncationID, TruncationParent: m.TruncationParent,
	}
	parts := clew.List[filePart]{}
	for _, part := range m.Content {
		converted, err := toFileParts(part, p)
		if err != nil {
			return f, err
		}
		parts = append(parts, converted...)
	}
	var err error
	f.Content, err = clew.MarshalData(parts)
	return f, err
}

func toFileParts(part clew.Part, p imageCodec) ([]filePart, error) {
	switch part.Type {
	case clew.PartImage:
		return sources(part.Images, p), nil
	case clew.PartThinking:
		return []filePart{{Type: "thinking", Thinking: &part.Text, Signature: part.Signature, Encrypted: part.Encrypted}}, nil
	case clew.PartToolUse:
		input := part.Input
		if len(input) == 0 {
			input = json.RawMessage("{}")
		}
		return []filePart{{Type: "tool_use", ID: part.ToolCallID, Name: part.Tool, Input: input}}, nil
	case clew.PartToolResult:
		var content any = part.Text
		if len(part.Images) > 0 {
			content = append([]filePart{{Type: "text", Text: &part.Text}}, sources(part.Images, p)...)
		}
		raw, err := clew.MarshalData(content)
		return []filePart{{Type: "tool_result", ToolUseID: part.ToolCallID, Content: raw, IsError: part.IsError}}, err
	case clew.PartText:
	}
	return []filePart{{Type: "text", Text: &part.Text, Signature: part.Signature}}, nil
}

func sources(images []string, p imageCodec) []filePart {
	var parts []filePart
	for _, image := range images {
		image = p.inline(image)
		kind, data, ok := strings.Cut(strings.TrimPrefix(image, "data:"), ";base64,")
		source := &fileSource{Type: "base64", MediaType: kind, Data: data}
		if !ok || !strings.HasPrefix(image, "data:") {
			source = &fileSource{Type: "url", URL: image}
		}
		parts = append(parts, filePart{Type: "image", Source: source})
	}
	return parts
}

// fromFileModel reads a message. tools says which tool a call in an earlier
// message was of, and is added to.
func fromFileModel(raw []byte, p imageCodec, tools map[string]string) (clew.ModelMessage, error) {
	var f fileModel
	if err := json.Unmarshal(raw, &f); err != nil {
		return clew.ModelMessage{}, err
	}
	m := clew.ModelMessage{
		Role: clew.Speaker(f.Role), TS: f.TS, IsSummary: f.IsSummary, CondenseID: f.CondenseID, CondenseParent: f.CondenseParent,
		IsTruncationMarker: f.IsTruncationMarker, TruncationID: f.TruncationID, TruncationParent: f.TruncationParent,
	}
	if f.Type == "reasoning" {
		m.Role = clew.SpeakerAssistant
		m.Content = clew.List[clew.Part]{{Type: clew.PartThinking, Text: thought(f), Encrypted: f.Encrypted}}
		return m, nil
	}
	if m.Role != clew.SpeakerUser && m.Role != clew.SpeakerAssistant {
		return m, bad("role is %q instead of user or assistant", f.Role)
	}
	parts, err := readParts(f.Content)
	if err != nil {
		return m, err
	}
	for _, part := range parts {
		got, err := fromFilePart(part, p, tools)
		if err != nil {
			return m, err
		}
		m.Content = append(m.Content, got)
	}
	return m, nil
}

// thought is the text of a thought that is a message of its own.
func thought(f fileModel) string {
	var summary []struct {
		Text string `json:"text"`
	}
	if f.Text != "" || json.Unmarshal(f.Summary, &summary) != nil {
		return f.Text
	}
	var texts []string
	for _, s := range summary {
		texts = append(texts, s.Text)
	}
	return strings.Join(texts, "\n")
}

// readParts reads a list of parts, or a text in their place.
func readParts(raw json.RawMessage) ([]filePart, error) {
	if len(raw) == 0 || string(raw) == "null" {
		return nil, nil
	}
	if raw[0] == '"' {
		var text string
		if err := json.Unmarshal(raw, &text); err != nil {
			return nil, err
		}
		return []filePart{{Type: "text", Text: &text}}, nil
	}
	var parts []filePart
	err := json.Unmarshal(raw, &parts)
	return parts, err
}

func fromFilePart(f filePart, p imageCodec, tools map[string]string) (clew.Part, error) {
	switch f.Type {
	case "text":
		return clew.Part{Type: clew.PartText, Text: text(f.Text), Signature: f.Signature}, nil
	case "thinking":
		return clew.Part{Type: clew.PartThinking, Text: text(f.Thinking), Signature: f.Signature, Encrypted: f.Encrypted}, nil
	case "image":
		return fromSource(f.Source, p)
	case "tool_use":
		var object map[string]json.RawMessage
		if len(f.Input) > 0 && json.Unmarshal(f.Input, &object) != nil {
			return clew.Part{}, bad("the input of a tool_use is an object")
		}
		tools[f.ID] = f.Name
		return clew.Part{Type: clew.PartToolUse, ToolCallID: f.ID, Tool: f.Name, Input: compact(f.Input)}, nil
	case "tool_result":
		return fromResult(f, p, tools)
	}
	return clew.Part{}, bad("a part of type %q is not known", f.Type)
}

func fromSource(s *fileSource, p imageCodec) (clew.Part, error) {
	if s == nil {
		return clew.Part{}, bad("an image has a source")
	}
	if s.Type != "base64" { // its bytes are not here
		return clew.Part{Type: clew.PartText, Text: "[an image that is not in the file]"}, nil
	}
	stored, err := p.store("data:" + s.MediaType + ";base64," + s.Data)
	return clew.Part{Type: clew.PartImage, Images: []string{stored}}, err
}

func fromResult(f filePart, p imageCodec, tools map[string]string) (clew.Part, error) {
	result := clew.Part{Type: clew.PartToolResult, ToolCallID: f.ToolUseID, Tool: tools[f.ToolUseID], IsError: f.IsError}
	parts, err := readParts(f.Content)
	if err != nil {
		return result, err
	}
	var texts []string
	for _, inner := range parts {
		got, err := fromFilePart(inner, p, tools)
		if err != nil {
			return result, err
		}
		if got.Type == clew.PartImage {
			result.Images = append(result.Images, got.Images...)
			continue
		}
		texts = append(texts, got.Text)
	}
	result.Text = strings.Join(texts, "\n")
	return result, nil
}

func text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}
