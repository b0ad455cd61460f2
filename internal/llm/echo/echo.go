// Package echo is the provider that needs no key: it says back what it was
// told. A new installation answers with it at once, and says how to get more.
package echo

import (
	"context"
	"fmt"
	"strings"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/llm"
)

// Hint ends the first answer of a task.
const Hint = "This is the echo provider. For a real model, run `clew secret set anthropic_api_key` and set model_profiles and model_profile; docs/providers.md has examples."

// A Provider says things back. Its zero value is ready for use.
type Provider struct{}

// Stream answers with the last text of the user, word by word.
func (Provider) Stream(ctx context.Context, req llm.Request, on func(llm.Delta) error) (llm.Answer, error) {
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
				texts = append(texts, p.Text)
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
