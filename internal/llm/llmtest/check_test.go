package llmtest

import (
	"net/http"
	"strings"
	"testing"
)

type list = []any

func TestAnthropicRefuses(t *testing.T) {
	user, call := say("user", "go"), body{"type": "tool_use", "id": "c1", "name": "gone_since", "input": body{}}
	result := body{"type": "tool_result", "tool_use_id": "c1", "content": "x"}
	text := body{"type": "text", "text": "more"}
	marked := body{"type": "text", "text": "x", "cache_control": body{"type": "ephemeral"}}
	schema := body{"type": "object"}
	thought := body{"type": "thinking", "thinking": "hm", "signature": sign("hm")}
	ok := anthropicBody(user)
	for _, tc := range []struct {
		name string
		body any
		want string // empty: taken
	}{
		{"plain", ok, ""},
		{"no JSON", "x", "the body is no request"},
		{"no model", ok.with("model", ""), "model: the field is missing"},
		{"no limit", ok.with("max_tokens", nil), "max_tokens: the field is missing"},
		{"zero limit", ok.with("max_tokens", 0), "max_tokens: must be at least 1"},
		{"no messages", anthropicBody(), "at least one message is required"},
		{"empty text", anthropicBody(say("user", "")), "text blocks must be non-empty"},
		{"only space", anthropicBody(say("user", list{body{"type": "text", "text": " \n"}})), "text blocks must be non-empty"},
		{"no content", anthropicBody(say("user", list{})), "non-empty content"},
		{"assistant first", anthropicBody(say("assistant", "a"), user), "first message must have the role user"},
		{"two users", anthropicBody(user, user), "roles must alternate"},
		{"unknown role", anthropicBody(say("system", "a")), "must be user or assistant"},
		{"answer last", anthropicBody(user, say("assistant", "a")), "the last message must have the role user"},
		{"call and result", anthropicBody(user, say("assistant", list{call}), say("user", list{result, text})), ""},
		{"dangling call", anthropicBody(user, say("assistant", list{call}), user), `the tool calls ["c1"] have no results`},
		{"dangling call at the end", anthropicBody(user, say("assistant", list{call})), "the last message must have the role user"},
		{"late result", anthropicBody(user, say("assistant", list{call}), user, say("assistant", "a"), say("user", list{result})), `["c1"] have no results`},
		{"result without a call", anthropicBody(user, say("assistant", "a"), say("user", list{result})), `"c1" belongs to no call`},
		{"two results", anthropicBody(user, say("assistant", list{call}), say("user", list{result, result})), `"c1" belongs to no call`},
		{"text before a result", anthropicBody(user, say("assistant", list{call}), say("user", list{text, result})), "tool results must come first"},
		{"id twice", anthropicBody(user, say("assistant", list{call}), say("user", list{result}), say("assistant", list{call}), say("user", list{result})), "ids must be unique"},
		{"call by the user", anthropicBody(say("user", list{call})), "cannot stand in a message"},
		{"input no object", anthropicBody(user, say("assistant", list{body{"type": "tool_use", "id": "c1", "name": "x", "input": "{}"}}), say("user", list{result})), "input: must be an object"},
		{"thought", anthropicBody(user, say("assistant", list{thought, text}), user), ""},
		{"changed thought", anthropicBody(user, say("assistant", list{body{"type": "thinking", "thinking": "h", "signature": sign("hm")}, text}), user), "invalid signature"},
		{"budget too large", ok.with("thinking", body{"type": "enabled", "budget_tokens": 1024}), "greater than thinking.budget_tokens"},
		{"budget too small", ok.with("thinking", body{"type": "enabled", "budget_tokens": 1}), "at least 1024"},
		{"warm thought", ok.with("thinking", body{"type": "enabled", "budget_tokens": 1024}).with("max_tokens", 2000).with("temperature", 0), "temperature: must be 1"},
		{"four marks", ok.with("system", list{marked, marked, marked, marked}), ""},
		{"five marks", ok.with("system", list{marked, marked, marked, marked, marked}), "at most 4 blocks may have cache_control, the request has 5"},
		{"tool name", ok.with("tools", list{body{"name": "a b", "input_schema": schema}}), "no valid name"},
		{"tool twice", ok.with("tools", list{body{"name": "a", "input_schema": schema}, body{"name": "a", "input_schema": schema}}), "names must be unique"},
		{"tool schema", ok.with("tools", list{body{"name": "a", "input_schema": body{"type": "string"}}}), "not of type object"},
	} {
		t.Run(tc.name, func(t *testing.T) { checkRefusal(t, Anthropic, tc.body, tc.want) })
	}
}

func TestOpenAIRefuses(t *testing.T) {
	user := say("user", "go")
	answer := func(arguments string) body {
		return body{"role": "assistant", "tool_calls": list{body{"id": "c1", "type": "function", "function": body{"name": "gone_since", "arguments": arguments}}}}
	}
	call, result := answer("{}"), body{"role": "tool", "tool_call_id": "c1", "content": "x"}
	image := body{"type": "image_url", "image_url": body{"url": "data:image/png;base64,AA=="}}
	ok := openaiBody(user)
	for _, tc := range []struct {
		name string
		body any
		want string
	}{
		{"plain", ok, ""},
		{"no model", ok.with("model", ""), "provide a model"},
		{"no messages", openaiBody(), "too short"},
		{"image", openaiBody(say("user", list{image})), ""},
		{"two users", openaiBody(user, user), ""},
		{"empty text", openaiBody(say("user", "")), "an empty block"},
		{"no content", openaiBody(say("user", nil)), "must not be empty"},
		{"unknown role", openaiBody(say("bot", "x")), `"bot" is unknown`},
		{"empty answer", openaiBody(user, say("assistant", nil), user), "must not be empty"},
		{"no calls", openaiBody(user, body{"role": "assistant", "content": "x", "tool_calls": list{}}, user), "too short"},
		{"answer last", openaiBody(user, say("assistant", "x")), "must not be the assistant's"},
		{"call and result", openaiBody(user, call, result, user), ""},
		{"dangling call", openaiBody(user, call, user), `the tool calls ["c1"] have no results`},
		{"result without a call", openaiBody(user, result), `"c1" belongs to no call`},
		{"two results", openaiBody(user, call, result, result), `"c1" belongs to no call`},
		{"late result", openaiBody(user, call, user, result), `["c1"] have no results`},
		{"id twice", openaiBody(user, call, result, call, result), "ids must be unique"},
		{"broken arguments", openaiBody(user, answer(`{"a`), result), "must be a JSON object"},
		{"image as a result", openaiBody(user, call, body{"role": "tool", "tool_call_id": "c1", "content": list{image}}), "is text"},
		{"usage without a stream", ok.with("stream_options", body{"include_usage": true}), "only allowed with stream"},
		{"two limits", ok.with("max_tokens", 1).with("max_completion_tokens", 1), "cannot both be set"},
		{"tool of another kind", ok.with("tools", list{body{"type": "web"}}), "must be function"},
		{"tool name", ok.with("tools", list{body{"type": "function", "function": body{"name": ""}}}), "no valid name"},
	} {
		t.Run(tc.name, func(t *testing.T) { checkRefusal(t, OpenAI, tc.body, tc.want) })
	}
}

func TestResponsesRefuses(t *testing.T) {
	user := say("user", "go")
	answer := func(arguments string) body {
		return body{"type": "function_call", "call_id": "c1", "name": "gone_since", "arguments": arguments}
	}
	call, result := answer("{}"), body{"type": "function_call_output", "call_id": "c1", "output": "x"}
	thought := func(seal any) body {
		return body{"type": "reasoning", "id": "rs_1", "summary": list{body{"type": "summary_text", "text": "hm"}}, "encrypted_content": seal}
	}
	sealed := thought(seal("rs_1", "hm"))
	image := body{"type": "input_image", "image_url": "data:image/png;base64,AA"}
	ok := responsesBody(user)
	for _, tc := range []struct {
		name string
		body any
		want string // empty: taken
	}{
		{"plain", ok, ""},
		{"a text", ok.with("input", "go"), ""},
		{"no JSON", "x", "the body is no request"},
		{"no model", ok.with("model", ""), "you must provide a model"},
		{"no input", responsesBody(), "too short"},
		{"image", responsesBody(say("user", list{image})), ""},
		{"image of the system", responsesBody(user, say("system", list{image})), "cannot stand here"},
		{"empty text", responsesBody(say("user", "")), "an empty block"},
		{"no content", responsesBody(say("user", nil)), "must not be empty"},
		{"unknown role", responsesBody(say("bot", "x")), `"bot" is unknown`},
		{"unknown item", responsesBody(user, body{"type": "hologram"}), `"hologram" is unknown`},
		{"answer", responsesBody(user, say("assistant", list{body{"type": "output_text", "text": "x"}}), user), ""},
		{"answer in the user's words", responsesBody(user, say("assistant", list{body{"type": "input_text", "text": "x"}}), user), "cannot stand here"},
		{"answer last", responsesBody(user, say("assistant", "x")), "must not be the assistant's"},
		{"call and result", responsesBody(user, call, result, user), ""},
		{"result with an image", responsesBody(user, call, body{"type": "function_call_output", "call_id": "c1", "output": list{image}}), ""},
		{"dangling call", responsesBody(user, call, user), `the tool calls ["c1"] have no results`},
		{"dangling call at the end", responsesBody(user, call), `["c1"] have no results`},
		{"result without a call", responsesBody(user, result), `"c1" belongs to no call`},
		{"two results", responsesBody(user, call, result, result), `"c1" belongs to no call`},
		{"id twice", responsesBody(user, call, result, call, result), "ids must be unique"},
		{"call without a name", responsesBody(user, body{"type": "function_call", "call_id": "c1", "arguments": "{}"}, result), "must not be empty"},
		{"broken arguments", responsesBody(user, answer(`{"a`), result), "must be a JSON object"},
		{"thought", responsesBody(user, sealed, call, result), ""},
		{"thought before a text", responsesBody(user, sealed, say("assistant", "x"), user), ""},
		{"changed thought", responsesBody(user, thought(seal("rs_2", "hm")), call, result), "could not be verified"},
		{"thought without content", responsesBody(user, thought(nil), call, result), "is not found"},
		{"thought alone", responsesBody(user, sealed, user), "without the item that must follow"},
		{"thought last", responsesBody(user, sealed), "must not be the assistant's"},
		{"low limit", ok.with("max_output_tokens", 15), "at least 16"},
		{"stored before", ok.with("previous_response_id", "resp_1"), "is not found"},
		{"tool of another kind", ok.with("tools", list{body{"type": "web_search"}}), "must be function"},
		{"tool name", ok.with("tools", list{body{"type": "function", "name": ""}}), "no valid name"},
	} {
		t.Run(tc.name, func(t *testing.T) { checkRefusal(t, Responses, tc.body, tc.want) })
	}
}

func checkRefusal(t *testing.T, vendor Vendor, b any, want string) {
	t.Helper()
	s := start(t, "- reply: [{text: ok}]\n", Options{})
	status, text := post(t, s, vendor, b)
	if want == "" {
		if status != http.StatusOK {
			t.Errorf("refused: %s", text)
		}
		return
	}
	if status != http.StatusBadRequest || !strings.Contains(errorMessage(t, text), want) {
		t.Errorf("%d %s; want 400 with %q", status, text, want)
	}
	if un := s.Unmatched(); len(un) != 1 || !strings.Contains(un[0].Problem, want) {
		t.Errorf("unmatched: %+v", un)
	}
}

func TestKey(t *testing.T) {
	s := start(t, "- times: 0\n  reply: [{text: ok}]\n", Options{Key: "right"})
	for _, vendor := range Vendors() {
		for key, want := range map[string]int{"": 401, "wrong": 401, "right": 400} {
			resp := send(t, s, vendor, []byte(`{}`), key)
			text := readAll(t, resp.Body)
			_ = resp.Body.Close()
			if resp.StatusCode != want || errorMessage(t, text) == "" {
				t.Errorf("%s with key %q: %d %s", vendor, key, resp.StatusCode, text)
			}
			if strings.Contains(text, "right") || strings.Contains(text, "wrong") {
				t.Errorf("the answer holds a key: %s", text)
			}
		}
	}
}

func TestUnknownPath(t *testing.T) {
	s := start(t, "- reply: [{text: ok}]\n", Options{})
	resp, err := http.Get(s.URL() + "/v1/messages")
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	if resp.StatusCode != http.StatusMethodNotAllowed {
		t.Error(resp.Status)
	}
}
