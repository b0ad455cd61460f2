package llmtest

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/clew-run/clew"
)

// answerText takes the text out of a whole answer on any wire.
func answerText(t *testing.T, text string) string {
	t.Helper()
	var a struct {
		Content []struct{ Text string }
		Choices []struct{ Message struct{ Content string } }
		Output  []struct{ Content []struct{ Text string } }
	}
	if err := json.Unmarshal([]byte(text), &a); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	switch {
	case len(a.Choices) == 1:
		return a.Choices[0].Message.Content
	case len(a.Content) == 1:
		return a.Content[0].Text
	case len(a.Output) == 1:
		return a.Output[0].Content[0].Text
	}
	t.Fatalf("no answer: %s", text)
	return ""
}

// ask sends a conversation of one user text.
func ask(t *testing.T, s *Server, vendor Vendor, text string) string {
	t.Helper()
	b := anthropicBody(say("user", text))
	switch vendor {
	case OpenAI:
		b = openaiBody(say("user", text))
	case Responses:
		b = responsesBody(say("user", text))
	}
	status, answer := post(t, s, vendor, b)
	if status != 200 {
		return errorMessage(t, answer)
	}
	return answerText(t, answer)
}

// history is a conversation with one answered tool call, on any wire.
func history(vendor Vendor, first, result string, isError bool, more ...any) body {
	if vendor == Responses {
		items := []any{
			say("user", first), body{"type": "function_call", "call_id": "c1", "name": "read_file", "arguments": `{"path":"a"}`},
			body{"type": "function_call_output", "call_id": "c1", "output": result},
		}
		return responsesBody(append(items, more...)...).with("instructions", "you are an architect")
	}
	if vendor == OpenAI {
		call := body{"id": "c1", "type": "function", "function": body{"name": "read_file", "arguments": `{"path":"a"}`}}
		messages := []any{
			say("system", "you are an architect"), say("user", first),
			body{"role": "assistant", "content": nil, "tool_calls": []any{call}},
			body{"role": "tool", "tool_call_id": "c1", "content": result},
		}
		return openaiBody(append(messages, more...)...)
	}
	return anthropicBody(
		say("user", first),
		say("assistant", []any{body{"type": "tool_use", "id": "c1", "name": "read_file", "input": body{"path": "a"}}}),
		say("user", append([]any{body{"type": "tool_result", "tool_use_id": "c1", "content": result, "is_error": isError}}, more...)),
	).with("system", "you are an architect")
}

func TestFirstStepThatFitsAnswers(t *testing.T) {
	for _, vendor := range []Vendor{Anthropic, OpenAI, Responses} {
		t.Run(string(vendor), func(t *testing.T) {
			s := start(t, `
- name: by result
  when: {tool_result: {tool: read_file, contains: secret}, system: architect}
  reply:
  - text: '{{tool_result "c1"}}|{{tool_result "read_file"}}|{{last_user}}'
- name: failed
  when: {tool_result: {id: c1, is_error: true}}
  reply: [{text: it failed}]
- name: by regexp
  when: {last_user: {regexp: 'fix (\w+)'}}
  times: 2
  reply: [{text: 'fixing {{match 1}} in call {{call}}, turn {{turn}} {{"{{"}}'}]
- name: second call
  when: {call: 2}
  reply: [{text: second}]
- name: rest
  times: 0
  reply: [{text: rest}]
`, Options{})
			for _, want := range []string{"fixing bugs in call 1, turn 1 {{", "fixing bugs in call 2, turn 1 {{", "rest", "rest"} {
				if got := ask(t, s, vendor, "fix bugs"); got != want {
					t.Errorf("got %q, want %q", got, want)
				}
			}
			for _, want := range []string{"rest", "second", "rest"} {
				if got := ask(t, s, vendor, "other"); got != want {
					t.Errorf("got %q, want %q", got, want)
				}
			}
			if _, answer := post(t, s, vendor, history(vendor, "go", "a secret", false)); answerText(t, answer) != "a secret|a secret|go" {
				t.Errorf("got %s", answer)
			}
			if _, answer := post(t, s, vendor, history(vendor, "go", "error: no such file", true)); answerText(t, answer) != "it failed" {
				t.Errorf("got %s", answer)
			}
			if un := s.Unmatched(); len(un) != 0 {
				t.Errorf("unmatched: %+v", un)
			}
		})
	}
}

// A conversation that is back at its beginning is played from the start, so that
// a rewind and a second session with the same words work.
func TestConversationBeginsAnew(t *testing.T) {
	s := start(t, "- when: {turn: 1}\n  reply: [{text: one}]\n- reply: [{text: two}]\n", Options{})
	for range 2 {
		if got := ask(t, s, Anthropic, "go"); got != "one" {
			t.Errorf("got %q", got)
		}
		if _, answer := post(t, s, Anthropic, history(Anthropic, "go", "x", false)); answerText(t, answer) != "two" {
			t.Errorf("got %s", answer)
		}
	}
}

func TestConversationsAreToldApart(t *testing.T) {
	s := start(t, "- reply: [{text: one}]\n- reply: [{text: two}]\n", Options{})
	text := func(key, first string) string {
		data, err := json.Marshal(openaiBody(say("user", first)))
		if err != nil {
			t.Fatal(err)
		}
		resp := send(t, s, OpenAI, data, key)
		defer func() { _ = resp.Body.Close() }()
		return answerText(t, readAll(t, resp.Body))
	}
	for _, tc := range [][3]string{{"k1", "a", "one"}, {"k2", "a", "one"}, {"k1", "b", "one"}, {"k1", "a", "two"}} {
		if got := text(tc[0], tc[1]); got != tc[2] {
			t.Errorf("key %s, text %s: got %q, want %q", tc[0], tc[1], got, tc[2])
		}
	}
}

func TestNoStepMatches(t *testing.T) {
	s := start(t, `
- name: greeting
  when: {last_user: hello}
  reply: [{text: hi}]
- when: {has_tool: shell}
  reply: [{text: x}]
- when: {tool_result: shell}
  reply: [{text: x}]
- when: {model: {equals: other}}
  reply: [{text: x}]
`, Options{})
	ask(t, s, OpenAI, "hello")
	for vendor, first := range map[Vendor]string{OpenAI: "hello", Anthropic: "bye"} {
		greeting := `step "greeting" (line 2) is used up`
		if vendor == Anthropic {
			greeting = `step "greeting" (line 2): last_user does not contain "hello"`
		}
		got := ask(t, s, vendor, first)
		for _, want := range []string{
			"scripted model: no step of the script matches call ", `last user text "` + first + `"`, greeting,
			`step at line 5: the request has no tool "shell"`, `step at line 7: there is no tool result`, `step at line 9: model is not "other"`,
		} {
			if !strings.Contains(got, want) {
				t.Errorf("%s: %s\ndoes not say: %s", vendor, got, want)
			}
		}
	}
	if un := s.Unmatched(); len(un) != 2 || un[0].Problem == "" || un[0].Step != 0 {
		t.Errorf("unmatched: %+v", un)
	}
	if all := s.Requests(); len(all) != 3 || all[0].Step != 1 {
		t.Errorf("requests: %+v", all)
	}
}

func TestTemplateThatFails(t *testing.T) {
	s := start(t, `
- when: {last_user: a}
  reply: [{text: '{{tool_result "x"}}'}]
- reply: [{tool: {name: y, input: {deep: [{er: '{{match 1}}'}]}}}]
`, Options{})
	if got := ask(t, s, OpenAI, "a"); !strings.Contains(got, `line 3 of the script`) || !strings.Contains(got, `the history has no result of "x"`) {
		t.Errorf("got %s", got)
	}
	if got := ask(t, s, OpenAI, "b"); !strings.Contains(got, `line 4 of the script`) || !strings.Contains(got, `there is no match 1`) {
		t.Errorf("got %s", got)
	}
	if len(s.Unmatched()) != 2 {
		t.Error("the failures are not listed")
	}
}

// All wires give the same request, but for what only one of them can say.
func TestRequestsAreNeutral(t *testing.T) {
	s := start(t, "- times: 0\n  reply: [{text: ok}]\n", Options{})
	tools := map[Vendor]any{
		Anthropic: []any{body{"name": "t", "description": "d", "input_schema": body{"type": "object"}}},
		OpenAI:    []any{body{"type": "function", "function": body{"name": "t", "description": "d", "parameters": body{"type": "object"}}}},
		Responses: []any{body{"type": "function", "name": "t", "description": "d", "parameters": body{"type": "object"}}},
	}
	limit := map[Vendor]string{Anthropic: "max_tokens", OpenAI: "max_tokens", Responses: "max_output_tokens"}
	steer := map[Vendor]any{Anthropic: body{"type": "text", "text": "steer"}, OpenAI: say("user", "steer"), Responses: say("user", "steer")}
	var got []string
	for _, vendor := range []Vendor{Anthropic, OpenAI, Responses} {
		b := history(vendor, "go", "error: no", true, steer[vendor]).with("tools", tools[vendor]).with(limit[vendor], 17).with("temperature", 0.5)
		if status, text := post(t, s, vendor, b); status != 200 {
			t.Fatal(text)
		}
		all := s.Requests()
		r := all[len(all)-1]
		if r.Vendor != vendor || len(r.Body) == 0 || r.LastUser() != "steer" || r.Turn() != 2 {
			t.Errorf("request: %+v", r)
		}
		r.Vendor, r.Body, r.Call = "", nil, 0
		data, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, string(data))
	}
	if got[0] != got[1] || got[0] != got[2] {
		t.Errorf("the requests differ:\n%s", strings.Join(got, "\n"))
	}
	r := s.Requests()[0]
	if res := r.Results(); len(res) != 1 || res[0].Tool != "read_file" || res[0].Text != "error: no" || !res[0].IsError {
		t.Errorf("results: %+v", res)
	}
	if r.System != "you are an architect" || r.Model != "m" || r.MaxTokens != 17 || *r.Temperature != 0.5 || r.Tools[0].Name != "t" ||
		r.Messages[1].Content[0].Type != clew.PartToolUse {
		t.Errorf("request: %+v", r)
	}
}

func TestAwait(t *testing.T) {
	s := start(t, "- reply: [{text: ok}]\n", Options{})
	done := make(chan error)
	go func() { done <- s.Await(t.Context(), 1) }()
	ask(t, s, OpenAI, "x")
	if err := <-done; err != nil {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if s.Await(ctx, 2) == nil {
		t.Error("the second request never came")
	}
}
