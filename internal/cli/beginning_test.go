package cli

import (
	"strings"
	"testing"

	"github.com/clew-run/clew/internal/cli/env"
)

func TestTitleFrom(t *testing.T) {
	for text, want := range map[string]string{
		"hello":                         "hello",
		`"hello"`:                       "hello",
		"  'repair it'\nand more":       "repair it",
		"“hello”":                       "hello",
		`"one" and "two"`:               `"one" and "two"`,
		`""`:                            `""`,
		`"`:                             `"`,
		"say \"no\"":                    "say \"no\"",
		strings.Repeat("long ", 30):     strings.Repeat("long ", 11) + "long…",
		"first \x1b[31mline\r\nanother": "first \uFFFD[31mline",
	} {
		if got := titleFrom(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// A mode that there is not is refused before a session is made for it.
func TestModesAreChecked(t *testing.T) {
	x := newTraveller(t)
	x.has(x.do(env.ExitUsage, "", "run", "--mode", "architct", "hi"), `there is no mode "architct"; did you mean architect?`)
	x.has(x.do(env.ExitUsage, "", "run", "--mode", "nope", "hi"), "there are code, architect, ask, debug, orchestrator")
	x.do(env.ExitUsage, "", "run", "--model", "a\nb", "hi")
	x.do(env.ExitOK, "", "settings", "set", "custom_modes", `[{"slug":"docs","name":"Docs","groups":["read"]}]`)
	x.do(env.ExitOK, "", "run", "--mode", "docs", "--workspace", "", "hi")
	x.has(x.do(env.ExitOK, "", "ls"), "  hi\n")
	if out := x.do(env.ExitOK, "", "ls", "--json"); strings.Count(out, `"session_id"`) != 2 { // the traveller's, and the one above
		t.Errorf("an empty session was left behind: %s", out)
	}
}
