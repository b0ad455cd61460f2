//go:build linux && realmodel

package projects

import (
	"context"
	"encoding/json"
	"os/exec"
	"strings"
	"testing"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/e2e/proc"
	"github.com/clew-run/clew/internal/llm/realmodel"
)

// The story of the Go project with a real model that is very small. Nobody expects
// it to mend the project: the test says how far it came, and wants what is clew's
// part: the model gets the work and is heard, each call that it makes gets its
// result, and the work ends.
func TestGoWithRealModel(t *testing.T) {
	p := newPerson(t)
	x := p.goProject()
	s := proc.NewStage(t, proc.Setup{Files: x.files})
	settings, err := json.Marshal(map[string]any{
		"model_profile": "test",
		"model_profiles": map[string]any{"test": map[string]any{
			"provider": "openai", "model": "smollm2-135m", "base_url": realmodel.Serve(t, "../../.."), "key_name": "test_key",
			"context_window": 8192, "max_tokens": 200, "temperature": 0,
		}},
		"max_steps_per_turn": 4,
	})
	proc.Must(t, err)
	s.Write("settings.json", string(settings))
	p.getGo(s.Work)

	ctx, cancel := context.WithTimeout(t.Context(), within)
	defer cancel()
	t.Cleanup(func() { _, _ = p.clew(context.Background(), s, "serve", "stop") })
	out, err := p.clew(ctx, s, "run", "--yes", "--json",
		"The test in shop_test.go fails. Write shop.go so that Two returns 2, with the tool write_file, and then run: go test ./...")
	t.Logf("clew run ended with %v", err)
	seen := reached(out)
	mended := exec.Command("go", "test", "./...")
	mended.Dir, mended.Env = s.Work, append(p.environ(), "GOPROXY=off")
	seen["the project's tests pass"] = mended.Run() == nil
	for _, step := range []string{"it answered", "it called a tool", "every call has a result", "it wrote a file", "it ran a command", "the project's tests pass", "the work ended"} {
		mark := "no "
		if seen[step] {
			mark = "yes"
		}
		t.Logf("%s  %s", mark, step)
	}
	for _, step := range []string{"it answered", "every call has a result", "the work ended"} {
		if !seen[step] {
			t.Errorf("not reached: %s\n%s", step, out)
		}
	}
}

// reached reads from the lines of clew run --json what was done.
func reached(out string) map[string]bool {
	seen := map[string]bool{}
	open := map[string]bool{}
	for line := range strings.Lines(out) {
		var record struct {
			Type clew.EventType `json:"type"`
			Data struct {
				Message clew.ModelMessage `json:"message"`
			} `json:"data"`
		}
		if json.Unmarshal([]byte(line), &record) != nil {
			continue
		}
		switch record.Type {
		case clew.EventTaskIdle:
			seen["the work ended"] = true
		case clew.EventModelMessage:
			seen["it answered"] = seen["it answered"] || record.Data.Message.Role == clew.SpeakerAssistant
			for _, part := range record.Data.Message.Content {
				switch part.Type {
				case clew.PartToolUse:
					open[part.ToolCallID] = true
					seen["it called a tool"] = true
					seen["it wrote a file"] = seen["it wrote a file"] || part.Tool == "write_file"
					seen["it ran a command"] = seen["it ran a command"] || part.Tool == "execute_command"
				case clew.PartToolResult:
					delete(open, part.ToolCallID)
				}
			}
		}
	}
	seen["every call has a result"] = len(open) == 0
	return seen
}
