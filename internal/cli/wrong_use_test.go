package cli

import (
	"strings"
	"testing"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/cli/env"
)

// Whoever calls a command wrongly is told what it takes, in words of this program.
func TestWrongUse(t *testing.T) {
	data := t.TempDir()
	environ := []string{"HOME=" + data, "CLEW_SERVER=" + startServer(t, data), "CLEW_DATA=" + data, "PATH=" + t.TempDir()}
	steps(t, environ, []step{
		{args: "ls|foo", code: env.ExitUsage, want: "clew: clew ls takes no arguments (--help says more)\n"},
		{args: "token|list|foo", code: env.ExitUsage, want: "clew: clew token list takes no arguments "},
		{args: "completion|fsh", code: env.ExitUsage, want: "usage: clew completion bash|zsh|fish|powershell, not \"fsh\""},
		{args: "foo", code: env.ExitUsage, want: "clew --help lists what there is\n"}, // once is enough
		{args: "--help", want: "\nBack up and move:\n"},
		{args: "--help", want: "lists the newest sessions and what waits for"},
		{args: "rename|-| ", code: env.ExitUsage, want: "the title is empty"},
		{args: "mcp|rm|x", code: env.ExitFailure, want: "there is no tool server \"x\"; clew mcp ls lists them\n"},
		{args: "mcp|test|x", code: env.ExitFailure, want: "there is no tool server \"x\"; clew mcp ls lists them\n"},
		{args: "mcp|add|x|https://example.org/mcp", code: env.ExitUsage, want: "https://example.org/mcp is an address: give it with --url"},
		{args: "mcp|add|x|--|no-such-program", code: env.ExitFailure, want: "It is saved. Try again: clew mcp test x. Remove it: clew mcp rm x\n"},
		{args: "answer|yes", code: env.ExitUsage, want: "clew answer REQUEST yes; clew inbox lists them"},
	})
}

// The last line for programs has what is documented, and nothing else.
func TestResultForPrograms(t *testing.T) {
	data := t.TempDir()
	environ := []string{"HOME=" + data, "CLEW_SERVER=" + startServer(t, data), "CLEW_DATA=" + data}
	got := callWith(t, "", environ, "run", "--json", "--model", "echo", "--workspace", "", "hello")
	lines := strings.Split(strings.TrimSpace(got.out), "\n")
	if last := lines[len(lines)-1]; got.code != env.ExitOK || !strings.HasPrefix(last, `{"type":"result",`) || strings.Contains(last, `"Said"`) || strings.Contains(last, `"Lasted"`) {
		t.Errorf("%d: %s", got.code, last)
	}
}

// A fork's id is as short as any other for people.
func TestShorten(t *testing.T) {
	for id, want := range map[clew.SessionID]string{
		"sess_8b87577508c6434d34a2d14a2a1710f5": "sess_8b875775", "sess_87ab020839343cc0bd74b01a05": "sess_87ab0208",
		"sess_golden_sealed": "sess_golden_sealed", "mine": "mine",
	} {
		if got := env.Shorten(id); got != want {
			t.Errorf("%s: %s", id, got)
		}
	}
}
