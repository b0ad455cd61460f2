package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/llm"
)

// A model is a provider's server that costs nothing: it speaks just enough of
// the Messages API and answers at once. What it answers stands in the prompt:
//
//	bench tokens N   N stamped tokens, one a millisecond
//	bench calls N    N answers with one tool call each, then a word
//	bench batch N    one answer with N tool calls, then a word
type model struct {
	server *http.Server
	url    string
	last   atomic.Pointer[[]byte] // body of the last request

	mu   sync.Mutex
	came []time.Duration // when requests came, since forget
}

func startModel() (*model, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	m := &model{url: "http://" + l.Addr().String()}
	m.server = &http.Server{Handler: m, ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = m.server.Serve(l) }()
	return m, nil
}

func (m *model) stop() { _ = m.server.Close() }

// environ is how a clew server is told to use the model, and to let it read
// files unasked and as often as it likes.
func (m *model) environ() []string {
	return []string{
		`CLEW_SET_MODEL_PROFILES={"bench":{"provider":"anthropic","model":"bench","base_url":"` + m.url + `"},"instant":{"provider":"instant","model":"instant"}}`,
		"CLEW_SET_MODEL_PROFILE=bench", "CLEW_SECRET_ANTHROPIC_API_KEY=none",
		"CLEW_SET_AUTO_APPROVAL_ENABLED=true", "CLEW_SET_ALWAYS_ALLOW_READ_ONLY=true", "CLEW_SET_MAX_STEPS_PER_TURN=1000",
	}
}

var (
	promptMark = []byte(`"bench `)
	answerMark = []byte(`"role":"assistant"`)
)

// ServeHTTP answers a call. It looks for what it needs in the body as it came:
// taking a long history apart would take longer than anything that is measured.
func (m *model) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	m.mu.Lock()
	m.came = append(m.came, tick())
	m.mu.Unlock()
	m.last.Store(&body)
	_, prompt, _ := bytes.Cut(body, promptMark)
	var kind string
	var count int
	if _, err := fmt.Sscanf(string(prompt[:min(len(prompt), 40)]), "%s %d", &kind, &count); err != nil {
		http.Error(w, "no prompt of the bench", http.StatusBadRequest)
		return
	}
	answers := bytes.Count(body, answerMark)
	w.Header().Set("Content-Type", "text/event-stream")
	switch {
	case kind == "tokens":
		sayTokens(w, count)
	case kind == "calls" && answers < count:
		sayCalls(w, answers, 1)
	case kind == "batch" && answers == 0:
		sayCalls(w, 0, count)
	default:
		sayWord(w)
	}
}

const (
	sseStart = "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"id\":\"msg_1\",\"type\":\"message\",\"role\":\"assistant\"," +
		"\"model\":\"bench\",\"content\":[],\"stop_reason\":null,\"stop_sequence\":null,\"usage\":{\"input_tokens\":1,\"output_tokens\":1}}}\n\n"
	sseText = "event: content_block_start\ndata: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"text\",\"text\":\"\"}}\n\n"
	sseTool = "event: content_block_start\ndata: {\"type\":\"content_block_start\",\"index\":%d,\"content_block\":" +
		"{\"type\":\"tool_use\",\"id\":\"toolu_%d\",\"name\":\"read_file\",\"input\":{}}}\n\n"
	sseInput = "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":%d,\"delta\":" +
		"{\"type\":\"input_json_delta\",\"partial_json\":\"{\\\"path\\\":\\\"" + tinyFile + "\\\"}\"}}\n\n"
	sseDelta    = "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"%s\"}}\n\n"
	sseStop     = "event: content_block_stop\ndata: {\"type\":\"content_block_stop\",\"index\":%d}\n\n"
	sseFinished = "event: message_delta\ndata: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"%s\",\"stop_sequence\":null},\"usage\":{\"output_tokens\":9}}\n\n" +
		"event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n"
	// tinyFile is what the tool calls read.
	tinyFile = "tiny.txt"
)

func sayTokens(w http.ResponseWriter, count int) {
	flush := http.NewResponseController(w)
	_, _ = io.WriteString(w, sseStart+sseText)
	pace(count, func() bool {
		_, err := fmt.Fprintf(w, sseDelta, ticked())
		return err == nil && flush.Flush() == nil
	})
	_, _ = fmt.Fprintf(w, sseStop+sseFinished, 0, "end_turn")
}

// sayCalls asks for count calls, whose names go on from first.
func sayCalls(w io.Writer, first, count int) {
	var b strings.Builder
	b.WriteString(sseStart)
	for i := range count {
		fmt.Fprintf(&b, sseTool+sseInput+sseStop, i, first+i, i, i)
	}
	fmt.Fprintf(&b, sseFinished, "tool_use")
	_, _ = io.WriteString(w, b.String())
}

func sayWord(w io.Writer) {
	_, _ = fmt.Fprintf(w, sseStart+sseText+sseDelta+sseStop+sseFinished, "Done.", 0, "end_turn")
}

// steps gives the times from each request to the next, and starts anew.
func (m *model) steps() samples {
	m.mu.Lock()
	defer m.mu.Unlock()
	var out samples
	for i := 1; i < len(m.came); i++ {
		out = append(out, m.came[i]-m.came[i-1])
	}
	m.came = nil
	return out
}

// requestOf is a request's body again as a provider takes it.
func requestOf(raw []byte) (llm.Request, error) {
	type block struct {
		Type, Text, ID, Name string
		Input                json.RawMessage
		ToolUseID            string `json:"tool_use_id"`
		IsError              bool   `json:"is_error"`
		Content              []struct{ Text string }
	}
	var body struct {
		Model     string
		MaxTokens int `json:"max_tokens"`
		System    []struct{ Text string }
		Tools     []struct {
			Name, Description string
			Schema            json.RawMessage `json:"input_schema"`
		}
		Messages []struct {
			Role    string
			Content []block
		}
	}
	var req llm.Request
	if err := json.Unmarshal(raw, &body); err != nil {
		return req, err
	}
	req.Model, req.MaxTokens = body.Model, body.MaxTokens
	for _, s := range body.System {
		req.System += s.Text
	}
	for _, t := range body.Tools {
		req.Tools = append(req.Tools, llm.Tool{Name: t.Name, Description: t.Description, Schema: t.Schema})
	}
	for _, in := range body.Messages {
		message := clew.ModelMessage{Role: clew.Speaker(in.Role)}
		for _, c := range in.Content {
			p := clew.Part{Type: clew.PartType(c.Type), Text: c.Text, Tool: c.Name, Input: c.Input, ToolCallID: c.ID + c.ToolUseID}
			for _, text := range c.Content {
				p.Text += text.Text
			}
			if c.IsError {
				return req, fmt.Errorf("a tool failed: %s", p.Text)
			}
			message.Content = append(message.Content, p)
		}
		req.Messages = append(req.Messages, message)
	}
	return req, nil
}
