package cli

import (
	"strings"
	"testing"
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
	x.has(x.do(exitUsage, "", "run", "--mode", "architct", "hi"), `there is no mode "architct"; did you mean architect?`)
	x.has(x.do(exitUsage, "", "run", "--mode", "nope", "hi"), "there are code, architect, ask, debug, orchestrator")
	x.do(exitFailure, "", "run", "--model", "a\nb", "hi") // refused only after the session was made
	x.do(exitOK, "", "settings", "set", "custom_modes", `[{"slug":"docs","name":"Docs","groups":["read"]}]`)
	x.do(exitOK, "", "run", "--mode", "docs", "--workspace", "", "hi")
	x.has(x.do(exitOK, "", "ls"), "  hi\n")
	if out := x.do(exitOK, "", "ls", "--json"); strings.Count(out, `"session_id"`) != 2 { // the traveller's, and the one above
		t.Errorf("an empty session was left behind: %s", out)
	}
}
