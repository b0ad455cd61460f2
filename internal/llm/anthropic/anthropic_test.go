package anthropic

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

const key = "sk-ant-api03-canary-0123456789"

func withKey(context.Context) (string, error) { return key, nil }

// events writes server-sent events: pairs of name and data.
func events(pairs ...string) string {
	var b strings.Builder
	for i := 0; i < len(pairs); i += 2 {
		fmt.Fprintf(&b, "event: %s\ndata: %s\n\n", pairs[i], pairs[i+1])
	}
	return b.String()
}

const (
	start = "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"id\":\"m\",\"type\":\"message\",\"role\":\"assistant\",\"model\":\"claude-x\",\"content\":[],\"usage\":{\"input_tokens\":10,\"cache_creation_input_tokens\":20,\"cache_read_input_tokens\":30,\"output_tokens\":1}}}\n\n"
	stop  = "event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n"
)

func block(index int, content string, deltas ...string) string {
	s := events("content_block_start", fmt.Sprintf(`{"type":"content_block_start","index":%d,"content_block":%s}`, index, content))
	for _, d := range deltas {
		s += events("content_block_delta", fmt.Sprintf(`{"type":"content_block_delta","index":%d,"delta":%s}`, index, d))
	}
	return s + events("content_block_stop", fmt.Sprintf(`{"type":"content_block_stop","index":%d}`, index))
}

func text(index int, words ...string) string {
	var deltas []string
	for _, w := range words {
		deltas = append(deltas, fmt.Sprintf(`{"type":"text_delta","text":%q}`, w))
	}
	return block(index, `{"type":"text","text":""}`, deltas...)
}

func end(reason string) string {
	return events("message_delta", fmt.Sprintf(`{"type":"message_delta","delta":{"stop_reason":%q},"usage":{"output_tokens":42}}`, reason)) + stop
}

func serve(t *testing.T, handler http.HandlerFunc) *Provider {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return New(Options{BaseURL: server.URL, Key: withKey, HTTP: server.Client()})
}

func says(body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, body)
	}
}

func hello() llm.Request {
	return llm.Request{Model: "claude-x", Messages: []clew.ModelMessage{{
		Role: clew.SpeakerUser, Content: clew.List[clew.Part]{{Type: clew.PartText, Text: "hello"}},
	}}}
}

func TestAnswer(t *testing.T) {
	body := ": a comment\n\n" + start + events("ping", `{"type":"ping"}`) +
		block(0, `{"type":"thinking","thinking":"","signature":""}`,
			`{"type":"thinking_delta","thinking":"Let me "}`, `{"type":"thinking_delta","thinking":"see."}`,
			`{"type":"signature_delta","signature":"proof=="}`) +
		block(1, `{"type":"redacted_thinking","data":"sealed=="}`) +
		text(2, "Read", "ing ", "größe 🧵") +
		block(3, `{"type":"tool_use","id":"toolu_1","name":"read_file","input":{}}`,
			`{"type":"input_json_delta","partial_json":""}`, `{"type":"input_json_delta","partial_json":"{\"path\": \"a"}`,
			`{"type":"input_json_delta","partial_json":".go\"}"}`) +
		block(4, `{"type":"tool_use","id":"toolu_2","name":"list_files","input":{}}`) +
		events("new_kind", `{"type":"new_kind"}`) + end("tool_use")
	var deltas []llm.Delta
	a, err := serve(t, says(body)).Stream(t.Context(), hello(), func(d llm.Delta) error {
		deltas = append(deltas, d)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	want := llm.Answer{
		Parts: []clew.Part{
			{Type: clew.PartThinking, Text: "Let me see.", Signature: "proof=="},
			{Type: clew.PartThinking, Encrypted: "sealed=="},
			{Type: clew.PartText, Text: "Reading größe 🧵"},
			{Type: clew.PartToolUse, ToolCallID: "toolu_1", Tool: "read_file", Input: []byte(`{"path":"a.go"}`)},
			{Type: clew.PartToolUse, ToolCallID: "toolu_2", Tool: "list_files", Input: []byte(`{}`)},
		},
		Usage: clew.Usage{TokensIn: 10, TokensOut: 42, CacheWrites: 20, CacheReads: 30},
		Stop:  llm.StopToolUse, Model: "claude-x",
	}
	if !reflect.DeepEqual(a, want) {
		t.Errorf("got  %+v\nwant %+v", a, want)
	}
	wantDeltas := []llm.Delta{
		{Kind: llm.DeltaThinking, Text: "Let me "}, {Kind: llm.DeltaThinking, Text: "see."},
		{Kind: llm.DeltaText, Text: "Read"}, {Kind: llm.DeltaText, Text: "ing "}, {Kind: llm.DeltaText, Text: "größe 🧵"},
		{Kind: llm.DeltaToolStart, ToolCallID: "toolu_1", Tool: "read_file"},
		{Kind: llm.DeltaToolInput, ToolCallID: "toolu_1", Tool: "read_file", Text: `{"path": "a`},
		{Kind: llm.DeltaToolInput, ToolCallID: "toolu_1", Tool: "read_file", Text: `.go"}`},
		{Kind: llm.DeltaToolStart, ToolCallID: "toolu_2", Tool: "list_files"},
	}
	if !reflect.DeepEqual(deltas, wantDeltas) {
		t.Errorf("got  %+v\nwant %+v", deltas, wantDeltas)
	}
}

func TestStopReasons(t *testing.T) {
	for reason, want := range map[string]llm.StopReason{
		"end_turn": llm.StopEnd, "stop_sequence": llm.StopEnd, "max_tokens": llm.StopMaxTokens,
		"refusal": llm.StopRefusal, "model_context_window_exceeded": llm.StopMaxTokens,
	} {
		a, err := serve(t, says(start+text(0, "hi")+end(reason))).Stream(t.Context(), hello(), nil)
		if err != nil || a.Stop != want {
			t.Errorf("%s: %s %v", reason, a.Stop, err)
		}
	}
}

// An answer is whole or an error, whatever the stream holds.
func TestBrokenStreams(t *testing.T) {
	whole := start + text(0, "hello") + end("end_turn")
	for name, body := range map[string]string{
		"nothing":            "",
		"no end":             start + text(0, "hello"),
		"no stop event":      strings.TrimSuffix(whole, stop),
		"no stop reason":     start + text(0, "hello") + stop,
		"no start":           text(0, "hello") + end("end_turn"),
		"open block":         start + strings.Split(text(0, "hello"), "event: content_block_stop")[0] + end("end_turn"),
		"unknown reason":     start + text(0, "hello") + end("new_reason"),
		"unknown block":      start + block(0, `{"type":"hologram"}`) + end("end_turn"),
		"malformed chunk":    start + "event: content_block_start\ndata: {\"type\":\"content_bl\n\n" + end("end_turn"),
		"stray delta":        start + events("content_block_delta", `{"type":"content_block_delta","index":7,"delta":{"type":"text_delta","text":"x"}}`) + end("end_turn"),
		"wrong delta":        start + block(0, `{"type":"text","text":""}`, `{"type":"input_json_delta","partial_json":"{}"}`) + end("end_turn"),
		"input is a list":    start + block(0, `{"type":"tool_use","id":"a","name":"t","input":{}}`, `{"type":"input_json_delta","partial_json":"[1]"}`) + end("tool_use"),
		"input is cut":       start + block(0, `{"type":"tool_use","id":"a","name":"t","input":{}}`, `{"type":"input_json_delta","partial_json":"{\"a\":"}`) + end("tool_use"),
		"tool without name":  start + block(0, `{"type":"tool_use","id":"a","input":{}}`) + end("tool_use"),
		"a page":             "<html>maintenance</html>",
		"too large":          start + text(0, strings.Repeat("x", 5<<20), strings.Repeat("y", 5<<20)) + end("end_turn"),
		"line without end":   start + "event: content_block_delta\ndata: " + strings.Repeat("x", 33<<20),
		"tower of brackets":  start + "event: content_block_start\ndata: " + strings.Repeat("[", 1<<20) + "\n\n" + end("end_turn"),
		"block opened twice": start + events("content_block_start", `{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}`, "content_block_start", `{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}`) + end("end_turn"),
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

func TestCutConnection(t *testing.T) {
	p := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "100000")
		_, _ = io.WriteString(w, start+text(0, "hello"))
		w.(http.Flusher).Flush()
		panic(http.ErrAbortHandler)
	})
	if _, err := p.Stream(t.Context(), hello(), nil); err == nil || !llm.AsError(err).Temporary() {
		t.Errorf("error %v", err)
	}
}

func TestStall(t *testing.T) {
	release := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, start)
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

func TestErrorEvent(t *testing.T) {
	body := start + text(0, "hel") + events("error", `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded, `+key+`"}}`)
	_, err := serve(t, says(body)).Stream(t.Context(), hello(), nil)
	e := llm.AsError(err)
	if e.Kind != llm.KindOverloaded || !strings.HasPrefix(e.Message, "the model provider is busy: Overloaded") || strings.Contains(e.Error(), "canary") {
		t.Errorf("got %s %q", e.Kind, e)
	}
}

func TestRefusals(t *testing.T) {
	calls := 0
	p := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		calls++
		w.Header().Set("Retry-After", "7")
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusTooManyRequests)
		_, _ = io.WriteString(w, `{"type":"error","error":{"type":"rate_limit_error","message":"slow down, `+key+`"}}`)
	})
	_, err := p.Stream(t.Context(), hello(), nil)
	e := llm.AsError(err)
	if e.Kind != llm.KindOverloaded || e.Status != 429 || e.RetryAfter != 7*time.Second || e.Message != "the model provider 127.0.0.1 is busy: slow down, [redacted]" {
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
	p := serve(t, says(start+text(0, "a", "b")+end("end_turn")))
	if _, err := p.Stream(t.Context(), hello(), func(llm.Delta) error { return enough }); err != enough { //nolint:errorlint // returned as it is
		t.Errorf("got %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	release := make(chan struct{})
	defer close(release)
	p = serve(t, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, start+text(0, "a"))
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
	for _, name := range []string{"ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_PROFILE"} {
		t.Setenv(name, "from-the-environment")
	}
	t.Setenv("ANTHROPIC_BASE_URL", "http://127.0.0.1:1")
	t.Setenv("ANTHROPIC_CUSTOM_HEADERS", "X-Env: 1")
	var got http.Header
	handler := func(w http.ResponseWriter, r *http.Request) {
		got = r.Header.Clone()
		says(start+text(0, "a")+end("end_turn"))(w, r)
	}
	p := serve(t, handler)
	p.options.Headers = map[string]string{"X-Team": "blue", "X-Api-Key": "not this one"}
	if _, err := p.Stream(t.Context(), hello(), nil); err != nil {
		t.Fatal(err)
	}
	if got.Get("X-Api-Key") != key || got.Get("Authorization") != "" || got.Get("X-Env") != "" || got.Get("X-Team") != "blue" {
		t.Errorf("headers %v", got)
	}
	for name := range got {
		if name != "X-Api-Key" && strings.Contains(got.Get(name), "canary") {
			t.Errorf("the key is in %s", name)
		}
	}
	p.options.Key, p.options.Headers = nil, nil
	if _, err := p.Stream(t.Context(), hello(), nil); err != nil || got.Get("X-Api-Key") != "" {
		t.Errorf("without a key: %v, %v", err, got)
	}
	if _, err := New(Options{}).Stream(t.Context(), hello(), nil); llm.AsError(err).Kind != llm.KindAuth {
		t.Errorf("the vendor without a key: %v", err)
	}
}

func TestAddress(t *testing.T) {
	for base, want := range map[string]string{
		"": vendorURL, "https://h/": "https://h/", "https://h/v1": "https://h/", "https://h/api/anthropic": "https://h/api/anthropic/",
		"h:80": "", "ftp://h": "", "http://": "", "://": "",
	} {
		if got, err := address(base); got != want || (err == nil) != (want != "") {
			t.Errorf("%q: %q %v", base, got, err)
		}
	}
}
