package openai

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"math/rand/v2"
	"net/http"
	"slices"
	"testing"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/llm"
)

type body []byte

// RoundTrip answers with the bytes as a stream, without a network.
func (b body) RoundTrip(r *http.Request) (*http.Response, error) {
	return &http.Response{
		StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"text/event-stream"}},
		Body: io.NopCloser(bytes.NewReader(b)), Request: r,
	}, nil
}

// seeds are streams of both wires: each reader gets those of the other, too.
func seeds() []string {
	return []string{
		responseSeed(),
		added(0, `{"type":"message","id":"m"}`) + event("response.refusal.delta", `"output_index":0,"delta":"no"`) + completed(""),
		event("response.output_item.done", `"output_index":3,"item":{"type":"function_call","call_id":"a","name":"t","arguments":"{}"}`) + completed(""),
		event("error", `"code":"server_error","message":"x"`), failed(`{"code":"rate_limit_exceeded","message":"x"}`),
		text("hello") + end("stop") + done,
		chunk(`{"reasoning_content":"hm"}`) + tools(`{"index":0,"id":"a","function":{"name":"t","arguments":"{}"}}`) + end("tool_calls"),
		tools(`{"index":1,"function":{"arguments":"{\"a\":"}}`) + tools(`{"index":1,"function":{"name":"t","arguments":"1}"}}`) + end("stop") + usage + done,
		`data: {"error":{"code":502,"message":"x"}}` + "\n\n",
		"data: [DONE]\n\ndata: {\"choices\":[{}]}\n\n",
	}
}

// FuzzStream feeds any bytes as a provider's stream through the real SDK: the
// outcome is an *llm.Error or a well-formed answer.
func FuzzStream(f *testing.F) {
	for _, s := range seeds() {
		f.Add([]byte(s))
	}
	f.Fuzz(checkStream)
}

// TestDamagedStreams does a little of the same in every run: seeds with bytes
// changed, cut out and doubled.
func TestDamagedStreams(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, seed := range seeds() {
		for range 400 {
			data := []byte(seed)
			for range 1 + random.IntN(3) {
				at, to := random.IntN(len(data)), random.IntN(len(data))
				switch random.IntN(3) {
				case 0:
					data[at] = byte(random.IntN(256))
				case 1:
					data = slices.Delete(data, min(at, to), min(at, to)+1)
				case 2:
					data = slices.Insert(data, at, data[min(at, to):max(at, to)]...)
				}
			}
			checkStream(t, data)
		}
	}
}

func checkStream(t *testing.T, data []byte) {
	for _, wire := range []func(Options) *Provider{New, NewResponses} {
		p := wire(Options{BaseURL: "http://provider.test", Key: withKey, HTTP: &http.Client{Transport: body(data)}})
		a, err := p.Stream(t.Context(), hello(), func(llm.Delta) error { return nil })
		if err == nil {
			wellFormed(t, a)
		} else if _, ok := errors.AsType[*llm.Error](err); !ok {
			t.Fatalf("%T: %v", err, err)
		}
	}
}

func wellFormed(t *testing.T, a llm.Answer) {
	t.Helper()
	if a.Stop == "" || a.Usage.TokensIn < 0 || a.Usage.TokensOut < 0 {
		t.Fatalf("%+v", a)
	}
	ids := map[string]bool{}
	for _, p := range a.Parts {
		if p.Type != clew.PartToolUse {
			continue
		}
		var input map[string]any
		if json.Unmarshal(p.Input, &input) != nil || input == nil || p.Tool == "" || p.ToolCallID == "" || ids[p.ToolCallID] {
			t.Fatalf("%+v", p)
		}
		ids[p.ToolCallID] = true
	}
}
