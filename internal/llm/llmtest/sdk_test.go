package llmtest

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/anthropics/anthropic-sdk-go"
	aoption "github.com/anthropics/anthropic-sdk-go/option"
	"github.com/openai/openai-go/v3"
	ooption "github.com/openai/openai-go/v3/option"
)

// story says everything that an answer can hold.
const story = `
- times: 0
  reply:
  - ping: true
  - thinking: I should look first.
  - text: Let me look at the files, one by one.
  - tool: {name: read_file, id: c1, input: {path: a.txt, lines: [1, 2]}}
  - tool: {name: list_files, input: {path: "{{last_user}}"}}
  - usage: {input: 100, output: 20, cache_read: 30, cache_write: 40}
`

func anthropicClient(s *Server) anthropic.Client {
	return anthropic.NewClient(aoption.WithBaseURL(s.URL()), aoption.WithAPIKey(testKey), aoption.WithMaxRetries(0))
}

func openaiClient(s *Server) openai.Client {
	return openai.NewClient(ooption.WithBaseURL(s.URL()+"/v1"), ooption.WithAPIKey(testKey), ooption.WithMaxRetries(0))
}

func anthropicParams(text string) anthropic.MessageNewParams {
	return anthropic.MessageNewParams{
		Model: "claude-test", MaxTokens: 100,
		Messages: []anthropic.MessageParam{anthropic.NewUserMessage(anthropic.NewTextBlock(text))},
	}
}

func openaiParams(text string) openai.ChatCompletionNewParams {
	return openai.ChatCompletionNewParams{
		Model: "gpt-test", Messages: []openai.ChatCompletionMessageParamUnion{openai.UserMessage(text)},
		StreamOptions: openai.ChatCompletionStreamOptionsParam{IncludeUsage: openai.Bool(true)},
	}
}

// describeAnthropic writes an answer in few lines.
func describeAnthropic(m *anthropic.Message) string {
	var b strings.Builder
	for _, c := range m.Content {
		switch c.Type {
		case "thinking":
			fmt.Fprintf(&b, "thinking %q signed %t\n", c.Thinking, c.Signature == sign(c.Thinking))
		case "text":
			fmt.Fprintf(&b, "text %q\n", c.Text)
		case "tool_use":
			fmt.Fprintf(&b, "tool %s %s\n", c.Name, c.Input)
		}
	}
	fmt.Fprintf(&b, "%s %s in %d out %d read %d write %d", m.StopReason, m.Model, m.Usage.InputTokens, m.Usage.OutputTokens,
		m.Usage.CacheReadInputTokens, m.Usage.CacheCreationInputTokens)
	return b.String()
}

func TestAnthropicSDK(t *testing.T) {
	s := start(t, story, Options{})
	client := anthropicClient(s)
	const want = `thinking "I should look first." signed true
text "Let me look at the files, one by one."
tool read_file {"lines":[1,2],"path":"a.txt"}
tool list_files {"path":"src"}
tool_use claude-test in 100 out 20 read 30 write 40`

	t.Run("streamed", func(t *testing.T) {
		stream := client.Messages.NewStreaming(t.Context(), anthropicParams("src"))
		var m anthropic.Message
		deltas := map[string]int{}
		for stream.Next() {
			e := stream.Current()
			if err := m.Accumulate(e); err != nil {
				t.Fatal(err)
			}
			deltas[e.Delta.Type]++
		}
		if err := stream.Err(); err != nil {
			t.Fatal(err)
		}
		if got := describeAnthropic(&m); got != want {
			t.Errorf("got:\n%s\nwant:\n%s", got, want)
		}
		if deltas["text_delta"] != 9 || deltas["thinking_delta"] != 4 || deltas["input_json_delta"] < 4 || deltas["signature_delta"] != 1 {
			t.Errorf("pieces: %v", deltas)
		}
		if m.Content[2].ID != "c1" || m.Content[3].ID == "" {
			t.Errorf("ids: %q, %q", m.Content[2].ID, m.Content[3].ID)
		}
		goOnAnthropic(t, client, m)
	})
	t.Run("whole", func(t *testing.T) {
		m, err := client.Messages.New(t.Context(), anthropicParams("src"))
		if err != nil {
			t.Fatal(err)
		}
		if got := describeAnthropic(m); got != want {
			t.Errorf("got:\n%s\nwant:\n%s", got, want)
		}
	})
}

// goOnAnthropic hands the answer back with its results, which the server checks.
func goOnAnthropic(t *testing.T, client anthropic.Client, m anthropic.Message) {
	t.Helper()
	p := anthropicParams("src")
	p.Messages = append(p.Messages, m.ToParam(), anthropic.NewUserMessage(
		anthropic.NewToolResultBlock(m.Content[2].ID, "x", false), anthropic.NewToolResultBlock(m.Content[3].ID, "y", true)))
	next, err := client.Messages.New(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	if first, second := m.Content[3].ID, next.Content[3].ID; first == second {
		t.Errorf("two calls have the id %s", first)
	}
}

func describeOpenAI(c *openai.ChatCompletion) string {
	var b strings.Builder
	m := c.Choices[0].Message
	fmt.Fprintf(&b, "text %q\n", m.Content)
	for _, call := range m.ToolCalls {
		fmt.Fprintf(&b, "tool %s %s\n", call.Function.Name, call.Function.Arguments)
	}
	u := c.Usage
	fmt.Fprintf(&b, "%s %s in %d out %d read %d write %d", c.Choices[0].FinishReason, c.Model, u.PromptTokens, u.CompletionTokens,
		u.PromptTokensDetails.CachedTokens, u.PromptTokensDetails.CacheWriteTokens)
	return b.String()
}

func TestOpenAISDK(t *testing.T) {
	s := start(t, story, Options{})
	client := openaiClient(s)
	const want = `text "Let me look at the files, one by one."
tool read_file {"lines":[1,2],"path":"a.txt"}
tool list_files {"path":"src"}
tool_calls gpt-test in 170 out 20 read 30 write 40`

	t.Run("streamed", func(t *testing.T) {
		stream := client.Chat.Completions.NewStreaming(t.Context(), openaiParams("src"))
		var acc openai.ChatCompletionAccumulator
		thinking, pieces := "", map[string]int{}
		for stream.Next() {
			c := stream.Current()
			if !acc.AddChunk(c) {
				t.Fatalf("chunk refused: %s", c.RawJSON())
			}
			if len(c.Choices) == 0 { // the accumulator leaves out what the cache took
				acc.Usage = c.Usage
			}
			for _, choice := range c.Choices {
				if choice.Delta.Content != "" {
					pieces["text"]++
				}
				pieces["tool"] += len(choice.Delta.ToolCalls)
				thinking += reasoning(t, choice.Delta.RawJSON())
			}
		}
		if err := stream.Err(); err != nil {
			t.Fatal(err)
		}
		if got := describeOpenAI(&acc.ChatCompletion); got != want {
			t.Errorf("got:\n%s\nwant:\n%s", got, want)
		}
		if pieces["text"] != 9 || pieces["tool"] < 6 || thinking != "I should look first." {
			t.Errorf("pieces: %v, thinking %q", pieces, thinking)
		}
		goOnOpenAI(t, client, acc.Choices[0].Message)
	})
	t.Run("whole", func(t *testing.T) {
		p := openaiParams("src")
		p.StreamOptions = openai.ChatCompletionStreamOptionsParam{}
		c, err := client.Chat.Completions.New(t.Context(), p)
		if err != nil {
			t.Fatal(err)
		}
		if got := describeOpenAI(c); got != want {
			t.Errorf("got:\n%s\nwant:\n%s", got, want)
		}
		if got := reasoning(t, c.Choices[0].Message.RawJSON()); got != "I should look first." {
			t.Errorf("thinking %q", got)
		}
	})
}

// reasoning reads the field that the SDK does not know.
func reasoning(t *testing.T, raw string) string {
	t.Helper()
	var d struct {
		ReasoningContent string `json:"reasoning_content"`
	}
	if err := json.Unmarshal([]byte(raw), &d); err != nil {
		t.Fatal(err)
	}
	return d.ReasoningContent
}

func goOnOpenAI(t *testing.T, client openai.Client, m openai.ChatCompletionMessage) {
	t.Helper()
	p := openaiParams("src")
	p.StreamOptions = openai.ChatCompletionStreamOptionsParam{}
	p.Messages = append(p.Messages, m.ToParam(), openai.ToolMessage("x", m.ToolCalls[0].ID), openai.ToolMessage("y", m.ToolCalls[1].ID))
	if _, err := client.Chat.Completions.New(t.Context(), p); err != nil {
		t.Fatal(err)
	}
}

// Without being asked the stream has no chunk on usage.
func TestOpenAIWithoutUsage(t *testing.T) {
	s := start(t, story, Options{})
	_, text := post(t, s, OpenAI, openaiBody(say("user", "x")).with("stream", true))
	if strings.Contains(text, `"usage"`) || !strings.HasSuffix(text, "data: [DONE]\n\n") {
		t.Errorf("stream:\n%s", text)
	}
}

func TestStopReasons(t *testing.T) {
	for stop, want := range map[string][2]string{
		"end": {"end_turn", "stop"}, "max_tokens": {"max_tokens", "length"}, "refusal": {"refusal", "content_filter"},
		"tool_use": {"tool_use", "tool_calls"},
	} {
		s := start(t, "- times: 0\n  reply:\n  - text: a b\n    pieces: 3\n  - stop: "+stop+"\n", Options{})
		vendorA, vendorO := anthropicClient(s), openaiClient(s)
		m, err := vendorA.Messages.New(t.Context(), anthropicParams("x"))
		if err != nil || string(m.StopReason) != want[0] || m.Content[0].Text != "a b" {
			t.Errorf("%s: %+v, %v", stop, m, err)
		}
		p := openaiParams("x")
		p.StreamOptions = openai.ChatCompletionStreamOptionsParam{}
		c, err := vendorO.Chat.Completions.New(t.Context(), p)
		if err != nil || c.Choices[0].FinishReason != want[1] || c.Usage.PromptTokens == 0 || c.Usage.CompletionTokens == 0 {
			t.Errorf("%s: %+v, %v", stop, c, err)
		}
	}
}
