package llmtest

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/llm"
)

type responsesRequest struct {
	Model            string          `json:"model"`
	Input            responsesInput  `json:"input"`
	Instructions     string          `json:"instructions"`
	Tools            []responsesTool `json:"tools"`
	MaxOutputTokens  *int            `json:"max_output_tokens"`
	Temperature      *float64        `json:"temperature"`
	Store            *bool           `json:"store"`
	Include          []string        `json:"include"`
	PreviousResponse string          `json:"previous_response_id"`
	Reasoning        struct {
		Effort string `json:"effort"`
	} `json:"reasoning"`
	User             string `json:"user"`
	SafetyIdentifier string `json:"safety_identifier"`
	Stream           bool   `json:"stream"`
}

type responsesTool struct {
	Type        string          `json:"type"`
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters"`
}

// responsesInput is a list of items, or a text of the user that stands for one.
type responsesInput []responsesItem

type responsesItem struct {
	Type      string           `json:"type"`
	ID        string           `json:"id"`
	Role      string           `json:"role"`
	Content   responsesContent `json:"content"`
	CallID    string           `json:"call_id"`
	Name      string           `json:"name"`
	Arguments string           `json:"arguments"`
	Output    responsesContent `json:"output"`
	Summary   []struct {
		Text string `json:"text"`
	} `json:"summary"`
	Encrypted string `json:"encrypted_content"`
}

// responsesContent is a list of blocks, or a text that stands for one.
type responsesContent []responsesBlock

type responsesBlock struct {
	Type     string `json:"type"`
	Text     string `json:"text"`
	Refusal  string `json:"refusal"`
	ImageURL string `json:"image_url"`
}

func (in *responsesInput) UnmarshalJSON(data []byte) error {
	var text string
	if json.Unmarshal(data, &text) == nil {
		if text != "" {
			*in = responsesInput{{Role: "user", Content: responsesContent{{Type: "input_text", Text: text}}}}
		}
		return nil
	}
	return json.Unmarshal(data, (*[]responsesItem)(in))
}

func (c *responsesContent) UnmarshalJSON(data []byte) error {
	var text string
	if json.Unmarshal(data, &text) == nil {
		if string(data) != "null" {
			*c = responsesContent{{Type: "text", Text: text}}
		}
		return nil
	}
	return json.Unmarshal(data, (*[]responsesBlock)(c))
}

func (c responsesContent) text() string {
	var texts []string
	for _, b := range c {
		if text := b.Text + b.Refusal; text != "" {
			texts = append(texts, text)
		}
	}
	return strings.Join(texts, "\n")
}

func (i responsesItem) summary() string {
	var texts []string
	for _, s := range i.Summary {
		texts = append(texts, s.Text)
	}
	return strings.Join(texts, "\n\n")
}

// kind is the type of the item; a message may leave it out.
func (i responsesItem) kind() string {
	if i.Type == "" && i.Role != "" {
		return "message"
	}
	return i.Type
}

// decodeResponses reads and checks a request to /v1/responses.
func decodeResponses(body []byte) (*Request, *refusal) {
	r := &Request{Vendor: Responses, led: map[string]bool{}}
	var in responsesRequest
	if err := json.Unmarshal(body, &in); err != nil {
		return r, badRequest("the body is no request: %v", err)
	}
	r.Model, r.Stream, r.Temperature = in.Model, in.Stream, in.Temperature
	r.User = in.User + in.SafetyIdentifier
	r.Thinking = in.Reasoning.Effort != "" && in.Reasoning.Effort != "none"
	r.sealed = slices.Contains(in.Include, encryptedReasoning)
	if in.MaxOutputTokens != nil {
		r.MaxTokens = *in.MaxOutputTokens
	}
	for _, t := range in.Tools {
		r.Tools = append(r.Tools, llm.Tool{Name: t.Name, Description: t.Description, Schema: t.Parameters})
	}
	in.decodeItems(r)
	return r, in.check()
}

const encryptedReasoning = "reasoning.encrypted_content"

// decodeItems brings the items into our form: what the system says stands apart,
// and all that came from one side without a word of the other in one message.
func (in *responsesRequest) decodeItems(r *Request) {
	system := []string{}
	if in.Instructions != "" {
		system = append(system, in.Instructions)
	}
	names := map[string]string{}
	thought := false // the item before was one
	for _, i := range in.Input {
		switch i.kind() {
		case "message":
			if i.Role == "system" || i.Role == "developer" {
				system = append(system, i.Content.text())
				continue
			}
			r.join(clew.Speaker(i.Role), i.Content.parts()...)
		case "reasoning":
			r.join(clew.SpeakerAssistant, clew.Part{Type: clew.PartThinking, Text: i.summary(), Signature: i.ID, Encrypted: i.Encrypted})
		case "function_call":
			names[i.CallID] = i.Name
			r.led[i.CallID] = thought
			r.join(clew.SpeakerAssistant, i.call())
		case "function_call_output":
			r.join(clew.SpeakerUser, i.result(names))
		}
		thought = i.kind() == "reasoning"
	}
	r.System = strings.Join(system, "\n")
}

// join adds parts to the last message if it is of the same side.
func (r *Request) join(role clew.Speaker, parts ...clew.Part) {
	if n := len(r.Messages); n > 0 && r.Messages[n-1].Role == role {
		r.Messages[n-1].Content = append(r.Messages[n-1].Content, parts...)
		return
	}
	r.add(role, parts...)
}

func (c responsesContent) parts() []clew.Part {
	var parts []clew.Part
	for _, b := range c {
		if b.Type == "input_image" {
			parts = append(parts, clew.Part{Type: clew.PartImage, Images: []string{b.ImageURL}})
		} else if text := b.Text + b.Refusal; text != "" {
			parts = append(parts, clew.Part{Type: clew.PartText, Text: text})
		}
	}
	return parts
}

func (i responsesItem) call() clew.Part {
	input := json.RawMessage(i.Arguments)
	if !isObject(input) {
		input = json.RawMessage(`{}`) // the check refuses the request
	}
	return clew.Part{Type: clew.PartToolUse, ToolCallID: i.CallID, Tool: i.Name, Input: input}
}

// result reads the result of a tool. As in chat, an error is told by its text.
func (i responsesItem) result(names map[string]string) clew.Part {
	text := i.Output.text()
	p := clew.Part{
		Type: clew.PartToolResult, ToolCallID: i.CallID, Tool: names[i.CallID],
		Text: text, IsError: strings.HasPrefix(strings.ToLower(text), "error"),
	}
	for _, b := range i.Output {
		if b.Type == "input_image" {
			p.Images = append(p.Images, b.ImageURL)
		}
	}
	return p
}
