package llmtest

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"testing"
)

const testKey = "sk-test"

// start plays a script for one test.
func start(t *testing.T, script string, opts Options) *Server {
	t.Helper()
	s, err := Start(MustParse(script), opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// body writes a request for any wire in few words.
type body map[string]any

func anthropicBody(messages ...any) body {
	return body{"model": "m", "max_tokens": 100, "messages": messages}
}

func openaiBody(messages ...any) body { return body{"model": "m", "messages": messages} }

func responsesBody(items ...any) body { return body{"model": "m", "input": items} }

func (b body) with(key string, value any) body {
	out := body{}
	for k, v := range b {
		out[k] = v
	}
	out[key] = value
	return out
}

func say(role string, content any) body { return body{"role": role, "content": content} }

// post sends a request the bare way and gives status and body.
func post(t *testing.T, s *Server, vendor Vendor, b any) (status int, text string) {
	t.Helper()
	data, err := json.Marshal(b)
	if err != nil {
		t.Fatal(err)
	}
	resp := send(t, s, vendor, data, testKey)
	defer func() { _ = resp.Body.Close() }()
	text = readAll(t, resp.Body)
	return resp.StatusCode, text
}

func readAll(t *testing.T, r io.Reader) string {
	t.Helper()
	data, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func send(t *testing.T, s *Server, vendor Vendor, data []byte, key string) *http.Response {
	t.Helper()
	path := map[Vendor]string{Anthropic: "/v1/messages", OpenAI: "/v1/chat/completions", Responses: "/v1/responses",
		Gemini: "/v1beta/models/m:generateContent", Bedrock: "/model/m/invoke", Vertex: "/v1/projects/p/locations/r/publishers/anthropic/models/m:rawPredict"}[vendor]
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL()+path, bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Anthropic-Version", "2023-06-01")
	if key != "" && vendor == Anthropic {
		req.Header.Set("X-Api-Key", key)
	} else if key != "" {
		req.Header.Set("Authorization", "Bearer "+key)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	return resp
}

// errorMessage takes the message out of any vendor's error form.
func errorMessage(t *testing.T, text string) string {
	t.Helper()
	var e struct {
		Error   struct{ Message string }
		Message string // Amazon's
	}
	if err := json.Unmarshal([]byte(text), &e); err != nil || e.Error.Message+e.Message == "" {
		t.Fatalf("no error in the vendor's form: %s", text)
	}
	return e.Error.Message + e.Message
}
