package gemini

import (
	"context"
	"encoding/json"
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

const key = "AIza-canary-canary-canary"

func withKey(context.Context) (string, error) { return key, nil }

func serve(t *testing.T, h http.HandlerFunc) *Provider {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return New(Options{BaseURL: s.URL, Key: withKey})
}

func says(body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, body)
	}
}

// parts is a chunk with these parts, as JSON.
func parts(list string) string {
	return `data: {"candidates":[{"content":{"role":"model","parts":[` + list + `]}}],"modelVersion":"m-1"}` + "\r\n\r\n"
}

func finish(reason, usage string) string {
	return `data: {"candidates":[{"content":{},"finishReason":"` + reason + `"}],"modelVersion":"m-1"` + usage + "}\n\n"
}

func hello() llm.Request {
	return llm.Request{Model: "m", Messages: []clew.ModelMessage{{Role: clew.SpeakerUser, Content: clew.List[clew.Part]{{Type: clew.PartText, Text: "hi"}}}}}
}

func TestAnswers(t *testing.T) {
	said := func(text string) []clew.Part { return []clew.Part{{Type: clew.PartText, Text: text}} }
	const counted = `,"usageMetadata":{"promptTokenCount":100,"cachedContentTokenCount":30,"candidatesTokenCount":7,"thoughtsTokenCount":5}`
	for name, c := range map[string]struct {
		body  string
		parts []clew.Part
		stop  llm.StopReason
		usage clew.Usage
	}{
		"text": {
			body: parts(`{"text":"a"}`) + parts(`{"text":"b"}`) + finish("STOP", counted), parts: said("ab"), stop: llm.StopEnd,
			usage: clew.Usage{TokensIn: 70, TokensOut: 12, CacheReads: 30},
		},
		"a call with its seal": {
			body: parts(`{"text":"hm","thought":true}`) +
				parts(`{"functionCall":{"id":"c1","name":"read","args":{"p": 1}},"thoughtSignature":"s1"},{"functionCall":{"id":"c2","name":"read"}}`) + finish("STOP", counted),
			parts: []clew.Part{
				{Type: clew.PartThinking, Text: "hm"},
				{Type: clew.PartToolUse, ToolCallID: "c1", Tool: "read", Input: json.RawMessage(`{"p":1}`), Signature: "HOST/s1"},
				{Type: clew.PartToolUse, ToolCallID: "c2", Tool: "read", Input: json.RawMessage(`{}`)},
			},
			stop: llm.StopToolUse, usage: clew.Usage{TokensIn: 70, TokensOut: 12, CacheReads: 30},
		},
		"a seal after its text": {
			body:  parts(`{"text":"a"}`) + parts(`{"text":"","thoughtSignature":"s2"}`) + parts(`{"text":"b"}`) + finish("STOP", counted),
			parts: []clew.Part{{Type: clew.PartText, Text: "a", Signature: "HOST/s2"}, {Type: clew.PartText, Text: "b"}},
			stop:  llm.StopEnd, usage: clew.Usage{TokensIn: 70, TokensOut: 12, CacheReads: 30},
		},
		"a seal of a thought": {
			body:  parts(`{"text":"hm","thought":true,"thoughtSignature":"s3"}`) + parts(`{"text":"a"}`) + finish("STOP", counted),
			parts: []clew.Part{{Type: clew.PartThinking, Text: "hm", Signature: "HOST/s3", Encrypted: "gemini"}, {Type: clew.PartText, Text: "a"}},
			stop:  llm.StopEnd, usage: clew.Usage{TokensIn: 70, TokensOut: 12, CacheReads: 30},
		},
		"limit":          {body: parts(`{"text":"a"}`) + finish("MAX_TOKENS", ""), parts: said("a"), stop: llm.StopMaxTokens},
		"filtered":       {body: parts(`{"text":"a"}`) + finish("PROHIBITED_CONTENT", ""), parts: said("a"), stop: llm.StopRefusal},
		"prompt refused": {body: `data: {"promptFeedback":{"blockReason":"SAFETY"},"modelVersion":"m-1"}` + "\n\n", stop: llm.StopRefusal},
		"no empty line at the end": {
			body: ": comment\n" + parts(`{"text":"a"}`) + strings.TrimRight(finish("STOP", ""), "\n"), parts: said("a"), stop: llm.StopEnd,
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := serve(t, says(c.body))
			a, err := p.Stream(t.Context(), hello(), nil)
			if err != nil {
				t.Fatal(err)
			}
			host := strings.TrimPrefix(p.options.BaseURL, "http://")
			for i := range c.parts {
				c.parts[i].Signature = strings.Replace(c.parts[i].Signature, "HOST", host, 1)
			}
			guess := c.usage == clew.Usage{}
			if !reflect.DeepEqual(a.Parts, c.parts) || a.Stop != c.stop || a.Estimated != guess || !guess && a.Usage != c.usage || a.Model != "m-1" {
				t.Errorf("got %+v", a)
			}
		})
	}
}

// An answer is whole or an error, whatever the stream holds.
func TestBrokenStreams(t *testing.T) {
	end := finish("STOP", "")
	for name, body := range map[string]string{
		"nothing":           "",
		"no end":            parts(`{"text":"a"}`),
		"half an event":     parts(`{"text":"a"}`) + `data: {"candidates":[`,
		"malformed":         parts(`{"text":"a"}`) + "data: {oops\n\n" + end,
		"unknown reason":    parts(`{"text":"a"}`) + finish("BRAND_NEW", ""),
		"no JSON in a call": parts(`{"text":"a"}`) + finish("MALFORMED_FUNCTION_CALL", ""),
		"tool without name": parts(`{"functionCall":{"args":{}}}`) + end,
		"input is a list":   parts(`{"functionCall":{"name":"t","args":[1]}}`) + end,
		"an image":          parts(`{"inlineData":{"mimeType":"image/png","data":"eA=="}}`) + end,
		"a page":            "<html>maintenance</html>",
		"too large":         parts(`{"text":"`+strings.Repeat("x", 9<<20)+`"}`) + end,
		"one endless line":  "data: " + strings.Repeat("x", maxEvent+1),
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

func TestFailures(t *testing.T) {
	refused := func(code int, status, message, details string) string {
		return fmt.Sprintf(`{"error":{"code":%d,"message":"%s, %s","status":%q,"details":[%s]}}`, code, message, key, status, details)
	}
	const retry = `{"@type":"type.googleapis.com/google.rpc.QuotaFailure"},{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"34.5s"}`
	for _, c := range []struct {
		status int
		body   string
		want   llm.Kind
	}{
		{429, refused(429, "RESOURCE_EXHAUSTED", "You exceeded your current quota", retry), llm.KindOverloaded},
		{503, refused(503, "UNAVAILABLE", "The model is overloaded", retry), llm.KindOverloaded},
		{500, refused(500, "INTERNAL", "oops", ""), llm.KindUnstable},
		{400, refused(400, "INVALID_ARGUMENT", "bad", ""), llm.KindRequest},
		{400, refused(400, "INVALID_ARGUMENT", "API key not valid", `{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"API_KEY_INVALID"}`), llm.KindAuth},
		{400, refused(400, "INVALID_ARGUMENT", "The input token count (2000000) exceeds the maximum number of tokens allowed (1048576)", ""), llm.KindContext},
		{401, refused(401, "UNAUTHENTICATED", "no", ""), llm.KindAuth},
		{403, refused(403, "PERMISSION_DENIED", "no", ""), llm.KindAuth},
		{404, "[" + refused(404, "NOT_FOUND", "models/m is not found", "") + "]", llm.KindRequest},
		// In the middle of an answer, as an event or bare.
		{200, parts(`{"text":"a"}`) + "data: " + refused(503, "UNAVAILABLE", "overloaded", retry) + "\n\n", llm.KindOverloaded},
		{200, parts(`{"text":"a"}`) + refused(429, "RESOURCE_EXHAUSTED", "quota", retry) + "\n", llm.KindOverloaded},
	} {
		p := serve(t, func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(c.status)
			says(c.body)(w, r)
		})
		_, err := p.Stream(t.Context(), hello(), nil)
		e := llm.AsError(err)
		if e.Kind != c.want || strings.Contains(fmt.Sprintf("%v %#v", err, e), "canary") {
			t.Errorf("%s: %+v", c.body, e)
		}
		if want := 34500 * time.Millisecond; strings.Contains(c.body, "RetryInfo") && e.RetryAfter != want {
			t.Errorf("%s: wait %v", c.body, e.RetryAfter)
		}
	}
}

func TestCutStallAndCancel(t *testing.T) {
	release := make(chan struct{})
	defer close(release)
	for body, whole := range map[string]bool{parts(`{"text":"a"}`): false, parts(`{"text":"a"}`) + finish("STOP", ""): true} {
		cut := serve(t, func(w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, body)
			w.(http.Flusher).Flush()
			panic(http.ErrAbortHandler)
		})
		stalled := serve(t, func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.WriteString(w, body)
			w.(http.Flusher).Flush()
			select {
			case <-release:
			case <-r.Context().Done():
			}
		})
		stalled = New(Options{BaseURL: stalled.options.BaseURL, Key: withKey, Stall: 20 * time.Millisecond})
		if _, err := cut.Stream(t.Context(), hello(), nil); (err == nil) != whole || err != nil && !llm.AsError(err).Temporary() {
			t.Errorf("cut, whole %t: %v", whole, err)
		}
		if _, err := stalled.Stream(t.Context(), hello(), nil); (err == nil) != whole || err != nil && !errors.Is(err, call.ErrStalled) {
			t.Errorf("stalled, whole %t: %v", whole, err)
		}
	}
	enough := errors.New("enough")
	p := serve(t, says(parts(`{"text":"a"}`)+finish("STOP", "")))
	if _, err := p.Stream(t.Context(), hello(), func(llm.Delta) error { return enough }); err != enough { //nolint:errorlint // returned as it is
		t.Errorf("got %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := p.Stream(ctx, hello(), nil); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

// The key is in its header and not in the address, and nothing of the environment
// reaches a call.
func TestWhereCallsGo(t *testing.T) {
	for _, name := range []string{"GEMINI_API_KEY", "GOOGLE_API_KEY", "GOOGLE_GEMINI_BASE_URL"} {
		t.Setenv(name, "http://from-the-environment")
	}
	var got *http.Request
	p := serve(t, func(w http.ResponseWriter, r *http.Request) {
		got = r
		says(finish("STOP", ""))(w, r)
	})
	root := p.options.BaseURL
	for _, base := range []string{root, root + "/", root + "/v1beta", root + "/v1beta/models/"} {
		p.options.BaseURL = base
		req := hello()
		req.Model = "models/gemini-2.5-pro"
		if _, err := p.Stream(t.Context(), req, nil); err != nil || got.URL.String() != "/v1beta/models/gemini-2.5-pro:streamGenerateContent?alt=sse" ||
			got.Header.Get("X-Goog-Api-Key") != key || strings.Contains(fmt.Sprint(got.Header), "environment") {
			t.Errorf("%s: %v %v %v", base, got.URL, got.Header, err)
		}
	}
	if _, err := New(Options{}).Stream(t.Context(), hello(), nil); llm.AsError(err).Kind != llm.KindAuth {
		t.Errorf("the vendor without a key: %v", err)
	}
	if _, err := New(Options{BaseURL: "ftp://x"}).Stream(t.Context(), hello(), nil); llm.AsError(err).Kind != llm.KindRequest {
		t.Errorf("a strange address: %v", err)
	}
}

func FuzzStream(f *testing.F) {
	f.Add(parts(`{"text":"hm","thought":true}`) + parts(`{"functionCall":{"id":"c1","name":"read","args":{"p": 1}},"thoughtSignature":"s1"}`) + finish("STOP", ""))
	f.Add("data: {\"error\":{\"code\":429}}\n\n{")
	f.Fuzz(func(t *testing.T, body string) {
		events := eventScanner(strings.NewReader(body))
		r := reader{b: call.NewBuilder(hello(), nil), host: "h"}
		for events.next() {
			if r.chunk(events.data, nil) != nil {
				return
			}
		}
		a, err := r.answer()
		for _, p := range a.Parts {
			if err == nil && p.Type == clew.PartToolUse && !json.Valid(p.Input) {
				t.Errorf("input %s", p.Input)
			}
		}
	})
}
