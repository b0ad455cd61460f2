package summary

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/clew-run/clew/internal/nightly"
)

// Covers: STO-33, STO-34, STO-35, STO-36, TOOL-20
func TestInput(t *testing.T) {
	long := strings.Repeat("ä", 400)
	cutLong := strings.Repeat("ä", 300) + "..."
	for _, c := range []struct{ tool, input, want string }{
		{"Read", `{"file_path":"/path/to/file","offset":3}`, `{"file_path":"/path/to/file"}`},
		{"Edit", `{"file_path":"/f","old_string":"a","new_string":"b"}`, `{"file_path":"/f"}`},
		{"Write", `{"content":"secret","file_path":"/f"}`, `{"file_path":"/f"}`},
		{"NotebookEdit", `{"notebook_path":"/n.ipynb","new_source":"x"}`, `{"notebook_path":"/n.ipynb"}`},
		{"Bash", `{"command":"make <x> && y\nrm -r z","description":"Build","timeout":5}`, `{"command":"make <x> && y","description":"Build"}`},
		{"Bash", `{"command":"one"}`, `{"command":"one"}`},
		{"Bash", `{"command":"\r\none\r\ntwo"}`, `{"command":"one"}`},
		{"Bash", `{"command":"` + long + `"}`, `{"command":"` + cutLong + `"}`},
		{"Glob", `{"pattern":"*.go","path":"/p","x":1}`, `{"path":"/p","pattern":"*.go"}`},
		{"Grep", `{"pattern":"x","output_mode":"content"}`, `{"pattern":"x"}`},
		{"read_file", `{"path":"a.go","offset":1,"limit":2}`, `{"path":"a.go"}`},
		{"edit", `{"path":"a.go","old":"x","new":"y"}`, `{"path":"a.go"}`},
		{"write_file", `{"path":"a.go","content":"x"}`, `{"path":"a.go"}`},
		{"execute_command", `{"command":"a\nb","background":true}`, `{"command":"a"}`},
		{"list_files", `{"path":"d","recursive":true}`, `{"path":"d"}`},
		{"search_files", `{"pattern":"x","path":"d","limit":1}`, `{"path":"d","pattern":"x"}`},
		{"Other", `{"a":"` + long + `","b":1,"c":null,"d":[1,2]}`, `{"a":"` + cutLong + `","b":1,"c":null,"d":[1,2]}`},
		{"Other", `{"a":["` + long + `"]}`, `{"a":"[\"` + strings.Repeat("ä", 298) + `..."}`},
		{"Other", `{"a":"` + strings.Repeat("ä", 300) + `"}`, `{"a":"` + strings.Repeat("ä", 300) + `"}`},
		{"Read", `{}`, `{}`},
		{"Read", `"text"`, `"text"`},
		{"Read", `null`, `null`},
		{"Read", `{"broken`, `{"broken`},
		{"Read", ``, ``},
	} {
		if got := Input(c.tool, json.RawMessage(c.input)); got != c.want {
			t.Errorf("%s %.80s:\ngot  %s\nwant %s", c.tool, c.input, got, c.want)
		}
	}
}

// Covers: STO-37
func TestOutput(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", ""},
		{"short", "short"},
		{strings.Repeat("x", 500), strings.Repeat("x", 500)},
		{strings.Repeat("ü", 500), strings.Repeat("ü", 500)},
		{strings.Repeat("x", 501), strings.Repeat("x", 500) + "... (501 characters in all)"},
		{strings.Repeat("日", 1234), strings.Repeat("日", 500) + "... (1234 characters in all)"},
	} {
		if got := Output(c.text); got != c.want {
			t.Errorf("%d bytes: %q", len(c.text), got)
		}
	}
}

// Covers: STO-20
func TestConstants(t *testing.T) {
	if MessagesDir != "./messages" || MaxMessagesPerSession != 200 || SaveDebounceMS != 2000 || MaxOutputLength != 500 || MaxInputLength != 300 {
		t.Error("a constant of the message store changed")
	}
}

// Covers: STO-36, STO-37
func TestSummariesAreShortAndWhole(t *testing.T) {
	nightly.Check(t, func(t *rapid.T) {
		text := rapid.String().Draw(t, "text")
		text = strings.Repeat(text, rapid.IntRange(1, 100).Draw(t, "times"))
		out := Output(text)
		if !utf8.ValidString(out) || utf8.RuneCountInString(out) > 550 {
			t.Fatalf("%d characters", utf8.RuneCountInString(out))
		}
		input, err := json.Marshal(map[string]any{"value": text})
		if err != nil {
			t.Fatal(err)
		}
		var back map[string]string
		if err := json.Unmarshal([]byte(Input("Other", input)), &back); err != nil {
			t.Fatal(err)
		}
		head := strings.TrimSuffix(back["value"], "...")
		if utf8.RuneCountInString(back["value"]) > 303 || !strings.HasPrefix(text, head) {
			t.Fatalf("%q", back["value"])
		}
	})
}
