package core

import (
	"strings"
	"testing"
)

func TestPlainLine(t *testing.T) {
	for text, want := range map[string]string{
		"Fix the build": "Fix the build",
		"## Fix **the** build\n\n- run `go test`\n- then ~~stop~~": "Fix the build run go test then stop",
		"> 1. See [the log](https://example.org/a_b)":              "See the log",
		"```go\nx := 1\n```\nWhy?":                                 "x := 1 Why?",
		"_really_, a_b_c and __init__ (*now*)":                     "really, a_b_c and init (now)",
		"2 * 3 * 4 - 1, -v and #42":                                "2 * 3 * 4 - 1, -v and #42",
		"":                                                         "",
	} {
		if got := PlainLine(text, 100); got != want {
			t.Errorf("%q gives %q, want %q", text, got, want)
		}
	}
	if got := PlainLine("**abcdefghij**", 5); got != "abcde…" {
		t.Errorf("cut: %q", got)
	}
}

func TestShortForm(t *testing.T) {
	for words, want := range map[string]string{
		"Fix the build": "", "": "", "2 * 3": "", " spaces around\n": "",
		"## Fix **it**\n\nnow":   "Fix it now",
		"one line\nand a second": "one line and a second",
		strings.Repeat("x", 201): strings.Repeat("x", 200) + "…",
		strings.Repeat("다", 200): "",
	} {
		if got := ShortForm(words); got != want {
			t.Errorf("%q gives %q, want %q", words, got, want)
		}
	}
}
