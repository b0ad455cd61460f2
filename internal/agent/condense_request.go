package agent

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/llm"
)

const (
	// summaryHead begins a summary as the model that goes on gets it.
	summaryHead = "This is a summary of the conversation so far. It takes the place of the earlier messages.\n\n"
	summaryTail = "\n\n[This is the end of the summary. The conversation continues.]"

	summaryTokens = 8192   // bounds the answer
	summaryRunes  = 32_000 // and what is taken of it

	askBefore = "The conversation follows, one JSON object a line.\n\n"
	askAfter  = "\nThat was the conversation. Write its summary now, and nothing else."
)

// clips are how much of each text is shown to the model that writes a summary:
// the first that makes all of them fit.
var clips = []int{16_000, 4_000, 1_000, 250}

// summaryRequest asks for a summary of messages. It shows them as data, not as a
// conversation to go on with: so nothing in them speaks to the model, any model
// can write it, and no tool is called. It reports whether the model can take it.
func (w *worker) summaryRequest(list []clew.ModelMessage) (llm.Request, bool) {
	req := llm.Request{
		Model: w.profile.Model, System: strings.TrimSpace(condensePrompt), MaxTokens: min(w.maxTokens(), summaryTokens),
	}
	if own := strings.TrimSpace(w.values.CondensePrompt); own != "" {
		req.System = own
	}
	for _, runes := range clips {
		req.Messages = []clew.ModelMessage{{Role: clew.SpeakerUser, Content: clew.List[clew.Part]{{Type: clew.PartText, Text: askBefore + retold(list, runes) + askAfter}}}}
		if int64(llm.EstimateTokens(req.Messages, req.System, nil)+req.MaxTokens) <= w.window() {
			return req, true
		}
	}
	return req, false
}

// A historyRewrite is a part of a message as the model that writes a summary sees it.
type historyRewrite struct {
	Role   string `json:"role"` // user, assistant, tool or summary
	Text   string `json:"text,omitempty"`
	Images int    `json:"images,omitempty"`
	Tool   string `json:"tool,omitempty"`
	Input  string `json:"input,omitempty"`
	Result string `json:"result,omitempty"`
	Failed bool   `json:"failed,omitempty"`
}

// retold writes messages down, a part a line. Thoughts are left out.
func retold(list []clew.ModelMessage, runes int) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	for _, m := range list {
		for _, p := range m.Content {
			line := historyRewrite{Role: string(m.Role), Images: len(p.Images)}
			if m.IsSummary || m.IsTruncationMarker {
				line.Role = "summary"
			}
			switch p.Type {
			case clew.PartThinking:
				continue
			case clew.PartText, clew.PartImage:
				line.Text = clipText(p.Text, runes)
			case clew.PartToolUse:
				line.Tool, line.Input = p.Tool, clipText(string(p.Input), runes)
			case clew.PartToolResult:
				line.Role, line.Tool, line.Result, line.Failed = "tool", p.Tool, clipText(p.Text, runes), p.IsError
			}
			if err := enc.Encode(line); err != nil {
				continue // it is made of text and numbers
			}
		}
	}
	return b.String()
}

func clipText(text string, runes int) string {
	if r := []rune(text); len(r) > runes {
		return string(r[:runes]) + "…"
	}
	return text
}
