package openai

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"flag"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/llm"
	"github.com/clew-run/clew/internal/llm/call"
)

var update = flag.Bool("update", false, "write the golden files anew")

const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII="

// conversation holds every kind of part, in the order a task makes them.
func conversation() llm.Request {
	type list = clew.List[clew.Part]
	half := 0.5
	return llm.Request{
		Model: "gpt-5", System: "You are helpful.", MaxTokens: 20000, User: "u-7f3a", Temperature: &half,
		Tools: []llm.Tool{
			{Name: "read_file", Description: "Reads a file.", Schema: json.RawMessage(`{"type":"object","properties":{"path":{"type":"string"}},"required":["path"],"additionalProperties":false}`)},
			{Name: "screenshot", Schema: json.RawMessage(`{"type":"object"}`)},
		},
		Image: func(context.Context, string) (string, []byte, error) {
			data, err := base64.StdEncoding.DecodeString(png)
			return "image/png", data, err
		},
		Messages: []clew.ModelMessage{
			{Role: clew.SpeakerUser, Content: list{
				{Type: clew.PartText, Text: "What is in <a.go>?"},
				{Type: clew.PartImage, Images: []string{"data:image/png;base64," + png}},
			}},
			{Role: clew.SpeakerAssistant, Content: list{
				{Type: clew.PartThinking, Text: "I look.", Signature: "proof=="},
				{Type: clew.PartThinking, Encrypted: "sealed=="},
				{Type: clew.PartThinking, Text: "another provider's"},
				{Type: clew.PartText, Text: "Reading."},
				{Type: clew.PartText, Text: " \n"},
				{Type: clew.PartToolUse, ToolCallID: "toolu_1", Tool: "read_file", Input: json.RawMessage(`{"path":"a.go"}`)},
				{Type: clew.PartToolUse, ToolCallID: "functions.screenshot:1", Tool: "screenshot"},
			}},
			{Role: clew.SpeakerUser, Content: list{
				{Type: clew.PartToolResult, ToolCallID: "toolu_1", Text: "no such file", IsError: true},
				{Type: clew.PartToolResult, ToolCallID: "functions.screenshot:1", Text: "done", Images: []string{"blob:1"}},
				{Type: clew.PartText, Text: "Look at b.go too."},
			}},
			{Role: clew.SpeakerAssistant, Content: list{{Type: clew.PartThinking, Text: "nothing to send"}}},
			{Role: clew.SpeakerAssistant, Content: list{
				{Type: clew.PartThinking, Text: "I go on."},
				{Type: clew.PartToolUse, ToolCallID: "toolu_3", Tool: "read_file", Input: json.RawMessage(`{"path":"b.go"}`)},
			}},
			{Role: clew.SpeakerUser, Content: list{{Type: clew.PartToolResult, ToolCallID: "toolu_3"}}},
		},
	}
}

func TestGoldenRequests(t *testing.T) {
	for name, change := range map[string]func(*llm.Request){
		"compatible": func(r *llm.Request) { r.Model = "qwen3" },
		"native":     func(r *llm.Request) { r.Thinking, r.Temperature = "medium", nil },
		"bare": func(r *llm.Request) {
			*r = llm.Request{Model: "other", Thinking: "off", Messages: []clew.ModelMessage{r.Messages[0]}}
			r.Messages[0].Content = r.Messages[0].Content[:1]
		},
	} {
		t.Run(name, func(t *testing.T) {
			var body []byte
			p := serve(t, func(w http.ResponseWriter, r *http.Request) {
				if r.Method != http.MethodPost || r.URL.Path != "/v1/chat/completions" {
					t.Errorf("%s %s", r.Method, r.URL.Path)
				}
				body, _ = io.ReadAll(r.Body)
				says(text("a")+end("stop")+done)(w, r)
			})
			req := conversation()
			change(&req)
			if name == "native" { // the vendor's address, answered by our server
				p = New(Options{Key: withKey, HTTP: &http.Client{Transport: divert{p.options.BaseURL, p.options.HTTP.Transport}}})
			}
			if _, err := p.Stream(t.Context(), req, nil); err != nil {
				t.Fatal(err)
			}
			golden(t, name+".golden.json", body)
		})
	}
}

func golden(t *testing.T, name string, body []byte) {
	t.Helper()
	var got bytes.Buffer
	if err := json.Indent(&got, body, "", "  "); err != nil {
		t.Fatal(err)
	}
	got.WriteByte('\n')
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, got.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got.Bytes(), want) {
		t.Errorf("%s differs; go test -update writes it anew. Got:\n%s", path, got.Bytes())
	}
}

// divert sends calls to another address.
type divert struct {
	to   string
	next http.RoundTripper
}

func (d divert) RoundTrip(r *http.Request) (*http.Response, error) {
	to, err := url.Parse(d.to)
	if err != nil {
		return nil, err
	}
	r = r.Clone(r.Context())
	r.URL.Scheme, r.URL.Host = to.Scheme, to.Host
	return d.next.RoundTrip(r)
}

func TestLimits(t *testing.T) {
	for name, c := range map[string]struct {
		model  string
		native bool
		fresh  bool
	}{
		"openai":               {"gpt-4o", true, true},
		"reasoner by a proxy":  {"gpt-5.4-mini", false, true},
		"o3 at openrouter":     {"openai/o3", false, true},
		"open weights":         {"gpt-oss-120b", false, false},
		"old model by a proxy": {"gpt-4o", false, false},
		"ollama":               {"qwen3:8b", false, false},
		"olmo":                 {"olmo-2", false, false},
	} {
		p, err := params(t.Context(), llm.Request{Model: c.model, MaxTokens: 5}, c.native)
		if err != nil || p.MaxCompletionTokens.Valid() != c.fresh || p.MaxTokens.Valid() == c.fresh {
			t.Errorf("%s: %v %v %v", name, p.MaxCompletionTokens, p.MaxTokens, err)
		}
	}
}

func TestBadRequests(t *testing.T) {
	part := func(p clew.Part) llm.Request {
		return llm.Request{Messages: []clew.ModelMessage{{Role: clew.SpeakerUser, Content: clew.List[clew.Part]{p}}}}
	}
	for name, req := range map[string]llm.Request{
		"schema":       {Tools: []llm.Tool{{Name: "t", Schema: json.RawMessage(`[]`)}}},
		"no schema":    {Tools: []llm.Tool{{Name: "t"}}},
		"unknown part": part(clew.Part{Type: "hologram"}),
	} {
		if _, err := New(Options{Key: withKey}).Stream(t.Context(), req, nil); llm.AsError(err).Kind != llm.KindRequest {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// An image that is lost costs the conversation that image, not every later call.
func TestUnreadableImages(t *testing.T) {
	for name, part := range map[string]clew.Part{
		"none":   {Type: clew.PartImage, Images: []string{"data:image/png;base64,AAAA"}},
		"lost":   {Type: clew.PartImage, Images: []string{"blob:1"}},
		"result": {Type: clew.PartToolResult, ToolCallID: "c1", Text: "done", Images: []string{"blob:1"}},
	} {
		req := llm.Request{
			Model:    "m",
			Messages: []clew.ModelMessage{{Role: clew.SpeakerUser, Content: clew.List[clew.Part]{part}}},
			Image: func(context.Context, string) (string, []byte, error) {
				return "", nil, errors.New("no such blob")
			},
		}
		p, err := params(t.Context(), req, true)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		body, err := json.Marshal(p)
		if err != nil || !strings.Contains(string(body), call.Unreadable) {
			t.Errorf("%s: %s %v", name, body, err)
		}
	}
}
