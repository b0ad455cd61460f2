//go:build realmodel

package realmodel

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/llm"
	"github.com/clew-run/clew/internal/llm/openai"
)

// A real model's answer comes in many pieces, and with its usage.
func TestRealModel(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	key := func(context.Context) (string, error) { return "none", nil }
	provider := openai.New(openai.Options{BaseURL: Serve(t, "../../.."), Key: key})

	cold := 0.0
	req := llm.Request{
		Model: "smollm2-135m", System: "You answer in one short sentence.", MaxTokens: 60, Temperature: &cold,
		Messages: []clew.ModelMessage{{
			Role:    clew.SpeakerUser,
			Content: clew.List[clew.Part]{{Type: clew.PartText, Text: "What is the capital of France?"}},
		}},
	}
	pieces, streamed := 0, ""
	answer, err := provider.Stream(ctx, req, func(d llm.Delta) error {
		if d.Kind == llm.DeltaText {
			pieces++
			streamed += d.Text
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d pieces, %+v: %s", pieces, answer.Usage, streamed)
	if pieces < 3 {
		t.Errorf("the text came in %d pieces", pieces)
	}
	if len(answer.Parts) != 1 || strings.TrimSpace(answer.Parts[0].Text) != strings.TrimSpace(streamed) {
		t.Errorf("the answer %+v is not what was streamed: %q", answer.Parts, streamed)
	}
	if !strings.Contains(streamed, "Paris") {
		t.Errorf("the answer makes no sense: %q", streamed)
	}
	if answer.Estimated || answer.Usage.TokensIn < 10 || answer.Usage.TokensOut < 3 {
		t.Errorf("usage: %+v, estimated %t", answer.Usage, answer.Estimated)
	}
	if answer.Stop != llm.StopEnd && answer.Stop != llm.StopMaxTokens {
		t.Errorf("stop: %q", answer.Stop)
	}
}
