//go:build realmodel

package realmodel

import (
	"bufio"
	"context"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/llm"
	"github.com/clew-run/clew/internal/llm/openai"
)

// start serves the model until the test ends, and gives its base URL.
func start(t *testing.T) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "../../../tools/real-model")
	cmd.WaitDelay = 10 * time.Second
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	var log strings.Builder
	cmd.Stderr = &log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = stdin.Close() // it serves until its input ends
		_ = cmd.Wait()
		if t.Failed() {
			t.Logf("the model's log:\n%s", &log)
		}
	})
	lines := bufio.NewScanner(stdout)
	for lines.Scan() {
		if url, ok := strings.CutPrefix(lines.Text(), "real-model: ready "); ok {
			return url
		}
	}
	t.Fatalf("the model does not start: %v", lines.Err())
	return ""
}

// A real model's answer comes in many pieces, and with its usage.
func TestRealModel(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	key := func(context.Context) (string, error) { return "none", nil }
	provider := openai.New(openai.Options{BaseURL: start(t), Key: key})

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
