package openai

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/llm"
	"github.com/clew-run/clew/internal/llm/call"
)

const key = "sk-proj-canary-0123456789"

func withKey(context.Context) (string, error) { return key, nil }

const (
	done  = "data: [DONE]\n\n"
	usage = `data: {"model":"m-1","choices":[],"usage":{"prompt_tokens":100,"completion_tokens":7,"prompt_tokens_details":{"cached_tokens":60}}}` + "\n\n"
)

func chunk(delta string) string {
	return fmt.Sprintf("data: {\"id\":\"c\",\"object\":\"chat.completion.chunk\",\"model\":\"m-1\",\"choices\":[{\"index\":0,\"delta\":%s,\"finish_reason\":null}]}\n\n", delta)
}

func text(words ...string) string {
	var b strings.Builder
	for _, w := range words {
		b.WriteString(chunk(fmt.Sprintf(`{"content":%q}`, w)))
	}
	return b.String()
}

func tools(calls ...string) string {
	return chunk(`{"tool_calls":[` + strings.Join(calls, ",") + `]}`)
}

func end(reason string) string {
	return fmt.Sprintf("data: {\"model\":\"m-1\",\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":%q}]}\n\n", reason)
}

func serve(t *testing.T, handler http.HandlerFunc) *Provider {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return New(Options{BaseURL: server.URL + "/v1", Key: withKey, HTTP: server.Client()})
}

func says(body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, body)
	}
}

func hello() llm.Request {
	return llm.Request{Model: "m", Messages: []clew.ModelMessage{{
		Role: clew.SpeakerUser, Content: clew.List[clew.Part]{{Type: clew.PartText, Text: "hello"}},
	}}}
}

func use(id, name, input string) clew.Part {
	return clew.Part{Type: clew.PartToolUse, ToolCallID: id, Tool: name, Input: []byte(input)}
}

// Servers that speak the same API speak it in many ways.
func TestAnswers(t *testing.T) {
	said := func(s string) []clew.Part { return []clew.Part{{Type: clew.PartText, Text: s}} }
	for name, c := range map[string]struct {
		body  string
		parts []clew.Part
		stop  llm.StopReason
		usage clew.Usage
		guess bool
	}{
		"openai": {
			body:  chunk(`{"role":"assistant","content":"","refusal":null}`) + text("Hel", "lo 🧵") + end("stop") + usage + done,
			parts: said("Hello 🧵"), stop: llm.StopEnd, usage: clew.Usage{TokensIn: 40, TokensOut: 7, CacheReads: 60},
		},
		"no done, no usage": {body: text("Hello") + end("stop"), parts: said("Hello"), stop: llm.StopEnd, guess: true},
		"usage in the last chunk": {
			body:  text("Hello") + `data: {"choices":[{"index":0,"delta":{"content":"!"},"finish_reason":"stop"}],"usage":{"prompt_tokens":5,"completion_tokens":6}}` + "\n\n" + done,
			parts: said("Hello!"), stop: llm.StopEnd, usage: clew.Usage{TokensIn: 5, TokensOut: 6},
		},
		"usage null": {
			body:  `data: {"choices":[{"index":0,"delta":{"content":"a"},"finish_reason":"stop"}],"usage":null}` + "\n\n" + done,
			parts: said("a"), stop: llm.StopEnd, guess: true,
		},
		"comments and empty deltas": {
			body:  ": OPENROUTER PROCESSING\n\n" + chunk(`{}`) + ": keep-alive\n\n" + text("", "a", "") + chunk(`{"content":null}`) + end("stop") + done,
			parts: said("a"), stop: llm.StopEnd, guess: true,
		},
		"reasoning_content": {
			body:  chunk(`{"reasoning_content":"I "}`) + chunk(`{"reasoning_content":"think","content":null}`) + text("a") + end("stop") + done,
			parts: append([]clew.Part{{Type: clew.PartThinking, Text: "I think"}}, said("a")...), stop: llm.StopEnd, guess: true,
		},
		"reasoning, twice the same": {
			body:  chunk(`{"reasoning":"x","reasoning_content":"x"}`) + chunk(`{"reasoning":"y","reasoning_details":[{"type":"reasoning.text","text":"y"}]}`) + end("length") + done,
			parts: []clew.Part{{Type: clew.PartThinking, Text: "xy"}}, stop: llm.StopMaxTokens, guess: true,
		},
		"parallel tool calls": {
			body: text("Now") + tools(`{"index":0,"id":"a","type":"function","function":{"name":"read","arguments":""}}`) +
				tools(`{"index":1,"id":"b","type":"function","function":{"name":"list","arguments":""}}`) +
				tools(`{"index":0,"function":{"arguments":"{\"p\":"}}`, `{"index":1,"function":{"arguments":"{}"}}`) +
				tools(`{"index":0,"function":{"arguments":" 1}"}}`) + end("tool_calls") + done,
			parts: append(said("Now"), use("a", "read", `{"p":1}`), use("b", "list", `{}`)), stop: llm.StopToolUse, guess: true,
		},
		"calls in one piece, finish says stop": {
			body: tools(`{"index":0,"id":"a","function":{"name":"read","arguments":"{\"p\":1}"}}`, `{"index":1,"id":"b","function":{"name":"read","arguments":"{}"}}`) +
				end("stop") + done,
			parts: []clew.Part{use("a", "read", `{"p":1}`), use("b", "read", `{}`)}, stop: llm.StopToolUse, guess: true,
		},
		"every call has index 0": {
			body:  tools(`{"index":0,"id":"a","function":{"name":"read","arguments":"{}"}}`) + tools(`{"index":0,"id":"b","function":{"name":"read","arguments":"{}"}}`) + end("tool_calls") + done,
			parts: []clew.Part{use("a", "read", `{}`), use("b", "read", `{}`)}, stop: llm.StopToolUse, guess: true,
		},
		"no index, no ids": {
			body:  tools(`{"function":{"name":"read","arguments":"{\"p\":1}"}}`, `{"function":{"name":"read","arguments":"{\"p\":2}"}}`) + end("tool_calls") + done,
			parts: []clew.Part{use("*", "read", `{"p":1}`), use("*", "read", `{"p":2}`)}, stop: llm.StopToolUse, guess: true,
		},
		"id and name with each piece": {
			body:  tools(`{"index":0,"id":"a","function":{"name":"read","arguments":"{\"p\""}}`) + tools(`{"index":0,"id":"a","function":{"name":"read","arguments":":1}"}}`) + end("tool_calls") + done,
			parts: []clew.Part{use("a", "read", `{"p":1}`)}, stop: llm.StopToolUse, guess: true,
		},
		"input before the name": {
			body:  tools(`{"index":0,"id":"a","function":{"arguments":"{\"p\""}}`) + tools(`{"index":0,"function":{"name":"read","arguments":":1}"}}`) + end("tool_calls") + done,
			parts: []clew.Part{use("a", "read", `{"p":1}`)}, stop: llm.StopToolUse, guess: true,
		},
		"no arguments":       {body: tools(`{"index":0,"id":"a","function":{"name":"now"}}`) + end("tool_calls"), parts: []clew.Part{use("a", "now", `{}`)}, stop: llm.StopToolUse, guess: true},
		"cut inside a call":  {body: text("a") + tools(`{"index":0,"id":"a","function":{"name":"t","arguments":"{\"p"}}`) + end("length"), parts: said("a"), stop: llm.StopMaxTokens, guess: true},
		"refusal":            {body: chunk(`{"refusal":"I will not."}`) + end("stop") + done, parts: said("I will not."), stop: llm.StopRefusal, guess: true},
		"filtered":           {body: text("a") + end("content_filter") + done, parts: said("a"), stop: llm.StopRefusal, guess: true},
		"a second choice":    {body: text("a") + `data: {"choices":[{"index":1,"delta":{"content":"zzz"},"finish_reason":"length"}]}` + "\n\n" + end("stop") + done, parts: said("a"), stop: llm.StopEnd, guess: true},
		"cache writes":       {body: text("a") + end("stop") + strings.Replace(usage, `"cached_tokens":60`, `"cached_tokens":60,"cache_write_tokens":30`, 1) + done, parts: said("a"), stop: llm.StopEnd, usage: clew.Usage{TokensIn: 10, TokensOut: 7, CacheReads: 60, CacheWrites: 30}},
		"deepseek's caching": {body: text("a") + `data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}],"usage":{"prompt_tokens":10,"completion_tokens":1,"prompt_cache_hit_tokens":4}}` + "\n\n" + done, parts: said("a"), stop: llm.StopEnd, usage: clew.Usage{TokensIn: 6, TokensOut: 1, CacheReads: 4}},
	} {
		t.Run(name, func(t *testing.T) {
			a, err := serve(t, says(c.body)).Stream(t.Context(), hello(), nil)
			if err != nil {
				t.Fatal(err)
			}
			for i := range min(len(a.Parts), len(c.parts)) {
				if c.parts[i].ToolCallID == "*" && strings.HasPrefix(a.Parts[i].ToolCallID, "call_") {
					c.parts[i].ToolCallID = a.Parts[i].ToolCallID
				}
			}
			if !reflect.DeepEqual(a.Parts, c.parts) || a.Stop != c.stop || a.Estimated != c.guess || !c.guess && a.Usage != c.usage {
				t.Errorf("got %+v", a)
			}
			if c.guess && (a.Usage.TokensIn <= 0 || a.Usage.TokensOut <= 0) {
				t.Errorf("no guess at the usage: %+v", a.Usage)
			}
		})
	}
}

func TestDeltas(t *testing.T) {
	var got []llm.Delta
	body := chunk(`{"reasoning":"hm"}`) + text("a") + tools(`{"index":0,"id":"x","function":{"name":"t","arguments":""}}`) +
		tools(`{"index":0,"function":{"arguments":"{}"}}`) + end("tool_calls") + done
	a, err := serve(t, says(body)).Stream(t.Context(), hello(), func(d llm.Delta) error {
		got = append(got, d)
		return nil
	})
	want := []llm.Delta{
		{Kind: llm.DeltaThinking, Text: "hm"}, {Kind: llm.DeltaText, Text: "a"},
		{Kind: llm.DeltaToolStart, ToolCallID: "x", Tool: "t"}, {Kind: llm.DeltaToolInput, ToolCallID: "x", Tool: "t", Text: "{}"},
	}
	if err != nil || !reflect.DeepEqual(got, want) || a.Model != "m-1" {
		t.Errorf("got %+v %q %v", got, a.Model, err)
	}
}

// An answer is whole or an error, whatever the stream holds.
func TestBrokenStreams(t *testing.T) {
	for name, body := range map[string]string{
		"nothing":           "",
		"only done":         done,
		"no finish":         text("hello") + done,
		"unknown finish":    text("hello") + end("new_reason") + done,
		"finish is error":   text("hello") + end("error") + done,
		"malformed chunk":   text("hello") + "data: {\"choices\":[{\n\n" + end("stop") + done,
		"malformed at last": text("hello") + end("stop") + "data: {\"choi\n\n",
		"input is a list":   tools(`{"index":0,"id":"a","function":{"name":"t","arguments":"[1]"}}`) + end("tool_calls") + done,
		"input is cut":      tools(`{"index":0,"id":"a","function":{"name":"t","arguments":"{\"p\":"}}`) + end("tool_calls") + done,
		"tool without name": tools(`{"index":0,"id":"a","function":{"arguments":"{}"}}`) + end("tool_calls") + done,
		"long early input":  strings.Repeat(tools(`{"index":0,"function":{"arguments":"`+strings.Repeat("x", 1000)+`"}}`), 5) + end("stop"),
		"calls without end": manyCalls(call.MaxTools+1) + end("tool_calls") + done,
		"a page":            "<html>maintenance</html>",
		"too large":         text(strings.Repeat("x", 5<<20), strings.Repeat("y", 5<<20)) + end("stop") + done,
		"tower of brackets": "data: {\"choices\":" + strings.Repeat("[", 1<<20) + "\n\n" + end("stop") + done,
	} {
		t.Run(name, func(t *testing.T) {
			a, err := serve(t, says(body)).Stream(t.Context(), hello(), nil)
			if err == nil {
				t.Fatalf("taken as whole: %+v", a.Parts)
			}
			if e := llm.AsError(err); !e.Temporary() || e.Message == "" {
				t.Errorf("kind %s, %q", e.Kind, e.Message)
			}
		})
	}
}

func manyCalls(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(tools(fmt.Sprintf(`{"index":%d,"id":"c%d","function":{"name":"t","arguments":"{}"}}`, i, i)))
	}
	return b.String()
}

func TestCutConnection(t *testing.T) {
	for body, whole := range map[string]bool{text("hello"): false, text("hello") + end("stop"): true} {
		p := serve(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "100000")
			_, _ = io.WriteString(w, body)
			w.(http.Flusher).Flush()
			panic(http.ErrAbortHandler)
		})
		a, err := p.Stream(t.Context(), hello(), nil)
		if (err == nil) != whole || err != nil && !llm.AsError(err).Temporary() {
			t.Errorf("finished %v: %+v %v", whole, a, err)
		}
	}
}

func TestStall(t *testing.T) {
	release := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, text("hello"))
		w.(http.Flusher).Flush()
		<-release
	}))
	defer server.Close()
	defer close(release)
	p := New(Options{BaseURL: server.URL, Key: withKey, Stall: 20 * time.Millisecond})
	_, err := p.Stream(t.Context(), hello(), nil)
	if !errors.Is(err, call.ErrStalled) || llm.AsError(err).Kind != llm.KindUnstable {
		t.Errorf("error %v", err)
	}
}

func TestErrorChunk(t *testing.T) {
	for body, kind := range map[string]llm.Kind{
		text("hel") + `data: {"error":{"code":429,"message":"busy, ` + key + `"},"choices":[{"index":0,"delta":{"content":""},"finish_reason":"error"}]}` + "\n\n": llm.KindOverloaded,
		text("hel") + end("stop") + `data: {"error":{"message":"out of memory","type":"server_error"}}` + "\n\n":                                                   llm.KindUnstable,
		`data: {"error":{"message":"maximum context length is 10","code":"context_length_exceeded"}}` + "\n\n":                                                     llm.KindContext,
	} {
		_, err := serve(t, says(body)).Stream(t.Context(), hello(), nil)
		if e := llm.AsError(err); err == nil || e.Kind != kind || strings.Contains(fmt.Sprint(e, e.Err), "canary") {
			t.Errorf("got %s %v", e.Kind, err)
		}
	}
}

func TestRefusals(t *testing.T) {
	calls := 0
	p := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		calls++
		w.Header().Set("Retry-After-Ms", "1500")
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusUnauthorized)
		_, _ = io.WriteString(w, `{"error":{"message":"Incorrect API key provided: `+key+`.","type":"invalid_request_error","code":"invalid_api_key"}}`)
	})
	_, err := p.Stream(t.Context(), hello(), nil)
	e := llm.AsError(err)
	if e.Kind != llm.KindAuth || e.Status != 401 || e.RetryAfter != 1500*time.Millisecond || e.Message != "the model provider 127.0.0.1 refused the key: Incorrect API key provided: [redacted]" {
		t.Errorf("got %+v", e)
	}
	if strings.Contains(fmt.Sprintf("%v %+v %#v", err, err, e), "canary") {
		t.Error("the key is in the error")
	}
	if calls != 1 {
		t.Errorf("%d calls, want 1: the caller retries", calls)
	}
}

func TestCallersErrorAndCancel(t *testing.T) {
	enough := errors.New("enough")
	p := serve(t, says(text("a", "b")+end("stop")+done))
	if _, err := p.Stream(t.Context(), hello(), func(llm.Delta) error { return enough }); err != enough { //nolint:errorlint // returned as it is
		t.Errorf("got %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	release := make(chan struct{})
	defer close(release)
	p = serve(t, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, text("a"))
		w.(http.Flusher).Flush()
		select {
		case <-r.Context().Done():
		case <-release:
		}
	})
	_, err := p.Stream(ctx, hello(), func(llm.Delta) error {
		cancel()
		return nil
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestEnvironmentDoesNotCount(t *testing.T) {
	for _, name := range []string{"OPENAI_API_KEY", "OPENAI_ADMIN_KEY", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID"} {
		t.Setenv(name, "from-the-environment")
	}
	t.Setenv("OPENAI_BASE_URL", "http://127.0.0.1:1")
	t.Setenv("OPENAI_CUSTOM_HEADERS", "X-Env: 1")
	var got http.Header
	p := serve(t, func(w http.ResponseWriter, r *http.Request) {
		got = r.Header.Clone()
		says(text("a")+end("stop")+done)(w, r)
	})
	p.options.Headers = map[string]string{"X-Title": "clew", "Authorization": "Bearer not-this-one"}
	if _, err := p.Stream(t.Context(), hello(), nil); err != nil {
		t.Fatal(err)
	}
	if got.Get("Authorization") != "Bearer "+key || got.Get("X-Title") != "clew" {
		t.Errorf("headers %v", got)
	}
	for name, values := range got {
		text := strings.Join(values, " ")
		if strings.Contains(text, "environment") || name == "X-Env" || name != "Authorization" && strings.Contains(text, "canary") {
			t.Errorf("%s: %s", name, text)
		}
	}
	p.options.Key, p.options.Headers = nil, nil
	if _, err := p.Stream(t.Context(), hello(), nil); err != nil || got.Get("Authorization") != "" {
		t.Errorf("without a key: %v, %v", err, got)
	}
	if _, err := New(Options{}).Stream(t.Context(), hello(), nil); llm.AsError(err).Kind != llm.KindAuth {
		t.Errorf("the vendor without a key: %v", err)
	}
}

func TestAddress(t *testing.T) {
	for base, want := range map[string]struct {
		url    string
		native bool
	}{
		"":                                   {vendorURL, true},
		"https://api.openai.com/v1":          {vendorURL, true},
		"https://eu.api.openai.com/v1/":      {"https://eu.api.openai.com/v1/", true},
		"https://x.openai.azure.com/v1":      {"https://x.openai.azure.com/v1/", true},
		"https://openrouter.ai/api/v1":       {"https://openrouter.ai/api/v1/", false},
		"https://x.openai.azure.com":         {"https://x.openai.azure.com/openai/v1/", true},
		"https://x.openai.azure.com/openai/": {"https://x.openai.azure.com/openai/v1/", true},
		"http://h:8080/v1/chat/completions":  {"http://h:8080/v1/", false},
		"http://h:8080/v1/responses/":        {"http://h:8080/v1/", false},
		"https://api.openai.com.evil.test":   {"https://api.openai.com.evil.test/", false},
		"localhost:11434":                    {},
		"file:///etc/passwd":                 {},
	} {
		got, err := address(base)
		if got.base != want.url || got.native != want.native || (err == nil) != (want.url != "") {
			t.Errorf("%q: %+v %v", base, got, err)
		}
	}
}
