package llmtest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/llm"
)

type anthropicRequest struct {
	Model       string             `json:"model"`
	MaxTokens   *int               `json:"max_tokens"`
	System      blocks             `json:"system"`
	Messages    []anthropicMessage `json:"messages"`
	Tools       []anthropicTool    `json:"tools"`
	Stream      bool               `json:"stream"`
	Temperature *float64           `json:"temperature"`
	Thinking    struct {
		Type   string `json:"type"`
		Budget int    `json:"budget_tokens"`
	} `json:"thinking"`
	Metadata struct {
		UserID string `json:"user_id"`
	} `json:"metadata"`
}

type anthropicMessage struct {
	Role    string `json:"role"`
	Content blocks `json:"content"`
}

type anthropicTool struct {
	Type        string          `json:"type"`
	Name        string          `json:"name"`
	Description string          `json:"description"`
	InputSchema json.RawMessage `json:"input_schema"`
	CacheMark   json.RawMessage `json:"cache_control"`
}

// blocks is content: a list of blocks, or a text that stands for one.
type blocks []block

type block struct {
	Type      string          `json:"type"`
	Text      string          `json:"text"`
	Thinking  string          `json:"thinking"`
	Signature string          `json:"signature"`
	Data      string          `json:"data"` // redacted_thinking
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Input     json.RawMessage `json:"input"`
	ToolUseID string          `json:"tool_use_id"`
	IsError   bool            `json:"is_error"`
	Content   blocks          `json:"content"`
	CacheMark json.RawMessage `json:"cache_control"`
	Source    struct {
		Type      string `json:"type"`
		MediaType string `json:"media_type"`
		Data      string `json:"data"`
		URL       string `json:"url"`
	} `json:"source"`
	// ImageURL is OpenAI's form of an image.
	ImageURL struct {
		URL string `json:"url"`
	} `json:"image_url"`
	Refusal string `json:"refusal"`
}

func (b *blocks) UnmarshalJSON(data []byte) error {
	if string(data) == "null" {
		return nil
	}
	if data[0] == '"' {
		var s string
		if err := json.Unmarshal(data, &s); err != nil {
			return err
		}
		*b = blocks{{Type: "text", Text: s}}
		return nil
	}
	return json.Unmarshal(data, (*[]block)(b))
}

// text joins the text blocks.
func (b blocks) text() string {
	var texts []string
	for _, x := range b {
		if x.Type == "text" {
			texts = append(texts, x.Text)
		}
	}
	return strings.Join(texts, "\n")
}

func (b block) image() string {
	switch {
	case b.ImageURL.URL != "":
		return b.ImageURL.URL
	case b.Source.Type == "base64":
		return fmt.Sprintf("data:%s;base64,%s", b.Source.MediaType, b.Source.Data)
	}
	return b.Source.URL
}

// decodeAnthropic reads and checks a request to /v1/messages.
func decodeAnthropic(header http.Header, body []byte) (*Request, *refusal) {
	r := &Request{Vendor: Anthropic}
	if header.Get("Anthropic-Version") == "" {
		return r, badRequest("anthropic-version: the header is missing")
	}
	var in anthropicRequest
	if err := json.Unmarshal(body, &in); err != nil {
		return r, badRequest("the body is no request: %v", err)
	}
	return r, in.decode(r)
}

// decode fills in r and checks the request.
func (in *anthropicRequest) decode(r *Request) *refusal {
	r.Model, r.System, r.Stream, r.Temperature, r.User = in.Model, in.System.text(), in.Stream, in.Temperature, in.Metadata.UserID
	r.Thinking = in.Thinking.Type == "enabled" || in.Thinking.Type == "adaptive"
	if in.MaxTokens != nil {
		r.MaxTokens = *in.MaxTokens
	}
	for _, t := range in.Tools {
		r.Tools = append(r.Tools, llm.Tool{Name: t.Name, Description: t.Description, Schema: t.InputSchema})
	}
	names := map[string]string{}
	for _, m := range in.Messages {
		r.Messages = append(r.Messages, m.decode(names))
	}
	return in.check()
}

// decode turns a message into ours. names has the tool of each call so far.
func (m anthropicMessage) decode(names map[string]string) clew.ModelMessage {
	out := clew.ModelMessage{Role: clew.Speaker(m.Role)}
	for _, b := range m.Content {
		out.Content = append(out.Content, b.decode(names))
	}
	return out
}

func (b block) decode(names map[string]string) clew.Part {
	switch b.Type {
	case "image":
		return clew.Part{Type: clew.PartImage, Images: []string{b.image()}}
	case "thinking":
		return clew.Part{Type: clew.PartThinking, Text: b.Thinking, Signature: b.Signature}
	case "redacted_thinking":
		return clew.Part{Type: clew.PartThinking, Encrypted: b.Data}
	case "tool_use":
		names[b.ID] = b.Name
		return clew.Part{Type: clew.PartToolUse, ToolCallID: b.ID, Tool: b.Name, Input: b.Input}
	case "tool_result":
		p := clew.Part{Type: clew.PartToolResult, ToolCallID: b.ToolUseID, Tool: names[b.ToolUseID], Text: b.Content.text(), IsError: b.IsError}
		for _, c := range b.Content {
			if c.Type == "image" {
				p.Images = append(p.Images, c.image())
			}
		}
		return p
	}
	return clew.Part{Type: clew.PartText, Text: b.Text}
}
