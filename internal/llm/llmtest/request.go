package llmtest

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/llm"
)

// A Vendor is whose wire a request came over.
type Vendor string

// The vendors.
const (
	Anthropic Vendor = "anthropic"
	OpenAI    Vendor = "openai"    // Chat Completions
	Responses Vendor = "responses" // OpenAI's other wire, and Azure's
	Gemini    Vendor = "gemini"
	Bedrock   Vendor = "bedrock" // Anthropic's messages by way of Amazon
	Vertex    Vendor = "vertex"  // Anthropic's messages by way of Google Cloud
)

// Vendors lists them all.
func Vendors() []Vendor { return []Vendor{Anthropic, OpenAI, Responses, Gemini, Bedrock, Vertex} }

// A Request is a model call as the server understood it, the same for all
// wires. It does not hold the key.
type Request struct {
	Vendor       Vendor
	Conversation string // a short hash; see docs/scripted-model.md
	Call         int    // 1 for the first request of the conversation
	Step         int    // the step that answered, from 1; 0 if there was none
	Problem      string // why the request was refused or no step answered

	Model    string
	System   string
	Messages []clew.ModelMessage // results name their tool; images are addresses
	Tools    []llm.Tool
	// MaxTokens is 0 if the request has no limit, Temperature nil if it has none.
	MaxTokens   int
	Temperature *float64
	Thinking    bool // thoughts are asked for
	Stream      bool
	User        string

	Body json.RawMessage // as it came

	includeUsage bool            // OpenAI: the stream ends with a chunk on usage
	sealed       bool            // Responses and Gemini: thoughts are wanted under seal
	led          map[string]bool // the same: calls, and whether a thought came right before
}

// Turn is 1 as long as the history holds no answer, 2 with one, and so on.
// Unlike Call it does not depend on what was asked before.
func (r *Request) Turn() int {
	turn := 1
	for _, m := range r.Messages {
		if m.Role == clew.SpeakerAssistant {
			turn++
		}
	}
	return turn
}

// LastUser is the text of the last user message that has any.
func (r *Request) LastUser() string {
	for i := len(r.Messages) - 1; i >= 0; i-- {
		if t := userText(r.Messages[i]); t != "" {
			return t
		}
	}
	return ""
}

// Results lists the tool results that came since the last answer.
func (r *Request) Results() []clew.Part {
	var results []clew.Part
	for i := len(r.Messages) - 1; i >= 0 && r.Messages[i].Role == clew.SpeakerUser; i-- {
		var here []clew.Part
		for _, p := range r.Messages[i].Content {
			if p.Type == clew.PartToolResult {
				here = append(here, p)
			}
		}
		results = append(here, results...)
	}
	return results
}

func (r *Request) hasTool(name string) bool {
	for _, t := range r.Tools {
		if t.Name == name {
			return true
		}
	}
	return false
}

// calls counts the tool calls in the history.
func (r *Request) calls() int {
	n := 0
	for _, m := range r.Messages {
		n += len(m.ToolCalls())
	}
	return n
}

// identify sets the conversation: who calls, and how it began.
func (r *Request) identify(key string) {
	sum := sha256.Sum256([]byte(key + "\x00" + r.firstUser()))
	r.Conversation = hex.EncodeToString(sum[:4])
}

// firstUser is the first text of a user. It is one part only: what is said later,
// before the first answer, must not make another conversation of it.
func (r *Request) firstUser() string {
	for _, m := range r.Messages {
		for _, p := range m.Content {
			if m.Role == clew.SpeakerUser && p.Type == clew.PartText {
				return p.Text
			}
		}
	}
	return ""
}

func userText(m clew.ModelMessage) string {
	if m.Role != clew.SpeakerUser {
		return ""
	}
	var texts []string
	for _, p := range m.Content {
		if p.Type == clew.PartText {
			texts = append(texts, p.Text)
		}
	}
	return strings.Join(texts, "\n")
}
