package openai

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/llm"
	"github.com/clew-run/clew/internal/llm/call"
)

// reasoned is the conversation with thoughts that OpenAI sealed, among them one
// that another host sealed and one that led to nothing.
func reasoned() llm.Request {
	req := conversation()
	seal := func(host, id, text string) clew.Part {
		return clew.Part{Type: clew.PartThinking, Text: text, Signature: signature(host, id), Encrypted: "sealed-" + id}
	}
	first := &req.Messages[1]
	first.Content = append(clew.List[clew.Part]{seal("api.openai.com", "rs_1", "I look."), seal("x.openai.azure.com", "rs_2", "elsewhere")}, first.Content...)
	for i, p := range first.Content {
		if p.Type == clew.PartText {
			first.Content[i].Signature = signature("api.openai.com", "commentary")
		}
	}
	req.Messages[3].Content = clew.List[clew.Part]{seal("api.openai.com", "rs_3", "led to nothing")}
	last := &req.Messages[4]
	last.Content = append(clew.List[clew.Part]{seal("api.openai.com", "rs_4", "")}, last.Content...)
	return req
}

func TestResponsesGoldenRequests(t *testing.T) {
	for name, change := range map[string]func(*llm.Request){
		"native":     func(r *llm.Request) { r.Thinking, r.Temperature = "medium", nil },
		"unreasoned": func(r *llm.Request) { r.Model = "gpt-4.1" },
		"bare": func(r *llm.Request) {
			*r = llm.Request{Model: "other", Thinking: "off", Messages: []clew.ModelMessage{r.Messages[0]}}
			r.Messages[0].Content = r.Messages[0].Content[:1]
		},
	} {
		t.Run(name, func(t *testing.T) {
			var body []byte
			p := serve(t, func(w http.ResponseWriter, r *http.Request) {
				if r.Method != http.MethodPost || r.URL.Path != "/v1/responses" {
					t.Errorf("%s %s", r.Method, r.URL.Path)
				}
				body, _ = io.ReadAll(r.Body)
				says(answered("a")+completed(""))(w, r)
			})
			// The vendor's address, answered by our server.
			p = NewResponses(Options{Key: withKey, HTTP: &http.Client{Transport: divert{p.options.BaseURL, p.options.HTTP.Transport}}})
			req := reasoned()
			change(&req)
			if _, err := p.Stream(t.Context(), req, nil); err != nil {
				t.Fatal(err)
			}
			golden(t, "responses_"+name+".golden.json", body)
		})
	}
}

// Only models with reasoning are asked to hand it over: others refuse the call.
func TestReasons(t *testing.T) {
	for name, want := range map[string]bool{
		"gpt-5.5": true, "o3": true, "openai/o3": true, "gpt-4.1": false, "gpt-5-chat-latest": false, "my-deployment": false,
	} {
		if got := reasons(llm.Request{Model: name}); got != want {
			t.Errorf("%s: %v", name, got)
		}
		if !reasons(llm.Request{Model: name, Thinking: "low"}) {
			t.Errorf("%s: thinking does not count", name)
		}
	}
}

func TestResponsesBadRequests(t *testing.T) {
	for name, req := range map[string]llm.Request{
		"schema":       {Tools: []llm.Tool{{Name: "t", Schema: json.RawMessage(`[]`)}}},
		"unknown part": {Messages: []clew.ModelMessage{{Role: clew.SpeakerUser, Content: clew.List[clew.Part]{{Type: "hologram"}}}}},
	} {
		if _, err := NewResponses(Options{Key: withKey}).Stream(t.Context(), req, nil); llm.AsError(err).Kind != llm.KindRequest {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestResponsesUnreadableImage(t *testing.T) {
	req := llm.Request{Model: "m", Messages: []clew.ModelMessage{{Role: clew.SpeakerUser, Content: clew.List[clew.Part]{
		{Type: clew.PartToolResult, ToolCallID: "c1", Text: "done", Images: []string{"blob:1"}},
	}}}}
	p, err := responsesParams(t.Context(), req, server{})
	if err != nil {
		t.Fatal(err)
	}
	if body, err := json.Marshal(p); err != nil || !strings.Contains(string(body), call.Unreadable) {
		t.Errorf("%s %v", body, err)
	}
}
