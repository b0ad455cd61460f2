package llmtest

import (
	"encoding/json"
	"strings"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/llm"
)

type geminiRequest struct {
	Contents []geminiContent `json:"contents"`
	System   geminiContent   `json:"systemInstruction"`
	Tools    []struct {
		Functions []geminiFunction `json:"functionDeclarations"`
	} `json:"tools"`
	Config struct {
		MaxTokens   *int     `json:"maxOutputTokens"`
		Temperature *float64 `json:"temperature"`
		Thinking    struct {
			Include bool   `json:"includeThoughts"`
			Budget  *int   `json:"thinkingBudget"`
			Level   string `json:"thinkingLevel"`
		} `json:"thinkingConfig"`
	} `json:"generationConfig"`
}

type geminiFunction struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	JSONSchema  json.RawMessage `json:"parametersJsonSchema"`
	Parameters  json.RawMessage `json:"parameters"` // types are in capitals here
}

func (f geminiFunction) schema() json.RawMessage {
	if len(f.JSONSchema) > 0 {
		return f.JSONSchema
	}
	return json.RawMessage(strings.Replace(string(f.Parameters), `"OBJECT"`, `"object"`, 1))
}

type geminiContent struct {
	Role  string       `json:"role"`
	Parts []geminiPart `json:"parts"`
}

type geminiPart struct {
	Text      *string         `json:"text"`
	Thought   bool            `json:"thought"`
	Signature string          `json:"thoughtSignature"`
	Inline    *geminiImage    `json:"inlineData"`
	Call      *geminiCall     `json:"functionCall"`
	Response  *geminiResponse `json:"functionResponse"`
}

type geminiImage struct {
	MediaType string `json:"mimeType"`
	Data      string `json:"data"`
}

type geminiCall struct {
	ID   string          `json:"id"`
	Name string          `json:"name"`
	Args json.RawMessage `json:"args"`
}

type geminiResponse struct {
	ID       string                     `json:"id"`
	Name     string                     `json:"name"`
	Response map[string]json.RawMessage `json:"response"`
}

// decodeGemini reads and checks a request to a model's :generateContent or
// :streamGenerateContent.
func decodeGemini(model string, stream bool, body []byte) (*Request, *refusal) {
	r := &Request{Vendor: Gemini, Model: model, Stream: stream, led: map[string]bool{}}
	var in geminiRequest
	if err := json.Unmarshal(camelCase(body), &in); err != nil {
		return r, badRequest("Invalid JSON payload received: %v", err)
	}
	r.System, r.Temperature = in.System.text(), in.Config.Temperature
	r.Thinking = in.Config.Thinking.Include
	r.sealed = true // whether its thoughts are shown or not
	if in.Config.MaxTokens != nil {
		r.MaxTokens = *in.Config.MaxTokens
	}
	for _, t := range in.Tools {
		for _, f := range t.Functions {
			r.Tools = append(r.Tools, llm.Tool{Name: f.Name, Description: f.Description, Schema: f.schema()})
		}
	}
	for _, c := range in.Contents {
		role := clew.SpeakerUser
		if c.Role == "model" {
			role = clew.SpeakerAssistant
		}
		for _, p := range c.Parts {
			r.join(role, p.decode())
			if p.Call != nil {
				r.led[p.Call.ID] = p.Signature != ""
			}
		}
	}
	return r, in.check()
}

// camelCase writes the names of fields as the vendor's documents do. It takes them
// with underscores too, and its own SDKs mix both. What a tool takes and gives stays.
func camelCase(data json.RawMessage) json.RawMessage {
	var list []json.RawMessage
	if json.Unmarshal(data, &list) == nil && list != nil {
		for i := range list {
			list[i] = camelCase(list[i])
		}
		out, _ := json.Marshal(list)
		return out
	}
	var fields map[string]json.RawMessage
	if json.Unmarshal(data, &fields) != nil || fields == nil {
		return data
	}
	renamed := map[string]json.RawMessage{}
	for name, value := range fields {
		words := strings.Split(name, "_")
		for i, w := range words[1:] {
			if w != "" {
				words[i+1] = strings.ToUpper(w[:1]) + w[1:]
			}
		}
		name = strings.Join(words, "")
		if name != "args" && name != "response" && name != "parameters" && name != "parametersJsonSchema" {
			value = camelCase(value)
		}
		renamed[name] = value
	}
	out, _ := json.Marshal(renamed)
	return out
}

func (c geminiContent) text() string {
	var texts []string
	for _, p := range c.Parts {
		if p.Text != nil {
			texts = append(texts, *p.Text)
		}
	}
	return strings.Join(texts, "\n")
}

func (p geminiPart) decode() clew.Part {
	switch {
	case p.Inline != nil:
		return clew.Part{Type: clew.PartImage, Images: []string{"data:" + p.Inline.MediaType + ";base64," + p.Inline.Data}}
	case p.Call != nil:
		return clew.Part{Type: clew.PartToolUse, ToolCallID: p.Call.ID, Tool: p.Call.Name, Input: p.Call.Args, Signature: p.Signature}
	case p.Response != nil:
		return p.Response.decode()
	case p.Text == nil:
		return clew.Part{Type: clew.PartText}
	case p.Thought:
		return clew.Part{Type: clew.PartThinking, Text: *p.Text, Signature: p.Signature}
	}
	return clew.Part{Type: clew.PartText, Text: *p.Text, Signature: p.Signature}
}

// decode reads a result. The vendor reads the fields output and error, and takes the
// whole as output if there is neither.
func (f geminiResponse) decode() clew.Part {
	p := clew.Part{Type: clew.PartToolResult, ToolCallID: f.ID, Tool: f.Name}
	raw, failed := f.Response["error"]
	if p.IsError = failed; !failed {
		raw = f.Response["output"]
	}
	if json.Unmarshal(raw, &p.Text) != nil {
		whole, _ := json.Marshal(f.Response)
		p.Text = string(whole)
	}
	return p
}
