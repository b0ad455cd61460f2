package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/clew-run/clew/internal/e2e/proc"
)

func TestMain(m *testing.M) { os.Exit(proc.Main(m)) }

const script = `
- when: {last_user: Look around, turn: 1}
  reply:
  - text: I look first.
  - tool: {name: execute_command, id: c1, input: {command: "echo noise"}}
- when: {tool_result: {id: c1, is_error: true}}
  reply: [{text: "Then not."}]
- when: {tool_result: {id: c1}}
  reply: [{text: "All is well."}]
- when: {last_user: Ask me}
  reply:
  - tool: {name: ask_followup, id: c2, input: {question: "Which one?"}}
- when: {tool_result: {id: c2}}
  times: 0
  reply: [{text: "You said {{tool_result \"c2\"}}"}]
`

// The program against a real server: an approval, and a question in words.
func TestAsk(t *testing.T) {
	s := proc.NewStage(t, proc.Setup{Script: script, Settings: map[string]any{"command_sandbox": "none"}})
	s.Start()
	file := filepath.Join(s.Srv.Dir, "token")
	for _, c := range []struct {
		text, in string
		want     []string
	}{
		{"Look around.", "yes\n", []string{"I look first.", "echo noise", "approve? yes or no: ", "[execute_command echo noise: running]", "[execute_command echo noise: complete]", "All is well.", "-- done, "}},
		{"Ask me.", "the second\n", []string{"Which one? ", "You said ", "the second", "-- done, "}},
	} {
		t.Run(c.text, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			var out bytes.Buffer
			if err := run(ctx, []string{"--server", s.Srv.URL(), "--token-file", file, c.text}, strings.NewReader(c.in), &out); err != nil {
				t.Errorf("ended with %v", err)
			}
			for _, want := range c.want {
				if !strings.Contains(out.String(), want) {
					t.Errorf("no %q in:\n%s", want, out.String())
				}
			}
		})
	}
}

func TestArguments(t *testing.T) {
	for _, args := range [][]string{{}, {"a", "b"}, {"--token-file", "/nowhere/at/all", "a"}, {"--what"}} {
		if err := run(t.Context(), args, strings.NewReader(""), new(bytes.Buffer)); err == nil {
			t.Errorf("took %q", args)
		}
	}
}
