package llmtest

import (
	"net/http"
	"strings"
	"testing"
)

func TestGeminiRefuses(t *testing.T) {
	content := func(role string, parts ...any) body { return body{"role": role, "parts": parts} }
	gemini := func(contents ...any) body { return body{"contents": contents} }
	user := content("user", body{"text": "go"})
	call := body{"functionCall": body{"id": "c1", "name": "gone_since", "args": body{}}}
	result := body{"functionResponse": body{"id": "c1", "name": "gone_since", "response": body{"output": "x"}}}
	tool := func(name, kind string) list {
		return list{body{"functionDeclarations": list{body{"name": name, "parametersJsonSchema": body{"type": kind}}}}}
	}
	ok := gemini(user)
	for _, tc := range []struct {
		name string
		body any
		want string // empty: taken
	}{
		{"plain", ok, ""},
		{"no JSON", "x", "Invalid JSON payload"},
		{"no contents", gemini(), "contents is not specified"},
		{"unknown role", gemini(content("assistant", body{"text": "x"})), "valid role"},
		{"no parts", gemini(content("user")), "must not be empty"},
		{"empty text", gemini(content("user", body{"text": ""})), "must not be empty"},
		{"no data", gemini(content("user", body{})), "oneof field"},
		{"answer last", gemini(user, content("model", body{"text": "a"})), "must have the role user"},
		{"call and result", gemini(user, content("model", call), content("user", result)), ""},
		{"dangling call", gemini(user, content("model", call), user), `the tool calls ["c1"] have no results`},
		{"result without a call", gemini(content("user", result)), `"c1" belongs to no call`},
		{"a strange seal", gemini(user, content("model", call.with("thoughtSignature", "x")), content("user", result)), "signature is not valid"},
		{"another model's call", gemini(user, content("model", call.with("thoughtSignature", unsealed)), content("user", result)), ""},
		{"underscores", gemini(user, content("model", call.with("thought_signature", "x")), content("user", result)), "signature is not valid"},
		{"GIF", gemini(content("user", body{"inlineData": body{"mimeType": "image/gif", "data": "eA=="}})), "Unsupported MIME type"},
		{"limit", ok.with("generationConfig", body{"maxOutputTokens": 0}), "must be positive"},
		{"two ways to think", ok.with("generationConfig", body{"thinkingConfig": body{"thinkingBudget": 1, "thinkingLevel": "low"}}), "cannot stand together"},
		{"tool name", ok.with("tools", tool("a b", "object")), "no valid name"},
		{"tool schema", ok.with("tools", tool("a", "string")), "not of type object"},
	} {
		t.Run(tc.name, func(t *testing.T) { checkRefusal(t, Gemini, tc.body, tc.want) })
	}
}

// A cloud wants the version in the body, and the model in the address only.
func TestCloudsRefuse(t *testing.T) {
	for vendor, says := range map[Vendor]string{Bedrock: "message", Vertex: "error"} {
		ok := body{"anthropic_version": "v", "max_tokens": 100, "messages": list{say("user", "go")}}
		for want, b := range map[string]body{
			"":                                 ok,
			"anthropic_version: the field is":  ok.with("anthropic_version", ""),
			"model: Extra inputs are not":      ok.with("model", "m"),
			"max_tokens: the field is missing": ok.with("max_tokens", nil),
		} {
			s := start(t, "- reply: [{text: fine}]\n", Options{})
			status, text := post(t, s, vendor, b)
			switch {
			case want == "" && status != http.StatusOK:
				t.Errorf("%s: %d %s", vendor, status, text)
			case want != "" && (status != http.StatusBadRequest || !strings.Contains(text, want) || !strings.Contains(text, says)):
				t.Errorf("%s: %d %s, want %s", vendor, status, text, want)
			}
		}
	}
}

// A thought under seal must come back on the call that it led to.
func TestGeminiWantsItsThoughtsBack(t *testing.T) {
	s := start(t, `
- when: {turn: 1}
  reply:
  - thinking: Look first.
  - tool: {name: read_file, id: c1, input: {}}
- reply: [{text: fine}]
`, Options{})
	user := body{"role": "user", "parts": list{body{"text": "go"}}}
	call := body{"functionCall": body{"id": "c1", "name": "read_file", "args": body{}}}
	result := body{"role": "user", "parts": list{body{"functionResponse": body{"id": "c1", "name": "read_file", "response": body{"output": "x"}}}}}
	answer := func(call body) body { return body{"role": "model", "parts": list{call}} }
	if status, text := post(t, s, Gemini, body{"contents": list{user}}); status != 200 || !strings.Contains(text, seal("c1", "read_file")) {
		t.Fatalf("%d %s", status, text)
	}
	if status, text := post(t, s, Gemini, body{"contents": list{user, answer(call), result}}); status != 400 || !strings.Contains(text, "without the reasoning") {
		t.Errorf("%d %s", status, text)
	}
	if status, text := post(t, s, Gemini, body{"contents": list{user, answer(call.with("thoughtSignature", seal("c1", "read_file"))), result}}); status != 200 {
		t.Errorf("%d %s", status, text)
	}
}
