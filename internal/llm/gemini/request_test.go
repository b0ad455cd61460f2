package gemini

import (
	"encoding/json"
	"testing"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/llm"
)

const (
	png = "data:image/png;base64,iVBORw0KGgo="
	gif = "data:image/gif;base64,R0lGODlhAQABAAAAACw="
)

// conversation has everything that a history can hold, other providers' parts too.
func conversation() llm.Request {
	third := 0.3
	return llm.Request{
		Model: "gemini-3-pro-preview", System: "be <brief>", MaxTokens: 500, Temperature: &third, Thinking: "low",
		Tools: []llm.Tool{{Name: "read", Description: "reads", Schema: json.RawMessage(`{"properties":{"b":{},"a":{}},"type":"object"}`)}},
		Messages: []clew.ModelMessage{
			{Role: clew.SpeakerUser, Content: clew.List[clew.Part]{{Type: clew.PartText, Text: "look"}, {Type: clew.PartImage, Images: []string{png, gif, "blob:gone"}}}},
			{Role: clew.SpeakerAssistant, Content: clew.List[clew.Part]{
				{Type: clew.PartThinking, Text: "mine"},
				{Type: clew.PartThinking, Text: "sealed", Signature: "h/s0", Encrypted: "gemini"},
				{Type: clew.PartThinking, Text: "another's", Signature: "sig"},
				{Type: clew.PartText, Text: "I read.", Signature: "h/s1"},
				{Type: clew.PartToolUse, ToolCallID: "c1", Tool: "read", Input: json.RawMessage(`{"a":1}`), Signature: "h/s2"},
				{Type: clew.PartToolUse, ToolCallID: "c2", Tool: "read"},
			}},
			{Role: clew.SpeakerUser, Content: clew.List[clew.Part]{
				{Type: clew.PartToolResult, ToolCallID: "c1", Tool: "read", Text: "fine", Images: []string{png}},
				{Type: clew.PartToolResult, ToolCallID: "c2", Tool: "read", Text: "no such file", IsError: true},
				{Type: clew.PartText, Text: "and?"},
			}},
			{Role: clew.SpeakerAssistant, Content: clew.List[clew.Part]{{Type: clew.PartToolUse, ToolCallID: "c3", Tool: "read", Signature: "elsewhere/s3"}}},
			{Role: clew.SpeakerUser, Content: clew.List[clew.Part]{{Type: clew.PartToolResult, ToolCallID: "c3", Tool: "read", Text: "x"}}},
			{Role: clew.SpeakerAssistant, Content: clew.List[clew.Part]{{Type: clew.PartText}}},
		},
	}
}

func TestRequest(t *testing.T) {
	p, err := params(t.Context(), conversation(), "h")
	if err != nil {
		t.Fatal(err)
	}
	got, err := json.Marshal(p.Contents)
	if err != nil {
		t.Fatal(err)
	}
	const want = `[{"role":"user","parts":[{"text":"look"},{"inlineData":{"mimeType":"image/png","data":"iVBORw0KGgo="}},` +
		`{"text":"(a GIF image, which this model cannot see)"},{"text":"(an image that is no longer readable)"}]},` +
		`{"role":"model","parts":[{"text":"sealed","thought":true,"thoughtSignature":"s0"},{"text":"I read.","thoughtSignature":"s1"},` +
		`{"functionCall":{"id":"c1","name":"read","args":{"a":1}},"thoughtSignature":"s2"},{"functionCall":{"id":"c2","name":"read","args":{}}}]},` +
		`{"role":"user","parts":[{"functionResponse":{"id":"c1","name":"read","response":{"output":"fine"}}},` +
		`{"functionResponse":{"id":"c2","name":"read","response":{"error":"no such file"}}},{"inlineData":{"mimeType":"image/png","data":"iVBORw0KGgo="}},{"text":"and?"}]},` +
		`{"role":"model","parts":[{"functionCall":{"id":"c3","name":"read","args":{}},"thoughtSignature":"skip_thought_signature_validator"}]},` +
		`{"role":"user","parts":[{"functionResponse":{"id":"c3","name":"read","response":{"output":"x"}}}]}]`
	if string(got) != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
	p.Contents = nil
	if got, err = json.Marshal(p); err != nil {
		t.Fatal(err)
	}
	const rest = `{"systemInstruction":{"parts":[{"text":"be \u003cbrief\u003e"}]},"contents":null,` +
		`"tools":[{"functionDeclarations":[{"name":"read","description":"reads","parametersJsonSchema":{"properties":{"b":{},"a":{}},"type":"object"}}]}],` +
		`"generationConfig":{"maxOutputTokens":500,"temperature":0.3,"thinkingConfig":{"includeThoughts":true,"thinkingLevel":"low"}}}`
	if string(got) != rest {
		t.Errorf("got:\n%s\nwant:\n%s", got, rest)
	}
}

// Each generation of models is told in its own way how much to think.
func TestThinking(t *testing.T) {
	for _, c := range []struct {
		model, level string
		limit        int
		want         *thinkingConfig
	}{
		{"gemini-3-pro-preview", "low", 0, &thinkingConfig{Include: true, Level: "low"}},
		{"gemini-3-pro-preview", "medium", 0, &thinkingConfig{Include: true, Level: "high"}},
		{"models/gemini-3.1-pro", "medium", 0, &thinkingConfig{Include: true, Level: "medium"}},
		{"gemini-2.5-pro", "high", 0, &thinkingConfig{Include: true, Budget: 24576}},
		{"gemini-2.5-flash", "medium", 4000, &thinkingConfig{Include: true, Budget: 3000}},
		{"gemini-flash-latest", "low", 100, &thinkingConfig{Include: true, Budget: 512}},
		{"gemini-2.0-flash", "high", 0, nil},
		{"gemini-2.5-pro", "off", 0, nil},
		{"gemini-2.5-pro", "", 0, nil},
	} {
		got := thinking(llm.Request{Model: c.model, Thinking: c.level, MaxTokens: c.limit})
		if (got == nil) != (c.want == nil) || got != nil && *got != *c.want {
			t.Errorf("%s %s: %+v", c.model, c.level, got)
		}
	}
}

func TestBadRequests(t *testing.T) {
	for name, req := range map[string]llm.Request{
		"schema":       {Tools: []llm.Tool{{Name: "t", Schema: json.RawMessage(`[]`)}}},
		"unknown part": {Messages: []clew.ModelMessage{{Role: clew.SpeakerUser, Content: clew.List[clew.Part]{{Type: "hologram"}}}}},
		"of the model": {Messages: []clew.ModelMessage{{Role: clew.SpeakerAssistant, Content: clew.List[clew.Part]{{Type: "hologram"}}}}},
	} {
		if _, err := New(Options{Key: withKey}).Stream(t.Context(), req, nil); llm.AsError(err).Kind != llm.KindRequest {
			t.Errorf("%s: %v", name, err)
		}
	}
}
