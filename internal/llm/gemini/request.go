package gemini

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/llm"
	"github.com/clew-run/clew/internal/llm/call"
)

// The types of the wire, as far as they are used.
type (
	generateRequest struct {
		System   *content         `json:"systemInstruction,omitempty"`
		Contents []content        `json:"contents"`
		Tools    []toolList       `json:"tools,omitempty"`
		Config   generationConfig `json:"generationConfig"`
	}
	content struct {
		Role  string `json:"role,omitempty"` // user or model
		Parts []part `json:"parts"`
	}
	part struct {
		Text     *string           `json:"text,omitempty"`
		Thought  bool              `json:"thought,omitempty"` // the text is a summary of one
		Inline   *inlineData       `json:"inlineData,omitempty"`
		Call     *functionCall     `json:"functionCall,omitempty"`
		Response *functionResponse `json:"functionResponse,omitempty"`
		// Signature is the thought that led to the part, under seal. It goes back on
		// the same part.
		Signature string `json:"thoughtSignature,omitempty"`
	}
	inlineData struct {
		MediaType string `json:"mimeType"`
		Data      string `json:"data"`
	}
	functionCall struct {
		ID   string          `json:"id,omitempty"`
		Name string          `json:"name"`
		Args json.RawMessage `json:"args,omitempty"`
	}
	functionResponse struct {
		ID       string            `json:"id,omitempty"`
		Name     string            `json:"name"`
		Response map[string]string `json:"response"`
	}
	toolList struct {
		Functions []functionDeclaration `json:"functionDeclarations"`
	}
	functionDeclaration struct {
		Name        string          `json:"name"`
		Description string          `json:"description,omitempty"`
		Parameters  json.RawMessage `json:"parametersJsonSchema"`
	}
	generationConfig struct {
		MaxTokens   int             `json:"maxOutputTokens,omitempty"`
		Temperature *float64        `json:"temperature,omitempty"`
		Thinking    *thinkingConfig `json:"thinkingConfig,omitempty"`
	}
	thinkingConfig struct {
		Include bool   `json:"includeThoughts"`
		Budget  int    `json:"thinkingBudget,omitempty"`
		Level   string `json:"thinkingLevel,omitempty"`
	}
)

func textPart(text string) part { return part{Text: &text} }

func params(ctx context.Context, req llm.Request, host string) (generateRequest, error) {
	p := generateRequest{
		Contents: []content{},
		Config:   generationConfig{MaxTokens: req.MaxTokens, Temperature: req.Temperature, Thinking: thinking(req)},
	}
	if req.System != "" {
		p.System = &content{Parts: []part{textPart(req.System)}}
	}
	if len(req.Tools) > 0 {
		list := toolList{}
		for _, t := range req.Tools {
			schema, err := call.Schema(t)
			if err != nil {
				return p, err
			}
			list.Functions = append(list.Functions, functionDeclaration{Name: t.Name, Description: t.Description, Parameters: schema})
		}
		p.Tools = []toolList{list}
	}
	for _, m := range req.Messages {
		var c content
		var err error
		if m.Role == clew.SpeakerAssistant {
			c, err = answered(m, host, req.Model)
		} else {
			c, err = told(ctx, req, m)
		}
		if err != nil {
			return p, err
		}
		if len(c.Parts) > 0 { // the API refuses empty messages
			p.Contents = append(p.Contents, c)
		}
	}
	return p, nil
}

// unsealed stands for the thought of a call that this model did not make: newer
// models refuse a call without one. The word is the vendor's.
const unsealed = "skip_thought_signature_validator"

// answered gives a model's message in the order it came. Thoughts are left out but
// for their seals: the text of one is a summary for people.
func answered(m clew.ModelMessage, host, model string) (content, error) {
	c := content{Role: "model"}
	sealed, first := false, -1 // whether a call has a seal; the first of them
	for _, p := range m.Content {
		seal, _ := strings.CutPrefix(p.Signature, host+"/")
		if seal == p.Signature {
			seal = "" // another provider's
		}
		switch p.Type {
		case clew.PartText:
			if p.Text == "" {
				continue
			}
			next := textPart(p.Text)
			next.Signature = seal
			c.Parts = append(c.Parts, next)
		case clew.PartThinking:
			if seal != "" {
				next := textPart(p.Text)
				next.Thought, next.Signature = true, seal
				c.Parts = append(c.Parts, next)
			}
		case clew.PartToolUse:
			input := p.Input
			if len(input) == 0 {
				input = json.RawMessage("{}")
			}
			if first < 0 {
				first = len(c.Parts)
			}
			sealed = sealed || seal != ""
			c.Parts = append(c.Parts, part{Call: &functionCall{ID: call.ToolCallID(p.ToolCallID), Name: p.Tool, Args: input}, Signature: seal})
		default:
			return c, call.Refused(nil, "the conversation holds a part of an unknown kind: %s", p.Type)
		}
	}
	if first >= 0 && !sealed && byLevel.MatchString(model) {
		c.Parts[first].Signature = unsealed
	}
	return c, nil
}

// told gives a message of the user. Results come first, as the API wants them right
// after their calls, and their images after them.
func told(ctx context.Context, req llm.Request, m clew.ModelMessage) (content, error) {
	var results, rest []part
	for _, p := range m.Content {
		switch p.Type {
		case clew.PartText:
			if p.Text != "" {
				rest = append(rest, textPart(p.Text))
			}
		case clew.PartToolResult:
			results = append(results, resultPart(p))
		case clew.PartImage:
		case clew.PartThinking:
		default:
			return content{}, call.Refused(nil, "the conversation holds a part of an unknown kind: %s", p.Type)
		}
		for _, address := range p.Images {
			image, err := imagePart(ctx, req, address)
			if err != nil {
				return content{}, err
			}
			rest = append(rest, image)
		}
	}
	return content{Role: "user", Parts: append(results, rest...)}, nil
}

func resultPart(p clew.Part) part {
	key := "output" // the two names are the vendor's
	if p.IsError {
		key = "error"
	}
	return part{Response: &functionResponse{ID: call.ToolCallID(p.ToolCallID), Name: p.Tool, Response: map[string]string{key: p.Text}}}
}

// noGIF is said in place of an image of the one kind that this API does not take.
const noGIF = "(a GIF image, which this model cannot see)"

func imagePart(ctx context.Context, req llm.Request, address string) (part, error) {
	image, err := call.LoadImage(ctx, req, address)
	switch {
	case err != nil:
		return part{}, err
	case !image.Readable():
		return textPart(call.Unreadable), nil
	case image.MediaType == "image/gif":
		return textPart(noGIF), nil
	}
	return part{Inline: &inlineData{MediaType: image.MediaType, Data: image.Base64}}, nil
}
