package llmtest

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/llm"
	"github.com/clew-run/clew/internal/llm/anthropic"
	"github.com/clew-run/clew/internal/llm/gemini"
	"github.com/clew-run/clew/internal/llm/openai"
)

// provider gives our own provider for a vendor's wire.
func provider(s *Server, vendor Vendor, stall time.Duration) llm.Provider {
	key := func(context.Context) (string, error) { return testKey, nil }
	switch vendor {
	case Gemini:
		return gemini.New(gemini.Options{BaseURL: s.URL(), Key: key, Stall: stall})
	case Bedrock:
		return anthropic.NewBedrock(anthropic.Options{BaseURL: s.URL(), Region: "eu-west-1", Key: key, Stall: stall})
	case Vertex:
		return anthropic.NewVertex(anthropic.Options{BaseURL: s.URL(), Region: "europe-west1", Project: "p", Key: key, Stall: stall})
	case OpenAI:
		return openai.New(openai.Options{BaseURL: s.URL() + "/v1", Key: key, Stall: stall})
	case Responses:
		return openai.NewResponses(openai.Options{BaseURL: s.URL() + "/v1", Key: key, Stall: stall})
	}
	return anthropic.New(anthropic.Options{BaseURL: s.URL(), Key: key, Stall: stall})
}

func userMessage(parts ...clew.Part) clew.ModelMessage {
	return clew.ModelMessage{Role: clew.SpeakerUser, Content: parts}
}

func request(text string) llm.Request {
	return llm.Request{
		Model: "m", System: "be brief", MaxTokens: 500,
		Messages: []clew.ModelMessage{userMessage(clew.Part{Type: clew.PartText, Text: text})},
		Tools:    []llm.Tool{{Name: "read_file", Description: "reads", Schema: json.RawMessage(`{"type":"object"}`)}},
	}
}

// pixel is an image, as far as anybody looks here.
var pixel = "data:image/png;base64," + base64.StdEncoding.EncodeToString([]byte("\x89PNG\r\n\x1a\n...."))

// One script is the same work for a caller of our providers, whichever wire it
// goes over.
func TestProvidersPlayTheSameStory(t *testing.T) {
	const script = `
- when: {turn: 1, has_tool: read_file, system: brief}
  reply:
  - thinking: Look first.
  - text: I read it.
  - tool: {name: read_file, id: c1, input: {path: a.txt}}
  - tool: {name: read_file, id: c2, input: {path: b.txt}}
  - usage: {input: 10, output: 5, cache_read: 3, cache_write: 2}
- when: {tool_result: {id: c2, is_error: true, contains: no such file}}
  reply:
  - text: 'It says: {{tool_result "c1"}}'
  - usage: {input: 20, output: 6}
`
	told := map[Vendor]string{}
	for _, vendor := range Vendors() {
		s := start(t, script, Options{})
		p := provider(s, vendor, 0)
		var b strings.Builder
		req := request("go")
		req.Thinking = "low"
		req.MaxTokens = 5000
		req.Messages[0].Content = append(req.Messages[0].Content, clew.Part{Type: clew.PartImage, Images: []string{pixel}})
		first := tell(t, p, req, &b)
		req.Messages = append(req.Messages, clew.ModelMessage{Role: clew.SpeakerAssistant, Content: first.Parts}, userMessage(
			clew.Part{Type: clew.PartToolResult, ToolCallID: "c1", Tool: "read_file", Text: "hello"},
			clew.Part{Type: clew.PartToolResult, ToolCallID: "c2", Tool: "read_file", Text: "no such file", IsError: true},
		))
		tell(t, p, req, &b)
		if un := s.Unmatched(); len(un) != 0 {
			t.Errorf("%s: unmatched: %s", vendor, un[0].Problem)
		}
		if got := fmt.Sprint(s.Requests()[0].Messages[0].Content[1]); !strings.Contains(got, pixel) {
			t.Errorf("%s: the image came as %s", vendor, got)
		}
		told[vendor] = b.String()
	}
	const want = `thinking "Look first."
text "I read it."
call c1 read_file {"path":"a.txt"}
call c2 read_file {"path":"b.txt"}
tool_use, m, {TokensIn:10 TokensOut:5 CacheWrites:2 CacheReads:3 CostUSD:0}
text "It says: hello"
end, m, {TokensIn:20 TokensOut:6 CacheWrites:0 CacheReads:0 CostUSD:0}
`
	for vendor, got := range told {
		if vendor == Gemini { // which does not tell what it wrote to its cache from the rest
			got = strings.Replace(got, "TokensIn:12 TokensOut:5 CacheWrites:0", "TokensIn:10 TokensOut:5 CacheWrites:2", 1)
		}
		if got != want {
			t.Errorf("%s:\n%s\nwant:\n%s", vendor, got, want)
		}
	}
}

// tell makes a call and writes down the answer.
func tell(t *testing.T, p llm.Provider, req llm.Request, b *strings.Builder) llm.Answer {
	t.Helper()
	pieces := 0
	answer, err := p.Stream(t.Context(), req, func(llm.Delta) error { pieces++; return nil })
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range answer.Parts {
		switch part.Type {
		case clew.PartToolUse:
			fmt.Fprintf(b, "call %s %s %s\n", part.ToolCallID, part.Tool, part.Input)
		default:
			fmt.Fprintf(b, "%s %q\n", part.Type, part.Text)
		}
	}
	fmt.Fprintf(b, "%s, %s, %+v\n", answer.Stop, answer.Model, answer.Usage)
	if pieces < 3 {
		t.Errorf("the answer came in %d pieces", pieces)
	}
	return answer
}

// Every fault of the script is the kind of failure that it stands for.
func TestProvidersMeetFaults(t *testing.T) {
	for _, tc := range []struct {
		name, reply string
		want        llm.Kind
	}{
		{"too many", "[{status: 429, retry_after: 2s}]", llm.KindOverloaded},
		{"overloaded", "[{status: 529}]", llm.KindOverloaded},
		{"broken", "[{status: 500}]", llm.KindUnstable},
		{"refused", "[{status: 400}]", llm.KindRequest},
		{"no key", "[{status: 401}]", llm.KindAuth},
		{"cut", "[{text: half}, {cut: true}]", llm.KindUnstable},
		{"cut in an input", `[{tool: {name: x, raw: '{"a'}}, {cut: true}]`, llm.KindUnstable},
		{"malformed", `[{text: half}, {malformed: "event: content_block_delta\ndata: {oops\n\n"}]`, llm.KindUnstable},
		{"stalled", "[{text: half}, {stall: true}]", llm.KindUnstable},
		{"silent", "[{stall: true}]", llm.KindUnstable},
		{"dangling call", "[{text: never}]", llm.KindRequest},
	} {
		for _, vendor := range Vendors() {
			t.Run(tc.name+" "+string(vendor), func(t *testing.T) {
				s := start(t, "- reply: "+tc.reply+"\n", Options{})
				stall := time.Duration(0)
				if strings.Contains(tc.reply, "stall") {
					stall = 50 * time.Millisecond
				}
				req := request("go")
				if tc.name == "dangling call" {
					req.Messages = append(req.Messages,
						clew.ModelMessage{Role: clew.SpeakerAssistant, Content: clew.List[clew.Part]{{Type: clew.PartToolUse, ToolCallID: "c1", Tool: "x", Input: json.RawMessage(`{}`)}}},
						userMessage(clew.Part{Type: clew.PartText, Text: "and?"}))
				}
				_, err := provider(s, vendor, stall).Stream(t.Context(), req, func(llm.Delta) error { return nil })
				var e *llm.Error
				if !errors.As(err, &e) || e.Kind != tc.want {
					t.Fatalf("%v, want the kind %s", err, tc.want)
				}
				if tc.name == "too many" && e.RetryAfter != 2*time.Second {
					t.Errorf("wait %v", e.RetryAfter)
				}
			})
		}
	}
}
