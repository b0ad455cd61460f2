// Package echo is the provider that needs no key: it says back what it was
// told. A new installation answers with it at once, and says how to get more.
package echo

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/llm"
)

// Hint ends the first answer of a task.
const Hint = "This is the echo provider. For a real model, run `clew login`; docs/connect-a-model.md has more."

// A Provider says things back. Its zero value is ready for use.
type Provider struct{}

// Stream answers with the last text of the user, word by word.
func (Provider) Stream(ctx context.Context, req llm.Request, on func(llm.Delta) error) (llm.Answer, error) {
	if call, ok := planned(req); ok {
		return llm.Answer{
			Parts: []clew.Part{call}, Usage: clew.Usage{TokensIn: words(req), TokensOut: 1}, Stop: llm.StopToolUse, Model: "echo",
		}, nil
	}
	text := "You said: " + lastText(req.Messages)
	if first(req.Messages) {
		text += "\n\n" + Hint
	}
	for word := range strings.SplitAfterSeq(text, " ") {
		if err := ctx.Err(); err != nil {
			return llm.Answer{}, &llm.Error{Kind: llm.KindUnstable, Message: "the model call was stopped", Err: err}
		}
		if word == "" || on == nil {
			continue
		}
		if err := on(llm.Delta{Kind: llm.DeltaText, Text: word}); err != nil {
			return llm.Answer{}, err
		}
	}
	return llm.Answer{
		Parts: []clew.Part{{Type: clew.PartText, Text: text}},
		Usage: clew.Usage{TokensIn: words(req), TokensOut: int64(len(strings.Fields(text)))},
		Stop:  llm.StopEnd,
		Model: "echo",
	}, nil
}

// planned plays a run's part where one is asked for: a plan of two steps that
// say the request back, so that the whole way can be tried without a model.
func planned(req llm.Request) (clew.Part, bool) {
	inputs := map[string]any{
		"report_understanding": map[string]any{"domain": "echo", "category": "repeat", "confidence": 1},
		"propose_plan": map[string]any{
			"message": planMessage(req),
			"todos": []map[string]any{
				{"id": "listen", "task": "Listen to the request.", "priority": 2, "estimated_duration_sec": 1},
				{"id": "repeat", "task": "Say it back.", "priority": 1, "depends_on": []string{"listen"}, "estimated_duration_sec": 1},
			},
		},
		"report_failure": nil, // a step of the plan; its end is below
		"respond":        map[string]any{"text": "All steps were said back. " + Hint, "summary": "The echo provider carried its plan out.", "next_actions": []string{"Configure a real model."}},
	}
	for _, t := range req.Tools {
		if input, ok := inputs[t.Name]; ok {
			if t.Name == "report_failure" {
				t.Name, input = "attempt_completion", map[string]any{"result": "You said: " + step(lastText(req.Messages))}
			}
			b, err := json.Marshal(input)
			if err != nil {
				return clew.Part{}, false
			}
			return clew.Part{Type: clew.PartToolUse, ToolCallID: "call_1", Tool: t.Name, Input: b}, true
		}
	}
	return clew.Part{}, false
}

// planMessage presents the one plan there is.
func planMessage(req llm.Request) string {
	for _, m := range req.Messages {
		if slices.ContainsFunc(m.ToolCalls(), func(p clew.Part) bool { return p.Tool == "propose_plan" }) {
			return "The echo provider cannot change its plan by words. Change the todos themselves, with modifications."
		}
	}
	return "The echo provider has one plan for everything. Approve it to see a run."
}

// step is the line of a brief that says what to do.
func step(brief string) string {
	for line := range strings.Lines(brief) {
		if strings.HasPrefix(line, "Step ") {
			return strings.TrimSpace(line)
		}
	}
	return brief
}

// told reports whether a text is what the server tells beside somebody's words.
func told(text string) bool {
	return slices.ContainsFunc([]string{"<timeline>\n", "<open_windows>\n", "<reload_options>\n"}, func(tag string) bool { return strings.HasPrefix(text, tag) })
}

// lastText gives the newest thing the user said. Results of tools are sent in
// the user's name and are nothing the user said.
func lastText(messages []clew.ModelMessage) string {
	for i := len(messages) - 1; i >= 0; i-- {
		if messages[i].Role != clew.SpeakerUser {
			continue
		}
		var texts []string
		images := 0
		for _, p := range messages[i].Content {
			switch p.Type {
			case clew.PartText:
				if !told(p.Text) {
					texts = append(texts, p.Text)
				}
			case clew.PartImage:
				images++
			}
		}
		if len(texts) > 0 {
			return strings.Join(texts, "\n")
		}
		if images > 0 {
			return fmt.Sprintf("(images: %d)", images)
		}
	}
	return ""
}

// first reports whether nothing was answered before. A summary stands for
// answers.
func first(messages []clew.ModelMessage) bool {
	for _, m := range messages {
		if m.Role == clew.SpeakerAssistant || m.IsSummary || m.IsTruncationMarker {
			return false
		}
	}
	return true
}

func words(req llm.Request) int64 {
	n := len(strings.Fields(req.System))
	for _, m := range req.Messages {
		for _, p := range m.Content {
			n += len(strings.Fields(p.Text))
		}
	}
	return int64(n)
}
