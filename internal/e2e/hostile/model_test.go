package hostile

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/clew-run/clew/internal/llm"
	"github.com/clew-run/clew/internal/llm/llmtest"
)

// A call is a tool call of the enemy: a tool, and an input as an object or, if
// it is a string, as it is.
type call struct {
	tool  string
	input any
	id    string // made up if empty
}

type in = map[string]any

// models is the enemy's side: one HTTP server on which each attack has a script
// of its own, found by the name that its first message carries. Safe for
// concurrent use.
type models struct {
	*httptest.Server
	mu      sync.Mutex
	scripts map[string]http.Handler
	heard   map[string]*bytes.Buffer // request bodies by attack
}

var marker = regexp.MustCompile(`attack<([^<>\\]+)>`)

// unescaped undoes how JSON writes the marker's brackets.
var unescaped = strings.NewReplacer(`\u003c`, "<", `\u003e`, ">")

func startModels(t testing.TB) *models {
	t.Helper()
	m := &models{scripts: map[string]http.Handler{}, heard: map[string]*bytes.Buffer{}}
	m.Server = httptest.NewServer(http.HandlerFunc(m.serve))
	t.Cleanup(m.Close)
	return m
}

func (m *models) serve(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the server left
	}
	found := marker.FindStringSubmatch(unescaped.Replace(string(body)))
	if found == nil {
		http.Error(w, "no attack", http.StatusNotFound)
		return
	}
	m.mu.Lock()
	script := m.scripts[found[1]]
	if m.heard[found[1]] == nil {
		m.heard[found[1]] = &bytes.Buffer{}
	}
	m.heard[found[1]].Write(body)
	m.mu.Unlock()
	if script == nil {
		http.Error(w, "no script", http.StatusNotFound)
		return
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	script.ServeHTTP(w, r)
}

// told is all that the model was sent in an attack.
func (m *models) told(name string) string {
	m.mu.Lock()
	defer m.mu.Unlock()
	if b := m.heard[name]; b != nil {
		return b.String()
	}
	return ""
}

func (m *models) set(name string, h http.Handler) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.scripts[name] = h
}

// play has the model make the calls of one turn after the other, and then say
// that it is done.
func (m *models) play(name string, turns [][]call) {
	var script llmtest.Script
	for i, calls := range turns {
		step := llmtest.Step{When: llmtest.When{Turn: i + 1}}
		for _, c := range calls {
			step.Reply = append(step.Reply, c.item())
		}
		script.Steps = append(script.Steps, step)
	}
	script.Steps = append(script.Steps, llmtest.Step{Reply: []llmtest.Item{says("done")}})
	m.set(name, llmtest.New(&script, llmtest.Options{Fast: true}))
}

// loop has the model give the same answer for ever.
func (m *models) loop(name string, calls ...call) {
	step := llmtest.Step{}
	for _, c := range calls {
		step.Reply = append(step.Reply, c.item())
	}
	step.Reply = append(step.Reply, llmtest.Item{Kind: llmtest.ItemStop, Stop: llm.StopToolUse})
	m.set(name, llmtest.New(&llmtest.Script{Steps: []llmtest.Step{step}}, llmtest.Options{Fast: true}))
}

func says(text string) llmtest.Item {
	return llmtest.Item{Kind: llmtest.ItemText, Text: llmtest.Text{Raw: text}, Pieces: 1}
}

func (c call) item() llmtest.Item {
	raw, ok := c.input.(string)
	if !ok {
		b, err := json.Marshal(c.input)
		if err != nil {
			panic(fmt.Sprintf("input of %s: %v", c.tool, err))
		}
		raw = string(b)
	}
	return llmtest.Item{Kind: llmtest.ItemTool, Pieces: 1, Tool: llmtest.Tool{Name: c.tool, ID: llmtest.Text{Raw: c.id}, Raw: &raw}}
}
