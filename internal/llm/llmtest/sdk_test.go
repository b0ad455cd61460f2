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
	"github.com/openai/openai-go/v3/responses"
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

func responsesParams(text string) responses.ResponseNewParams {
	return responses.ResponseNewParams{
		Model: "gpt-test", Store: openai.Bool(false),
		Include: []responses.ResponseIncludable{responses.ResponseIncludableReasoningEncryptedContent},
		Input: responses.ResponseNewParamsInputUnion{OfInputItemList: responses.ResponseInputParam{
			responses.ResponseInputItemParamOfMessage(text, responses.EasyInputMessageRoleUser),
		}},
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

func describeResponses(r *responses.Response) string {
	var b strings.Builder
	for _, i := range r.Output {
		switch i.Type {
		case "reasoning":
			fmt.Fprintf(&b, "thinking %q sealed %t\n", i.Summary[0].Text, i.EncryptedContent == seal(i.ID, i.Summary[0].Text))
		case "message":
			fmt.Fprintf(&b, "text %q\n", i.Content[0].Text)
		case "function_call":
			fmt.Fprintf(&b, "tool %s %s\n", i.Name, i.Arguments.OfString)
		}
	}
	u := r.Usage
	fmt.Fprintf(&b, "%s %s in %d out %d read %d write %d", r.Status, r.Model, u.InputTokens, u.OutputTokens,
		u.InputTokensDetails.CachedTokens, u.InputTokensDetails.CacheWriteTokens)
	return b.String()
}

func TestResponsesSDK(t *testing.T) {
	s := start(t, story, Options{})
	client := openaiClient(s)
	const want = `thinking "I should look first." sealed true
text "Let me look at the files, one by one."
tool read_file {"lines":[1,2],"path":"a.txt"}
tool list_files {"path":"src"}
completed gpt-test in 170 out 20 read 30 write 40`

	t.Run("streamed", func(t *testing.T) {
		stream := client.Responses.NewStreaming(t.Context(), responsesParams("src"))
		var whole responses.Response
		var kinds []string
		pieces := map[string]int{}
		for n := int64(0); stream.Next(); n++ {
			e := stream.Current()
			if e.SequenceNumber != n {
				t.Errorf("event %d has the number %d", n, e.SequenceNumber)
			}
			if pieces[e.Type]++; e.Delta == "" && (len(kinds) == 0 || kinds[len(kinds)-1] != e.Type) {
				kinds = append(kinds, strings.TrimPrefix(e.Type, "response."))
			}
			if e.Type == "response.completed" {
				whole = e.Response
			}
		}
		if err := stream.Err(); err != nil {
			t.Fatal(err)
		}
		if got := describeResponses(&whole); got != want {
			t.Errorf("got:\n%s\nwant:\n%s", got, want)
		}
		const order = "created in_progress output_item.added reasoning_summary_part.added reasoning_summary_text.done reasoning_summary_part.done output_item.done " +
			"output_item.added content_part.added output_text.done content_part.done output_item.done " +
			"output_item.added function_call_arguments.done output_item.done output_item.added function_call_arguments.done output_item.done completed"
		if got := strings.Join(kinds, " "); got != order {
			t.Errorf("events:\n%s\nwant:\n%s", got, order)
		}
		if pieces["response.output_text.delta"] != 9 || pieces["response.reasoning_summary_text.delta"] != 4 || pieces["response.function_call_arguments.delta"] < 4 {
			t.Errorf("pieces: %v", pieces)
		}
		goOnResponses(t, client, whole)
	})
	t.Run("whole", func(t *testing.T) {
		r, err := client.Responses.New(t.Context(), responsesParams("src"))
		if err != nil {
			t.Fatal(err)
		}
		if got := describeResponses(r); got != want {
			t.Errorf("got:\n%s\nwant:\n%s", got, want)
		}
	})
}

// goOnResponses hands the answer back with its results, which the server checks.
func goOnResponses(t *testing.T, client openai.Client, r responses.Response) {
	t.Helper()
	p := responsesParams("src")
	items := p.Input.OfInputItemList
	for _, i := range r.Output {
		var item responses.ResponseInputItemUnionParam
		if err := json.Unmarshal([]byte(i.RawJSON()), &item); err != nil {
			t.Fatal(err)
		}
		items = append(items, item)
	}
	for _, id := range []string{r.Output[2].CallID, r.Output[3].CallID} {
		output := responses.ResponseInputItemParamOfFunctionCallOutput("x")
		output.OfFunctionCallOutput.CallID = openai.String(id)
		items = append(items, output)
	}
	p.Input.OfInputItemList = items
	if _, err := client.Responses.New(t.Context(), p); err != nil {
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
	for stop, want := range map[string][3]string{
		"end": {"end_turn", "stop", ""}, "max_tokens": {"max_tokens", "length", "max_output_tokens"},
		"refusal": {"refusal", "content_filter", "content_filter"}, "tool_use": {"tool_use", "tool_calls", ""},
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
		r, err := vendorO.Responses.New(t.Context(), responsesParams("x"))
		if err != nil || r.IncompleteDetails.Reason != want[2] || (want[2] == "") != (r.Status == "completed") || r.OutputText() != "a b" {
			t.Errorf("%s: %+v, %v", stop, r, err)
		}
	}
}

// A thought under seal must come back before the call that it led to.
func TestResponsesWantsItsThoughtsBack(t *testing.T) {
	const script = `
- when: {turn: 1}
  times: 0
  reply:
  - thinking: Look first.
  - tool: {name: read_file, id: c1, input: {}}
- times: 0
  reply: [{text: fine}]
`
	call, result := body{"type": "function_call", "call_id": "c1", "name": "read_file", "arguments": "{}"}, body{"type": "function_call_output", "call_id": "c1", "output": "x"}
	user := say("user", "go")
	for _, sealed := range []bool{true, false} {
		s := start(t, script, Options{})
		first := responsesBody(user)
		if sealed {
			first = first.with("include", []any{encryptedReasoning})
		}
		_, text := post(t, s, Responses, first)
		var r responses.Response
		if err := json.Unmarshal([]byte(text), &r); err != nil || len(r.Output) != 2 || (r.Output[0].EncryptedContent != "") != sealed {
			t.Fatalf("%s: %v", text, err)
		}
		status, text := post(t, s, Responses, responsesBody(user, call, result))
		if want := map[bool]int{true: 400, false: 200}[sealed]; status != want || sealed && !strings.Contains(errorMessage(t, text), "without the reasoning") {
			t.Errorf("sealed %t: %d %s", sealed, status, text)
		}
		if !sealed {
			continue
		}
		if status, text := post(t, s, Responses, responsesBody(user, json.RawMessage(r.Output[0].RawJSON()), call, result)); status != 200 {
			t.Error(text)
		}
	}
}
