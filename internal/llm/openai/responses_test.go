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

func event(kind, fields string) string {
	return fmt.Sprintf("event: %s\ndata: {\"type\":%q,\"sequence_number\":0,%s}\n\n", kind, kind, fields)
}

func added(index int, item string) string {
	return event("response.output_item.added", fmt.Sprintf(`"output_index":%d,"item":%s`, index, item))
}

func ended(index int, item string) string {
	return event("response.output_item.done", fmt.Sprintf(`"output_index":%d,"item":%s`, index, item))
}

func delta(kind string, index int, text string) string {
	return event("response."+kind+".delta", fmt.Sprintf(`"item_id":"i","output_index":%d,"content_index":0,"delta":%q`, index, text))
}

func answered(words ...string) string {
	var b strings.Builder
	b.WriteString(added(0, `{"type":"message","id":"msg_1","role":"assistant","content":[]}`))
	for _, w := range words {
		b.WriteString(delta("output_text", 0, w))
	}
	text := fmt.Sprintf(`[{"type":"output_text","text":%q}]`, strings.Join(words, ""))
	b.WriteString(ended(0, `{"type":"message","id":"msg_1","role":"assistant","content":`+text+`}`))
	return b.String()
}

func function(index int, id, name, arguments string) string {
	return added(index, fmt.Sprintf(`{"type":"function_call","id":"fc","call_id":%q,"name":%q,"arguments":""}`, id, name)) +
		delta("function_call_arguments", index, arguments) +
		ended(index, fmt.Sprintf(`{"type":"function_call","id":"fc","call_id":%q,"name":%q,"arguments":%q}`, id, name, arguments))
}

const responseUsage = `,"usage":{"input_tokens":100,"output_tokens":7,"input_tokens_details":{"cached_tokens":60}}`

func completed(more string) string {
	return event("response.completed", `"response":{"id":"r","model":"m-1","status":"completed"`+more+`}`)
}

func incomplete(reason string) string {
	return event("response.incomplete", fmt.Sprintf(`"response":{"id":"r","model":"m-1","status":"incomplete","incomplete_details":{"reason":%q}}`, reason))
}

func failed(err string) string {
	return event("response.failed", `"response":{"id":"r","status":"failed","error":`+err+`}`)
}

func responseSeed() string {
	return event("response.created", `"response":{"id":"r","status":"in_progress"}`) +
		added(0, `{"type":"reasoning","id":"rs_1","summary":[]}`) + delta("reasoning_summary_text", 0, "hm") +
		ended(0, `{"type":"reasoning","id":"rs_1","summary":[{"type":"summary_text","text":"hm"}],"encrypted_content":"sealed=="}`) +
		function(1, "c1", "read", `{"p":1}`) + completed(responseUsage)
}

func serveResponses(t *testing.T, handler http.HandlerFunc) *Provider {
	t.Helper()
	p := serve(t, handler)
	p.responses = true
	return p
}

func TestResponsesAnswers(t *testing.T) {
	said := func(s string) []clew.Part { return []clew.Part{{Type: clew.PartText, Text: s}} }
	for name, c := range map[string]struct {
		body  string
		parts []clew.Part
		stop  llm.StopReason
		usage clew.Usage
		guess bool
	}{
		"text": {
			body:  event("response.created", `"response":{}`) + answered("Hel", "lo 🧵") + completed(responseUsage),
			parts: said("Hello 🧵"), stop: llm.StopEnd, usage: clew.Usage{TokensIn: 40, TokensOut: 7, CacheReads: 60},
		},
		"cache writes": {
			body:  answered("a") + completed(strings.Replace(responseUsage, `"cached_tokens":60`, `"cached_tokens":60,"cache_write_tokens":30`, 1)),
			parts: said("a"), stop: llm.StopEnd, usage: clew.Usage{TokensIn: 10, TokensOut: 7, CacheReads: 60, CacheWrites: 30},
		},
		"reasoning and a call": {
			body: responseSeed(),
			parts: []clew.Part{
				{Type: clew.PartThinking, Text: "hm", Signature: "HOST/rs_1", Encrypted: "sealed=="}, use("c1", "read", `{"p":1}`),
			},
			stop: llm.StopToolUse, usage: clew.Usage{TokensIn: 40, TokensOut: 7, CacheReads: 60},
		},
		"sealed without a summary": {
			body: added(0, `{"type":"reasoning","id":"rs_1"}`) + ended(0, `{"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"s"}`) +
				function(1, "c1", "now", "") + completed(""),
			parts: []clew.Part{{Type: clew.PartThinking, Signature: "HOST/rs_1", Encrypted: "s"}, use("c1", "now", `{}`)}, stop: llm.StopToolUse, guess: true,
		},
		"a summary in two sections": {
			body: added(0, `{"type":"reasoning","id":"rs_1"}`) + delta("reasoning_summary_text", 0, "one") +
				event("response.reasoning_summary_text.delta", `"output_index":0,"summary_index":1,"delta":"two"`) +
				ended(0, `{"type":"reasoning","id":"rs_1"}`) + completed(""),
			parts: []clew.Part{{Type: clew.PartThinking, Text: "one\n\ntwo"}}, stop: llm.StopEnd, guess: true,
		},
		"an open model's reasoning": {
			body:  added(0, `{"type":"reasoning","id":"rs_1"}`) + delta("reasoning_text", 0, "hm") + completed(""),
			parts: []clew.Part{{Type: clew.PartThinking, Text: "hm"}}, stop: llm.StopEnd, guess: true,
		},
		"all of it only at the end": {
			body: ended(0, `{"type":"reasoning","id":"rs_1","summary":[{"text":"a"},{"text":"b"}]}`) +
				ended(1, `{"type":"message","content":[{"type":"output_text","text":"x"},{"type":"output_text","text":"y"}]}`) +
				ended(2, `{"type":"function_call","call_id":"c1","name":"t","arguments":"{\"p\":1}"}`) + completed(""),
			parts: []clew.Part{{Type: clew.PartThinking, Text: "a\n\nb"}, {Type: clew.PartText, Text: "xy"}, use("c1", "t", `{"p":1}`)}, stop: llm.StopToolUse, guess: true,
		},
		"phases": {
			body: ended(0, `{"type":"message","phase":"commentary","content":[]}`) +
				ended(1, `{"type":"message","phase":"final_answer","content":[{"type":"output_text","text":"x"}]}`) + completed(""),
			parts: []clew.Part{{Type: clew.PartText, Text: "x", Signature: "HOST/final_answer"}}, stop: llm.StopEnd, guess: true,
		},
		"parallel calls": {
			body: added(0, `{"type":"function_call","call_id":"a","name":"read"}`) + added(1, `{"type":"function_call","call_id":"b","name":"list"}`) +
				delta("function_call_arguments", 0, `{"p":`) + delta("function_call_arguments", 1, `{}`) + delta("function_call_arguments", 0, `1}`) + completed(""),
			parts: []clew.Part{use("a", "read", `{"p":1}`), use("b", "list", `{}`)}, stop: llm.StopToolUse, guess: true,
		},
		"limit":    {body: answered("a") + incomplete("max_output_tokens"), parts: said("a"), stop: llm.StopMaxTokens, guess: true},
		"filtered": {body: answered("a") + incomplete("content_filter"), parts: said("a"), stop: llm.StopRefusal, guess: true},
		"cut inside a call": {
			body:  answered("a") + added(1, `{"type":"function_call","call_id":"b","name":"t"}`) + delta("function_call_arguments", 1, `{"p`) + incomplete("max_output_tokens"),
			parts: said("a"), stop: llm.StopMaxTokens, guess: true,
		},
		"refusal": {
			body:  added(0, `{"type":"message"}`) + delta("refusal", 0, "I will not.") + completed(""),
			parts: said("I will not."), stop: llm.StopRefusal, guess: true,
		},
		"refusal in one piece": {
			body:  ended(0, `{"type":"message","content":[{"type":"refusal","refusal":"No."}]}`) + completed(""),
			parts: said("No."), stop: llm.StopRefusal, guess: true,
		},
		"unknown events, and bytes after the end": {
			body:  ": ping\n\n" + event("response.brand_new", `"x":1`) + answered("a") + completed("") + "data: {oops\n\n",
			parts: said("a"), stop: llm.StopEnd, guess: true,
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := serveResponses(t, says(c.body))
			a, err := p.Stream(t.Context(), hello(), nil)
			if err != nil {
				t.Fatal(err)
			}
			to, _ := address(p.options.BaseURL)
			for i := range c.parts {
				c.parts[i].Signature = strings.Replace(c.parts[i].Signature, "HOST", to.host, 1)
			}
			if !reflect.DeepEqual(a.Parts, c.parts) || a.Stop != c.stop || a.Estimated != c.guess || !c.guess && a.Usage != c.usage || a.Model != "m-1" {
				t.Errorf("got %+v", a)
			}
			if c.guess && (a.Usage.TokensIn <= 0 || a.Usage.TokensOut <= 0) {
				t.Errorf("no guess at the usage: %+v", a.Usage)
			}
		})
	}
}

func TestResponsesDeltas(t *testing.T) {
	var got []llm.Delta
	_, err := serveResponses(t, says(responseSeed())).Stream(t.Context(), hello(), func(d llm.Delta) error {
		got = append(got, d)
		return nil
	})
	want := []llm.Delta{
		{Kind: llm.DeltaThinking, Text: "hm"},
		{Kind: llm.DeltaToolStart, ToolCallID: "c1", Tool: "read"}, {Kind: llm.DeltaToolInput, ToolCallID: "c1", Tool: "read", Text: `{"p":1}`},
	}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v %v", got, err)
	}
}

// An answer is whole or an error, whatever the stream holds.
func TestResponsesBrokenStreams(t *testing.T) {
	for name, body := range map[string]string{
		"nothing":            "",
		"no end":             answered("hello"),
		"only done":          answered("hello") + done,
		"unknown reason":     answered("hello") + incomplete("new_reason"),
		"malformed":          answered("hello") + "data: {\"type\":\n\n" + completed(""),
		"unknown item":       added(0, `{"type":"hologram"}`) + completed(""),
		"begun twice":        added(0, `{"type":"message"}`) + added(0, `{"type":"message"}`) + completed(""),
		"ended twice":        answered("a") + ended(0, `{"type":"message"}`) + completed(""),
		"piece of nothing":   delta("output_text", 0, "a") + completed(""),
		"piece after an end": answered("a") + delta("output_text", 0, "a") + completed(""),
		"piece of another":   added(0, `{"type":"reasoning"}`) + delta("output_text", 0, "a") + completed(""),
		"input is a list":    function(0, "a", "t", "[1]") + completed(""),
		"input is cut":       function(0, "a", "t", `{"p":`) + completed(""),
		"tool without name":  function(0, "a", "", "{}") + completed(""),
		"a page":             "<html>maintenance</html>",
		"too large":          answered(strings.Repeat("x", 5<<20), strings.Repeat("y", 5<<20)) + completed(""),
		"tower of brackets":  "data: {\"item\":" + strings.Repeat("[", 1<<20) + "\n\n" + completed(""),
	} {
		t.Run(name, func(t *testing.T) {
			a, err := serveResponses(t, says(body)).Stream(t.Context(), hello(), nil)
			if err == nil {
				t.Fatalf("taken as whole: %+v", a.Parts)
			}
			if e := llm.AsError(err); !e.Temporary() || e.Message == "" {
				t.Errorf("kind %s, %q", e.Kind, e.Message)
			}
		})
	}
}

func TestResponsesCutAndStall(t *testing.T) {
	p := serveResponses(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "100000")
		_, _ = io.WriteString(w, answered("hello"))
		w.(http.Flusher).Flush()
		panic(http.ErrAbortHandler)
	})
	if _, err := p.Stream(t.Context(), hello(), nil); err == nil || !llm.AsError(err).Temporary() {
		t.Errorf("cut: %v", err)
	}
	release := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, answered("hello"))
		w.(http.Flusher).Flush()
		<-release
	}))
	defer server.Close()
	defer close(release)
	p = NewResponses(Options{BaseURL: server.URL, Key: withKey, Stall: 20 * time.Millisecond})
	if _, err := p.Stream(t.Context(), hello(), nil); !errors.Is(err, call.ErrStalled) {
		t.Errorf("stall: %v", err)
	}
}

// An answer that ended is whole, though its connection stays open or breaks.
func TestResponsesEndsWithItsLastEvent(t *testing.T) {
	release := make(chan struct{})
	defer close(release)
	p := serveResponses(t, func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, answered("hello")+completed(""))
		w.(http.Flusher).Flush()
		<-release
	})
	if a, err := p.Stream(t.Context(), hello(), nil); err != nil || a.Stop != llm.StopEnd {
		t.Errorf("%+v %v", a, err)
	}
}

func TestResponsesFailures(t *testing.T) {
	for body, kind := range map[string]llm.Kind{
		answered("hel") + failed(`{"code":"server_error","message":"out of memory, `+key+`"}`):                       llm.KindUnstable,
		failed(`{"code":"rate_limit_exceeded","message":"Rate limit reached"}`):                                      llm.KindOverloaded,
		failed(`{"code":"context_length_exceeded","message":"Your input exceeds the context window of this model"}`): llm.KindContext,
		failed(`{"code":"insufficient_quota","message":"no money"}`):                                                 llm.KindQuota,
		failed(`{"code":"invalid_prompt","message":"flagged"}`):                                                      llm.KindRequest,
		event("error", `"code":"rate_limit_exceeded","message":"slow down","param":null`):                            llm.KindOverloaded,
		event("error", `"error":{"type":"invalid_request_error","code":"context_length_exceeded","message":"x"}`):    llm.KindContext,
		event("error", `"code":null,"message":"bad, `+key+`"`):                                                       llm.KindUnstable,
	} {
		_, err := serveResponses(t, says(body)).Stream(t.Context(), hello(), nil)
		if e := llm.AsError(err); err == nil || e.Kind != kind || strings.Contains(fmt.Sprint(e, e.Err), "canary") {
			t.Errorf("got %s %v for %s", e.Kind, err, body)
		}
	}
	for status, c := range map[int]struct {
		code string
		kind llm.Kind
	}{
		401: {"invalid_api_key", llm.KindAuth}, 429: {"rate_limit_exceeded", llm.KindOverloaded}, 500: {"server_error", llm.KindUnstable},
		400: {"context_length_exceeded", llm.KindContext}, 404: {"model_not_found", llm.KindRequest},
	} {
		calls := 0
		p := serveResponses(t, func(w http.ResponseWriter, _ *http.Request) {
			calls++
			w.Header().Set("Retry-After-Ms", "1500")
			w.WriteHeader(status)
			_, _ = fmt.Fprintf(w, `{"error":{"message":"no, %s","type":"invalid_request_error","code":%q}}`, key, c.code)
		})
		_, err := p.Stream(t.Context(), hello(), nil)
		e := llm.AsError(err)
		if e.Kind != c.kind || e.Status != status || e.RetryAfter != 1500*time.Millisecond || calls != 1 || strings.Contains(fmt.Sprintf("%v %#v", err, e), "canary") {
			t.Errorf("%d: %+v after %d calls", status, e, calls)
		}
	}
}

func TestResponsesCallersErrorAndCancel(t *testing.T) {
	enough := errors.New("enough")
	p := serveResponses(t, says(answered("a", "b")+completed("")))
	if _, err := p.Stream(t.Context(), hello(), func(llm.Delta) error { return enough }); err != enough { //nolint:errorlint // returned as it is
		t.Errorf("got %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	_, err := serveResponses(t, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, answered("a"))
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	}).Stream(ctx, hello(), func(llm.Delta) error {
		cancel()
		return nil
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

// Azure wants the key in a header of its own, and nothing of the environment
// reaches a call.
func TestResponsesHeaders(t *testing.T) {
	for _, name := range []string{"OPENAI_API_KEY", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID", "AZURE_OPENAI_API_KEY"} {
		t.Setenv(name, "from-the-environment")
	}
	t.Setenv("OPENAI_BASE_URL", "http://127.0.0.1:1")
	var got http.Header
	p := serveResponses(t, func(w http.ResponseWriter, r *http.Request) {
		got = r.Header.Clone()
		says(answered("a")+completed(""))(w, r)
	})
	for header, want := range map[string][2]string{"": {"Bearer " + key, ""}, "Api-Key": {"", key}} {
		p.options.KeyHeader = header
		if _, err := p.Stream(t.Context(), hello(), nil); err != nil || got.Get("Authorization") != want[0] || got.Get("Api-Key") != want[1] {
			t.Errorf("%q: %v %v", header, got, err)
		}
		if strings.Contains(fmt.Sprint(got), "environment") {
			t.Errorf("headers %v", got)
		}
	}
	p.options.Key, p.options.KeyHeader = nil, "Api-Key"
	if _, err := p.Stream(t.Context(), hello(), nil); llm.AsError(err).Kind != llm.KindAuth {
		t.Errorf("Azure without a key: %v", err)
	}
}
